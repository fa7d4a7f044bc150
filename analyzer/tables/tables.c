/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/tables.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/names/error.h"
#include "analyzer/tables/feed.h"
#include "analyzer/tables/store.h"

#define STEPS_WANTED (1u << TABLES_STEP_TRACE | 1u << TABLES_PERF_SUMMARY)

struct tables *tables_new(void)
{
	struct tables *tables = calloc(1, sizeof(*tables));
	if (tables == NULL)
		return NULL;
	tables->first_ns = UINT64_MAX;
	tables->wanted = TABLES_ALL;
	return tables;
}

void tables_want(struct tables *tables, uint32_t wanted)
{
	tables->wanted = wanted;
}

void tables_know(struct tables *tables, const struct lookup *lookup)
{
	tables->lookup = *lookup;
}

void tables_learnt(
	struct tables *tables, const struct compiled *regions, const struct pipeline *pipeline)
{
	tables->regions = regions;
	tables->pipeline = pipeline;
}

static void release(struct tables *tables)
{
	for (unsigned id = 0; id < TABLES_COUNT; id++)
		tables_set_release(&tables->sets[id], id);
	vec_release(&tables->lines_by_place);
	nesting_release(&tables->nesting);
	modules_release(&tables->modules);
	beneath_release(&tables->beneath);
	trace_release(&tables->trace);
	links_release(&tables->links);
	projection_release(&tables->projection);
	circle_release(&tables->pending);
	opname_release(&tables->opnames);
}

void tables_end_step(struct tables *tables, uint64_t step, uint64_t begin_ns, uint64_t end_ns)
{
	if ((tables->wanted & STEPS_WANTED) != 0 && tables->step_err == 0)
		tables->step_err = trace_step(&tables->trace, step, begin_ns, end_ns);
}

void tables_free(struct tables *tables)
{
	if (tables == NULL)
		return;
	release(tables);
	free(tables);
}

void tables_restart(struct tables *tables, bool all)
{
	trace_forget_steps(&tables->trace);
	if (!all)
		return;
	release(tables);
	*tables = (struct tables){.first_ns = UINT64_MAX,
		.wanted = tables->wanted,
		.lookup = tables->lookup,
		.regions = tables->regions};
}

void tables_span(struct tables *tables, uint64_t begin_ns, uint64_t end_ns)
{
	if (end_ns > begin_ns)
		tables->span_ns += end_ns - begin_ns;
}

bool tables_measured(const struct tables *tables)
{
	return tables->devices > 0;
}

static struct tables_row *find(
	struct tables *tables, enum tables_id id, const uint64_t key[TABLES_KEY])
{
	return tables_set_find(&tables->sets[id], id, key);
}

static uint64_t length_of(const struct record *record)
{
	return record->end > record->begin ? record->end - record->begin : 0;
}

static void extend(struct tables *tables, const struct record *record)
{
	if (record->begin < tables->first_ns)
		tables->first_ns = record->begin;
	if (record->end > tables->last_ns)
		tables->last_ns = record->end;
}

static inline bool wants(const struct tables *tables, enum tables_id id)
{
	return (tables->wanted >> id & 1) != 0;
}

static int fail(struct tables *tables, const struct record *call, uint64_t function)
{
	const uint64_t key[TABLES_KEY] = {function, (uint32_t)call->result};
	if ((record_flags(call) & RECORD_NOT_READY) != 0 || error_is_answer(call->result))
		return 0;
	struct tables_row *row = find(tables, TABLES_FAILED_CALLS, key);
	if (row == NULL)
		return -ENOMEM;
	if (row->count++ == 0 || call->begin < row->first_ns) {
		row->first_ns = call->begin;
		row->place = call->place;
	}
	row->driver = (record_flags(call) & RECORD_DRIVER) != 0;
	return 0;
}

/* The row of a small number out of those met of late, or of the set. NULL: no memory. */
static inline struct tables_row *find_recent(struct tables *tables, enum tables_id id,
	struct tables_row **recent, const uint64_t key[TABLES_KEY], unsigned word)
{
	struct tables_row **slot = &recent[key[word] % TABLES_RECENT];
	struct tables_row *row = *slot;
	if (__builtin_expect(row != NULL && row->key[word] == key[word], 1))
		return row;
	row = find(tables, id, key);
	if (row != NULL && !row->others)
		*slot = row;
	return row;
}

int tables_cover(struct tables *tables, uint64_t from_ns, bool covered)
{
	return beneath_cover(&tables->beneath, from_ns, covered);
}

void tables_step(struct tables *tables, uint64_t step, uint32_t thread)
{
	tables->step = step;
	tables->thread = thread;
}

static int hold(struct tables *tables, const struct record *record)
{
	bool call = record->kind == RECORD_ALLOC;
	const uint64_t key[TABLES_KEY] = {
		call ? record_ALLOC_device(record) : record_MEMORY_device(record)};
	struct tables_row *row = find(tables, TABLES_MEMORY, key);
	if (row == NULL)
		return -ENOMEM;
	row->count++;
	if (call)
		held_call(row->held, tables->step, record);
	else
		held_memory(row->held, record);
	return 0;
}

int tables_memory(struct tables *tables, const struct record *memory)
{
	return wants(tables, TABLES_MEMORY) ? hold(tables, memory) : 0;
}

int tables_call(struct tables *tables, const struct record *call)
{
	const uint64_t key[TABLES_KEY] = {key_function(call)};
	extend(tables, call); /* what was not asked for changes no figure of the others */
	if (__builtin_expect(call->kind == RECORD_ALLOC, 0) && wants(tables, TABLES_MEMORY) &&
		hold(tables, call) < 0)
		return -ENOMEM;
	if ((wants(tables, TABLES_LINES) && lines_call(tables, call) < 0) ||
		(wants(tables, TABLES_THREADS) && lines_thread_call(tables, call) < 0) ||
		overview_call(tables, call) < 0)
		return -ENOMEM;
	if ((tables->wanted & (1u << TABLES_API_CALLS | 1u << TABLES_FAILED_CALLS)) == 0)
		return 0;
	struct tables_row *row =
		find_recent(tables, TABLES_API_CALLS, tables->recent_calls, key, 0);
	if (row == NULL)
		return -ENOMEM;
	row->driver = (record_flags(call) & RECORD_DRIVER) != 0;
	row->count++;
	if (tables_hist_add(&row->hists[0], length_of(call)) < 0)
		return -ENOMEM;
	return __builtin_expect(call->result == 0, 1) ? 0 : fail(tables, call, key[0]);
}

static bool has_times(const struct record *operation)
{
	return (record_device_flags(operation) & DEVICE_NO_TIMES) == 0;
}

/* One more operation; its time, unless that is not known. row may be NULL: no memory. */
static inline int count_time(struct tables_row *row, const struct record *operation)
{
	if (row == NULL)
		return -ENOMEM;
	row->count++;
	return has_times(operation) ? tables_hist_add(&row->hists[0], length_of(operation)) : 0;
}

/* A kernel with its shape; by its name alone when that is all that is wanted, or fits. */
static int count_kernel(struct tables *tables, const struct record *kernel)
{
	if (wants(tables, TABLES_KERNELS)) {
		uint64_t shape[TABLES_KEY];
		key_of_kernel(kernel, shape);
		struct tables_row *row = find(tables, TABLES_KERNELS, shape);
		int err = count_time(row, kernel);
		if (err < 0 || !row->others)
			return err;
	}
	if (!wants(tables, TABLES_GPU_ACTIVITIES))
		return 0;
	uint64_t name[TABLES_KEY];
	key_of_activity(kernel, name);
	return count_time(
		find_recent(tables, TABLES_GPU_ACTIVITIES, tables->recent_names, name, 1), kernel);
}

/* A copy or set by its kind, as kernels are by their shapes. */
static int count_copy(struct tables *tables, const struct record *copy)
{
	if (wants(tables, TABLES_COPIES)) {
		uint64_t kind[TABLES_KEY];
		key_of_copy(copy, kind);
		struct tables_row *row = find(tables, TABLES_COPIES, kind);
		int err = count_time(row, copy);
		if (err == 0 && has_times(copy))
			err = tables_hist_add(&row->hists[1], record_bytes(copy));
		if (err < 0 || !row->others)
			return err;
	}
	if (!wants(tables, TABLES_GPU_ACTIVITIES))
		return 0;
	uint64_t name[TABLES_KEY];
	key_of_activity(copy, name);
	return count_time(find(tables, TABLES_GPU_ACTIVITIES, name), copy);
}

static int count_busy(struct tables *tables, enum tables_id id, const uint64_t key[TABLES_KEY],
	struct tables_row **last, const struct record *operation)
{
	struct tables_row *row = *last;
	if (!wants(tables, id))
		return 0;
	if (row == NULL || row->key[0] != key[0] || row->key[1] != key[1]) {
		row = find(tables, id, key);
		if (row == NULL)
			return -ENOMEM;
		*last = row->others ? NULL : row;
	}
	row->count++;
	if (!has_times(operation))
		return 0;
	return tables_busy_add(row->busy, operation->begin, operation->end);
}

int tables_device(struct tables *tables, const struct record *operation)
{
	const uint64_t stream[TABLES_KEY] = {
		record_device(operation), record_device_stream(operation)};
	const uint64_t device[TABLES_KEY] = {record_device(operation)};
	tables->devices++;
	extend(tables, operation);
	int err = operation->kind == RECORD_DEVICE_KERNEL ? count_kernel(tables, operation)
							  : count_copy(tables, operation);
	if (err == 0)
		err = count_busy(tables, TABLES_DEVICES, device, &tables->last_device, operation);
	if (err == 0)
		err = count_busy(tables, TABLES_STREAMS, stream, &tables->last_stream, operation);
	return err < 0 ? err : overview_operation(tables, operation);
}

static bool wants_operators(const struct tables *tables)
{
	return (tables->wanted & (1u << TABLES_OPERATORS | 1u << TABLES_OPERATORS_BY_SHAPE |
					 1u << TABLES_OPERATOR_KERNELS)) != 0;
}

/* Stretches of a thread's time are wanted, with what the device did for them. */
static bool wants_stretches(const struct tables *tables)
{
	return (tables->wanted &
		       (1u << TABLES_RANGES | 1u << TABLES_STEP_PHASES | 1u << TABLES_MODULES |
			       1u << TABLES_OVERVIEW | STEPS_WANTED)) != 0;
}

/* What the device did for a stretch of a thread's time is asked for. */
static bool projects(const struct tables *tables)
{
	return wants_stretches(tables) || tables->links.threads.count > 0;
}

int tables_range(struct tables *tables, uint32_t thread, const struct record *range)
{
	if (!wants_stretches(tables))
		return 0;
	if ((record_flags(range) & RANGE_MODULE) == 0)
		return ranges_end(tables, thread, range);
	int err = overview_add(tables, OVERVIEW_MODULES, range->begin, range->end);
	return err == 0 && wants(tables, TABLES_MODULES) ? modules_end(tables, thread, range) : err;
}

int tables_work(struct tables *tables, uint32_t thread, const struct record *call,
	const struct record *operation)
{
	int err = 0;
	if (has_times(operation) && wants_operators(tables))
		err = beneath_work(tables, thread, call, operation);
	if (err == 0 && has_times(operation) && wants(tables, TABLES_STEP_TRACE))
		err = trace_work(&tables->trace, tables->step, length_of(operation),
			overview_communicates(tables, operation));
	if (err == 0 && has_times(operation) && wants(tables, TABLES_THREADS))
		err = lines_thread_work(tables, thread, operation);
	if (err < 0 || !projects(tables) || !has_times(operation))
		return err;
	return projection_add(
		&tables->projection, thread, call->begin, operation->begin, operation->end);
}

int tables_finish(struct tables *tables)
{
	int err = tables->step_err;
	if (err == 0 && wants_operators(tables))
		err = beneath_finish(tables);
	if (err == 0 && projects(tables))
		err = ranges_finish(tables);
	trace_join(&tables->trace);
	return err;
}

int tables_op(struct tables *tables, uint32_t thread, const struct record *op, bool counts)
{
	uint64_t self_ns;
	if (wants_stretches(tables) && ranges_op(tables, thread, op) < 0)
		return -ENOMEM;
	if (counts && record_OP_scope(op) != OP_USER_SCOPE &&
		overview_add(tables, OVERVIEW_OPERATORS, op->begin, op->end) < 0)
		return -ENOMEM;
	if (!counts || (!wants_operators(tables) && !wants(tables, TABLES_LINES) &&
			       !wants(tables, TABLES_THREADS)))
		return 0;
	int err = nesting_end(&tables->nesting, thread, op, &self_ns);
	if (err == 0 && wants(tables, TABLES_LINES))
		err = lines_op(tables, op, self_ns);
	if (err == 0 && wants(tables, TABLES_THREADS))
		err = lines_thread_op(tables, thread, self_ns);
	if (err < 0 || !wants_operators(tables))
		return err < 0 ? err : ranges_link(tables, thread, op, NULL);
	return operators_end(tables, thread, op, self_ns);
}

int tables_pair(struct tables *tables, const struct record *call, const struct record *operation)
{
	const uint64_t key[TABLES_KEY] = {key_function(call), operation->name};
	if (wants(tables, TABLES_LINES) && has_times(operation) &&
		lines_pair(tables, call, operation) < 0)
		return -ENOMEM;
	if (!wants(tables, TABLES_LAUNCHES) || operation->kind != RECORD_DEVICE_KERNEL ||
		!has_times(operation))
		return 0;
	struct tables_row *row = find(tables, TABLES_LAUNCHES, key);
	if (row == NULL)
		return -ENOMEM;
	row->count++;
	uint64_t until = operation->end > call->end ? operation->end : call->end;
	int err = tables_hist_add(&row->hists[0], until > call->begin ? until - call->begin : 0);
	if (err == 0)
		err = tables_hist_add(&row->hists[1], length_of(call));
	if (err == 0 && operation->begin > call->end)
		err = tables_hist_add(&row->hists[2], operation->begin - call->end);
	return err < 0 ? err : tables_hist_add(&row->hists[3], length_of(operation));
}
