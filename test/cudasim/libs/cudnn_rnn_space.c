/* SPDX-License-Identifier: MIT */
/* Where recurrent networks keep their weights and intermediate values. */
#include "cudnn_rnn.h"

const size_t rnn_sizes[1] = {sizeof(struct rnn)};

int rnn_gates(const struct rnn_shape *shape)
{
	return shape->mode == RNN_LSTM ? 4 : shape->mode == RNN_GRU ? 3 : 1;
}

int rnn_input_of(const struct rnn_shape *shape, int cell)
{
	return cell < shape->directions ? shape->input : shape->hidden * shape->directions;
}

static size_t matrices_of(const struct rnn_shape *shape, int cell)
{
	return (size_t)rnn_gates(shape) * (size_t)shape->hidden *
	       (size_t)(rnn_input_of(shape, cell) + shape->hidden);
}

size_t rnn_matrix_at(const struct rnn_shape *shape, int cell, int is_state, int gate)
{
	size_t at = 0, hidden = (size_t)shape->hidden;
	size_t input = (size_t)rnn_input_of(shape, cell);

	for (int i = 0; i < cell; i++)
		at += matrices_of(shape, i);
	if (!is_state)
		return at + (size_t)gate * hidden * input;
	return at + (size_t)rnn_gates(shape) * hidden * input + (size_t)gate * hidden * hidden;
}

size_t rnn_bias_at(const struct rnn_shape *shape, int cell, int is_state, int gate)
{
	size_t first = rnn_matrix_at(shape, shape->layers * shape->directions, 0, 0);
	size_t number = (size_t)((cell * 2 + is_state) * rnn_gates(shape) + gate);

	return first + number * (size_t)shape->hidden;
}

size_t rnn_weight_count(const struct rnn_shape *shape)
{
	int cells = shape->layers * shape->directions;

	return shape->has_bias ? rnn_bias_at(shape, cells, 0, 0)
			       : rnn_matrix_at(shape, cells, 0, 0);
}

static size_t row_count(const struct rnn_data *data)
{
	return (size_t)data->steps * (size_t)data->samples;
}

/* Per row: two sets of values and the memory of a cell, three vectors of a layer, one of x. */
static size_t cell_width(const struct rnn_shape *shape)
{
	return (size_t)(2 * RNN_VALUES + 1) * (size_t)shape->hidden;
}

static size_t layer_width(const struct rnn_shape *shape)
{
	return 3 * (size_t)(shape->hidden * shape->directions);
}

size_t rnn_kept_count(const struct rnn_shape *shape, const struct rnn_data *data)
{
	size_t cells = (size_t)(shape->layers * shape->directions);

	return row_count(data) *
	       (cells * cell_width(shape) + (size_t)shape->layers * layer_width(shape) +
		       (size_t)shape->input);
}

static float *cell_part(const struct rnn *rnn, int cell, int part)
{
	size_t hidden = (size_t)rnn->shape.hidden;

	return rnn->kept + row_count(&rnn->data) *
				   ((size_t)cell * cell_width(&rnn->shape) + (size_t)part * hidden);
}

static float *layer_part(const struct rnn *rnn, int layer, int part)
{
	const struct rnn_shape *shape = &rnn->shape;
	size_t cells = (size_t)(shape->layers * shape->directions);

	return rnn->kept +
	       row_count(&rnn->data) *
		       (cells * cell_width(shape) + (size_t)layer * layer_width(shape) +
			       (size_t)part * (size_t)(shape->hidden * shape->directions));
}

float *rnn_values(const struct rnn *rnn, int cell)
{
	return cell_part(rnn, cell, 0);
}

float *rnn_gradients(const struct rnn *rnn, int cell)
{
	return cell_part(rnn, cell, RNN_VALUES);
}

float *rnn_memory(const struct rnn *rnn, int cell)
{
	return cell_part(rnn, cell, 2 * RNN_VALUES);
}

float *rnn_output(const struct rnn *rnn, int layer)
{
	return layer_part(rnn, layer, 0);
}

float *rnn_slope(const struct rnn *rnn, int layer)
{
	return layer < 0 ? layer_part(rnn, rnn->shape.layers, 0) : layer_part(rnn, layer, 1);
}

float *rnn_factors(const struct rnn *rnn, int layer)
{
	return layer_part(rnn, layer, 2);
}

int rnn_length(const struct rnn_data *data, int sample)
{
	return data->is_even ? data->steps : data->lengths[sample];
}

int rnn_step(const struct rnn *rnn, int sample, int i)
{
	return rnn->cell % rnn->shape.directions ? rnn_length(&rnn->data, sample) - 1 - i : i;
}

size_t rnn_vector(const struct rnn_data *data, int step, int sample)
{
	size_t vector = 0;

	if (data->layout == RNN_SAMPLES_UNPACKED)
		return (size_t)sample * (size_t)data->steps + (size_t)step;
	if (data->layout == RNN_STEPS_UNPACKED || data->is_even)
		return (size_t)step * (size_t)data->samples + (size_t)sample;
	for (int i = 0; i < data->samples; i++) {
		int length = rnn_length(data, i);

		vector += (size_t)(length < step ? length : step) + (i < sample && length > step);
	}
	return vector;
}

double rnn_read(const struct rnn *rnn, int step, int sample, int i)
{
	const struct rnn_shape *shape = &rnn->shape;
	int layer = rnn->cell / shape->directions;
	size_t width = (size_t)rnn_input_of(shape, rnn->cell), row;

	if (layer == 0)
		return type_get(shape->type, rnn->x,
			(int64_t)(rnn_vector(&rnn->data, step, sample) * width) + i);
	row = ((size_t)step * (size_t)rnn->data.samples + (size_t)sample) * width + (size_t)i;
	return rnn_output(rnn, layer - 1)[row] * rnn_factors(rnn, layer - 1)[row];
}

double rnn_state(const struct rnn *rnn, int sample, int number, int i)
{
	const struct rnn_shape *shape = &rnn->shape;
	int width = shape->hidden * shape->directions;
	int row, column = rnn->cell % shape->directions * shape->hidden + i;

	if (number == 0 && !rnn->hx)
		return 0;
	if (number == 0)
		return type_get(shape->type, rnn->hx,
			(int64_t)(rnn->cell * rnn->data.samples + sample) * shape->hidden + i);
	row = rnn_step(rnn, sample, number - 1) * rnn->data.samples + sample;
	return rnn_output(rnn, rnn->cell / shape->directions)[row * width + column];
}

/* A multiplication of matrices for each step: 2 us each, and 1 ns for each 1,000 products. */
int rnn_is_affordable(const struct rnn *rnn)
{
	double operations = 2.0 * (double)rnn->data.steps * (double)rnn->data.samples *
			    (double)matrices_of(&rnn->shape, rnn->cell);

	return launcher_affords("a recurrent layer", operations, "what it writes stays as it was");
}

uint64_t rnn_duration(const struct compute_launch *launch)
{
	const struct rnn *rnn = launch->args[0];
	uint64_t steps = (uint64_t)rnn->data.steps;

	return steps * 2000 +
	       steps * (uint64_t)rnn->data.samples * matrices_of(&rnn->shape, rnn->cell) / 1000;
}
