/* SPDX-License-Identifier: MIT */
/* Pooling of images whose channels come before rows and columns. */
#include <math.h>

#include "kernel.h"
#include "name.h"

/* Window of one output pixel in one direction, cut to the image. */
struct span {
	int64_t begin, end, step;
};

static struct span span_of(
	int64_t at, int64_t stride, int64_t pad, int64_t kernel, int64_t dilation, int64_t size)
{
	struct span span = {at * stride - pad, 0, dilation};

	span.end = span.begin + (kernel - 1) * dilation + 1;
	if (span.end > size)
		span.end = size;
	while (span.begin < 0)
		span.begin += dilation;
	return span;
}

/* The ints of the kernel from argument first on. */
static void read_ints(const struct kernel *kernel, const struct compute_launch *launch, int first,
	int64_t *ret, int count)
{
	for (int i = 0; i < count; i++)
		ret[i] = kernel_int(kernel, launch, first + i);
}

/*
 * (outputs, in, channels, height, width, out height, out width, kernel h, w, stride h, w, pad h,
 * w, dilation h, w, out, places)
 */
void pool_run_max(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0];
	int64_t a[13];

	read_ints(kernel, launch, 2, a, 13);
	for (int64_t n = 0; n < kernel_int(kernel, launch, 0); n++) {
		int64_t plane = n / (a[3] * a[4]) * a[1] * a[2], best = -1;
		struct span y = span_of(n / a[4] % a[3], a[7], a[9], a[5], a[11], a[1]);
		struct span x = span_of(n % a[4], a[8], a[10], a[6], a[12], a[2]);
		double value = -INFINITY;

		for (int64_t i = y.begin; i < y.end; i += y.step)
			for (int64_t j = x.begin; j < x.end; j += x.step) {
				double here =
					type_get(type, POINTER(launch, 1), plane + i * a[2] + j);

				if (best < 0 || here > value || isnan(here)) {
					value = here;
					best = i * a[2] + j;
				}
			}
		type_put(type, POINTER(launch, 15), n, value);
		((int64_t *)POINTER(launch, 16))[n] = best;
	}
}

/* (dy, places, samples, channels, height, width, out height, out width, 8 numbers, dx) */
void pool_run_max_backward(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0];
	const int64_t *places = POINTER(launch, 1);
	int64_t a[6], planes;

	read_ints(kernel, launch, 2, a, 6);
	planes = a[0] * a[1];
	for (int64_t n = 0; n < planes * a[2] * a[3]; n++)
		type_put(type, POINTER(launch, 16), n, 0);
	for (int64_t n = 0; n < planes * a[4] * a[5]; n++) {
		int64_t to = n / (a[4] * a[5]) * a[2] * a[3] + places[n];

		type_put(type, POINTER(launch, 16), to,
			type_get(type, POINTER(launch, 16), to) +
				type_get(type, POINTER(launch, 0), n));
	}
}

/*
 * (outputs, in, channels, height, width, out height, out width, kernel h, w, stride h, w, pad h,
 * w, out, divisor, bool padding counts, bool divisor holds)
 */
void pool_run_average(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0];
	int64_t a[11];

	read_ints(kernel, launch, 2, a, 11);
	for (int64_t n = 0; n < kernel_int(kernel, launch, 0); n++) {
		int64_t plane = n / (a[3] * a[4]) * a[1] * a[2], top, left, size;
		struct span y = span_of(n / a[4] % a[3], a[7], a[9], a[5], 1, a[1]);
		struct span x = span_of(n % a[4], a[8], a[10], a[6], 1, a[2]);
		double sum = 0;

		for (int64_t i = y.begin; i < y.end; i++)
			for (int64_t j = x.begin; j < x.end; j++)
				sum += type_get(type, POINTER(launch, 1), plane + i * a[2] + j);
		top = n / a[4] % a[3] * a[7] - a[9];
		left = n % a[4] * a[8] - a[10];
		size = (top + a[5] < a[1] + a[9] ? a[5] : a[1] + a[9] - top) *
		       (left + a[6] < a[2] + a[10] ? a[6] : a[2] + a[10] - left);
		if (!kernel_int(kernel, launch, 15))
			size = (y.end - y.begin) * (x.end - x.begin);
		if (kernel_int(kernel, launch, 16))
			size = kernel_int(kernel, launch, 14);
		type_put(type, POINTER(launch, 13), n, sum / (double)size);
	}
}

/* Pixels [begin, end) that output pixel at of out covers in a direction of size in. */
static struct span share_of(int64_t at, int64_t in, int64_t out)
{
	return (struct span){at * in / out, ((at + 1) * in + out - 1) / out, 1};
}

/* (in, out, in h, in w, out h, out w, plane stride, row stride, column stride): planes in grid x */
void pool_run_adaptive(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0];
	int64_t a[7];

	read_ints(kernel, launch, 2, a, 7);
	for (int64_t n = 0; n < launch->grid[0] * a[2] * a[3]; n++) {
		struct span y = share_of(n / a[3] % a[2], a[0], a[2]);
		struct span x = share_of(n % a[3], a[1], a[3]);
		int64_t plane = n / (a[2] * a[3]) * a[4];
		double sum = 0;

		for (int64_t i = y.begin; i < y.end; i++)
			for (int64_t j = x.begin; j < x.end; j++)
				sum += type_get(
					type, POINTER(launch, 0), plane + i * a[5] + j * a[6]);
		type_put(type, POINTER(launch, 1), n,
			sum / (double)((y.end - y.begin) * (x.end - x.begin)));
	}
}

/* (dx, dy, in h, in w, out h, out w): planes in grid x; dx holds zeroes if it is added to */
void pool_run_adaptive_backward(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0];
	void *dx = POINTER(launch, 0);
	int64_t a[4];

	read_ints(kernel, launch, 2, a, 4);
	for (int64_t n = 0; n < launch->grid[0] * a[0] * a[1]; n++)
		type_put(type, dx, n, 0);
	for (int64_t n = 0; n < launch->grid[0] * a[2] * a[3]; n++) {
		struct span y = share_of(n / a[3] % a[2], a[0], a[2]);
		struct span x = share_of(n % a[3], a[1], a[3]);
		int64_t plane = n / (a[2] * a[3]) * a[0] * a[1];
		double part = type_get(type, POINTER(launch, 1), n) /
			      (double)((y.end - y.begin) * (x.end - x.begin));

		for (int64_t i = y.begin; i < y.end; i++)
			for (int64_t j = x.begin; j < x.end; j++) {
				int64_t at = plane + i * a[1] + j;

				type_put(type, dx, at, type_get(type, dx, at) + part);
			}
	}
}

/* The numbers of im2col and col2im: image, kernel, pad, stride, dilation, columns; h then w. */
static int64_t column_source(const int64_t *a, int64_t n, int64_t *ret_channel)
{
	int64_t x = n % a[11], y = n / a[11] % a[10], tap = n / (a[11] * a[10]);
	int64_t h = y * a[6] - a[4] + tap / a[3] % a[2] * a[8];
	int64_t w = x * a[7] - a[5] + tap % a[3] * a[9];

	*ret_channel = tap / (a[2] * a[3]);
	return h >= 0 && h < a[0] && w >= 0 && w < a[1] ? h * a[1] + w : -1;
}

/* (elements, image, 12 numbers, columns); elements: channels times pixels of the columns */
void columns_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0];
	int64_t a[12], count;

	read_ints(kernel, launch, 2, a, 12);
	count = kernel_int(kernel, launch, 0) * a[2] * a[3];
	for (int64_t n = 0; n < count; n++) {
		int64_t channel, at = column_source(a, n, &channel);

		type_put(type, POINTER(launch, 14), n,
			at < 0 ? 0
			       : type_get(type, POINTER(launch, 1), channel * a[0] * a[1] + at));
	}
}

/* (elements, columns, 12 numbers, image); elements: those of the image */
void columns_run_back(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0];
	int64_t a[12], count = kernel_int(kernel, launch, 0);

	read_ints(kernel, launch, 2, a, 12);
	for (int64_t n = 0; n < count; n++)
		type_put(type, POINTER(launch, 14), n, 0);
	count = count / (a[0] * a[1]) * a[2] * a[3] * a[10] * a[11];
	for (int64_t n = 0; n < count; n++) {
		int64_t channel, at = column_source(a, n, &channel);

		if (at < 0)
			continue;
		at += channel * a[0] * a[1];
		type_put(type, POINTER(launch, 14), at,
			type_get(type, POINTER(launch, 14), at) +
				type_get(type, POINTER(launch, 1), n));
	}
}
