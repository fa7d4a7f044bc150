/* SPDX-License-Identifier: MIT */
/*
 * The terminal: whether to colour, how wide it is, and a progress line. Colour
 * is on when it was asked for, or for --color=auto when the output is a terminal,
 * NO_COLOR is empty or unset, and TERM is not "dumb". Progress goes to stderr, at most
 * ten times a second, only if that is a terminal and --quiet was not given, and
 * is wiped before anything else is printed there.
 *
 * Not thread-safe.
 */
#ifndef ANALYZER_TERM_H
#define ANALYZER_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/text/out.h"

enum term_color {
	TERM_AUTO,
	TERM_ALWAYS,
	TERM_NEVER
};

enum term_style {
	TERM_PLAIN,
	TERM_BOLD,
	TERM_DIM,
	TERM_RED,
	TERM_GREEN,
	TERM_YELLOW,
	TERM_BLUE,
	TERM_CYAN,
	TERM_STYLE_COUNT
};

struct term {
	bool color;
	unsigned width; /* columns; 80 when the output is no terminal */
};

/* Look at the descriptor that results go to. */
void term_init(struct term *term, enum term_color color, int fd);

/* The sequence that begins a style, "" without colour. TERM_PLAIN ends all styles. */
const char *term_style(const struct term *term, enum term_style style);

/* Write text in a style and go back to plain; the text is printed as it is. */
void term_styled(const struct term *term, struct out *out, enum term_style style, const char *text);

/* Progress of one long job. total 0: unknown. Does nothing unless stderr is a terminal. */
struct term_progress {
	bool shown, wanted;
	uint64_t last_ns;
	const char *label;
};
void term_progress_begin(struct term_progress *progress, const char *label, bool quiet);
void term_progress_update(struct term_progress *progress, uint64_t done, uint64_t total);
void term_progress_end(struct term_progress *progress); /* wipes the line */

#endif
