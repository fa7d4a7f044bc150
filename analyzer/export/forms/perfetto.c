/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "analyzer/export/forms/forms.h"
#include "analyzer/export/forms/perfetto_body.h"
#include "analyzer/export/forms/proto.h"
#include "analyzer/text/safe.h"
#include "collector/format/fields.h"

/* Fields of TracePacket, TrackEvent and TrackDescriptor. */
enum {
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,
	EVENT_ARGUMENT = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY_TEXT = 22,
	EVENT_NAME_TEXT = 23,
	EVENT_DOUBLE = 44,
	EVENT_FLOW = 47,
	EVENT_LAST_FLOW = 48,
	TRACK_NUMBER = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_ORDERING = 11,
	TRACK_ORDER = 12
};

enum event_type {
	SLICE_BEGIN = 1,
	SLICE_END = 2,
	INSTANT = 3,
	COUNTER = 4
};

#define CLEARED       1u /* flags of a packet: nothing came before */
#define NEEDS         2u /* what came before is needed */
#define PROCESS_TRACK (1ull << 40)
#define COUNTER_TRACK (1ull << 41)
#define ROOM          512u /* of a packet without its body */
#define TEXTS_ROOM    (4u * PERFETTO_TEXT_LIMIT)

/* A Perfetto trace (protobuf), times as they are: CLOCK_MONOTONIC. */
struct perfetto {
	struct out *out;
	struct body *body;
	struct perfetto_names names;
	uint32_t columns[RECORD_KIND_LIMIT][BODY_COLUMNS]; /* numbers of their names */
	uint64_t process, pid;                             /* its track and number */
	VEC(uint64_t) counters; /* of the process in work: their names' numbers */
};

static void perfetto_free(void *writer)
{
	struct perfetto *perfetto = writer;
	if (perfetto == NULL)
		return;
	body_free(perfetto->body);
	perfetto_names_release(&perfetto->names);
	vec_release(&perfetto->counters);
	free(perfetto);
}

static void *perfetto_new(struct out *out, uint64_t begin_ns, enum demangle_how how)
{
	struct perfetto *perfetto = calloc(1, sizeof(*perfetto));
	(void)begin_ns;
	if (perfetto == NULL)
		return NULL;
	perfetto->out = out;
	perfetto->body = body_new(how, perfetto_body, &perfetto->names);
	if (perfetto->body == NULL || perfetto_names_init(&perfetto->names, out) < 0) {
		perfetto_free(perfetto);
		return NULL;
	}
	char bytes[ROOM];
	char *end = proto_u64(
		proto_u64(bytes, PACKET_SEQUENCE, PERFETTO_SEQUENCE), PACKET_FLAGS, CLEARED);
	perfetto_packet(out, bytes, (size_t)(end - bytes));
	for (unsigned kind = 0; kind < RECORD_KIND_LIMIT; kind++) {
		const struct record_field *const *columns = body_columns(perfetto->body, kind);
		for (unsigned i = 0; columns[i] != NULL; i++)
			perfetto->columns[kind][i] = perfetto_name(
				&perfetto->names, PERFETTO_ARGUMENT_NAME, columns[i]->name);
	}
	return perfetto;
}

static void perfetto_begin_file(void *writer, struct reader *reader, const struct remarks *remarks)
{
	struct perfetto *perfetto = writer;
	body_begin_file(perfetto->body, reader, remarks);
	perfetto->counters.count = 0;
}

static void perfetto_end_file(void *writer)
{
	struct perfetto *perfetto = writer;
	body_end_file(perfetto->body);
}

static void put_descriptor(struct perfetto *perfetto, const char *message, size_t size)
{
	char bytes[TEXTS_ROOM];
	char *cursor = proto_u64(bytes, PACKET_SEQUENCE, PERFETTO_SEQUENCE);
	cursor = proto_bytes(cursor, PACKET_TRACK, message, size);
	perfetto_packet(perfetto->out, bytes, (size_t)(cursor - bytes));
}

static char *put_clean(char *cursor, unsigned field, const char *text)
{
	char copy[PERFETTO_TEXT_LIMIT];
	return proto_bytes(cursor, field, copy, safe_utf8(text, copy, sizeof(copy)));
}

static void perfetto_process(void *writer, const struct timeline_process *process)
{
	struct perfetto *perfetto = writer;
	char message[PERFETTO_TEXT_LIMIT + ROOM];
	perfetto->process = PROCESS_TRACK + process->number;
	char *cursor = proto_u64(message, TRACK_NUMBER, perfetto->process);
	char *inner = proto_begin(cursor, TRACK_PROCESS);
	cursor = put_clean(proto_u64(inner, 1, process->pid), 6, process->name);
	cursor = proto_end(inner, cursor);
	cursor = proto_u64(cursor, TRACK_ORDERING, 3); /* explicit */
	cursor = proto_u64(cursor, TRACK_ORDER, process->order);
	put_descriptor(perfetto, message, (size_t)(cursor - message));
	perfetto->counters.count = 0;
	perfetto->pid = process->pid;
}

static void perfetto_track(void *writer, const struct timeline_track *track)
{
	struct perfetto *perfetto = writer;
	char message[PERFETTO_TEXT_LIMIT + ROOM];
	char *cursor = proto_u64(message, TRACK_NUMBER, track->number);
	cursor = proto_u64(cursor, TRACK_PARENT, perfetto->process);
	cursor = proto_u64(cursor, TRACK_ORDER, track->order);
	if (track->is_thread) {
		char *inner = proto_begin(cursor, TRACK_THREAD);
		cursor = proto_u64(proto_u64(inner, 1, perfetto->pid), 2, track->tid);
		cursor = proto_end(inner, put_clean(cursor, 5, track->name));
	} else {
		cursor = put_clean(cursor, TRACK_NAME, track->name);
	}
	put_descriptor(perfetto, message, (size_t)(cursor - message));
}

/* A packet is begun, up to the fields of its event; *ret_packet and *ret_event are to be ended. */
static char *begin_event(char *cursor, uint64_t ns, enum event_type type, uint64_t track,
	char **ret_packet, char **ret_event)
{
	*ret_packet = proto_begin(cursor, 1);
	cursor = proto_u64(*ret_packet, PACKET_TIME, ns);
	cursor = proto_u64(cursor, PACKET_SEQUENCE, PERFETTO_SEQUENCE);
	cursor = proto_u64(cursor, PACKET_FLAGS, NEEDS);
	*ret_event = proto_begin(cursor, PACKET_EVENT);
	cursor = proto_u64(*ret_event, EVENT_TYPE, type);
	return proto_u64(cursor, EVENT_TRACK, track);
}

static char *put_end(char *cursor, uint64_t ns, uint64_t track)
{
	char *packet, *event;
	cursor = begin_event(cursor, ns, SLICE_END, track, &packet, &event);
	return proto_end(packet, proto_end(event, cursor));
}

static char *put_columns(const struct perfetto *perfetto, char *cursor, const struct record *record)
{
	const struct record_field *const *columns = body_columns(perfetto->body, record->kind);
	for (unsigned i = 0; columns[i] != NULL; i++)
		cursor = perfetto_argument(cursor, perfetto->columns[record->kind][i],
			columns[i]->type == FIELD_INT, record_get(record, columns[i]));
	return cursor;
}

static void perfetto_slice(void *writer, const struct timeline_slice *slice)
{
	struct perfetto *perfetto = writer;
	const struct record *record = slice->record;
	const struct timeline_origin *origin = slice->origin;
	char *packet, *event;
	size_t size;
	const char *bytes = body_get(perfetto->body, slice->prepared, slice->on_device, &size);
	if (size > BODY_COPY_LIMIT)
		size = 0; /* arguments are numbers of texts: no event has so many */
	char *cursor = out_room(perfetto->out, BODY_COPY_LIMIT + ROOM);
	cursor = begin_event(
		cursor, record->begin, SLICE_BEGIN, slice->track->number, &packet, &event);
	memcpy(cursor, bytes, size);
	cursor = put_columns(perfetto, cursor + size, record);
	if (slice->flow != 0)
		cursor = proto_fixed64(cursor, EVENT_FLOW, slice->flow);
	if (origin != NULL)
		cursor = proto_fixed64(
			cursor, origin->many ? EVENT_FLOW : EVENT_LAST_FLOW, origin->flow);
	cursor = proto_end(packet, proto_end(event, cursor));
	uint64_t end_ns = record->end > record->begin ? record->end : record->begin;
	out_advance(perfetto->out, put_end(cursor, end_ns, slice->track->number));
}

static void perfetto_span(void *writer, const struct timeline_span *span)
{
	struct perfetto *perfetto = writer;
	char bytes[TEXTS_ROOM], *packet, *event;
	uint64_t track = span->track != NULL ? span->track->number : perfetto->process;
	char *cursor = begin_event(bytes, span->begin_ns,
		span->track != NULL ? SLICE_BEGIN : INSTANT, track, &packet, &event);
	cursor = put_clean(cursor, EVENT_NAME_TEXT, span->name);
	cursor = put_clean(cursor, EVENT_CATEGORY_TEXT, span->category);
	for (unsigned i = 0; i < 3 && span->texts[i].key != NULL; i++) {
		char *argument = proto_begin(cursor, EVENT_ARGUMENT);
		cursor = proto_text(argument, 10, span->texts[i].key);
		cursor = proto_end(argument, put_clean(cursor, 6, span->texts[i].text));
	}
	cursor = proto_end(packet, proto_end(event, cursor));
	if (span->track != NULL)
		cursor = put_end(cursor, span->end_ns, track);
	out_bytes(perfetto->out, bytes, (size_t)(cursor - bytes));
}

/* The track of a counter of the process, described when it is new. */
static uint64_t counter_track(struct perfetto *perfetto, const struct timeline_counter *counter)
{
	uint64_t name = perfetto_name(&perfetto->names, PERFETTO_ARGUMENT_TEXT, counter->name);
	uint64_t track = COUNTER_TRACK + ((perfetto->process - PROCESS_TRACK) << 20 | name);
	VEC_FOREACH (known, &perfetto->counters)
		if (*known == name)
			return track;
	char message[ROOM];
	char *cursor = proto_u64(message, TRACK_NUMBER, track);
	cursor = proto_u64(cursor, TRACK_PARENT, perfetto->process);
	cursor = proto_text(cursor, TRACK_NAME, counter->name);
	char *inner = proto_begin(cursor, TRACK_COUNTER);
	cursor = proto_end(inner, proto_text(inner, 6, counter->unit));
	put_descriptor(perfetto, message, (size_t)(cursor - message));
	(void)vec_push(&perfetto->counters, name);
	return track;
}

static void perfetto_counter(void *writer, const struct timeline_counter *counter)
{
	struct perfetto *perfetto = writer;
	char *packet, *event;
	uint64_t bits, track = counter_track(perfetto, counter);
	memcpy(&bits, &counter->value, sizeof(bits));
	char *cursor = out_room(perfetto->out, ROOM);
	cursor = begin_event(cursor, counter->ns, COUNTER, track, &packet, &event);
	cursor = proto_fixed64(cursor, EVENT_DOUBLE, bits);
	out_advance(perfetto->out, proto_end(packet, proto_end(event, cursor)));
}

static void perfetto_finish(void *writer)
{
	(void)writer;
}

static const struct body *perfetto_get_body(const void *writer)
{
	const struct perfetto *perfetto = writer;
	return perfetto->body;
}

const struct timeline_writer writer_perfetto = {.name = "perfetto",
	.new = perfetto_new,
	.free = perfetto_free,
	.begin_file = perfetto_begin_file,
	.end_file = perfetto_end_file,
	.process = perfetto_process,
	.track = perfetto_track,
	.slice = perfetto_slice,
	.span = perfetto_span,
	.counter = perfetto_counter,
	.finish = perfetto_finish,
	.body = perfetto_get_body};
