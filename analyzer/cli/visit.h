/* SPDX-License-Identifier: MIT */
/*
 * All items of a run, file after file, for the commands that go through a trace
 * once: with --ranks, --from and --to applied, progress shown and, after each file, what is
 * wrong with it said. A file that cannot be read is reported and passed over.
 *
 * Not thread-safe.
 */
#ifndef ANALYZER_VISIT_H
#define ANALYZER_VISIT_H

#include "analyzer/cli/command.h"

struct visitor {
	/* All may be NULL. reader is of the file in work and gone after end(). */
	void (*begin)(void *data, struct reader *reader);
	void (*item)(void *data, struct reader *reader, const struct item *item);
	void (*end)(void *data, struct reader *reader);
	void *data;
};

struct visit {
	const struct command_context *context;
	struct run run;
	uint64_t begin_ns; /* of the run: what times are counted from */
	uint64_t from_ns, to_ns;
};

/* Find the files and the begin. EXIT_CODE_FINE or the reported exit code. */
int visit_open(struct visit *visit, const struct command_context *context);
void visit_close(struct visit *visit);

/* Go through all files. EXIT_CODE_FINE, or EXIT_CODE_TRACE when some file could not be read. */
int visit_all(struct visit *visit, const struct visitor *visitor);

#endif
