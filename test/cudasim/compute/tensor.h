/* SPDX-License-Identifier: MIT */
/*
 * PyTorch's TensorInfo, a struct that kernels take by value: {data, sizes[25], strides[25],
 * dimensions}, with 32-bit or 64-bit numbers. tensor_view() reads it into a struct of our own;
 * the view holds no memory. Pure functions, any thread.
 */
#ifndef CUDASIM_COMPUTE_TENSOR_H
#define CUDASIM_COMPUTE_TENSOR_H

#include <stddef.h>
#include <stdint.h>

enum tensor_limit {
	TENSOR_DIMS = 25
};

struct tensor {
	void *data;
	int dims;
	int64_t sizes[TENSOR_DIMS];
	int64_t strides[TENSOR_DIMS]; /* in elements */
};

/* Reads the struct at info; wide: its numbers have 64 bits. */
struct tensor tensor_view(const void *info, int wide);

/* Elements of the tensor. */
int64_t tensor_count(const struct tensor *tensor);

/* Position of element index, counted with the last dimension fastest. */
int64_t tensor_offset(const struct tensor *tensor, int64_t index);

/* Size of the struct, for kernels that are captured. */
size_t tensor_info_size(int wide);

#endif
