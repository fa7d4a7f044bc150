/* SPDX-License-Identifier: MIT */
/* Batch normalisation over samples and pixels, for each channel: training, inference, gradient. */
#include <math.h>

#include "cudnn.h"

enum {
	PER_ACTIVATION = 0, /* a mode without sums over pixels */
	PLAIN = 0           /* no activation or addition afterwards */
};

struct norm {
	struct cudnn_tensor x, y; /* y: also of dy, dx */
	enum type type;           /* of parameters and statistics */
	const void *x_data, *dy_data;
	void *y_data; /* or dx */
	const void *scale, *bias;
	void *mean, *variance; /* running, or the given ones */
	void *saved_mean, *saved_rstd;
	void *scale_slope, *bias_slope;
	double factor, epsilon;
};

const size_t norm_sizes[1] = {sizeof(struct norm)};

/* Elements of one channel. */
static int64_t channel_count(const struct norm *norm)
{
	int64_t count = 1;

	for (int i = 0; i < norm->x.dims; i++)
		count *= i == 1 ? 1 : norm->x.sizes[i];
	return count;
}

/* Where element index of channel c is. */
static int64_t at(const struct cudnn_tensor *tensor, int64_t c, int64_t index)
{
	int64_t offset = c * tensor->strides[1];

	for (int i = tensor->dims - 1; i >= 0; i--) {
		if (i == 1)
			continue;
		offset += index % tensor->sizes[i] * tensor->strides[i];
		index /= tensor->sizes[i];
	}
	return offset;
}

static double x_of(const struct norm *norm, int64_t c, int64_t i)
{
	return type_get(norm->x.type, norm->x_data, at(&norm->x, c, i));
}

static void moments(const struct norm *norm, int64_t c, double *ret_mean, double *ret_variance)
{
	int64_t count = channel_count(norm);
	double mean = 0, variance = 0;

	for (int64_t i = 0; i < count; i++)
		mean += x_of(norm, c, i) / (double)count;
	for (int64_t i = 0; i < count; i++)
		variance += (x_of(norm, c, i) - mean) * (x_of(norm, c, i) - mean) / (double)count;
	*ret_mean = mean;
	*ret_variance = variance;
}

static void apply(const struct norm *norm, int64_t c, double mean, double rstd)
{
	double scale = type_get(norm->type, norm->scale, c);
	double bias = type_get(norm->type, norm->bias, c);

	for (int64_t i = 0; i < channel_count(norm); i++)
		type_put(norm->y.type, norm->y_data, at(&norm->y, c, i),
			(x_of(norm, c, i) - mean) * rstd * scale + bias);
}

static void blend(const struct norm *norm, void *running, int64_t c, double value)
{
	if (running)
		type_put(norm->type, running, c,
			(1 - norm->factor) * type_get(norm->type, running, c) +
				norm->factor * value);
}

void norm_forward_effect(const struct compute_launch *launch)
{
	const struct norm *norm = launch->args[0];
	int64_t count = channel_count(norm);

	for (int64_t c = 0; c < norm->x.sizes[1]; c++) {
		double mean, variance, rstd;

		moments(norm, c, &mean, &variance);
		rstd = 1 / sqrt(variance + norm->epsilon);
		blend(norm, norm->mean, c, mean);
		blend(norm, norm->variance, c,
			count > 1 ? variance * (double)count / (double)(count - 1) : variance);
		if (norm->saved_mean)
			type_put(norm->type, norm->saved_mean, c, mean);
		if (norm->saved_rstd)
			type_put(norm->type, norm->saved_rstd, c, rstd);
		apply(norm, c, mean, rstd);
	}
}

void norm_inference_effect(const struct compute_launch *launch)
{
	const struct norm *norm = launch->args[0];

	for (int64_t c = 0; c < norm->x.sizes[1]; c++)
		apply(norm, c, type_get(norm->type, norm->mean, c),
			1 / sqrt(type_get(norm->type, norm->variance, c) + norm->epsilon));
}

void norm_backward_effect(const struct compute_launch *launch)
{
	const struct norm *norm = launch->args[0];
	int64_t count = channel_count(norm);

	for (int64_t c = 0; c < norm->x.sizes[1]; c++) {
		double scale = type_get(norm->type, norm->scale, c), sum = 0, product = 0;
		double mean = 0, rstd = 0;

		if (norm->saved_mean && norm->saved_rstd) {
			mean = type_get(norm->type, norm->saved_mean, c);
			rstd = type_get(norm->type, norm->saved_rstd, c);
		} else {
			moments(norm, c, &mean, &rstd);
			rstd = 1 / sqrt(rstd + norm->epsilon);
		}
		for (int64_t i = 0; i < count; i++) {
			double dy = type_get(norm->y.type, norm->dy_data, at(&norm->y, c, i));

			sum += dy;
			product += dy * (x_of(norm, c, i) - mean) * rstd;
		}
		for (int64_t i = 0; i < count; i++) {
			double dy = type_get(norm->y.type, norm->dy_data, at(&norm->y, c, i));
			double unit = (x_of(norm, c, i) - mean) * rstd;

			type_put(norm->x.type, norm->y_data, at(&norm->x, c, i),
				scale * rstd * (dy - (sum + unit * product) / (double)count));
		}
		type_put(norm->type, norm->scale_slope, c, product);
		type_put(norm->type, norm->bias_slope, c, sum);
	}
}

static int launch(const char *name, const struct cudnn *handle, struct norm *norm)
{
	struct launch_shape shape = {
		.grid = {(uint32_t)norm->x.sizes[1], 1, 1}, .block = {512, 1, 1}};

	return launcher_launch(name, shape, handle->stream, norm) ? CUDNN_EXECUTION_FAILED
								  : CUDNN_SUCCESS;
}

/* The computation needs no workspace. */
CUDNN_API(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize, void *handle, int mode,
	int operation, void *x, void *z, void *y, void *parameters, void *activation,
	size_t *ret_size)
{
	(void)handle, (void)mode, (void)operation, (void)x, (void)z, (void)y, (void)parameters;
	(void)activation;
	*ret_size = 0;
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnGetBatchNormalizationTrainingExReserveSpaceSize, void *handle, int mode,
	int operation, void *activation, void *x, size_t *ret_size)
{
	(void)handle, (void)mode, (void)operation, (void)activation, (void)x;
	*ret_size = 0;
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnGetBatchNormalizationBackwardExWorkspaceSize, void *handle, int mode, int operation,
	void *x, void *y, void *dy, void *dz, void *dx, void *parameters, void *activation,
	size_t *ret_size)
{
	(void)handle, (void)mode, (void)operation, (void)x, (void)y, (void)dy, (void)dz, (void)dx;
	(void)parameters, (void)activation;
	*ret_size = 0;
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnBatchNormalizationForwardTrainingEx, struct cudnn *handle, int mode, int operation,
	const void *alpha, const void *beta, const struct cudnn_tensor *x, const void *x_data,
	const void *z, const void *z_data, const struct cudnn_tensor *y, void *y_data,
	const struct cudnn_tensor *parameters, const void *scale, const void *bias, double factor,
	void *running_mean, void *running_variance, double epsilon, void *saved_mean,
	void *saved_rstd, void *activation, void *workspace, size_t workspace_size, void *reserve,
	size_t reserve_size)
{
	struct norm norm = {.x = *x,
		.y = *y,
		.type = parameters->type,
		.x_data = x_data,
		.y_data = y_data,
		.scale = scale,
		.bias = bias,
		.mean = running_mean,
		.variance = running_variance,
		.saved_mean = saved_mean,
		.saved_rstd = saved_rstd,
		.factor = factor,
		.epsilon = epsilon};

	(void)alpha, (void)beta, (void)z, (void)z_data, (void)activation, (void)workspace;
	(void)workspace_size, (void)reserve, (void)reserve_size;
	if (mode == PER_ACTIVATION || operation != PLAIN)
		return CUDNN_NOT_SUPPORTED;
	return launch("sim_cudnn_bn_fw_training", handle, &norm);
}

CUDNN_API(cudnnBatchNormalizationForwardInference, struct cudnn *handle, int mode,
	const void *alpha, const void *beta, const struct cudnn_tensor *x, const void *x_data,
	const struct cudnn_tensor *y, void *y_data, const struct cudnn_tensor *parameters,
	const void *scale, const void *bias, const void *mean, const void *variance, double epsilon)
{
	struct norm norm = {.x = *x,
		.y = *y,
		.type = parameters->type,
		.x_data = x_data,
		.y_data = y_data,
		.scale = scale,
		.bias = bias,
		.mean = (void *)mean,
		.variance = (void *)variance,
		.epsilon = epsilon};

	(void)alpha, (void)beta;
	if (mode == PER_ACTIVATION)
		return CUDNN_NOT_SUPPORTED;
	return launch("sim_cudnn_bn_fw_inference", handle, &norm);
}

CUDNN_API(cudnnBatchNormalizationBackwardEx, struct cudnn *handle, int mode, int operation,
	const void *alpha_data, const void *beta_data, const void *alpha_parameters,
	const void *beta_parameters, const struct cudnn_tensor *x, const void *x_data,
	const void *y, const void *y_data, const struct cudnn_tensor *dy, const void *dy_data,
	const void *dz, void *dz_data, const struct cudnn_tensor *dx, void *dx_data,
	const struct cudnn_tensor *parameters, const void *scale, const void *bias,
	void *scale_slope, void *bias_slope, double epsilon, void *saved_mean, void *saved_rstd,
	void *activation, void *workspace, size_t workspace_size, void *reserve,
	size_t reserve_size)
{
	struct norm norm = {.x = *x,
		.y = *dy,
		.type = parameters->type,
		.x_data = x_data,
		.dy_data = dy_data,
		.y_data = dx_data,
		.scale = scale,
		.saved_mean = saved_mean,
		.saved_rstd = saved_rstd,
		.scale_slope = scale_slope,
		.bias_slope = bias_slope,
		.epsilon = epsilon};

	(void)alpha_data, (void)beta_data, (void)alpha_parameters, (void)beta_parameters, (void)y;
	(void)y_data, (void)dz, (void)dz_data, (void)dx, (void)bias, (void)activation;
	(void)workspace, (void)workspace_size, (void)reserve, (void)reserve_size;
	if (mode == PER_ACTIVATION || operation != PLAIN)
		return CUDNN_NOT_SUPPORTED;
	return launch("sim_cudnn_bn_bw", handle, &norm);
}
