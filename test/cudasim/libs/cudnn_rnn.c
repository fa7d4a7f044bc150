/* SPDX-License-Identifier: MIT */
/* Recurrent networks: descriptors, sizes, and the three calls that launch the cells' kernels. */
#include "cudnn_rnn.h"

#include <stdlib.h>
#include <string.h>

enum {
	NO_BIAS = 0,
	DOUBLE_BIAS = 2,
	LINEAR_INPUT = 0,
	FORWARD_TRAINING = 1,
	ADD_GRADIENTS = 0
};

struct dropout {
	float part;
	uint64_t *state;
};

struct network {
	struct rnn_shape shape;
	uint64_t *random;
};

struct rnn_sequence {
	enum type type;
	struct rnn_data data;
};

CUDNN_API(cudnnCreateDropoutDescriptor, struct dropout **ret_dropout)
{
	*ret_dropout = calloc(1, sizeof(**ret_dropout));
	return *ret_dropout ? CUDNN_SUCCESS : CUDNN_ALLOC_FAILED;
}

CUDNN_API(cudnnDestroyDropoutDescriptor, struct dropout *dropout)
{
	free(dropout);
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnDropoutGetStatesSize, struct cudnn *handle, size_t *ret_size)
{
	(void)handle;
	*ret_size = sizeof(uint64_t);
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnRestoreDropoutDescriptor, struct dropout *dropout, struct cudnn *handle, float part,
	void *state, size_t size, unsigned long long seed)
{
	(void)handle;
	(void)seed;
	if (!dropout || part < 0 || part > 1 || (state && size < sizeof(uint64_t)))
		return CUDNN_BAD_PARAM;
	*dropout = (struct dropout){part, state};
	return CUDNN_SUCCESS;
}

/* The seed is stored by the host; a real device runs a kernel for it. */
CUDNN_API(cudnnSetDropoutDescriptor, struct dropout *dropout, struct cudnn *handle, float part,
	void *state, size_t size, unsigned long long seed)
{
	int result = cudnnRestoreDropoutDescriptor(dropout, handle, part, state, size, seed);

	if (!result && state)
		*dropout->state = seed;
	return result;
}

CUDNN_API(cudnnCreateRNNDescriptor, struct network **ret_network)
{
	*ret_network = calloc(1, sizeof(**ret_network));
	return *ret_network ? CUDNN_SUCCESS : CUDNN_ALLOC_FAILED;
}

CUDNN_API(cudnnDestroyRNNDescriptor, struct network *network)
{
	free(network);
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnSetRNNDescriptor_v8, struct network *network, int algorithm, int mode, int bias,
	int two_ways, int input_mode, int data_type, int precision, int math, int input, int hidden,
	int projection, int layers, const struct dropout *dropout, unsigned flags)
{
	struct rnn_shape shape = {.mode = (enum rnn_mode)mode,
		.has_bias = bias != NO_BIAS,
		.directions = two_ways ? 2 : 1,
		.layers = layers,
		.input = input,
		.hidden = hidden,
		.type = cudnn_type(data_type),
		.dropout = dropout ? dropout->part : 0};

	(void)algorithm;
	(void)precision;
	(void)math;
	(void)flags;
	if (!network || input < 1 || hidden < 1 || layers < 1)
		return CUDNN_BAD_PARAM;
	if (mode < RNN_RELU || mode > RNN_GRU || (bias != NO_BIAS && bias != DOUBLE_BIAS) ||
		input_mode != LINEAR_INPUT || (projection && projection != hidden) ||
		shape.type == TYPE_NONE)
		return CUDNN_NOT_SUPPORTED;
	*network = (struct network){shape, dropout ? dropout->state : NULL};
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnCreateRNNDataDescriptor, struct rnn_sequence **ret_sequence)
{
	*ret_sequence = calloc(1, sizeof(**ret_sequence));
	return *ret_sequence ? CUDNN_SUCCESS : CUDNN_ALLOC_FAILED;
}

CUDNN_API(cudnnDestroyRNNDataDescriptor, struct rnn_sequence *sequence)
{
	free(sequence);
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnSetRNNDataDescriptor, struct rnn_sequence *sequence, int data_type, int layout,
	int steps, int samples, int width, const int *lengths, void *fill)
{
	struct rnn_data data = {(enum rnn_layout)layout, steps, samples, width, 1, {0}};

	(void)fill; /* zero */
	if (!sequence || !lengths || steps < 1 || samples < 1 || width < 1 || layout < 0 ||
		layout > RNN_SAMPLES_UNPACKED)
		return CUDNN_BAD_PARAM;
	if (cudnn_type(data_type) == TYPE_NONE)
		return CUDNN_NOT_SUPPORTED;
	for (int i = 0; i < samples; i++) {
		if (lengths[i] < 0 || lengths[i] > steps)
			return CUDNN_BAD_PARAM;
		data.is_even &= lengths[i] == steps;
	}
	if (!data.is_even && samples > RNN_SAMPLES)
		return CUDNN_NOT_SUPPORTED;
	if (!data.is_even)
		memcpy(data.lengths, lengths, (size_t)samples * sizeof(*lengths));
	*sequence = (struct rnn_sequence){cudnn_type(data_type), data};
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnGetRNNWeightSpaceSize, struct cudnn *handle, const struct network *network,
	size_t *ret_size)
{
	(void)handle;
	*ret_size = rnn_weight_count(&network->shape) * type_size(network->shape.type);
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnGetRNNTempSpaceSizes, struct cudnn *handle, const struct network *network, int mode,
	const struct rnn_sequence *x, size_t *ret_work, size_t *ret_reserve)
{
	size_t size = rnn_kept_count(&network->shape, &x->data) * sizeof(float);

	(void)handle;
	if (ret_work)
		*ret_work = mode == FORWARD_TRAINING ? 0 : size;
	if (ret_reserve)
		*ret_reserve = mode == FORWARD_TRAINING ? size : 0;
	return CUDNN_SUCCESS;
}

/* Where a matrix and its bias are; number counts those for the input, then those for the state. */
CUDNN_API(cudnnGetRNNWeightParams, struct cudnn *handle, const struct network *network, int cell,
	size_t size, const void *weights, int number, struct cudnn_tensor *matrix,
	void **ret_matrix, struct cudnn_tensor *bias, void **ret_bias)
{
	const struct rnn_shape *shape = &network->shape;
	int gates = rnn_gates(shape), is_state = number >= gates, gate = number % gates;
	int columns = is_state ? shape->hidden : rnn_input_of(shape, cell);
	size_t bytes = type_size(shape->type);

	(void)handle;
	(void)size;
	if (cell < 0 || cell >= shape->layers * shape->directions || number < 0)
		return CUDNN_BAD_PARAM;
	if (ret_matrix)
		*ret_matrix = NULL;
	if (ret_bias)
		*ret_bias = NULL;
	if (number >= 2 * gates) /* a projection: none */
		return CUDNN_SUCCESS;
	if (matrix)
		*matrix = (struct cudnn_tensor){shape->type, 3, {1, shape->hidden, columns},
			{(int64_t)shape->hidden * columns, columns, 1}};
	if (ret_matrix)
		*ret_matrix = (char *)(uintptr_t)weights +
			      rnn_matrix_at(shape, cell, is_state, gate) * bytes;
	if (bias)
		*bias = (struct cudnn_tensor){
			shape->type, 3, {1, shape->hidden, 1}, {shape->hidden, 1, 1}};
	if (ret_bias && shape->has_bias)
		*ret_bias = (char *)(uintptr_t)weights +
			    rnn_bias_at(shape, cell, is_state, gate) * bytes;
	return CUDNN_SUCCESS;
}

static int cudnn_number(enum type type)
{
	return type == TYPE_DOUBLE ? 1 : type == TYPE_HALF ? 2 : type == TYPE_BFLOAT16 ? 9 : 0;
}

CUDNN_API(cudnnGetTensorNdDescriptor, const struct cudnn_tensor *tensor, int wanted,
	int *ret_data_type, int *ret_dims, int *ret_sizes, int *ret_strides)
{
	if (!tensor)
		return CUDNN_BAD_PARAM;
	if (ret_data_type)
		*ret_data_type = cudnn_number(tensor->type);
	if (ret_dims)
		*ret_dims = tensor->dims;
	for (int i = 0; i < wanted && i < tensor->dims; i++) {
		if (ret_sizes)
			ret_sizes[i] = (int)tensor->sizes[i];
		if (ret_strides)
			ret_strides[i] = (int)tensor->strides[i];
	}
	return CUDNN_SUCCESS;
}

static int launch_cell(const struct cudnn *handle, const char *pass, struct rnn *rnn, int cell)
{
	struct launch_shape shape = {
		.grid = {(uint32_t)rnn->shape.hidden, 1, 1}, .block = {128, 1, 1}};

	rnn->cell = cell;
	return launcher_launch(pass, shape, handle->stream, rnn) ? CUDNN_EXECUTION_FAILED
								 : CUDNN_SUCCESS;
}

static int is_usable(const struct cudnn *handle, const struct network *network,
	const struct rnn_sequence *x, const void *kept, size_t size)
{
	return handle && network && x && kept && x->type == network->shape.type &&
	       x->data.width == network->shape.input &&
	       size >= rnn_kept_count(&network->shape, &x->data) * sizeof(float);
}

CUDNN_API(cudnnRNNForward, struct cudnn *handle, const struct network *network, int mode,
	const int *device_lengths, const struct rnn_sequence *x_shape, const void *x,
	const struct rnn_sequence *y_shape, void *y, const void *h_shape, const void *hx, void *hy,
	const void *c_shape, const void *cx, void *cy, size_t weight_size, const void *weights,
	size_t work_size, void *work, size_t reserve_size, void *reserve)
{
	int train = mode == FORWARD_TRAINING, result = CUDNN_SUCCESS;

	(void)device_lengths;
	(void)y_shape;
	(void)h_shape;
	(void)c_shape;
	(void)weight_size;
	if (!is_usable(handle, network, x_shape, train ? reserve : work,
		    train ? reserve_size : work_size))
		return CUDNN_BAD_PARAM;
	struct rnn rnn = {.shape = network->shape,
		.data = x_shape->data,
		.train = train,
		.x = x,
		.hx = hx,
		.cx = cx,
		.weights = weights,
		.y = y,
		.hy = hy,
		.cy = cy,
		.random = network->random,
		.kept = train ? reserve : work};

	for (int i = 0; i < rnn.shape.layers * rnn.shape.directions && !result; i++)
		result = launch_cell(handle, "sim_cudnn_rnn_forward", &rnn, i);
	return result;
}

CUDNN_API(cudnnRNNBackwardData_v8, struct cudnn *handle, const struct network *network,
	const int *device_lengths, const struct rnn_sequence *y_shape, const void *y,
	const void *dy, const struct rnn_sequence *x_shape, void *dx, const void *h_shape,
	const void *hx, const void *dhy, void *dhx, const void *c_shape, const void *cx,
	const void *dcy, void *dcx, size_t weight_size, const void *weights, size_t work_size,
	void *work, size_t reserve_size, void *reserve)
{
	int result = CUDNN_SUCCESS;

	(void)device_lengths;
	(void)y_shape;
	(void)y;
	(void)h_shape;
	(void)c_shape;
	(void)weight_size;
	(void)work_size;
	(void)work;
	if (!is_usable(handle, network, x_shape, reserve, reserve_size))
		return CUDNN_BAD_PARAM;
	struct rnn rnn = {.shape = network->shape,
		.data = x_shape->data,
		.hx = hx,
		.cx = cx,
		.weights = weights,
		.dy = dy,
		.dhy = dhy,
		.dcy = dcy,
		.dx = dx,
		.dhx = dhx,
		.dcx = dcx,
		.kept = reserve};

	for (int layer = rnn.shape.layers - 1; layer >= 0; layer--)
		for (int i = 0; i < rnn.shape.directions && !result; i++)
			result = launch_cell(handle, "sim_cudnn_rnn_backward_data", &rnn,
				layer * rnn.shape.directions + i);
	return result;
}

CUDNN_API(cudnnRNNBackwardWeights_v8, struct cudnn *handle, const struct network *network, int mode,
	const int *device_lengths, const struct rnn_sequence *x_shape, const void *x,
	const void *h_shape, const void *hx, const struct rnn_sequence *y_shape, const void *y,
	size_t weight_size, void *dweights, size_t work_size, void *work, size_t reserve_size,
	void *reserve)
{
	int result = CUDNN_SUCCESS;

	(void)device_lengths;
	(void)h_shape;
	(void)y_shape;
	(void)y;
	(void)weight_size;
	(void)work_size;
	(void)work;
	if (!is_usable(handle, network, x_shape, reserve, reserve_size))
		return CUDNN_BAD_PARAM;
	struct rnn rnn = {.shape = network->shape,
		.data = x_shape->data,
		.add = mode == ADD_GRADIENTS,
		.x = x,
		.hx = hx,
		.dweights = dweights,
		.kept = reserve};

	for (int i = 0; i < rnn.shape.layers * rnn.shape.directions && !result; i++)
		result = launch_cell(handle, "sim_cudnn_rnn_backward_weights", &rnn, i);
	return result;
}
