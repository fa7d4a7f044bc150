/* SPDX-License-Identifier: MIT */
/*
 * What a process takes in memory, all that reads and counts together, does not grow with its
 * records where nothing is launched, and little with its threads, of which a program may make many.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <malloc.h>

#include "analyzer/run/process.h"
#include "test/unit/analyzer/trace_maker.h"

#define BLOCK   250u
#define PLACES  40u
#define THREADS 100000u

static int file = -1;
static char path[64];

/* What the maker holds goes to the file. */
static void flush(struct maker *maker)
{
	if (encoder_size(maker->encoder) == 0)
		return;
	maker_frame(maker);
	MAKER_CHECK(write(file, maker->bytes, maker->size) == (ssize_t)maker->size);
	maker->size = maker->frames = 0;
}

static void add(struct maker *maker, uint32_t thread, uint64_t first, const struct record *records,
	unsigned count)
{
	if (encoder_add_events(maker->encoder, thread, first, records, count) == 0)
		return;
	flush(maker);
	MAKER_CHECK(encoder_add_events(maker->encoder, thread, first, records, count) == 0);
}

static struct maker *begin(void)
{
	struct maker *maker = maker_new();
	file = memfd_create("trace", MFD_CLOEXEC);
	MAKER_CHECK(file >= 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	maker_definitions(maker);
	return maker;
}

static void finish(struct maker *maker)
{
	maker_end(maker);
	flush(maker);
	maker_free(maker);
}

/* Memory that the process holds once all is read. */
static size_t held_with(uint64_t events, uint32_t tables)
{
	const struct process_options options = {.to_ns = UINT64_MAX,
		.crowded = true,
		.counts = true,
		.history = true,
		.tables = tables};
	struct mallinfo2 before = mallinfo2();
	struct process process;
	cr_assert(eq(int, process_init(&process, path, &options, NULL), 0));
	struct mallinfo2 after = mallinfo2();
	cr_assert(eq(u64, process.model->events, events));
	process_release(&process);
	(void)close(file);
	return after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
}

static size_t held(uint64_t events)
{
	return held_with(events, 0);
}

/* A call of a program that has no kernels: sets, allocations, copies, events, queries and syncs. */
static struct record call_without_launch(uint64_t n)
{
	static const uint16_t kinds[] = {RECORD_SET, RECORD_ALLOC, RECORD_SET, RECORD_COPY,
		RECORD_EVENT, RECORD_SET, RECORD_STREAM, RECORD_ALLOC, RECORD_CALL, RECORD_SET};
	struct record record = maker_record(n);
	record.kind = kinds[n % 10];
	record.place = 1 + (uint32_t)(n % PLACES);
	record.name = 0;
	record.a = 1024 << n % 8;
	record.b = 0x7f0000000000 + (n % 512 << 20);
	record.d = n % 20 < 10 ? RECORD_CREATE : RECORD_DESTROY;
	if (n % 100000 == 99999)
		record.kind = RECORD_SYNC;
	return record;
}

static size_t held_without_launches(uint64_t count)
{
	struct record records[BLOCK];
	struct maker *maker = begin();
	for (uint64_t n = 0; n < count; n += BLOCK) {
		for (unsigned i = 0; i < BLOCK; i++)
			records[i] = call_without_launch(n + i);
		add(maker, 1, n, records, BLOCK);
	}
	finish(maker);
	return held(count);
}

/* Some MiB, whatever there is of them. */
Test(bounded, calls_without_launches)
{
	size_t few = held_without_launches(500000), many = held_without_launches(1500000);
	cr_expect(lt(sz, few, 24u << 20));
	cr_expect(lt(sz, many > few ? many - few : 0, 8u << 20));
}

static size_t held_by_threads(const char *budget)
{
	struct maker *maker = begin();
	uint64_t n = 0;
	if (budget != NULL)
		maker_meta(maker, (struct meta){.kind = META_SETTING,
					  .u.setting = {"LIBTRACE_BUDGET", budget}});
	for (uint32_t thread = 1; thread <= THREADS; thread++) {
		struct record records[3];
		for (unsigned i = 0; i < 3; i++)
			records[i] = maker_record(n++);
		records[2].kind = RECORD_OP;
		records[2].begin = records[0].begin;
		add(maker, thread, 0, records, 3);
	}
	finish(maker);
	return held(n);
}

/* Less than one KiB each; of what takes more only so many have it. */
Test(bounded, very_many_threads)
{
	cr_expect(lt(sz, held_by_threads(NULL), 88u << 20));
	cr_expect(lt(sz, held_by_threads("3%"), 116u << 20));
}

/* A kernel, an operator and a range of the program, each of a name and at a place of its own. */
static size_t held_by_names(uint32_t count, uint32_t tables)
{
	struct maker *maker = begin();
	for (uint32_t i = 0; i < count; i++) {
		char text[24];
		uint32_t id = 100 + i;
		(void)snprintf(text, sizeof(text), "kernel_%u", i);
		maker_meta(maker,
			(struct meta){.kind = META_NAME, .u.name = {.id = id, .text = text}});
		maker_meta(maker, (struct meta){.kind = META_PLACE,
					  .u.place = {.id = id,
						  .language = "python",
						  .user_file = 1,
						  .user_line = id,
						  .file = 1,
						  .line = id}});
		struct record records[3];
		for (unsigned k = 0; k < 3; k++) {
			records[k] = maker_record(3 * (uint64_t)i + k);
			records[k].name = records[k].place = id;
		}
		records[1].kind = RECORD_OP;
		records[2].kind = RECORD_RANGE;
		add(maker, 1, 3 * (uint64_t)i, records, 3);
		if (i % 500 == 499)
			flush(maker);
	}
	finish(maker);
	return held_with(3 * (uint64_t)count, tables);
}

/* A name and a place are kept as they were defined, and little beside; in tables only so many. */
Test(bounded, very_many_names)
{
	static const struct {
		uint32_t tables, each, all;
	} most[] = {{0, 325, 38u << 20}, {TABLES_ALL, 368, 62u << 20}};
	const uint32_t few = 20000, many = 60000;
	for (unsigned i = 0; i < 2; i++) {
		size_t first = held_by_names(few, most[i].tables);
		size_t second = held_by_names(many, most[i].tables);
		cr_expect(lt(sz, (second - first) / (many - few), most[i].each));
		cr_expect(lt(sz, first, most[i].all));
	}
}
