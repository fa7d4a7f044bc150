/* SPDX-License-Identifier: MIT */
/*
 * How calls of the CUDA driver come to our hooks. Programs that are linked with libcuda find them
 * by their preloaded names; all others, cuBLAS, cuDNN, NCCL and the CUDA runtime itself among them,
 * ask dlsym or cuGetProcAddress for addresses. Both are asked as if we were not there; an address
 * that comes back is exchanged for a hook when it is one of those that the driver gave us for
 * that very form of the function, and left alone otherwise: what is not known passes through.
 *
 * The table of addresses is filled when a libcuda is first met: by the exported names, and by
 * cuGetProcAddress with the version and flags of each row of driver.def, because its answers
 * may differ from the exported functions. Asking does not initialise CUDA. A row whose exported
 * name leads to another preloaded library is not exchanged.
 *
 * Also the source of kernel names for handles that were made before anything was hooked
 * (cuFuncGetName, cuKernelGetName).
 *
 * Any thread, also before our constructor and in the constructors of others.
 */
#ifndef PRELOAD_DRIVER_H
#define PRELOAD_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

/* False: no address is exchanged (LIBTRACE_SOURCES=-driver). */
void driver_enable(bool enable);

/* Addresses are exchanged. */
bool driver_is_enabled(void);

/* True for a name of the driver that has a hook; NULL is none. */
bool driver_is_known(const char *name);

/*
 * Answer of dlsym for such a name: our hook in place of the driver's function, with *ret_decided 1;
 * *ret_decided 0 when the true dlsym shall answer. To be called with the guard taken.
 */
void *driver_substitute(void *handle, const char *name, uint64_t *ret_decided);

/* The calling thread's current context; false: the driver cannot be asked. Keeps errno. */
bool driver_current_context(const void **ret_context);

/* The device of the calling thread's current context, -1 when there is none to be had. */
int driver_current_device(void);

/* The driver can be asked for the name of a function. */
bool driver_can_name(void);

/* The newest version that the program's own asks for a function have named, as 12080; 0: none. */
int driver_asked_version(void);

/* A driver was met and can be hooked; or why it cannot be, NULL if there is nothing to complain. */
bool driver_found(void);
const char *driver_failure(void);

#endif
