/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/names/error.h"
#include "analyzer/tables/store.h"
#include "analyzer/tables/tables.h"
#include "test/unit/analyzer/tables_cell.h"

Test(tables_error, names_of_runtime_and_driver)
{
	cr_expect(eq(str, (char *)error_name(2, false), "cudaErrorMemoryAllocation"));
	cr_expect(eq(str, (char *)error_name(2, true), "CUDA_ERROR_OUT_OF_MEMORY"));
	cr_expect(eq(str, (char *)error_name(35, true), "cudaErrorInsufficientDriver"));
	cr_expect(error_name(-7, false) == NULL);
	cr_expect(error_is_answer(600));
	cr_expect(not(error_is_answer(1)));
}

static struct record kernel(uint32_t name, uint64_t begin_ns, uint64_t end_ns)
{
	return (struct record){.kind = RECORD_DEVICE_KERNEL,
		.name = name,
		.begin = begin_ns,
		.end = end_ns,
		.stream = 7,
		.a = record_bits_grid_x(16) | record_bits_grid_y(2) | record_bits_grid_z(1),
		.b = record_bits_block_x(128) | record_bits_block_y(1) | record_bits_block_z(1),
		.c = record_bits_shared_bytes(4096),
		.result = record_bits_DEVICE_KERNEL_registers(40)};
}

static struct record copy(uint64_t b, uint64_t bytes, uint64_t begin_ns, uint64_t end_ns)
{
	return (struct record){.kind = RECORD_DEVICE_COPY,
		.stream = 7,
		.a = bytes,
		.b = b,
		.begin = begin_ns,
		.end = end_ns};
}

Test(tables, every_row_fills_every_column)
{
	for (unsigned id = 0; id < TABLES_COUNT; id++) {
		if (id == TABLES_WORKERS || id == TABLES_FILES || id == TABLES_PROCESSES ||
			id == TABLES_STEP_TRACE || id == TABLES_PERF_SUMMARY ||
			id == TABLES_COLLECTIVES || id == TABLES_COMPILED || id == TABLES_PIPELINE)
			continue; /* their rows are given */
		const uint64_t key[TABLES_KEY] = {RECORD_DEVICE_COPY, 1};
		struct tables_cell cells[64];
		struct tables *tables = tables_new();
		struct tables_source source = names_source(tables);
		struct tables_row *row = tables_row_new(id, key);
		size_t columns;
		cr_assert(row != NULL && tables != NULL);
		const struct tables_column *first = tables_columns(id, &columns);
		const struct tables_whole whole = {100, 100};
		cr_expect(eq(sz, tables_row_cells(&source, id, row, &whole, cells), columns), "%s",
			tables_infos[id].name);
		for (size_t i = 0; i < columns; i++)
			cr_expect(not(cells[i].known && first[i].type == TABLES_TEXT &&
				      cells[i].text == NULL));
		tables_row_free(row, id);
		tables_free(tables);
	}
}

Test(tables, calls_are_summed_by_function_and_failures_counted)
{
	struct tables *tables = tables_new();
	for (uint64_t i = 0; i < 100; i++) {
		struct record call = {.kind = RECORD_LAUNCH,
			.call = NAMES_LAUNCH,
			.begin = 1000 + i * 100,
			.end = 1000 + i * 100 + i + 1};
		cr_assert(eq(int, tables_call(tables, &call), 0));
	}
	struct record query = {.kind = RECORD_EVENT,
		.call = NAMES_QUERY,
		.d = RECORD_QUERY | RECORD_NOT_READY,
		.result = 600,
		.begin = 5,
		.end = 6};
	struct record driver = {.kind = RECORD_ALLOC,
		.call = NAMES_DRIVER_ALLOC,
		.d = RECORD_DRIVER,
		.result = 2,
		.place = NAMES_PLACE,
		.begin = 2000,
		.end = 2010};
	cr_assert(eq(int, tables_call(tables, &query), 0));
	cr_assert(eq(int, tables_call(tables, &driver), 0));
	driver.begin = 1500; /* ended later, began earlier */
	driver.end = 9000;
	cr_assert(eq(int, tables_call(tables, &driver), 0));
	NUMBER(API_CALLS, 0, "total_ns", 7510);
	TEXT(API_CALLS, 0, "api", "driver");
	TEXT(API_CALLS, 0, "name", "cuMemAlloc_v2");
	NUMBER(API_CALLS, 1, "count", 100);
	NUMBER(API_CALLS, 1, "total_ns", 5050);
	NUMBER(API_CALLS, 1, "time_pct", (5050 * 1000 + 6280) / 12561);
	NUMBER(API_CALLS, 1, "median_ns", 50);
	NUMBER(API_CALLS, 1, "p99_ns", 99);
	NUMBER(API_CALLS, 1, "stddev_ns", 29);
	TEXT(API_CALLS, 1, "api", "runtime");
	cr_expect(eq(sz, row_count(tables, TABLES_FAILED_CALLS), 1));
	NUMBER(FAILED_CALLS, 0, "count", 2);
	NUMBER(FAILED_CALLS, 0, "first_ns", 500);
	NUMBER(FAILED_CALLS, 0, "error", 2);
	TEXT(FAILED_CALLS, 0, "error_name", "CUDA_ERROR_OUT_OF_MEMORY");
	TEXT(FAILED_CALLS, 0, "file", "train.py");
	NUMBER(FAILED_CALLS, 0, "line", 30);
	tables_free(tables);
}

Test(tables, kernels_have_shapes_and_shown_names_are_merged)
{
	struct tables *tables = tables_new();
	struct record first = kernel(NAMES_KERNEL, 0, 100), other = kernel(NAMES_KERNEL, 200, 500);
	struct record twin = kernel(NAMES_KERNEL_TWIN, 600, 1000);
	record_set_grid_x(&other, 32);
	record_set_grid_y(&other, 1);
	cr_assert(eq(int, tables_device(tables, &first), 0));
	cr_assert(eq(int, tables_device(tables, &other), 0));
	cr_assert(eq(int, tables_device(tables, &twin), 0));
	cr_expect(eq(sz, row_count(tables, TABLES_KERNELS), 2));
	NUMBER(KERNELS, 0, "total_ns", 500); /* first and twin: same name shown, same shape */
	NUMBER(KERNELS, 0, "grid", key_shape(16, 2, 1));
	NUMBER(KERNELS, 0, "block", key_shape(128, 1, 1));
	NUMBER(KERNELS, 0, "registers", 40);
	NUMBER(KERNELS, 0, "shared_bytes", 4096);
	NUMBER(KERNELS, 1, "grid", key_shape(32, 1, 1));
	cr_expect(eq(sz, row_count(tables, TABLES_GPU_ACTIVITIES), 1));
	NUMBER(GPU_ACTIVITIES, 0, "count", 3);
	NUMBER(GPU_ACTIVITIES, 0, "time_pct", 1000);
	TEXT(GPU_ACTIVITIES, 0, "kind", "kernel");
	TEXT(GPU_ACTIVITIES, 0, "name", "relu");
	tables_free(tables);
}

Test(tables, copies_by_kind_with_bandwidth)
{
	struct tables *tables = tables_new();
	const uint64_t in = record_bits_direction(COPY_HOST_TO_DEVICE) |
			    record_bits_src_memory(MEMORY_PINNED) |
			    record_bits_dst_memory(MEMORY_DEVICE);
	const uint64_t inside = record_bits_direction(COPY_DEVICE_TO_DEVICE) |
				record_bits_src_memory(MEMORY_DEVICE) |
				record_bits_dst_memory(MEMORY_DEVICE);
	const uint64_t across = record_bits_direction(COPY_PEER) | record_bits_DEVICE_COPY_peer(3) |
				record_bits_device(1);
	struct record pinned = copy(in, 12000, 0, 1000);
	struct record within = copy(inside, 100, 0, 2000);
	struct record peer = copy(across, 7, 0, 10);
	struct record set = {.kind = RECORD_DEVICE_SET,
		.b = MEMORY_DEVICE,
		.a = 64,
		.c = 0xff,
		.begin = 0,
		.end = 4};
	cr_assert(eq(int, tables_device(tables, &pinned), 0));
	cr_assert(eq(int, tables_device(tables, &within), 0));
	cr_assert(eq(int, tables_device(tables, &peer), 0));
	cr_assert(eq(int, tables_device(tables, &set), 0));
	TEXT(COPIES, 0, "name", "[CUDA memcpy DtoD]");
	NUMBER(COPIES, 0, "declared_bytes_per_s", 1000000000000);
	TEXT(COPIES, 1, "name", "[CUDA memcpy HtoD]");
	TEXT(COPIES, 1, "direction", "host_to_device");
	TEXT(COPIES, 1, "src_memory", "pinned");
	TEXT(COPIES, 1, "dst_memory", "device");
	NUMBER(COPIES, 1, "total_bytes", 12000);
	NUMBER(COPIES, 1, "achieved_bytes_per_s", 12000000000);
	NUMBER(COPIES, 1, "declared_bytes_per_s", 25000000000);
	UNKNOWN(COPIES, 1, "peer");
	TEXT(COPIES, 2, "name", "[CUDA memcpy PtoP]");
	NUMBER(COPIES, 2, "peer", 3);
	UNKNOWN(COPIES, 2, "declared_bytes_per_s");
	UNKNOWN(COPIES, 2, "src_memory");
	TEXT(COPIES, 3, "name", "[CUDA memset]");
	UNKNOWN(COPIES, 3, "direction");
	NUMBER(COPIES, 3, "declared_bytes_per_s", 2000000000000);
	TEXT(GPU_ACTIVITIES, 1, "kind", "copy");
	TEXT(GPU_ACTIVITIES, 3, "kind", "set");
	tables_free(tables);
}

Test(tables, launch_to_run_splits_call_queue_and_run)
{
	struct tables *tables = tables_new();
	const struct record call = {
		.kind = RECORD_LAUNCH, .call = NAMES_LAUNCH, .begin = 1000, .end = 1004};
	struct record queued = kernel(NAMES_KERNEL, 1100, 1150);
	struct record at_once = kernel(NAMES_KERNEL, 1002, 1003);
	cr_assert(eq(int, tables_pair(tables, &call, &queued), 0));
	cr_assert(eq(int, tables_pair(tables, &call, &at_once), 0));
	struct record in = copy(COPY_HOST_TO_DEVICE, 1, 1, 2);
	cr_assert(eq(int, tables_pair(tables, &call, &in), 0));
	cr_expect(eq(sz, row_count(tables, TABLES_LAUNCHES), 1));
	NUMBER(LAUNCHES, 0, "count", 2);
	NUMBER(LAUNCHES, 0, "queued_count", 1);
	NUMBER(LAUNCHES, 0, "queue_avg_ns", 96);
	NUMBER(LAUNCHES, 0, "call_avg_ns", 4);
	NUMBER(LAUNCHES, 0, "run_max_ns", 50);
	NUMBER(LAUNCHES, 0, "total_max_ns", 150);
	NUMBER(LAUNCHES, 0, "total_min_ns", 4);
	TEXT(LAUNCHES, 0, "call", "cudaLaunchKernel");
	tables_free(tables);
}

Test(tables, busy_is_a_union_and_refers_to_the_time_wanted)
{
	struct tables *tables = tables_new();
	struct record one = kernel(NAMES_KERNEL, 1000, 1600),
		      two = kernel(NAMES_KERNEL, 1400, 2000);
	two.stream = 8;
	cr_assert(eq(int, tables_device(tables, &two), 0));
	cr_assert(eq(int, tables_device(tables, &one), 0));
	NUMBER(DEVICES, 0, "busy_ns", 1000);
	NUMBER(DEVICES, 0, "busy_pct", 1000);
	TEXT(DEVICES, 0, "name", "Simulated");
	NUMBER(STREAMS, 0, "stream", 7);
	NUMBER(STREAMS, 0, "busy_ns", 600);
	NUMBER(STREAMS, 0, "busy_pct", 600);
	NUMBER(STREAMS, 1, "busy_ns", 600);
	tables_span(tables, 0, 1500);
	tables_span(tables, 2000, 2500);
	NUMBER(DEVICES, 0, "span_ns", 2000);
	NUMBER(DEVICES, 0, "busy_pct", 500);
	tables_free(tables);
}

Test(tables, without_times_an_operation_is_only_counted)
{
	struct tables *tables = tables_new();
	struct record timed = kernel(NAMES_KERNEL, 0, 100), untimed = kernel(NAMES_KERNEL, 0, 1000);
	record_set_device_flags(&untimed, DEVICE_NO_TIMES);
	cr_assert(eq(int, tables_device(tables, &timed), 0));
	cr_assert(eq(int, tables_device(tables, &untimed), 0));
	NUMBER(GPU_ACTIVITIES, 0, "count", 1);
	NUMBER(GPU_ACTIVITIES, 0, "untimed", 1);
	NUMBER(GPU_ACTIVITIES, 0, "total_ns", 100);
	NUMBER(DEVICES, 0, "busy_ns", 100);
	NUMBER(DEVICES, 0, "count", 2);
	tables_free(tables);
}

Test(tables, what_does_not_fit_is_in_others)
{
	struct tables *tables = tables_new();
	uint64_t total_ns = 0, count = 0;
	for (uint32_t i = 0; i < 3000; i++) {
		struct record one = kernel(NAMES_MANY + i, i * 10, i * 10 + 1 + i % 9);
		total_ns += 1 + i % 9;
		cr_assert(eq(int, tables_device(tables, &one), 0));
	}
	for (unsigned table = 0; table < 2; table++) {
		enum tables_id id = table == 0 ? TABLES_KERNELS : TABLES_GPU_ACTIVITIES;
		size_t rows = row_count(tables, id);
		uint64_t sum_ns = 0;
		for (size_t row = 0; row < rows; row++)
			sum_ns += cell(tables, id, row, "total_ns").number;
		cr_expect(eq(u64, sum_ns, total_ns), "%s", tables_infos[id].name);
		count = cell(tables, id, rows - 1, "count").number;
		cr_expect(eq(str, (char *)cell(tables, id, rows - 1, "name").text, "others"));
		cr_expect(gt(u64, count, 900));
	}
	UNKNOWN(KERNELS, row_count(tables, TABLES_KERNELS) - 1, "grid");
	tables_free(tables);
}

Test(tables, only_what_is_wanted_is_filled)
{
	struct tables *tables = tables_new();
	struct record one = kernel(NAMES_KERNEL, 0, 100);
	struct record call = {.kind = RECORD_LAUNCH, .call = NAMES_LAUNCH, .end = 1000};
	tables_want(tables, 1u << TABLES_GPU_ACTIVITIES | 1u << TABLES_DEVICES);
	cr_assert(eq(int, tables_device(tables, &one), 0));
	cr_assert(eq(int, tables_call(tables, &call), 0));
	NUMBER(GPU_ACTIVITIES, 0, "total_ns", 100);
	NUMBER(DEVICES, 0, "span_ns", 1000);
	cr_expect(eq(sz, row_count(tables, TABLES_API_CALLS), 0));
	cr_expect(eq(sz, row_count(tables, TABLES_KERNELS), 0));
	tables_restart(tables, true);
	cr_expect(eq(sz, row_count(tables, TABLES_GPU_ACTIVITIES), 0));
	cr_expect(not(tables_measured(tables)));
	tables_free(tables);
}
