/* SPDX-License-Identifier: MIT */
/*
 * Calls in which the host waits for the device: to which line of the program the wait belongs, and
 * what has ended when it returns. Not thread-safe.
 */
#ifndef ANALYZER_MODEL_SYNCS_H
#define ANALYZER_MODEL_SYNCS_H

#include "analyzer/model/state.h"

/* SYNC. 0 or -ENOMEM. */
int model_sync(struct model *model, struct model_thread *thread, const struct record *record);

#endif
