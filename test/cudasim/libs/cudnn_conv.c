/* SPDX-License-Identifier: MIT */
/* Convolutions of up to three spatial dimensions, forward and both gradients. */
#include <stdlib.h>
#include <string.h>

#include "cudnn.h"
#include "product.h"

const size_t conv_sizes[1] = {sizeof(struct conv)};

/*
 * A tensor as a dense array of float: [n or k][channels][depth][height][width]. It is the tensor's
 * own memory where that is such an array, else a copy that has to be freed, and stored if it is
 * the result.
 */
struct dense {
	int64_t sizes[5];
	float *data; /* NULL: no memory */
	float *copy; /* NULL: data is the tensor's */
};

static int64_t count_of(const struct cudnn_tensor *tensor)
{
	int64_t count = 1;

	for (int i = 0; i < tensor->dims; i++)
		count *= tensor->sizes[i];
	return count;
}

static int64_t offset_of(const struct cudnn_tensor *tensor, int64_t index)
{
	int64_t offset = 0;

	for (int i = tensor->dims - 1; i >= 0; i--) {
		offset += index % tensor->sizes[i] * tensor->strides[i];
		index /= tensor->sizes[i];
	}
	return offset;
}

static int is_dense(const struct cudnn_tensor *tensor)
{
	int64_t step = 1;

	for (int i = tensor->dims - 1; i >= 0; step *= tensor->sizes[i--])
		if (tensor->sizes[i] != 1 && tensor->strides[i] != step)
			return 0;
	return tensor->type == TYPE_FLOAT;
}

/* For a result all zeroes; it replaces what is there if replaced is set. */
static struct dense dense_of(
	const struct cudnn_tensor *tensor, void *data, int is_result, int replaced)
{
	int64_t count = count_of(tensor);
	struct dense dense = {.sizes = {1, 1, 1, 1, 1}};
	int missing = 5 - tensor->dims;

	dense.sizes[0] = tensor->sizes[0];
	dense.sizes[1] = tensor->sizes[1];
	for (int i = 2; i < tensor->dims; i++)
		dense.sizes[i + missing] = tensor->sizes[i];
	if (is_dense(tensor) && (!is_result || replaced)) {
		dense.data = data;
		if (is_result)
			memset(data, 0, (size_t)count * sizeof(float));
		return dense;
	}
	dense.copy = dense.data = calloc((size_t)count + 1, sizeof(float));
	for (int64_t i = 0; dense.data && !is_result && i < count; i++)
		dense.data[i] = (float)type_get(tensor->type, data, offset_of(tensor, i));
	return dense;
}

static void store(
	const struct conv *conv, const struct cudnn_tensor *tensor, void *data, struct dense dense)
{
	int64_t count = dense.copy ? count_of(tensor) : 0;

	for (int64_t i = 0; i < count; i++) {
		int64_t at = offset_of(tensor, i);
		double value = conv->alpha * dense.data[i];

		if (conv->beta != 0)
			value += conv->beta * type_get(tensor->type, data, at);
		type_put(tensor->type, data, at, value);
	}
}

/* Geometry of the spatial dimensions, missing ones in front. */
struct geometry {
	int64_t pad[3], stride[3], dilation[3];
};

static struct geometry geometry_of(const struct conv *conv)
{
	struct geometry g = {{0, 0, 0}, {1, 1, 1}, {1, 1, 1}};

	for (int i = 0; i < conv->space; i++) {
		int to = i + 3 - conv->space;

		g.pad[to] = conv->pad[i];
		g.stride[to] = conv->stride[i];
		g.dilation[to] = conv->dilation[i];
	}
	return g;
}

/*
 * The pixels of x that an element of the filter meets, for some lines of output pixels: one row of
 * columns for each element and input channel. A convolution is then a product of matrices.
 */
struct columns {
	const struct dense *x, *w, *y;
	struct geometry g;
	int64_t channels, outputs; /* of a group */
	int64_t line, lines;       /* of the output, those that are done at once */
	float *data;
};

/* One row of output pixels; those beyond an edge of x are 0, or nothing is added for them. */
static void row(float *restrict to, float *restrict x, int back, int64_t width, int64_t out_width,
	int64_t stride, int64_t shift)
{
	int64_t begin = shift < 0 ? (-shift + stride - 1) / stride : 0;
	int64_t end = width - shift > 0 ? (width - shift + stride - 1) / stride : 0;

	begin = begin < out_width ? begin : out_width;
	end = end < begin ? begin : end < out_width ? end : out_width;
	x += shift;
	if (back) {
		for (int64_t i = begin; i < end; i++)
			x[i * stride] += to[i];
		return;
	}
	memset(to, 0, (size_t)begin * sizeof(*to));
	memset(to + end, 0, (size_t)(out_width - end) * sizeof(*to));
	if (stride == 1)
		memcpy(to + begin, x + begin, (size_t)(end - begin) * sizeof(*to));
	else
		for (int64_t i = begin; i < end; i++)
			to[i] = x[i * stride];
}

/* One element of the filter and one channel of x: fills a row of columns, or adds it to x. */
static void fill(const struct columns *c, int64_t tap, float *x, float *to, int back)
{
	const int64_t *w = c->w->sizes, *in = c->x->sizes, *out = c->y->sizes;
	const struct geometry *g = &c->g;
	int64_t kd = tap / (w[3] * w[4]) * g->dilation[0] - g->pad[0];
	int64_t kh = tap / w[4] % w[3] * g->dilation[1] - g->pad[1];
	int64_t kw = tap % w[4] * g->dilation[2] - g->pad[2];

	for (int64_t i = 0; i < c->lines; i++, to += out[4]) {
		int64_t d = (c->line + i) / out[3] * g->stride[0] + kd;
		int64_t h = (c->line + i) % out[3] * g->stride[1] + kh;

		if (d >= 0 && d < in[2] && h >= 0 && h < in[3])
			row(to, x + (d * in[3] + h) * in[4], back, in[4], out[4], g->stride[2], kw);
		else if (!back)
			memset(to, 0, (size_t)out[4] * sizeof(*to));
	}
}

static void fill_all(const struct columns *c, float *x, int back)
{
	int64_t taps = c->w->sizes[2] * c->w->sizes[3] * c->w->sizes[4];
	int64_t plane = c->x->sizes[2] * c->x->sizes[3] * c->x->sizes[4];
	int64_t width = c->lines * c->y->sizes[4];

	for (int64_t i = 0; i < c->channels * taps; i++)
		fill(c, i % taps, x + i / taps * plane, c->data + i * width, back);
}

/* One group of one sample. Returns 0, or -1 without memory. */
static int multiply(
	enum conv_direction direction, const struct columns *c, float *x, float *w, float *y)
{
	int64_t taps = c->w->sizes[2] * c->w->sizes[3] * c->w->sizes[4];
	int64_t depth = c->channels * taps, width = c->lines * c->y->sizes[4];
	int64_t plane = c->y->sizes[2] * c->y->sizes[3] * c->y->sizes[4];
	struct product_matrix filter = {w, depth, 1}, columns = {c->data, width, 1};

	y += c->line * c->y->sizes[4];
	if (direction == CONV_BACK_DATA) {
		memset(c->data, 0, (size_t)(depth * width) * sizeof(float));
		filter = (struct product_matrix){w, 1, depth};
		if (product_add(depth, width, c->outputs, filter,
			    (struct product_matrix){y, plane, 1}, c->data, width))
			return -1;
		fill_all(c, x, 1);
		return 0;
	}
	fill_all(c, x, 0);
	if (direction == CONV_FORWARD)
		return product_add(c->outputs, width, depth, filter, columns, y, plane);
	columns = (struct product_matrix){c->data, 1, width};
	return product_add(
		c->outputs, depth, width, (struct product_matrix){y, plane, 1}, columns, w, depth);
}

static void convolve(const struct conv *conv, const struct dense *x, const struct dense *y,
	const struct dense *w)
{
	enum {
		AT_ONCE = 1 << 18
	}; /* elements of columns, about what a cache holds */
	struct columns c = {.x = x, .w = w, .y = y, .g = geometry_of(conv)};
	int64_t x_plane = x->sizes[2] * x->sizes[3] * x->sizes[4];
	int64_t y_plane = y->sizes[2] * y->sizes[3] * y->sizes[4];
	int64_t depth = w->sizes[1] * w->sizes[2] * w->sizes[3] * w->sizes[4];
	int64_t lines = y->sizes[2] * y->sizes[3], step = AT_ONCE / (depth * y->sizes[4]) + 1;
	int64_t groups = x->sizes[1] / w->sizes[1];

	c.channels = w->sizes[1];
	c.outputs = w->sizes[0] / groups;
	step = step < lines ? step : lines;
	c.data = malloc((size_t)(depth * step * y->sizes[4]) * sizeof(float));
	for (int64_t i = 0; c.data && i < x->sizes[0] * groups; i++)
		for (c.line = 0; c.line < lines; c.line += step) {
			c.lines = lines - c.line < step ? lines - c.line : step;
			if (multiply(conv->direction, &c, x->data + i * c.channels * x_plane,
				    w->data + i % groups * c.outputs * depth,
				    y->data + i * c.outputs * y_plane))
				break;
		}
	free(c.data);
}

static double operations_of(const struct conv *conv)
{
	return 2.0 * (double)count_of(&conv->w) / (double)conv->w.sizes[0] *
	       (double)count_of(&conv->y);
}

void conv_effect(const struct compute_launch *launch)
{
	const struct conv *conv = launch->args[0];
	enum conv_direction to = conv->direction;
	int replaced = conv->alpha == 1 && conv->beta == 0;
	struct dense x = dense_of(&conv->x, conv->x_data, to == CONV_BACK_DATA, replaced);
	struct dense w = dense_of(&conv->w, conv->w_data, to == CONV_BACK_FILTER, replaced);
	struct dense y = dense_of(&conv->y, conv->y_data, to == CONV_FORWARD, replaced);

	if (x.data && w.data && y.data) {
		if (launcher_affords(
			    "a convolution", operations_of(conv), "its sums are taken to be 0"))
			convolve(conv, &x, &y, &w);
		if (to == CONV_FORWARD)
			store(conv, &conv->y, conv->y_data, y);
		else if (to == CONV_BACK_DATA)
			store(conv, &conv->x, conv->x_data, x);
		else
			store(conv, &conv->w, conv->w_data, w);
	}
	free(x.copy);
	free(w.copy);
	free(y.copy);
}

/* 10 TFLOP/s for float, 100 for the 16-bit types, and 5 us to begin with. */
uint64_t conv_duration(const struct compute_launch *launch)
{
	const struct conv *conv = launch->args[0];

	return 5000 + (uint64_t)(operations_of(conv) / (conv->x.type == TYPE_FLOAT ? 10e3 : 100e3));
}

int conv_launch(const struct conv *conv, launch_stream stream)
{
	static const char *const names[] = {"sim_cudnn_fprop_implicit_gemm",
		"sim_cudnn_dgrad_implicit_gemm", "sim_cudnn_wgrad_implicit_gemm"};
	int64_t pixels = count_of(&conv->y) / conv->y.sizes[1];
	struct launch_shape shape = {
		.grid = {(uint32_t)((pixels + 127) / 128), (uint32_t)((conv->y.sizes[1] + 63) / 64),
			1},
		.block = {256, 1, 1},
		.shared_bytes = 32768,
	};
	struct conv parameters = *conv;

	if (!pixels)
		return CUDNN_BAD_PARAM;
	return launcher_launch(names[conv->direction], shape, stream, &parameters)
		       ? CUDNN_EXECUTION_FAILED
		       : CUDNN_SUCCESS;
}
