/* SPDX-License-Identifier: MIT */
/*
 * The time line of a run as Chrome trace JSON, which ui.perfetto.dev and
 * chrome://tracing open: a row per thread with calls and operators, a row per stream
 * with what the device did, arrows from the calls to it, counters for samples. Times are
 * microseconds from the start of the run with three decimals, so no nanosecond is lost.
 *
 * One pass, memory does not grow with the number of events. Most events repeat an
 * earlier one in all but its times: the text of everything else is kept and copied.
 * Not thread-safe. A viewer's own limits are noted by the command, not here.
 */
#ifndef ANALYZER_CHROME_H
#define ANALYZER_CHROME_H

#include "analyzer/text/demangle.h"
#include "analyzer/text/out.h"

struct chrome;

/* Write to out, times counted from begin_ns. NULL: no memory. */
struct chrome *chrome_new(struct out *out, uint64_t begin_ns, enum demangle_how how);
void chrome_free(struct chrome *chrome);

/* The next items are of this file; its process gets rows of its own. */
void chrome_begin_file(struct chrome *chrome, struct reader *reader);
void chrome_item(struct chrome *chrome, const struct item *item);
void chrome_end_file(struct chrome *chrome);

/* Close the JSON. Once, after the last file. */
void chrome_finish(struct chrome *chrome);

/* Events written so far. */
uint64_t chrome_events(const struct chrome *chrome);

#endif
