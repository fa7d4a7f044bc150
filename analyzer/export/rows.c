/* SPDX-License-Identifier: MIT */
#include "analyzer/export/rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "collector/format/fields.h"

void rows_release(struct rows *rows)
{
	for (size_t i = 0; i < rows->items.count; i++)
		lanes_release(&rows->items.items[i].lanes);
	vec_release(&rows->items);
	*rows = (struct rows){0};
}

bool row_of(const struct record *record, struct row_key *ret_key)
{
	switch (record->kind) {
	case RECORD_DEVICE_KERNEL:
	case RECORD_DEVICE_COPY:
	case RECORD_DEVICE_SET:
		*ret_key = (struct row_key){
			ROW_STREAM, record_device(record), record_device_stream(record)};
		return true;
	case RECORD_DEVICE_SYNC:
		*ret_key = (struct row_key){ROW_WAITS, record_device(record), 0};
		return true;
	case RECORD_DEVICE_API:
		*ret_key = (struct row_key){ROW_API, 0, record_DEVICE_API_thread(record)};
		return true;
	case RECORD_OVERHEAD:
		*ret_key = (struct row_key){ROW_OVERHEAD, 0, record_OVERHEAD_thread(record)};
		return true;
	default:
		return false;
	}
}

struct row *rows_find(struct rows *rows, const struct row_key *key)
{
	for (size_t i = 0; i < rows->items.count; i++)
		if (row_is(&rows->items.items[i], key)) {
			*rows_recent(rows, key) = (uint32_t)i + 1;
			return &rows->items.items[i];
		}
	return NULL;
}

struct row *rows_make(struct rows *rows, const struct row_key *key)
{
	struct row *found = rows_find(rows, key);
	if (found != NULL)
		return found;
	if (vec_push(&rows->items, ((struct row){.key = *key})) < 0)
		return NULL;
	return &rows->items.items[rows->items.count - 1];
}

uint32_t row_order(const struct row_key *key)
{
	const uint32_t rows = 1u << 20, devices = 64;
	uint32_t device = key->device < devices ? key->device : devices - 1;
	uint32_t id = key->id < rows / devices ? (uint32_t)key->id : rows / devices - 1;
	return (uint32_t)key->class * rows + device * (rows / devices) + id;
}

void row_name(const struct row_key *key, const char *thread_name, char text[ROWS_TEXT])
{
	static const char *const names[] = {[ROW_STEPS] = "steps",
		[ROW_FINDINGS] = "findings",
		[ROW_API] = "calls seen by the device side",
		[ROW_OVERHEAD] = "overhead of recording"};
	switch (key->class) {
	case ROW_STREAM:
		snprintf(text, ROWS_TEXT, "device %" PRIu32 " stream 0x%" PRIx64, key->device,
			key->id);
		break;
	case ROW_WAITS:
		snprintf(text, ROWS_TEXT, "device %" PRIu32 " waits of the host", key->device);
		break;
	case ROW_THREAD:
		snprintf(text, ROWS_TEXT, "%.100s", thread_name);
		break;
	case ROW_API:
	case ROW_OVERHEAD:
		snprintf(text, ROWS_TEXT, "%s, thread %" PRIu64, names[key->class], key->id);
		break;
	default:
		snprintf(text, ROWS_TEXT, "%s", names[key->class]);
	}
}
