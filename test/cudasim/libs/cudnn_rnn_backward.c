/* SPDX-License-Identifier: MIT */
/*
 * Gradients of one cell of a recurrent network: first of its data, from the last step to the
 * first, which keeps the gradients of the gates; from these those of its weights.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn_rnn.h"

/* What goes from step to step of a sample. */
struct back {
	double *state;  /* gradient of the state */
	double *memory; /* of the memory */
	double *next;   /* of the state before */
};

static double get(const struct rnn *rnn, const void *data, int64_t index)
{
	return data ? type_get(rnn->shape.type, data, index) : 0;
}

static int64_t state_at(const struct rnn *rnn, int sample)
{
	return (int64_t)(rnn->cell * rnn->data.samples + sample) * rnn->shape.hidden;
}

/* The gradient of the cell's output at that step, from above. */
static double slope_at(const struct rnn *rnn, int step, int sample, int unit)
{
	const struct rnn_shape *shape = &rnn->shape;
	int layer = rnn->cell / shape->directions, width = shape->hidden * shape->directions;
	int column = rnn->cell % shape->directions * shape->hidden + unit;
	int64_t row = (int64_t)step * rnn->data.samples + sample;

	if (layer == shape->layers - 1)
		return get(rnn, rnn->dy,
			(int64_t)rnn_vector(&rnn->data, step, sample) * width + column);
	return (double)rnn_slope(rnn, layer)[row * width + column] *
	       rnn_factors(rnn, layer)[row * width + column];
}

static double memory_before(const struct rnn *rnn, int sample, int number, int unit)
{
	int row;

	if (number == 0)
		return get(rnn, rnn->cx, state_at(rnn, sample) + unit);
	row = rnn_step(rnn, sample, number - 1) * rnn->data.samples + sample;
	return rnn_memory(rnn, rnn->cell)[row * rnn->shape.hidden + unit];
}

/* Gradients d of the sums of one unit's gates, from dh of its state. */
static void unit_of(const struct rnn *rnn, int sample, int number, int unit, struct back *back,
	const float *v, float *d)
{
	int hidden = rnn->shape.hidden, step = rnn_step(rnn, sample, number);
	int row = step * rnn->data.samples + sample;
	double dh = back->state[unit] + slope_at(rnn, step, sample, unit);

	if (rnn->shape.mode == RNN_LSTM) {
		double i = v[0], f = v[hidden], g = v[2 * hidden], o = v[3 * hidden];
		double t = tanh(rnn_memory(rnn, rnn->cell)[row * hidden + unit]);
		double dc = back->memory[unit] + dh * o * (1 - t * t);

		d[0] = (float)(dc * g * i * (1 - i));
		d[hidden] = (float)(dc * memory_before(rnn, sample, number, unit) * f * (1 - f));
		d[2 * hidden] = (float)(dc * i * (1 - g * g));
		d[3 * hidden] = (float)(dh * t * o * (1 - o));
		back->memory[unit] = dc * f;
	} else if (rnn->shape.mode == RNN_GRU) {
		double r = v[0], z = v[hidden], n = v[2 * hidden];
		double dn = dh * (1 - z) * (1 - n * n);
		double before = rnn_state(rnn, sample, number, unit);

		d[0] = (float)(dn * v[3 * hidden] * r * (1 - r));
		d[hidden] = (float)(dh * (before - n) * z * (1 - z));
		d[2 * hidden] = (float)dn;
		d[3 * hidden] = (float)(dn * r);
		back->next[unit] += dh * z;
	} else {
		double h = rnn_state(rnn, sample, number + 1, unit);

		d[0] = (float)(rnn->shape.mode == RNN_TANH ? dh * (1 - h * h) : h > 0 ? dh : 0);
	}
}

/* The kept gradient that belongs to the sum over the state: GRU's last gate has its own. */
static int state_part(const struct rnn *rnn, int gate)
{
	return rnn->shape.mode == RNN_GRU && gate == 2 ? 3 : gate;
}

/* Through the matrices, to the state before and to what the cell has read. */
static void pass_down(
	const struct rnn *rnn, int step, int sample, const float *d, struct back *back)
{
	const struct rnn_shape *shape = &rnn->shape;
	int hidden = shape->hidden, width = rnn_input_of(shape, rnn->cell);
	float *below = rnn_slope(rnn, rnn->cell / shape->directions - 1) +
		       ((size_t)step * (size_t)rnn->data.samples + (size_t)sample) * (size_t)width;

	for (int gate = 0; gate < rnn_gates(shape); gate++) {
		int64_t w = (int64_t)rnn_matrix_at(shape, rnn->cell, 0, gate);
		int64_t r = (int64_t)rnn_matrix_at(shape, rnn->cell, 1, gate);

		for (int unit = 0; unit < hidden; unit++) {
			double input = d[gate * hidden + unit];
			double state = d[state_part(rnn, gate) * hidden + unit];

			for (int i = 0; i < width; i++)
				below[i] += (float)(input * type_get(shape->type, rnn->weights,
								    w + (int64_t)unit * width + i));
			for (int i = 0; i < hidden; i++)
				back->next[i] += state * type_get(shape->type, rnn->weights,
								 r + (int64_t)unit * hidden + i);
		}
	}
}

static void sample_of(const struct rnn *rnn, int sample, struct back *back)
{
	int hidden = rnn->shape.hidden;
	int64_t first = state_at(rnn, sample);

	for (int i = 0; i < hidden; i++) {
		back->state[i] = get(rnn, rnn->dhy, first + i);
		back->memory[i] = get(rnn, rnn->dcy, first + i);
	}
	for (int number = rnn_length(&rnn->data, sample) - 1; number >= 0; number--) {
		int step = rnn_step(rnn, sample, number);
		size_t row = (size_t)step * (size_t)rnn->data.samples + (size_t)sample;
		size_t at = row * RNN_VALUES * (size_t)hidden;
		float *d = rnn_gradients(rnn, rnn->cell) + at;
		double *done = back->state;

		memset(back->next, 0, sizeof(double) * (size_t)hidden);
		for (int i = 0; i < hidden; i++)
			unit_of(rnn, sample, number, i, back, rnn_values(rnn, rnn->cell) + at + i,
				d + i);
		pass_down(rnn, step, sample, d, back);
		back->state = back->next;
		back->next = done;
	}
	for (int i = 0; i < hidden; i++) {
		if (rnn->dhx)
			type_put(rnn->shape.type, rnn->dhx, first + i, back->state[i]);
		if (rnn->dcx)
			type_put(rnn->shape.type, rnn->dcx, first + i, back->memory[i]);
	}
}

static void store_slope_of_x(const struct rnn *rnn)
{
	const struct rnn_data *data = &rnn->data;
	int input = rnn->shape.input;

	for (int sample = 0; sample < data->samples; sample++) {
		int length = rnn_length(data, sample);
		int end = data->layout == RNN_STEPS_PACKED ? length : data->steps;

		for (int step = 0; step < end; step++) {
			int64_t to = (int64_t)rnn_vector(data, step, sample) * input;
			const float *from = rnn_slope(rnn, -1) +
					    ((int64_t)step * data->samples + sample) * input;

			for (int i = 0; i < input; i++)
				type_put(rnn->shape.type, rnn->dx, to + i,
					step < length ? (double)from[i] : 0);
		}
	}
}

void rnn_data_effect(const struct compute_launch *launch)
{
	const struct rnn *rnn = launch->args[0];

	if (!rnn_is_affordable(rnn))
		return;
	const struct rnn_shape *shape = &rnn->shape;
	size_t hidden = (size_t)shape->hidden;
	int layer = rnn->cell / shape->directions, direction = rnn->cell % shape->directions;
	size_t rows = (size_t)rnn->data.steps * (size_t)rnn->data.samples;
	double *vectors = malloc(3 * hidden * sizeof(double));
	struct back back = {vectors, vectors + hidden, vectors + 2 * hidden};

	if (!vectors)
		return;
	if (direction == 0)
		memset(rnn_slope(rnn, layer - 1), 0,
			rows * (size_t)rnn_input_of(shape, rnn->cell) * sizeof(float));
	for (int sample = 0; sample < rnn->data.samples; sample++)
		sample_of(rnn, sample, &back);
	if (layer == 0 && direction == shape->directions - 1 && rnn->dx)
		store_slope_of_x(rnn);
	free(vectors);
}

/* Adds the products of one row to the sums of one gate's matrices and biases. */
static void add_row(const struct rnn *rnn, int sample, int number, int gate, double *sums)
{
	const struct rnn_shape *shape = &rnn->shape;
	int hidden = shape->hidden, width = rnn_input_of(shape, rnn->cell);
	int step = rnn_step(rnn, sample, number);
	const float *d = rnn_gradients(rnn, rnn->cell) +
			 ((int64_t)step * rnn->data.samples + sample) * RNN_VALUES * hidden;
	double *w = sums, *r = w + hidden * width, *bias = r + hidden * hidden;

	for (int unit = 0; unit < hidden; unit++) {
		double input = d[gate * hidden + unit];
		double state = d[state_part(rnn, gate) * hidden + unit];

		for (int i = 0; i < width; i++)
			w[unit * width + i] += input * rnn_read(rnn, step, sample, i);
		for (int i = 0; i < hidden; i++)
			r[unit * hidden + i] += state * rnn_state(rnn, sample, number, i);
		bias[unit] += input;
		bias[hidden + unit] += state;
	}
}

static void store(const struct rnn *rnn, size_t first, const double *sums, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t at = (int64_t)(first + i);
		double before = rnn->add ? get(rnn, rnn->dweights, at) : 0;

		type_put(rnn->shape.type, rnn->dweights, at, before + sums[i]);
	}
}

void rnn_weights_effect(const struct compute_launch *launch)
{
	const struct rnn *rnn = launch->args[0];

	if (!rnn_is_affordable(rnn))
		return;
	const struct rnn_shape *shape = &rnn->shape;
	size_t hidden = (size_t)shape->hidden, width = (size_t)rnn_input_of(shape, rnn->cell);
	size_t count = hidden * width + hidden * hidden + 2 * hidden;
	double *sums = malloc(count * sizeof(double));

	for (int gate = 0; sums && gate < rnn_gates(shape); gate++) {
		double *bias = sums + hidden * width + hidden * hidden;

		memset(sums, 0, count * sizeof(double));
		for (int sample = 0; sample < rnn->data.samples; sample++)
			for (int i = 0; i < rnn_length(&rnn->data, sample); i++)
				add_row(rnn, sample, i, gate, sums);
		store(rnn, rnn_matrix_at(shape, rnn->cell, 0, gate), sums, hidden * width);
		store(rnn, rnn_matrix_at(shape, rnn->cell, 1, gate), sums + hidden * width,
			hidden * hidden);
		if (!shape->has_bias)
			continue;
		store(rnn, rnn_bias_at(shape, rnn->cell, 0, gate), bias, hidden);
		store(rnn, rnn_bias_at(shape, rnn->cell, 1, gate), bias + hidden, hidden);
	}
	free(sums);
}
