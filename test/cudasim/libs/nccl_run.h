/* SPDX-License-Identifier: MIT */
/*
 * What a collective's kernel does, and how long it takes by the model: entries for the library's
 * table of kernels. come posts all parts of the launch, meet carries them out when every part's
 * members have come (struct cudasim_meeting). Any thread of the launching process.
 */
#ifndef CUDASIM_LIBS_NCCL_RUN_H
#define CUDASIM_LIBS_NCCL_RUN_H

#include "../core/sim.h"
#include "nccl.h"

extern const struct cudasim_meeting nccl_meeting;
extern const size_t nccl_launch_sizes[1];

uint64_t nccl_duration(const struct compute_launch *launch);

#endif
