/* SPDX-License-Identifier: MIT */
/*
 * Recurrent networks: what the description, the forward and the backward pass share.
 *
 * A network has layers of one or two directions; each direction of a layer is a cell, numbered
 * layer * directions + direction, and one kernel of its own in each pass. The weight space holds
 * for each cell the matrices for its input, then those for its state, and behind all matrices for
 * each cell the two biases. The reserve space (in inference the work space) holds floats: for
 * each cell the values of its gates, its memory and the gradients of its gates, for each layer its
 * output, the gradient of that and the factors of dropout. Rows are numbered step * batch + sample,
 * whatever the layout of the caller's data.
 *
 * A struct rnn is the parameter of the kernels, by value; it owns nothing.
 */
#ifndef CUDASIM_LIBS_CUDNN_RNN_H
#define CUDASIM_LIBS_CUDNN_RNN_H

#include "cudnn.h"

enum rnn_mode {
	RNN_RELU,
	RNN_TANH,
	RNN_LSTM,
	RNN_GRU
};

enum rnn_layout {
	RNN_STEPS_UNPACKED,
	RNN_STEPS_PACKED,
	RNN_SAMPLES_UNPACKED
};

enum {
	RNN_SAMPLES = 512, /* of different lengths */
	RNN_VALUES = 4     /* per unit and step that are kept: gates, or for GRU one value more */
};

struct rnn_shape {
	enum rnn_mode mode;
	int has_bias;
	int directions, layers;
	int input, hidden;
	enum type type;
	float dropout;
};

struct rnn_data {
	enum rnn_layout layout;
	int steps, samples, width;
	int is_even; /* all samples have all steps */
	int lengths[RNN_SAMPLES];
};

struct rnn {
	struct rnn_shape shape;
	struct rnn_data data; /* width is not used */
	int cell;
	int train, add;
	const void *x, *hx, *cx, *weights;
	void *y, *hy, *cy;
	const void *dy, *dhy, *dcy;
	void *dx, *dhx, *dcx, *dweights;
	uint64_t *random; /* state on the device, NULL: none */
	float *kept;
};

int rnn_gates(const struct rnn_shape *shape); /* matrices for the input, as many for the state */

/* Elements before that matrix, or bias; is_state: the one for the state. gate counts from 0. */
size_t rnn_matrix_at(const struct rnn_shape *shape, int cell, int is_state, int gate);
size_t rnn_bias_at(const struct rnn_shape *shape, int cell, int is_state, int gate);
size_t rnn_weight_count(const struct rnn_shape *shape);
int rnn_input_of(const struct rnn_shape *shape, int cell); /* its length */

/* Parts of the reserve space. */
size_t rnn_kept_count(const struct rnn_shape *shape, const struct rnn_data *data);
float *rnn_values(const struct rnn *rnn, int cell);    /* [row][RNN_VALUES][hidden] */
float *rnn_memory(const struct rnn *rnn, int cell);    /* [row][hidden] */
float *rnn_gradients(const struct rnn *rnn, int cell); /* [row][RNN_VALUES][hidden] */
float *rnn_output(const struct rnn *rnn, int layer);   /* [row][direction][hidden] */
float *rnn_slope(const struct rnn *rnn, int layer);    /* the same; -1: of x, [row][input] */
float *rnn_factors(const struct rnn *rnn, int layer);  /* of dropout behind it */

int rnn_length(const struct rnn_data *data, int sample);
/* The step of a sample that its direction does as number i; that before it, -1 for none. */
int rnn_step(const struct rnn *rnn, int sample, int i);
/* Which vector of the caller's data it is. */
size_t rnn_vector(const struct rnn_data *data, int step, int sample);
/* Element i of what the cell reads at that step; unit i of its state before number i. */
double rnn_read(const struct rnn *rnn, int step, int sample, int i);
double rnn_state(const struct rnn *rnn, int sample, int number, int i);

/* Entries of the table of kernels. */
extern const size_t rnn_sizes[1];
void rnn_forward_effect(const struct compute_launch *launch);
void rnn_data_effect(const struct compute_launch *launch);
void rnn_weights_effect(const struct compute_launch *launch);
/* The host may compute one launch; where not, nothing is written. */
int rnn_is_affordable(const struct rnn *rnn);
uint64_t rnn_duration(const struct compute_launch *launch);

#endif
