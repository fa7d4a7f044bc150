/* SPDX-License-Identifier: MIT */
/*
 * What differs between the kernels of PyTorch built for CUDA 12 and for CUDA 13.
 *
 * Kernels that work on lists of tensors take one struct by value: arrays of addresses (one row
 * for each list), element counts, for some a scalar or the address of a step counter for each
 * tensor, then which tensor and which chunk of it each block works on. The lengths of the arrays
 * grew with the limit on kernel parameters in CUDA 13. Only the first grid[0] blocks are filled.
 * The state of random generators, {seed, offset, offset in the graph, captured}, is the other
 * struct whose layout changed between the releases that are tested with the two.
 */
#ifndef CUDASIM_COMPUTE_LAYOUT_H
#define CUDASIM_COMPUTE_LAYOUT_H

#include <stddef.h>

enum layout_extra {
	LAYOUT_PLAIN,   /* a start index at the end */
	LAYOUT_SCALARS, /* a scalar for each tensor */
	LAYOUT_STEPS    /* the address of a step counter for each tensor */
};

enum layout_attention {
	LAYOUT_LEAN,
	LAYOUT_LEAN_BACKWARD,
	LAYOUT_FLASH,
	LAYOUT_FLASH_BACKWARD,
	LAYOUT_ATTENTIONS
};

struct layout {
	int tensors[5];             /* by number of lists - 1 */
	int tensors_with_scalar[5]; /* the same when each tensor has a scalar */
	int blocks;
	size_t block_index_size; /* of the tensor's number in a block's entry */
	size_t captured_at;      /* in a random generator's state: the flag of a captured launch */
	size_t generator_size;
	size_t attention_shift; /* of most members of attention parameters */
	size_t attention_sizes[LAYOUT_ATTENTIONS];
};

/* The layout of a process whose runtime is of that major version; never NULL. */
const struct layout *layout_for(int cudart);

#endif
