/* SPDX-License-Identifier: MIT */
#include "analyzer/load/load.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/format/fields.h"

void load_release(struct load *load)
{
	free(load->threads);
}

static struct load_thread *find(const struct load *load, uint32_t tid)
{
	for (uint32_t i = 0; i < load->count; i++)
		if (load->threads[i].tid == tid)
			return &load->threads[i];
	return NULL;
}

/* Every second reading goes, and of those to come. */
static void thin_out(struct load_thread *thread)
{
	for (uint32_t i = 0; 2 * i < LOAD_POINTS; i++)
		thread->points[i] = thread->points[2 * i];
	thread->count = LOAD_POINTS / 2;
	thread->stride *= 2;
	thread->skipped = 0;
}

/* Where the figures of a reading go; NULL when it is left out. */
static struct load_point *point_at(struct load_thread *thread, uint64_t step, uint64_t ns)
{
	struct load_point *last = thread->count > 0 ? &thread->points[thread->count - 1] : NULL;
	if (last != NULL && last->ns == ns)
		return last;
	if (last != NULL && ++thread->skipped < thread->stride)
		return NULL;
	thread->skipped = 0;
	if (thread->count == LOAD_POINTS)
		thin_out(thread);
	last = &thread->points[thread->count++];
	*last = (struct load_point){.step = step, .ns = ns};
	return last;
}

/* Steps are counted afresh: what was known of them is of others. */
static void restart(struct load *load)
{
	for (uint32_t i = 0; i < load->count; i++) {
		load->threads[i].count = load->threads[i].skipped = 0;
		load->threads[i].cuts = 0;
	}
	load->line_count = 0;
}

int load_add(struct load *load, uint64_t step, const struct record *record)
{
	uint32_t tid = record_THREAD_SAMPLE_thread(record);
	uint32_t metric = record_THREAD_SAMPLE_metric(record);
	if (load->threads == NULL)
		load->threads = calloc(LOAD_THREADS, sizeof(*load->threads));
	if (load->threads == NULL)
		return -ENOMEM;
	if (step < load->step)
		restart(load);
	load->step = step;
	struct load_thread *thread = find(load, tid);
	if (thread == NULL && load->count < LOAD_THREADS) {
		thread = &load->threads[load->count++];
		*thread = (struct load_thread){.tid = tid, .stride = 1};
	}
	if (thread == NULL || metric >= LOAD_METRICS)
		return 0;
	struct load_point *point = point_at(thread, step, record->begin);
	if (point != NULL) {
		point->values[metric] = record_THREAD_SAMPLE_value(record);
		point->known |= 1u << metric;
	}
	return 0;
}

void load_cut(struct load *load, uint32_t tid)
{
	struct load_thread *thread = find(load, tid);
	if (thread != NULL)
		thread->cuts++;
}

void load_read(struct load *load, uint32_t tid, const struct record *record)
{
	struct load_line *line = load->lines;
	while (line < load->lines + load->line_count &&
		(line->tid != tid || line->place != record->place))
		line++;
	if (line == load->lines + LOAD_LINES)
		return;
	if (line == load->lines + load->line_count) {
		*line = (struct load_line){.tid = tid, .place = record->place};
		load->line_count++;
	}
	int64_t bytes = record_INPUT_bytes(record);
	line->ns += record->end - record->begin;
	line->bytes += bytes > 0 ? (uint64_t)bytes : 0;
}

/* The first and the last reading of those steps; false: there are no two. */
static bool find_span(const struct load_thread *thread, uint64_t first, uint64_t until,
	const struct load_point **ret_from, const struct load_point **ret_to)
{
	const struct load_point *from = NULL, *to = NULL;
	for (uint32_t i = 0; i < thread->count; i++) {
		const struct load_point *point = &thread->points[i];
		if (point->step < first || point->step >= until)
			continue;
		from = from != NULL ? from : point;
		to = point;
	}
	*ret_from = from;
	*ret_to = to;
	return from != NULL && to->ns > from->ns;
}

double load_hooks_share(const struct load *load, uint64_t first, uint64_t until)
{
	const struct load_point *from, *to;
	double share = -1;
	for (uint32_t i = 0; i < load->count; i++) {
		if (!find_span(&load->threads[i], first, until, &from, &to) ||
			(from->known & to->known & 1u << THREAD_HOOKS_NS) == 0 ||
			to->values[THREAD_HOOKS_NS] < from->values[THREAD_HOOKS_NS])
			continue;
		uint64_t ns = to->values[THREAD_HOOKS_NS] - from->values[THREAD_HOOKS_NS];
		share = (share < 0 ? 0 : share) + (double)ns / (double)(to->ns - from->ns);
	}
	return share;
}

bool load_span(const struct load *load, uint64_t first, uint64_t until, struct load_span *ret_span)
{
	const struct load_thread *thread = NULL;
	for (uint32_t i = 0; i < load->count; i++)
		if (load->threads[i].cuts > (thread != NULL ? thread->cuts : 0))
			thread = &load->threads[i];
	const struct load_point *from, *to;
	if (thread == NULL || !find_span(thread, first, until, &from, &to))
		return false;
	*ret_span = (struct load_span){
		.tid = thread->tid, .ns = to->ns - from->ns, .known = from->known & to->known};
	for (uint32_t metric = 0; metric < LOAD_METRICS; metric++)
		if (to->values[metric] > from->values[metric])
			ret_span->values[metric] = to->values[metric] - from->values[metric];
	return true;
}

double load_delay_share(const struct load *load, uint32_t tid, uint64_t first, uint64_t until)
{
	const struct load_thread *thread = find(load, tid);
	const struct load_point *from, *to;
	if (thread == NULL || !find_span(thread, first, until, &from, &to) ||
		(from->known & to->known & 1u << THREAD_DELAY_NS) == 0 ||
		to->values[THREAD_DELAY_NS] < from->values[THREAD_DELAY_NS])
		return 0;
	uint64_t ns = to->values[THREAD_DELAY_NS] - from->values[THREAD_DELAY_NS];
	return (double)ns / (double)(to->ns - from->ns);
}

const struct load_line *load_longest(const struct load *load, uint32_t tid)
{
	const struct load_line *longest = NULL;
	for (uint32_t i = 0; i < load->line_count; i++)
		if (load->lines[i].tid == tid &&
			(longest == NULL || load->lines[i].ns > longest->ns))
			longest = &load->lines[i];
	return longest;
}
