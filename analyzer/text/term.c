/* SPDX-License-Identifier: MIT */
#include "analyzer/text/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define WIDTH_WITHOUT_TERMINAL 80
#define PROGRESS_INTERVAL_NS   100000000ull

static bool wants_color(int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *name = getenv("TERM");
	if (no_color != NULL && no_color[0] != '\0')
		return false;
	if (name == NULL || strcmp(name, "dumb") == 0)
		return false;
	return isatty(fd) == 1;
}

void term_init(struct term *term, enum term_color color, int fd)
{
	struct winsize size = {0};
	*term = (struct term){.width = WIDTH_WITHOUT_TERMINAL};
	term->color = color == TERM_ALWAYS || (color == TERM_AUTO && wants_color(fd));
	if (isatty(fd) == 1 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
		term->width = size.ws_col;
}

const char *term_style(const struct term *term, enum term_style style)
{
	static const char *const sequences[TERM_STYLE_COUNT] = {
		[TERM_PLAIN] = "\033[0m",
		[TERM_BOLD] = "\033[1m",
		[TERM_DIM] = "\033[2m",
		[TERM_RED] = "\033[31m",
		[TERM_GREEN] = "\033[32m",
		[TERM_YELLOW] = "\033[33m",
		[TERM_BLUE] = "\033[34m",
		[TERM_CYAN] = "\033[36m",
	};
	return term->color && style < TERM_STYLE_COUNT ? sequences[style] : "";
}

void term_styled(const struct term *term, struct out *out, enum term_style style, const char *text)
{
	out_text(out, term_style(term, style));
	out_text(out, text);
	out_text(out, term_style(term, TERM_PLAIN));
}

void term_progress_begin(struct term_progress *progress, const char *label, bool quiet)
{
	*progress = (struct term_progress){.label = label};
	progress->wanted = !quiet && isatty(STDERR_FILENO) == 1;
}

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

void term_progress_update(struct term_progress *progress, uint64_t done, uint64_t total)
{
	if (!progress->wanted)
		return;
	uint64_t now = now_ns();
	if (progress->last_ns == 0)
		progress->last_ns = now; /* a job shorter than the interval shows nothing */
	if (now - progress->last_ns < PROGRESS_INTERVAL_NS)
		return;
	progress->last_ns = now;
	progress->shown = true;
	unsigned percent = total == 0 ? 0 : (unsigned)((double)done * 100 / (double)total);
	if (total == 0)
		fprintf(stderr, "\r%s %llu MB\033[K", progress->label,
			(unsigned long long)(done / 1000000));
	else
		fprintf(stderr, "\r%s %u %%\033[K", progress->label, percent > 100 ? 100 : percent);
}

void term_progress_end(struct term_progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
	progress->shown = false;
	progress->wanted = false;
}
