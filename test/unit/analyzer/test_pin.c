/* SPDX-License-Identifier: MIT */
/* What samples of stacks say of the thread that pins batches. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/facts/hot.h"
#include "collector/format/fields.h"

/* Files by number; a place is its file's, and so is a stack, which the next one called. */
static const char *const files[] = {"", "/lib/multiprocessing/connection.py",
	"/lib/multiprocessing/queues.py", "/torch/utils/data/_utils/pin_memory.py",
	"/lib/threading.py", "/lib/queue.py", "/torch/utils/data/_utils/pin_memory.py",
	"/torch/_tensor.py", "/torch/utils/data/_utils/pin_memory.py", "train.py"};

static const char *text(const void *context, uint32_t id)
{
	(void)context;
	return files[id];
}

static const struct meta_PLACE *place(const void *context, uint32_t id)
{
	static struct meta_PLACE found[10];
	(void)context;
	found[id] = (struct meta_PLACE){.language = "python", .file = id, .line = 7};
	return id == 0 ? NULL : &found[id];
}

static const struct meta_STACK *stack(const void *context, uint32_t id)
{
	static struct meta_STACK found;
	(void)context;
	bool is_last = id == 3 || id == 6 || id == 8 || id == 9;
	found = (struct meta_STACK){.id = id, .place = id, .caller = is_last ? 0 : id + 1};
	return &found;
}

static void sample(struct pin *pin, uint32_t id, uint64_t at_ns)
{
	const struct lookup lookup = {.text = text, .place = place, .stack = stack};
	struct record record = {.kind = RECORD_STACK, .begin = at_ns, .end = at_ns, .place = id};
	record_set_STACK_stack(&record, id);
	pin_add(pin, &lookup, &record);
}

Test(pin, waits_for_workers_and_for_the_loop_are_told_apart)
{
	struct pin pin = {.samples = 0};
	for (uint64_t i = 0; i < 10; i++)
		sample(&pin, i < 3 ? 1 : i < 5 ? 4 : 7, 100 + i);
	sample(&pin, 9, 500); /* another thread */
	sample(&pin, 0, 501);
	cr_expect(eq(u64, pin.samples, 10));
	cr_expect(eq(u64, pin.starved, 3));
	cr_expect(eq(u64, pin.full, 2));
	cr_expect(pin.begin_ns == 100 && pin.end_ns == 109);
}

/* A worker that its parent forked at train.py:12; what is in it is called by a process.py. */
enum {
	PLACE_PARENT = 1, /* train.py:12 */
	PLACE_BEGIN,      /* process.py */
	PLACE_DATA_SET,   /* train.py:40 */
	PLACE_DECODES,    /* Image.py, with train.py:40 as the program's line */
	PLACE_READS, /* shards.py, with train.py:12, since none of the worker's is the program's */
	PLACE_ALL
};

static const char *forked_text(const void *context, uint32_t id)
{
	static const char *const paths[PLACE_ALL] = {"", "train.py",
		"/lib/multiprocessing/process.py", "train.py", "/site-packages/PIL/Image.py",
		"/site-packages/wds/shards.py"};
	(void)context;
	return paths[id];
}

static const struct meta_PLACE *forked_place(const void *context, uint32_t id)
{
	static const struct meta_PLACE places[PLACE_ALL] = {
		[PLACE_PARENT] = {.file = PLACE_PARENT, .line = 12},
		[PLACE_BEGIN] = {.file = PLACE_BEGIN, .line = 5},
		[PLACE_DATA_SET] = {.file = PLACE_PARENT, .line = 40},
		[PLACE_DECODES] = {.file = PLACE_DECODES,
			.line = 30,
			.user_file = PLACE_PARENT,
			.user_line = 40},
		[PLACE_READS] = {.file = PLACE_READS,
			.line = 77,
			.user_file = PLACE_PARENT,
			.user_line = 12}};
	static struct meta_PLACE found[PLACE_ALL];
	(void)context;
	found[id] = places[id];
	found[id].language = "python";
	return id == 0 ? NULL : &found[id];
}

static const struct meta_STACK *forked_stack(const void *context, uint32_t id)
{
	static const uint32_t callers[PLACE_ALL] = {
		0, 0, PLACE_PARENT, PLACE_BEGIN, PLACE_DATA_SET, PLACE_BEGIN};
	static struct meta_STACK found;
	(void)context;
	found = (struct meta_STACK){.id = id, .place = id, .caller = callers[id]};
	return id == 0 ? NULL : &found;
}

static uint64_t hot_line(uint32_t id)
{
	const struct lookup lookup = {
		.text = forked_text, .place = forked_place, .stack = forked_stack};
	struct record record = {.kind = RECORD_STACK, .place = id};
	struct hot hot = {.samples = 0};
	record_set_STACK_stack(&record, id);
	hot_add(&hot, &lookup, &record);
	return hot_most(&hot)->line;
}

Test(pin, lines_of_the_parent_are_no_forked_workers_own)
{
	cr_expect(eq(u64, hot_line(PLACE_DECODES), 40));
	cr_expect(eq(u64, hot_line(PLACE_DATA_SET), 40));
	cr_expect(eq(u64, hot_line(PLACE_READS), 77));
}
