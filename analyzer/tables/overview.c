/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/feed.h"

#include <errno.h>

#include "analyzer/names/opname.h"
#include "analyzer/tables/fill.h"
#include "analyzer/tables/store.h"

static bool wants(const struct tables *tables, enum tables_id id)
{
	return (tables->wanted >> id & 1) != 0;
}

static uint64_t rest(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

/* NULL: no memory. */
static struct tables_row *row_of(struct tables *tables, enum overview_part part)
{
	const uint64_t key[TABLES_KEY] = {part};
	if (tables->overview[part] == NULL)
		tables->overview[part] =
			tables_set_find(&tables->sets[TABLES_OVERVIEW], TABLES_OVERVIEW, key);
	return tables->overview[part];
}

static int add_time(
	struct tables *tables, struct tables_row *row, uint64_t begin_ns, uint64_t end_ns)
{
	if (end_ns <= begin_ns)
		return 0;
	if (tables->seen_end_ns == 0 || begin_ns < tables->seen_begin_ns)
		tables->seen_begin_ns = begin_ns;
	if (end_ns > tables->seen_end_ns)
		tables->seen_end_ns = end_ns;
	row->sum_ns += end_ns - begin_ns;
	return tables_busy_add(row->busy, begin_ns, end_ns);
}

int overview_add(struct tables *tables, enum overview_part part, uint64_t begin_ns, uint64_t end_ns)
{
	if (!wants(tables, TABLES_OVERVIEW))
		return 0;
	struct tables_row *row = row_of(tables, part);
	if (row == NULL)
		return -ENOMEM;
	row->count++;
	return add_time(tables, row, begin_ns, end_ns);
}

int overview_call(struct tables *tables, const struct record *call)
{
	int err = overview_add(tables, OVERVIEW_CALLS, call->begin, call->end);
	if (err == 0 && call->kind == RECORD_SYNC)
		err = overview_add(tables, OVERVIEW_SYNCS, call->begin, call->end);
	return err;
}

int overview_stage(struct tables *tables, const struct stage_span *span)
{
	if (!wants(tables, TABLES_OVERVIEW))
		return 0;
	struct tables_row *row = row_of(tables, (enum overview_part)span->stage);
	uint64_t at_ns = span->begin_ns;
	int err = row == NULL ? -ENOMEM : 0;
	if (err == 0)
		row->count++;
	for (unsigned i = 0; i < span->hole_count && err == 0; i++) {
		err = add_time(tables, row, at_ns, span->holes[i].begin_ns);
		at_ns = span->holes[i].end_ns;
	}
	return err < 0 ? err : add_time(tables, row, at_ns, span->end_ns);
}

/* The rows of a device, all of them, into tables->shares. 0 or -ENOMEM. */
static int find_shares(struct tables *tables, uint64_t device)
{
	if (tables->shares[0] != NULL && tables->shares[0]->key[0] == device &&
		!tables->shares[0]->others)
		return 0;
	for (unsigned share = 0; share < SHARE_COUNT; share++) {
		const uint64_t key[TABLES_KEY] = {device, share};
		tables->shares[share] = tables_set_find(
			&tables->sets[TABLES_DISTRIBUTION], TABLES_DISTRIBUTION, key);
		if (tables->shares[share] == NULL)
			return -ENOMEM;
	}
	return 0;
}

/* A kernel that ran, as what it did. 0 or -ENOMEM. */
static int add_kernel(struct tables *tables, bool communicates, const struct record *kernel)
{
	int err = find_shares(tables, record_device(kernel));
	if (err < 0)
		return err;
	struct tables_row *row =
		tables->shares[communicates ? SHARE_COMMUNICATION : SHARE_COMPUTATION];
	row->count++;
	err = tables_busy_add(row->busy, kernel->begin, kernel->end);
	return err < 0 ? err
		       : tables_busy_add(
				 tables->shares[SHARE_NEITHER]->busy, kernel->begin, kernel->end);
}

bool overview_communicates(struct tables *tables, const struct record *operation)
{
	return operation->kind == RECORD_DEVICE_KERNEL && tables->lookup.text != NULL &&
	       (opname_get(&tables->opnames, &tables->lookup, operation->name) & OPCLASS_COMM) != 0;
}

int overview_operation(struct tables *tables, const struct record *operation)
{
	static const enum overview_part parts[] = {
		OVERVIEW_KERNELS, OVERVIEW_COPIES, OVERVIEW_SETS};
	bool timed = (record_device_flags(operation) & DEVICE_NO_TIMES) == 0;
	bool kernel = operation->kind == RECORD_DEVICE_KERNEL;
	bool talks = kernel && overview_communicates(tables, operation);
	uint64_t begin_ns = timed ? operation->begin : 0, end_ns = timed ? operation->end : 0;
	int err = overview_add(
		tables, parts[operation->kind - RECORD_DEVICE_KERNEL], begin_ns, end_ns);
	if (err == 0 && talks)
		err = overview_add(tables, OVERVIEW_COMMUNICATION, begin_ns, end_ns);
	if (err < 0 || !kernel || !timed || !wants(tables, TABLES_DISTRIBUTION))
		return err;
	return add_kernel(tables, talks, operation);
}

void overview_fill(struct fill *fill)
{
	static const char *const names[OVERVIEW_PARTS] = {
		[OVERVIEW_OPERATORS] = "operators",
		[OVERVIEW_RANGES] = "ranges",
		[OVERVIEW_MODULES] = "modules",
		[OVERVIEW_CALLS] = "calls",
		[OVERVIEW_SYNCS] = "sync calls",
		[OVERVIEW_KERNELS] = "kernels",
		[OVERVIEW_COMMUNICATION] = "communication kernels",
		[OVERVIEW_COPIES] = "copies",
		[OVERVIEW_SETS] = "sets",
	};
	const struct tables_row *row = fill->row;
	uint64_t part = row->key[0], busy_ns = tables_busy_ns(row->busy);
	fill_add(fill, row->count);
	fill_add(fill, row->sum_ns);
	fill_add(fill, busy_ns);
	fill_add(fill, fill->whole_ns);
	fill_add_share(fill, busy_ns, fill->whole_ns);
	fill_add(fill, row->busy->late_ns);
	fill_add_text(fill, part < OVERVIEW_KERNELS ? "host" : "GPU");
	fill_add_text(fill, part < STAGE_COUNT      ? stage_names[part]
			    : part < OVERVIEW_PARTS ? names[part]
						    : NULL);
}

/* What is collected for another share of the row's device. */
static const struct tables_busy *busy_of(const struct fill *fill, enum overview_share share)
{
	static const struct tables_busy none;
	const struct tables_set *set = &fill->source->tables->sets[TABLES_DISTRIBUTION];
	for (size_t i = 0; i < set->rows.count; i++)
		if (set->rows.items[i]->key[0] == fill->row->key[0] &&
			set->rows.items[i]->key[1] == share)
			return set->rows.items[i]->busy;
	return &none;
}

void overview_fill_share(struct fill *fill)
{
	static const char *const names[SHARE_COUNT] = {
		"computation", "communication", "overlap", "exposed communication", "neither"};
	const struct tables_row *row = fill->row;
	enum overview_share share = (enum overview_share)row->key[1];
	uint64_t computing_ns = tables_busy_ns(busy_of(fill, SHARE_COMPUTATION));
	uint64_t talking_ns = tables_busy_ns(busy_of(fill, SHARE_COMMUNICATION));
	uint64_t any_ns = tables_busy_ns(busy_of(fill, SHARE_NEITHER));
	const uint64_t times[SHARE_COUNT] = {computing_ns, talking_ns,
		rest(computing_ns + talking_ns, any_ns), rest(any_ns, computing_ns),
		rest(fill->whole_ns, any_ns)};
	bool kernels = share == SHARE_COMPUTATION || share == SHARE_COMMUNICATION;
	fill_add_if(fill, !row->others, row->key[0]);
	fill_add_if(fill, kernels && !row->others, row->count);
	fill_add_if(fill, !row->others, times[share]);
	fill_add(fill, fill->whole_ns);
	fill_add_share(fill, row->others ? 0 : times[share], row->others ? 0 : fill->whole_ns);
	fill_add(fill, busy_of(fill, SHARE_NEITHER)->late_ns);
	fill_add_text(fill, row->others ? "others" : names[share]);
}
