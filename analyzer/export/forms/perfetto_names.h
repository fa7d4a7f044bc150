/* SPDX-License-Identifier: MIT */
/*
 * Texts that a Perfetto trace sends once and then refers to by number: names of events,
 * categories, names and texts of arguments, places in the source. Each new one is written at
 * once, in a packet of its own. Texts are known by their hash. Not thread-safe.
 */
#ifndef ANALYZER_EXPORT_FORMS_PERFETTO_NAMES_H
#define ANALYZER_EXPORT_FORMS_PERFETTO_NAMES_H

#include <stdint.h>

#include "analyzer/text/out.h"

/* Fields of InternedData. */
enum perfetto_kind {
	PERFETTO_CATEGORY = 1,
	PERFETTO_EVENT_NAME = 2,
	PERFETTO_ARGUMENT_NAME = 3,
	PERFETTO_PLACE = 4,
	PERFETTO_ARGUMENT_TEXT = 29
};

#define PERFETTO_SEQUENCE   1u /* of the one writer that the trace has */
#define PERFETTO_TEXT_LIMIT 4000u

struct perfetto_names {
	struct out *out;
	uint64_t *slots; /* hash, 0: free */
	uint32_t *numbers;
	uint32_t count, capacity; /* power of two */
};

/* 0 or -ENOMEM. */
int perfetto_names_init(struct perfetto_names *names, struct out *out);
void perfetto_names_release(struct perfetto_names *names);

/* The number of a text, from 1; 0: no memory, and nothing refers to it then. */
uint32_t perfetto_name(struct perfetto_names *names, enum perfetto_kind kind, const char *text);
uint32_t perfetto_place(
	struct perfetto_names *names, const char *file, const char *function, uint64_t line);

/* A packet with a message, as the trace holds it. */
void perfetto_packet(struct out *out, const char *bytes, size_t size);

#endif
