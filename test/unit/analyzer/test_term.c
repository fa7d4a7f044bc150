/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyzer/text/term.h"

static int terminal = -1, master = -1;

static void make(void)
{
	struct winsize size = {.ws_row = 24, .ws_col = 132};
	if (openpty(&master, &terminal, NULL, NULL, &size) < 0)
		abort();
	(void)setenv("TERM", "xterm", 1);
	(void)unsetenv("NO_COLOR");
}

static void release(void)
{
	(void)close(terminal);
	(void)close(master);
}

TestSuite(term, .init = make, .fini = release);

static bool colors(enum term_color color, int fd)
{
	struct term term;
	term_init(&term, color, fd);
	cr_assert(eq(int, term_style(&term, TERM_RED)[0] != '\0', term.color));
	return term.color;
}

Test(term, colours_a_terminal_only)
{
	int pipes[2];
	if (pipe(pipes) < 0)
		abort();
	cr_assert(eq(int, colors(TERM_AUTO, terminal), true));
	cr_assert(eq(int, colors(TERM_NEVER, terminal), false));
	cr_assert(eq(int, colors(TERM_AUTO, pipes[1]), false));
	cr_assert(eq(int, colors(TERM_ALWAYS, pipes[1]), true));
	(void)close(pipes[0]);
	(void)close(pipes[1]);
}

Test(term, honours_the_environment)
{
	(void)setenv("NO_COLOR", "", 1);
	cr_assert(eq(int, colors(TERM_AUTO, terminal), true));
	(void)setenv("NO_COLOR", "1", 1);
	cr_assert(eq(int, colors(TERM_AUTO, terminal), false));
	cr_assert(eq(int, colors(TERM_ALWAYS, terminal), true));
	(void)unsetenv("NO_COLOR");
	(void)setenv("TERM", "dumb", 1);
	cr_assert(eq(int, colors(TERM_AUTO, terminal), false));
	(void)unsetenv("TERM");
	cr_assert(eq(int, colors(TERM_AUTO, terminal), false));
}

Test(term, knows_the_width)
{
	struct term term;
	int pipes[2];
	if (pipe(pipes) < 0)
		abort();
	term_init(&term, TERM_AUTO, terminal);
	cr_assert(eq(uint, term.width, 132));
	term_init(&term, TERM_AUTO, pipes[1]);
	cr_assert(eq(uint, term.width, 80));
	(void)close(pipes[0]);
	(void)close(pipes[1]);
}

Test(term, shows_no_progress_where_nobody_looks)
{
	struct term_progress progress;
	(void)dup2(terminal, STDERR_FILENO);
	term_progress_begin(&progress, "reading", true);
	cr_assert(eq(int, progress.wanted, false));
	term_progress_begin(&progress, "reading", false);
	cr_assert(eq(int, progress.wanted, true));
	term_progress_update(&progress, 1, 100);
	cr_assert(eq(int, progress.shown, false)); /* a short job shows nothing */
	(void)usleep(110000);
	term_progress_update(&progress, 50, 100);
	cr_assert(eq(int, progress.shown, true));
	term_progress_end(&progress);
	cr_assert(eq(int, progress.shown, false));
	char text[128] = "";
	/* a terminal hands over what was written in pieces */
	for (size_t length = 0; strchr(text, 'K') == strrchr(text, 'K');) {
		ssize_t size = read(master, text + length, sizeof(text) - 1 - length);
		cr_assert(gt(int, (int)size, 0));
		length += (size_t)size;
	}
	cr_assert(eq(str, text, "\rreading 50 %\033[K\r\033[K"));
}
