/* SPDX-License-Identifier: MIT */
/*
 * What the device reports on its way into a model: its records need no order, neither among
 * themselves nor with the calls, so they do not come through model_add(). An operation is work of
 * the device whether or not its call is known. Not thread-safe.
 */
#ifndef ANALYZER_MODEL_DEVICE_H
#define ANALYZER_MODEL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/format/record.h"

struct model;

static inline bool model_is_device(const struct record *record)
{
	return (record->kind >= RECORD_DEVICE_KERNEL && record->kind <= RECORD_DEVICE_MEMORY) ||
	       record->kind == RECORD_SOURCE_STATE;
}

/* Records for which model_is_device() is true, at any time. 0 or -ENOMEM. */
int model_add_device(struct model *model, const struct record *records, size_t count);

/* The same of some, of which more follow at once: the last with model_add_device(). */
int model_take_device(struct model *model, const struct record *records, size_t count);

#endif
