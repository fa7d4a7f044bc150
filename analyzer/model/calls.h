/* SPDX-License-Identifier: MIT */
/*
 * Calls that give the device work or prepare it: launches, graphs, sets, events, allocations and
 * the rest; copies and waits are in copies.h and syncs.h. Not thread-safe.
 */
#ifndef ANALYZER_MODEL_CALLS_H
#define ANALYZER_MODEL_CALLS_H

#include "analyzer/model/state.h"

/* LAUNCH and GRAPH, SET, all other calls. 0 or -ENOMEM. */
int model_launch(struct model *model, struct model_thread *thread, const struct record *record);
int model_set(struct model *model, struct model_thread *thread, const struct record *record);
int model_other(
	struct model *model, const struct model_thread *thread, const struct record *record);

#endif
