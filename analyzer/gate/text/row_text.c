/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/text/row_text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "collector/base/err.h"

#define VARIES "varies"
#define MOST   " most "

void row_write(const struct gate_row *row, struct out *out)
{
	out_text(out, row->key);
	if (row->varies)
		out_text(out, " = " VARIES);
	else
		out_format(out, " = %" PRIu64 "/%" PRIu64, row->total, row->steps);
	if (!row->varies && row->most > 1 && !row_is_even(row))
		out_format(out, MOST "%" PRIu64, row->most);
	out_char(out, '\n');
}

bool row_read_number(const char *text, const char *end, uint64_t *ret_number)
{
	uint64_t number = 0;
	if (text == end)
		return false;
	for (; text < end; text++) {
		if (*text < '0' || *text > '9' || number > (UINT64_MAX - 9) / 10)
			return false;
		number = number * 10 + (uint64_t)(*text - '0');
	}
	*ret_number = number;
	return true;
}

int row_read(gate_rows *rows, const char *key, const char *value, uint64_t steps)
{
	struct gate_row row = {.varies = strcmp(value, VARIES) == 0, .steps = steps};
	const char *slash = strchr(value, '/'), *most = strstr(value, MOST);
	const char *end = value + strlen(value);
	if (row.varies)
		return gate_rows_add(rows, key, &row);
	if (slash == NULL || !row_read_number(value, slash, &row.total) ||
		!row_read_number(slash + 1, most != NULL ? most : end, &row.steps) ||
		row.steps == 0)
		return -ERR_BAD_VALUE;
	if (most != NULL && !row_read_number(most + strlen(MOST), end, &row.most))
		return -ERR_BAD_VALUE;
	return gate_rows_add(rows, key, &row);
}
