/* SPDX-License-Identifier: MIT */
/* Records of CUPTI, made by hand as several releases lay them out, become records of the trace. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "collector/buffer/define.h"
#include "collector/gpu/records.h"

#define NOW_NS 1000000000000ull

static struct gpu_reader reader;
static uint8_t raw[256];
static struct record record;

static void put(size_t offset, uint64_t value, size_t bytes)
{
	memcpy(raw + offset, &value, bytes);
}

static void begin(uint32_t kind, uint32_t version)
{
	memset(&reader, 0, sizeof(reader));
	memset(raw, 0, sizeof(raw));
	reader.version = version;
	put(0, kind, 4);
}

static void put_kernel(uint64_t start, uint64_t end, uint32_t stream, const char *name)
{
	put(6, 40, 2);
	put(16, start, 8);
	put(24, end, 8);
	put(40, 2, 4);
	put(44, 1, 4);
	put(48, stream, 4);
	for (unsigned i = 0; i < 6; i++)
		put(52 + 4 * i, i + 1, 4);
	put(76, 100, 4);
	put(80, 28, 4);
	put(92, 77, 4);
	put(104, (uintptr_t)name, 8);
	put(144, 0x300000005ull, 8);
	put(156, 9, 4);
}

static enum gpu_lane read_one(size_t room)
{
	memset(&record, 0xee, sizeof(record));
	return gpu_records_read(&reader, raw, room, NOW_NS, &record);
}

static uint64_t field(const char *name)
{
	const struct record_kind_info *info = &record_kinds[record.kind];
	for (unsigned i = 0; i < info->field_count; i++)
		if (strcmp(info->fields[i].name, name) == 0)
			return record_get(&record, &info->fields[i]);
	cr_fatal("no field %s", name);
}

static void check_text(uint32_t id, const char *expected)
{
	size_t length = 0;
	const char *text = define_name_text(id, &length);
	cr_assert(eq(sz, length, strlen(expected)));
	cr_assert(eq(int, memcmp(text, expected, length), 0));
}

Test(gpu_records, kernel)
{
	begin(10, 130000);
	put_kernel(NOW_NS - 500, NOW_NS - 200, 13, "_Z4gemmv");
	cr_assert(eq(int, read_one(216), GPU_LANE_DEVICE));
	cr_assert(eq(u16, record.kind, RECORD_DEVICE_KERNEL));
	cr_assert(eq(u64, record.begin, NOW_NS - 500));
	cr_assert(eq(u64, record.end, NOW_NS - 200));
	check_text((uint32_t)field("kernel"), "_Z4gemmv");
	static const struct {
		const char *name;
		uint64_t value;
	} expected[] = {{"stream", 13}, {"device", 2}, {"grid_x", 1}, {"grid_y", 2}, {"grid_z", 3},
		{"block_x", 4}, {"block_y", 5}, {"block_z", 6}, {"shared_bytes", 128},
		{"registers", 40}, {"correlation", 77}, {"graph", 9}, {"graph_node", 5},
		{"flags", 0}};
	for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		cr_assert(eq(u64, field(expected[i].name), expected[i].value), "%s",
			expected[i].name);
}

/* A release before the field: it reads as 0, and the record may end before it. */
Test(gpu_records, older_release_has_no_graph)
{
	begin(10, 13);
	put_kernel(NOW_NS - 500, NOW_NS - 200, 13, "k");
	cr_assert(eq(int, read_one(152), GPU_LANE_DEVICE));
	cr_assert(eq(u64, field("graph"), 0));
	cr_assert(eq(u64, field("graph_node"), 5));
}

Test(gpu_records, cut_off_record_is_not_read)
{
	begin(10, 130000);
	put_kernel(NOW_NS - 500, NOW_NS - 200, 13, "k");
	for (size_t room = 0; room < 160; room++)
		cr_assert(eq(int, read_one(room), GPU_LANE_NONE), "room %zu", room);
	cr_assert(eq(u64, reader.counters[GPU_COUNTER_UNKNOWN], 160));
	cr_assert(eq(int, read_one(160), GPU_LANE_DEVICE));
}

Test(gpu_records, lost_times_are_flagged_and_never_zero)
{
	begin(10, 19);
	put_kernel(0, 0, 13, "k");
	(void)read_one(208);
	cr_assert(eq(u64, record.end, NOW_NS));
	cr_assert(eq(u64, field("flags"), DEVICE_NO_TIMES));
	put_kernel(NOW_NS - 500, NOW_NS - 200, 13, "k");
	(void)read_one(208);
	cr_assert(eq(u64, field("flags"), 0));
	put_kernel(0, 0, 13, "k");
	(void)read_one(208);
	cr_assert(eq(u64, record.begin, NOW_NS - 200));
	cr_assert(eq(u64, record.end, NOW_NS - 200));
	cr_assert(eq(u64, field("registers"), 40));
	put_kernel(0, 0, 14, "k");
	(void)read_one(208);
	cr_assert(eq(u64, record.end, NOW_NS - 200), "of another stream, as the nearest");
	cr_assert(eq(u64, reader.counters[GPU_COUNTER_NO_TIMES], 3));
}

Test(gpu_records, counts_order_by_stream_and_lateness)
{
	begin(10, 19);
	put_kernel(NOW_NS - 500, NOW_NS - 200, 13, "k");
	(void)read_one(208);
	put_kernel(NOW_NS - 900, NOW_NS - 800, 14, "k");
	(void)read_one(208);
	cr_assert(eq(u64, reader.counters[GPU_COUNTER_OUT_OF_ORDER], 0));
	put_kernel(NOW_NS - 600, NOW_NS - 550, 13, "k");
	(void)read_one(208);
	cr_assert(eq(u64, reader.counters[GPU_COUNTER_OUT_OF_ORDER], 1));
	cr_assert(eq(u64, reader.counters[GPU_COUNTER_LATE], 0));
	put_kernel(NOW_NS - 2000000000, NOW_NS - 1900000000, 15, "k");
	(void)read_one(208);
	cr_assert(eq(u64, reader.counters[GPU_COUNTER_LATE], 1));
}

/* The same address with another text, as after an unloaded module. */
Test(gpu_records, name_is_compared_by_content)
{
	char name[16] = "first";
	begin(10, 19);
	put_kernel(1, 2, 13, name);
	(void)read_one(208);
	uint32_t first = record.name;
	(void)read_one(208);
	cr_assert(eq(u32, record.name, first));
	/* within a buffer a text is compared once */
	memcpy(name, "firs", 5);
	gpu_records_begin(&reader);
	(void)read_one(208);
	check_text(record.name, "firs");
	gpu_records_begin(&reader);
	memcpy(name, "first one", 10);
	(void)read_one(208);
	check_text(record.name, "first one");
	put(104, 0, 8);
	(void)read_one(208);
	cr_assert(eq(u32, record.name, 0));
	cr_assert(eq(u64, reader.counters[GPU_COUNTER_NO_NAME], 1));
}

Test(gpu_records, copy_kinds)
{
	static const struct {
		uint8_t kind, source, target;
		uint64_t direction, from, to;
	} cases[] = {{1, 2, 3, COPY_HOST_TO_DEVICE, MEMORY_PINNED, MEMORY_DEVICE},
		{2, 3, 1, COPY_DEVICE_TO_HOST, MEMORY_DEVICE, MEMORY_PAGEABLE},
		{3, 1, 4, COPY_HOST_TO_DEVICE, MEMORY_PAGEABLE, MEMORY_DEVICE},
		{8, 3, 5, COPY_DEVICE_TO_DEVICE, MEMORY_DEVICE, MEMORY_MANAGED},
		{9, 1, 1, COPY_HOST_TO_HOST, MEMORY_PAGEABLE, MEMORY_PAGEABLE},
		{10, 3, 3, COPY_PEER, MEMORY_DEVICE, MEMORY_DEVICE},
		{200, 201, 7, COPY_DEFAULT, MEMORY_UNKNOWN, MEMORY_MANAGED}};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(1, 18);
		raw[4] = cases[i].kind;
		raw[5] = cases[i].source;
		raw[6] = cases[i].target;
		put(8, 0x123456789ull, 8);
		put(16, NOW_NS - 9, 8);
		put(24, NOW_NS - 3, 8);
		put(32, 1, 4);
		put(40, 21, 4);
		put(44, 0xfffffff0u, 4);
		cr_assert(eq(int, read_one(88), GPU_LANE_DEVICE));
		cr_assert(eq(u64, field("direction"), cases[i].direction));
		cr_assert(eq(u64, field("src_memory"), cases[i].from));
		cr_assert(eq(u64, field("dst_memory"), cases[i].to));
		cr_assert(eq(u64, field("bytes"), 0x123456789ull));
		cr_assert(eq(u64, field("device"), 1));
		cr_assert(eq(u64, field("stream"), 21));
		cr_assert(eq(u64, field("correlation"), 0xfffffff0u));
	}
}

Test(gpu_records, peer_copy_names_the_other_end)
{
	begin(22, 19);
	put(8, 4096, 8);
	put(16, NOW_NS - 9, 8);
	put(24, NOW_NS - 3, 8);
	put(32, 3, 4);
	put(44, 3, 4);
	put(52, 5, 4);
	cr_assert(eq(int, read_one(96), GPU_LANE_DEVICE));
	cr_assert(eq(u64, field("device"), 3));
	cr_assert(eq(u64, field("peer"), 5));
	put(32, 5, 4);
	(void)read_one(96);
	cr_assert(eq(u64, field("peer"), 3));
}

Test(gpu_records, set)
{
	begin(2, 130500);
	put(4, 255, 4);
	put(8, 512, 8);
	put(16, NOW_NS - 9, 8);
	put(24, NOW_NS - 3, 8);
	put(50, 2, 2);
	cr_assert(eq(int, read_one(104), GPU_LANE_DEVICE));
	cr_assert(eq(u64, field("value"), 255));
	cr_assert(eq(u64, field("memory"), MEMORY_PINNED));
	cr_assert(eq(u64, field("bytes"), 512));
}

Test(gpu_records, wait_has_the_device_of_its_context)
{
	begin(10, 19);
	put_kernel(NOW_NS - 9, NOW_NS - 3, 13, "k");
	put(44, 6, 4);
	(void)read_one(208);
	memset(raw, 0, sizeof(raw));
	put(0, 38, 4);
	put(4, 3, 4);
	put(8, NOW_NS - 9, 8);
	put(16, NOW_NS - 2, 8);
	put(28, 6, 4);
	put(32, 13, 4);
	put(36, UINT32_MAX, 4);
	cr_assert(eq(int, read_one(40), GPU_LANE_CALLS));
	cr_assert(eq(u64, field("scope"), SYNC_STREAM));
	cr_assert(eq(u64, field("stream"), 13));
	cr_assert(eq(u64, field("event"), 0));
	cr_assert(eq(u64, field("device"), 2));
}

static void put_call(uint32_t kind, uint32_t number, uint32_t correlation)
{
	begin(kind, 19);
	put(4, number, 4);
	put(8, NOW_NS - 90, 8);
	put(16, NOW_NS - 30, 8);
	put(28, 4321, 4);
	put(32, correlation, 4);
}

Test(gpu_records, calls_that_make_the_device_work)
{
	put_call(5, 211, 8);
	cr_assert(eq(int, read_one(40), GPU_LANE_CALLS));
	cr_assert(eq(u64, field("function"), 211));
	cr_assert(eq(u64, field("domain"), DEVICE_API_RUNTIME));
	cr_assert(eq(u64, field("thread"), 4321));
	struct record runtime = record;
	put_call(4, 307, 8);
	cr_assert(eq(int, read_one(40), GPU_LANE_CALLS));
	cr_assert(eq(u64, field("domain"), DEVICE_API_DRIVER));
	cr_assert(gpu_records_same_call(&record, &runtime));
	cr_assert(not(gpu_records_same_call(&runtime, &record)));
	put_call(4, 307, 9);
	(void)read_one(40);
	cr_assert(not(gpu_records_same_call(&record, &runtime)));
	put_call(5, 17, 8); /* cudaGetDevice */
	cr_assert(eq(int, read_one(40), GPU_LANE_NONE));
	put(4, 100000, 4);
	cr_assert(eq(int, read_one(40), GPU_LANE_NONE));
	cr_assert(eq(u64, reader.counters[GPU_COUNTER_UNWANTED], 2));
	cr_assert(eq(u64, reader.counters[GPU_COUNTER_UNKNOWN], 0));
}

/* Details of an overhead are given to us to free: under the address sanitizer a leak shows. */
Test(gpu_records, overhead_is_freed)
{
	for (uint32_t version = 21; version <= 22; version++) {
		begin(17, version);
		put(4, 1u << 16, 4);
		put(24, 5, 8);
		put(32, 9, 8);
		put(48, version == 22 ? (uintptr_t)malloc(8) : 1, 8);
		cr_assert(eq(int, read_one(56), GPU_LANE_CALLS));
		cr_assert(eq(u64, field("cause"), 1u << 16));
		cr_assert(eq(u64, record.begin, 5));
		cr_assert(eq(u64, record.end, 9));
	}
}

Test(gpu_records, memory)
{
	begin(49, 26);
	put(4, 2, 4);
	put(8, 3, 4);
	put(12, 55, 4);
	put(16, 0x7f0000001000ull, 8);
	put(24, 4096, 8);
	put(32, NOW_NS, 8);
	put(52, 1, 4);
	put(60, UINT32_MAX, 4);
	cr_assert(eq(int, read_one(128), GPU_LANE_CALLS));
	cr_assert(eq(u64, field("operation"), DEVICE_MEMORY_FREE));
	cr_assert(eq(u64, field("memory"), MEMORY_DEVICE));
	cr_assert(eq(u64, field("address"), 0x7f0000001000ull));
	cr_assert(eq(u64, field("device"), 1));
	cr_assert(eq(u64, field("stream"), 0));
}

Test(gpu_records, device_is_described_once)
{
	begin(8, 130000);
	put(8, 3350000000ull, 8);
	put(16, 1ull << 36, 8);
	put(36, 1980000, 4);
	put(44, 132, 4);
	put(104, 9, 4);
	put(112, 3, 4);
	put(136, (uintptr_t) "Some Device", 8);
	cr_assert(eq(int, read_one(184), GPU_LANE_NONE));
	cr_assert(eq(int, read_one(184), GPU_LANE_NONE));
	cr_assert(eq(u32, reader.device_count, 1));
	const struct meta_DEVICE *device = &reader.devices[0].meta;
	cr_assert(eq(u64, device->id, 3));
	cr_assert(eq(str, (char *)(uintptr_t)device->name, "Some Device"));
	cr_assert(eq(u64, device->compute_major, 9));
	cr_assert(eq(u64, device->multiprocessors, 132));
	cr_assert(eq(u64, device->core_khz, 1980000));
	cr_assert(eq(u64, device->memory_bytes, 1ull << 36));
	cr_assert(eq(u64, device->memory_bytes_per_s, 3350000000000ull));
	cr_assert(eq(u64, reader.counters[GPU_COUNTER_UNKNOWN], 0));
}

Test(gpu_records, other_kinds_are_counted)
{
	begin(39, 19);
	cr_assert(eq(int, read_one(24), GPU_LANE_NONE));
	cr_assert(eq(int, read_one(3), GPU_LANE_NONE));
	cr_assert(eq(u64, reader.counters[GPU_COUNTER_UNKNOWN], 2));
	cr_assert(eq(u64, reader.counters[GPU_COUNTER_RECORDS], 2));
}
