/* SPDX-License-Identifier: MIT */
/*
 * The stand-in for libcudnn: what its parts share.
 *
 * cudnn.c has handles and tensor descriptors, cudnn_graph.c the backend descriptors that describe
 * a convolution, cudnn_conv.c its computation, cudnn_norm.c batch normalisation. Operations are
 * launched like any kernel (launcher.h), with a struct by value. What is not computed is refused
 * with CUDNN_NOT_SUPPORTED when it is described, not when it runs.
 */
#ifndef CUDASIM_LIBS_CUDNN_H
#define CUDASIM_LIBS_CUDNN_H

#include "../compute/types.h"
#include "launcher.h"

enum cudnn_status {
	CUDNN_SUCCESS = 0,
	CUDNN_ALLOC_FAILED = 1003,
	CUDNN_BAD_PARAM = 2000,
	CUDNN_NOT_SUPPORTED = 3000,
	CUDNN_EXECUTION_FAILED = 5000
};

enum cudnn_limit {
	CUDNN_DIMS = 8,
	CUDNN_SPACE = 3 /* spatial dimensions */
};

#define CUDNN_API(name, ...)                                                                       \
	LIB_EXPORT int name(__VA_ARGS__);                                                          \
	int name(__VA_ARGS__)

struct cudnn {
	launch_stream stream;
};

struct cudnn_tensor {
	enum type type;
	int dims;
	int64_t sizes[CUDNN_DIMS];
	int64_t strides[CUDNN_DIMS];
};

enum conv_direction {
	CONV_FORWARD,
	CONV_BACK_DATA,
	CONV_BACK_FILTER
};

/* The parameter of a convolution kernel. */
struct conv {
	enum conv_direction direction;
	struct cudnn_tensor x, w, y;
	void *x_data, *w_data, *y_data;
	int space; /* spatial dimensions */
	int64_t pad[CUDNN_SPACE], stride[CUDNN_SPACE], dilation[CUDNN_SPACE];
	double alpha, beta;
};

/* TYPE_NONE for a cudnnDataType_t that is not computed. */
enum type cudnn_type(int data_type);

/* Launches it. Returns a cudnn_status. */
int conv_launch(const struct conv *conv, launch_stream stream);

/* Entries of the table of kernels. */
void conv_effect(const struct compute_launch *launch);
uint64_t conv_duration(const struct compute_launch *launch);
void norm_forward_effect(const struct compute_launch *launch);
void norm_inference_effect(const struct compute_launch *launch);
void norm_backward_effect(const struct compute_launch *launch);
extern const size_t conv_sizes[1];
extern const size_t norm_sizes[1];

#endif
