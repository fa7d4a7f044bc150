/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "collector/base/log.h"

#define expect_text(actual, expected) cr_assert(eq(str, (char *)(actual), (char *)(expected)))

static int real_stderr, pipe_ends[2];

static void catch_stderr(void)
{
	log_level = LOG_LEVEL_DEBUG;
	real_stderr = dup(STDERR_FILENO);
	cr_assert(eq(int, pipe(pipe_ends), 0));
	(void)dup2(pipe_ends[1], STDERR_FILENO);
	(void)close(pipe_ends[1]);
}

/* What was written to stderr since catch_stderr(); stderr is the real one again. */
static const char *caught(void)
{
	static char text[8192];
	(void)dup2(real_stderr, STDERR_FILENO);
	ssize_t size = read(pipe_ends[0], text, sizeof(text) - 1);
	text[size > 0 ? size : 0] = '\0';
	return text;
}

TestSuite(log, .init = catch_stderr);

Test(log, formats_what_it_promises)
{
	log_write("%s %c %d %i %u %x %% %ld %lu %lx %zu %lld", "text", 'c', -5, 7, 8u, 0xabcu, -1L,
		18446744073709551615ul, 0xdeadbeeful, (size_t)9, -9223372036854775807ll - 1);
	log_write("%p %s", (void *)0x1234, (const char *)NULL);
	expect_text(caught(), "libtrace: text c -5 7 8 abc % -1 18446744073709551615 deadbeef 9 "
			      "-9223372036854775808\nlibtrace: 0x1234 (null)\n");
}

Test(log, says_a_line_once_per_place)
{
	for (int i = 0; i < 5; i++)
		log_error("line %d", i);
	log_error("other place");
	expect_text(caught(), "libtrace: line 0\nlibtrace: other place\n");
}

Test(log, drops_what_is_above_the_level)
{
	log_level = LOG_LEVEL_ERROR;
	for (int i = 0; i < 2; i++) {
		log_error("error");
		log_info("info");
		log_debug("debug");
	}
	log_level = LOG_LEVEL_QUIET;
	log_error("silenced");
	log_level = LOG_LEVEL_INFO;
	log_info("at last");
	expect_text(caught(), "libtrace: error\nlibtrace: at last\n");
}

Test(log, cuts_long_lines_and_masks_control_characters)
{
	char text[2000];
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	log_write("a\x1b%s", "b\n\t\x7f\x1b[31m");
	log_write("%s", text);
	const char *all = caught();
	const char *expected = "libtrace: a\x1b"
			       "b????[31m\n";
	cr_assert(eq(int, strncmp(all, expected, strlen(expected)), 0));
	cr_assert(eq(sz, strlen(all), strlen(expected) + 512));
	cr_assert(eq(chr, all[strlen(all) - 1], '\n'));
}

Test(log, keeps_errno_even_without_stderr)
{
	(void)close(STDERR_FILENO);
	errno = 42;
	log_write("nobody listens");
	int after = errno;
	(void)caught();
	cr_assert(eq(int, after, 42));
}

Test(log, knows_the_names_of_levels)
{
	(void)caught();
	cr_assert(eq(int, log_level_from_name("quiet"), LOG_LEVEL_QUIET));
	cr_assert(eq(int, log_level_from_name("debug"), LOG_LEVEL_DEBUG));
	cr_assert(eq(int, log_level_from_name("loud"), -1));
	cr_assert(eq(int, log_level_from_name(""), -1));
	cr_assert(eq(int, log_level_from_name(NULL), -1));
}
