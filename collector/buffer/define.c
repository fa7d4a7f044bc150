/* SPDX-License-Identifier: MIT */
#include "collector/buffer/define.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/base/intern.h"
#include "collector/codec/crc32c.h"
#include "collector/own/wiped.h"

#define CHUNKS_EVER (8u * DEFINE_CHUNKS)

/* The part of a chunk before bytes is taken: a hint, the truth is in the entries. */
struct chunk {
	unsigned char *base;
	uint32_t taken;
	uint32_t generation; /* the store's when it was made: no other may fill it */
};

static struct {
	struct live *live; /* NULL: private memory */
	struct chunk *current;
	/* Never used twice, since a thread may sleep in the middle of take(). */
	struct chunk chunks[CHUNKS_EVER];
	uint32_t chunk_count;
	uint32_t session_chunks; /* claimed since the last change of target */
	/* Raised by each change of target; who stores compares before and after. */
	uint32_t generation;
} store;

static struct intern names, places, stacks;

static uint32_t entry_bytes(uint32_t payload)
{
	return (uint32_t)(sizeof(struct live_definition) + ((payload + 7u) & ~7u));
}

/*
 * Take room for an entry: its first word goes from 0 to {bytes, kind 0} in one step, so that
 * a walk over the chunk always knows how far to go, whoever dies in between.
 */
static struct live_definition *take(struct chunk *chunk, uint32_t payload)
{
	uint32_t need = entry_bytes(payload);
	uint32_t at = __atomic_load_n(&chunk->taken, __ATOMIC_ACQUIRE);
	while (at + need <= LIVE_CHUNK_BYTES) {
		struct live_definition *entry = (void *)(chunk->base + at);
		uint64_t __attribute__((may_alias)) *first = (void *)entry;
		uint64_t word = 0;
		if (__atomic_compare_exchange_n(
			    first, &word, payload, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			/* Others may have moved on already; a hint that lags only costs steps. */
			__atomic_store_n(&chunk->taken, at + need, __ATOMIC_RELEASE);
			return entry;
		}
		at += entry_bytes((uint32_t)word);
	}
	return NULL;
}

/* Room for another chunk's description; NULL when the limit is reached. */
static struct chunk *new_chunk(struct live *live, uint32_t generation)
{
	if (__atomic_load_n(&store.chunk_count, __ATOMIC_RELAXED) >= CHUNKS_EVER ||
		__atomic_fetch_add(&store.session_chunks, 1, __ATOMIC_RELAXED) >= DEFINE_CHUNKS)
		return NULL;
	uint32_t index = __atomic_fetch_add(&store.chunk_count, 1, __ATOMIC_RELAXED);
	if (index >= CHUNKS_EVER)
		return NULL;
	uint64_t offset = 0;
	void *memory;
	if (live != NULL)
		memory = live_piece(live, LIVE_CHUNK_BYTES, &offset);
	else
		memory = mmap(NULL, LIVE_CHUNK_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == NULL || memory == MAP_FAILED)
		return NULL;
	if (live != NULL) {
		uint32_t at = __atomic_fetch_add(&live->header->chunk_count, 1, __ATOMIC_ACQ_REL);
		if (at < LIVE_CHUNK_LIMIT)
			__atomic_store_n(&live->header->chunk_offset[at], offset, __ATOMIC_RELEASE);
	}
	struct chunk *chunk = &store.chunks[index];
	chunk->taken = 0;
	chunk->generation = generation;
	chunk->base = memory;
	return chunk;
}

/*
 * Room in the current chunk, or in a new one when that is full, or was made for another target by a
 * thread that had not seen the change.
 */
static struct live_definition *make_room(uint32_t payload)
{
	/* A raw child: the chunks lie in its parent's file. */
	if (wiped.own == 0 && __atomic_load_n(&store.live, __ATOMIC_ACQUIRE) != NULL)
		define_withdraw();
	for (unsigned tries = 0; tries < 8; tries++) {
		uint32_t generation = __atomic_load_n(&store.generation, __ATOMIC_SEQ_CST);
		struct chunk *chunk = __atomic_load_n(&store.current, __ATOMIC_ACQUIRE);
		bool is_ours = chunk != NULL && chunk->generation == generation;
		struct live_definition *entry = is_ours ? take(chunk, payload) : NULL;
		if (entry != NULL)
			return entry;
		struct live *live = __atomic_load_n(&store.live, __ATOMIC_ACQUIRE);
		struct chunk *fresh = new_chunk(live, generation);
		if (fresh == NULL)
			return NULL;
		/* Who comes second uses its own chunk up to here and leaves the rest empty. */
		if (!__atomic_compare_exchange_n(&store.current, &chunk, fresh, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return take(fresh, payload);
	}
	return NULL;
}

/* Copy a definition into the current chunk; the copy's payload, or NULL. */
static const void *append(uint16_t kind, uint32_t id, const void *bytes, size_t size)
{
	int saved = errno;
	struct live_definition *entry = make_room((uint32_t)size);
	errno = saved;
	if (entry == NULL)
		return NULL;
	entry->id = id;
	entry->check = crc32c_part(kind, id, bytes, size);
	memcpy(entry + 1, bytes, size);
	__atomic_store_n(&entry->kind, kind, __ATOMIC_RELEASE);
	return entry + 1;
}

static bool store_entry(
	uint16_t kind, uint32_t id, const void *bytes, size_t size, struct intern_entry *entry)
{
	uint32_t before = __atomic_load_n(&store.generation, __ATOMIC_SEQ_CST);
	const void *copy = append(kind, id, bytes, size);
	if (copy == NULL)
		return false;
	intern_publish(entry, copy, size);
	/* A read that writes: either copy_table() sees the entry, or we see the new generation. */
	if (__atomic_fetch_add(&store.generation, 0, __ATOMIC_SEQ_CST) != before)
		(void)append(kind, id, bytes, size);
	return true;
}

static bool store_name(uint32_t id, const void *bytes, size_t size, struct intern_entry *entry)
{
	return store_entry(LIVE_NAME, id, bytes, size, entry);
}

static bool store_place(uint32_t id, const void *bytes, size_t size, struct intern_entry *entry)
{
	return store_entry(LIVE_PLACE, id, bytes, size, entry);
}

static bool store_stack(uint32_t id, const void *bytes, size_t size, struct intern_entry *entry)
{
	return store_entry(LIVE_STACK, id, bytes, size, entry);
}

uint32_t define_name(const char *text, size_t length)
{
	if (text == NULL || length == 0)
		return 0;
	size_t kept = length < DEFINE_TEXT_LIMIT ? length : DEFINE_TEXT_LIMIT;
	return intern_id(&names, store_name, text, kept);
}

const char *define_name_text(uint32_t id, size_t *ret_length)
{
	return intern_bytes(&names, id, ret_length);
}

uint32_t define_place(const struct live_place *place)
{
	return intern_id(&places, store_place, place, sizeof(*place));
}

const struct live_place *define_place_at(uint32_t id)
{
	size_t size;
	return intern_bytes(&places, id, &size);
}

uint32_t define_last_place(void)
{
	return intern_last_id(&places);
}

uint32_t define_stack(const struct live_stack *stack)
{
	if (intern_last_id(&stacks) >= DEFINE_STACK_LIMIT)
		return 0;
	return intern_id(&stacks, store_stack, stack, sizeof(*stack));
}

const struct live_stack *define_stack_at(uint32_t id)
{
	size_t size;
	return intern_bytes(&stacks, id, &size);
}

static void copy_table(const struct intern *table, uint16_t kind)
{
	uint32_t last = intern_last_id(table);
	for (uint32_t id = 1; id <= last; id++) {
		size_t size;
		const void *bytes = intern_bytes(table, id, &size);
		if (bytes != NULL)
			(void)append(kind, id, bytes, size);
	}
}

static void set_target(struct live *live)
{
	__atomic_store_n(&store.live, live, __ATOMIC_SEQ_CST);
	__atomic_store_n(&store.session_chunks, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&store.current, NULL, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&store.generation, 1, __ATOMIC_SEQ_CST);
}

void define_publish(struct live *live)
{
	set_target(live);
	copy_table(&names, LIVE_NAME);
	copy_table(&places, LIVE_PLACE);
	copy_table(&stacks, LIVE_STACK);
}

void define_withdraw(void)
{
	set_target(NULL);
}

void define_call(uint32_t id, const char *text, size_t length)
{
	(void)append(LIVE_CALL, id, text, length);
}
