/* SPDX-License-Identifier: MIT */
/*
 * Prototypes of the driver's implementations, expanded from driver.def.
 *
 * Each exported function opens a call, runs sim_<symbol> with it, and closes the call with the
 * result; entry.c has the one wrapper. An implementation notes what matters of its arguments in
 * call->detail and returns 0 or an error code.
 */
#ifndef CUDASIM_DRIVER_DRIVER_H
#define CUDASIM_DRIVER_DRIVER_H

#include "../core/call.h"
#include "../core/context.h"
#include "../cuda_structs.h"

/* As sim_private.describe_device. */
int device_describe(int number, struct sim_device *ret_facts);

#define WITH_CALL(...) (struct sim_call * call __VA_OPT__(, ) __VA_ARGS__)

#define DRIVER(name, symbol, version, needs, params, args) int sim_##symbol WITH_CALL params;
#define DRIVER_PT(name, symbol, suffix, version, pt_version, needs, params, args)                  \
	int sim_##symbol WITH_CALL params;
#define DRIVER_REFUSED(name, symbol, version)
#include "driver.def"
#undef DRIVER
#undef DRIVER_PT
#undef DRIVER_REFUSED

#endif
