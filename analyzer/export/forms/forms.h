/* SPDX-License-Identifier: MIT */
/*
 * The forms in which a time line can be written, each a struct of functions (writer.h) in a file of
 * its own.
 */
#ifndef ANALYZER_EXPORT_FORMS_FORMS_H
#define ANALYZER_EXPORT_FORMS_FORMS_H

#include "analyzer/export/writer.h"

extern const struct timeline_writer writer_chrome, writer_perfetto, writer_sqlite, writer_folded;

#endif
