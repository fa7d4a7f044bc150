/* SPDX-License-Identifier: MIT */
#include "collector/buffer/request.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>

#include "collector/base/futex.h"

static struct {
	uint32_t is_open;
	uint32_t asleep;   /* a futex: 1 while the drain thread sleeps */
	uint32_t asked;    /* flushes asked for */
	uint32_t answered; /* the last one that is done; a futex */
	uint32_t stopping;
	pid_t tid; /* of the drain thread */
} requests;

void request_wake(void)
{
	uint32_t asleep = 1;
	if (!__atomic_compare_exchange_n(
		    &requests.asleep, &asleep, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return;
	int saved = errno;
	futex_wake(&requests.asleep);
	errno = saved;
}

/* Until that flush is answered. */
static int wait_for_answer(uint32_t number, uint64_t until_ns)
{
	for (;;) {
		uint32_t answered = __atomic_load_n(&requests.answered, __ATOMIC_SEQ_CST);
		if ((int32_t)(answered - number) >= 0)
			return 0;
		int code = futex_wait_while(&requests.answered, answered, until_ns);
		if (code < 0)
			return code;
	}
}

int request_flush(unsigned timeout_ms)
{
	if (!__atomic_load_n(&requests.is_open, __ATOMIC_SEQ_CST) || request_is_drain())
		return -ENOENT;
	int saved = errno;
	uint64_t until_ns = clock_monotonic_ns() + timeout_ms * 1000000ull;
	uint32_t mine = __atomic_add_fetch(&requests.asked, 1, __ATOMIC_SEQ_CST);
	request_wake();
	int code = wait_for_answer(mine, until_ns);
	errno = saved;
	return code;
}

void request_stop(void)
{
	__atomic_store_n(&requests.stopping, 1, __ATOMIC_SEQ_CST);
	request_wake();
}

bool request_is_drain(void)
{
	pid_t tid = __atomic_load_n(&requests.tid, __ATOMIC_RELAXED);
	return tid != 0 && tid == (pid_t)syscall(SYS_gettid);
}

void request_open(void)
{
	requests.stopping = 0;
	requests.answered = requests.asked;
	__atomic_store_n(&requests.is_open, 1, __ATOMIC_SEQ_CST);
}

void request_serve(void)
{
	__atomic_store_n(&requests.tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
}

void request_close(void)
{
	__atomic_store_n(&requests.is_open, 0, __ATOMIC_SEQ_CST);
}

bool request_stop_is_wanted(void)
{
	return __atomic_load_n(&requests.stopping, __ATOMIC_SEQ_CST) != 0;
}

bool request_flush_is_wanted(uint32_t *ret_number)
{
	uint32_t asked = __atomic_load_n(&requests.asked, __ATOMIC_SEQ_CST);
	if (asked == __atomic_load_n(&requests.answered, __ATOMIC_RELAXED))
		return false;
	*ret_number = asked;
	return true;
}

void request_answer_flush(uint32_t number)
{
	__atomic_store_n(&requests.answered, number, __ATOMIC_SEQ_CST);
	futex_wake(&requests.answered);
}

bool request_sleep(uint64_t timeout_ns)
{
	uint32_t number;
	__atomic_store_n(&requests.asleep, 1, __ATOMIC_SEQ_CST);
	bool asked = request_stop_is_wanted() || request_flush_is_wanted(&number);
	if (!asked && timeout_ns > 0)
		futex_wait(&requests.asleep, 1, timeout_ns);
	return __atomic_exchange_n(&requests.asleep, 0, __ATOMIC_SEQ_CST) == 0 || asked;
}

void request_forget(void)
{
	memset(&requests, 0, sizeof(requests));
}
