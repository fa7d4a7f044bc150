/* SPDX-License-Identifier: MIT */
/*
 * Records as a release of CUPTI lays them out in a buffer.
 *
 * The offset of each field is the same in all releases; a record only grows at its end. So one
 * table of sizes by release is all that differs. What lies behind the fields known here is zero.
 */
#ifndef CUDASIM_CUPTI_LAYOUT_H
#define CUDASIM_CUPTI_LAYOUT_H

#include "cupti.h"

/* What cuptiGetVersion answers. */
uint32_t layout_version(void);

/* Bytes of a record of that kind, a multiple of 8; 0 for a kind that is never delivered. */
size_t layout_size(uint32_t kind);

/* Writes the record, with times by the client's clock, into layout_size(activity->kind) bytes. */
void layout_write(const struct activity *activity, uint8_t *record);

#endif
