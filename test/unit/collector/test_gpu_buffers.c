/* SPDX-License-Identifier: MIT */
/* The pool of buffers: bounded, never refusing, what is thrown away is counted. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/gpu/buffers.h"

#define LIMIT 4u

static unsigned woken;

static void ready(void)
{
	errno = EBADF;
	__atomic_fetch_add(&woken, 1, __ATOMIC_RELAXED);
}

/* Here a record is 8 bytes. */
static uint64_t count(uint8_t *data, size_t valid)
{
	(void)data;
	return valid / 8;
}

static void setup(void)
{
	struct gpu_buffers_options options = {.limit = LIMIT, .ready = ready, .count = count};
	cr_assert(eq(int, gpu_buffers_init(&options), 0));
}

static uint8_t *request(size_t *ret_size)
{
	uint8_t *buffer = NULL;
	size_t records = 99;
	*ret_size = 0;
	gpu_buffers_request(&buffer, ret_size, &records);
	cr_assert(ne(ptr, buffer, NULL));
	cr_assert(eq(sz, records, 0));
	cr_assert(eq(u64, (uintptr_t)buffer % 8, 0));
	memset(buffer, 1, *ret_size);
	return buffer;
}

static void complete(uint8_t *buffer, size_t valid)
{
	errno = ENOTTY;
	gpu_buffers_complete(NULL, 0, buffer, GPU_BUFFER_BYTES, valid);
	cr_assert(eq(int, errno, ENOTTY));
}

Test(gpu_buffers, come_back_in_their_order, .init = setup)
{
	size_t size;
	uint8_t *buffers[LIMIT];
	for (unsigned i = 0; i < LIMIT; i++) {
		buffers[i] = request(&size);
		cr_assert(eq(sz, size, GPU_BUFFER_BYTES));
	}
	for (unsigned i = LIMIT; i > 0; i--)
		complete(buffers[i - 1], i);
	struct gpu_buffer *list = gpu_buffers_take();
	for (unsigned i = LIMIT; i > 0; i--) {
		struct gpu_buffer *next = list->next;
		cr_assert(eq(ptr, list->data, buffers[i - 1]));
		cr_assert(eq(sz, list->valid, i));
		gpu_buffers_return(list);
		list = next;
	}
	cr_assert(eq(ptr, list, NULL));
	cr_assert(eq(ptr, gpu_buffers_take(), NULL));
	cr_assert(eq(u32, woken, LIMIT));
	cr_assert(eq(ptr, request(&size), buffers[0]), "the lowest first: few pages are touched");
}

Test(gpu_buffers, beyond_the_bound_records_are_counted, .init = setup)
{
	size_t size;
	struct ring_gap gap;
	for (unsigned i = 0; i < LIMIT; i++)
		(void)request(&size);
	uint8_t *a = request(&size), *b = request(&size);
	cr_assert(eq(sz, size, GPU_DISCARD_BYTES));
	cr_assert(ne(ptr, a, b));
	complete(a, 80);
	complete(b, 8);
	complete(request(&size), 0);
	cr_assert(eq(ptr, gpu_buffers_take(), NULL));
	gpu_buffers_take_discarded(&gap);
	cr_assert(eq(u64, gap.count, 11));
	cr_assert(gap.first_ns > 0 && gap.first_ns <= gap.last_ns);
	gpu_buffers_take_discarded(&gap);
	cr_assert(eq(u64, gap.count, 0));
}

Test(gpu_buffers, never_refuses, .init = setup)
{
	size_t size;
	struct ring_gap gap;
	for (unsigned i = 0; i < LIMIT + GPU_DISCARD_COUNT; i++)
		(void)request(&size);
	uint8_t *last = request(&size);
	cr_assert(eq(ptr, request(&size), last));
	complete(last, 80);
	gpu_buffers_take_discarded(&gap);
	cr_assert(eq(u64, gap.count, 1), "how many cannot be known: at least one");
}

Test(gpu_buffers, what_is_not_ours_is_left_alone, .init = setup)
{
	uint8_t other[64];
	struct ring_gap gap;
	complete(other, 64);
	complete(NULL, 64);
	cr_assert(eq(ptr, gpu_buffers_take(), NULL));
	gpu_buffers_take_discarded(&gap);
	cr_assert(eq(u64, gap.count, 0));
}

Test(gpu_buffers, a_forked_child_keeps_nothing, .init = setup)
{
	size_t size;
	uint8_t *buffer = request(&size);
	gpu_buffers_forget();
	complete(buffer, 64);
	cr_assert(eq(ptr, gpu_buffers_take(), NULL));
	complete(request(&size), 64);
	struct ring_gap gap;
	gpu_buffers_take_discarded(&gap);
	cr_assert(eq(u64, gap.count, 0));
}

#define BURST 96u /* more than one word of bits */

static size_t resident(uint8_t *buffer)
{
	unsigned char pages[GPU_BUFFER_BYTES / 4096];
	size_t count = 0;
	cr_assert(eq(int, mincore(buffer, GPU_BUFFER_BYTES, pages), 0));
	for (size_t i = 0; i < GPU_BUFFER_BYTES / (size_t)sysconf(_SC_PAGESIZE); i++)
		count += pages[i] & 1;
	return count;
}

static void return_all(void)
{
	for (struct gpu_buffer *next, *list = gpu_buffers_take(); list != NULL; list = next) {
		next = list->next;
		gpu_buffers_return(list);
	}
}

static void setup_all(void)
{
	struct gpu_buffers_options options = {.ready = ready, .count = count};
	cr_assert(eq(int, gpu_buffers_init(&options), 0));
}

/* What nobody asked for since the last time has no memory any more; one that is out is left. */
Test(gpu_buffers, memory_of_a_burst_is_given_back, .init = setup_all)
{
	size_t size;
	uint8_t *buffers[BURST];
	for (unsigned i = 0; i < BURST; i++)
		buffers[i] = request(&size);
	for (unsigned i = 0; i < BURST; i++)
		if (i != BURST - 1)
			complete(buffers[i], 8);
	return_all();
	gpu_buffers_settle();
	for (unsigned i = 0; i < BURST; i++)
		cr_assert(gt(sz, resident(buffers[i]), 0), "it was just used, %u", i);
	gpu_buffers_settle();
	for (unsigned i = 0; i < BURST; i++)
		cr_assert(eq(int, resident(buffers[i]) > 0, i < GPU_BUFFER_KEPT || i == BURST - 1),
			"buffer %u", i);
	cr_assert(eq(int, buffers[BURST - 1][0], 1), "what is out is not touched");
	complete(buffers[BURST - 1], 8);
	return_all();
	for (unsigned i = 0; i < BURST; i++)
		cr_assert(eq(ptr, request(&size), buffers[i]), "all are there again");
}

/* Without a free one that is kept a request might find none. */
Test(gpu_buffers, nothing_is_given_back_while_all_that_are_kept_are_out, .init = setup_all)
{
	size_t size;
	uint8_t *buffers[BURST];
	for (unsigned i = 0; i < BURST; i++)
		buffers[i] = request(&size);
	for (unsigned i = GPU_BUFFER_KEPT; i < BURST; i++)
		complete(buffers[i], 8);
	return_all();
	gpu_buffers_settle();
	gpu_buffers_settle();
	for (unsigned i = 0; i < BURST; i++)
		cr_assert(gt(sz, resident(buffers[i]), 0));
}

#define THREADS 4
#define ROUNDS  20000u

static void *fill(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint8_t *buffer;
		size_t size, records;
		gpu_buffers_request(&buffer, &size, &records);
		unsigned mark = i + 1;
		memcpy(buffer, &mark, sizeof(mark));
		gpu_buffers_complete(NULL, 0, buffer, size, 8);
	}
	return NULL;
}

/*
 * One record a buffer, from several threads: each is taken or lost, none twice, and no memory is
 * given back that is in use.
 */
static void record_on_threads(void)
{
	pthread_t threads[THREADS];
	uint64_t taken = 0, lost = 0;
	struct ring_gap gap;
	for (unsigned i = 0; i < THREADS; i++)
		cr_assert(eq(int, pthread_create(&threads[i], NULL, fill, NULL), 0));
	for (unsigned joined = 0; joined <= THREADS; joined++) {
		for (struct gpu_buffer *next, *list = gpu_buffers_take(); list != NULL;
			list = next) {
			unsigned mark;
			memcpy(&mark, list->data, sizeof(mark));
			cr_assert(ne(uint, mark, 0));
			next = list->next;
			taken += list->valid / 8;
			gpu_buffers_return(list);
		}
		gpu_buffers_settle();
		gpu_buffers_take_discarded(&gap);
		lost += gap.count;
		if (joined < THREADS && pthread_tryjoin_np(threads[joined], NULL) != 0)
			joined--;
	}
	cr_assert(eq(u64, taken + lost, THREADS * ROUNDS));
	cr_assert(taken > 0);
}

Test(gpu_buffers, threads, .init = setup)
{
	record_on_threads();
}

Test(gpu_buffers, threads_with_all_of_them, .init = setup_all)
{
	record_on_threads();
}
