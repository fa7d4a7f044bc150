/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/work.h"

#include <string.h>

#include "collector/format/fields.h"
#include "collector/format/host_value.h"

#define PART_NS 1000000u /* at first */

static uint64_t part_begin(const struct work *work, unsigned i)
{
	return work->from_ns + i * work->part_ns;
}

static void merge_pairs(struct work *work)
{
	for (unsigned i = 0; i < WORK_PARTS; i++) {
		struct work_part sum = {.loads = 0};
		for (unsigned j = 2 * i; j < 2 * i + 2 && j < WORK_PARTS; j++) {
			for (unsigned kind = 0; kind < WORK_KINDS; kind++)
				sum.ns[kind] += work->parts[j].ns[kind];
			sum.bytes += work->parts[j].bytes;
			sum.loads += work->parts[j].loads;
		}
		work->parts[i] = sum;
	}
	work->part_ns *= 2;
}

/* The life of the process reaches from begin to end at least. */
static void reach(struct work *work, uint64_t begin_ns, uint64_t end_ns)
{
	if (work->part_ns == 0) {
		work->part_ns = PART_NS;
		work->from_ns = work->until_ns = begin_ns;
	}
	if (end_ns > work->until_ns)
		work->until_ns = end_ns;
	while (end_ns >= part_begin(work, WORK_PARTS))
		merge_pairs(work);
}

static uint64_t overlap(uint64_t begin, uint64_t end, uint64_t from, uint64_t until)
{
	uint64_t first = begin > from ? begin : from, last = end < until ? end : until;
	return last > first ? last - first : 0;
}

/* So much of a kind, spread evenly over the interval. */
static void spread(struct work *work, enum work_kind kind, uint64_t begin_ns, uint64_t end_ns,
	double ns, double bytes)
{
	double length = (double)(end_ns - begin_ns);
	unsigned first = (unsigned)((begin_ns - work->from_ns) / work->part_ns);
	for (unsigned i = first; i < WORK_PARTS && part_begin(work, i) < end_ns; i++) {
		double share = (double)overlap(begin_ns, end_ns, part_begin(work, i),
				       part_begin(work, i) + work->part_ns) /
			       length;
		work->parts[i].ns[kind] += ns * share;
		work->parts[i].bytes += bytes * share;
	}
}

void work_add(
	struct work *work, enum work_kind kind, uint64_t begin_ns, uint64_t end_ns, uint64_t bytes)
{
	if (end_ns < begin_ns)
		return;
	reach(work, begin_ns, end_ns);
	if (begin_ns < work->from_ns)
		begin_ns = work->from_ns;
	if (end_ns > begin_ns)
		spread(work, kind, begin_ns, end_ns, (double)(end_ns - begin_ns),
			kind == WORK_FILE ? (double)bytes : 0);
	if (kind == WORK_LOAD && end_ns >= work->from_ns)
		work->parts[(end_ns - work->from_ns) / work->part_ns].loads++;
}

static void add_total(struct work *work, enum work_kind kind, struct work_total *last,
	uint64_t at_ns, uint64_t total_ns)
{
	if (last->at_ns != 0 && total_ns >= last->ns && at_ns > last->at_ns) {
		reach(work, last->at_ns, at_ns);
		if (last->at_ns >= work->from_ns)
			spread(work, kind, last->at_ns, at_ns, (double)(total_ns - last->ns), 0);
	}
	*last = (struct work_total){total_ns, at_ns};
}

void work_cpu(struct work *work, uint64_t at_ns, uint64_t total_ns)
{
	add_total(work, WORK_CPU, &work->cpu, at_ns, total_ns);
}

void work_delay(struct work *work, uint64_t at_ns, uint64_t total_ns)
{
	add_total(work, WORK_DELAY, &work->delay, at_ns, total_ns);
}

static bool has_part(const char *path, const char *part)
{
	return strstr(path, part) != NULL;
}

bool work_is_queue(const struct lookup *lookup, const struct meta_PLACE *place)
{
	if (place == NULL || strcmp(place->language, "python") != 0)
		return false;
	const char *file = lookup_text(lookup, (uint32_t)place->file);
	return has_part(file, "multiprocessing/") || has_part(file, "/selectors.py") ||
	       has_part(file, "/queue.py") || has_part(file, "/threading.py");
}

bool work_is_of_files(const struct record *record)
{
	enum input_what what = (enum input_what)record_INPUT_what(record);
	return record_INPUT_medium(record) == MEDIUM_FILE &&
	       (what == INPUT_READ || what == INPUT_OPEN || what == INPUT_STAT);
}

/* The `with` statement of a lock between processes. */
static bool is_entered(const struct lookup *lookup, const struct record *record)
{
	const struct meta_PLACE *place = lookup_place(lookup, record->place);
	return place != NULL &&
	       has_part(lookup_text(lookup, (uint32_t)place->file),
		       "multiprocessing/synchronize.py") &&
	       strcmp(lookup_text(lookup, (uint32_t)place->function), "__enter__") == 0;
}

enum work_kind work_of_wait(const struct lookup *lookup, const struct record *record)
{
	enum input_what what = (enum input_what)record_INPUT_what(record);
	if (work_is_of_files(record))
		return WORK_FILE;
	if (what == INPUT_UNKNOWN || what > INPUT_LOCK)
		return WORK_OTHER;
	if (what == INPUT_LOCK && record_INPUT_medium(record) == MEDIUM_FILE)
		return WORK_LOCK;
	if (what == INPUT_LOCK && is_entered(lookup, record))
		return WORK_ENTER;
	return work_is_queue(lookup, lookup_place(lookup, record->place)) ? WORK_IDLE : WORK_OTHER;
}

void work_enter(struct work *work, bool of_loader)
{
	for (unsigned i = 0; i < WORK_PARTS; i++) {
		double *ns = work->parts[i].ns;
		ns[of_loader ? WORK_LOCK : WORK_IDLE] += ns[WORK_ENTER];
		ns[WORK_ENTER] = 0;
	}
}

struct work_sums work_between(const struct work *work, uint64_t begin_ns, uint64_t end_ns)
{
	struct work_sums sums = {.loads = 0};
	if (work->part_ns == 0)
		return sums;
	sums.span_ns = (double)overlap(begin_ns, end_ns, work->from_ns, work->until_ns);
	for (unsigned i = 0; i < WORK_PARTS; i++) {
		uint64_t from = part_begin(work, i), until = from + work->part_ns;
		if (until > work->until_ns)
			until = work->until_ns;
		uint64_t common = overlap(begin_ns, end_ns, from, until);
		if (common == 0)
			continue;
		double share = (double)common / (double)(until - from);
		for (unsigned kind = 0; kind < WORK_KINDS; kind++)
			sums.ns[kind] += work->parts[i].ns[kind] * share;
		sums.bytes += work->parts[i].bytes * share;
		sums.loads += work->parts[i].loads * share;
	}
	return sums;
}
