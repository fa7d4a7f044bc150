/* SPDX-License-Identifier: MIT */
/*
 * The part of trace_maker.h that puts definitions and states into a made trace: a run, a call,
 * five names, two places and two threads, and the map that ends it. Which is which follows from
 * the ids alone, so that a test can say what it expects.
 */
#ifndef TEST_UNIT_TRACE_MAKER_META_H
#define TEST_UNIT_TRACE_MAKER_META_H

#include <stdbool.h>

/*
 * STRANGER in the environment stands for the texts of all maps, but for those that say what state a
 * source is in; for those too with STRANGER_STATES.
 */
static inline bool maker_keeps(const struct meta *meta)
{
	if (meta->kind == META_NAME) /* what steps are found by */
		return strncmp(meta->u.name.text, "Optimizer.", strlen("Optimizer.")) == 0 ||
		       strcmp(meta->u.name.text, "activity") == 0;
	return meta->kind == META_SOURCE && getenv("STRANGER_STATES") == NULL;
}

static inline void maker_estrange(struct meta *meta)
{
	const char *stranger = getenv("STRANGER");
	if (stranger == NULL || maker_keeps(meta))
		return;
	/* clang-format off */
	switch (meta->kind) {
#define META(KIND, name, flag, text) case META_##KIND: {
#define META_TEXT(KIND, field) ((struct meta_##KIND *)&meta->u)->field = stranger;
#define META_END(KIND) break; }
#include "collector/format/meta.def"
	default: break;
	}
	/* clang-format on */
}

static inline void maker_meta(struct maker *maker, struct meta meta)
{
	maker_estrange(&meta);
	MAKER_CHECK(encoder_add_meta(maker->encoder, &meta) == 0);
}

static inline void maker_definitions(struct maker *maker)
{
	static const char *const names[] = {
		"kernel_a", "kernel_b", "_Z8kernel_cPf", "train.py", "main"};
	maker_meta(maker, (struct meta){.kind = META_RUN,
				  .u.run = {.format_version = 1,
					  .tool_version = "test",
					  .host = "host",
					  .pid = maker->pid,
					  .role = "main",
					  .rank = 3,
					  .world_size = 4,
					  .program = "train.py",
					  .command = "python train.py",
					  .executable = "",
					  .directory = "",
					  .begin_ns = MAKER_BEGIN,
					  .clock = "monotonic",
					  .ring_memory = "file"}});
	maker_meta(maker,
		(struct meta){.kind = META_CALL, .u.call = {1, "cudaLaunchKernel", "cudart"}});
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		maker_meta(maker, (struct meta){.kind = META_NAME, .u.name = {i + 1, names[i]}});
	for (unsigned i = 1; i <= 2; i++) {
		maker_meta(maker, (struct meta){.kind = META_PLACE,
					  .u.place = {.id = i,
						  .language = "python",
						  .file = 4,
						  .function = 5,
						  .line = 10 + i,
						  .user_file = 4,
						  .user_function = 5,
						  .user_line = 10 + i}});
		maker_meta(maker,
			(struct meta){.kind = META_THREAD, .u.thread = {i, 100 + i, "worker"}});
	}
}

static inline void maker_end(struct maker *maker)
{
	maker_meta(maker, (struct meta){.kind = META_END,
				  .u.end = {.reason = "exit",
					  .end_ns = MAKER_BEGIN + maker->event * 1000,
					  .events = maker->event,
					  .frames = maker->sequence + 1}});
}

#endif
