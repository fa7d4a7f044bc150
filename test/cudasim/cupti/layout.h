/* SPDX-License-Identifier: MIT */
/*
 * Records as a release of CUPTI lays them out in a buffer.
 *
 * The offset of each field is the same in all releases; a record only grows at its end. So the
 * table of sizes by release, releases.def, is all that differs (layout.c); what a release has no
 * room for is cut off (record.c), and what lies behind the fields known here is zero.
 */
#ifndef CUDASIM_CUPTI_LAYOUT_H
#define CUDASIM_CUPTI_LAYOUT_H

#include "cupti.h"

/* What cuptiGetVersion answers. */
uint32_t layout_version(void);

/* Bytes of a record of that kind, a multiple of 8; 0 for a kind that is never delivered. */
size_t layout_size(uint32_t kind);

/* The context that the record belongs to, 0 for one that belongs to none. */
uint32_t layout_context(const uint8_t *record);

/* Writes the record, with times by the client's clock, into layout_size(activity->kind) bytes. */
void layout_write(const struct activity *activity, uint8_t *record);

#endif
