/* SPDX-License-Identifier: MIT */
/*
 * Names and places reach the live file, also when it is published in the middle of a definition.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/buffer/define.h"

static struct live live;
static char stem[64];

/* Mark the ids of all names in the chunks of the live file, and count its chunks. */
static unsigned find_names(uint8_t *seen, size_t limit)
{
	static unsigned char chunk[LIVE_CHUNK_BYTES];
	int fd = open(live.path, O_RDONLY | O_CLOEXEC);
	cr_assert(fd >= 0);
	for (uint32_t i = 0; i < live.header->chunk_count; i++) {
		ssize_t got = pread(fd, chunk, sizeof(chunk), (off_t)live.header->chunk_offset[i]);
		cr_assert(eq(i64, got, (ssize_t)sizeof(chunk)));
		for (size_t at = 0; at + sizeof(struct live_definition) <= sizeof(chunk);) {
			const struct live_definition *entry = (const void *)(chunk + at);
			if (entry->bytes == 0)
				break;
			if (entry->kind == LIVE_NAME && entry->id < limit)
				seen[entry->id]++;
			at += sizeof(*entry) + ((entry->bytes + 7u) & ~7u);
		}
	}
	(void)close(fd);
	return live.header->chunk_count;
}

static void open_live(unsigned number)
{
	(void)snprintf(stem, sizeof(stem), "/tmp/libtrace-define-%d-%u", (int)getpid(), number);
	cr_assert(eq(int, live_open(&live, stem, LIVE_AUTO), 0));
}

#define PAGE_BYTES 4096u

static char *guarded; /* the page at which a definition is held up */
static unsigned held_up;

/* The file changes while a thread is in the middle of copying a text to where it was before. */
static void change_file(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if ((char *)info->si_addr < guarded || (char *)info->si_addr >= guarded + PAGE_BYTES)
		abort();
	held_up++;
	define_publish(&live);
	if (mprotect(guarded, PAGE_BYTES, PROT_READ | PROT_WRITE) < 0)
		abort();
}

/* How often the file has a text that was being stored when the file was changed. */
static unsigned found_after_change(void)
{
	static char text[2 * PAGE_BYTES];
	const struct sigaction action = {.sa_sigaction = change_file, .sa_flags = SA_SIGINFO};
	uint8_t seen[64] = {0};
	size_t length;
	memset(text, 'l', sizeof(text));
	const char *first = define_name_text(define_name("first", 5), &length);
	cr_assert(first != NULL);
	guarded = (char *)(((uintptr_t)first | (PAGE_BYTES - 1)) + 1);
	cr_assert(eq(int, sigaction(SIGSEGV, &action, NULL), 0));
	cr_assert(eq(int, mprotect(guarded, PAGE_BYTES, PROT_NONE), 0));
	uint32_t id = define_name(text, sizeof(text));
	cr_assert(eq(uint, held_up, 1));
	cr_assert(ne(u32, id, 0));
	(void)find_names(seen, sizeof(seen));
	return seen[id];
}

Test(define, what_is_being_stored_while_a_file_is_published_is_in_it)
{
	open_live(0);
	cr_expect(eq(uint, found_after_change(), 1));
	live_remove(&live);
}

Test(define, what_is_being_stored_after_a_withdrawal_is_in_the_next_file)
{
	open_live(0);
	define_publish(&live);
	define_withdraw();
	live_remove(&live);
	open_live(1);
	cr_expect(eq(uint, found_after_change(), 1));
	live_remove(&live);
}

Test(define, a_file_that_is_withdrawn_is_left_alone)
{
	uint8_t seen[64] = {0};
	open_live(0);
	define_publish(&live);
	uint32_t before = define_name("before", 6);
	define_withdraw();
	uint32_t between = define_name("between", 7);
	unsigned chunks = find_names(seen, sizeof(seen));
	cr_expect(eq(uint, chunks, 1));
	cr_expect(eq(u8, seen[before], 1));
	cr_expect(eq(u8, seen[between], 0));
	/* the next file has all of it */
	live_remove(&live);
	open_live(1);
	define_publish(&live);
	uint32_t after = define_name("after", 5);
	memset(seen, 0, sizeof(seen));
	cr_expect(eq(uint, find_names(seen, sizeof(seen)), 1));
	cr_expect(eq(u8, seen[before], 1));
	cr_expect(eq(u8, seen[between], 1));
	cr_expect(eq(u8, seen[after], 1));
	live_remove(&live);
}

Test(define, a_text_has_one_id_and_stays)
{
	static char text[DEFINE_TEXT_LIMIT + 100];
	size_t length;
	memset(text, 't', sizeof(text));
	cr_expect(eq(u32, define_name(NULL, 3), 0));
	cr_expect(eq(u32, define_name("", 0), 0));
	uint32_t id = define_name("kernel", 6);
	cr_expect(ne(u32, id, 0));
	cr_expect(eq(u32, define_name("kernel of another", 6), id));
	cr_expect(ne(u32, define_name("kernels", 7), id));
	/* what is too long is cut, and known by what is left */
	uint32_t cut = define_name(text, sizeof(text));
	cr_expect(eq(u32, define_name(text, DEFINE_TEXT_LIMIT), cut));
	cr_expect(eq(u32, define_name(text, DEFINE_TEXT_LIMIT + 1), cut));
	cr_expect(ne(u32, define_name(text, DEFINE_TEXT_LIMIT - 1), cut));
	cr_assert(define_name_text(cut, &length) != NULL);
	cr_expect(eq(sz, length, DEFINE_TEXT_LIMIT));
	define_withdraw();
	cr_expect(eq(u32, define_name("kernel", 6), id));
}
