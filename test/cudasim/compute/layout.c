/* SPDX-License-Identifier: MIT */
#include "layout.h"

/* The parameters of a kernel fit into 4 KiB. */
static const struct layout layout_12 = {
	.tensors = {110, 64, 48, 36, 30},
	.tensors_with_scalar = {96, 64, 48, 36, 30},
	.blocks = 320,
	.block_index_size = 1,
	.captured_at = 20,
	.generator_size = 24,
	.attention_sizes = {264, 456, 456, 624},
};

/* The parameters of a kernel fit into 32 KiB. */
static const struct layout layout_13 = {
	.tensors = {770, 448, 336, 252, 210},
	.tensors_with_scalar = {672, 448, 336, 252, 210},
	.blocks = 2240,
	.block_index_size = 2,
	.captured_at = 24,
	.generator_size = 32,
	.attention_shift = 8,
	.attention_sizes = {280, 480, 464, 632},
};

const struct layout *layout_for(int cudart)
{
	return cudart == 12 ? &layout_12 : &layout_13;
}
