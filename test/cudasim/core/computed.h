/* SPDX-License-Identifier: MIT */
/*
 * The optional library of computed kernels (compute/compute.h), found beside libcuda.so.1.
 *
 * Without it, or with CUDASIM_COMPUTE=0, every function answers "no implementation". Calls may
 * come from any thread and never with the state's lock held.
 */
#ifndef CUDASIM_CORE_COMPUTED_H
#define CUDASIM_CORE_COMPUTED_H

#include "../compute/compute.h"

/* As the functions of compute.h; launch->cudart is filled in here. */
int computed_kernel(const char *name, struct compute_launch *launch);
void *computed_capture(const char *name, struct compute_launch *launch);
int computed_replay(void *captured);
void computed_release(void *captured);

/* As sim_private.attach_runtime. */
void computed_attach_runtime(int major);
int computed_runtime(void);

#endif
