/* SPDX-License-Identifier: MIT */
#include "analyzer/page/line.h"

#include <stdlib.h>

#include "analyzer/text/field_text.h"
#include "analyzer/text/json.h"
#include "collector/base/hash.h"
#include "collector/format/fields.h"

#define WAITING_LIMIT 262144u    /* events of all rows that wait for a full chunk */
#define BIN_BUDGET    (8u << 20) /* bytes of the sums of a file's rows */
#define BINS_LEAST    64u
#define PART          1024u /* steps or pieces in one column */

struct line {
	const struct line_options *options;
	struct pack *pack;
	struct track_room *room;
	struct labels *labels;
	/* the file in work */
	const struct reader *reader;
	VEC(struct track) tracks;
	struct idmap found; /* by a hash of the row's id: its number in tracks, counted from 1 */
	struct track_grid grid;
	uint32_t first_number; /* of this file's rows */
	uint32_t files, rows;
	uint64_t waiting;
	uint64_t whole; /* events that were kept as they are */
	uint64_t lost;  /* events without memory */
	size_t window;  /* where the last event lay */
	size_t last;    /* row of the last event */
};

struct line *line_new(struct out *out, const struct line_options *options)
{
	struct line *line = calloc(1, sizeof(*line));
	if (line == NULL)
		return NULL;
	line->options = options;
	line->pack = pack_new(out);
	if (line->pack != NULL)
		line->room = track_room_new(line->pack);
	if (line->room != NULL)
		line->labels = labels_new(line->pack, options->names);
	if (line->labels == NULL) {
		line_free(line);
		return NULL;
	}
	return line;
}

static void release_tracks(struct line *line)
{
	VEC_FOREACH (track, &line->tracks)
		track_release(track);
	vec_release(&line->tracks);
	idmap_release(&line->found);
	line->waiting = 0;
	line->last = 0;
}

void line_free(struct line *line)
{
	if (line == NULL)
		return;
	release_tracks(line);
	labels_free(line->labels);
	track_room_free(line->room);
	pack_free(line->pack);
	free(line);
}

/* As many bins as the rows of the file may have; long runs get no finer ones than short runs. */
static struct track_grid grid_of(const struct line_options *options)
{
	uint64_t span =
		options->end_ns > options->begin_ns ? options->end_ns - options->begin_ns : 1;
	uint64_t count = BIN_BUDGET / sizeof(struct track_bin) / (4 * options->threads + 16);
	count = count > TRACK_BINS ? TRACK_BINS : count < BINS_LEAST ? BINS_LEAST : count;
	return (struct track_grid){.begin_ns = options->begin_ns,
		.width_ns = span / count + 1,
		.count = (uint32_t)count};
}

void line_begin_file(struct line *line, const struct reader *reader)
{
	line->reader = reader;
	line->first_number = line->rows;
	line->grid = (struct track_grid){0};
	labels_of_file(line->labels, reader);
}

static bool is_row(const struct row_id *left, const struct row_id *right)
{
	return left->class == right->class && left->device == right->device &&
	       left->id == right->id;
}

/* The row of an id; NULL without memory. */
static struct track *find_track(struct line *line, const struct row_id *id)
{
	if (line->last < line->tracks.count && is_row(&line->tracks.items[line->last].id, id))
		return &line->tracks.items[line->last];
	const uint64_t words[] = {id->class, id->device, id->id};
	uint32_t key = (uint32_t)(hash_words(words, 3) >> 32);
	void *value;
	for (; (value = idmap_get(&line->found, key)) != NULL; key++) {
		line->last = (size_t)((uintptr_t)value - 1);
		if (is_row(&line->tracks.items[line->last].id, id))
			return &line->tracks.items[line->last];
	}
	struct track fresh = {
		.id = *id, .number = line->rows, .before_ns = line->options->begin_ns};
	if (vec_push(&line->tracks, fresh) < 0 ||
		idmap_set(&line->found, key, (void *)(uintptr_t)line->tracks.count) < 0)
		return NULL;
	line->rows++;
	line->last = line->tracks.count - 1;
	return &line->tracks.items[line->last];
}

/* Whether an event is kept as it is. Windows are ascending and events nearly so. */
static bool is_wanted(struct line *line, const struct record *record)
{
	const struct line_options *options = line->options;
	if (options->whole)
		return true;
	while (line->window > 0 && options->windows[line->window - 1].end_ns > record->begin)
		line->window--;
	while (line->window < options->window_count &&
		options->windows[line->window].end_ns <= record->begin)
		line->window++;
	return line->window < options->window_count &&
	       options->windows[line->window].begin_ns < record->end && line->whole < LINE_WHOLE;
}

static void flush_all(struct line *line)
{
	VEC_FOREACH (track, &line->tracks)
		track_flush(track, line->room);
	line->waiting = 0;
}

static void take_event(struct line *line, uint32_t thread, const struct record *record)
{
	struct row_id id = row_id_of(thread, record);
	struct track *track = find_track(line, &id);
	struct track_event event = {.begin = record->begin,
		.ns = record->end > record->begin ? record->end - record->begin : 0};
	if (track == NULL) {
		line->lost++;
		return;
	}
	if (!is_wanted(line, record)) {
		if (line->grid.count == 0)
			line->grid = grid_of(line->options);
		line->lost += track_sum(track, &line->grid, &event) < 0;
		return;
	}
	event.label = labels_find(line->labels, record);
	event.value = labels_value(record);
	track_event(track, line->room, &event);
	line->whole++;
	if (++line->waiting >= WAITING_LIMIT)
		flush_all(line);
}

void line_item(struct line *line, const struct item *item)
{
	if (item->type != ITEM_EVENTS)
		return;
	for (unsigned i = 0; i < item->count; i++)
		take_event(line, item->thread, &item->records[i]);
}

void line_text(struct line *line, const char *json, size_t size)
{
	pack_bytes(line->pack, "D", 1);
	pack_u32(line->pack, (uint32_t)size);
	pack_bytes(line->pack, json, size);
}

static void describe_row(struct line *line, struct json *json, const struct track *track)
{
	const struct row_id *id = &track->id;
	const struct meta_THREAD *thread = NULL;
	json_object(json);
	json_add_u64(json, "row", track->number);
	json_add_u64(json, "process", line->files);
	json_add_text(json, "class", row_class_names[id->class]);
	json_add_u64(json, "events", track->events);
	json_add_u64(json, "summed", track->in_bins);
	if (track->in_bins > 0)
		json_add_u64(json, "bin_ns", line->grid.width_ns);
	switch (id->class) {
	case ROW_THREAD:
	case ROW_STACK: /* both have the number that a thread has in the trace */
		thread = reader_thread(line->reader, (uint32_t)id->id);
		json_add_u64(json, "tid", thread != NULL ? thread->tid : id->id);
		break;
	case ROW_STREAM:
		json_add_u64(json, "stream", id->id);
		/* fallthrough */
	case ROW_DEVICE_WAIT:
		json_add_u64(json, "device", id->device);
		break;
	case ROW_FIGURE:
		json_add_text(
			json, "metric", field_value_name(RECORD_SAMPLE, "metric", id->device));
		break;
	case ROW_THREAD_FIGURE:
		json_add_text(json, "metric",
			field_value_name(RECORD_THREAD_SAMPLE, "metric", id->device));
		json_add_u64(json, "tid", id->id);
		break;
	default:
		json_add_u64(json, "tid", id->id);
	}
	if (id->class == ROW_THREAD)
		json_add_text(json, "name", thread != NULL ? thread->name : NULL);
	json_object_end(json);
	json_finish(json);
}

static void describe_process(struct line *line, struct json *json, bool analysed)
{
	const struct meta_RUN *run = reader_run(line->reader);
	json_object(json);
	json_add_u64(json, "process", line->files);
	json_add_bool(json, "analysed", analysed);
	json_key(json, "pid");
	if (run != NULL)
		json_u64(json, run->pid);
	else
		json_null(json);
	json_add_text(json, "program", run != NULL ? run->program : NULL);
	json_add_text(json, "host", run != NULL ? run->host : NULL);
	json_add_text(json, "role", run != NULL ? run->role : NULL);
	if (run != NULL && run->rank >= 0)
		json_add_i64(json, "rank", run->rank);
	json_object_end(json);
	json_finish(json);
}

void line_end_file(struct line *line, bool analysed)
{
	struct out text;
	struct json json;
	flush_all(line);
	labels_flush(line->labels);
	VEC_FOREACH (track, &line->tracks)
		track_put_bins(track, &line->grid, line->pack);
	if (out_open_memory(&text) == 0) {
		json_init(&json, &text, false);
		json.dense = true;
		describe_process(line, &json, analysed);
		VEC_FOREACH (track, &line->tracks) {
			json.dense = true;
			describe_row(line, &json, track);
		}
		line_text(line, text.buffer, text.used);
		(void)out_close(&text);
	}
	release_tracks(line);
	labels_of_file(line->labels, NULL);
	line->files++;
}

/* "A", count, then lengths and causes; the first length is that of nothing before them. */
static void put_pieces(struct line *line, const struct history *history)
{
	uint64_t lengths[PART], kinds[PART];
	const struct history_piece *pieces = history->pieces.items;
	uint64_t at = line->options->begin_ns;
	size_t count = history->pieces.count;
	for (size_t first = 0; first < count; first += PART) {
		uint32_t part = count - first < PART ? (uint32_t)(count - first) : PART;
		pack_bytes(line->pack, "A", 1);
		pack_u32(line->pack, part);
		for (uint32_t i = 0; i < part; i++) {
			lengths[i] = pack_signed(pieces[first + i].begin_ns - at);
			kinds[i] = pieces[first + i].cause;
			at = pieces[first + i].begin_ns;
		}
		pack_column(line->pack, lengths, part);
		pack_column(line->pack, kinds, part);
	}
}

/* "S", count, then begin, length, number, whether it is aside, and each cause. */
static void put_steps(struct line *line, const struct history *history)
{
	uint64_t column[PART];
	const struct history_step *steps = history->steps.items;
	size_t count = history->steps.count;
	for (size_t first = 0; first < count; first += PART) {
		uint32_t part = count - first < PART ? (uint32_t)(count - first) : PART;
		pack_bytes(line->pack, "S", 1);
		pack_u32(line->pack, part);
		for (unsigned what = 0; what < 4 + CAUSE_COUNT; what++) {
			for (uint32_t i = 0; i < part; i++) {
				const struct history_step *step = &steps[first + i];
				const uint64_t own[4] = {
					pack_signed(step->begin_ns - line->options->begin_ns),
					step->end_ns - step->begin_ns, step->number, step->aside};
				column[i] = what < 4 ? own[what] : step->cause_ns[what - 4];
			}
			pack_column(line->pack, column, part);
		}
	}
}

void line_history(struct line *line, const struct history *history)
{
	put_steps(line, history);
	put_pieces(line, history);
}

void line_finish(struct line *line)
{
	labels_flush(line->labels);
	pack_finish(line->pack);
}
