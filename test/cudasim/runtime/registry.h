/* SPDX-License-Identifier: MIT */
/*
 * What compiled programs register at load time: fat binaries, kernels by the address of their host
 * stub, device variables by the address of their host shadow.
 *
 * Look-ups take no lock. The same address may be registered more than once, and libraries that are
 * loaded late register late. Nothing here calls the driver before it is needed: libraries and
 * kernels are loaded at their first use.
 */
#ifndef CUDASIM_RUNTIME_REGISTRY_H
#define CUDASIM_RUNTIME_REGISTRY_H

#include "../cuda_abi.h"

struct fatbin {
	const void *image;          /* the wrapper given to __cudaRegisterFatBinary */
	CUlibrary library;          /* NULL: not loaded yet */
	struct registered *entries; /* all that belongs to it */
};

struct registered {
	const void *key; /* host stub or host variable; NULL: unregistered */
	struct fatbin *fatbin;
	const char *name;        /* in the device code */
	CUkernel kernel;         /* NULL: not looked up yet */
	size_t bytes;            /* of a variable */
	struct registered *next; /* of the same fat binary */
};

/* The kernel of a host stub, loaded if need be. A handle of a kernel is its own kernel. 0, or
 * cudaErrorInvalidDeviceFunction. */
int registry_kernel(const void *function, CUkernel *ret_kernel);

/* Remembers that this kernel handle may be given in place of a host stub. */
void registry_add_handle(CUkernel kernel);

/* Address and size of a variable in device memory. 0, or cudaErrorInvalidSymbol. */
int registry_variable(const void *symbol, CUdeviceptr *ret_address, size_t *ret_bytes);

#endif
