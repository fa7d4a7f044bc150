/* SPDX-License-Identifier: MIT */
/*
 * What the model asks about the ids in records: texts, places, stacks and functions. The
 * report answers from a reader, unit tests from tables, so that the model can be
 * tested on records made by hand.
 *
 * Answers stay valid while the model lives. Unknown ids give "" or NULL.
 */
#ifndef ANALYZER_LOOKUP_H
#define ANALYZER_LOOKUP_H

#include "collector/format/definition.h"

struct lookup {
	const void *context;
	const char *(*text)(const void *context, uint32_t id);
	const struct meta_PLACE *(*place)(const void *context, uint32_t id);
	const char *(*call)(const void *context, uint16_t id);
	/* the system's id of a thread; NULL: ids are those */
	uint64_t (*tid)(const void *context, uint32_t thread);
	const struct meta_STACK *(*stack)(
		const void *context, uint32_t id); /* NULL: there are none */
	/* by our id; NULL: not asked for */
	const struct meta_THREAD *(*thread)(const void *context, uint32_t id);
};

static inline const char *lookup_text(const struct lookup *lookup, uint32_t id)
{
	return lookup->text(lookup->context, id);
}

static inline const struct meta_PLACE *lookup_place(const struct lookup *lookup, uint32_t id)
{
	return lookup->place(lookup->context, id);
}

static inline const char *lookup_call(const struct lookup *lookup, uint16_t id)
{
	return lookup->call(lookup->context, id);
}

static inline const struct meta_STACK *lookup_stack(const struct lookup *lookup, uint32_t id)
{
	return lookup->stack != NULL && id != 0 ? lookup->stack(lookup->context, id) : NULL;
}

static inline uint64_t lookup_tid(const struct lookup *lookup, uint32_t thread)
{
	return lookup->tid != NULL ? lookup->tid(lookup->context, thread) : thread;
}

#endif
