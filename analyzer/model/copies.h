/* SPDX-License-Identifier: MIT */
/*
 * Calls that copy memory: which way the bytes go, whether the host is held until they are there,
 * and which line of the program asked for it. Not thread-safe.
 */
#ifndef ANALYZER_MODEL_COPIES_H
#define ANALYZER_MODEL_COPIES_H

#include "analyzer/model/state.h"

struct model_transfer {
	uint64_t bytes;
	enum copy_direction direction;
	enum memory_kind source, target;
	bool waits; /* returns when it is done */
};

/* What a record of a copy says; a direction that was left to the device comes from its ends. */
struct model_transfer model_transfer_of(const struct record *record);

/* Count the call of a copy for its line; read: as one that brings a result to the host. */
void model_count_transfer(
	struct model *model, struct spot *spot, const struct record *record, bool read);

/* COPY. 0 or -ENOMEM. */
int model_copy(struct model *model, struct model_thread *thread, const struct record *record);

#endif
