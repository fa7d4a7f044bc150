/* SPDX-License-Identifier: MIT */
#include "preload/track/memkind.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define AT(address) ((const void *)(uintptr_t)(address))
#define MIB         ((uint64_t)1 << 20)

static int kind_at(uint64_t address)
{
	return (int)memkind_of(AT(address));
}

TestSuite(memkind, .timeout = 60);

Test(memkind, nothing_is_known_at_first)
{
	int local;
	cr_assert(eq(int, (int)memkind_of(&local), MEMORY_UNKNOWN));
	cr_assert(eq(int, (int)memkind_of(NULL), MEMORY_UNKNOWN));
	cr_assert(eq(int, (int)memkind_of(AT(UINT64_MAX)), MEMORY_UNKNOWN));
	cr_assert(eq(int, kind_at((uint64_t)1 << 47), MEMORY_UNKNOWN));
}

Test(memkind, both_ends_of_a_range)
{
	const uint64_t sizes[] = {1, 4096, 4097, 2 * MIB, 2 * MIB + 1, 6 * MIB, 100 * MIB + 12345};
	const uint64_t begins[] = {0x7f0000000000, 0x7f1000001000, 0x7f20001fffff, 0x100000000};
	for (unsigned b = 0; b < 4; b++)
		for (unsigned s = 0; s < 7; s++) {
			size_t size = 0;
			uint64_t begin = begins[b], last = begin + sizes[s] - 1;
			memkind_add(AT(begin), sizes[s], MEMORY_DEVICE, 10);
			cr_assert(eq(int, kind_at(begin), MEMORY_DEVICE));
			cr_assert(eq(int, kind_at(begin + sizes[s] / 2), MEMORY_DEVICE));
			cr_assert(eq(int, kind_at(last), MEMORY_DEVICE));
			cr_assert(eq(int, kind_at((begin & ~4095ull) - 1), MEMORY_UNKNOWN));
			cr_assert(eq(int, kind_at((last | 4095) + 1), MEMORY_UNKNOWN));
			cr_assert(
				eq(int, (int)memkind_remove(AT(begin), 20, &size), MEMORY_DEVICE));
			cr_assert(eq(u64, size, sizes[s]));
			cr_assert(eq(int, kind_at(begin), MEMORY_UNKNOWN));
			cr_assert(eq(int, kind_at(last), MEMORY_UNKNOWN));
		}
}

Test(memkind, small_allocations_share_a_page)
{
	size_t size;
	memkind_add(AT(0x500000000000), 256, MEMORY_DEVICE, 1);
	memkind_add(AT(0x500000000100), 256, MEMORY_DEVICE, 1);
	(void)memkind_remove(AT(0x500000000000), 2, &size);
	cr_assert(eq(int, kind_at(0x500000000100), MEMORY_DEVICE));
	(void)memkind_remove(AT(0x500000000100), 2, &size);
	cr_assert(eq(int, kind_at(0x500000000100), MEMORY_UNKNOWN));
}

Test(memkind, a_page_with_very_many_allocations_keeps_its_kind)
{
	size_t size;
	for (uint64_t i = 0; i < 64; i++)
		memkind_add(AT(0x500000000000 + i * 64), 64, MEMORY_PINNED, 1);
	for (uint64_t i = 0; i < 63; i++)
		(void)memkind_remove(AT(0x500000000000 + i * 64), 2, &size);
	cr_assert(eq(int, kind_at(0x500000000000 + 63 * 64), MEMORY_PINNED));
}

Test(memkind, unknown_and_empty_are_ignored)
{
	size_t size = 7;
	memkind_add(NULL, 100, MEMORY_DEVICE, 1);
	memkind_add(AT(0x600000000000), 0, MEMORY_DEVICE, 1);
	memkind_add(AT((uint64_t)1 << 50), 4096, MEMORY_DEVICE, 1);
	memkind_add(AT(0x7ffffffff000), UINT64_MAX, MEMORY_DEVICE, 1);
	cr_assert(eq(int, kind_at(0x600000000000), MEMORY_UNKNOWN));
	cr_assert(eq(int, kind_at(0x7ffffffff000), MEMORY_UNKNOWN));
	cr_assert(eq(int, (int)memkind_remove(AT(0x600000000000), 2, &size), MEMORY_UNKNOWN));
	cr_assert(eq(sz, size, 0));
}

Test(memkind, a_missed_free_does_not_leave_old_kinds)
{
	memkind_add(AT(0x510000000000), 8 * MIB, MEMORY_DEVICE, 1);
	memkind_add(AT(0x510000000000), 4096, MEMORY_PINNED, 2);
	cr_assert(eq(int, kind_at(0x510000000000), MEMORY_PINNED));
	cr_assert(eq(int, kind_at(0x510000000000 + 4 * MIB), MEMORY_UNKNOWN));
}

Test(memkind, a_free_that_is_noted_late_spares_the_next_owner)
{
	size_t size = 7;
	memkind_add(AT(0x520000000000), 4096, MEMORY_DEVICE, 100);
	/* Another thread was given the address again while this free was in progress. */
	memkind_add(AT(0x520000000000), 8192, MEMORY_DEVICE, 300);
	cr_assert(eq(int, (int)memkind_remove(AT(0x520000000000), 200, &size), MEMORY_UNKNOWN));
	cr_assert(eq(int, kind_at(0x520000001000), MEMORY_DEVICE));
	cr_assert(eq(int, (int)memkind_remove(AT(0x520000000000), 400, &size), MEMORY_DEVICE));
	cr_assert(eq(sz, size, 8192));
}

Test(memkind, a_device_reset_leaves_host_memory)
{
	memkind_add(AT(0x530000000000), 4 * MIB, MEMORY_DEVICE, 1);
	memkind_add(AT(0x531000000000), 4 * MIB, MEMORY_MANAGED, 1);
	memkind_add(AT(0x532000000000), 4 * MIB, MEMORY_PINNED, 1);
	memkind_forget_device();
	cr_assert(eq(int, kind_at(0x530000000000), MEMORY_UNKNOWN));
	cr_assert(eq(int, kind_at(0x531000000000), MEMORY_UNKNOWN));
	cr_assert(eq(int, kind_at(0x532000000000), MEMORY_PINNED));
}

/* Against a plain table of pages, with a fixed seed. */
Test(memkind, random_allocations_agree_with_a_model)
{
	enum {
		SLOTS = 64,
		PAGES_PER_SLOT = 1024
	};
	static uint64_t sizes[SLOTS];
	const uint64_t base = 0x540000000000;
	unsigned seed = 12345;
	size_t size;
	for (unsigned step = 0; step < 20000; step++) {
		unsigned slot = (unsigned)rand_r(&seed) % SLOTS;
		uint64_t begin = base + (uint64_t)slot * PAGES_PER_SLOT * 4096;
		if (sizes[slot] != 0) {
			(void)memkind_remove(AT(begin), step, &size);
			cr_assert(eq(sz, size, sizes[slot]));
			sizes[slot] = 0;
		} else {
			sizes[slot] = 1 + (unsigned)rand_r(&seed) % (PAGES_PER_SLOT * 4096 - 1);
			memkind_add(AT(begin), sizes[slot], MEMORY_DEVICE, step);
		}
		unsigned other = (unsigned)rand_r(&seed) % SLOTS;
		uint64_t offset = (unsigned)rand_r(&seed) % (PAGES_PER_SLOT * 4096);
		bool inside = sizes[other] != 0 && offset / 4096 <= (sizes[other] - 1) / 4096;
		cr_assert(eq(int, kind_at(base + (uint64_t)other * PAGES_PER_SLOT * 4096 + offset),
			inside ? MEMORY_DEVICE : MEMORY_UNKNOWN));
	}
}

static void *churn(void *argument)
{
	uint64_t begin = (uint64_t)(uintptr_t)argument;
	size_t size;
	for (unsigned i = 0; i < 3000; i++) {
		memkind_add(AT(begin), 3 * MIB, MEMORY_DEVICE, i);
		if (kind_at(begin + 3 * MIB - 1) != MEMORY_DEVICE)
			return (void *)1;
		if (memkind_remove(AT(begin), i, &size) != MEMORY_DEVICE || size != 3 * MIB)
			return (void *)2;
	}
	return NULL;
}

Test(memkind, threads_do_not_disturb_each_other)
{
	pthread_t threads[4];
	for (uint64_t i = 0; i < 4; i++)
		cr_assert(zero(int, pthread_create(&threads[i], NULL, churn,
					    (void *)(uintptr_t)(0x550000100000 + i * 3 * MIB))));
	for (unsigned i = 0; i < 4; i++) {
		void *result = NULL;
		(void)pthread_join(threads[i], &result);
		cr_assert(zero(ptr, result));
	}
}
