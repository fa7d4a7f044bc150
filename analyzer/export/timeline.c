/* SPDX-License-Identifier: MIT */
#include "analyzer/export/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/device/join.h"
#include "analyzer/export/counters.h"
#include "analyzer/export/timeline_rows.h"
#include "collector/format/fields.h"

#define AHEAD       6u         /* events: the slot of a body is fetched */
#define FETCHED     3u         /* of them so many later: the body */
#define AHEAD_SLOTS 8u         /* power of two above AHEAD */
#define CALLS       (1u << 16) /* of the latest ones operations are waited for; power of two */

struct call {
	const struct timeline_track *track;
	uint64_t begin_ns, end_ns;
	bool many;
};

struct timeline {
	const struct timeline_writer *writer;
	void *out;
	struct timeline_counts counts;
	struct timeline_rows rows;
	/* the file in work */
	const struct reader *reader;
	const struct remarks *remarks;
	struct counters counters;
	struct join *join;
	bool has_api; /* the device says which call asked for what: operations wait to be told */
	uint64_t call_count, flow_base;
	struct call *calls;
};

struct timeline *timeline_new(const struct timeline_writer *writer, struct out *out,
	uint64_t begin_ns, enum demangle_how how)
{
	struct timeline *timeline = calloc(1, sizeof(*timeline));
	if (timeline == NULL)
		return NULL;
	timeline->writer = writer;
	timeline->out = writer->new (out, begin_ns, how);
	timeline->calls = calloc(CALLS, sizeof(*timeline->calls));
	timeline_rows_init(&timeline->rows, writer, timeline->out);
	if (timeline->out == NULL || timeline->calls == NULL) {
		timeline_free(timeline);
		return NULL;
	}
	return timeline;
}

void timeline_free(struct timeline *timeline)
{
	if (timeline == NULL)
		return;
	join_free(timeline->join);
	counters_release(&timeline->counters);
	timeline_rows_release(&timeline->rows);
	if (timeline->out != NULL)
		timeline->writer->free(timeline->out);
	free(timeline->calls);
	free(timeline);
}

void timeline_begin_file(
	struct timeline *timeline, struct reader *reader, const struct remarks *remarks)
{
	timeline->reader = reader;
	timeline->remarks = remarks;
	timeline->writer->begin_file(timeline->out, reader, remarks);
	timeline_rows_begin_file(&timeline->rows, reader);
	timeline->flow_base += timeline->call_count;
	timeline->call_count = 0;
	timeline->has_api = false;
}

/* A slice on its row, in a lane with room for it. 0 or -ENOMEM. */
static int put_slice(
	struct timeline *timeline, const struct row_key *key, struct timeline_slice *slice)
{
	const struct record *record = slice->record;
	slice->track = timeline_rows_track(&timeline->rows, key, record->begin,
		record->end > record->begin ? record->end : record->begin);
	if (slice->track == NULL)
		return -ENOMEM;
	timeline->writer->slice(timeline->out, slice);
	return 0;
}

/* What the device did; call: the number of the one that asked for it, or JOIN_NO_CALL. */
static int put_prepared(struct timeline *timeline, uint64_t call, const struct record *record,
	const struct body_prepared *prepared)
{
	struct timeline_origin origin;
	struct row_key key;
	(void)row_of(record, &key);
	if (!remarks_want(timeline->remarks, record->begin, record->end))
		return 0;
	struct timeline_slice slice = {.record = record, .prepared = prepared, .on_device = true};
	bool known = call != JOIN_NO_CALL && call + CALLS > timeline->call_count;
	const struct call *asked = &timeline->calls[call & (CALLS - 1)];
	/* an arrow that went back in time would not be drawn */
	known = known && asked->track != NULL && record->begin >= asked->begin_ns;
	if (known) {
		origin = (struct timeline_origin){.track = asked->track,
			.flow = timeline->flow_base + call + 1,
			.begin_ns = asked->begin_ns,
			.end_ns = asked->end_ns,
			.many = asked->many};
		slice.origin = &origin;
	}
	timeline->counts.arrows += known;
	timeline->counts.without += !known;
	return put_slice(timeline, &key, &slice);
}

static int put_operation(void *context, uint64_t call, const struct record *record)
{
	struct timeline *timeline = context;
	struct body_prepared prepared;
	body_prepare(timeline->writer->body(timeline->out), record, &prepared);
	return put_prepared(timeline, call, record, &prepared);
}

/* Operations that were told without a call have been written. */
static void claim(void *context, uint64_t call, uint32_t count, uint64_t begin_ns, uint64_t end_ns)
{
	(void)context, (void)call, (void)count, (void)begin_ns, (void)end_ns;
}

static int begin_join(struct timeline *timeline)
{
	if (timeline->join == NULL)
		timeline->join = join_new(&(struct join_sink){
			.context = timeline, .operation = put_operation, .claimed = claim});
	return timeline->join != NULL ? 0 : -ENOMEM;
}

static bool may_ask(const struct record *record)
{
	return record->kind == RECORD_LAUNCH || record->kind == RECORD_COPY ||
	       record->kind == RECORD_SET || record->kind == RECORD_GRAPH;
}

/* A call that operations may come from is known from here on. */
static int note_call(struct timeline *timeline, uint64_t tid, const struct record *record,
	const struct timeline_track *track)
{
	uint64_t number = timeline->call_count++;
	timeline->calls[number & (CALLS - 1)] = (struct call){.track = track,
		.begin_ns = record->begin,
		.end_ns = record->end,
		.many = record->kind == RECORD_GRAPH};
	int err = begin_join(timeline);
	if (err == 0)
		err = join_call(timeline->join, (uint32_t)tid, number, record->begin, record->end);
	if (err == 0 && number % 1024 == 0 && number > CALLS / 2)
		join_forget(timeline->join, number - CALLS / 2);
	return err;
}

static const char *state_name(const struct timeline *timeline, const struct record *record)
{
	bool state = record->kind == RECORD_SOURCE_STATE;
	return state ? reader_text(timeline->reader, record->name) : "";
}

static int put_event(struct timeline *timeline, uint64_t tid, const struct record *record,
	const struct body_prepared *prepared)
{
	struct timeline_slice slice = {.record = record, .prepared = prepared};
	struct row_key key = {ROW_THREAD, 0, tid};
	slice.on_device = row_of(record, &key);
	if (!timeline->has_api)
		timeline->has_api = source_tells(record, state_name(timeline, record));
	if (slice.on_device && key.class == ROW_STREAM && !timeline->has_api)
		return put_prepared(timeline, JOIN_NO_CALL, record, prepared);
	if (slice.on_device && key.class == ROW_STREAM)
		return begin_join(timeline) < 0 ? -ENOMEM : join_record(timeline->join, record);
	if (!remarks_want(timeline->remarks, record->begin, record->end))
		return 0;
	bool asks = may_ask(record);
	slice.flow = asks ? timeline->flow_base + timeline->call_count + 1 : 0;
	int err = put_slice(timeline, &key, &slice);
	if (err == 0 && asks)
		err = note_call(timeline, tid, record, slice.track);
	if (err == 0 && record->kind == RECORD_DEVICE_API)
		err = begin_join(timeline) < 0 ? -ENOMEM : join_record(timeline->join, record);
	return err;
}

static int put_sample(struct timeline *timeline, const struct record *record)
{
	struct timeline_counter counter;
	char text[COUNTERS_NAME];
	if (!remarks_want(timeline->remarks, record->begin, record->end))
		return 0;
	int found = counters_take(&timeline->counters, record, &counter, text);
	if (found == 1)
		timeline->writer->counter(timeline->out, &counter);
	return found < 0 ? found : 0;
}

static void put_lost(struct timeline *timeline, const struct meta_LOST *lost)
{
	char text[64];
	snprintf(text, sizeof(text), "%" PRIu64 " events lost", lost->count);
	struct timeline_span span = {.begin_ns = lost->first_ns,
		.end_ns = lost->first_ns,
		.name = text,
		.category = "lost",
		.texts = {{"cause", lost->cause}}};
	timeline->writer->span(timeline->out, &span);
}

/* The body of an operation that waits for its call is prepared when that is known. */
static bool is_prepared(const struct timeline *timeline, const struct record *record)
{
	return !timeline->has_api || record->kind < RECORD_DEVICE_KERNEL ||
	       record->kind > RECORD_DEVICE_SET;
}

static int put_records(struct timeline *timeline, const struct item *item)
{
	const struct meta_THREAD *thread = reader_thread(timeline->reader, item->thread);
	const struct body *body = timeline->writer->body(timeline->out);
	uint64_t tid = thread != NULL ? thread->tid : item->thread;
	struct body_prepared prepared[AHEAD_SLOTS] = {0};
	int err = 0;
	for (unsigned i = 0; i < item->count + AHEAD && err == 0; i++) {
		if (i < item->count && is_prepared(timeline, &item->records[i]))
			body_prepare(body, &item->records[i], &prepared[i % AHEAD_SLOTS]);
		if (i < AHEAD)
			continue;
		body_fetch(body, &prepared[(i - FETCHED) % AHEAD_SLOTS]);
		const struct record *record = &item->records[i - AHEAD];
		if (record->kind == RECORD_SAMPLE || record->kind == RECORD_THREAD_SAMPLE)
			err = put_sample(timeline, record);
		else
			err = put_event(
				timeline, tid, record, &prepared[(i - AHEAD) % AHEAD_SLOTS]);
	}
	timeline->counts.events += item->count;
	return err;
}

int timeline_item(struct timeline *timeline, const struct item *item)
{
	timeline_rows_know_process(&timeline->rows);
	if (item->type == ITEM_META) {
		if (item->meta.kind == META_THREAD)
			timeline_rows_name(&timeline->rows, &item->meta.u.thread);
		if (item->meta.kind == META_LOST)
			put_lost(timeline, &item->meta.u.lost);
		return 0;
	}
	return put_records(timeline, item);
}

static int put_steps(struct timeline *timeline)
{
	const struct row_key key = {ROW_STEPS, 0, 0};
	for (size_t i = 0; i < timeline->remarks->steps.count; i++) {
		const struct remarks_step *step = &timeline->remarks->steps.items[i];
		char name[32];
		snprintf(name, sizeof(name), "step %" PRIu64, step->number);
		struct timeline_span span = {.begin_ns = step->begin_ns,
			.end_ns = step->end_ns,
			.name = name,
			.category = "step"};
		span.track =
			timeline_rows_track(&timeline->rows, &key, step->begin_ns, step->end_ns);
		if (span.track == NULL)
			return -ENOMEM;
		timeline->writer->span(timeline->out, &span);
	}
	return 0;
}

/* Each finding lies over the steps: what it is about are the events that name it. */
static int put_findings(struct timeline *timeline)
{
	const struct row_key key = {ROW_FINDINGS, 0, 0};
	const struct remarks *remarks = timeline->remarks;
	if (remarks->steps.count == 0)
		return 0;
	for (size_t i = 0; i < remarks->findings.count; i++) {
		const struct remarks_finding *finding = &remarks->findings.items[i];
		struct timeline_span span = {.begin_ns = remarks->steps.items[0].begin_ns,
			.end_ns = remarks->steps.items[remarks->steps.count - 1].end_ns,
			.name = finding->title,
			.category = "finding",
			.texts = {{"evidence", finding->evidence}, {"advice", finding->advice}}};
		span.track = timeline_rows_track(&timeline->rows, &key, span.begin_ns, span.end_ns);
		if (span.track == NULL)
			return -ENOMEM;
		timeline->writer->span(timeline->out, &span);
	}
	return 0;
}

int timeline_end_file(struct timeline *timeline)
{
	int err = timeline->join != NULL ? join_finish(timeline->join) : 0;
	if (err == 0 && timeline->remarks != NULL)
		err = put_steps(timeline);
	if (err == 0 && timeline->remarks != NULL)
		err = put_findings(timeline);
	join_free(timeline->join);
	timeline->join = NULL;
	counters_release(&timeline->counters);
	timeline->counters = (struct counters){0};
	timeline->writer->end_file(timeline->out);
	timeline_rows_end_file(&timeline->rows);
	timeline->reader = NULL;
	return err;
}

void timeline_finish(struct timeline *timeline)
{
	timeline->writer->finish(timeline->out);
}

const struct timeline_counts *timeline_counts(const struct timeline *timeline)
{
	return &timeline->counts;
}
