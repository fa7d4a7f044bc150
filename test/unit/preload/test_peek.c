/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/thread/peek.h"

static char *pages; /* one that is there, one that is not */
static size_t page;

static void map_pages(void)
{
	page = (size_t)sysconf(_SC_PAGESIZE);
	pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert(ne(ptr, pages, MAP_FAILED));
	(void)munmap(pages + page, page);
}

Test(peek, reads_what_is_there, .init = map_pages)
{
	char bytes[4] = "abc";
	memcpy(pages + page - 4, "xyz", 4);
	errno = 77;
	cr_assert(peek(pages + page - 4, bytes, 4));
	cr_assert_str_eq(bytes, "xyz");
	cr_assert(eq(int, errno, 77));
}

Test(peek, refuses_what_is_not, .init = map_pages)
{
	char bytes[8];
	errno = 77;
	cr_assert(not(peek(NULL, bytes, 1)));
	cr_assert(not(peek(pages + page, bytes, 1)));
	cr_assert(not(peek(pages + page - 4, bytes, 8)));
	cr_assert(not(peek((void *)0xdead000000000000ul, bytes, 1)));
	cr_assert(eq(int, errno, 77));
}

Test(peek, text_that_ends_with_its_page, .init = map_pages)
{
	char text[64];
	for (size_t length = 0; length < 20; length++) {
		char *at = pages + page - length - 1;
		memset(at, 'a', length);
		at[length] = '\0';
		cr_assert(peek_text(at, text, sizeof(text)));
		cr_assert(eq(sz, strlen(text), length));
		at[length] = 'a';
		cr_assert(not(peek_text(at, text, sizeof(text))));
	}
}

Test(peek, long_text_is_cut, .init = map_pages)
{
	char text[10];
	memcpy(pages + 3, "0123456789abcdef", 17);
	cr_assert(peek_text(pages + 3, text, sizeof(text)));
	cr_assert_str_eq(text, "012345678");
	cr_assert(not(peek_text(NULL, text, sizeof(text))));
}

Test(peek, pieces_up_to_the_first_that_cannot_be_read, .init = map_pages)
{
	char bytes[32];
	memcpy(pages, "abcdefgh", 8);
	memcpy(pages + page - 4, "wxyz", 4);
	const struct peek_piece pieces[] = {{pages + 2, 3}, {pages + page - 4, 4}, {pages, 1},
		{pages + page - 2, 4}, {pages, 8}};
	errno = 77;
	cr_assert(eq(uint, peek_pieces(pieces, 3, bytes), 3));
	cr_assert(zero(int, memcmp(bytes, "cdewxyza", 8)));
	cr_assert(eq(uint, peek_pieces(pieces, 5, bytes), 3));
	cr_assert(eq(uint, peek_pieces(pieces + 3, 2, bytes), 0));
	cr_assert(eq(uint, peek_pieces(pieces, 0, bytes), 0));
	cr_assert(eq(int, errno, 77));
}

Test(peek, pieces_before_an_address_that_no_program_has, .init = map_pages)
{
	char bytes[32];
	const uintptr_t impossible[] = {0xdead000000000000ul, UINTPTR_MAX, 1ul << 47};
	memcpy(pages, "abcd", 4);
	for (size_t i = 0; i < 3; i++) {
		const struct peek_piece pieces[] = {
			{pages, 4}, {(const void *)impossible[i], 8}, {pages, 4}};
		cr_assert(eq(uint, peek_pieces(pieces, 3, bytes), 1));
		cr_assert(zero(int, memcmp(bytes, "abcd", 4)));
		cr_assert(eq(uint, peek_pieces(pieces + 1, 2, bytes), 0));
	}
}
