/* SPDX-License-Identifier: MIT */
/*
 * A range that has ended becomes a record; where it is named like a step, the window is told.
 * Any thread, guard held.
 */
#ifndef PRELOAD_NVTX_EMIT_H
#define PRELOAD_NVTX_EMIT_H

#include "preload/nvtx/stack.h"

/* Nothing where its begin was not seen. end: ticks. */
void nvtx_emit(const struct nvtx_range *range, uint64_t end);

/* The record alone, whatever its name. */
void nvtx_emit_record(const struct nvtx_range *range, uint64_t end);

#endif
