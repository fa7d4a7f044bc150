/* SPDX-License-Identifier: MIT */
/*
 * Tables in the forms of a report: aligned columns for a terminal, JSON rows, CSV. The columns of a
 * table decide everything; no form knows a table by heart. Texts from the trace are made harmless
 * for a terminal; CSV (RFC 4180) and JSON carry them whole. What is not known is "-" in text, null
 * in JSON, and nothing between the commas in CSV.
 *
 * Not thread-safe; output errors are found by out_close().
 */
#ifndef ANALYZER_OUTPUT_TABLES_H
#define ANALYZER_OUTPUT_TABLES_H

#include "analyzer/tables/tables.h"
#include "analyzer/tables/view.h"
#include "analyzer/text/json.h"
#include "analyzer/text/term.h"

/* What a report has to say in tables. */
struct output_tables {
	struct tables_source source; /* tables NULL: nothing was collected */
	uint32_t wanted;             /* bit per enum tables_id, as the user asked; 0: not asked */
	const char *absent;          /* why there are no records of the device side, or NULL */
};

/* How many rows of a table a terminal gets. */
#define OUTPUT_TABLES_ROWS 20u

struct process;

/* Why there are no records of the device side, into text; NULL when there are. */
const char *output_tables_absence(const struct process *traced, char *text, size_t size);

/* The tables asked for; why they are absent where they need records that are not there. */
void output_tables_text(
	struct out *out, const struct term *term, const struct output_tables *tables);

/*
 * One member per table, inside an object that is open: an array of rows, null when absent; without:
 * a bit per enum tables_id of those that are not told of.
 */
void output_tables_json(struct json *json, const struct output_tables *tables, uint32_t without);

/* The first table asked for, with a line of column names. */
void output_tables_csv(struct out *out, const struct output_tables *tables);

/*
 * Text in at most limit columns (8 or more): the middle of a longer one becomes "...", of a path
 * its begin.
 */
void output_tables_squeeze(const char *text, size_t limit, char *ret_text, size_t size);

#endif
