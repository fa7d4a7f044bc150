/* SPDX-License-Identifier: MIT */
/*
 * Kernels that work on lists of tensors: the parts that plain operators, optimisers and the
 * gradient scaler share.
 *
 * A launch is a row of blocks, each of which works on one chunk of one tensor of every list.
 * foreach_begin() describes the struct of lists, foreach_chunk() gives one block's chunk. Nothing
 * is kept between launches; any thread may call.
 */
#ifndef CUDASIM_COMPUTE_FOREACH_H
#define CUDASIM_COMPUTE_FOREACH_H

#include "kernel.h"
#include "layout.h"

enum foreach_limit {
	FOREACH_LISTS = 5
};

/* Where the arrays of the struct of lists are. */
struct foreach_lists {
	const char *data;
	int lists;
	int tensors; /* length of the arrays */
	size_t counts_at;
	size_t extra_at; /* scalars or step addresses */
	size_t tensor_of_block_at;
	size_t chunk_of_block_at;
	size_t start_at; /* number of the first tensor of this launch */
	size_t size;
	size_t block_index_size;
};

struct foreach_chunk {
	void *data[FOREACH_LISTS]; /* the whole tensors */
	int tensor;                /* within this launch */
	int chunk;
	int64_t begin; /* elements of the chunk */
	int64_t end;
};

/* Reads the lists' number and kind from the kernel's name. 0 if it is no known struct. */
int foreach_bind(struct kernel *kernel);

/* The lists of a launch of a kernel bound with foreach_bind(). */
struct foreach_lists foreach_begin(
	const struct kernel *kernel, const struct compute_launch *launch);

/* Size of the struct of lists in a process with that runtime. */
size_t foreach_lists_size(const struct kernel *kernel, int cudart);

/* The chunk of that block. */
struct foreach_chunk foreach_chunk(const struct foreach_lists *lists, uint32_t block);

#endif
