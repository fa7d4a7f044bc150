/* SPDX-License-Identifier: MIT */
#include "analyzer/counts/counts.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/base/hash.h"
#include "collector/format/collective.h"
#include "collector/format/fields.h"

/* Only what ran: a refused call did nothing, a captured one will. */
static bool ran(const struct record *call)
{
	return (record_flags(call) & RECORD_CAPTURED) == 0 && call->result == 0;
}

/* Pinned memory is taken by threads beside the loop, a little more in one run than in the next. */
static bool is_device_memory(const struct record *call)
{
	uint64_t memory = record_ALLOC_memory(call);
	return memory == MEMORY_DEVICE || memory == MEMORY_MANAGED;
}

struct counts *counts_new(void)
{
	return calloc(1, sizeof(struct counts));
}

void counts_free(struct counts *counts)
{
	if (counts == NULL)
		return;
	for (unsigned table = 0; table < COUNTS_TABLE_COUNT; table++) {
		VEC_FOREACH (row, &counts->sets[table].rows)
			series_release(&row->sums);
		vec_release(&counts->sets[table].rows);
		slots_release(&counts->sets[table].slots);
	}
	free(counts);
}

static struct counts_row *add_row(struct counts_set *set, uint64_t key, uint32_t hash)
{
	struct counts_row row = {.key = key, .others = set->rows.count == COUNTS_ROWS};
	uint32_t index = (uint32_t)set->rows.count;
	if (series_init(&row.sums, COUNTS_VALUE_COUNT) < 0)
		return NULL;
	if ((!row.others && slots_add(&set->slots, hash, index) < 0) ||
		vec_push(&set->rows, row) < 0) {
		series_release(&row.sums);
		return NULL;
	}
	return &set->rows.items[index];
}

static struct counts_row *find_row(struct counts_set *set, uint64_t key, bool make)
{
	const uint32_t hash = (uint32_t)(hash_mix(key, key >> 32) >> 32);
	uint32_t at = slots_begin(&set->slots, hash), item;
	while ((item = slots_match(&set->slots, hash, &at)) != SLOTS_NONE)
		if (set->rows.items[item].key == key)
			return &set->rows.items[item];
	if (set->rows.count > COUNTS_ROWS)
		return &set->rows.items[COUNTS_ROWS];
	return make ? add_row(set, key, hash) : NULL;
}

static int count(struct counts *counts, enum counts_table table, uint64_t step, uint64_t key,
	const struct record *record, uint64_t bytes)
{
	struct counts_row *row = find_row(&counts->sets[table], key, true);
	if (row == NULL)
		return -ENOMEM;
	uint64_t *values = series_at(&row->sums, step);
	values[COUNTS_COUNT]++;
	values[COUNTS_HOST_NS] += record->end - record->begin;
	values[COUNTS_BYTES] += bytes;
	return 0;
}

int counts_call(struct counts *counts, uint64_t step, const struct record *call)
{
	int err = count(counts, COUNTS_CALLS, step, call->call, call, 0);
	if (err == 0 && call->kind == RECORD_LAUNCH && ran(call))
		err = count(counts, COUNTS_KERNELS, step, call->name, call, 0);
	if (err == 0 && call->kind == RECORD_COPY && ran(call))
		err = count(counts, COUNTS_COPIES, step, counts_copy_key(call), call,
			record_bytes(call));
	if (err == 0 && call->kind == RECORD_ALLOC && ran(call) && is_device_memory(call))
		err = count(counts, COUNTS_ALLOCS, step, 0, call, 0);
	return err;
}

int counts_collective(struct counts *counts, uint64_t step, const struct record *call)
{
	bool moves = record_COLLECTIVE_what(call) <= COLLECTIVE_MOVES;
	bool captured = (record_COLLECTIVE_flags(call) & COLLECTIVE_CAPTURED) != 0;
	bool done = call->result == 0 || call->result == COLLECTIVE_IN_PROGRESS;
	return moves && done && !captured
		       ? count(counts, COUNTS_MOVES, step, 0, call, record_COLLECTIVE_bytes(call))
		       : 0;
}

int counts_op(struct counts *counts, uint64_t step, const struct record *op)
{
	return count(counts, COUNTS_OPERATORS, step, op->name, op, 0);
}

int counts_operation(struct counts *counts, const struct record *operation)
{
	bool kernel = operation->kind == RECORD_DEVICE_KERNEL;
	if (!kernel && operation->kind != RECORD_DEVICE_COPY)
		return 0;
	enum counts_table table = kernel ? COUNTS_KERNELS : COUNTS_COPIES;
	uint64_t key = kernel ? operation->name : counts_copy_key(operation);
	struct counts_row *row = find_row(&counts->sets[table], key, false);
	if (row == NULL || operation->end <= operation->begin)
		return 0;
	row->device_ns += operation->end - operation->begin;
	row->operations++;
	return 0;
}

void counts_cut(struct counts *counts, uint64_t step, enum step_cut cut)
{
	if (cut == CUT_STEP && !counts->parted)
		return;
	for (unsigned table = 0; table < COUNTS_TABLE_COUNT; table++)
		VEC_FOREACH (row, &counts->sets[table].rows)
			series_cut(&row->sums, step, cut);
	counts->parted = cut_has_parts(cut, counts->parted);
}

void counts_finish(struct counts *counts, bool tail)
{
	for (unsigned table = 0; table < COUNTS_TABLE_COUNT; table++)
		VEC_FOREACH (row, &counts->sets[table].rows)
			series_finish(&row->sums, tail);
}

void counts_restart(struct counts *counts)
{
	for (unsigned table = 0; table < COUNTS_TABLE_COUNT; table++)
		VEC_FOREACH (row, &counts->sets[table].rows)
			series_reset(&row->sums);
	counts->parted = false;
}

void counts_sum(const struct counts_row *row, uint64_t first, uint64_t until,
	uint64_t ret_sums[COUNTS_VALUE_COUNT])
{
	series_sum_steps(&row->sums, first, until, ret_sums);
}

void counts_most(const struct counts_row *row, uint64_t first, uint64_t until,
	uint64_t ret_most[COUNTS_VALUE_COUNT])
{
	series_most(&row->sums, first, until, ret_most);
}

uint64_t counts_copy_key(const struct record *copy)
{
	return record_bits_direction(record_direction(copy)) |
	       record_bits_src_memory(record_src_memory(copy)) |
	       record_bits_dst_memory(record_dst_memory(copy));
}

struct record counts_copy(uint64_t key)
{
	return (struct record){.kind = RECORD_DEVICE_COPY, .b = key};
}
