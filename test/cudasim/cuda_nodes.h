/* SPDX-License-Identifier: MIT */
/*
 * Structures that describe nodes of graphs. Layouts are those of CUDA 12 and 13 on 64-bit
 * machines; names of members are our own.
 */
#ifndef CUDASIM_CUDA_NODES_H
#define CUDASIM_CUDA_NODES_H

#include "cuda_copies.h"

/* CUDA_KERNEL_NODE_PARAMS_v2 and _v3 */
struct cu_kernel_parameters {
	CUkernel function;
	unsigned grid[3], block[3], shared_bytes;
	void **args, **extra;
	CUkernel kernel; /* where there is no function */
	CUcontext context;
};
struct cu_set_parameters {
	CUdeviceptr target;
	size_t pitch;
	unsigned value, element;
	size_t width, height;
};
struct cu_node_parameters {
	int type, reserved[3];
	union {
		long long size[29];
		struct cu_kernel_parameters kernel;
		struct {
			int flags, reserved;
			CUcontext context;
			struct cu_memcpy_3d box;
		} copy;
		struct cu_set_parameters set;
		CUgraph child;
	};
	long long reserved_end;
};

#endif
