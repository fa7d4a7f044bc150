/* SPDX-License-Identifier: MIT */
/* Stand-in for libcudnn: versions, handles and descriptors of tensors and activations. */
#include "cudnn.h"

#include <stdlib.h>

#include "cudnn_rnn.h"

/* The versions that the wheels were built with; they refuse another. */
#if CUDART_MAJOR == 12
enum {
	MAJOR = 9,
	MINOR = 10,
	PATCH = 2,
	CUDART_VERSION = 12080
};
#else
enum {
	MAJOR = 9,
	MINOR = 26,
	PATCH = 0,
	CUDART_VERSION = 13020
};
#endif

const struct cudasim_kernel launcher_kernels[] = {
	{"sim_cudnn_fprop_implicit_gemm", conv_effect, 1, conv_sizes, conv_duration, NULL},
	{"sim_cudnn_dgrad_implicit_gemm", conv_effect, 1, conv_sizes, conv_duration, NULL},
	{"sim_cudnn_wgrad_implicit_gemm", conv_effect, 1, conv_sizes, conv_duration, NULL},
	{"sim_cudnn_bn_fw_training", norm_forward_effect, 1, norm_sizes, NULL, NULL},
	{"sim_cudnn_bn_fw_inference", norm_inference_effect, 1, norm_sizes, NULL, NULL},
	{"sim_cudnn_bn_bw", norm_backward_effect, 1, norm_sizes, NULL, NULL},
	{"sim_cudnn_rnn_forward", rnn_forward_effect, 1, rnn_sizes, rnn_duration, NULL},
	{"sim_cudnn_rnn_backward_data", rnn_data_effect, 1, rnn_sizes, rnn_duration, NULL},
	{"sim_cudnn_rnn_backward_weights", rnn_weights_effect, 1, rnn_sizes, rnn_duration, NULL},
	{NULL, NULL, 0, NULL, NULL, NULL},
};

LIB_EXPORT size_t cudnnGetVersion(void);
LIB_EXPORT size_t cudnnGetCudartVersion(void);
LIB_EXPORT const char *cudnnGetErrorString(int status);
LIB_EXPORT void cudnnGetLastErrorString(char *message, size_t size);

size_t cudnnGetVersion(void)
{
	return MAJOR * 10000 + MINOR * 100 + PATCH;
}

size_t cudnnGetCudartVersion(void)
{
	return CUDART_VERSION;
}

const char *cudnnGetErrorString(int status)
{
	switch (status) {
	case CUDNN_SUCCESS:
		return "CUDNN_STATUS_SUCCESS";
	case CUDNN_ALLOC_FAILED:
		return "CUDNN_STATUS_ALLOC_FAILED";
	case CUDNN_BAD_PARAM:
		return "CUDNN_STATUS_BAD_PARAM";
	case CUDNN_NOT_SUPPORTED:
		return "CUDNN_STATUS_NOT_SUPPORTED";
	case CUDNN_EXECUTION_FAILED:
		return "CUDNN_STATUS_EXECUTION_FAILED";
	default:
		return "CUDNN_UNKNOWN_STATUS";
	}
}

void cudnnGetLastErrorString(char *message, size_t size)
{
	if (message && size)
		message[0] = '\0';
}

CUDNN_API(cudnnGetProperty, int which, int *ret_value)
{
	if (which < 0 || which > 2 || !ret_value)
		return CUDNN_BAD_PARAM;
	*ret_value = which == 0 ? MAJOR : which == 1 ? MINOR : PATCH;
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnCreate, struct cudnn **ret_handle)
{
	*ret_handle = calloc(1, sizeof(**ret_handle));
	return *ret_handle ? CUDNN_SUCCESS : CUDNN_ALLOC_FAILED;
}

CUDNN_API(cudnnDestroy, struct cudnn *handle)
{
	free(handle);
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnSetStream, struct cudnn *handle, launch_stream stream)
{
	if (!handle)
		return CUDNN_BAD_PARAM;
	handle->stream = stream;
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnGetStream, struct cudnn *handle, launch_stream *ret_stream)
{
	if (!handle)
		return CUDNN_BAD_PARAM;
	*ret_stream = handle->stream;
	return CUDNN_SUCCESS;
}

enum type cudnn_type(int data_type)
{
	switch (data_type) {
	case 0:
		return TYPE_FLOAT;
	case 1:
		return TYPE_DOUBLE;
	case 2:
		return TYPE_HALF;
	case 9:
		return TYPE_BFLOAT16;
	default:
		return TYPE_NONE;
	}
}

CUDNN_API(cudnnCreateTensorDescriptor, struct cudnn_tensor **ret_tensor)
{
	*ret_tensor = calloc(1, sizeof(**ret_tensor));
	return *ret_tensor ? CUDNN_SUCCESS : CUDNN_ALLOC_FAILED;
}

CUDNN_API(cudnnDestroyTensorDescriptor, struct cudnn_tensor *tensor)
{
	free(tensor);
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnSetTensorNdDescriptor, struct cudnn_tensor *tensor, int data_type, int dims,
	const int *sizes, const int *strides)
{
	if (dims < 1 || dims > CUDNN_DIMS)
		return CUDNN_BAD_PARAM;
	tensor->type = cudnn_type(data_type);
	if (tensor->type == TYPE_NONE)
		return CUDNN_NOT_SUPPORTED;
	tensor->dims = dims;
	for (int i = 0; i < dims; i++) {
		tensor->sizes[i] = sizes[i];
		tensor->strides[i] = strides[i];
	}
	return CUDNN_SUCCESS;
}

/* The activations that come with a normalisation are refused there. */
CUDNN_API(cudnnCreateActivationDescriptor, void **ret_activation)
{
	*ret_activation = calloc(1, sizeof(int));
	return *ret_activation ? CUDNN_SUCCESS : CUDNN_ALLOC_FAILED;
}

CUDNN_API(cudnnSetActivationDescriptor, int *activation, int mode, int nan, double limit)
{
	(void)nan;
	(void)limit;
	*activation = mode;
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnDestroyActivationDescriptor, int *activation)
{
	free(activation);
	return CUDNN_SUCCESS;
}
