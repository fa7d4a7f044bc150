/* SPDX-License-Identifier: MIT */
/*
 * A report to look at: one HTML file that opens offline, with the report as JSON prints it, the
 * time line of all processes, and the script that draws both. Nothing in it is loaded from outside:
 * its content policy allows its own script and style alone.
 *
 * Texts of a trace reach the page as JSON and become text there, so none of them is ever markup.
 * The traces are read once more for the time line; memory does not grow with them. Not thread-safe;
 * write errors are found when the output is closed.
 */
#ifndef ANALYZER_PAGE_H
#define ANALYZER_PAGE_H

#include "analyzer/output/output.h"
#include "analyzer/text/demangle.h"

#define PAGE_FORMAT "html"

struct page_input {
	const struct output_run *run;
	const struct report *report;
	const char *version; /* of this program */
	/* the run's files; those that cannot be read are left out, which the caller has told */
	const char *const *paths;
	size_t path_count;
	uint64_t begin_ns, from_ns, to_ns; /* what times are counted from, and the window */
	bool (*rank_wanted)(const void *context, uint64_t rank);
	bool (*step_named)(const void *context, uint64_t step); /* NULL: no steps were asked for */
	const void *context;
	const char *root; /* files below it are shown without it; NULL: none */
	enum demangle_how names;
};

/* Write the whole file. 0 or -ENOMEM. */
int page_print(struct out *out, const struct page_input *input);

#endif
