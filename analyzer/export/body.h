/* SPDX-License-Identifier: MIT */
/*
 * The body of an event of a time line: its name, its kind and its arguments, in the form that a
 * format has for them. Most events repeat an earlier one in all but their times and a few
 * numbers, so the bytes of what repeats are made once, kept in a table of fixed size and copied.
 *
 * The table is larger than a processor's cache: a body is therefore prepared some events before it
 * is written, which fetches its slot meanwhile. Not thread-safe.
 */
#ifndef ANALYZER_EXPORT_BODY_H
#define ANALYZER_EXPORT_BODY_H

#include "analyzer/export/remarks.h"
#include "analyzer/text/demangle.h"
#include "analyzer/text/field_text.h"
#include "analyzer/text/out.h"

#define BODY_KEY_WORDS   6u    /* of a record, all but its times */
#define BODY_COLUMNS     4u    /* fields of a kind that are not part of what repeats, and a NULL */
#define BODY_COPY_LIMIT  2048u /* bytes of what is kept */
#define BODY_TITLE_BYTES 64u

struct body;

/* What is known about an event before its turn comes. */
struct body_prepared {
	uint64_t key[BODY_KEY_WORDS]; /* of the record, with what changes left out */
	uint32_t slot;
};

/* What a maker has to go by. */
struct body_source {
	struct field_names *names;
	const struct remarks *remarks; /* of the file in work; NULL: none */
	void *context;
};

/* Put into out what repeats of a record; without a place and a result when it is the device's. */
typedef void body_make(const struct body_source *source, struct out *out,
	const struct record *record, bool on_device);

/* NULL: no memory. */
struct body *body_new(enum demangle_how how, body_make *make, void *context);
void body_free(struct body *body);

/* The next events are of this file: ids mean something else in every one. */
void body_begin_file(struct body *body, const struct reader *reader, const struct remarks *remarks);
void body_end_file(struct body *body);

/* Look at an event whose body is written some events later. */
void body_prepare(
	const struct body *body, const struct record *record, struct body_prepared *ret_prepared);

/* Fetch the bytes themselves, of an event that was prepared some events ago and is not yet next. */
void body_fetch(const struct body *body, const struct body_prepared *prepared);

/* The bytes of a prepared event, valid until the next call, and their number. */
const char *body_get(
	struct body *body, const struct body_prepared *prepared, bool on_device, size_t *ret_size);

/* The fields of a kind that are not in the body, up to a NULL. */
const struct record_field *const *body_columns(const struct body *body, unsigned kind);

/* A value of a field is worth its bytes: not 0, nor the 1 of a dimension that is not used. */
bool body_says(unsigned kind, const struct record_field *field, uint64_t value);

/* What an event is called; text is room for it. */
const char *body_title(
	const struct body_source *source, const struct record *record, char text[BODY_TITLE_BYTES]);

#endif
