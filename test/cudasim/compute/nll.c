/* SPDX-License-Identifier: MIT */
/* Negative log likelihood, forward and backward: one row, rows, or rows of pixels. */
#include <math.h>

#include "kernel.h"
#include "name.h"

/* Samples of `classes` values, `step` apart; sample i begins at first(i). */
struct nll {
	enum type type;
	const void *weights; /* NULL: all one */
	const int64_t *labels;
	int64_t ignored;
};

static double weight_of(const struct nll *nll, int64_t label)
{
	return nll->weights ? type_get(nll->type, nll->weights, label) : 1;
}

/* (loss, total weight, values, labels, weights, average, rows, columns, classes, ignored) */
static void forward(const struct kernel *kernel, const struct compute_launch *launch, int64_t rows,
	int64_t columns, int ignored)
{
	struct nll nll = {kernel->types[0], POINTER(launch, 4), POINTER(launch, 3),
		kernel_int(kernel, launch, ignored)};
	double loss = 0, total = 0;

	for (int64_t i = 0; i < rows; i++) {
		int64_t label = nll.labels[i];

		if (label == nll.ignored)
			continue;
		loss -= type_get(nll.type, POINTER(launch, 2), i * columns + label) *
			weight_of(&nll, label);
		total += weight_of(&nll, label);
	}
	type_put(nll.type, POINTER(launch, 1), 0, total);
	if (kernel_int(kernel, launch, 5))
		loss /= total;
	type_put(nll.type, POINTER(launch, 0), 0, loss);
}

void nll_forward_1d_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	forward(kernel, launch, 1, 0, 7);
}

void nll_forward_2d_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	forward(kernel, launch, kernel_int(kernel, launch, 6), kernel_int(kernel, launch, 7), 9);
}

/* Gradient of each sample's loss. */
static double slope_of(
	const struct kernel *kernel, const struct compute_launch *launch, int total, int average)
{
	double slope = type_get(kernel->types[0], POINTER(launch, 1), 0);

	if (kernel_int(kernel, launch, average))
		slope /= type_get(kernel->types[0], POINTER(launch, total), 0);
	return slope;
}

/* (to, gradient, weights, labels, total, average, classes, ignored) */
void nll_backward_1d_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct nll nll = {kernel->types[0], POINTER(launch, 2), POINTER(launch, 3),
		kernel_int(kernel, launch, 7)};
	int64_t label = nll.labels[0];

	if (label != nll.ignored)
		type_put(nll.type, POINTER(launch, 0), label,
			-weight_of(&nll, label) * slope_of(kernel, launch, 4, 5));
}

/* (to, gradient, labels, weights, total, average, rows, columns, classes, ignored) */
void nll_backward_2d_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct nll nll = {kernel->types[0], POINTER(launch, 3), POINTER(launch, 2),
		kernel_int(kernel, launch, 9)};
	double slope = slope_of(kernel, launch, 4, 5);

	for (int64_t i = 0; i < kernel_int(kernel, launch, 6); i++) {
		int64_t label = nll.labels[i];

		if (label != nll.ignored)
			type_put(nll.type, POINTER(launch, 0),
				i * kernel_int(kernel, launch, 7) + label,
				-weight_of(&nll, label) * slope);
	}
}

/* Accessors are structs {data, sizes[dimensions], strides[dimensions]}. */
static void *accessor_data(const void *accessor)
{
	return FIELD_AT(accessor, 0, void *);
}

static int64_t accessor_stride(const void *accessor, int dimensions, int dimension)
{
	return FIELD_AT(accessor, 8 + 8 * (size_t)(dimensions + dimension), int64_t);
}

int nll_bind_rows(struct kernel *kernel)
{
	int backward = strstr(kernel->name, "_backward_") != NULL;

	kernel->types[0] = name_type(kernel->name, 0);
	kernel->params = backward ? "ip##ppp" : "p#ppppp";
	kernel->sizes[0] = backward ? 24 : 40;
	kernel->sizes[1] = 40;
	return kernel->types[0] != TYPE_NONE && name_type(kernel->name, 1) == TYPE_INT64;
}

/* (rows, values[rows][classes], labels, to, weights, classes, ignored) */
void nll_forward_rows_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	const void *values = launch->args[1];
	struct nll nll = {kernel->types[0], POINTER(launch, 4), POINTER(launch, 2),
		kernel_int(kernel, launch, 6)};

	for (int64_t i = 0; i < kernel_int(kernel, launch, 0); i++) {
		int64_t label = nll.labels[i], at;
		double loss = 0;

		if (label != nll.ignored) {
			at = i * accessor_stride(values, 2, 0) +
			     label * accessor_stride(values, 2, 1);
			loss = -weight_of(&nll, label) *
			       type_get(nll.type, accessor_data(values), at);
		}
		type_put(nll.type, POINTER(launch, 3), i, loss);
	}
}

/* (rows, labels, gradient[rows], to[rows][classes], weights, classes, ignored) */
void nll_backward_rows_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	const void *gradient = launch->args[2], *to = launch->args[3];
	struct nll nll = {kernel->types[0], POINTER(launch, 4), POINTER(launch, 1),
		kernel_int(kernel, launch, 6)};

	for (int64_t i = 0; i < kernel_int(kernel, launch, 0); i++) {
		int64_t label = nll.labels[i];
		double slope;

		if (label == nll.ignored)
			continue;
		slope = type_get(
			nll.type, accessor_data(gradient), i * accessor_stride(gradient, 1, 0));
		type_put(nll.type, accessor_data(to),
			i * accessor_stride(to, 2, 0) + label * accessor_stride(to, 2, 1),
			-weight_of(&nll, label) * slope);
	}
}

/* Samples of an image batch: pixels of one sample are divided among blocks. */
static int64_t samples_of(const struct kernel *kernel, const struct compute_launch *launch, int i)
{
	return launch->grid[0] / kernel_int(kernel, launch, i);
}

/* (loss, total, values, labels, weights, classes, pixels, blocks per sample, ignored) */
void nll_forward_map_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct nll nll = {kernel->types[0], POINTER(launch, 4), POINTER(launch, 3),
		kernel_int(kernel, launch, 8)};
	int64_t classes = kernel_int(kernel, launch, 5), pixels = kernel_int(kernel, launch, 6);
	double loss = 0, total = 0;

	for (int64_t i = 0; i < samples_of(kernel, launch, 7) * pixels; i++) {
		int64_t label = nll.labels[i];
		int64_t at = (i / pixels * classes + label) * pixels + i % pixels;

		if (label == nll.ignored)
			continue;
		loss -= weight_of(&nll, label) * type_get(nll.type, POINTER(launch, 2), at);
		total += weight_of(&nll, label);
	}
	type_put(nll.type, POINTER(launch, 0), 0, type_get(nll.type, POINTER(launch, 0), 0) + loss);
	type_put(
		nll.type, POINTER(launch, 1), 0, type_get(nll.type, POINTER(launch, 1), 0) + total);
}

/* (loss, total) */
void nll_average_map_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0];

	type_put(type, POINTER(launch, 0), 0,
		type_get(type, POINTER(launch, 0), 0) / type_get(type, POINTER(launch, 1), 0));
}

/* (to, gradient, labels, weights, total, average, classes, pixels, blocks, ignored) */
void nll_backward_map_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct nll nll = {kernel->types[0], POINTER(launch, 3), POINTER(launch, 2),
		kernel_int(kernel, launch, 9)};
	int64_t classes = kernel_int(kernel, launch, 6), pixels = kernel_int(kernel, launch, 7);
	double slope = slope_of(kernel, launch, 4, 5);

	for (int64_t i = 0; i < samples_of(kernel, launch, 8) * pixels; i++) {
		int64_t label = nll.labels[i];
		int64_t at = (i / pixels * classes + label) * pixels + i % pixels;

		if (label != nll.ignored)
			type_put(nll.type, POINTER(launch, 0), at, -weight_of(&nll, label) * slope);
	}
}
