/* SPDX-License-Identifier: MIT */
/*
 * Names and places of hand-made records, and the lookup that a model gets for them:
 * fixed tables in place of a reader.
 */
#ifndef TEST_UNIT_MODEL_NAMES_H
#define TEST_UNIT_MODEL_NAMES_H

#include "analyzer/read/lookup.h"
#include "test/unit/analyzer/model_texts.h"

#define PLACE_NATIVE 2000u /* places from here on are native code */
#define PLACE_HELPER 1900u /* those below that in a function of their own */

/* Ids of the calls that have a name. */
enum {
	CALL_LOAD = 30,
	CALL_UNLOAD,
	CALL_PEER,
	CALL_SYSCALL,
	CALL_CONDITION
};

/* Places that go through a package; each through another one. */
enum {
	BUILDER_THROUGH = 800,
	BUILDER_METRIC,
	BUILDER_AWAITS,
	BUILDER_GRAPH,
	BUILDER_DATA,
	BUILDER_STORAGE, /* in PyTorch's own code for what tensors hold */
	BUILDER_RANKS,   /* in that which sends to other ranks */
	BUILDER_GENEXPR, /* in an expression of main() that has a frame of its own */
	BUILDER_OWN      /* in a folder of the user's that is called torch */
};

static inline const struct meta_PLACE *place_of(const void *context, uint32_t id)
{
	static struct meta_PLACE place;
	(void)context;
	place = (struct meta_PLACE){.id = id,
		.language = id < PLACE_NATIVE ? "python" : "native",
		.file = NAME_FILE,
		.function = NAME_FUNCTION,
		.line = 10 * id,
		.user_file = NAME_FILE,
		.user_function = NAME_FUNCTION,
		.user_line = 10 * id};
	if (id >= PLACE_HELPER && id < PLACE_NATIVE)
		place.function = place.user_function = NAME_HELPER;
	if (id == BUILDER_STORAGE)
		place.file = NAME_STORAGE;
	if (id == BUILDER_RANKS)
		place.file = NAME_RANKS;
	if (id == BUILDER_GENEXPR)
		place.function = place.user_function = NAME_GENEXPR;
	if (id == BUILDER_OWN)
		place.file = place.user_file = NAME_OWN_FILE;
	if (id < BUILDER_THROUGH || id > BUILDER_DATA)
		return &place;
	/* one line of the program, through lines of two packages */
	place.line = place.user_line = 10 * BUILDER_THROUGH;
	const uint32_t files[] = {
		NAME_TRAINER, NAME_METRIC, NAME_ARRAY, NAME_GRAPH_FILE, NAME_DATA_FILE};
	place.library_file = files[id - BUILDER_THROUGH];
	place.library_function = id == BUILDER_METRIC ? NAME_FUNCTION : NAME_LOGGING;
	place.library_line = id;
	return &place;
}

#endif
