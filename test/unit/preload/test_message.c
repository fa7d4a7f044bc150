/* SPDX-License-Identifier: MIT */
/* Messages of Python's queues, as multiprocessing writes them, and what is none. */
#include "preload/hooks/queue.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CASE(number, text)                                                                         \
	{                                                                                          \
		number, text, sizeof(text) - 1                                                     \
	}

/* Printed by ForkingPickler.dumps() with both protocols; a length stands before short ones. */
static const struct {
	int64_t number;
	const char *bytes;
	size_t size;
} cases[] = {
	/* (7, [7]) */
	CASE(7, "\x80\x04\x95\x0a\0\0\0\0\0\0\0K\x07]\x94K\x07"
		"a\x86\x94."),
	CASE(7, "\x80\x05\x95\x0a\0\0\0\0\0\0\0K\x07]\x94K\x07"
		"a\x86\x94."),
	CASE(7, "\0\0\0\x15\x80\x04\x95\x0a\0\0\0\0\0\0\0K\x07]\x94K\x07"
		"a\x86\x94."),
	/* (300, "x"), (70000, "x") */
	CASE(300, "\x80\x04\x95\x0a\0\0\0\0\0\0\0M\x2c\x01\x8c\x01x\x94\x86\x94."),
	CASE(70000, "\x80\x04\x95\x0c\0\0\0\0\0\0\0J\x70\x11\x01\0\x8c\x01x\x94\x86\x94."),
	/* (-5, "x"), (7, [7], 1), 7, a list, (None, 7), a tensor's file, nothing */
	CASE(-1, "\x80\x04\x95\x0c\0\0\0\0\0\0\0J\xfb\xff\xff\xff\x8c\x01x\x94\x86\x94."),
	CASE(-1, "\x80\x04\x95\x0c\0\0\0\0\0\0\0K\x07]\x94K\x07"
		 "aK\x01\x87\x94."),
	CASE(-1, "\x80\x04\x95\x04\0\0\0\0\0\0\0K\x07."),
	CASE(-1, "\x80\x04\x95\x0b\0\0\0\0\0\0\0]\x94(K\x01K\x02"
		 "e."),
	CASE(-1, "\x80\x04\x95\x07\0\0\0\0\0\0\0NK\x07\x86\x94."),
	CASE(-1, "0123456789abcdefghijklmnop"),
	CASE(-1, "\x86\x94."),
	CASE(-1, ""),
};

TestSuite(message, .timeout = 60);

Test(message, is_known_by_its_bytes)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(eq(i64, queue_number(cases[i].bytes, cases[i].size), cases[i].number),
			"case %zu", i);
}

/* A long one comes without its length; what is in the middle is of no account. */
Test(message, may_be_long)
{
	static char bytes[100000];
	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, cases[3].bytes, 14);
	memcpy(bytes + sizeof(bytes) - 3, "\x86\x94.", 3);
	cr_expect(eq(i64, queue_number(bytes, sizeof(bytes)), 300));
	cr_expect(eq(i64, queue_number(bytes, sizeof(bytes) - 1), -1));
}

Test(message, that_is_gone_is_none)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *bytes =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert(bytes != MAP_FAILED);
	memcpy(bytes + page - 14, cases[3].bytes, 14);
	memcpy(bytes + 2 * page - 3, "\x86\x94.", 3);
	cr_expect(eq(i64, queue_number(bytes + page - 14, page + 14), 300));
	cr_assert(eq(int, munmap(bytes + page, page), 0));
	cr_expect(eq(i64, queue_number(bytes + page - 14, page + 14), -1));
	cr_expect(eq(i64, queue_number(NULL, 20), -1));
}
