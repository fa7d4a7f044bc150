/* SPDX-License-Identifier: MIT */
/*
 * What repeats of a track event in Perfetto's format: name, category, place and arguments, as
 * numbers of texts that were sent before (perfetto_names.h). Not thread-safe.
 */
#ifndef ANALYZER_EXPORT_FORMS_PERFETTO_BODY_H
#define ANALYZER_EXPORT_FORMS_PERFETTO_BODY_H

#include "analyzer/export/body.h"
#include "analyzer/export/forms/perfetto_names.h"

/* A body_make; source->context is a struct perfetto_names. */
void perfetto_body(const struct body_source *source, struct out *out, const struct record *record,
	bool on_device);

/* An argument with a number, at cursor. */
char *perfetto_argument(char *cursor, uint32_t name, bool negative, uint64_t value);

#endif
