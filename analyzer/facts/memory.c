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

void facts_alloc(struct facts *facts, const struct record *record)
{
	uint32_t flags = record_flags(record);
	if (record_ALLOC_memory(record) != MEMORY_DEVICE || record->result != 0 ||
		record_ALLOC_address(record) == 0)
		return;
	struct fact_block *block = block_at(facts, record_ALLOC_address(record));
	if (block == NULL)
		return;
	facts->reserved -= block->bytes;
	block->bytes = (flags & RECORD_CREATE) != 0 ? record_bytes(record) : 0;
	facts->reserved += block->bytes;
	if (facts->reserved > facts->reserved_peak)
		facts->reserved_peak = facts->reserved;
}
