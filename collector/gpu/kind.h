/* SPDX-License-Identifier: MIT */
/*
 * Kinds of CUPTI's activity records by the names that cupti.def gives them, and the two kinds
 * of calls, which share a layout there (API). Constants alone: no code, no state.
 */
#ifndef COLLECTOR_GPU_KIND_H
#define COLLECTOR_GPU_KIND_H

enum gpu_kind {
#define CUPTI_RECORD(RECORD, kind, name) KIND_##RECORD = (kind),
#include "collector/gpu/cupti.def"
	KIND_DRIVER = 4,
	KIND_RUNTIME = 5,
};
_Static_assert((int)KIND_API == (int)KIND_RUNTIME, "the layout is named by the runtime's kind");

#endif
