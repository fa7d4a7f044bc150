/* SPDX-License-Identifier: MIT */
#include "preload/callbacks/userscope.h"

#include <stddef.h>
#include <stdint.h>

#include "collector/collector.h"
#include "collector/describe.h"
#include "collector/format/value.h"
#include "preload/window/window.h"

#define RECORD_BYTES 4096 /* of an at::RecordFunction, eight times what it ever took */
#define ANSWER_BYTES 1024 /* of an at::StepCallbacks, likewise */

/* at::StepCallbacks::StartEndPair */
struct pair {
	void (*start)(void);
	void (*end)(void);
};

/* c10::SmallVector of them, which is a part of the answer. */
struct pairs {
	struct pair *first;
	uint32_t count, capacity;
};

static struct {
	struct pair pair;
	size_t at; /* of the pairs in an answer */
	int wanted;
	userscope_asked *asked; /* PyTorch has come by us, for this */
} userscope;

static struct pairs *pairs_at(void *answer, size_t at)
{
	return (void *)((char *)answer + at);
}

/* Where four others are in it already there is no room. */
static void add_ours(void *answer)
{
	struct pairs *pairs = pairs_at(answer, userscope.at);
	if (pairs->count < pairs->capacity)
		pairs->first[pairs->count++] = userscope.pair;
	else if (collector_enabled)
		collector_count(COUNTER_RANGES_LOST, 1);
}

void *userscope_answer(userscope_asked *real, void *ret_answer, uint8_t scope)
{
	if (scope != OP_USER_SCOPE)
		return real(ret_answer, scope);
	if (__atomic_load_n(&userscope.asked, __ATOMIC_RELAXED) == NULL)
		__atomic_store_n(&userscope.asked, real, __ATOMIC_RELAXED);
	void *answer = real(ret_answer, scope);
	if (__atomic_load_n(&userscope.wanted, __ATOMIC_ACQUIRE) != 0 && window_sees())
		add_ours(answer);
	return answer;
}

/*
 * A range of our own that never begins tells whether its callbacks are asked for by way of us. It
 * has nothing that would have to be freed.
 */
static bool comes_by_us(void)
{
	static _Alignas(64) char record[RECORD_BYTES];
	if (frameworks.torch_make_range != NULL)
		frameworks.torch_make_range(record, OP_USER_SCOPE);
	return __atomic_load_n(&userscope.asked, __ATOMIC_RELAXED) != NULL;
}

/* Whether the pairs are here, ours the last of them; all in the answer itself. */
static bool are_pairs(char *answer, size_t at)
{
	const struct pairs *pairs = pairs_at(answer, at);
	size_t first = (size_t)((char *)pairs->first - answer);
	if (first >= ANSWER_BYTES || pairs->count == 0 || pairs->count >= pairs->capacity ||
		pairs->capacity > (ANSWER_BYTES - first) / sizeof(struct pair))
		return false;
	const struct pair *last = &pairs->first[pairs->count - 1];
	return last->start == userscope.pair.start && last->end == userscope.pair.end;
}

/* An answer in which PyTorch has put ours itself shows where it puts it. */
static bool finds_pairs(void)
{
	static _Alignas(64) char answer[ANSWER_BYTES];
	struct torch_callback own = {
		.start = userscope.pair.start, .end = userscope.pair.end, .probability = 1.0};
	own.scopes[OP_USER_SCOPE] = 1;
	uint64_t handle = frameworks.torch_add_own(own);
	(void)userscope.asked(answer, OP_USER_SCOPE);
	frameworks.torch_remove(handle);
	for (userscope.at = 0; userscope.at + sizeof(struct pairs) <= sizeof(answer);
		userscope.at += sizeof(void *))
		if (are_pairs(answer, userscope.at))
			return true;
	return false;
}

bool userscope_begin(const struct torch_callback *callback)
{
	userscope.pair = (struct pair){callback->start, callback->end};
	if (frameworks.torch_add_own == NULL || frameworks.torch_remove == NULL || !comes_by_us() ||
		!finds_pairs())
		return false;
	__atomic_store_n(&userscope.wanted, 1, __ATOMIC_RELEASE);
	return true;
}

void userscope_end(void)
{
	__atomic_store_n(&userscope.wanted, 0, __ATOMIC_RELAXED);
}
