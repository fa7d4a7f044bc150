/* SPDX-License-Identifier: MIT */
/*
 * Attention of one kernel, forward and backward: softmax(scale * Q K^T + bias) V, for each batch
 * and head. What the kernels' parameters say is put into a struct attention; the two functions
 * here compute in double precision, element by element. They allocate one row of scores. Pointers
 * are the kernel's; NULL for what it does not have.
 */
#ifndef CUDASIM_COMPUTE_ATTENTION_H
#define CUDASIM_COMPUTE_ATTENTION_H

#include <stdint.h>

#include "random.h"
#include "types.h"

/* A tensor [batch][row][head][element], with distances in elements. */
struct attention_view {
	void *data;
	int64_t batch, row, head;
};

struct attention {
	enum type type;
	int batches, heads, heads_per_key; /* heads that share keys and values */
	int queries, keys, width, value_width;
	const int32_t *query_starts, *key_starts; /* batches of different lengths, NULL: even */
	double scale;
	/* query i sees the keys from i - left to i + right; INT32_MAX: all */
	int64_t left, right;
	int from_end; /* the last query, not the first, stands at its key */
	double drop;  /* part of the weights that is dropped */
	struct random random;
	struct attention_view q, k, v, bias, out; /* bias: row is a query, element a key */
	float *lse;                               /* logarithms of the sums of exponentials */
	int64_t lse_batch, lse_head;
	struct attention_view out_slope, q_slope, k_slope, v_slope, bias_slope;
};

void attention_forward(const struct attention *attention);
void attention_backward(const struct attention *attention);

#endif
