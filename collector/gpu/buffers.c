/* SPDX-License-Identifier: MIT */
#include "collector/gpu/buffers.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/base/clock.h"

struct pool {
	uint8_t *memory;
	uint32_t count, slot_bytes;
	uint64_t
		free[(GPU_BUFFER_COUNT > GPU_DISCARD_COUNT ? GPU_BUFFER_COUNT : GPU_DISCARD_COUNT) /
			64];
};

static struct {
	struct gpu_buffers_options options;
	struct pool full, discard;
	struct gpu_buffer buffers[GPU_BUFFER_COUNT];
	/* One bit for each of them: has memory; was asked for since they were settled. */
	uint64_t touched[GPU_BUFFER_COUNT / 64], asked[GPU_BUFFER_COUNT / 64];
	uint64_t discard_begin_ns[GPU_DISCARD_COUNT];
	struct gpu_buffer *ready; /* the latest first */
	uint64_t lost, lost_first_ns, lost_last_ns;
} pools;

/* When even those that are thrown away are all in use, and in a forked child: shared by all. */
static uint8_t last_resort[GPU_DISCARD_BYTES] __attribute__((aligned(64)));

static int pool_init(struct pool *pool, uint32_t count, uint32_t slot_bytes)
{
	void *memory = mmap(NULL, (size_t)count * slot_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	pool->count = count;
	pool->slot_bytes = slot_bytes;
	for (uint32_t i = 0; i < count; i++)
		pool->free[i / 64] |= 1ull << (i % 64);
	pool->memory = memory;
	return 0;
}

/* The lowest free slot, or -1. */
static int pool_take(struct pool *pool)
{
	for (uint32_t i = 0; pool->memory != NULL && i * 64 < pool->count; i++) {
		uint64_t word = __atomic_load_n(&pool->free[i], __ATOMIC_RELAXED);
		while (word != 0) {
			uint64_t bit = word & -word;
			word = __atomic_fetch_and(&pool->free[i], ~bit, __ATOMIC_ACQ_REL);
			if (word & bit)
				return (int)(i * 64) + __builtin_ctzll(bit);
		}
	}
	return -1;
}

static void pool_return(struct pool *pool, uint32_t slot)
{
	__atomic_fetch_or(&pool->free[slot / 64], 1ull << (slot % 64), __ATOMIC_RELEASE);
}

/* The slot of a buffer that was handed out, or -1: of another pool, or not ours at all. */
static int pool_slot(const struct pool *pool, const uint8_t *buffer)
{
	if (pool->memory == NULL || buffer < pool->memory)
		return -1;
	size_t offset = (size_t)(buffer - pool->memory);
	return offset < (size_t)pool->count * pool->slot_bytes ? (int)(offset / pool->slot_bytes)
							       : -1;
}

static uint8_t *pool_data(const struct pool *pool, unsigned slot)
{
	return pool->memory + (size_t)slot * pool->slot_bytes;
}

int gpu_buffers_init(const struct gpu_buffers_options *options)
{
	uint32_t count = options->limit != 0 && options->limit < GPU_BUFFER_COUNT
				 ? options->limit
				 : GPU_BUFFER_COUNT;
	if (pools.full.memory != NULL)
		return 0;
	pools.options = *options;
	int code = pool_init(&pools.discard, GPU_DISCARD_COUNT, GPU_DISCARD_BYTES);
	return code < 0 ? code : pool_init(&pools.full, count, GPU_BUFFER_BYTES);
}

void gpu_buffers_request(uint8_t **ret_buffer, size_t *ret_size, size_t *ret_max_records)
{
	int slot = pool_take(&pools.full);
	*ret_max_records = 0;
	if (slot >= 0) {
		uint64_t bit = 1ull << (slot % 64);
		__atomic_fetch_or(&pools.touched[slot / 64], bit, __ATOMIC_RELAXED);
		__atomic_fetch_or(&pools.asked[slot / 64], bit, __ATOMIC_RELAXED);
		*ret_buffer = pool_data(&pools.full, (unsigned)slot);
		*ret_size = GPU_BUFFER_BYTES;
		return;
	}
	*ret_size = GPU_DISCARD_BYTES;
	slot = pool_take(&pools.discard);
	*ret_buffer = slot >= 0 ? pool_data(&pools.discard, (unsigned)slot) : last_resort;
	if (slot >= 0)
		pools.discard_begin_ns[slot] = clock_monotonic_ns();
}

static void count_lost(uint64_t count, uint64_t begin_ns)
{
	uint64_t none = 0;
	(void)__atomic_compare_exchange_n(
		&pools.lost_first_ns, &none, begin_ns, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	__atomic_store_n(&pools.lost_last_ns, clock_monotonic_ns(), __ATOMIC_RELAXED);
	__atomic_fetch_add(&pools.lost, count, __ATOMIC_RELEASE);
}

static void discard(uint8_t *buffer, unsigned slot, size_t valid)
{
	uint64_t count = valid > 0 ? pools.options.count(buffer, valid) : 0;
	if (count > 0)
		count_lost(count, pools.discard_begin_ns[slot]);
	pool_return(&pools.discard, slot);
}

static void push(struct gpu_buffer *buffer)
{
	struct gpu_buffer *first = __atomic_load_n(&pools.ready, __ATOMIC_RELAXED);
	do
		buffer->next = first;
	while (!__atomic_compare_exchange_n(
		&pools.ready, &first, buffer, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

void gpu_buffers_complete(
	void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	(void)context;
	(void)stream;
	(void)size;
	int saved = errno;
	int slot = pool_slot(&pools.full, buffer);
	if (slot >= 0) {
		struct gpu_buffer *entry = &pools.buffers[slot];
		entry->data = buffer;
		entry->valid = valid < GPU_BUFFER_BYTES ? valid : GPU_BUFFER_BYTES;
		push(entry);
		pools.options.ready();
	} else if ((slot = pool_slot(&pools.discard, buffer)) >= 0) {
		discard(buffer, (unsigned)slot, valid);
		pools.options.ready();
	} else if (buffer == last_resort && valid > 0 && pools.options.count != NULL) {
		/* Several may have written into it: at least one. */
		count_lost(1, clock_monotonic_ns());
	}
	errno = saved;
}

struct gpu_buffer *gpu_buffers_take(void)
{
	struct gpu_buffer *list = __atomic_exchange_n(&pools.ready, NULL, __ATOMIC_ACQUIRE);
	struct gpu_buffer *oldest = NULL;
	while (list != NULL) {
		struct gpu_buffer *next = list->next;
		list->next = oldest;
		oldest = list;
		list = next;
	}
	return oldest;
}

void gpu_buffers_return(struct gpu_buffer *buffer)
{
	pool_return(&pools.full, (uint32_t)(buffer - pools.buffers));
}

/* The bits of word i that are not to be settled. */
static uint64_t kept_bits(unsigned i)
{
	return i == 0 ? (1ull << GPU_BUFFER_KEPT) - 1 : 0;
}

/* As a request takes it, so that nobody else has it meanwhile. */
static void settle(unsigned slot)
{
	uint64_t bit = 1ull << (slot % 64);
	uint64_t *word = &pools.full.free[slot / 64];
	if ((__atomic_fetch_and(word, ~bit, __ATOMIC_ACQ_REL) & bit) == 0)
		return;
	__atomic_fetch_and(&pools.touched[slot / 64], ~bit, __ATOMIC_RELAXED);
	(void)madvise(pool_data(&pools.full, slot), GPU_BUFFER_BYTES, MADV_DONTNEED);
	pool_return(&pools.full, slot);
}

void gpu_buffers_settle(void)
{
	/* There is one for a request that comes while another one is settled. */
	bool spare = (__atomic_load_n(&pools.full.free[0], __ATOMIC_RELAXED) & kept_bits(0)) != 0;
	for (unsigned i = 0; i < GPU_BUFFER_COUNT / 64; i++) {
		uint64_t asked = __atomic_exchange_n(&pools.asked[i], 0, __ATOMIC_RELAXED);
		uint64_t idle = __atomic_load_n(&pools.touched[i], __ATOMIC_RELAXED) & ~asked;
		for (idle &= ~kept_bits(i); spare && idle != 0; idle &= idle - 1)
			settle(i * 64 + (unsigned)__builtin_ctzll(idle));
	}
}

void gpu_buffers_take_discarded(struct ring_gap *ret_gap)
{
	*ret_gap = (struct ring_gap){0};
	if (__atomic_load_n(&pools.lost, __ATOMIC_RELAXED) == 0)
		return;
	ret_gap->count = __atomic_exchange_n(&pools.lost, 0, __ATOMIC_ACQUIRE);
	ret_gap->last_ns = __atomic_load_n(&pools.lost_last_ns, __ATOMIC_RELAXED);
	ret_gap->first_ns = __atomic_exchange_n(&pools.lost_first_ns, 0, __ATOMIC_RELAXED);
	if (ret_gap->first_ns == 0 || ret_gap->first_ns > ret_gap->last_ns)
		ret_gap->first_ns = ret_gap->last_ns;
}

void gpu_buffers_forget(void)
{
	memset(&pools, 0, sizeof(pools));
}
