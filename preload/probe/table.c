/* SPDX-License-Identifier: MIT */
#include "preload/probe/table.h"

#include <string.h>

#include "collector/base/hash.h"
#include "collector/describe.h"
#include "collector/format/symbol.h"

#define PLACE_BITS 13u
#define PLACES     (1u << PLACE_BITS) /* twice as many as functions */
#define NAME_SIZE  512u

struct probe table_probes[TABLE_LIMIT];
static uint32_t count;
/* Numbers plus one, by address and by name; 0: free. */
static uint16_t by_target[PLACES], by_symbol[PLACES];
static uint32_t forgotten;

static uint32_t hash_of(const char *symbol)
{
	uint64_t hash = 0;
	for (; *symbol != '\0'; symbol++)
		hash = hash_mix(hash, (unsigned char)*symbol);
	return (uint32_t)(hash >> 32) | 1u;
}

uint32_t table_find(const void *target)
{
	uint32_t at = hash_bits((uintptr_t)target, PLACE_BITS);
	for (; by_target[at] != 0; at = (at + 1) % PLACES)
		if (table_probes[by_target[at] - 1].target == target)
			return by_target[at] - 1u;
	return TABLE_NONE;
}

bool table_has_symbol(const char *symbol)
{
	uint32_t hash = hash_of(symbol);
	uint32_t at = hash_bits(hash, PLACE_BITS);
	for (; by_symbol[at] != 0; at = (at + 1) % PLACES)
		if (table_probes[by_symbol[at] - 1].symbol == hash)
			return true;
	return false;
}

static void put(uint16_t *places, uint64_t key, uint32_t number)
{
	uint32_t at = hash_bits(key, PLACE_BITS);
	while (places[at] != 0)
		at = (at + 1) % PLACES;
	places[at] = (uint16_t)(number + 1);
}

static void put_both(uint32_t number)
{
	put(by_target, (uintptr_t)table_probes[number].target, number);
	put(by_symbol, table_probes[number].symbol, number);
}

/* A number without a function: one that was forgotten, or a new one. */
static uint32_t take_number(void)
{
	if (forgotten == 0)
		return count < TABLE_LIMIT ? count : TABLE_NONE;
	uint32_t number = 0;
	while (table_probes[number].symbol != 0)
		number++;
	forgotten--;
	return number;
}

static void set(uint32_t number, const void *target, const char *symbol)
{
	char qualified[NAME_SIZE];
	const char *name =
		symbol_qualified(symbol, qualified, sizeof(qualified)) ? qualified : symbol;
	table_probes[number] = (struct probe){.target = target,
		.name = collector_name(name, strlen(name)),
		.symbol = hash_of(symbol),
		.added = true};
}

uint32_t table_add(const void *target, const char *symbol)
{
	uint32_t number = table_find(target);
	if (number != TABLE_NONE) {
		/* one of several names of it, or of what lies there now */
		if (!table_probes[number].added)
			set(number, target, symbol);
		return number;
	}
	number = take_number();
	if (number == TABLE_NONE)
		return TABLE_NONE;
	set(number, target, symbol);
	put_both(number);
	if (number == count)
		__atomic_store_n(&count, number + 1, __ATOMIC_RELEASE);
	return number;
}

void table_restart(void)
{
	for (uint32_t i = 0; i < count; i++)
		table_probes[i].added = false;
}

void table_restarted(void)
{
	memset(by_target, 0, sizeof(by_target));
	memset(by_symbol, 0, sizeof(by_symbol));
	forgotten = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!table_probes[i].added)
			table_probes[i].symbol = 0;
		if (table_probes[i].symbol == 0)
			forgotten++;
		else
			put_both(i);
	}
}

uint32_t table_count(void)
{
	return __atomic_load_n(&count, __ATOMIC_ACQUIRE) - forgotten;
}
