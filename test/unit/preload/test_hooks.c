/* SPDX-License-Identifier: MIT */
/* Captures into a ring of the test's own, and the tables that they keep. */
#include "collector/describe.h"
#include "preload/capture/capture.h"
#include "preload/capture/launch.h"
#include "preload/loader/loader.h"
#include "preload/python/callsite.h"
#include "preload/track/kernel.h"
#include "preload/track/memkind.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <string.h>

#define AT(address)  ((void *)(uintptr_t)(address))
#define CAPACITY     64u
#define SOMEWHERE    AT(0x401000)
#define RESULT_ERROR 2

static struct live_ring ring;
static struct record records[CAPACITY];

uint32_t activity_skipped[2];

/* Nothing waits for a first call here: what is skipped is not wanted. */
bool activity_should_record(uint16_t flags, cudaError_t result, enum record_kind kind)
{
	(void)flags;
	(void)result;
	(void)kind;
	return false;
}

void loader_attach(const uintptr_t *frame)
{
	(void)frame;
}

static void empty_ring(void)
{
	ring.head = 0;
	collector_thread = (struct own_collector){
		.ring = &ring, .slot = records, .stop = records + CAPACITY, .mask = CAPACITY - 1};
}

static void set_up(void)
{
	collector_enabled = 1;
	memset(records, 0xee, sizeof(records));
	empty_ring();
	thread_state.caller = SOMEWHERE;
}

TestSuite(hooks, .init = set_up, .timeout = 60);

static struct hook_call call_of(uint16_t flags)
{
	return (struct hook_call){.begin = 100, .end = 200, .id = 42, .flags = flags};
}

/* The only record so far, taken out of the ring. */
static const struct record *taken(enum record_kind kind, int result)
{
	cr_assert(eq(u64, collector_published(), 1));
	empty_ring();
	const struct record *record = &records[0];
	cr_assert(eq(u64, record->begin, 100));
	cr_assert(eq(u64, record->end, 200));
	cr_assert(eq(u16, record->kind, (uint16_t)kind));
	cr_assert(eq(u16, record->call, 42));
	cr_assert(eq(i32, record->result, result));
	return record;
}

static uint64_t field(const struct record *record, const char *name)
{
	const struct record_kind_info *info = &record_kinds[record->kind];
	for (unsigned i = 0; i < info->field_count; i++)
		if (strcmp(info->fields[i].name, name) == 0)
			return record_get(record, &info->fields[i]);
	cr_fail("no field %s", name);
	return 0;
}

Test(hooks, launch)
{
	struct hook_call call = call_of(0);
	dim3 grid = {100000, 65535, 3}, block = {1024, 2, 64};
	kernel_register(AT(0x10), AT(0x2000), "kernel_name");
	capture_set_device(&call, 0, 5);
	cr_assert(eq(u64, field(taken(RECORD_CALL, 0), "value"), 5)); /* the first choice of it */
	capture_set_device(&call, 0, 5);
	capture_launch(&call, 0, AT(0x2000), &grid, &block, 49152, AT(0x77), RECORD_COOPERATIVE);
	const struct record *record = taken(RECORD_LAUNCH, 0);
	size_t length = 0;
	const char *name = collector_name_text(record->name, &length);
	cr_assert(eq(sz, length, strlen("kernel_name")));
	cr_assert(zero(int, memcmp(name, "kernel_name", length)));
	cr_assert(eq(u64, field(record, "grid_x"), 100000));
	cr_assert(eq(u64, field(record, "grid_y"), 65535));
	cr_assert(eq(u64, field(record, "grid_z"), 3));
	cr_assert(eq(u64, field(record, "block_x"), 1024));
	cr_assert(eq(u64, field(record, "block_y"), 2));
	cr_assert(eq(u64, field(record, "block_z"), 64));
	cr_assert(eq(u64, field(record, "device"), 5));
	cr_assert(eq(u64, field(record, "shared_bytes"), 49152));
	cr_assert(eq(u64, field(record, "stream"), 0x77));
	cr_assert(eq(u64, field(record, "flags"), RECORD_ASYNC | RECORD_COOPERATIVE));
	cr_assert(ne(u32, record->place, 0));
	cr_assert(eq(u32, record->place, callsite_place(SOMEWHERE)));
}

Test(hooks, sizes_that_no_device_allows_stay_in_their_fields)
{
	struct hook_call call = call_of(HOOK_PER_THREAD);
	dim3 grid = {UINT32_MAX, UINT32_MAX, 1}, block = {70000, 70000, 70000};
	capture_launch(&call, RESULT_ERROR, AT(0x9999), &grid, &block, 0, NULL, 0);
	const struct record *record = taken(RECORD_LAUNCH, RESULT_ERROR);
	cr_assert(eq(u64, field(record, "kernel"), 0));
	cr_assert(eq(u64, field(record, "grid_x"), UINT32_MAX));
	cr_assert(eq(u64, field(record, "grid_z"), 1));
	cr_assert(eq(u64, field(record, "block_y"), 70000 & 0xffff));
	cr_assert(eq(u64, field(record, "device"), 0));
	cr_assert(eq(u64, field(record, "flags"), RECORD_ASYNC | RECORD_PER_THREAD));
}

Test(hooks, a_handle_used_again_has_no_old_name)
{
	struct hook_call call = call_of(0);
	void *function = AT(0x9000), *kernel = AT(0x9100), *module = AT(0x9200);
	capture_module_function(&call, 0, &function, AT(0x90), "old");
	cr_assert(ne(u32, kernel_name(function, KERNEL_STUB, 0), 0));
	capture_function_handle(&call, 0, &function, AT(0x98765));
	cr_assert(eq(u32, kernel_name(function, KERNEL_STUB, 0), 0), "its kernel is not known");
	capture_library_kernel(&call, 0, &kernel, AT(0x91), "kernel");
	capture_function_handle(&call, 0, &function, kernel);
	uint32_t name = kernel_name(kernel, KERNEL_STUB, 0);
	cr_assert(eq(u32, kernel_name(function, KERNEL_STUB, 0), name));
	kernel_forget_contexts();
	cr_assert(eq(u32, kernel_name(function, KERNEL_STUB, 0), 0), "a function is of a context");
	cr_assert(eq(u32, kernel_name(kernel, KERNEL_STUB, 0), name), "a kernel is not");
	capture_library_module(&call, 0, &module, AT(0x91));
	capture_module_function(&call, 0, &function, module, "by_module");
	cr_assert(ne(u32, kernel_name(function, KERNEL_STUB, 0), 0));
	capture_unload(&call, 0, AT(0x91));
	cr_assert(eq(u32, kernel_name(function, KERNEL_STUB, 0), 0), "gone with its library");
	cr_assert(eq(u32, kernel_name(kernel, KERNEL_STUB, 0), 0));
}

Test(hooks, names_come_late_twice_and_go)
{
	static char copied[] = "from_a_buffer";
	struct hook_call call = call_of(0);
	void *handle = AT(0x5000);
	kernel_register(AT(0x10), AT(0x3000), "first");
	kernel_register(AT(0x10), AT(0x3000), "first");
	uint32_t first = kernel_name(AT(0x3000), KERNEL_STUB, 0);
	cr_assert(ne(u32, first, 0));
	capture_kernel_handle(&call, 0, &handle, AT(0x3000));
	cr_assert(eq(u32, kernel_name(handle, KERNEL_STUB, 0), first));
	kernel_register(AT(0x20), AT(0x3000), "second");
	cr_assert(ne(u32, kernel_name(AT(0x3000), KERNEL_STUB, 0), first),
		"the later registration counts");
	kernel_forget(AT(0x20));
	cr_assert(eq(u32, kernel_name(AT(0x3000), KERNEL_STUB, 0), 0),
		"its text is gone with its library");
	kernel_forget(AT(0x10));
	cr_assert(eq(u32, kernel_name(handle, KERNEL_STUB, 0), 0));
	handle = AT(0x6000);
	capture_library_kernel(&call, 0, &handle, AT(0x30), copied);
	copied[0] = 'X';
	cr_assert(eq(
		u32, kernel_name(AT(0x6000), KERNEL_STUB, 0), collector_name("from_a_buffer", 13)));
	handle = AT(0x7000);
	capture_library_kernel(&call, RESULT_ERROR, &handle, AT(0x30), "failed");
	capture_kernel_handle(&call, 0, NULL, AT(0x6000));
	capture_kernel_handle(&call, 0, &handle, AT(0x123456));
	cr_assert(eq(u32, kernel_name(handle, KERNEL_STUB, 0), 0));
	cr_assert(eq(u32, kernel_name(NULL, KERNEL_STUB, 0), 0));
}

static void *register_many(void *argument)
{
	uintptr_t base = (uintptr_t)argument;
	for (uintptr_t i = 0; i < 20000; i++)
		kernel_register(AT(base), AT(base + i * 16), "many");
	return NULL;
}

Test(hooks, many_kernels_of_many_threads_are_all_found)
{
	pthread_t threads[4];
	for (uintptr_t i = 0; i < 4; i++)
		(void)pthread_create(&threads[i], NULL, register_many, AT((i + 1) << 32));
	for (unsigned i = 0; i < 4; i++)
		(void)pthread_join(threads[i], NULL);
	uint32_t name = collector_name("many", 4);
	for (uintptr_t i = 0; i < 4; i++)
		for (uintptr_t k = 0; k < 20000; k++)
			cr_assert(eq(u32, kernel_name(AT(((i + 1) << 32) + k * 16), KERNEL_STUB, 0),
				name));
}

Test(hooks, copies_know_both_ends)
{
	enum {
		D = 0x700000000000,
		P = 0x710000000000,
		M = 0x720000000000,
		X = 0x730000000000
	};
	struct hook_call call = call_of(0);
	memkind_add(AT(D), 1 << 20, MEMORY_DEVICE, 1);
	memkind_add(AT(P), 1 << 20, MEMORY_PINNED, 1);
	memkind_add(AT(M), 1 << 20, MEMORY_MANAGED, 1);
	const struct {
		uint64_t dst, src;
		unsigned kind, flags;
		int dst_memory, src_memory, direction;
		bool blocks;
	} cases[] = {
		{D, X, 1, RECORD_ASYNC, MEMORY_DEVICE, MEMORY_PAGEABLE, 1, false},
		{D, P, 1, RECORD_ASYNC, MEMORY_DEVICE, MEMORY_PINNED, 1, false},
		{D, P, 1, 0, MEMORY_DEVICE, MEMORY_PINNED, 1, true},
		{P, D, 2, RECORD_ASYNC, MEMORY_PINNED, MEMORY_DEVICE, 2, false},
		{X, D, 2, RECORD_ASYNC, MEMORY_PAGEABLE, MEMORY_DEVICE, 2, true},
		{X, D, 4, RECORD_ASYNC, MEMORY_PAGEABLE, MEMORY_DEVICE, 2, true},
		{D, M, 4, 0, MEMORY_DEVICE, MEMORY_MANAGED, 3, false},
		{D, D, 3, 0, MEMORY_DEVICE, MEMORY_DEVICE, 3, false},
		{X, X, 4, RECORD_ASYNC, MEMORY_UNKNOWN, MEMORY_UNKNOWN, 4, false},
		{X, P, 0, RECORD_ASYNC, MEMORY_PAGEABLE, MEMORY_PINNED, 0, true},
		{X, X, 5, RECORD_ASYNC, MEMORY_DEVICE, MEMORY_DEVICE, 5, false},
		{X, X, 77, 0, MEMORY_UNKNOWN, MEMORY_UNKNOWN, 4, true},
	};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		capture_copy(&call, 0, AT(cases[i].dst), AT(cases[i].src), 12345, cases[i].kind,
			AT(7), cases[i].flags);
		const struct record *record = taken(RECORD_COPY, 0);
		uint64_t blocking = field(record, "flags") & RECORD_BLOCKING;
		cr_assert(eq(u64, field(record, "bytes"), 12345));
		cr_assert(eq(int, (int)field(record, "dst_memory"), cases[i].dst_memory), "%u", i);
		cr_assert(eq(int, (int)field(record, "src_memory"), cases[i].src_memory), "%u", i);
		cr_assert(eq(int, (int)field(record, "direction"), cases[i].direction), "%u", i);
		cr_assert(eq(int, blocking != 0, cases[i].blocks), "%u", i);
	}
}

Test(hooks, allocations_teach_and_frees_forget)
{
	struct hook_call call = call_of(0);
	void *address = AT(0x740000000000);
	capture_alloc(&call, 0, &address, 4096, MEMORY_PINNED, NULL, 0);
	const struct record *record = taken(RECORD_ALLOC, 0);
	cr_assert(eq(u64, field(record, "address"), 0x740000000000));
	cr_assert(eq(u64, field(record, "bytes"), 4096));
	cr_assert(eq(u64, field(record, "memory"), MEMORY_PINNED));
	cr_assert(eq(u64, field(record, "flags"), RECORD_CREATE));
	call.begin = 300;
	capture_free(&call, RESULT_ERROR, address, MEMORY_DEVICE, NULL, 0);
	cr_assert(eq(int, (int)memkind_of(address), MEMORY_PINNED));
	capture_free(&call, 0, address, MEMORY_DEVICE, NULL, 0);
	cr_assert(eq(int, (int)memkind_of(address), MEMORY_UNKNOWN));
	cr_assert(eq(u64, field(&records[1], "bytes"), 4096));
	cr_assert(eq(u64, field(&records[1], "memory"), MEMORY_PINNED));
	/* A failed call's output is not read. */
	empty_ring();
	call.begin = 100;
	capture_alloc(&call, RESULT_ERROR, AT(1), 64, MEMORY_DEVICE, NULL, 0);
	cr_assert(eq(u64, field(taken(RECORD_ALLOC, RESULT_ERROR), "address"), 0));
}

Test(hooks, tables_are_kept_while_recording_is_paused)
{
	struct hook_call call = call_of(0);
	void *address = AT(0x750000000000);
	collector_enabled = 0;
	capture_alloc(&call, 0, &address, 4096, MEMORY_DEVICE, NULL, 0);
	cr_assert(eq(u64, collector_published(), 0));
	cr_assert(eq(int, (int)memkind_of(address), MEMORY_DEVICE));
}

/* Flags of a launch on a stream. */
static uint64_t flags_on(const void *stream, uint16_t hook_flags)
{
	struct hook_call call = call_of(hook_flags);
	return capture_flags(&call, stream, 0) & RECORD_CAPTURED;
}

Test(hooks, captured_streams_and_those_that_join)
{
	struct hook_call call = call_of(0);
	cr_assert(zero(u64, flags_on(AT(0x10), 0)));
	capture_graph_begin(&call, 0, AT(0x10), NULL);
	cr_assert(ne(u64, flags_on(AT(0x10), 0), 0));
	cr_assert(zero(u64, flags_on(AT(0x20), 0)));
	capture_event_record(&call, 0, AT(0x99), AT(0x10));
	capture_stream_wait(&call, 0, AT(0x20), AT(0x99));
	cr_assert(ne(u64, flags_on(AT(0x20), 0), 0), "a stream joins by an event");
	capture_event_record(&call, 0, AT(0x99), AT(0x30));
	capture_stream_wait(&call, 0, AT(0x40), AT(0x99));
	cr_assert(zero(u64, flags_on(AT(0x40), 0)), "the event was recorded elsewhere since");
	capture_graph_end(&call, RESULT_ERROR, AT(0x10), NULL);
	cr_assert(zero(u64, flags_on(AT(0x10), 0)));
	cr_assert(zero(u64, flags_on(AT(0x20), 0)));
	cr_assert(zero(u32, stream_capture_count));
	capture_graph_begin(&call, RESULT_ERROR, AT(0x10), NULL);
	cr_assert(zero(u32, stream_capture_count), "a failed begin begins nothing");
}

Test(hooks, a_threads_own_stream_is_captured_for_that_thread)
{
	struct hook_call call = call_of(HOOK_PER_THREAD);
	capture_graph_begin(&call, 0, NULL, NULL);
	cr_assert(ne(u64, flags_on(NULL, HOOK_PER_THREAD), 0));
	cr_assert(ne(u64, flags_on(AT(2), 0), 0), "the same stream by its handle");
	cr_assert(zero(u64, flags_on(NULL, 0)), "the legacy stream is another");
	capture_graph_end(&call, 0, NULL, NULL);
	cr_assert(zero(u64, flags_on(NULL, HOOK_PER_THREAD)));
}

Test(hooks, call_sites_beyond_the_table_still_get_a_place)
{
	for (uintptr_t i = 1; i < 3 * CALLSITE_COUNT; i++)
		cr_assert(ne(u32, callsite_place(AT(0x400000 + i * 8)), 0));
	uint32_t last = callsite_place(AT(0x400000 + 8));
	cr_assert(eq(u32, callsite_place(AT(0x400000 + 8)), last));
	cr_assert(ne(u32, callsite_place(AT(0x400000 + 16)), last));
	cr_assert(zero(u32, callsite_place(NULL)));
}
