/* SPDX-License-Identifier: MIT */
/*
 * Loaded images and the kernels and variables in them.
 *
 * An image is either a struct cudasim_image (sim.h), which knows its kernels and what they do, or
 * opaque: then a kernel of any name can be had from it, because device code is never read. A
 * module of the older interface is a library too, and one kernel handle serves as CUkernel,
 * CUfunction and cudaKernel_t. Handles and names live as long as the process, even when the
 * library is unloaded: the truth log and programs under test may still name them. With
 * CUDASIM_REUSE=1 the handles of what is unloaded are given out again, as a real driver may do.
 */
#ifndef CUDASIM_CORE_KERNEL_H
#define CUDASIM_CORE_KERNEL_H

#include "../cuda_abi.h"
#include "sim.h"

struct CUkern_st {
	uint64_t magic;
	CUkernel next;
	CUlibrary library;
	const char *name;
	const struct cudasim_kernel *description; /* NULL for a kernel of an opaque image */
	uint64_t duration_ns;
	int duration_is_default; /* no rule of CUDASIM_KERNELS names this kernel */
	int noted;               /* already named in the log as not computed */
	int attributes[16];
};

struct global {
	struct global *next;
	const char *name;
	void *address;
	size_t bytes;
};

struct CUlib_st {
	uint64_t magic;
	const struct cudasim_image *image; /* NULL: opaque */
	CUkernel kernels;
	struct global *globals;
	CUlibrary module; /* the library as a module of the older interface, NULL: not asked for */
	CUlibrary whole;  /* of such a module: the library */
};

/* data: an image, a fat binary's wrapper around one, or anything else. NULL: out of memory. */
CUlibrary library_load(const void *data);
void library_unload(CUlibrary library);
int library_is_valid(CUlibrary library);

/* The module that a library is in a context, a handle of its own; NULL: out of memory. */
CUlibrary library_module(CUlibrary library);

/* The kernel of that name; NULL if the image has none, or out of memory. */
CUkernel library_kernel(CUlibrary library, const char *name);

/* The variable of that name, NULL if it was not defined. */
const struct global *library_global(CUlibrary library, const char *name);

/* As sim_private.define_global. */
int library_define_global(void *library, const char *name, size_t bytes);

int kernel_is_valid(CUkernel kernel);

/*
 * Nobody computes the kernel: say so in the truth log and, where CUDASIM_TELL asks for it, on
 * standard error; once for each.
 */
void kernel_not_computed(CUkernel kernel);

/* The modelled duration of this launch. */
uint64_t kernel_duration_ns(CUkernel kernel, const struct compute_launch *launch);

#endif
