/* SPDX-License-Identifier: MIT */
/* Ends of ranges, pages that allocations share, and memory that is taken again. */
#include "preload/track/memkind.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <time.h>

#define AT(address)   ((void *)(uintptr_t)(address))
#define PAGE          4096ull
#define GRANULE       (2ull << 20)
#define ADDRESS_LIMIT (1ull << 47)
#define BASE          (64 * GRANULE)

static enum memory_kind kind(uint64_t address)
{
	return memkind_of(AT(address));
}

static void add(uint64_t address, uint64_t size, enum memory_kind which)
{
	memkind_add(AT(address), size, which, 10);
}

static enum memory_kind drop(uint64_t address)
{
	size_t size;
	return memkind_remove(AT(address), 20, &size);
}

Test(memkind_limits, a_range_has_its_first_and_last_page_and_no_other)
{
	static const struct {
		const char *name;
		uint64_t begin, size;
	} cases[] = {
		{"one page", BASE, PAGE},
		{"a page and a byte", BASE, PAGE + 1},
		{"one byte", BASE + 100, 1},
		{"the last byte of a page", BASE + PAGE - 1, 1},
		{"over the end of a page", BASE + PAGE - 1, 2},
		{"a granule", BASE, GRANULE},
		{"a granule and a byte", BASE, GRANULE + 1},
		{"the last page of a granule", BASE + GRANULE - PAGE, PAGE},
		{"over the end of a granule", BASE + GRANULE - PAGE, 2 * PAGE},
		{"three granules but for both ends", BASE + PAGE, 3 * GRANULE - 2 * PAGE},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t last = cases[i].begin + cases[i].size - 1;
		uint64_t before = cases[i].begin / PAGE * PAGE - 1;
		uint64_t after = (last / PAGE + 1) * PAGE;
		add(cases[i].begin, cases[i].size, MEMORY_DEVICE);
		cr_expect(eq(int, kind(before), MEMORY_UNKNOWN), "%s", cases[i].name);
		cr_expect(eq(int, kind(cases[i].begin), MEMORY_DEVICE), "%s", cases[i].name);
		cr_expect(eq(int, kind(last), MEMORY_DEVICE), "%s", cases[i].name);
		cr_expect(eq(int, kind(after), MEMORY_UNKNOWN), "%s", cases[i].name);
		cr_expect(eq(int, drop(cases[i].begin), MEMORY_DEVICE), "%s", cases[i].name);
		cr_expect(eq(int, kind(cases[i].begin), MEMORY_UNKNOWN), "%s", cases[i].name);
		cr_expect(eq(int, kind(last), MEMORY_UNKNOWN), "%s", cases[i].name);
	}
}

Test(memkind_limits, the_end_of_all_addresses)
{
	add(ADDRESS_LIMIT - PAGE, PAGE, MEMORY_PINNED);
	cr_expect(eq(int, kind(ADDRESS_LIMIT - 1), MEMORY_PINNED));
	cr_expect(eq(int, kind(ADDRESS_LIMIT), MEMORY_UNKNOWN));
	add(ADDRESS_LIMIT - 2 * PAGE, 2 * PAGE + 1, MEMORY_PINNED);
	cr_expect(eq(int, kind(ADDRESS_LIMIT - 2 * PAGE), MEMORY_UNKNOWN));
	add(ADDRESS_LIMIT, PAGE, MEMORY_PINNED);
	add(BASE, UINT64_MAX, MEMORY_PINNED);
	cr_expect(eq(int, kind(BASE), MEMORY_UNKNOWN));
	add(BASE, 0, MEMORY_PINNED);
	cr_expect(eq(int, drop(BASE), MEMORY_UNKNOWN));
}

/* More than can be counted: the page keeps its kind, whoever goes. */
Test(memkind_limits, a_page_of_more_than_it_can_count)
{
	static const unsigned counts[] = {1, 2, 30, 31, 32, 33, 40, 64};
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint64_t page = BASE + i * GRANULE;
		for (unsigned j = 0; j < counts[i]; j++)
			add(page + 16 * j, 16, MEMORY_PINNED);
		for (unsigned j = 0; j + 1 < counts[i]; j++) {
			cr_assert(eq(int, drop(page + 16 * j), MEMORY_PINNED));
			cr_expect(eq(int, kind(page), MEMORY_PINNED), "%u of %u", j, counts[i]);
		}
	}
	/* as many as can be counted leave nothing behind */
	cr_expect(eq(int, drop(BASE + 2 * GRANULE + 16 * 29), MEMORY_PINNED));
	cr_expect(eq(int, kind(BASE + 2 * GRANULE), MEMORY_UNKNOWN));
}

Test(memkind_limits, a_page_of_two_kinds_is_of_the_last)
{
	add(BASE, 16, MEMORY_PINNED);
	add(BASE + 64, 16, MEMORY_MANAGED);
	cr_expect(eq(int, kind(BASE + 64), MEMORY_MANAGED));
	cr_expect(eq(int, drop(BASE), MEMORY_PINNED));
	cr_expect(eq(int, kind(BASE + 64), MEMORY_MANAGED));
	cr_expect(eq(int, drop(BASE + 64), MEMORY_MANAGED));
	cr_expect(eq(int, kind(BASE + 64), MEMORY_UNKNOWN));
}

/* The same address again, of whatever kind and size: its free was not seen. */
Test(memkind_limits, memory_that_is_registered_again)
{
	add(BASE, 3 * GRANULE, MEMORY_DEVICE);
	add(BASE, PAGE, MEMORY_PINNED);
	cr_expect(eq(int, kind(BASE), MEMORY_PINNED));
	cr_expect(eq(int, kind(BASE + PAGE), MEMORY_UNKNOWN));
	cr_expect(eq(int, kind(BASE + 3 * GRANULE - 1), MEMORY_UNKNOWN));
	add(BASE, PAGE, MEMORY_PINNED);
	cr_expect(eq(int, drop(BASE), MEMORY_PINNED));
	cr_expect(eq(int, kind(BASE), MEMORY_UNKNOWN));
	cr_expect(eq(int, drop(BASE), MEMORY_UNKNOWN));
}

/* A free that was asked for before the memory was given to somebody else is not theirs. */
Test(memkind_limits, a_free_of_before)
{
	size_t size = 1;
	memkind_add(AT(BASE), PAGE, MEMORY_DEVICE, 100);
	cr_expect(eq(int, memkind_remove(AT(BASE), 99, &size), MEMORY_UNKNOWN));
	cr_expect(eq(sz, size, 0));
	cr_expect(eq(int, kind(BASE), MEMORY_DEVICE));
	cr_expect(eq(int, memkind_remove(AT(BASE), 100, &size), MEMORY_DEVICE));
	cr_expect(eq(sz, size, PAGE));
}

Test(memkind_limits, what_a_device_takes_along)
{
	add(BASE, PAGE, MEMORY_DEVICE);
	add(BASE + GRANULE, PAGE, MEMORY_MANAGED);
	add(BASE + 2 * GRANULE, PAGE, MEMORY_PINNED);
	memkind_forget_device();
	cr_expect(eq(int, kind(BASE), MEMORY_UNKNOWN));
	cr_expect(eq(int, kind(BASE + GRANULE), MEMORY_UNKNOWN));
	cr_expect(eq(int, kind(BASE + 2 * GRANULE), MEMORY_PINNED));
}

/* The fastest ten thousand in a row: whoever else uses the machine is no matter. */
static uint64_t fastest_ns(uint64_t first, unsigned count)
{
	uint64_t fastest = UINT64_MAX;
	for (unsigned at = 0; at < count; at += 10000) {
		struct timespec before, after;
		(void)clock_gettime(CLOCK_MONOTONIC, &before);
		for (unsigned i = 0; i < 10000; i++)
			memkind_add((const void *)(uintptr_t)(first + (at + i) * 512ull), 512,
				MEMORY_DEVICE, 1);
		(void)clock_gettime(CLOCK_MONOTONIC, &after);
		uint64_t ns = (uint64_t)(after.tv_sec - before.tv_sec) * 1000000000u +
			      (uint64_t)after.tv_nsec - (uint64_t)before.tv_nsec;
		if (ns < fastest)
			fastest = ns;
	}
	return fastest;
}

Test(memkind_limits, a_million_allocations_stay_cheap)
{
	uint64_t few = fastest_ns(0x7f0000000000, 30000);
	(void)fastest_ns(0x7f1000000000, 970000);
	uint64_t many = fastest_ns(0x7f2000000000, 30000);
	cr_assert(lt(u64, many, 30 * few), "%lu ns, %lu at first", (unsigned long)many,
		(unsigned long)few);
}
