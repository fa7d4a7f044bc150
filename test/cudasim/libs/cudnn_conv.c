/* SPDX-License-Identifier: MIT */
/* Convolutions of up to three spatial dimensions, forward and both gradients. */
#include <stdlib.h>

#include "cudnn.h"

const size_t conv_sizes[1] = {sizeof(struct conv)};

/* The three tensors as dense arrays of float: [n or k][channels][depth][height][width]. */
struct dense {
	int64_t sizes[5];
	float *data;
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

/* A dense copy; with data NULL all zeroes. data is NULL in the result without memory. */
static struct dense dense_of(const struct cudnn_tensor *tensor, const void *data)
{
	int64_t count = count_of(tensor);
	struct dense dense = {.sizes = {1, 1, 1, 1, 1}};
	int missing = 5 - tensor->dims;

	dense.sizes[0] = tensor->sizes[0];
	dense.sizes[1] = tensor->sizes[1];
	for (int i = 2; i < tensor->dims; i++)
		dense.sizes[i + missing] = tensor->sizes[i];
	dense.data = calloc((size_t)count + 1, sizeof(float));
	for (int64_t i = 0; dense.data && data && i < count; i++)
		dense.data[i] = (float)type_get(tensor->type, data, offset_of(tensor, i));
	return dense;
}

static void store(
	const struct conv *conv, const struct cudnn_tensor *tensor, void *data, struct dense dense)
{
	int64_t count = count_of(tensor);

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

/* One row of output pixels against one element of the filter. */
static void row(enum conv_direction direction, float *restrict x, float *restrict y,
	float *restrict w, int64_t width, int64_t out_width, int64_t stride, int64_t shift)
{
	int64_t begin = shift < 0 ? (-shift + stride - 1) / stride : 0;
	int64_t end = width - shift > 0 ? (width - shift + stride - 1) / stride : 0;
	double sum = 0;

	if (end > out_width)
		end = out_width;
	x += shift;
	if (stride == 1 && direction == CONV_FORWARD) { /* vectors */
		const float weight = *w;

		for (int64_t i = begin; i < end; i++)
			y[i] += weight * x[i];
	} else if (stride == 1 && direction == CONV_BACK_DATA) {
		const float weight = *w;

		for (int64_t i = begin; i < end; i++)
			x[i] += weight * y[i];
	} else if (direction == CONV_FORWARD) {
		for (int64_t i = begin; i < end; i++)
			y[i] += *w * x[i * stride];
	} else if (direction == CONV_BACK_DATA) {
		for (int64_t i = begin; i < end; i++)
			x[i * stride] += *w * y[i];
	} else {
		for (int64_t i = begin; i < end; i++)
			sum += (double)y[i] * x[i * stride];
		*w += (float)sum;
	}
}

/* One filter plane, of one output channel and one of its input channels, against one sample. */
static void plane(const struct conv *conv, const struct geometry *g, const struct dense *x,
	const struct dense *y, const struct dense *w, float *x_at, float *y_at, float *w_at)
{
	int64_t taps = w->sizes[2] * w->sizes[3] * w->sizes[4];

	for (int64_t tap = 0; tap < taps; tap++) {
		int64_t kd = tap / (w->sizes[3] * w->sizes[4]) * g->dilation[0] - g->pad[0];
		int64_t kh = tap / w->sizes[4] % w->sizes[3] * g->dilation[1] - g->pad[1];
		int64_t kw = tap % w->sizes[4] * g->dilation[2] - g->pad[2];

		for (int64_t line = 0; line < y->sizes[2] * y->sizes[3]; line++) {
			int64_t d = line / y->sizes[3] * g->stride[0] + kd;
			int64_t h = line % y->sizes[3] * g->stride[1] + kh;

			if (d < 0 || d >= x->sizes[2] || h < 0 || h >= x->sizes[3])
				continue;
			row(conv->direction, x_at + (d * x->sizes[3] + h) * x->sizes[4],
				y_at + line * y->sizes[4], w_at + tap, x->sizes[4], y->sizes[4],
				g->stride[2], kw);
		}
	}
}

static void convolve(const struct conv *conv, const struct dense *x, const struct dense *y,
	const struct dense *w)
{
	struct geometry g = geometry_of(conv);
	int64_t x_plane = x->sizes[2] * x->sizes[3] * x->sizes[4];
	int64_t y_plane = y->sizes[2] * y->sizes[3] * y->sizes[4];
	int64_t w_plane = w->sizes[2] * w->sizes[3] * w->sizes[4];
	int64_t channels = w->sizes[1], groups = x->sizes[1] / channels;
	int64_t outputs = w->sizes[0], outputs_of_group = outputs / groups;

	for (int64_t n = 0; n < x->sizes[0] * outputs * channels; n++) {
		int64_t sample = n / (outputs * channels), k = n / channels % outputs;
		int64_t c = n % channels, in = k / outputs_of_group * channels + c;

		plane(conv, &g, x, y, w, x->data + (sample * x->sizes[1] + in) * x_plane,
			y->data + (sample * outputs + k) * y_plane,
			w->data + (k * channels + c) * w_plane);
	}
}

void conv_effect(const struct compute_launch *launch)
{
	const struct conv *conv = launch->args[0];
	enum conv_direction to = conv->direction;
	struct dense x = dense_of(&conv->x, to == CONV_BACK_DATA ? NULL : conv->x_data);
	struct dense w = dense_of(&conv->w, to == CONV_BACK_FILTER ? NULL : conv->w_data);
	struct dense y = dense_of(&conv->y, to == CONV_FORWARD ? NULL : conv->y_data);

	if (x.data && w.data && y.data) {
		convolve(conv, &x, &y, &w);
		if (to == CONV_FORWARD)
			store(conv, &conv->y, conv->y_data, y);
		else if (to == CONV_BACK_DATA)
			store(conv, &conv->x, conv->x_data, x);
		else
			store(conv, &conv->w, conv->w_data, w);
	}
	free(x.data);
	free(w.data);
	free(y.data);
}

/* 10 TFLOP/s for float, 100 for the 16-bit types, and 5 us to begin with. */
uint64_t conv_duration(const struct compute_launch *launch)
{
	const struct conv *conv = launch->args[0];
	double taps = (double)count_of(&conv->w) / (double)conv->w.sizes[0];

	return 5000 + (uint64_t)(2 * taps * (double)count_of(&conv->y) /
				 (conv->x.type == TYPE_FLOAT ? 10e3 : 100e3));
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
