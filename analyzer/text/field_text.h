/* SPDX-License-Identifier: MIT */
/*
 * Fields of events as people and JSON see them: names for the values of enumerations
 * and the bits of flags, texts for ids. Everything comes from the record table and the
 * tables in here; no output knows a kind by heart.
 *
 * Pure functions but for the demangler's cache.
 */
#ifndef ANALYZER_FIELD_TEXT_H
#define ANALYZER_FIELD_TEXT_H

#include "analyzer/text/demangle.h"
#include "analyzer/text/json.h"
#include "analyzer/text/out.h"

/* Where the texts of ids come from. */
struct field_names {
	const struct reader *reader;
	struct demangle_cache cache;
};

/*
 * The name of the value of a kind's field ("direction": "host_to_device"), or NULL: it has none, or
 * it is just a number.
 */
const char *field_value_name(unsigned kind, const char *field, uint64_t value);

/* " name=value" for a terminal; nothing for a number that is 0. */
void field_print(struct out *out, struct field_names *names, const struct record *record,
	const struct record_field *field);

/* "name": value; enumerations and ids as text, flags as a list, all else exact integers. */
void field_json(struct json *json, struct field_names *names, const struct record *record,
	const struct record_field *field);

/*
 * What a time line calls an event: the function called, else the text it carries, else its kind.
 * Never NULL.
 */
const char *field_title(struct field_names *names, const struct record *record);

/* One field of a map as " name=value" or as a JSON member, by the table in meta.def. */
void field_print_meta(struct out *out, const struct meta *meta);
void field_json_meta(struct json *json, const struct meta *meta);

/* True for the maps that only give ids a meaning. */
bool field_is_definition(enum meta_kind kind);

#endif
