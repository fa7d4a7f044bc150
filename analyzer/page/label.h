/* SPDX-License-Identifier: MIT */
/*
 * Labels of a time line: what an event is beside its times and the one number that changes. An
 * event names its label by number; each is described once, as JSON, when it is met. The table of
 * those that are known has a fixed size: one that had to give way gets another number when it comes
 * again.
 *
 * Not thread-safe.
 */
#ifndef ANALYZER_PAGE_LABEL_H
#define ANALYZER_PAGE_LABEL_H

#include "analyzer/page/pack.h"
#include "analyzer/text/demangle.h"

struct labels;

/* Descriptions go into the pack, a chunk now and then. NULL: no memory. */
struct labels *labels_new(struct pack *pack, enum demangle_how how);
void labels_free(struct labels *labels);

/* What follows is of this file, whose ids are its own; NULL: of none any more. */
void labels_of_file(struct labels *labels, const struct reader *reader);

/* The number of an event's label. */
uint32_t labels_find(struct labels *labels, const struct record *record);

/* The number that changes from event to event of a label: a correlation, a value; or 0. */
uint64_t labels_value(const struct record *record);

/* Descriptions that are still here. */
void labels_flush(struct labels *labels);

#endif
