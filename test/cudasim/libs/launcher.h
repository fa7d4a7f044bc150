/* SPDX-License-Identifier: MIT */
/*
 * How a stand-in of a vendor library puts a kernel on the simulated device.
 *
 * It goes the way that the real libraries go, whose runtime is linked in statically: libcuda.so.1
 * is opened at the first launch, cuGetProcAddress_v2 is taken from it with dlsym, every driver
 * function through that, and the library's own kernels are loaded as one image. No visible cuda*
 * or cu* symbol is called. A kernel's parameters are one struct, passed by value, so that a
 * launch captured in a graph can be run again.
 *
 * Any thread may launch. The table of kernels is static data of the calling library.
 */
#ifndef CUDASIM_LIBS_LAUNCHER_H
#define CUDASIM_LIBS_LAUNCHER_H

#include <stddef.h>
#include <stdint.h>

#include "../core/sim.h"

#define LIB_EXPORT __attribute__((visibility("default")))

typedef void *launch_stream; /* cudaStream_t or CUstream, as the caller of the library gave it */

struct launch_shape {
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t shared_bytes;
};

/*
 * The kernels of this library, ended by an entry without a name. Each library that links
 * launcher.c defines it.
 */
extern const struct cudasim_kernel launcher_kernels[];

/*
 * Launches the kernel of that name with *parameters as its only parameter. Returns 0 or a driver
 * error (3, not initialised, when there is no driver).
 */
int launcher_launch(
	const char *kernel, struct launch_shape shape, launch_stream stream, void *parameters);

/* The calling thread's context, NULL for none, and making another one current. 0 or an error. */
int launcher_get_context(void **ret_context);
int launcher_set_context(void *context);

/*
 * Whether so many operations may be computed on the host (CUDASIM_LIMIT; none is set: any number).
 * Where they are too many, and CUDASIM_TELL asks for it, that is said once for each what; value is
 * what stands there instead.
 */
int launcher_affords(const char *what, double operations, const char *value);

/* Waits for the stream. Returns 0 or a driver error. */
int launcher_wait(launch_stream stream);

#endif
