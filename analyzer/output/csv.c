/* SPDX-License-Identifier: MIT */
#include "analyzer/output/output.h"

static void print(struct out *out, const struct term *term, const struct output_run *run,
	const struct report *report)
{
	(void)term;
	(void)report;
	if (run->tables != NULL)
		output_tables_csv(out, run->tables);
}

const struct output output_csv = {.name = "csv", .print = print};
