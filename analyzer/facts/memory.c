/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/memory.h"

#include "analyzer/facts/name.h"
#include "collector/base/hash.h"
#include "collector/format/fields.h"

/* The block of an address, new if need be; NULL: no memory, or too many. */
static struct fact_block *block_at(struct facts *facts, uint64_t address)
{
	const uint32_t hash = (uint32_t)(hash_words(&address, 1) >> 32);
	uint32_t at = slots_begin(&facts->block_slots, hash), item;
	while ((item = slots_match(&facts->block_slots, hash, &at)) != SLOTS_NONE)
		if (facts->blocks.items[item].address == address)
			return &facts->blocks.items[item];
	const struct fact_block block = {.address = address};
	if (facts->blocks.count == FACTS_BLOCKS || vec_push(&facts->blocks, block) < 0)
		return NULL;
	if (slots_add(&facts->block_slots, hash, (uint32_t)facts->blocks.count - 1) < 0) {
		facts->blocks.count--;
		return NULL;
	}
	return &facts->blocks.items[facts->blocks.count - 1];
}

/* Two parts become one, until the time lies in one of the room that there is. */
static void widen(struct fact_memory *memory, uint64_t ns)
{
	while ((ns - memory->from_ns) / memory->part_ns >= FACTS_PARTS) {
		for (uint32_t i = 0; i < memory->count; i += 2) {
			struct fact_part part = memory->parts[i];
			const struct fact_part *next = &memory->parts[i + 1];
			if (i + 1 < memory->count) {
				part.most = next->most > part.most ? next->most : part.most;
				part.asked += next->asked;
				part.refused += next->refused;
			}
			memory->parts[i / 2] = part;
		}
		memory->count = (memory->count + 1) / 2;
		memory->part_ns *= 2;
	}
}

/* The part of that time; those before hold what is reserved now. */
static struct fact_part *part_at(struct facts *facts, uint64_t ns)
{
	struct fact_memory *memory = &facts->memory;
	if (memory->part_ns == 0)
		*memory = (struct fact_memory){.from_ns = ns, .part_ns = FACTS_PART_NS};
	if (ns < memory->from_ns)
		ns = memory->from_ns;
	widen(memory, ns);
	uint64_t at = (ns - memory->from_ns) / memory->part_ns;
	while (memory->count <= at)
		memory->parts[memory->count++] = (struct fact_part){.most = facts->reserved};
	return &memory->parts[at];
}

void facts_alloc(struct facts *facts, const struct record *record)
{
	uint32_t flags = record_flags(record);
	if (record_ALLOC_memory(record) != MEMORY_DEVICE)
		return;
	struct fact_part *part = part_at(facts, record->end);
	part->asked += (flags & RECORD_CREATE) != 0 && record->result == 0;
	part->refused += (flags & RECORD_CREATE) != 0 && record->result != 0;
	if (record->result != 0 || record_ALLOC_address(record) == 0)
		return;
	struct fact_block *block = block_at(facts, record_ALLOC_address(record));
	if (block == NULL)
		return;
	facts->reserved -= block->bytes;
	block->bytes = (flags & RECORD_CREATE) != 0 ? record_bytes(record) : 0;
	facts->reserved += block->bytes;
	if (facts->reserved > part->most)
		part->most = facts->reserved;
	if (facts->reserved > facts->reserved_peak)
		facts->reserved_peak = facts->reserved;
}
