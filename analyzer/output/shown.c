/* SPDX-License-Identifier: MIT */
#include "analyzer/output/shown.h"

static const char *text_of(const void *context, uint32_t id)
{
	struct shown *shown = (struct shown *)context;
	return demangle_text(&shown->cache, shown->reader, id);
}

static const struct meta_PLACE *place_of(const void *context, uint32_t id)
{
	const struct shown *shown = context;
	return reader_place(shown->reader, id);
}

static const char *call_of(const void *context, uint16_t id)
{
	const struct shown *shown = context;
	return reader_call(shown->reader, id);
}

static const struct meta_THREAD *thread_of(const void *context, uint32_t id)
{
	const struct shown *shown = context;
	return reader_thread(shown->reader, id);
}

void shown_begin(struct shown *shown, const struct process *process, enum demangle_how how)
{
	*shown = (struct shown){.reader = process->reader,
		.cache = {.how = how},
		.lookup = {shown, text_of, place_of, .call = call_of, .thread = thread_of}};
}

void shown_release(struct shown *shown)
{
	demangle_cache_release(&shown->cache);
}
