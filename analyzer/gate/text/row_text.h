/* SPDX-License-Identifier: MIT */
/*
 * A row as a line of a baseline: "KEY = 30/30", "KEY = 16/35 most 4" or "KEY = varies". Not
 * thread-safe.
 */
#ifndef ANALYZER_GATE_TEXT_ROW_TEXT_H
#define ANALYZER_GATE_TEXT_ROW_TEXT_H

#include "analyzer/gate/row.h"
#include "analyzer/text/out.h"

void row_write(const struct gate_row *row, struct out *out);

/*
 * Add the row of the key; steps: of a row that varies. 0, -ERR_BAD_VALUE: these are no key and
 * value of a row, or -ENOMEM.
 */
int row_read(gate_rows *rows, const char *key, const char *value, uint64_t steps);

/* A whole decimal number and nothing else before end. */
bool row_read_number(const char *text, const char *end, uint64_t *ret_number);

#endif
