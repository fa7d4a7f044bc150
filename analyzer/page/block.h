/* SPDX-License-Identifier: MIT */
/*
 * Data inside of a page: JSON that the script finds by its name. Not thread-safe.
 */
#ifndef ANALYZER_PAGE_BLOCK_H
#define ANALYZER_PAGE_BLOCK_H

#include "analyzer/text/json.h"
#include "analyzer/text/out.h"

/* What was written to memory becomes a block; the memory is empty afterwards. */
void block_put(struct out *out, const char *id, struct out *json);

/* "causes": of the account, with what they are called; alone: where there is no GPU. */
void block_add_causes(struct json *json, bool alone);

#endif
