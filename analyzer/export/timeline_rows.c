/* SPDX-License-Identifier: MIT */
#include "analyzer/export/timeline_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PID_WITHOUT 2000000000u
#define TID_FIRST   1000000000u /* no thread of a system has it */

void timeline_rows_init(struct timeline_rows *rows, const struct timeline_writer *writer, void *out)
{
	*rows = (struct timeline_rows){.writer = writer, .out = out};
}

void timeline_rows_end_file(struct timeline_rows *rows)
{
	for (size_t i = 0; i < rows->tracks.count; i++)
		free(rows->tracks.items[i]);
	rows->tracks.count = 0;
	for (size_t i = 0; i < rows->names.capacity; i++)
		free(rows->names.entries[i].value);
	idmap_release(&rows->names);
	rows_release(&rows->rows);
	rows->reader = NULL;
}

void timeline_rows_release(struct timeline_rows *rows)
{
	timeline_rows_end_file(rows);
	vec_release(&rows->tracks);
	vec_release(&rows->pids);
}

void timeline_rows_begin_file(struct timeline_rows *rows, const struct reader *reader)
{
	rows->reader = reader;
	rows->knows_process = false;
	rows->file_count++;
}

/* Two processes of a run may have the same number, on different hosts or one after the other. */
static uint64_t unique_pid(struct timeline_rows *rows, uint64_t pid)
{
	for (size_t i = 0; i < rows->pids.count; i++)
		if (rows->pids.items[i] == pid)
			pid = PID_WITHOUT + rows->file_count;
	/* without memory a later process may get the same rows */
	(void)vec_push(&rows->pids, pid);
	return pid;
}

void timeline_rows_know_process(struct timeline_rows *rows)
{
	const struct meta_RUN *run = reader_run(rows->reader);
	char text[512] = "";
	if (rows->knows_process)
		return;
	rows->knows_process = true;
	struct timeline_process process = {.number = rows->file_count,
		.pid = unique_pid(rows, run != NULL ? run->pid : PID_WITHOUT + rows->file_count),
		.name = text,
		.order = run != NULL && run->rank >= 0 ? (uint64_t)run->rank : rows->file_count};
	if (run != NULL && run->rank >= 0)
		snprintf(text, sizeof(text), "rank %" PRId64 ": %.200s (%.200s)", run->rank,
			run->program, run->host);
	else if (run != NULL)
		snprintf(text, sizeof(text), "%.200s (%.200s)", run->program, run->host);
	rows->writer->process(rows->out, &process);
}

/* Tell of a track; of a thread by the name that it has now, the first lane as the thread itself. */
static void tell(struct timeline_rows *rows, struct timeline_track *track,
	const struct row_key *key, const char *thread_name, size_t lane)
{
	char text[ROWS_TEXT], whole[ROWS_TEXT + 48];
	row_name(key, thread_name, text);
	snprintf(whole, sizeof(whole), "%s", text);
	if (lane > 0)
		snprintf(whole, sizeof(whole), "%s (overlapping %zu)",
			text[0] != '\0' ? text : "thread", lane);
	track->name = whole;
	rows->writer->track(rows->out, track);
	track->name = NULL;
}

/* The device's threads of the trace have no number in the system. */
static const char *name_of_thread(const struct timeline_rows *rows, const struct row_key *key)
{
	const char *name =
		key->class == ROW_THREAD ? idmap_get(&rows->names, (uint32_t)key->id) : NULL;
	return name != NULL ? name : "";
}

static struct timeline_track *new_track(
	struct timeline_rows *rows, const struct row_key *key, size_t lane)
{
	struct timeline_track *track = calloc(1, sizeof(*track));
	if (track == NULL)
		return NULL;
	track->number = ++rows->track_count;
	track->is_thread = key->class == ROW_THREAD && key->id != 0 && lane == 0;
	track->tid = track->is_thread ? key->id : TID_FIRST + track->number;
	track->order = row_order(key);
	if (vec_push(&rows->tracks, track) < 0) {
		free(track);
		return NULL;
	}
	tell(rows, track, key, name_of_thread(rows, key), lane);
	return track;
}

void timeline_rows_name(struct timeline_rows *rows, const struct meta_THREAD *thread)
{
	const struct row_key key = {ROW_THREAD, 0, thread->tid};
	const char *name = thread->tid == 0 ? "device calls" : thread->name;
	char *old = idmap_get(&rows->names, (uint32_t)thread->tid);
	if (name[0] == '\0' || (old != NULL && strcmp(old, name) == 0))
		return;
	char *copy = strdup(name);
	/* without memory it keeps the one that it had */
	if (copy == NULL || idmap_set(&rows->names, (uint32_t)thread->tid, copy) < 0) {
		free(copy);
		return;
	}
	free(old);
	struct row *row = rows_find(&rows->rows, &key);
	for (size_t i = 0; row != NULL && i < row->lanes.lanes.count; i++)
		tell(rows, rows->tracks.items[row->lanes.lanes.items[i].number], &key, name, i);
}

const struct timeline_track *timeline_rows_track(
	struct timeline_rows *rows, const struct row_key *key, uint64_t begin_ns, uint64_t end_ns)
{
	bool is_new;
	struct row *row = rows_take(&rows->rows, key);
	struct lane *lane = row != NULL ? lanes_take(&row->lanes, begin_ns, end_ns, &is_new) : NULL;
	if (lane == NULL)
		return NULL;
	if (!is_new)
		return rows->tracks.items[lane->number];
	lane->number = rows->tracks.count;
	return new_track(rows, key, row->lanes.lanes.count - 1);
}
