/* SPDX-License-Identifier: MIT */
/*
 * What is counted of a run, one row for each thing: "total syncs", or for a line of the program
 * "site syncs | train.py | main | aten::item | total += loss.item()". The key of a row has no line
 * number, so it stays what it is when lines move; the source text in it tells lines of one function
 * apart.
 *
 * Rows are sorted by key, and each key is there once. They own their keys; other texts belong to
 * the summary. Not thread-safe; an all-zero list is empty.
 */
#ifndef ANALYZER_GATE_ROW_H
#define ANALYZER_GATE_ROW_H

#include "analyzer/summary/summary.h"

#define ROW_KEY 1024u
#define ROW_SEP " | "

struct gate_row {
	char *key;
	size_t stem; /* bytes of the key before the source text; its length: there is none */
	bool site;   /* else a total */
	bool varies; /* of a baseline: it differs between runs, and is not judged */
	uint64_t total, steps; /* so much in so many steps */
	uint64_t most;         /* in one step; 0: not known */
	uint64_t largest;      /* the site that gave place has so much of it */
	uint64_t lines;        /* of a run: sites that became this one, of which place is one */
	struct summary_place place; /* of a site, without line in a baseline */
};
typedef VEC(struct gate_row) gate_rows;

/* The rows of a run. 0 or -ENOMEM; gate_rows_release() after either. */
int gate_rows_of(gate_rows *rows, const struct summary *summary);
void gate_rows_release(gate_rows *rows);

/*
 * A row with that key, as text of a baseline; its numbers and whether it varies are those of about.
 * 0, -ERR_BAD_VALUE: no key of a row, -ERR_UNKNOWN_NAME: nothing that is counted, or -ENOMEM.
 */
int gate_rows_add(gate_rows *rows, const char *key, const struct gate_row *about);

/* A key that is there twice, NULL: none is. Sorts. */
const char *gate_rows_twice(gate_rows *rows);

/* Sort; rows of one key become one. */
void gate_rows_sort(gate_rows *rows);

/*
 * Text of a trace as it can stand in a line of a baseline: control characters and broken UTF-8 as
 * \xNN, without separators "|" too; cut between characters at size - 1 bytes. Returns its bytes.
 */
size_t row_plain(const char *text, bool separators, char *ret_text, size_t size);

/* What is counted ("syncs"), into buffer; returns it. */
const char *row_what(const struct gate_row *row, char *buffer, size_t size);

/* The key has a source text that tells it from others. */
bool row_has_source(const struct gate_row *row);

/* The rows are of one function and operator. */
bool row_same_stem(const struct gate_row *a, const struct gate_row *b);

/*
 * An order of lines by what is counted, operator and source text: those of 0 read alike, wherever
 * they are.
 */
int row_compare_text(const struct gate_row *a, const struct gate_row *b);

/* Each step has as much of it, as far as is known. */
bool row_is_even(const struct gate_row *row);

/*
 * Per step they are not the same. Where both have as many steps, or are even, exactly; else what
 * comes in some steps may have come once more or less at either end: as much as a step has at most.
 */
bool row_differs(const struct gate_row *a, const struct gate_row *b);

#endif
