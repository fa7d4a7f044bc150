/* SPDX-License-Identifier: MIT */
/*
 * A model that a thread makes beside who reads is the one that is made where there is no thread,
 * also where definitions come and change while records do.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/run/process.h"
#include "test/unit/analyzer/trace_maker.h"

#define FRAMES 15u
#define BLOCKS 30u
#define EVENTS 250u
#define NAME   40u /* id of the one that each frame calls otherwise */

static void name(struct maker *maker, uint64_t id, const char *text)
{
	maker_meta(maker, (struct meta){.kind = META_NAME, .u.name = {.id = id, .text = text}});
}

/* A block of launches, operations of the device and operators; kernels have names of the frame. */
static void add_block(struct maker *maker, unsigned frame, unsigned block, uint64_t first)
{
	struct record records[EVENTS];
	for (unsigned i = 0; i < EVENTS; i++) {
		records[i] = maker_record(maker->event++);
		records[i].name = i % 3 == 0 ? NAME : NAME + 1 + frame;
		if (block % 3 == 1)
			records[i].kind = RECORD_DEVICE_KERNEL;
		if (block % 3 == 2)
			records[i].kind = RECORD_OP;
		if (block % 3 == 0 && i % 50 == 0)
			records[i].kind = RECORD_SYNC;
	}
	uint32_t thread = 1 + block % 3;
	MAKER_CHECK(encoder_add_events(maker->encoder, thread, first, records, EVENTS) == 0);
}

/* Large enough for threads: behind the last frame is nothing that can be read. */
static int make(char *path, size_t size)
{
	struct maker *maker = maker_new();
	char text[64];
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		maker_definitions(maker);
		for (unsigned block = 0; block < BLOCKS; block++) {
			if (block % 10 == 0) {
				(void)snprintf(text, sizeof(text), "%s_%u_%u",
					frame % 2 == 0 ? "ncclKernel" : "gemm", frame, block);
				name(maker, NAME, text);
				name(maker, NAME + 1 + frame, text);
			}
			add_block(maker, frame, block,
				(uint64_t)(frame * BLOCKS + block) / 3 * EVENTS);
		}
		if (frame + 1 == FRAMES)
			maker_end(maker);
		maker_frame(maker);
	}
	int fd = maker_file(maker->bytes, maker->size, path, size);
	MAKER_CHECK(ftruncate(fd, READER_AHEAD_BYTES) == 0);
	maker_free(maker);
	return fd;
}

static struct process read_process(const char *path, bool crowded)
{
	const struct process_options options = {
		.to_ns = UINT64_MAX, .crowded = crowded, .counts = true, .history = true};
	struct process process;
	struct err_at at = {0};
	cr_assert(eq(int, process_init(&process, path, &options, &at), 0));
	cr_assert(process.beside == NULL);
	return process;
}

static void compare(const struct model *model, const struct model *other)
{
	cr_assert(eq(u64, model->events, (uint64_t)FRAMES * BLOCKS * EVENTS));
	cr_assert(eq(u64, model->events, other->events));
	cr_assert(memcmp(model->kinds, other->kinds, sizeof(model->kinds)) == 0);
	cr_assert(memcmp(model->matched_ops, other->matched_ops, sizeof(model->matched_ops)) == 0);
	cr_assert(eq(u64, model->steps.count, other->steps.count));
	cr_assert(eq(u64, model->measured, other->measured));
	cr_assert(eq(u64, model->waits, other->waits));
	cr_assert(eq(u64, model->waited_ns, other->waited_ns));
	cr_assert(eq(u64, model->kept_up, other->kept_up));
	cr_assert(eq(u64, model->late_operations, other->late_operations));
	cr_assert(eq(u64, model->sweep.at_ns, other->sweep.at_ns));
	cr_assert(memcmp(model->device->free_ns, other->device->free_ns,
			  sizeof(model->device->free_ns)) == 0);
	cr_assert(memcmp(&model->pace.kernels, &other->pace.kernels, sizeof(uint64_t)) == 0);
}

Test(made_beside, is_the_same_model)
{
	char path[64];
	int fd = make(path, sizeof(path));
	struct process alone = read_process(path, true);
	for (unsigned i = 0; i < 5; i++) {
		struct process beside = read_process(path, false);
		compare(beside.model, alone.model);
		cr_assert(eq(u64, beside.facts->runs, alone.facts->runs));
		cr_assert(eq(u64, beside.facts->kernel_ns, alone.facts->kernel_ns));
		cr_assert(eq(u64, beside.late, alone.late));
		cr_assert(eq(sz, beside.facts->names.count, alone.facts->names.count));
		process_release(&beside);
	}
	process_release(&alone);
	(void)close(fd);
}

/* What is known of an id when a change is told, and how often that was. */
struct told {
	const struct reader *reader;
	char known[64];
	unsigned count;
};

static void look(void *context)
{
	struct told *told = context;
	(void)snprintf(told->known, sizeof(told->known), "%s", reader_text(told->reader, NAME));
	told->count++;
}

Test(made_beside, is_told_of_a_definition_before_it_is_known)
{
	char path[64], before[64] = "";
	int fd = make(path, sizeof(path));
	struct reader *reader;
	struct item item = {.type = ITEM_META};
	unsigned changes = 0;
	cr_assert(eq(int, reader_open(path, &reader, NULL), 0));
	struct told told = {.reader = reader};
	reader_tell_changes(reader, look, &told);
	while (item.type != ITEM_END) {
		unsigned count = told.count;
		cr_assert(eq(int, reader_next(reader, &item, NULL), 0));
		if (strcmp(before, reader_text(reader, NAME)) == 0)
			continue;
		cr_assert(told.count > count);
		cr_assert(eq(str, told.known, before));
		(void)snprintf(before, sizeof(before), "%s", reader_text(reader, NAME));
		changes++;
	}
	cr_assert(eq(u32, changes, FRAMES * BLOCKS / 10));
	reader_tell_changes(reader, NULL, NULL);
	reader_close(reader);
	(void)close(fd);
}
