/* SPDX-License-Identifier: MIT */
/*
 * Kernels of PyTorch computed on the host: what the simulated driver asks of the optional
 * library libcudasim_compute.so.
 *
 * The driver looks for the library in its own folder at the first launch of a kernel that has no
 * effect of its own (core/sim.h) and takes the four functions below by dlsym; a missing library
 * or CUDASIM_COMPUTE=0 means that no kernel is computed. Device memory is ordinary readable
 * memory at the addresses that cudaMalloc returned, so pointers among the arguments can be used
 * as they are.
 *
 * Calls come on the launching thread, in program order of that thread, without any lock of the
 * driver held; several threads may call at once. A function of this library makes no CUDA call.
 * Names are kept by the driver: the same kernel always comes with the same pointer, so that a
 * cache by pointer is enough.
 */
#ifndef CUDASIM_COMPUTE_COMPUTE_H
#define CUDASIM_COMPUTE_COMPUTE_H

#include <stdint.h>

struct compute_launch {
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t shared_bytes;
	int cudart;  /* 12 or 13: the runtime of this process; 0: none, driver API alone */
	void **args; /* as given to cudaLaunchKernel; may be NULL for a kernel without any */
};

/* Runs the kernel. Returns 1 when computed, 0 when this library has no implementation. */
int compute_kernel(const char *mangled_name, const struct compute_launch *launch);

/*
 * Copies what a later run needs, for a launch recorded in a graph. Returns NULL when there is no
 * implementation or no memory; the driver owns the result and gives it to compute_release().
 */
void *compute_capture(const char *mangled_name, const struct compute_launch *launch);

/* Runs a captured launch again, any number of times. Returns as compute_kernel(). */
int compute_replay(void *captured);

/* NULL is allowed. */
void compute_release(void *captured);

#endif
