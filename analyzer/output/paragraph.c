/* SPDX-License-Identifier: MIT */
#include "analyzer/output/paragraph.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/report/result/result.h"

#define UNIT_LENGTH 4u /* of the longest, with what follows it: "ms),", "GB/s" */

/* Up to the next place for a line break: a number stays with its unit. */
static size_t word_length(const char *text)
{
	size_t length = strcspn(text, " ");
	if (length == 0 || text[length] == '\0' || !isdigit((unsigned char)text[length - 1]))
		return length;
	size_t unit = strcspn(text + length + 1, " ");
	bool is_number = isdigit((unsigned char)text[length + 1]); /* "p95 1.00 ms" */
	return !is_number && unit <= UNIT_LENGTH ? length + 1 + unit : length;
}

void paragraph_print(struct out *out, size_t width, const char *text, size_t column, size_t indent)
{
	for (bool first = true; *text != '\0'; first = false) {
		size_t length = word_length(text);
		if (column + 1 + length > width && column > indent) {
			out_text(out, "\n");
			for (column = 0; column < indent; column++)
				out_char(out, ' ');
		} else if (!first) {
			out_char(out, ' ');
			column++;
		}
		char word[REPORT_TEXT];
		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		out_printable(out, word, 0);
		column += length;
		text += length + (text[length] == ' ');
	}
}
