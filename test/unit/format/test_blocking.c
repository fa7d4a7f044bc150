/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "collector/format/blocking.h"

/* "API synchronization behavior" of the vendor's reference: yes, and on the device. */
static const struct {
	enum copy_direction direction;
	enum memory_kind target;
	uint32_t flags;
	bool blocks, on_device;
} copies[] = {
	{COPY_HOST_TO_DEVICE, MEMORY_DEVICE, 0, true, true},
	{COPY_HOST_TO_DEVICE, MEMORY_DEVICE, RECORD_ASYNC, false, false},
	{COPY_HOST_TO_DEVICE, MEMORY_MANAGED, RECORD_ASYNC | RECORD_SHAPED, false, false},
	{COPY_DEVICE_TO_HOST, MEMORY_PINNED, 0, true, true},
	{COPY_DEVICE_TO_HOST, MEMORY_PINNED, RECORD_ASYNC, false, false},
	{COPY_DEVICE_TO_HOST, MEMORY_PAGEABLE, RECORD_ASYNC, true, true},
	{COPY_DEVICE_TO_HOST, MEMORY_PAGEABLE, RECORD_ASYNC | RECORD_PER_THREAD, true, true},
	{COPY_DEVICE_TO_HOST, MEMORY_MANAGED, RECORD_ASYNC, false, false},
	{COPY_DEVICE_TO_HOST, MEMORY_UNKNOWN, RECORD_ASYNC, false, false},
	{COPY_DEVICE_TO_DEVICE, MEMORY_DEVICE, 0, false, false},
	{COPY_DEVICE_TO_DEVICE, MEMORY_DEVICE, RECORD_ASYNC, false, false},
	{COPY_PEER, MEMORY_DEVICE, 0, false, false},
	{COPY_PEER, MEMORY_DEVICE, RECORD_ASYNC, false, false},
	{COPY_HOST_TO_HOST, MEMORY_PAGEABLE, 0, true, false},
	{COPY_HOST_TO_HOST, MEMORY_PINNED, RECORD_ASYNC, true, false},
	{COPY_DEFAULT, MEMORY_UNKNOWN, 0, true, false},
	{COPY_DEFAULT, MEMORY_PAGEABLE, RECORD_ASYNC, false, false},
};

Test(blocking, copies_are_as_documented)
{
	for (unsigned i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
		bool blocks = blocking_copy(copies[i].direction, copies[i].target, copies[i].flags);
		bool on_device = blocking_copy_on_device(
			copies[i].direction, copies[i].target, copies[i].flags);
		cr_expect(eq(int, blocks, copies[i].blocks), "row %u", i);
		cr_expect(eq(int, on_device, copies[i].on_device), "row %u", i);
	}
}

Test(blocking, memory_is_released_when_nobody_uses_it_any_more)
{
	static const struct {
		uint64_t address;
		uint32_t flags;
		bool waits;
	} calls[] = {
		{0x1000, RECORD_DESTROY, true},
		{0x1000, RECORD_DESTROY | RECORD_REGISTER, true},
		{0x1000, RECORD_DESTROY | RECORD_ASYNC, false},
		{0, RECORD_DESTROY, false},
		{0x1000, RECORD_CREATE, false},
		{0x1000, 0, false},
	};
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		cr_expect(
			eq(int, blocking_release(calls[i].address, calls[i].flags), calls[i].waits),
			"row %u", i);
}

Test(blocking, only_a_synchronous_set_of_page_locked_memory_waits)
{
	for (int kind = MEMORY_UNKNOWN; kind <= MEMORY_MANAGED; kind++) {
		cr_expect(eq(int, blocking_set((enum memory_kind)kind, 0), kind == MEMORY_PINNED));
		cr_expect(eq(int, blocking_set((enum memory_kind)kind, RECORD_ASYNC), 0));
	}
}
