/* SPDX-License-Identifier: MIT */
/* What CUDASIM_CUPTI orders to go wrong goes wrong in that way only. */
#include <stdlib.h>

#include "activity.h"

/* run_work makes 10 kernels, 2 copies and 3 sets. */
#define OPERATIONS 15

static size_t count_devices(void)
{
	return client_count(KERNEL) + client_count(MEMCPY) + client_count(MEMSET);
}

static void run_all(void)
{
	client_open(now_ns);
	client_enable_all();
	run_work();
	CHECK(truth_operations() == OPERATIONS);
}

static void run_and_flush(void)
{
	run_all();
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
}

void group_drop(void)
{
	size_t dropped = 0;
	run_and_flush();
	CHECK(count_devices() == OPERATIONS - OPERATIONS / 3);
	CHECK_OK(cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
	CHECK(dropped == OPERATIONS / 3);
	CHECK_OK(cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
	CHECK(dropped == 0);
}

void group_zero(void)
{
	size_t without = 0;
	run_and_flush();
	CHECK(count_devices() == OPERATIONS);
	for (size_t i = 0; i < client.count; i++) {
		const struct taken *record = &client.records[i];
		if (is_device(record) && get64(record, 16) == 0) {
			CHECK(get64(record, 24) == 0);
			without++;
		}
	}
	CHECK(without == OPERATIONS / 4);
}

void group_null(void)
{
	size_t without = 0;
	run_and_flush();
	for (size_t i = 0; i < client.count; i++)
		without += client.records[i].kind == KERNEL && get64(&client.records[i], 104) == 0;
	CHECK(client_count(KERNEL) == 10 && without == 5);
}

/* Nothing is lost, and calls are not in the order in which they were made any more. */
void group_reorder(void)
{
	size_t backwards = 0;
	uint32_t last = 0;
	run_and_flush();
	for (size_t i = 0; i < client.count; i++) {
		if (client.records[i].kind != RUNTIME)
			continue;
		backwards += correlation(&client.records[i]) < last;
		last = correlation(&client.records[i]);
	}
	CHECK(backwards >= 5);
	compare_all();
}

void group_late(void)
{
	run_all();
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	CHECK(count_devices() == 0);
	sleep_ms(400);
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	CHECK(count_devices() == OPERATIONS);
	compare_all();
}

/*
 * A buffer in which something is incomplete stays where it is. Forced out before its end a record
 * has a name but no times, and comes only once.
 */
void group_forced(void)
{
	client_open(now_ns);
	client_enable_all();
	launch("fast", NULL);
	CHECK_OK(cudaDeviceSynchronize());
	for (int i = 0; i < 20; i++)
		launch("slow", NULL);
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	CHECK(client.count == 0);
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
	CHECK(client_count(KERNEL) == 21);
	const struct taken *last = NULL;
	for (size_t i = 0; i < client.count; i++) {
		if (client.records[i].kind == KERNEL)
			last = &client.records[i];
	}
	CHECK(last && get64(last, 16) == 0 && get64(last, 24) == 0 && get64(last, 104) != 0);
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
	CHECK(client_count(KERNEL) == 21);
	CHECK_OK(cupti.cuptiActivityDisable(RUNTIME));
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
}

/* A client without buffers loses everything, and is told how much. */
void group_refused(void)
{
	size_t dropped = 0;
	client.buffer_bytes = 0;
	run_and_flush();
	CHECK(client.count == 0 && client.buffers == 0);
	CHECK_OK(cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
	CHECK(dropped >= OPERATIONS);
}

void group_fail(void)
{
	client_open(now_ns);
	CHECK_OK(cupti.cuptiActivityEnable(KERNEL));
	CHECK(cupti.cuptiActivityEnable(MEMCPY) == 35);
	CHECK_OK(cupti.cuptiActivityEnable(MEMSET));
	run_work();
	CHECK(cupti.cuptiActivityFlushAll(0) == 999 && cupti.cuptiActivityFlushAll(1) == 999);
	CHECK(count_devices() == 0);
	CHECK(cupti.cuptiActivityEnable(100000) == 21);
}

void group_subscriber(void)
{
	void *subscriber = NULL;
	client_open(now_ns);
	CHECK(cupti.cuptiSubscribe(&subscriber, NULL, NULL) == 39);
	CHECK(subscriber == NULL);
}

/* An operation without its call, and a call without its operation; nothing counts them. */
static void run_uncounted(void)
{
	size_t dropped = 1;
	run_and_flush();
	CHECK_OK(cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
	CHECK(dropped == 0);
}

/* How many operations have no record of their call. */
static size_t count_orphans(void)
{
	size_t orphans = 0;
	for (size_t i = 0; i < client.count; i++) {
		int found = 0;
		for (size_t k = 0; k < client.count; k++)
			found |= client.records[k].kind == RUNTIME &&
				 correlation(&client.records[k]) == correlation(&client.records[i]);
		orphans += is_device(&client.records[i]) && !found;
	}
	return orphans;
}

void group_orphan(void)
{
	run_uncounted();
	CHECK(count_devices() == OPERATIONS && count_orphans() > 0);
}

void group_childless(void)
{
	run_uncounted();
	CHECK(count_devices() == OPERATIONS - OPERATIONS / 4 && count_orphans() == 0);
}

/* Numbers are used again, those of a call and its operation alike. */
void group_wrap(void)
{
	size_t calls = 0;
	run_and_flush();
	for (size_t i = 0; i < client.count; i++) {
		CHECK(correlation(&client.records[i]) < 8);
		calls += client.records[i].kind == RUNTIME;
	}
	CHECK(calls > 16 && count_devices() == OPERATIONS);
}

/* The walk goes on past a kind that nobody knows. */
void group_alien(void)
{
	run_and_flush();
	CHECK(client_count(ALIEN) == (client.count - client_count(ALIEN)) / 6);
	CHECK(count_devices() == OPERATIONS);
}

/* Every function may fail at any of its calls, and only there. */
void group_anywhere(void)
{
	void *subscriber = NULL;
	uint64_t value = 0;
	uint32_t version = 0;
	size_t size = sizeof(value);
	client_open(now_ns); /* asks for the version once */
	CHECK(cupti.cuptiGetVersion(&version) == 15 && version == 0);
	CHECK_OK(cupti.cuptiGetVersion(&version));
	CHECK(cupti.cuptiSubscribe(&subscriber, NULL, NULL) == 35 && !subscriber);
	CHECK_OK(cupti.cuptiSubscribe(&subscriber, NULL, NULL));
	CHECK(cupti.cuptiEnableCallback(1, subscriber, 3, 1) == 27);
	CHECK(cupti.cuptiActivityGetAttribute(0, &size, &value) == 11 && value == 0);
	CHECK(cupti.cuptiActivityEnableContext(NULL, KERNEL) == 21);
	CHECK(cupti.cuptiActivityRegisterTimestampCallback(now_ns) == 27);
	CHECK(cupti.cuptiActivityRegisterCallbacks(NULL, NULL) == 999);
}
