/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/export/forms/forms.h"
#include "analyzer/export/forms/frames.h"
#include "analyzer/export/forms/texts.h"
#include "analyzer/text/safe.h"
#include "collector/format/fields.h"

/*
 * Folded stacks, one line each: names from the outermost to the innermost with semicolons between
 * them, a blank, and nanoseconds. Host time: under "host" and the thread's name the operators,
 * ranges and calls that lie within each other, each with the time that none inside has. Device
 * time: under "device" the place of the program, the call and what the device ran for it.
 */
#define OPEN_LIMIT 4096u      /* frames of a thread that may still get an outer one */
#define FLOWS      (1u << 17) /* calls that operations may still come from; power of two */
#define LINE_BYTES 600u

/* A frame that has ended and that nothing surrounds so far. */
struct open {
	uint64_t begin_ns, end_ns;
	uint32_t frame;
};

struct thread {
	uint32_t name;
	VEC(struct open) open;
};

struct folded {
	struct out *out;
	struct body *body;
	struct field_names names;
	struct body_source source;
	struct texts texts;
	struct frames frames;
	uint32_t host, device;
	struct idmap threads; /* by number of the track; owned */
	struct {
		uint64_t flow;
		uint32_t place, call; /* names */
	} * flows;
};

static void folded_free(void *writer)
{
	struct folded *folded = writer;
	if (folded == NULL)
		return;
	for (size_t i = 0; i < folded->threads.capacity; i++) {
		struct thread *thread = folded->threads.entries[i].value;
		if (thread != NULL)
			vec_release(&thread->open);
		free(thread);
	}
	idmap_release(&folded->threads);
	body_free(folded->body);
	demangle_cache_release(&folded->names.cache);
	texts_release(&folded->texts);
	frames_release(&folded->frames);
	free(folded->flows);
	free(folded);
}

static void make_nothing(const struct body_source *source, struct out *out,
	const struct record *record, bool on_device)
{
	(void)source, (void)out, (void)record, (void)on_device;
}

static void *folded_new(struct out *out, uint64_t begin_ns, enum demangle_how how)
{
	struct folded *folded = calloc(1, sizeof(*folded));
	(void)begin_ns;
	if (folded == NULL)
		return NULL;
	folded->out = out;
	folded->names.cache.how = how;
	folded->source.names = &folded->names;
	folded->body = body_new(how, make_nothing, NULL);
	folded->flows = calloc(FLOWS, sizeof(*folded->flows));
	bool whole =
		folded->body != NULL && folded->flows != NULL && frames_init(&folded->frames) == 0;
	if (whole) {
		folded->host = frames_new(&folded->frames, texts_add(&folded->texts, "host"), 0);
		folded->device =
			frames_new(&folded->frames, texts_add(&folded->texts, "device"), 0);
		whole = folded->host != FRAMES_NONE && folded->device != FRAMES_NONE;
	}
	if (!whole) {
		folded_free(folded);
		return NULL;
	}
	return folded;
}

static void folded_begin_file(void *writer, struct reader *reader, const struct remarks *remarks)
{
	struct folded *folded = writer;
	folded->names.reader = reader;
	body_begin_file(folded->body, reader, remarks);
}

/* The oldest open frames of a thread get no outer one any more. */
static void settle(struct folded *folded, struct thread *thread, size_t count)
{
	uint32_t root = frames_new(&folded->frames, thread->name, 0);
	for (size_t i = 0; i < count && root != FRAMES_NONE; i++)
		frames_put(&folded->frames, root, thread->open.items[i].frame);
	if (root != FRAMES_NONE)
		frames_put(&folded->frames, folded->host, root);
	if (thread->open.count > count)
		memmove(thread->open.items, thread->open.items + count,
			(thread->open.count - count) * sizeof(thread->open.items[0]));
	thread->open.count -= count;
}

static void folded_end_file(void *writer)
{
	struct folded *folded = writer;
	for (size_t i = 0; i < folded->threads.capacity; i++) {
		struct thread *thread = folded->threads.entries[i].value;
		if (thread != NULL)
			settle(folded, thread, thread->open.count);
	}
	body_end_file(folded->body);
	demangle_cache_release(&folded->names.cache);
	folded->names.reader = NULL;
}

static void folded_process(void *writer, const struct timeline_process *process)
{
	(void)writer, (void)process;
}

static void folded_track(void *writer, const struct timeline_track *track)
{
	struct folded *folded = writer;
	struct thread *thread = idmap_get(&folded->threads, (uint32_t)track->number);
	if (thread == NULL) {
		thread = calloc(1, sizeof(*thread));
		if (thread == NULL ||
			idmap_set(&folded->threads, (uint32_t)track->number, thread) < 0) {
			free(thread);
			return;
		}
	}
	thread->name = texts_add(&folded->texts, track->name[0] != '\0' ? track->name : "thread");
}

/* A frame around those that lie within it; without room for it they stay what they are. */
static void put_host(struct folded *folded, const struct timeline_slice *slice, uint32_t name)
{
	const struct record *record = slice->record;
	struct thread *thread = idmap_get(&folded->threads, (uint32_t)slice->track->number);
	uint32_t frame = thread != NULL ? frames_new(&folded->frames, name, 0) : FRAMES_NONE;
	if (frame == FRAMES_NONE)
		return;
	uint64_t inside_ns = 0;
	size_t count = thread->open.count;
	for (; count > 0 && thread->open.items[count - 1].begin_ns >= record->begin; count--) {
		const struct open *inner = &thread->open.items[count - 1];
		inside_ns += inner->end_ns - inner->begin_ns;
		frames_put(&folded->frames, frame, inner->frame);
	}
	thread->open.count = count;
	folded->frames.items.items[frame].self_ns = record->end - record->begin - inside_ns;
	if (thread->open.count >= OPEN_LIMIT)
		settle(folded, thread, OPEN_LIMIT / 2);
	const struct open open = {record->begin, record->end, frame};
	(void)vec_push(&thread->open, open);
}

static uint32_t place_name(struct folded *folded, uint32_t id)
{
	const struct reader *reader = folded->names.reader;
	const struct meta_PLACE *place = reader_place(reader, id);
	char text[LINE_BYTES];
	if (place == NULL)
		return texts_add(&folded->texts, "place not known");
	bool user = place->user_file != 0;
	snprintf(text, sizeof(text), "%.200s (%.250s:%" PRIu64 ")",
		reader_text(reader, (uint32_t)(user ? place->user_function : place->function)),
		reader_text(reader, (uint32_t)(user ? place->user_file : place->file)),
		user ? place->user_line : place->line);
	return texts_add(&folded->texts, text);
}

static void put_device(struct folded *folded, const struct timeline_slice *slice, uint32_t name)
{
	const struct record *record = slice->record;
	const struct timeline_origin *origin = slice->origin;
	uint64_t flow = origin != NULL ? origin->flow : 0;
	bool known = flow != 0 && folded->flows[flow & (FLOWS - 1)].flow == flow;
	uint32_t unknown = texts_add(&folded->texts, "call not known");
	const uint32_t path[] = {known ? folded->flows[flow & (FLOWS - 1)].call : unknown,
		known ? folded->flows[flow & (FLOWS - 1)].place : unknown};
	uint32_t inner = frames_new(&folded->frames, name, record->end - record->begin);
	for (unsigned i = 0; i < 2 && inner != FRAMES_NONE; i++) {
		uint32_t outer = frames_new(&folded->frames, path[i], 0);
		if (outer != FRAMES_NONE)
			frames_put(&folded->frames, outer, inner);
		inner = outer != FRAMES_NONE ? outer : inner;
	}
	if (inner != FRAMES_NONE)
		frames_put(&folded->frames, folded->device, inner);
}

static void folded_slice(void *writer, const struct timeline_slice *slice)
{
	struct folded *folded = writer;
	const struct record *record = slice->record;
	struct row_key key;
	char title[BODY_TITLE_BYTES];
	if (slice->flow == 0 && record->end <= record->begin)
		return;
	uint32_t name = texts_add(&folded->texts, body_title(&folded->source, record, title));
	if (slice->flow != 0) {
		folded->flows[slice->flow & (FLOWS - 1)].flow = slice->flow;
		folded->flows[slice->flow & (FLOWS - 1)].call = name;
		folded->flows[slice->flow & (FLOWS - 1)].place = place_name(folded, record->place);
	}
	if (record->end <= record->begin)
		return;
	if (!slice->on_device)
		put_host(folded, slice, name);
	else if (row_of(record, &key) && key.class == ROW_STREAM)
		put_device(folded, slice, name);
}

static void folded_span(void *writer, const struct timeline_span *span)
{
	(void)writer, (void)span;
}

static void folded_counter(void *writer, const struct timeline_counter *counter)
{
	(void)writer, (void)counter;
}

static void put_lines(struct folded *folded, uint32_t *path, unsigned depth, uint32_t frame)
{
	const struct frame *at = &folded->frames.items.items[frame];
	path[depth] = at->name;
	if (at->self_ns > 0) {
		for (unsigned i = 0; i <= depth; i++) {
			if (i > 0)
				out_char(folded->out, ';');
			safe_frame(folded->out, texts_get(&folded->texts, path[i]));
		}
		out_char(folded->out, ' ');
		out_u64(folded->out, at->self_ns);
		out_char(folded->out, '\n');
	}
	for (uint32_t child = at->child; child != FRAMES_NONE;
		child = folded->frames.items.items[child].next)
		put_lines(folded, path, depth + 1, child);
}

static void folded_finish(void *writer)
{
	struct folded *folded = writer;
	uint32_t path[FRAMES_DEPTH * 2];
	put_lines(folded, path, 0, folded->host);
	put_lines(folded, path, 0, folded->device);
}

static const struct body *folded_body(const void *writer)
{
	const struct folded *folded = writer;
	return folded->body;
}

const struct timeline_writer writer_folded = {.name = "folded",
	.new = folded_new,
	.free = folded_free,
	.begin_file = folded_begin_file,
	.end_file = folded_end_file,
	.process = folded_process,
	.track = folded_track,
	.slice = folded_slice,
	.span = folded_span,
	.counter = folded_counter,
	.finish = folded_finish,
	.body = folded_body};
