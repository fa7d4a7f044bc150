/* SPDX-License-Identifier: MIT */
/*
 * Structures that describe copies: boxes of bytes, arrays, batches, and places in memory.
 *
 * Layouts are those of CUDA 12 and 13 on 64-bit machines; names of members are our own. Members
 * that count elements or bytes say so.
 */
#ifndef CUDASIM_CUDA_COPIES_H
#define CUDASIM_CUDA_COPIES_H

#include "cuda_abi.h"

struct cuda_pitched_pointer {
	void *pointer;
	size_t pitch, xsize, ysize;
};

struct cuda_extent {
	size_t width, height, depth;
};

struct cuda_memcpy_3d {
	void *source_array;
	size_t source_pos[3];
	struct cuda_pitched_pointer source;
	void *target_array;
	size_t target_pos[3];
	struct cuda_pitched_pointer target;
	struct cuda_extent extent;
	int kind;
};

/* Arrays: channels of 1, 2 or 4 bytes; the kind is 0 signed, 1 unsigned, 2 floating point. */
struct cuda_channels {
	int bits[4];
	int kind;
};

struct cuda_memcpy_3d_peer {
	void *source_array;
	size_t source_pos[3];
	struct cuda_pitched_pointer source;
	int source_device;
	void *target_array;
	size_t target_pos[3];
	struct cuda_pitched_pointer target;
	int target_device;
	struct cuda_extent extent;
};

enum cu_side {
	CU_SIDE_HOST = 1,
	CU_SIDE_DEVICE = 2,
	CU_SIDE_ARRAY = 3,
	CU_SIDE_UNIFIED = 4 /* the address tells */
};
struct cu_memcpy_2d {
	size_t source_x, source_y;
	int source_type;
	const void *source_host;
	CUdeviceptr source_device;
	void *source_array;
	size_t source_pitch;
	size_t target_x, target_y;
	int target_type;
	void *target_host;
	CUdeviceptr target_device;
	void *target_array;
	size_t target_pitch;
	size_t width, height;
};

struct cu_memcpy_3d {
	size_t source_x, source_y, source_z, source_lod;
	int source_type;
	const void *source_host;
	CUdeviceptr source_device;
	void *source_array, *source_reserved;
	size_t source_pitch, source_height;
	size_t target_x, target_y, target_z, target_lod;
	int target_type;
	void *target_host;
	CUdeviceptr target_device;
	void *target_array, *target_reserved;
	size_t target_pitch, target_height;
	size_t width, height, depth;
};

struct cuda_location {
	int type; /* 1: a device */
	int id;
};

/* Arrays: channels of 1, 2 or 4 bytes by the format's number. */
typedef struct CUarray_st *CUarray;
struct cu_array_format {
	size_t width, height;
	int format;
	unsigned channels;
};
struct cu_array_3d_format {
	size_t width, height, depth;
	int format;
	unsigned channels, flags;
};

/* One side of a box of a batch. Lengths are in elements where one side is an array. */
enum cu_batch_type {
	CU_BATCH_MEMORY = 1,
	CU_BATCH_ARRAY = 2
};
struct cu_batch_side {
	int type;
	union {
		struct {
			CUdeviceptr address;
			size_t row_length, layer_height;
			struct cuda_location hint;
		};
		struct {
			CUarray array;
			size_t pos[3];
		};
	};
};
struct cu_batch_box {
	struct cu_batch_side source, target;
	struct cuda_extent extent;
	int order;
	unsigned flags;
};

#endif
