/* SPDX-License-Identifier: MIT */
/* Batch normalisation of rows of channels (two dimensions, or channels last). */
#include <math.h>

#include "kernel.h"
#include "name.h"

/* <transform, type, calculating, ...>; flags: the transform is 1 / sqrt(variance + epsilon) */
int batchnorm_bind_statistics(struct kernel *kernel)
{
	char transform[32];

	kernel->flags = name_argument(kernel->name, 0, transform, sizeof(transform)) &&
			!strcmp(transform, "InvStd");
	return kernel_bind_simple(kernel) && kernel->types[1] != TYPE_NONE &&
	       kernel->types[2] != TYPE_NONE;
}

/* (x, mean, transformed variance, staging, semaphores, rows, channels, epsilon) */
void batchnorm_run_statistics(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[1], acc = kernel->types[2];
	int64_t rows = kernel_int(kernel, launch, 5), channels = kernel_int(kernel, launch, 6);

	for (int64_t c = 0; c < channels; c++) {
		double mean = 0, variance = 0;

		for (int64_t row = 0; row < rows; row++)
			mean += type_get(type, POINTER(launch, 0), row * channels + c) /
				(double)rows;
		for (int64_t row = 0; row < rows; row++) {
			double distance =
				type_get(type, POINTER(launch, 0), row * channels + c) - mean;

			variance += distance * distance / (double)rows;
		}
		if (kernel->flags)
			variance = 1 / sqrt(variance + type_get(acc, launch->args[7], 0));
		type_put(acc, POINTER(launch, 1), c, mean);
		type_put(acc, POINTER(launch, 2), c, variance);
	}
}

/* unrolled_elementwise_kernel_for_multi_outputs<3, batch_norm_update_stats_and_invert ...> */
int batchnorm_bind_update(struct kernel *kernel)
{
	enum type types[4];

	if (!strstr(kernel->name, "batch_norm_update_stats_and_invert(") ||
		name_lambda_types(kernel->name, types, 4) != 4)
		return 0;
	kernel->types[0] = types[0]; /* of statistics */
	kernel->types[1] = types[2]; /* of running values */
	kernel->params = "i##bb";
	kernel->sizes[0] = 3 * type_size(types[0]);
	kernel->sizes[1] = 7 * 8;
	return 1;
}

/*
 * {correction, momentum, epsilon}; data: new running mean, new running variance, inverse
 * deviation, then mean, variance, running mean, running variance
 */
void batchnorm_run_update(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type acc = kernel->types[0], type = kernel->types[1];
	double momentum = type_get(acc, launch->args[1], 1);
	char *const *data = launch->args[2];

	for (int32_t i = 0; i < ARG(launch, 0, int32_t); i++) {
		double mean = type_get(acc, data[3], i), variance = type_get(acc, data[4], i);
		double corrected = variance * type_get(acc, launch->args[1], 0);

		type_put(type, data[0], i,
			mean * momentum + (1 - momentum) * type_get(type, data[5], i));
		type_put(type, data[1], i,
			corrected * momentum + (1 - momentum) * type_get(type, data[6], i));
		type_put(acc, data[2], i, 1 / sqrt(variance + type_get(acc, launch->args[1], 2)));
	}
}

/*
 * <type, calculating, parameter type, ...>(x, z, mean, rstd, weight, shift, y, rows, channels,
 * relu)
 */
void batchnorm_run_forward(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0], acc = kernel->types[1], layer = kernel->types[2];
	int64_t channels = kernel_int(kernel, launch, 8);
	const void *z = POINTER(launch, 1), *weight = POINTER(launch, 4);
	const void *shift = POINTER(launch, 5);

	for (int64_t n = 0; n < kernel_int(kernel, launch, 7) * channels; n++) {
		int64_t c = n % channels;
		double value = (type_get(type, POINTER(launch, 0), n) -
				       type_get(acc, POINTER(launch, 2), c)) *
			       type_get(acc, POINTER(launch, 3), c);

		if (weight)
			value *= type_get(layer, weight, c);
		if (shift)
			value += type_get(layer, shift, c);
		if (z)
			value += type_get(type, z, n);
		if (kernel_int(kernel, launch, 9) && value < 0)
			value = 0;
		type_put(type, POINTER(launch, 6), n, value);
	}
}

/*
 * <width, type, calculating, parameter type>(x, dy, mean, rstd, sum of dy, sum of dy (x - mean),
 * dweight, dbias, staging, semaphores, rows, channels)
 */
void batchnorm_run_sums(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[1], acc = kernel->types[2], layer = kernel->types[3];
	int64_t rows = kernel_int(kernel, launch, 10), channels = kernel_int(kernel, launch, 11);

	for (int64_t c = 0; c < channels; c++) {
		double mean = type_get(acc, POINTER(launch, 2), c), sum = 0, product = 0;

		for (int64_t row = 0; row < rows; row++) {
			double dy = type_get(type, POINTER(launch, 1), row * channels + c);

			sum += dy;
			product += dy *
				   (type_get(type, POINTER(launch, 0), row * channels + c) - mean);
		}
		type_put(acc, POINTER(launch, 4), c, sum);
		type_put(acc, POINTER(launch, 5), c, product);
		if (POINTER(launch, 6))
			type_put(layer, POINTER(launch, 6), c,
				product * type_get(acc, POINTER(launch, 3), c));
		if (POINTER(launch, 7))
			type_put(layer, POINTER(launch, 7), c, sum);
	}
}

/* The form for one process: eleven parameters. */
int batchnorm_bind_backward(struct kernel *kernel)
{
	return kernel_bind_simple(kernel) && strlen(kernel->params) == 11;
}

/*
 * <width, type, calculating, parameter type>(dy, x, mean, rstd, weight, sum of dy, sum of dy
 * (x - mean), dx, 1 / count, rows, channels)
 */
void batchnorm_run_backward(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[1], acc = kernel->types[2], layer = kernel->types[3];
	int64_t channels = kernel_int(kernel, launch, 10);
	double share = type_get(acc, launch->args[8], 0);

	for (int64_t n = 0; n < kernel_int(kernel, launch, 9) * channels; n++) {
		int64_t c = n % channels;
		double rstd = type_get(acc, POINTER(launch, 3), c);
		double distance = type_get(type, POINTER(launch, 1), n) -
				  type_get(acc, POINTER(launch, 2), c);
		double value =
			type_get(type, POINTER(launch, 0), n) -
			type_get(acc, POINTER(launch, 5), c) * share -
			distance * rstd * rstd * type_get(acc, POINTER(launch, 6), c) * share;

		if (POINTER(launch, 4))
			value *= type_get(layer, POINTER(launch, 4), c);
		type_put(type, POINTER(launch, 7), n, value * rstd);
	}
}
