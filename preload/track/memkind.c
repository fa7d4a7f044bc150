/* SPDX-License-Identifier: MIT */
#include "preload/track/memkind.h"

#include "collector/base/hash.h"
#include "preload/thread/arena.h"

#include <stdbool.h>
#include <string.h>

#define ADDRESS_BITS  47
#define GRANULE_BITS  21
#define PAGE_BITS     12
#define MIDDLE_BITS   14
#define TOP_COUNT     (1u << (ADDRESS_BITS - GRANULE_BITS - MIDDLE_BITS))
#define MIDDLE_COUNT  (1u << MIDDLE_BITS)
#define PAGE_COUNT    (1u << (GRANULE_BITS - PAGE_BITS))
#define GRANULE_BYTES ((uint64_t)1 << GRANULE_BITS)
#define PAGE_BYTES    ((uint64_t)1 << PAGE_BITS)

#define KIND_MASK  7u
#define COUNT_STEP 8u
#define COUNT_FULL (255u & ~KIND_MASK) /* too many to count: the page keeps its kind */

/* A granule is 0 (nothing), a kind (all of it), or the address of a leaf of PAGE_COUNT bytes. */
static uint64_t *top[TOP_COUNT];

/* Allocations by where they begin; an entry with address 0 is free for another. */
#define ALLOCATION_BITS    18 /* a million are short chains; few touch few pages */
#define ALLOCATION_BUCKETS (1u << ALLOCATION_BITS)
#define CLAIMED            1u
struct allocation {
	struct allocation *next;
	uint64_t address;
	uint64_t size;
	uint64_t kind;
	uint64_t since;
};
static struct allocation *allocations[ALLOCATION_BUCKETS];

static unsigned bucket_of(uint64_t address)
{
	return hash_bits(address, ALLOCATION_BITS);
}

static bool allocation_keep(uint64_t address, uint64_t size, enum memory_kind kind, uint64_t since)
{
	struct allocation **bucket = &allocations[bucket_of(address)];
	struct allocation *entry = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
	for (; entry != NULL; entry = entry->next) {
		uint64_t none = 0;
		if (__atomic_load_n(&entry->address, __ATOMIC_RELAXED) == 0 &&
			__atomic_compare_exchange_n(&entry->address, &none, CLAIMED, false,
				__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			break;
	}
	bool fresh = entry == NULL;
	if (fresh && (entry = arena_take(sizeof(*entry))) == NULL)
		return false;
	entry->size = size;
	entry->kind = kind;
	entry->since = since;
	__atomic_store_n(&entry->address, address, __ATOMIC_RELEASE);
	if (!fresh)
		return true;
	entry->next = __atomic_load_n(bucket, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(
		bucket, &entry->next, entry, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	return true;
}

static enum memory_kind allocation_drop(uint64_t address, uint64_t when, uint64_t *ret_size)
{
	struct allocation *entry =
		__atomic_load_n(&allocations[bucket_of(address)], __ATOMIC_ACQUIRE);
	for (; entry != NULL; entry = entry->next) {
		uint64_t expected = address;
		if (__atomic_load_n(&entry->address, __ATOMIC_ACQUIRE) != address)
			continue;
		if (entry->since > when)
			return MEMORY_UNKNOWN;
		uint64_t size = entry->size;
		enum memory_kind kind = (enum memory_kind)entry->kind;
		if (!__atomic_compare_exchange_n(&entry->address, &expected, 0, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		*ret_size = size;
		return kind;
	}
	return MEMORY_UNKNOWN;
}

/* The entry of a granule, made when create is set; NULL when it is not there. */
static uint64_t *granule_entry(uint64_t address, bool create)
{
	uint64_t **slot = &top[address >> (GRANULE_BITS + MIDDLE_BITS)];
	uint64_t *middle = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	if (middle == NULL && create) {
		uint64_t *fresh = arena_pages(MIDDLE_COUNT * sizeof(*fresh));
		if (fresh == NULL)
			return NULL;
		/* Whoever comes second leaves its pages unused; they cost only address space. */
		if (__atomic_compare_exchange_n(
			    slot, &middle, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			middle = fresh;
	}
	return middle == NULL ? NULL : &middle[(address >> GRANULE_BITS) & (MIDDLE_COUNT - 1)];
}

/* The bytes of a granule that is not of one kind; NULL when memory is out. */
static uint8_t *granule_leaf(uint64_t *entry)
{
	uint64_t seen = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
	while (seen <= KIND_MASK) {
		uint8_t *leaf = arena_take(PAGE_COUNT);
		if (leaf == NULL)
			return NULL;
		if (seen != 0)
			memset(leaf, (int)(seen | COUNT_STEP), PAGE_COUNT);
		if (__atomic_compare_exchange_n(entry, &seen, (uint64_t)(uintptr_t)leaf, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return leaf;
	}
	return (uint8_t *)(uintptr_t)seen;
}

static uint8_t page_with(uint8_t old, uint8_t kind)
{
	if (old < COUNT_STEP || (old & KIND_MASK) != kind)
		return (uint8_t)(kind | COUNT_STEP);
	return old >= COUNT_FULL ? old : (uint8_t)(old + COUNT_STEP);
}

static uint8_t page_without(uint8_t old, uint8_t kind)
{
	if (old < COUNT_STEP || (old & KIND_MASK) != kind || old >= COUNT_FULL)
		return old;
	uint8_t less = (uint8_t)(old - COUNT_STEP);
	return less < COUNT_STEP ? 0 : less;
}

static void pages_change(uint8_t *leaf, unsigned from, unsigned to, uint8_t kind,
	uint8_t (*change)(uint8_t old, uint8_t kind))
{
	for (unsigned page = from; page <= to; page++) {
		uint8_t old = __atomic_load_n(&leaf[page], __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(&leaf[page], &old, change(old, kind), true,
			__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
	}
}

/* Add the range to, or take it from, every granule it touches. */
static void range_change(uint64_t address, uint64_t size, uint8_t kind, bool add)
{
	uint64_t last = address + size - 1;
	for (uint64_t at = address; at <= last; at = (at | (GRANULE_BYTES - 1)) + 1) {
		uint64_t *entry = granule_entry(at, add);
		if (entry == NULL)
			continue;
		uint64_t end = at | (GRANULE_BYTES - 1);
		bool whole = (at & (GRANULE_BYTES - 1)) == 0 && end <= last;
		uint64_t from = add ? 0 : kind, to = add ? kind : 0;
		if (whole && __atomic_compare_exchange_n(
				     entry, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			continue;
		if (!add && __atomic_load_n(entry, __ATOMIC_ACQUIRE) <= KIND_MASK)
			continue;
		uint8_t *leaf = granule_leaf(entry);
		if (leaf != NULL)
			pages_change(leaf, (unsigned)(at >> PAGE_BITS) & (PAGE_COUNT - 1),
				(unsigned)((end < last ? end : last) >> PAGE_BITS) &
					(PAGE_COUNT - 1),
				kind, add ? page_with : page_without);
	}
}

void memkind_add(const void *address, size_t size, enum memory_kind kind, uint64_t when)
{
	uint64_t begin = (uint64_t)(uintptr_t)address;
	uint64_t limit = (uint64_t)1 << ADDRESS_BITS;
	if (begin <= CLAIMED || size == 0 || begin >= limit || size > limit - begin)
		return;
	uint64_t old_size = 0;
	enum memory_kind old = allocation_drop(begin, when, &old_size); /* its free was not seen */
	if (old != MEMORY_UNKNOWN)
		range_change(begin, old_size, (uint8_t)old, false);
	if (allocation_keep(begin, size, kind, when))
		range_change(begin, size, (uint8_t)kind, true);
}

enum memory_kind memkind_remove(const void *address, uint64_t when, size_t *ret_size)
{
	uint64_t size = 0;
	enum memory_kind kind = allocation_drop((uint64_t)(uintptr_t)address, when, &size);
	if (kind != MEMORY_UNKNOWN)
		range_change((uint64_t)(uintptr_t)address, size, (uint8_t)kind, false);
	*ret_size = size;
	return kind;
}

enum memory_kind memkind_of(const void *address)
{
	uint64_t at = (uint64_t)(uintptr_t)address;
	if (at >> ADDRESS_BITS != 0)
		return MEMORY_UNKNOWN;
	const uint64_t *entry = granule_entry(at, false);
	if (entry == NULL)
		return MEMORY_UNKNOWN;
	uint64_t seen = __atomic_load_n(entry, __ATOMIC_ACQUIRE);
	if (seen <= KIND_MASK)
		return (enum memory_kind)seen;
	const uint8_t *leaf = (const uint8_t *)(uintptr_t)seen;
	uint8_t page =
		__atomic_load_n(&leaf[(at >> PAGE_BITS) & (PAGE_COUNT - 1)], __ATOMIC_RELAXED);
	return (enum memory_kind)(page & KIND_MASK);
}

void memkind_forget_device(void)
{
	for (unsigned bucket = 0; bucket < ALLOCATION_BUCKETS; bucket++) {
		struct allocation *entry = __atomic_load_n(&allocations[bucket], __ATOMIC_ACQUIRE);
		for (; entry != NULL; entry = entry->next) {
			size_t size;
			uint64_t address = __atomic_load_n(&entry->address, __ATOMIC_ACQUIRE);
			if (address > CLAIMED &&
				(entry->kind == MEMORY_DEVICE || entry->kind == MEMORY_MANAGED))
				(void)memkind_remove(
					(const void *)(uintptr_t)address, UINT64_MAX, &size);
		}
	}
}
