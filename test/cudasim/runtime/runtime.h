/* SPDX-License-Identifier: MIT */
/*
 * Inside of the stand-in runtime: the table of driver functions it has looked up, what it keeps
 * per thread, and the prototypes of its implementations, expanded from runtime.def.
 *
 * The driver is opened at the first call of any runtime function, not at load time, in the order
 * of the real runtime: dlopen, dlsym of cuGetProcAddress_v2, and everything else through that. A
 * thread gets the primary context of its device at its first call that needs one.
 */
#ifndef CUDASIM_RUNTIME_RUNTIME_H
#define CUDASIM_RUNTIME_RUNTIME_H

#include "../core/sim.h"
#include "../cuda_structs.h"

#ifndef CUDART_MAJOR
#error "CUDART_MAJOR must be 12 or 13"
#endif

#define CUDART_VERSION (CUDART_MAJOR == 12 ? 12080 : 13020)

/* [0]: for the legacy default stream, [1]: for the per-thread default stream. */
struct driver_table {
#define NEED(name, version, params)                           int(*name) params;
#define NEED_AS(member, name, version, params)                int(*member) params;
#define NEED_PT(name, version, pt_version, params)            int(*name[2]) params;
#define NEED_PT_AS(member, name, version, pt_version, params) int(*member[2]) params;
#include "driver_table.def"
#undef NEED
#undef NEED_PT
#undef NEED_AS
#undef NEED_PT_AS
	int (*cuGetProcAddress)(const char *, void **, int, uint64_t, int *);
};

extern struct driver_table driver;
extern const struct sim_private *sim;

struct runtime_thread {
	int device;
	int has_context;
	int last_error;
};

extern __thread struct runtime_thread runtime_thread;

/* Opens a call of the runtime; loads the driver at the first. 0 or the error to return. */
int runtime_begin(struct sim_call *call, const char *function, unsigned flags);

/* Closes it and remembers an error for cudaGetLastError. */
int runtime_end(struct sim_call *call, int result);

/* Makes the primary context of the device current for this thread. 0 or an error. */
int runtime_use_device(int device);

#define WITH_CALL(...) (struct sim_call * call __VA_OPT__(, ) __VA_ARGS__)

#define RUNTIME(name, needs, params, args)            int rt_##name WITH_CALL params;
#define RUNTIME_PT(name, suffix, needs, params, args) int rt_##name WITH_CALL params;
#define RUNTIME_AS(name, implementation, needs, params, args)
#define RUNTIME_IS(name, driver_name, needs, params, args)
#define RUNTIME_PT_IS(name, driver_name, suffix, needs, params, args)
#include "runtime.def"
#undef RUNTIME
#undef RUNTIME_PT
#undef RUNTIME_AS
#undef RUNTIME_IS
#undef RUNTIME_PT_IS

#if CUDART_MAJOR == 12
int rt_cudaGetDeviceProperties(struct sim_call *call, void *properties, int device);
#endif

#endif
