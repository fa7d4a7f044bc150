/* SPDX-License-Identifier: MIT */
/*
 * Streaming JSON writer: commas, nesting and escaping are right by construction,
 * nothing is kept but one bit per level. Indented for people, or everything on
 * one line for JSON lines. Integers are written exactly; percentages have one
 * decimal; a number that is not known is json_null(), never 0.
 *
 * Text may be anything: control characters (out_control()) are escaped, bytes that are not UTF-8
 * become U+FFFD, "</" becomes "<\/" so that the result can stand inside HTML.
 * Inside an object every value follows a json_key() or uses a json_add_ function,
 * which does both. Not thread-safe; output errors are found by out_close().
 */
#ifndef ANALYZER_JSON_H
#define ANALYZER_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/text/out.h"

#define JSON_DEPTH_LIMIT 63

struct json {
	struct out *out;
	bool indented;
	bool dense; /* no blanks at all; set it after json_init() */
	unsigned depth;
	uint64_t filled; /* bit per level: something was written there */
	bool after_key;
};

/* indented: two blanks per level; otherwise the whole value is one line. */
void json_init(struct json *json, struct out *out, bool indented);

/* After the outermost value: the end of the line. The writer is then ready for the next value. */
void json_finish(struct json *json);

void json_object(struct json *json); /* opens one */
void json_object_end(struct json *json);
void json_array(struct json *json);
void json_array_end(struct json *json);
void json_key(struct json *json, const char *key);

void json_text(struct json *json, const char *text);                   /* NULL: null */
void json_verbatim(struct json *json, const char *bytes, size_t size); /* a value in JSON */
void json_u64(struct json *json, uint64_t value);
void json_i64(struct json *json, int64_t value);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);

/* One decimal, rounded half away from zero; NaN and infinities become null. */
void json_tenths(struct json *json, double value);
void json_decimal(struct json *json, uint64_t value, unsigned digits); /* as out_decimal() */

void json_add_text(struct json *json, const char *key, const char *text);
void json_add_u64(struct json *json, const char *key, uint64_t value);
void json_add_i64(struct json *json, const char *key, int64_t value);
void json_add_bool(struct json *json, const char *key, bool value);
void json_add_null(struct json *json, const char *key);
void json_add_tenths(struct json *json, const char *key, double value);
void json_add_object(struct json *json, const char *key);
void json_add_array(struct json *json, const char *key);

/* Only the escaped text between its quotes, quotes included; for exporters that write the rest. */
void json_quote(struct out *out, const char *text);

#endif
