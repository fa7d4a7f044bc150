/* SPDX-License-Identifier: MIT */
/* When and where records are delivered, and which of them a client asks for. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "activity.h"

/* Full buffers come by themselves, from another thread, and not before the delay. */
void group_batch(void)
{
	client_open(now_ns);
	CHECK_OK(cupti.cuptiActivityEnable(RUNTIME));
	sleep_ms(80); /* past the first round */
	uint64_t begin_ns = now_ns();
	for (int i = 0; i < 23; i++)
		launch("fast", NULL);
	if (now_ns() - begin_ns < 10 * MS)
		CHECK(__atomic_load_n(&client.count, __ATOMIC_ACQUIRE) <= 20);
	for (int i = 0; i < 100 && __atomic_load_n(&client.count, __ATOMIC_ACQUIRE) < 20; i++)
		sleep_ms(10);
	CHECK(client.count > 0 && client.count % 5 == 0);
	CHECK(client.thread != (uint64_t)pthread_self());
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	CHECK_OK(cupti.cuptiActivityFlushPeriod(1));
	for (size_t i = 5; i < client.count; i++)
		CHECK(client.records[i].buffer > client.records[i - 5].buffer);
}

/* Rounds with much in them and rounds with little: the program's thread finds its memory there. */
void group_steady(void)
{
	enum {
		WARM = 24, /* all lists have had much */
		ROUNDS = 48
	};
	struct rusage before = {0}, after;
	int failed = 0;
	client_open(now_ns);
	CHECK_OK(cupti.cuptiActivityEnable(RUNTIME));
	for (int round = 0; round < ROUNDS; round++) {
		if (round == WARM)
			getrusage(RUSAGE_THREAD, &before);
		for (int i = 0; i < (round % 6 == 0 ? 6000 : 50); i++)
			failed |= cudaStreamQuery(NULL);
		failed |= cupti.cuptiActivityFlushAll(0);
	}
	getrusage(RUSAGE_THREAD, &after);
	CHECK(!failed);
	CHECK(client.count == ROUNDS / 6 * (6000 + 5 * 50));
	CHECK(after.ru_minflt - before.ru_minflt < 100);
}

/* Buffers of a few records each, and one that no record fits into. */
void group_small(void)
{
	size_t dropped = 0;
	client.buffer_bytes = 512;
	client_open(now_ns);
	client_enable_all();
	run_work();
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	CHECK(client.buffers >= client.count * 24 / 512);
	compare_all();
	CHECK_OK(cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
	CHECK(dropped == 0);
	CHECK_OK(cupti.cuptiActivityFlushAll(1)); /* takes back what was handed out last */
	size_t count = client.count;
	client.buffer_bytes = 16;
	launch("fast", NULL);
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
	CHECK(client.count <= count + 6);
	CHECK_OK(cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
	CHECK(dropped > 0);
}

static int is_launch(uint32_t id)
{
	return id == (CUDART_MAJOR == 12 ? 211 : 505); /* cudaLaunchKernel, __cudaLaunchKernel */
}

/* Single functions without the kind, then the kind without one function. */
void group_filter(void)
{
	client_open(now_ns);
	CHECK_OK(cupti.cuptiActivityEnableRuntimeApi(211, 1));
	CHECK_OK(cupti.cuptiActivityEnableRuntimeApi(505, 1));
	run_work();
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	CHECK(client.count == client_count(RUNTIME) && client.count == 9);
	for (size_t i = 0; i < client.count; i++)
		CHECK(is_launch(get32(&client.records[i], 4)));
	size_t before = client.count;
	CHECK_OK(cupti.cuptiActivityEnable(RUNTIME));
	CHECK_OK(cupti.cuptiActivityEnableRuntimeApi(165, 0)); /* cudaDeviceSynchronize */
	launch("fast", NULL);
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cudaStreamSynchronize(NULL));
	CHECK_OK(cupti.cuptiActivityDisable(RUNTIME));
	launch("fast", NULL);
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
	CHECK(client_count(KERNEL) == 0 && client.count > before);
	for (size_t i = before; i < client.count; i++)
		CHECK(get32(&client.records[i], 4) != 165);
	CHECK(get32(&client.records[client.count - 1], 4) == 131); /* cudaStreamSynchronize */
}

/* How many launches of the runtime have a driver's launch of the same number. */
static size_t count_pairs(void)
{
	size_t pairs = 0;
	client_open(now_ns);
	CHECK_OK(cupti.cuptiActivityEnable(RUNTIME));
	CHECK_OK(cupti.cuptiActivityEnable(DRIVER));
	run_work();
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	for (size_t i = 0; i < client.count; i++) {
		const struct taken *record = &client.records[i];
		for (size_t k = 0; k < client.count && record->kind == RUNTIME; k++) {
			const struct taken *other = &client.records[k];
			pairs += is_launch(get32(record, 4)) && other->kind == DRIVER &&
				 get32(other, 4) == 307 && /* cuLaunchKernel */
				 correlation(other) == correlation(record);
		}
	}
	return pairs;
}

void group_nested(void)
{
	CHECK(count_pairs() == 9);
}

/* Without that setting a call of the program has one record. */
void group_outer(void)
{
	CHECK(count_pairs() == 0);
	CHECK(client_count(RUNTIME) > 9);
	for (size_t i = 1; i < client.count; i++)
		CHECK(correlation(&client.records[i]) != correlation(&client.records[i - 1]));
}

static int asked;

static void ask_alone(uint8_t **ret_buffer, size_t *ret_size, size_t *ret_max_records)
{
	(void)ret_max_records;
	__atomic_store_n(&asked, 1, __ATOMIC_RELEASE);
	*ret_buffer = aligned_alloc(8, 4096);
	*ret_size = 4096;
}

static void ignore(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	(void)context;
	(void)stream;
	(void)size;
	(void)valid;
	free(buffer);
}

/* A call that leaves a record returns after the client was asked for a buffer. */
void group_asked(void)
{
	client_open(now_ns);
	CHECK_OK(cupti.cuptiActivityRegisterCallbacks(
		(void *)(uintptr_t)ask_alone, (void *)(uintptr_t)ignore));
	CHECK_OK(cupti.cuptiActivityEnable(KERNEL));
	for (int i = 0; i < 20; i++) {
		CHECK(!__atomic_exchange_n(&asked, 0, __ATOMIC_ACQUIRE) || i);
		launch("fast", NULL);
		CHECK(__atomic_load_n(&asked, __ATOMIC_ACQUIRE));
		CHECK_OK(cudaDeviceSynchronize());
		CHECK_OK(cupti.cuptiActivityFlushAll(1));
	}
}

/* The latest number of each kind stands before the first record of the call, once. */
void group_external(void)
{
	uint64_t popped = 0;
	client_open(now_ns);
	client_enable_all();
	CHECK_OK(cupti.cuptiActivityEnable(EXTERNAL));
	CHECK_OK(cupti.cuptiActivityPushExternalCorrelationId(3, 41));
	CHECK_OK(cupti.cuptiActivityPushExternalCorrelationId(4, 77));
	CHECK_OK(cupti.cuptiActivityPushExternalCorrelationId(3, 42));
	launch("fast", NULL);
	CHECK_OK(cupti.cuptiActivityPopExternalCorrelationId(3, &popped));
	CHECK(popped == 42);
	CHECK_OK(cupti.cuptiActivityPopExternalCorrelationId(3, &popped));
	CHECK(popped == 41);
	CHECK(cupti.cuptiActivityPopExternalCorrelationId(3, &popped) == 18);
	CHECK_OK(cupti.cuptiActivityPopExternalCorrelationId(4, NULL));
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	uint32_t call = 0;
	for (size_t i = 0; i < client.count; i++) {
		if (client.records[i].kind == KERNEL)
			call = correlation(&client.records[i]);
	}
	uint64_t before = 0, after = 0, seen = 0;
	for (size_t i = 0; i < client.count; i++) {
		const struct taken *record = &client.records[i];
		if (correlation(record) != call)
			continue;
		if (record->kind != EXTERNAL)
			seen = 1;
		else if (seen)
			after++;
		else
			before += get32(record, 4) * 1000 + get64(record, 8);
	}
	CHECK(call && seen && before == 3042 + 4077 && after == 0);
}

static int run_child(void)
{
	uint64_t begin_ns = now_ns();
	int fine = cupti.cuptiActivityFlushAll(1) == 0 && cupti.cuptiActivityEnable(KERNEL) == 15 &&
		   cupti.cuptiActivityDisable(KERNEL) == 0 && cudaDeviceSynchronize() != 0 &&
		   cupti.cuptiActivityFlushPeriod(1) == 0;
	return fine && now_ns() - begin_ns < 1000 * MS ? 0 : 1;
}

/* A child may call it all and gets nothing; the parent's records are its own. */
void group_fork(void)
{
	client_open(now_ns);
	client_enable_all();
	run_work();
	for (int i = 0; i < 20; i++) {
		int status = -1;
		fflush(stdout);
		pid_t child = fork();
		if (child == 0)
			_exit(run_child());
		launch("fast", NULL);
		CHECK(waitpid(child, &status, 0) == child && status == 0);
	}
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	CHECK(client_count(KERNEL) == 30);
}

/* Registered before CUPTI's own handler, so called after it. */
static void flush_at_exit(void)
{
	size_t before = client.count;
	launch("fast", NULL);
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
	CHECK(client.count > before);
	CHECK(client_count(KERNEL) == 1001);
}

void group_exit(void)
{
	atexit(flush_at_exit);
	client_open(now_ns);
	client_enable_all();
	for (int i = 0; i < 1000; i++)
		launch("fast", NULL);
	exit(0);
}

static void *launch_many(void *unused)
{
	(void)unused;
	for (int i = 0; i < 500; i++) {
		launch("fast", NULL);
		if (i % 50 == 0)
			CHECK_OK(cupti.cuptiActivityFlushAll(0));
	}
	return NULL;
}

void group_threads(void)
{
	pthread_t threads[4];
	size_t dropped = 1;
	client_open(now_ns);
	CHECK_OK(cupti.cuptiActivityEnable(RUNTIME));
	CHECK_OK(cupti.cuptiActivityEnable(KERNEL));
	for (int i = 0; i < 4; i++)
		CHECK_OK(pthread_create(&threads[i], NULL, launch_many, NULL));
	for (int i = 0; i < 4; i++)
		CHECK_OK(pthread_join(threads[i], NULL));
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	CHECK(client_count(KERNEL) == 2000);
	CHECK_OK(cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
	CHECK(dropped == 0);
}
