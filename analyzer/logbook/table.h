/* SPDX-License-Identifier: MIT */
/*
 * An optimisation log as a table for a terminal, for a page (markdown) and for a spreadsheet (CSV).
 * They only print. Not thread-safe.
 */
#ifndef ANALYZER_LOGBOOK_TABLE_H
#define ANALYZER_LOGBOOK_TABLE_H

#include "analyzer/logbook/logbook.h"

void table_text(struct out *out, const struct logbook *log);
void table_markdown(struct out *out, const struct logbook *log);
void table_csv(struct out *out, const struct logbook *log);

/* The last attempt in one line. */
void table_last(struct out *out, const struct logbook *log);

#endif
