/* SPDX-License-Identifier: MIT */
#include "collector/buffer/ring.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/buffer/request.h"
#include "collector/buffer/room.h"
#include "collector/codec/crc32c.h"

#define FREE_WORDS    (LIVE_RING_LIMIT / 64u)
#define SWEEP_AT_ONCE 32u
#define SAMPLE_RINGS  8u

static struct {
	struct ring rings[LIVE_RING_LIMIT];
	uint32_t count;            /* claimed */
	uint32_t makers;           /* threads that will claim one */
	uint64_t free[FREE_WORDS]; /* one bit per ring */
	uint32_t last_thread;
	uint32_t sweep_wanted;
	uint32_t sweep_next;
	uint64_t grown_bytes;
	uint64_t grown_until; /* as the drain thread allows */
	/* what was grown when it looked; its own */
	uint64_t grown_looked;
	bool has_looked;
} registry;

unsigned ring_count(void)
{
	return __atomic_load_n(&registry.count, __ATOMIC_ACQUIRE);
}

struct ring *ring_at(unsigned index)
{
	return &registry.rings[index];
}

uint64_t ring_capacity(unsigned index, size_t bytes)
{
	uint64_t records = bytes / sizeof(struct record);
	if (index >= RING_MEDIUM_COUNT)
		records /= 16;
	else if (index >= RING_LARGE_COUNT)
		records /= 4;
	uint64_t capacity = RING_MIN_RECORDS;
	while (capacity * 2 <= records)
		capacity *= 2;
	return capacity;
}

/* A free ring, from number first on and of a capacity, taken out of the set; NULL: none. */
static struct ring *take_free(unsigned first, uint64_t capacity)
{
	uint64_t mask = ~0ull << (first % 64);
	for (unsigned i = first / 64; i < FREE_WORDS; i++, mask = ~0ull) {
		uint64_t word = __atomic_load_n(&registry.free[i], __ATOMIC_ACQUIRE) & mask;
		for (; word != 0; word &= word - 1) {
			uint64_t bit = word & -word;
			struct ring *ring =
				&registry.rings[i * 64 + (unsigned)__builtin_ctzll(bit)];
			if (ring->capacity >= capacity &&
				(__atomic_fetch_and(&registry.free[i], ~bit, __ATOMIC_ACQ_REL) &
					bit) != 0)
				return ring;
		}
	}
	return NULL;
}

/* The number of a ring that is to be made, below the limit; false: there is none left. */
static bool claim(uint32_t limit, uint32_t *ret_index)
{
	uint32_t count = __atomic_load_n(&registry.count, __ATOMIC_RELAXED);
	while (count < limit && !__atomic_compare_exchange_n(&registry.count, &count, count + 1,
					false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
	*ret_index = count;
	return count < limit;
}

static size_t ring_bytes(uint64_t capacity)
{
	return RING_HEADER_BYTES + capacity * sizeof(struct record);
}

/* The ring number index, in a piece at offset. */
static struct ring *publish(struct live *live, uint32_t index, uint64_t capacity,
	struct live_ring *shared, uint64_t offset)
{
	shared->capacity = capacity;
	shared->check = crc32c_part(index, capacity, NULL, 0);
	struct ring *ring = &registry.rings[index];
	ring->records = (struct record *)((char *)shared + RING_HEADER_BYTES);
	ring->capacity = capacity;
	struct live_header *header = live->header;
	__atomic_store_n(&header->ring_offset[index], offset, __ATOMIC_RELEASE);
	uint32_t count = __atomic_load_n(&header->ring_count, __ATOMIC_RELAXED);
	while (count <= index && !__atomic_compare_exchange_n(&header->ring_count, &count,
					 index + 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	__atomic_store_n(&ring->shared, shared, __ATOMIC_RELEASE);
	return ring;
}

/* A new ring, as small as if all that others make were there; NULL: the limit, or no memory. */
static struct ring *make(struct live *live, size_t bytes, uint32_t limit)
{
	uint32_t index, makers = __atomic_fetch_add(&registry.makers, 1, __ATOMIC_ACQ_REL);
	uint64_t offset, capacity = ring_capacity(ring_count() + makers, bytes);
	/* First the memory: who finds none, with each of its events, uses up no number. */
	struct live_ring *shared =
		ring_count() < limit ? live_piece(live, ring_bytes(capacity), &offset) : NULL;
	bool is_made = shared != NULL && claim(limit, &index);
	(void)__atomic_sub_fetch(&registry.makers, 1, __ATOMIC_RELEASE);
	return is_made ? publish(live, index, capacity, shared, offset) : NULL;
}

static bool has_ended(uint32_t tid)
{
	return tid != 0 && syscall(SYS_tgkill, getpid(), (pid_t)tid, 0) < 0 && errno == ESRCH;
}

/* Most rings belong to threads that have ended and wait for the drain thread, by a sample. */
static bool most_have_ended(void)
{
	unsigned count = ring_count();
	unsigned ended = 0;
	for (unsigned i = 0; i < SAMPLE_RINGS; i++) {
		struct ring *ring = &registry.rings[count * i / SAMPLE_RINGS];
		struct live_ring *shared = __atomic_load_n(&ring->shared, __ATOMIC_ACQUIRE);
		ended += shared != NULL &&
			 has_ended(__atomic_load_n(&shared->tid, __ATOMIC_RELAXED));
	}
	return 2 * ended > SAMPLE_RINGS;
}

/*
 * Threads that come and go faster than the drain thread gets a processor would need a new ring
 * each: wait a little for one, 2 ms at most.
 */
static struct ring *wait_for_free(void)
{
	static const struct timespec pause = {0, 100000};
	struct ring *ring = NULL;
	__atomic_store_n(&registry.sweep_wanted, 1, __ATOMIC_RELAXED);
	request_wake();
	if (ring_count() < RING_MEDIUM_COUNT || !most_have_ended())
		return NULL;
	for (unsigned i = 0; i < 20 && ring == NULL; i++) {
		(void)nanosleep(&pause, NULL);
		ring = take_free(0, 0);
	}
	return ring;
}

struct ring *ring_take(struct live *live, size_t bytes)
{
	int saved = errno;
	struct ring *ring = take_free(0, 0);
	if (ring == NULL)
		ring = wait_for_free();
	if (ring == NULL)
		ring = make(live, bytes, RING_THREAD_LIMIT);
	if (ring != NULL) {
		struct live_ring *shared = ring->shared;
		__atomic_store_n(&shared->tid, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
		memset(shared->name, 0, sizeof(shared->name));
		cost_reset(&ring->cost);
		(void)prctl(PR_GET_NAME, shared->name, 0, 0, 0);
		uint32_t thread = __atomic_add_fetch(&registry.last_thread, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&shared->thread, thread, __ATOMIC_RELEASE);
	}
	errno = saved;
	return ring;
}

static bool may_grow(uint64_t grown)
{
	return grown <= __atomic_load_n(&registry.grown_until, __ATOMIC_RELAXED);
}

/* A program that has little memory left is not to be ended for ours. */
void ring_allow(void)
{
	uint64_t grown = __atomic_load_n(&registry.grown_bytes, __ATOMIC_RELAXED);
	if (registry.has_looked && grown == registry.grown_looked)
		return;
	uint64_t share = room_bytes() / RING_GROWN_SHARE;
	uint64_t until = share < RING_GROWN_LEAST ? 0 : grown + share;
	if (until > RING_GROWN_BYTES)
		until = RING_GROWN_BYTES;
	registry.has_looked = true;
	registry.grown_looked = grown;
	__atomic_store_n(&registry.grown_until, until, __ATOMIC_RELAXED);
}

/*
 * Only where the others are: a program that is killed must not lose what it had recorded. Without
 * room it is not tried again, every event that is lost would.
 */
static struct ring *make_larger(struct live *live, uint64_t capacity)
{
	uint64_t bytes = ring_bytes(capacity), offset;
	uint64_t grown = __atomic_load_n(&registry.grown_bytes, __ATOMIC_RELAXED);
	if (ring_count() >= RING_GROWN_LIMIT)
		return NULL;
	do
		if (!may_grow(grown + bytes))
			return NULL;
	while (!__atomic_compare_exchange_n(&registry.grown_bytes, &grown, grown + bytes, false,
		__ATOMIC_RELAXED, __ATOMIC_RELAXED));
	uint32_t index;
	struct live_ring *shared = live_spare_piece(live, bytes, &offset);
	if (shared != NULL && claim(RING_GROWN_LIMIT, &index))
		return publish(live, index, capacity, shared, offset);
	__atomic_store_n(&registry.grown_bytes, RING_GROWN_BYTES, __ATOMIC_RELAXED);
	return NULL;
}

struct ring *ring_grow(struct live *live, struct ring *ring, size_t bytes)
{
	uint64_t most = ring_capacity(0, bytes) * RING_GROWN_MOST;
	uint64_t capacity =
		ring->capacity * RING_GROWTH < most ? ring->capacity * RING_GROWTH : most;
	if (capacity <= ring->capacity)
		return NULL;
	/* Readers take the rings of a thread in the order of their numbers. */
	struct ring *larger = take_free((unsigned)(ring - registry.rings) + 1, capacity);
	if (larger == NULL)
		larger = make_larger(live, capacity);
	if (larger == NULL)
		return NULL;
	struct live_ring *from = ring->shared, *to = larger->shared;
	uint64_t head = __atomic_load_n(&from->head, __ATOMIC_RELAXED);
	to->tid = from->tid;
	memcpy(to->name, from->name, sizeof(to->name));
	to->first_sequence_of_thread = head;
	__atomic_store_n(&to->head, head, __ATOMIC_RELEASE);
	__atomic_store_n(&to->tail, head, __ATOMIC_RELEASE);
	larger->first = head;
	larger->taken = head;
	__atomic_store_n(&larger->published, head, __ATOMIC_RELAXED);
	larger->cost = ring->cost;
	larger->previous = ring;
	ring_watch(larger, ring->subject, ring->mark);
	ring_watch(ring, NULL, 0);
	uint32_t thread = __atomic_load_n(&from->thread, __ATOMIC_RELAXED);
	__atomic_store_n(&to->thread, thread, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->left, true, __ATOMIC_RELEASE);
	return larger;
}

bool ring_is_next(struct ring *ring)
{
	struct ring *previous = ring->previous;
	if (previous == NULL)
		return true;
	if (__atomic_load_n(&previous->shared->head, __ATOMIC_ACQUIRE) != previous->taken)
		return false;
	ring->feeds |= previous->feeds;
	ring->name_age = previous->name_age;
	ring->previous = NULL;
	previous->followed = true;
	return true;
}

int ring_make_pseudo(struct live *live, const char *name, uint32_t tid)
{
	struct ring *ring = make(live, 0, LIVE_RING_LIMIT);
	if (ring == NULL)
		return -ENOMEM;
	struct live_ring *shared = ring->shared;
	memcpy(shared->name, name, strnlen(name, sizeof(shared->name)));
	shared->tid = tid;
	uint32_t thread = __atomic_add_fetch(&registry.last_thread, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&shared->thread, thread, __ATOMIC_RELEASE);
	ring->thread = thread;
	return (int)(ring - registry.rings);
}

uint64_t ring_waiting(const struct ring *ring, uint64_t *ret_first)
{
	uint64_t head = __atomic_load_n(&ring->shared->head, __ATOMIC_ACQUIRE);
	*ret_first = ring->taken;
	/* More than there is room for: the memory was taken away. */
	return head - ring->taken <= ring->capacity ? head - ring->taken : 0;
}

void ring_release(struct ring *ring, uint64_t until)
{
	ring->taken = until;
	__atomic_store_n(&ring->shared->tail, until, __ATOMIC_RELEASE);
}

void ring_watch(struct ring *ring, const void *subject, uint64_t mark)
{
	__atomic_store_n(&ring->subject, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->mark, mark, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->subject, subject, __ATOMIC_RELEASE);
}

bool ring_watched(const struct ring *ring, const void **ret_subject, uint64_t *ret_mark)
{
	const void *before = __atomic_load_n(&ring->subject, __ATOMIC_ACQUIRE);
	*ret_mark = __atomic_load_n(&ring->mark, __ATOMIC_ACQUIRE);
	*ret_subject = __atomic_load_n(&ring->subject, __ATOMIC_RELAXED);
	return before != NULL && before == *ret_subject;
}

void ring_count_loss(struct live_ring *shared, uint64_t ticks)
{
	uint64_t lost = shared->lost;
	if (lost == __atomic_load_n(&shared->lost_taken, __ATOMIC_RELAXED))
		__atomic_store_n(&shared->lost_first_ticks, ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&shared->lost_last_ticks, ticks, __ATOMIC_RELAXED);
	__atomic_store_n(&shared->lost, lost + 1, __ATOMIC_RELEASE);
}

bool ring_sweep_wanted(void)
{
	return __atomic_load_n(&registry.sweep_wanted, __ATOMIC_RELAXED) != 0;
}

/* Free the ring if nobody can write to it any more and nothing is left to tell. */
static bool sweep_one(unsigned index)
{
	struct ring *ring = &registry.rings[index];
	struct live_ring *shared = __atomic_load_n(&ring->shared, __ATOMIC_ACQUIRE);
	if (shared == NULL || __atomic_load_n(&shared->thread, __ATOMIC_ACQUIRE) == 0 ||
		(__atomic_load_n(&ring->left, __ATOMIC_ACQUIRE) ? !ring->followed
								: !has_ended(shared->tid)))
		return false;
	/* Looked at after the end of the thread, so these are its last words, and its last look. */
	(void)__atomic_load_n(&ring->published, __ATOMIC_ACQUIRE);
	if (__atomic_load_n(&shared->head, __ATOMIC_ACQUIRE) != shared->tail ||
		__atomic_load_n(&shared->lost, __ATOMIC_ACQUIRE) != shared->lost_taken)
		return false;
	ring_watch(ring, NULL, 0);
	__atomic_store_n(&shared->thread, 0, __ATOMIC_RELEASE);
	/* Its next thread counts from 0, and touches the same pages again. */
	__atomic_store_n(&shared->head, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&shared->tail, 0, __ATOMIC_RELEASE);
	shared->first_sequence_of_thread = 0;
	ring->taken = 0;
	ring->first = 0;
	ring->left = false;
	ring->followed = false;
	__atomic_store_n(&ring->published, 0, __ATOMIC_RELAXED);
	__atomic_fetch_or(&registry.free[index / 64], 1ull << (index % 64), __ATOMIC_ACQ_REL);
	return true;
}

bool ring_sweep_at(unsigned index)
{
	return ring_sweep_wanted() && sweep_one(index);
}

unsigned ring_sweep(bool all)
{
	unsigned count = ring_count(), freed = 0;
	if (count == 0)
		return 0;
	if (all)
		__atomic_store_n(&registry.sweep_wanted, 0, __ATOMIC_RELAXED);
	unsigned steps = all || count < SWEEP_AT_ONCE ? count : SWEEP_AT_ONCE;
	for (unsigned i = 0; i < steps; i++) {
		freed += sweep_one(registry.sweep_next % count);
		registry.sweep_next++;
	}
	return freed;
}

void ring_adopt(struct live *live)
{
	unsigned count = ring_count();
	__atomic_store_n(&live->header->ring_count, count, __ATOMIC_RELEASE);
	if (count > 0)
		__atomic_store_n(&live->has_private, true, __ATOMIC_RELAXED);
}

void ring_forget(void)
{
	unsigned count = ring_count();
	for (unsigned i = 0; i < count; i++)
		memset(&registry.rings[i], 0, sizeof(registry.rings[i]));
	memset(registry.free, 0, sizeof(registry.free));
	registry.count = registry.makers = 0;
	registry.sweep_wanted = 0;
	registry.sweep_next = 0;
	registry.grown_bytes = registry.grown_until = registry.grown_looked = 0;
	registry.has_looked = false;
	registry.last_thread = 0;
}
