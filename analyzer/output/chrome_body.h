/* SPDX-License-Identifier: MIT */
/*
 * The body of an event of a time line: its name, its kind and its arguments. Most events repeat an
 * earlier one in all but their times and a few numbers, so the text of what repeats is made once,
 * kept in a table of fixed size and copied.
 *
 * The table is larger than a processor's cache: a body is therefore prepared some events before it
 * is written, which fetches its slot meanwhile. Not thread-safe.
 */
#ifndef ANALYZER_CHROME_BODY_H
#define ANALYZER_CHROME_BODY_H

#include "analyzer/text/demangle.h"
#include "analyzer/text/out.h"

#define CHROME_KEY_WORDS 6u /* of a record, all but its times */

struct chrome_body;

/* What is known about an event before its turn comes. */
struct chrome_prepared {
	uint64_t key[CHROME_KEY_WORDS]; /* of the record, with what changes left out */
	uint32_t slot;
};

/* NULL: no memory. */
struct chrome_body *chrome_body_new(enum demangle_how how);
void chrome_body_free(struct chrome_body *body);

/* The next events are of this file: ids mean something else in every one. */
void chrome_body_begin_file(struct chrome_body *body, const struct reader *reader);
void chrome_body_end_file(struct chrome_body *body);

/* Look at an event whose body is written some events later. */
void chrome_body_prepare(const struct chrome_body *body, const struct record *record,
	struct chrome_prepared *ret_prepared);

/*
 * Write the body of a prepared event, from the comma before its name to its last brace. on_device:
 * the record has neither a result nor a place.
 */
void chrome_body_put(struct chrome_body *body, struct out *out, const struct record *record,
	const struct chrome_prepared *prepared, bool on_device);

#endif
