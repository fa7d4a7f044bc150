/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/base/intern.h"
#include "collector/buffer/define.h"

#define THREADS 4
#define TEXTS   20000u

static long room = -1; /* how many more may be stored; negative: any number */

static bool keep(uint32_t id, const void *bytes, size_t size, struct intern_entry *entry)
{
	(void)id;
	if (room == 0)
		return false;
	if (room > 0)
		room--;
	static char arena[64u << 20];
	static size_t taken;
	char *copy = &arena[taken];
	taken += (size + 8) & ~(size_t)7;
	memcpy(copy, bytes, size);
	intern_publish(entry, copy, size);
	return true;
}

static struct intern table;

Test(intern, equal_texts_have_equal_ids)
{
	uint32_t a = intern_id(&table, keep, "aten::add", 9);
	uint32_t b = intern_id(&table, keep, "aten::mul", 9);
	cr_assert(ne(u32, a, 0));
	cr_assert(ne(u32, a, b));
	char copy[] = "xaten::addx";
	cr_assert(eq(u32, intern_id(&table, keep, copy + 1, 9), a));
	cr_assert(ne(u32, intern_id(&table, keep, copy + 1, 8), a));
	size_t size;
	const char *text = intern_bytes(&table, a, &size);
	cr_assert(eq(sz, size, 9));
	cr_assert(eq(int, memcmp(text, "aten::add", 9), 0));
}

Test(intern, unknown_ids_have_no_bytes)
{
	size_t size = 77;
	cr_assert(eq(ptr, (void *)intern_bytes(&table, 0, &size), NULL));
	cr_assert(eq(ptr, (void *)intern_bytes(&table, 5, &size), NULL));
	cr_assert(eq(ptr, (void *)intern_bytes(&table, UINT32_MAX, &size), NULL));
	cr_assert(eq(sz, size, 77));
}

Test(intern, texts_that_differ_in_one_byte_differ)
{
	char text[100];
	memset(text, 'x', sizeof(text));
	uint32_t whole = intern_id(&table, keep, text, sizeof(text));
	for (unsigned i = 0; i < sizeof(text); i++) {
		text[i] = 'y';
		cr_assert(ne(u32, intern_id(&table, keep, text, sizeof(text)), whole));
		text[i] = 'x';
		cr_assert(ne(u32, intern_id(&table, keep, text, i), whole));
	}
	cr_assert(eq(u32, intern_id(&table, keep, text, sizeof(text)), whole));
}

Test(intern, holds_a_hundred_thousand)
{
	enum {
		COUNT = 100000
	};
	static uint32_t ids[COUNT];
	for (unsigned i = 0; i < COUNT; i++) {
		uint64_t key = i * 977ull;
		ids[i] = intern_id(&table, keep, &key, sizeof(key));
		cr_assert(ne(u32, ids[i], 0));
	}
	cr_assert(eq(u32, intern_last_id(&table), COUNT));
	for (unsigned i = 0; i < COUNT; i++) {
		uint64_t key = i * 977ull;
		cr_assert(eq(u32, intern_id(&table, keep, &key, sizeof(key)), ids[i]));
		size_t size;
		const uint64_t *there = intern_bytes(&table, ids[i], &size);
		cr_assert(eq(u64, *there, key));
	}
}

Test(intern, says_0_when_nothing_can_be_stored_and_finds_the_old_ones)
{
	uint32_t old = intern_id(&table, keep, "old", 3);
	room = 0;
	cr_assert(eq(u32, intern_id(&table, keep, "new", 3), 0));
	cr_assert(eq(u32, intern_id(&table, keep, "old", 3), old));
	room = -1;
	cr_assert(ne(u32, intern_id(&table, keep, "new", 3), 0));
}

Test(intern, ends_at_the_limit_of_ids, .timeout = 60)
{
	uint32_t last = 0;
	uint64_t given = 0;
	for (uint64_t key = 0; key < INTERN_ID_LIMIT + 1000u; key++) {
		uint32_t id = intern_id(&table, keep, &key, sizeof(key));
		given += id != 0;
		last = id > last ? id : last;
	}
	cr_assert(lt(u32, last, INTERN_ID_LIMIT));
	cr_assert(eq(u64, given, INTERN_ID_LIMIT - 1));
	uint64_t first = 0;
	cr_assert(eq(u32, intern_id(&table, keep, &first, sizeof(first)), 1));
}

struct job {
	pthread_barrier_t *barrier;
	unsigned seed;
	uint32_t ids[TEXTS];
};

static void *intern_all(void *argument)
{
	struct job *job = argument;
	(void)pthread_barrier_wait(job->barrier);
	for (unsigned i = 0; i < TEXTS; i++) {
		char text[32];
		/* Everybody at the same texts, in nearly the same order. */
		unsigned which = i ^ (job->seed & 3u);
		int length = snprintf(text, sizeof(text), "kernel number %u", which);
		job->ids[which] = define_name(text, (size_t)length);
	}
	return NULL;
}

static void run_jobs(struct job *jobs)
{
	pthread_t threads[THREADS];
	pthread_barrier_t barrier;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		jobs[i].barrier = &barrier;
		jobs[i].seed = i;
		pthread_create(&threads[i], NULL, intern_all, &jobs[i]);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
}

Test(intern, threads_that_bring_the_same_texts_get_the_same_ids, .timeout = 120)
{
	static struct job jobs[THREADS];
	run_jobs(jobs);
	for (unsigned i = 0; i < TEXTS; i++) {
		char text[32];
		size_t size, length = (size_t)snprintf(text, sizeof(text), "kernel number %u", i);
		for (unsigned t = 0; t < THREADS; t++)
			cr_assert(eq(u32, jobs[t].ids[i], jobs[0].ids[i]));
		const char *there = define_name_text(jobs[0].ids[i], &size);
		cr_assert(there != NULL && size == length && memcmp(there, text, size) == 0);
	}
}

/* One for each id that the live file has a text of; to be freed. */
static uint8_t *read_chunks(const struct live *live)
{
	uint8_t *found = calloc(INTERN_ID_LIMIT, 1);
	char *bytes = malloc(live->end);
	FILE *stream = fopen(live->path, "rb");
	cr_assert(eq(sz, fread(bytes, 1, live->end, stream), live->end));
	fclose(stream);
	for (unsigned c = 0; c < live->header->chunk_count; c++) {
		size_t at = 0;
		const char *chunk = bytes + live->header->chunk_offset[c];
		while (at + sizeof(struct live_definition) <= LIVE_CHUNK_BYTES) {
			const struct live_definition *entry = (const void *)(chunk + at);
			if (entry->bytes == 0)
				break;
			cr_assert(eq(int, entry->kind, LIVE_NAME));
			found[entry->id] = 1;
			at += sizeof(*entry) + ((entry->bytes + 7u) & ~7u);
		}
	}
	free(bytes);
	return found;
}

/* Every id that was given out must be in the live file, however the two met. */
static void find_in_chunks(const struct live *live, const struct job *job)
{
	uint8_t *found = read_chunks(live);
	for (unsigned i = 0; i < TEXTS; i++)
		cr_assert(found[job->ids[i]], "text %u is not in the live file", i);
	free(found);
}

static bool is_in_chunks(const struct live *live, uint32_t id)
{
	uint8_t *found = read_chunks(live);
	bool there = found[id] != 0;
	free(found);
	return there;
}

static struct live live;

static void *publish(void *unused)
{
	(void)unused;
	struct timespec pause = {0, 2000000};
	nanosleep(&pause, NULL);
	define_publish(&live);
	return NULL;
}

Test(intern, texts_stored_while_a_session_begins_reach_the_live_file, .timeout = 120)
{
	static struct job jobs[THREADS];
	char folder[] = "/tmp/libtrace-test-XXXXXX", name[64];
	pthread_t publisher;
	cr_assert(mkdtemp(folder) != NULL);
	(void)snprintf(name, sizeof(name), "%s/t", folder);
	cr_assert(eq(int, live_open(&live, name, LIVE_AUTO), 0));
	pthread_create(&publisher, NULL, publish, NULL);
	run_jobs(jobs);
	pthread_join(publisher, NULL);
	find_in_chunks(&live, &jobs[0]);
	live_remove(&live);
	cr_assert(eq(int, rmdir(folder), 0));
}

static void *intern_first(void *argument)
{
	struct job *job = argument;
	(void)pthread_barrier_wait(job->barrier);
	job->ids[0] = define_name("first", 5);
	job->ids[1] = define_name("second", 6);
	return NULL;
}

/* 0: both texts of a process whose very first one meets the begin of its session are there. */
static int begin_both(const char *folder)
{
	static struct job job;
	char name[64];
	pthread_barrier_t barrier;
	pthread_t thread;
	(void)snprintf(name, sizeof(name), "%s/%d", folder, getpid());
	if (live_open(&live, name, LIVE_AUTO) < 0)
		return 2;
	pthread_barrier_init(&barrier, NULL, 2);
	job.barrier = &barrier;
	pthread_create(&thread, NULL, intern_first, &job);
	(void)pthread_barrier_wait(&barrier);
	define_publish(&live);
	pthread_join(thread, NULL);
	bool there = is_in_chunks(&live, job.ids[0]) && is_in_chunks(&live, job.ids[1]);
	live_remove(&live);
	return there ? 0 : 1;
}

Test(intern, first_text_while_a_session_begins_reaches_the_live_file, .timeout = 120)
{
	char folder[] = "/tmp/libtrace-test-XXXXXX";
	int lost = 0;
	cr_assert(mkdtemp(folder) != NULL);
	for (unsigned i = 0; i < 400; i++) {
		int status;
		pid_t child = fork();
		if (child == 0)
			_exit(begin_both(folder));
		cr_assert(eq(int, waitpid(child, &status, 0), child));
		lost += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	}
	cr_assert(eq(int, lost, 0));
	cr_assert(eq(int, rmdir(folder), 0));
}

Test(define, long_texts_are_cut_and_empty_ones_have_no_id)
{
	char *text = malloc(DEFINE_TEXT_LIMIT + 10);
	memset(text, 'k', DEFINE_TEXT_LIMIT + 10);
	uint32_t id = define_name(text, DEFINE_TEXT_LIMIT + 10);
	cr_assert(eq(u32, define_name(text, DEFINE_TEXT_LIMIT), id));
	cr_assert(eq(u32, define_name(NULL, 5), 0));
	cr_assert(eq(u32, define_name("", 0), 0));
	free(text);
}

Test(define, equal_places_have_equal_ids)
{
	struct live_place place = {.file = 1, .function = 2, .line = 3};
	uint32_t id = define_place(&place);
	cr_assert(ne(u32, id, 0));
	cr_assert(eq(u32, define_place(&place), id));
	place.user_line = 9;
	cr_assert(ne(u32, define_place(&place), id));
	cr_assert(eq(u32, define_place_at(id)->line, 3));
	cr_assert(eq(ptr, (void *)define_place_at(999), NULL));
}
