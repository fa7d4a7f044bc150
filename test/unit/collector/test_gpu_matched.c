/* SPDX-License-Identifier: MIT */
/*
 * Calls that both a hook and CUPTI report are told apart from those of which there is only one
 * report, on buffers made by hand: nothing is lost and nothing changes its order.
 */
#include <stdlib.h>

#include "collector/gpu/buffers.h"
#include "collector/gpu/library.h"
#include "test/unit/collector/turning.h"

#define CALL_BYTES 40u
#define MOST       200u
#define TID        4711u

static uint8_t raw[MOST * CALL_BYTES];
static unsigned raw_count, matched, full, others;
static uint64_t correlations[2 * MOST];
static unsigned correlation_count;

static int next_record(uint8_t *bytes, size_t valid, uint8_t **record)
{
	uint8_t *next = *record == NULL ? bytes : *record + CALL_BYTES;
	if (next >= bytes + valid)
		return GPU_END_OF_BUFFER;
	*record = next;
	return GPU_OK;
}

static void ready(void)
{
}

static void put(size_t offset, uint64_t value, size_t bytes)
{
	memcpy(raw + (size_t)raw_count * CALL_BYTES + offset, &value, bytes);
}

static void api(uint32_t tid, uint64_t begin_ns, uint64_t end_ns, bool is_driver)
{
	put(0, is_driver ? 4 : 5, 4);
	put(4, is_driver ? 307 : 211, 4);
	put(8, begin_ns, 8);
	put(16, end_ns, 8);
	put(28, tid, 4);
	put(32, is_driver ? raw_count + 2 : raw_count + 1, 4);
	raw_count++;
}

/* Launches of the thread with TID, as the drain has taken them out of its ring. */
static void hook(unsigned count, uint64_t begin_ns)
{
	struct record records[MOST];
	for (unsigned i = 0; i < count; i++)
		records[i] = (struct record){.kind = RECORD_LAUNCH,
			.begin = begin_ns + 1000 * i,
			.end = begin_ns + 1000 * i + 500};
	ring->thread = ring->shared->thread;
	ring->shared->tid = TID;
	cr_assert(eq(int, writer_events(&turn.writer, 0, 0, records, count, 1), (int)count));
}

static void deliver(void)
{
	uint8_t *bytes;
	size_t size, limit;
	gpu_buffers_request(&bytes, &size, &limit);
	memcpy(bytes, raw, (size_t)raw_count * CALL_BYTES);
	gpu_buffers_complete(NULL, 0, bytes, size, (size_t)raw_count * CALL_BYTES);
	cr_assert(eq(u64, gpu_collect_run(&turn.gpu, &turn.writer, 1), raw_count));
	raw_count = 0;
}

static void sort_out(struct trace_file *trace, const struct item *item, bool is_live)
{
	(void)trace;
	(void)is_live;
	if (item->type != ITEM_EVENTS)
		return;
	for (unsigned i = 0; i < item->count; i++) {
		bool is_api = item->records[i].kind == RECORD_DEVICE_API;
		matched += is_api && item->matched;
		full += is_api && !item->matched;
		others += !is_api;
		if (is_api)
			correlations[correlation_count++] = item->records[i].place;
	}
}

static void start(void)
{
	static const struct gpu_buffers_options buffers = {
		.ready = ready, .count = gpu_collect_count};
	gpu_library.cuptiActivityGetNextRecord = next_record;
	gpu_library.version = 27;
	cr_assert(eq(int, gpu_buffers_init(&buffers), 0));
	begin(0);
	turn.writer.notes_calls = true;
}

static void finish(void)
{
	cr_assert(eq(int, turn_finish(&turn, "exit"), 0));
	sink_close(&sink);
	file = (struct trace_file){.item = sort_out};
	cr_assert(eq(int, trace_file_read(&file, path), 0), "%s", file.fault);
	cr_expect(eq(u64, file.duplicates, 0));
	cr_expect(eq(u64, file.lost, 0));
	cr_expect(eq(u64, file.gaps, 0));
	cr_expect(eq(u64, file.end.events, file.events));
	for (unsigned i = 1; i < correlation_count; i++)
		cr_expect(gt(u64, correlations[i], correlations[i - 1]));
	tear_down();
}

Test(gpu_matched, calls_of_hooks)
{
	start();
	hook(100, 10000);
	for (unsigned i = 0; i < 100; i++)
		api(TID, 10100 + 1000 * i, 10400 + 1000 * i, false);
	deliver();
	finish();
	cr_expect(eq(u32, matched, 100));
	cr_expect(eq(u32, full, 0));
}

/* A second runtime, another thread, a call that its ring dropped: as CUPTI has them. */
Test(gpu_matched, calls_without_hooks_are_kept_whole)
{
	start();
	hook(100, 10000);
	for (unsigned i = 0; i < 160; i++) {
		bool other = i % 20 == 19;
		api(other ? TID + 1 : TID, 10100 + 1000 * i, 10400 + 1000 * i, false);
	}
	deliver();
	finish();
	cr_expect(eq(u32, matched, 95));
	cr_expect(eq(u32, full, 65));
	cr_expect(eq(u32, correlation_count, 160));
}

/* Few in a row would cost more than they save. */
Test(gpu_matched, few_are_kept_whole)
{
	start();
	hook(100, 10000);
	for (unsigned i = 0; i < 100; i++)
		api(i % 5 == 4 ? TID + 1 : TID, 10100 + 1000 * i, 10400 + 1000 * i, false);
	deliver();
	finish();
	cr_expect(eq(u32, matched, 0));
	cr_expect(eq(u32, full, 100));
}

/* The driver's call within the runtime's is left out as before; one that sticks out is no part. */
Test(gpu_matched, nested_calls_and_calls_that_stick_out)
{
	start();
	hook(50, 10000);
	for (unsigned i = 0; i < 50; i++) {
		api(TID, 10200 + 1000 * i, 10300 + 1000 * i, true);
		api(TID, 10100 + 1000 * i, i < 40 ? 10400 + 1000 * i : 10501 + 1000 * i, false);
	}
	deliver();
	finish();
	cr_expect(eq(u32, matched, 40));
	cr_expect(eq(u32, full, 10));
}

/* Calls of frames that could not be written are not referred to. */
Test(gpu_matched, no_call_that_is_not_in_the_file)
{
	start();
	hook(100, 10000);
	recent_clear(turn.writer.recent);
	for (unsigned i = 0; i < 100; i++)
		api(TID, 10100 + 1000 * i, 10400 + 1000 * i, false);
	deliver();
	finish();
	cr_expect(eq(u32, matched, 0));
	cr_expect(eq(u32, full, 100));
}
