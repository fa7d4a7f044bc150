/* SPDX-License-Identifier: MIT */
#include "analyzer/output/chrome_rows.h"

#include <stdlib.h>

#include "collector/format/fields.h"

void chrome_rows_release(struct chrome_rows *rows)
{
	free(rows->rows);
	*rows = (struct chrome_rows){0};
}

bool chrome_row_of(const struct record *record, struct chrome_row *ret_row)
{
	switch (record->kind) {
	case RECORD_DEVICE_KERNEL:
	case RECORD_DEVICE_COPY:
	case RECORD_DEVICE_SET:
		*ret_row = (struct chrome_row){
			CHROME_ROW_STREAM, record_device(record), record_device_stream(record)};
		return true;
	case RECORD_DEVICE_SYNC:
		*ret_row = (struct chrome_row){CHROME_ROW_STREAM, record_device(record),
			record_DEVICE_SYNC_stream(record)};
		return true;
	case RECORD_DEVICE_API:
		*ret_row = (struct chrome_row){CHROME_ROW_API, 0, record_DEVICE_API_thread(record)};
		return true;
	case RECORD_OVERHEAD:
		*ret_row =
			(struct chrome_row){CHROME_ROW_OVERHEAD, 0, record_OVERHEAD_thread(record)};
		return true;
	default:
		return false;
	}
}

uint64_t chrome_row_order(const struct chrome_row *row)
{
	const uint64_t streams = 1u << 10; /* viewers keep orders in 32 bits */
	uint64_t device = row->class == CHROME_ROW_STREAM ? row->device : UINT16_MAX + row->class;
	return CHROME_ROW_FIRST + device * streams + (row->id < streams ? row->id : streams - 1);
}

static bool is_row(const struct chrome_row *left, const struct chrome_row *right)
{
	return left->id == right->id && left->device == right->device &&
	       left->class == right->class;
}

uint32_t chrome_rows_number(struct chrome_rows *rows, const struct chrome_row *row, bool *ret_new)
{
	*ret_new = false;
	if (rows->count > 0 && is_row(&rows->rows[rows->last], row))
		return CHROME_ROW_FIRST + (uint32_t)rows->last;
	for (size_t i = 0; i < rows->count; i++)
		if (is_row(&rows->rows[i], row)) {
			rows->last = i;
			return CHROME_ROW_FIRST + (uint32_t)i;
		}
	if (rows->rows == NULL)
		rows->rows = calloc(CHROME_ROW_LIMIT, sizeof(*rows->rows));
	if (rows->rows == NULL || rows->count == CHROME_ROW_LIMIT)
		return CHROME_ROW_FIRST + CHROME_ROW_LIMIT;
	rows->rows[rows->count] = *row;
	rows->last = rows->count++;
	*ret_new = true;
	return CHROME_ROW_FIRST + (uint32_t)rows->last;
}
