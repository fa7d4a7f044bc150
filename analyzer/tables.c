/* SPDX-License-Identifier: MIT */
#include "analyzer/tables.h"

#include <errno.h>
#include <stdlib.h>

#include "analyzer/tables_error.h"
#include "analyzer/tables_parts.h"

struct tables *tables_new(void)
{
	struct tables *tables = calloc(1, sizeof(*tables));
	if (tables != NULL)
		tables->first_ns = UINT64_MAX;
	return tables;
}

void tables_free(struct tables *tables)
{
	if (tables == NULL)
		return;
	for (unsigned id = 0; id < TABLES_COUNT; id++)
		tables_set_release(&tables->sets[id], id);
	free(tables);
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

static int fail(struct tables *tables, const struct record *call, uint64_t function)
{
	const uint64_t key[TABLES_KEY] = {function, (uint32_t)call->result};
	if ((call->d & RECORD_NOT_READY) != 0 || tables_error_is_answer(call->result))
		return 0;
	struct tables_row *row = find(tables, TABLES_FAILED_CALLS, key);
	if (row == NULL)
		return -ENOMEM;
	if (row->count++ == 0 || call->begin < row->first_ns) {
		row->first_ns = call->begin;
		row->place = call->place;
	}
	row->driver = (call->d & RECORD_DRIVER) != 0;
	return 0;
}

/* What a call is known by: its function, or its kind when that is not known. */
static uint64_t function_of(const struct record *call)
{
	return call->call != 0 ? call->call : (uint64_t)call->kind << 16;
}

int tables_call(struct tables *tables, const struct record *call)
{
	uint64_t function = function_of(call);
	struct tables_row **recent = &tables->recent[function % TABLES_RECENT];
	struct tables_row *row = *recent;
	if (__builtin_expect(row == NULL || row->key[0] != function, 0)) {
		const uint64_t key[TABLES_KEY] = {function};
		row = find(tables, TABLES_API_CALLS, key);
		if (row == NULL)
			return -ENOMEM;
		row->driver = (call->d & RECORD_DRIVER) != 0;
		if (!row->others)
			*recent = row;
	}
	extend(tables, call);
	row->count++;
	if (tables_hist_add(&row->hists[0], length_of(call)) < 0)
		return -ENOMEM;
	return __builtin_expect(call->result == 0, 1) ? 0 : fail(tables, call, function);
}

/* One more in a row of operations; its time, unless that is not known. */
static int count_operation(
	struct tables *tables, enum tables_id id, const uint64_t *key, const struct record *record)
{
	struct tables_row *row = find(tables, id, key);
	if (row == NULL)
		return -ENOMEM;
	row->count++;
	if (((uint32_t)record->result >> 16 & DEVICE_NO_TIMES) != 0)
		return 0;
	if (id == TABLES_DEVICES || id == TABLES_STREAMS)
		return tables_busy_add(&row->busy, record->begin, record->end);
	int err = tables_hist_add(&row->hists[0], length_of(record));
	if (err == 0 && id == TABLES_COPIES)
		err = tables_hist_add(&row->hists[1], record->a);
	return err;
}

static int count_kernel(struct tables *tables, const struct record *kernel)
{
	const uint64_t name[TABLES_KEY] = {RECORD_DEVICE_KERNEL, kernel->name};
	const uint64_t shape[TABLES_KEY] = {
		(uint64_t)((uint32_t)kernel->result & 0xffff) << 32 | kernel->name, kernel->a,
		kernel->b & 0xffffffffffff, kernel->c};
	int err = count_operation(tables, TABLES_GPU_ACTIVITIES, name, kernel);
	return err < 0 ? err : count_operation(tables, TABLES_KERNELS, shape, kernel);
}

static int count_copy(struct tables *tables, const struct record *copy)
{
	bool set = copy->kind == RECORD_DEVICE_SET;
	/* of a set the memory stands where a copy has its direction */
	const uint64_t name[TABLES_KEY] = {copy->kind, set ? 0 : copy->b & 0xff};
	const uint64_t kind[TABLES_KEY] = {
		copy->kind, set ? copy->b & 0xffff0000000000ffull : copy->b};
	int err = count_operation(tables, TABLES_GPU_ACTIVITIES, name, copy);
	return err < 0 ? err : count_operation(tables, TABLES_COPIES, kind, copy);
}

int tables_device(struct tables *tables, const struct record *operation)
{
	const uint64_t stream[TABLES_KEY] = {operation->b >> 48, (uint32_t)operation->stream};
	const uint64_t device[TABLES_KEY] = {operation->b >> 48};
	tables->devices++;
	extend(tables, operation);
	int err = operation->kind == RECORD_DEVICE_KERNEL ? count_kernel(tables, operation)
							  : count_copy(tables, operation);
	if (err == 0)
		err = count_operation(tables, TABLES_DEVICES, device, operation);
	return err < 0 ? err : count_operation(tables, TABLES_STREAMS, stream, operation);
}

int tables_pair(struct tables *tables, const struct record *call, const struct record *operation)
{
	const uint64_t key[TABLES_KEY] = {function_of(call), operation->name};
	if (operation->kind != RECORD_DEVICE_KERNEL ||
		((uint32_t)operation->result >> 16 & DEVICE_NO_TIMES) != 0)
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
