/* SPDX-License-Identifier: MIT */
/* One cell of a recurrent network over all steps. */
#include <math.h>
#include <stdlib.h>

#include "cudnn_rnn.h"

static double sigmoid(double value)
{
	return 1 / (1 + exp(-value));
}

/* Both products of one unit of a gate, kept apart for those that need them so. */
struct sums {
	double input, state;
};

static struct sums sums_of(
	const struct rnn *rnn, int gate, int unit, const double *in, const double *state)
{
	const struct rnn_shape *shape = &rnn->shape;
	int width = rnn_input_of(shape, rnn->cell), hidden = shape->hidden;
	int64_t w = (int64_t)rnn_matrix_at(shape, rnn->cell, 0, gate) + (int64_t)unit * width;
	int64_t r = (int64_t)rnn_matrix_at(shape, rnn->cell, 1, gate) + (int64_t)unit * hidden;
	struct sums sums = {0, 0};

	if (shape->has_bias) {
		sums.input = type_get(shape->type, rnn->weights,
			(int64_t)rnn_bias_at(shape, rnn->cell, 0, gate) + unit);
		sums.state = type_get(shape->type, rnn->weights,
			(int64_t)rnn_bias_at(shape, rnn->cell, 1, gate) + unit);
	}
	for (int i = 0; i < width; i++)
		sums.input += type_get(shape->type, rnn->weights, w + i) * in[i];
	for (int i = 0; i < hidden; i++)
		sums.state += type_get(shape->type, rnn->weights, r + i) * state[i];
	return sums;
}

/* The new state of one unit; values[gate * hidden] are kept for the way back. */
static double unit_of(const struct rnn *rnn, int unit, const double *in, const double *state,
	float *values, float *memory)
{
	int hidden = rnn->shape.hidden;
	struct sums sums[RNN_VALUES];
	double v[RNN_VALUES] = {0, 0, 0, 0}, result;

	for (int gate = 0; gate < rnn_gates(&rnn->shape); gate++)
		sums[gate] = sums_of(rnn, gate, unit, in, state);
	for (int gate = 0; gate < rnn_gates(&rnn->shape); gate++)
		v[gate] = sums[gate].input + sums[gate].state;
	switch (rnn->shape.mode) {
	case RNN_LSTM:
		for (int gate = 0; gate < 4; gate++)
			v[gate] = gate == 2 ? tanh(v[gate]) : sigmoid(v[gate]);
		*memory = (float)(v[1] * *memory + v[0] * v[2]);
		result = v[3] * tanh(*memory);
		break;
	case RNN_GRU:
		v[0] = sigmoid(v[0]);
		v[1] = sigmoid(v[1]);
		v[2] = tanh(sums[2].input + v[0] * sums[2].state);
		v[3] = sums[2].state;
		result = (1 - v[1]) * v[2] + v[1] * state[unit];
		break;
	default:
		result = rnn->shape.mode == RNN_TANH ? tanh(v[0]) : v[0] > 0 ? v[0] : 0;
	}
	for (int i = 0; i < RNN_VALUES; i++)
		values[i * hidden + unit] = (float)v[i];
	return result;
}

/* The memory after the step before: begins as that, becomes the new one in unit_of(). */
static void take_memory(const struct rnn *rnn, int sample, int number, float *memory)
{
	int hidden = rnn->shape.hidden;
	int64_t first = (int64_t)(rnn->cell * rnn->data.samples + sample) * hidden;

	for (int i = 0; i < hidden; i++) {
		if (number > 0)
			memory[i] = rnn_memory(rnn,
				rnn->cell)[(rnn_step(rnn, sample, number - 1) * rnn->data.samples +
						   sample) *
						   hidden +
					   i];
		else
			memory[i] =
				rnn->cx ? (float)type_get(rnn->shape.type, rnn->cx, first + i) : 0;
	}
}

static void step_of(const struct rnn *rnn, int sample, int number, double *in, double *state)
{
	const struct rnn_shape *shape = &rnn->shape;
	int hidden = shape->hidden, width = hidden * shape->directions;
	int step = rnn_step(rnn, sample, number), row = step * rnn->data.samples + sample;
	int layer = rnn->cell / shape->directions, column = rnn->cell % shape->directions * hidden;
	float *memory = rnn_memory(rnn, rnn->cell) + row * hidden;
	float *values = rnn_values(rnn, rnn->cell) + row * RNN_VALUES * hidden;
	int64_t y = (int64_t)rnn_vector(&rnn->data, step, sample) * width + column;

	for (int i = 0; i < rnn_input_of(shape, rnn->cell); i++)
		in[i] = rnn_read(rnn, step, sample, i);
	for (int i = 0; i < hidden; i++)
		state[i] = rnn_state(rnn, sample, number, i);
	take_memory(rnn, sample, number, memory);
	for (int i = 0; i < hidden; i++) {
		double value = unit_of(rnn, i, in, state, values, &memory[i]);

		rnn_output(rnn, layer)[row * width + column + i] = (float)value;
		if (layer == shape->layers - 1)
			type_put(shape->type, rnn->y, y + i, value);
	}
}

static void store_last(const struct rnn *rnn, int sample)
{
	const struct rnn_shape *shape = &rnn->shape;
	int hidden = shape->hidden, length = rnn_length(&rnn->data, sample);
	int row = rnn_step(rnn, sample, length - 1) * rnn->data.samples + sample;
	int64_t first = (int64_t)(rnn->cell * rnn->data.samples + sample) * hidden;

	for (int i = 0; i < hidden; i++) {
		if (rnn->hy)
			type_put(
				shape->type, rnn->hy, first + i, rnn_state(rnn, sample, length, i));
		if (rnn->cy)
			type_put(shape->type, rnn->cy, first + i,
				rnn_memory(rnn, rnn->cell)[row * hidden + i]);
	}
}

/* Unpacked data have vectors behind the end of short samples: zeros. */
static void clear_rest(const struct rnn *rnn, int sample)
{
	int width = rnn->shape.hidden * rnn->shape.directions;

	if (rnn->data.layout == RNN_STEPS_PACKED)
		return;
	for (int step = rnn_length(&rnn->data, sample); step < rnn->data.steps; step++)
		for (int i = 0; i < width; i++)
			type_put(rnn->shape.type, rnn->y,
				(int64_t)rnn_vector(&rnn->data, step, sample) * width + i, 0);
}

/* What dropout does behind this layer; the last direction of a layer draws for all of it. */
static void draw_factors(const struct rnn *rnn, int layer)
{
	const struct rnn_shape *shape = &rnn->shape;
	size_t count = (size_t)rnn->data.steps * (size_t)rnn->data.samples *
		       (size_t)(shape->hidden * shape->directions);
	float *factors = rnn_factors(rnn, layer);
	int drops = rnn->train && shape->dropout > 0 && rnn->random;
	uint64_t state = drops ? *rnn->random : 0;

	for (size_t i = 0; i < count; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		double uniform = (double)(state >> 11) / (double)((uint64_t)1 << 53);

		factors[i] = !drops ? 1 : uniform < shape->dropout ? 0 : 1 / (1 - shape->dropout);
	}
	if (drops)
		*rnn->random = state;
}

void rnn_forward_effect(const struct compute_launch *launch)
{
	const struct rnn *rnn = launch->args[0];

	if (!rnn_is_affordable(rnn))
		return;
	const struct rnn_shape *shape = &rnn->shape;
	int width = rnn_input_of(shape, rnn->cell);
	double *vectors = malloc(sizeof(double) * (size_t)(width + shape->hidden));

	for (int sample = 0; vectors && sample < rnn->data.samples; sample++) {
		for (int i = 0; i < rnn_length(&rnn->data, sample); i++)
			step_of(rnn, sample, i, vectors, vectors + width);
		store_last(rnn, sample);
		if (rnn->cell == 0)
			clear_rest(rnn, sample);
	}
	if (rnn->cell % shape->directions == shape->directions - 1)
		draw_factors(rnn, rnn->cell / shape->directions);
	free(vectors);
}
