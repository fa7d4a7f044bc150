/* SPDX-License-Identifier: MIT */
/*
 * Writes the small traces of the command line tests: make_trace KIND FILE; KIND is small, crowd,
 * hostile, device, waits, tables, run, or one of training_trace.h: training, yielded, failed, lost,
 * whole, matched, one. RANK in the environment is the rank of the process; run takes RUN_ID and
 * SECOND too.
 * STRANGER stands for every text of a trace, see trace_maker_meta.h.
 */
#include <stdlib.h>

#include "collector/format/fields.h"
#include "test/cli/training_trace.h"

#define HOSTILE "a\"b\\c</script>\x1b[31m\n\xff\xc3\xbc"

/* Names that would break a terminal, a JSON file or a web page. */
static void make_hostile(struct maker *maker)
{
	struct record record = maker_record(0);
	maker_meta(maker, (struct meta){.kind = META_RUN,
				  .u.run = {.format_version = 1,
					  .pid = maker->pid,
					  .rank = -1,
					  .world_size = -1,
					  .host = HOSTILE,
					  .program = HOSTILE,
					  .begin_ns = MAKER_BEGIN}});
	maker_meta(maker, (struct meta){.kind = META_CALL, .u.call = {1, HOSTILE, "cudart"}});
	maker_meta(maker, (struct meta){.kind = META_NAME, .u.name = {1, HOSTILE}});
	maker_meta(maker, (struct meta){.kind = META_THREAD, .u.thread = {1, 101, HOSTILE}});
	maker_meta(maker, (struct meta){.kind = META_PLACE,
				  .u.place = {.id = 1,
					  .language = "python",
					  .file = 1,
					  .function = 1,
					  .line = 1}});
	MAKER_CHECK(encoder_add_events(maker->encoder, 1, 0, &record, 1) == 0);
	maker->event = 1;
}

/* More threads than a viewer has colours, and a name that no screen holds. */
static void make_crowd(struct maker *maker)
{
	static char name[10001];
	static const char piece[] = "\xe2\x80\xae<b>\"\\\xff;%s\xe2\x80\x8f ";
	for (size_t at = 0; at + sizeof(piece) < sizeof(name); at += sizeof(piece) - 1)
		memcpy(name + at, piece, sizeof(piece) - 1);
	maker_meta(maker, (struct meta){.kind = META_CALL, .u.call = {1, name, "cudart"}});
	maker_meta(maker, (struct meta){.kind = META_NAME, .u.name = {1, name}});
	for (uint32_t thread = 1; thread <= 2000; thread++) {
		maker_meta(maker, (struct meta){.kind = META_THREAD,
					  .u.thread = {thread, 1000 + thread, "crowd"}});
		maker_events(maker, thread, 0, 1);
	}
}

/* What only the device side has, times before the begin, reversed times, a loss, a sample. */
static void make_device(struct maker *maker)
{
	static const char name[] = "_ZN2at6native4fillIfEEvPT_i";
	struct record records[] = {
		{.kind = RECORD_DEVICE_KERNEL,
			.begin = MAKER_BEGIN + 1500,
			.end = MAKER_BEGIN + 4750,
			.name = 6,
			.stream = 7,
			.a = 2,
			.b = 128 | 1ull << 48,
			.place = 42},
		{.kind = RECORD_DEVICE_COPY,
			.begin = MAKER_BEGIN + 5000,
			.end = MAKER_BEGIN + 6000,
			.stream = 7,
			.a = 4096,
			.b = COPY_DEVICE_TO_HOST | 1ull << 48,
			.place = 43},
		{.kind = RECORD_SYNC,
			.begin = MAKER_BEGIN - 2000,
			.end = MAKER_BEGIN - 500,
			.call = 9,
			.b = SYNC_DEVICE,
			.result = -7},
		{.kind = RECORD_INPUT,
			.begin = MAKER_BEGIN + 9000,
			.end = MAKER_BEGIN + 8000,
			.a = UINT32_MAX,
			.b = 100},
		{.kind = RECORD_SAMPLE,
			.begin = MAKER_BEGIN + 9000,
			.end = MAKER_BEGIN + 9000,
			.c = SAMPLE_READ_BYTES,
			.a = 1ull << 53},
		{.kind = RECORD_COLLECTION, /* of the youngest generation: no field but a column */
			.begin = MAKER_BEGIN + 9100,
			.end = MAKER_BEGIN + 9200,
			.a = 5},
	};
	maker_definitions(maker);
	maker_meta(maker, (struct meta){.kind = META_NAME, .u.name = {6, name}});
	maker->event = sizeof(records) / sizeof(records[0]);
	MAKER_CHECK(encoder_add_events(maker->encoder, 1, 0, records, (unsigned)maker->event) == 0);
	maker_meta(maker,
		(struct meta){.kind = META_LOST,
			.u.lost = {1, 12, "ring full", MAKER_BEGIN + 7000, MAKER_BEGIN + 8000}});
}

/* What a thread waits for in libc, and what the kernel counts of it. */
static void make_waits(struct maker *maker)
{
	struct record records[7];
	unsigned count = 0;
	for (unsigned what = INPUT_READ; what <= INPUT_FLUSH; what += 3) {
		struct record *wait = &records[count++];
		*wait = (struct record){.kind = RECORD_INPUT,
			.begin = MAKER_BEGIN + 1000 * count,
			.end = MAKER_BEGIN + 1000 * count + 500,
			.place = 1};
		record_set_INPUT_descriptor(wait, what == INPUT_SLEEP ? UINT32_MAX : 7);
		record_set_INPUT_what(wait, what);
		record_set_INPUT_medium(wait, what == INPUT_SLEEP ? MEDIUM_UNKNOWN : MEDIUM_FILE);
	}
	for (unsigned metric = THREAD_RUN_NS; metric <= THREAD_READ_BYTES; metric += 2) {
		struct record *sample = &records[count++];
		*sample = (struct record){.kind = RECORD_THREAD_SAMPLE,
			.begin = MAKER_BEGIN + 9000,
			.end = MAKER_BEGIN + 9000};
		record_set_THREAD_SAMPLE_metric(sample, metric);
		record_set_THREAD_SAMPLE_thread(sample, 102);
		record_set_THREAD_SAMPLE_value(sample, 1000 * metric);
	}
	maker_definitions(maker);
	maker->event = count;
	MAKER_CHECK(encoder_add_events(maker->encoder, 1, 0, records, count) == 0);
}

static uint64_t seed = 1;

static uint64_t below(uint64_t limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % limit;
}

static void define_tables(struct maker *maker)
{
	static const char *const calls[] = {"cudaMemcpyAsync", "cuLaunchKernel", "cudaMalloc"};
	static const char *const names[] = {"_ZN2at6native4fillIfEEvPT_i",
		"_ZN2at6native4fillIdEEvPT_i", "ampere_sgemm_128x64_nn"};
	maker_definitions(maker);
	for (unsigned i = 0; i < 3; i++) {
		maker_meta(maker, (struct meta){.kind = META_CALL,
					  .u.call = {2 + i, calls[i], i == 1 ? "cuda" : "cudart"}});
		maker_meta(maker, (struct meta){.kind = META_NAME, .u.name = {6 + i, names[i]}});
	}
	maker_meta(
		maker, (struct meta){.kind = META_SOURCE, .u.source = {"activity", "active", ""}});
	maker_meta(maker, (struct meta){.kind = META_DEVICE,
				  .u.device = {.id = 0,
					  .name = "Device, \"made\"",
					  .memory_bytes_per_s = 2000000000000,
					  .link_bytes_per_s = 25000000000}});
}

/* A call, now and then one that failed or was a query's answer. */
static struct record table_call(uint64_t *ns)
{
	static const uint16_t kinds[] = {RECORD_LAUNCH, RECORD_COPY, RECORD_LAUNCH, RECORD_ALLOC};
	unsigned which = (unsigned)below(4);
	struct record call = {.kind = kinds[which], .call = (uint16_t)(1 + which)};
	call.d = which == 2 ? RECORD_DRIVER : 0;
	call.begin = *ns + below(3000);
	call.end = *ns = call.begin + 500 + below(100) * below(100);
	call.place = 1 + (uint32_t)below(2);
	if (below(50) == 0)
		call.result = which == 3 ? 2 : below(2) == 0 ? 719 : 600;
	return call;
}

/* An operation of stream 7 or 8; operations of a stream follow each other. */
static struct record table_operation(uint64_t ns, uint64_t free_ns[2])
{
	unsigned stream = (unsigned)below(2), which = (unsigned)below(6);
	struct record operation = {.kind = RECORD_DEVICE_KERNEL,
		.stream = 7 + stream,
		.place = (uint32_t)below(100000)};
	operation.begin = (ns > free_ns[stream] ? ns : free_ns[stream]) + below(2000);
	operation.end = free_ns[stream] = operation.begin + 1000 + below(200) * below(200);
	if (which < 4) {
		operation.name = 6 + which % 3;
		operation.a = (1 + below(3)) | 1ull << 32 | 1ull << 48;
		operation.b = 128 | 1ull << 16 | 1ull << 32;
		operation.c = which == 3 ? 4096 : 0;
		operation.result = 32;
		return operation;
	}
	operation.kind = which == 4 ? RECORD_DEVICE_COPY : RECORD_DEVICE_SET;
	operation.a = 1000 + below(1000000);
	operation.b = which == 5 ? MEMORY_DEVICE
				 : COPY_HOST_TO_DEVICE | MEMORY_DEVICE << 16 |
					   (below(2) == 0 ? MEMORY_PAGEABLE : MEMORY_PINNED) << 8;
	return operation;
}

/* Enough calls and operations for percentiles, in the order in which a recorder has them. */
static void make_tables(struct maker *maker)
{
	enum {
		BLOCK = 200
	};
	static struct record calls[BLOCK], operations[BLOCK];
	uint64_t ns = MAKER_BEGIN, free_ns[2] = {0, 0};
	define_tables(maker);
	for (unsigned block = 0; block < 10; block++) {
		for (unsigned i = 0; i < BLOCK; i++) {
			calls[i] = table_call(&ns);
			operations[i] = table_operation(ns, free_ns);
		}
		MAKER_CHECK(encoder_add_events(maker->encoder, 1, maker->event, calls, BLOCK) == 0);
		MAKER_CHECK(encoder_add_events(
				    maker->encoder, 2, maker->event, operations, BLOCK) == 0);
		maker->event += BLOCK;
		maker_frame(maker);
	}
}

/* Which process of which run it is; the last one that is sent holds. */
static void tell_run(struct maker *maker)
{
	const char *id = getenv("RUN_ID"), *rank = getenv("RANK"), *second = getenv("SECOND");
	if (rank == NULL)
		return;
	maker_meta(maker,
		(struct meta){.kind = META_RUN,
			.u.run = {.format_version = 1,
				.host = "host",
				.pid = maker->pid,
				.role = "main",
				.rank = atol(rank),
				.world_size = atol(rank) < 0 ? -1 : 4,
				.program = "train.py",
				.begin_ns = MAKER_BEGIN,
				.begin_realtime_ns =
					second != NULL ? strtoull(second, NULL, 10) * 1000000000
						       : 0,
				.run_id = id != NULL ? id : ""}});
}

int main(int argc, char **argv)
{
	MAKER_CHECK(argc == 3);
	struct maker *maker = maker_new();
	if (strcmp(argv[1], "hostile") == 0) {
		make_hostile(maker);
	} else if (strcmp(argv[1], "crowd") == 0) {
		make_crowd(maker);
	} else if (strcmp(argv[1], "device") == 0) {
		make_device(maker);
	} else if (strcmp(argv[1], "waits") == 0) {
		make_waits(maker);
	} else if (strcmp(argv[1], "tables") == 0) {
		make_tables(maker);
	} else if (strcmp(argv[1], "run") == 0) {
		tell_run(maker);
		maker_events(maker, 1, 0, 1);
	} else if (strcmp(argv[1], "small") != 0) {
		training_make(maker, argv[1]);
	} else {
		maker_definitions(maker);
		maker_events(maker, 1, 0, 3);
		maker_frame(maker);
		maker_events(maker, 2, 0, 2);
		maker_frame(maker);
	}
	if (strcmp(argv[1], "run") != 0)
		tell_run(maker);
	maker_end(maker);
	maker_frame(maker);
	FILE *file = fopen(argv[2], "wb");
	MAKER_CHECK(file != NULL);
	MAKER_CHECK(fwrite(maker->bytes, 1, maker->size, file) == maker->size && fclose(file) == 0);
	maker_free(maker);
	return 0;
}
