/* SPDX-License-Identifier: MIT */
#include "analyzer/page/row.h"

#include "collector/format/fields.h"

const char *const row_class_names[ROW_CLASS_COUNT] = {
	[ROW_THREAD] = "thread",
	[ROW_STREAM] = "stream",
	[ROW_DEVICE_WAIT] = "device_wait",
	[ROW_DEVICE_MEMORY] = "device_memory",
	[ROW_DEVICE_CALL] = "device_call",
	[ROW_OVERHEAD] = "overhead",
	[ROW_STACK] = "stack",
	[ROW_FIGURE] = "figure",
	[ROW_THREAD_FIGURE] = "thread_figure",
	[ROW_STATE] = "state",
};

struct row_id row_id_of(uint32_t thread, const struct record *record)
{
	switch (record->kind) {
	case RECORD_DEVICE_KERNEL:
	case RECORD_DEVICE_COPY:
	case RECORD_DEVICE_SET:
		return (struct row_id){
			ROW_STREAM, record_device(record), record_device_stream(record)};
	case RECORD_DEVICE_SYNC:
		return (struct row_id){ROW_DEVICE_WAIT, record_device(record), 0};
	case RECORD_DEVICE_MEMORY:
		return (struct row_id){ROW_DEVICE_MEMORY, 0, 0};
	case RECORD_DEVICE_API:
		return (struct row_id){ROW_DEVICE_CALL, 0, record_DEVICE_API_thread(record)};
	case RECORD_OVERHEAD:
		return (struct row_id){ROW_OVERHEAD, 0, record_OVERHEAD_thread(record)};
	case RECORD_STACK:
		return (struct row_id){ROW_STACK, 0, record_STACK_thread(record)};
	case RECORD_SAMPLE:
		return (struct row_id){ROW_FIGURE, record_SAMPLE_metric(record), 0};
	case RECORD_THREAD_SAMPLE:
		return (struct row_id){ROW_THREAD_FIGURE, record_THREAD_SAMPLE_metric(record),
			record_THREAD_SAMPLE_thread(record)};
	case RECORD_SOURCE_STATE:
	case RECORD_MARK:
		return (struct row_id){ROW_STATE, 0, 0};
	default:
		return (struct row_id){ROW_THREAD, 0, thread};
	}
}
