/* SPDX-License-Identifier: MIT */
#include "analyzer/compare/fold.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define INDENT      4u /* of what goes on below a sentence */
#define LONG_INDENT 8u /* and of a word that has no place in a column */
#define UNIT_LENGTH 4u /* of the longest, with what follows it: "us)," */

struct fold {
	struct out *out;
	size_t width, indent, column;
	bool fresh; /* nothing but blanks stands in this line */
};

static void begin_line(struct fold *fold, size_t indent)
{
	out_char(fold->out, '\n');
	for (fold->column = 0; fold->column < indent; fold->column++)
		out_char(fold->out, ' ');
	fold->fresh = true;
}

/* Columns of a text: characters, which are taken for one column each. */
static size_t columns_of(const char *text, const char *end)
{
	size_t columns = 0;
	for (; text < end; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

/* Behind gap blanks, or in the next line without them. */
static void put_word(struct fold *fold, size_t gap, const char *word, const char *end)
{
	size_t columns = columns_of(word, end);
	if (!fold->fresh && fold->column + gap + columns > fold->width)
		begin_line(fold, columns > fold->width - fold->indent ? LONG_INDENT : fold->indent);
	for (; gap > 0 && !fold->fresh; gap--, fold->column++)
		out_char(fold->out, ' ');
	for (; word < end; word++) {
		bool starts = ((unsigned char)*word & 0xc0) != 0x80;
		if (starts && fold->column == fold->width)
			begin_line(fold, LONG_INDENT);
		out_char(fold->out, *word);
		fold->column += starts;
	}
	fold->fresh = false;
}

/* Up to the next place for a break: a number stays with its unit. */
static const char *word_end(const char *word, const char *end)
{
	const char *after = word, *unit;
	for (; after < end && *after != ' '; after++)
		;
	if (after == end || after == word || !isdigit((unsigned char)after[-1]))
		return after;
	for (unit = after + 1; unit < end && *unit != ' '; unit++)
		;
	return unit <= after + 1 + UNIT_LENGTH ? unit : after;
}

/* The blanks before the first word stay, and those between others, unless the line ends there. */
static void put_folded(struct fold *fold, const char *line, const char *end)
{
	const char *word = line, *after;
	for (; word < end && *word == ' '; word++)
		;
	out_bytes(fold->out, line, (size_t)(word - line));
	fold->column = (size_t)(word - line);
	fold->fresh = true;
	for (; word < end; word = after) {
		const char *blanks = word;
		for (; word < end && *word == ' '; word++)
			;
		after = word_end(word, end);
		put_word(fold, (size_t)(word - blanks), word, after);
	}
}

void fold_lines(struct out *out, const char *text, size_t size, size_t width, size_t row)
{
	const char *end = text + size;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline != NULL ? newline : end;
		struct fold fold = {
			.out = out, .width = width, .indent = *text == ' ' ? row : INDENT};
		if (columns_of(text, stop) <= width)
			out_bytes(out, text, (size_t)(stop - text));
		else
			put_folded(&fold, text, stop);
		if (newline != NULL)
			out_char(out, '\n');
		text = newline != NULL ? newline + 1 : end;
	}
}
