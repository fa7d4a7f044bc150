/* SPDX-License-Identifier: MIT */
/*
 * The texts of a process as an output shows them, by what --names says. Begun once the process is
 * read, in place: it is not to be moved. Not thread-safe.
 */
#ifndef ANALYZER_OUTPUT_SHOWN_H
#define ANALYZER_OUTPUT_SHOWN_H

#include "analyzer/run/process.h"
#include "analyzer/text/demangle.h"

struct shown {
	const struct reader *reader;
	struct demangle_cache cache;
	struct lookup lookup;
};

void shown_begin(struct shown *shown, const struct process *process, enum demangle_how how);
void shown_release(struct shown *shown);

#endif
