/* SPDX-License-Identifier: MIT */
/* Softmax and its logarithm, forward and backward, in PyTorch's three ways of dividing work. */
#include <math.h>

#include "kernel.h"
#include "name.h"

/* One row: count elements, each step apart. */
struct row {
	int64_t begin;
	int64_t count;
	int64_t step;
};

/* flags: the logarithm is wanted; count: template argument with the output's type. */
int softmax_bind(struct kernel *kernel)
{
	char log[16];

	if (!kernel_bind_simple(kernel))
		return 0;
	kernel->count = kernel->types[0] == TYPE_NONE ? 1 : 0; /* <width, type, ...> */
	kernel->flags = strstr(kernel->name, "LogSoftMax") != NULL;
	if (strstr(kernel->name, "softmax_warp_"))
		kernel->flags =
			name_argument(kernel->name, 4, log, sizeof(log)) && !strcmp(log, "true");
	return kernel->types[kernel->count] != TYPE_NONE;
}

static void forward(int log_wanted, enum type in, enum type out, const void *from, void *to,
	const uint8_t *mask, struct row row)
{
	double largest = -INFINITY, sum = 0;

	for (int64_t i = 0, at = row.begin; i < row.count; i++, at += row.step)
		if (!mask || !mask[at])
			largest = fmax(largest, type_get(in, from, at));
	for (int64_t i = 0, at = row.begin; i < row.count; i++, at += row.step)
		if (!mask || !mask[at])
			sum += exp(type_get(in, from, at) - largest);
	for (int64_t i = 0, at = row.begin; i < row.count; i++, at += row.step) {
		double value = type_get(in, from, at) - largest;

		if (mask && mask[at])
			value = 0;
		else
			value = log_wanted ? value - log(sum) : exp(value) / sum;
		type_put(out, to, at, value);
	}
}

/* grad is, unless of a logarithm, already multiplied by the result. */
static void backward(int log_wanted, enum type in, enum type out, const void *grad,
	const void *result, void *to, struct row row)
{
	double sum = 0;

	for (int64_t i = 0, at = row.begin; i < row.count; i++, at += row.step)
		sum += type_get(out, grad, at);
	for (int64_t i = 0, at = row.begin; i < row.count; i++, at += row.step) {
		double value = type_get(out, result, at);

		if (log_wanted)
			value = exp(value);
		type_put(in, to, at, type_get(out, grad, at) - value * sum);
	}
}

/* <in, out, ...>(to, from, rows, stride, count, mask, ...) */
void softmax_warp_forward_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t stride = kernel_int(kernel, launch, 3);

	for (int64_t i = 0; i < kernel_int(kernel, launch, 2); i++) {
		struct row row = {i * stride, kernel_int(kernel, launch, 4), 1};

		forward(kernel->flags, kernel->types[0], kernel->types[1], POINTER(launch, 1),
			POINTER(launch, 0), POINTER(launch, 5), row);
	}
}

/* <in, out, ...>(to, gradient, result, rows, stride, count, mask) */
void softmax_warp_backward_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t stride = kernel_int(kernel, launch, 4);

	for (int64_t i = 0; i < kernel_int(kernel, launch, 3); i++) {
		struct row row = {i * stride, kernel_int(kernel, launch, 5), 1};

		backward(kernel->flags, kernel->types[1], kernel->types[0], POINTER(launch, 1),
			POINTER(launch, 2), POINTER(launch, 0), row);
	}
}

/* <[width,] in, calculating, out, ...>(to, from, count): one block for each row */
void softmax_block_forward_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t count = kernel_int(kernel, launch, 2);
	const enum type *types = kernel->types + kernel->count;

	for (uint32_t i = 0; i < launch->grid[0]; i++) {
		struct row row = {i * count, count, 1};

		forward(kernel->flags, types[0], types[2], POINTER(launch, 1), POINTER(launch, 0),
			NULL, row);
	}
}

/* <[width,] in, calculating, out, ...>(to, result, gradient, count) */
void softmax_block_backward_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t count = kernel_int(kernel, launch, 3);
	const enum type *types = kernel->types + kernel->count;

	for (uint32_t i = 0; i < launch->grid[0]; i++) {
		struct row row = {i * count, count, 1};

		backward(kernel->flags, types[0], types[2], POINTER(launch, 2), POINTER(launch, 1),
			POINTER(launch, 0), row);
	}
}

/* <in, calculating, out, ...>(to, from, outer, count, inner) */
void softmax_spatial_forward_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t outer = kernel_int(kernel, launch, 2), count = kernel_int(kernel, launch, 3);
	int64_t inner = kernel_int(kernel, launch, 4);

	for (int64_t i = 0; i < outer * inner; i++) {
		struct row row = {i / inner * count * inner + i % inner, count, inner};

		forward(kernel->flags, kernel->types[0], kernel->types[2], POINTER(launch, 1),
			POINTER(launch, 0), NULL, row);
	}
}

/* <in, calculating, out, ...>(to, result, gradient, outer, count, inner) */
void softmax_spatial_backward_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t outer = kernel_int(kernel, launch, 3), count = kernel_int(kernel, launch, 4);
	int64_t inner = kernel_int(kernel, launch, 5);

	for (int64_t i = 0; i < outer * inner; i++) {
		struct row row = {i / inner * count * inner + i % inner, count, inner};

		backward(kernel->flags, kernel->types[0], kernel->types[2], POINTER(launch, 2),
			POINTER(launch, 1), POINTER(launch, 0), row);
	}
}
