/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <malloc.h>
#include <stdlib.h>

#include "analyzer/read/merge.h"

#define MS 1000000ull

static struct record at(uint64_t begin, uint64_t end)
{
	return (struct record){.begin = begin, .end = end, .kind = RECORD_LAUNCH};
}

/* The records that merge_next() gives, one at a time. */
struct stream {
	struct merge *merge;
	const struct record *records;
	size_t left;
	uint32_t thread;
};

static const struct record *next(struct stream *stream)
{
	if (stream->left == 0)
		stream->records = merge_next(stream->merge, &stream->thread, &stream->left);
	else
		stream->records++;
	if (stream->records == NULL)
		return NULL;
	stream->left--;
	return stream->records;
}

static void add(struct merge *merge, uint32_t thread, uint64_t begin, uint64_t end)
{
	struct record record = at(begin, end);
	cr_assert(eq(int, merge_add(merge, thread, &record, 1), 0));
}

Test(merge, nothing_gives_nothing)
{
	struct merge *merge = merge_new();
	struct stream stream = {.merge = merge};
	cr_assert(next(&stream) == NULL);
	merge_finish(merge);
	cr_assert(next(&stream) == NULL);
	merge_free(merge);
	merge_free(NULL);
}

Test(merge, blocks_of_threads_come_out_in_order_of_ends)
{
	struct merge *merge = merge_new();
	uint64_t last = 0;
	uint32_t seen[4] = {0};
	struct stream stream = {.merge = merge};
	for (unsigned block = 0; block < 50; block++)
		for (uint32_t t = 0; t < 4; t++)
			for (unsigned i = 0; i < 20; i++) {
				uint64_t end = (block * 10 + 1) * MS + i * MS / 2 + t;
				add(merge, 3 - t, end - 10, end);
			}
	merge_finish(merge);
	const struct record *record;
	while ((record = next(&stream)) != NULL) {
		cr_assert(record->end >= last);
		last = record->end;
		seen[stream.thread]++;
	}
	for (uint32_t t = 0; t < 4; t++)
		cr_assert(eq(u32, seen[t], 1000));
	cr_assert(eq(u64, merge_late(merge), 0));
	merge_free(merge);
}

Test(merge, waits_for_threads_that_may_still_be_behind)
{
	struct merge *merge = merge_new();
	struct stream stream = {.merge = merge};
	add(merge, 1, 5 * MS, 6 * MS);
	cr_assert(next(&stream) == NULL);
	add(merge, 2, 4 * MS, 5 * MS);
	add(merge, 1, 0, MERGE_WINDOW_NS + 6 * MS);
	const struct record *record = next(&stream);
	cr_assert(record != NULL);
	cr_assert(eq(u32, stream.thread, 2));
	record = next(&stream);
	cr_assert(record != NULL);
	cr_assert(eq(u64, record->end, 6 * MS));
	cr_assert(next(&stream) == NULL);
	merge_free(merge);
}

Test(merge, equal_times_keep_the_order_of_thread_ids)
{
	struct merge *merge = merge_new();
	struct stream stream = {.merge = merge};
	for (uint32_t t = 5; t > 0; t--)
		add(merge, t, MS, 2 * MS);
	merge_finish(merge);
	for (uint32_t t = 1; t <= 5; t++) {
		cr_assert(next(&stream) != NULL);
		cr_assert(eq(u32, stream.thread, t));
	}
	merge_free(merge);
}

Test(merge, impossible_times_are_mended_and_counted)
{
	struct merge *merge = merge_new();
	struct stream stream = {.merge = merge};
	add(merge, 1, 2 * MS, MS);
	add(merge, 1, 3 * MS, 1ull << 63);
	add(merge, 1, UINT64_MAX, UINT64_MAX);
	merge_finish(merge);
	for (unsigned i = 0; i < 3; i++) {
		const struct record *record = next(&stream);
		cr_assert(record != NULL && record->begin <= record->end);
		cr_assert(record->end < 1ull << 62);
	}
	cr_assert(eq(u64, merge_odd(merge), 3));
	merge_free(merge);
}

Test(merge, a_crowded_window_is_delivered_and_not_kept)
{
	uint64_t delivered = 0, most = 0;
	struct merge *merge = merge_new();
	struct stream stream = {.merge = merge};
	for (uint64_t i = 0; i < 4 * MERGE_LIMIT; i++) {
		add(merge, (uint32_t)(i % 3), i, i + 1);
		while (next(&stream) != NULL)
			delivered++;
		if (i + 1 - delivered > most)
			most = i + 1 - delivered;
	}
	cr_assert(most <= MERGE_LIMIT + 1);
	merge_free(merge);
}

/* Two threads, then one, whose memory grows while it is a circle. */
Test(merge, only_what_is_beyond_the_limit_leaves_a_crowded_window)
{
	struct merge *merge = merge_new();
	struct stream stream = {.merge = merge};
	struct record block[1000];
	uint64_t added = 0, delivered = 0, last = 0;
	for (unsigned i = 0; i < 100; i++) {
		for (unsigned k = 0; k < 1000; k++)
			block[k] = at(0, 1 + 1000ull * i + k);
		cr_assert(eq(int, merge_add(merge, i < 70 ? 1 + i % 2 : 1, block, 1000), 0));
		added += 1000;
		for (const struct record *record; (record = next(&stream)) != NULL; delivered++) {
			cr_assert(eq(u64, record->end, last + 1));
			last++;
		}
		cr_assert(eq(u64, added - delivered, added < MERGE_LIMIT ? added : MERGE_LIMIT));
	}
	merge_finish(merge);
	for (; next(&stream) != NULL; delivered++)
		continue;
	cr_assert(eq(u64, delivered, added));
	cr_assert(eq(u64, merge_late(merge), 0));
	merge_free(merge);
}

Test(merge, ten_thousand_threads)
{
	uint64_t last = 0, delivered = 0;
	struct merge *merge = merge_new();
	struct stream stream = {.merge = merge};
	for (unsigned round = 0; round < 3; round++)
		for (uint32_t t = 0; t < 10000; t++) {
			uint64_t end = round * MS + (t * 7919u) % 10000 + 1;
			add(merge, t, end, end);
		}
	merge_finish(merge);
	const struct record *record;
	while ((record = next(&stream)) != NULL) {
		cr_assert(record->end >= last);
		last = record->end;
		delivered++;
	}
	cr_assert(eq(u64, delivered, 30000));
	merge_free(merge);
}

#define THREADS 20000u

/* Threads that come and go leave some 100 bytes each, not room for their next records. */
Test(merge, very_many_threads_take_little_memory)
{
	struct merge *merge = merge_new();
	struct stream stream = {.merge = merge};
	size_t before = mallinfo2().uordblks, count = 0;
	for (uint32_t thread = 1; thread <= THREADS; thread++) {
		for (uint64_t i = 0; i < 3; i++)
			add(merge, thread, thread * 10 * MS + i, thread * 10 * MS + i + 1);
		while (next(&stream) != NULL)
			count++;
	}
	merge_finish(merge);
	while (next(&stream) != NULL)
		count++;
	cr_expect(eq(sz, count, 3 * (size_t)THREADS));
	cr_expect(eq(u64, merge_late(merge), 0));
	size_t after = mallinfo2().uordblks;
	cr_expect(lt(sz, after > before ? after - before : 0, 16u << 20));
	merge_free(merge);
}
