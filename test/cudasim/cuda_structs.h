/* SPDX-License-Identifier: MIT */
/*
 * Structures that cross the border between programs and the simulated device: attributes of
 * pointers and kernels, launch configurations. Those of copies are in cuda_copies.h, which comes
 * with this.
 *
 * Layouts are those of CUDA 12 and 13 on 64-bit machines; names of members are our own. Where the
 * versions differ in size it is said, and only the bytes of the version in use are written.
 */
#ifndef CUDASIM_CUDA_STRUCTS_H
#define CUDASIM_CUDA_STRUCTS_H

#include "cuda_abi.h"
#include "cuda_copies.h"
#include "cuda_nodes.h"

struct cuda_pointer_attributes {
	int type; /* enum cuda_memory_type */
	int device;
	void *device_pointer;
	void *host_pointer;
	long reserved[8]; /* CUDA 13 only */
};

struct cuda_func_attributes {
	size_t shared_bytes, const_bytes, local_bytes;
	int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
	int max_dynamic_shared_bytes, preferred_carveout;
	int cluster_dim_must_be_set, cluster_width, cluster_height, cluster_depth;
	int cluster_scheduling, non_portable_cluster, reserved[16];
};

/* cudaLaunchConfig_t and CUlaunchConfig; the attributes are not looked into. */
struct cuda_launch_config {
	struct dim3 grid, block;
	size_t shared_bytes;
	CUstream stream;
	const void *attributes;
	unsigned attribute_count;
};

struct cu_launch_config {
	unsigned grid[3], block[3], shared_bytes;
	CUstream stream;
	const void *attributes;
	unsigned attribute_count;
};

/* cudaLaunchParams */
struct cuda_device_launch {
	const void *function;
	struct dim3 grid, block;
	void **args;
	size_t shared_bytes;
	CUstream stream;
};

struct cu_device_launch {
	CUkernel function;
	unsigned grid[3], block[3], shared_bytes;
	CUstream stream;
	void **args;
};

struct cu_instantiate {
	uint64_t flags;
	CUstream upload;
	CUgraphNode error_node;
	int outcome;
};

#endif
