/* SPDX-License-Identifier: MIT */
#include "gemm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const size_t gemm_parameter_sizes[1] = {sizeof(struct gemm)};

enum type gemm_type(int cuda_type)
{
	switch (cuda_type) {
	case 0:
		return TYPE_FLOAT;
	case 1:
		return TYPE_DOUBLE;
	case 2:
		return TYPE_HALF;
	case 14:
		return TYPE_BFLOAT16;
	default:
		return TYPE_NONE;
	}
}

struct gemm_matrix gemm_matrix(const void *data, int cuda_type, int64_t ld, int transposed)
{
	return (struct gemm_matrix){
		.data = (void *)data,
		.row = transposed ? ld : 1,
		.column = transposed ? 1 : ld,
		.type = gemm_type(cuda_type),
	};
}

void gemm_scalars(
	struct gemm *gemm, const void *alpha, const void *beta, enum type type, int on_device)
{
	gemm->scale = type;
	if (on_device) {
		gemm->alpha_at = alpha;
		gemm->beta_at = beta;
	} else {
		gemm->alpha = type_get(type, alpha, 0);
		gemm->beta = beta ? type_get(type, beta, 0) : 0;
	}
}

int gemm_launch(struct gemm *gemm, launch_stream stream)
{
	static const char *const forms[] = {"sim_sgemm_128x64", "sim_dgemm_64x64",
		"sim_fp16_s16816gemm_128x128", "sim_bf16_s16816gemm_128x128"};
	enum type type = gemm->a.type;
	int form = type == TYPE_DOUBLE ? 1 : type == TYPE_HALF ? 2 : type == TYPE_BFLOAT16 ? 3 : 0;
	int tile = form == 1 ? 64 : 128;
	struct launch_shape shape = {
		.grid = {(uint32_t)((gemm->m + tile - 1) / tile),
			(uint32_t)((gemm->n + tile - 1) / tile), (uint32_t)gemm->batch},
		.block = {form < 2 ? 256 : 128, 1, 1},
		.shared_bytes = form < 2 ? 16384 : 49152,
	};
	char name[64];

	if (gemm->m <= 0 || gemm->n <= 0 || gemm->batch <= 0)
		return 0;
	snprintf(name, sizeof(name), "%s_%c%c", forms[form], gemm->a.row == 1 ? 'n' : 't',
		gemm->b.row == 1 ? 'n' : 't');
	return launcher_launch(name, shape, stream, gemm);
}

/* 15 TFLOP/s for float, 7 for double, 200 for the 16-bit types, and 3 us to begin with. */
uint64_t gemm_duration(const struct compute_launch *launch)
{
	const struct gemm *gemm = launch->args[0];
	double operations =
		2.0 * (double)gemm->m * (double)gemm->n * (double)gemm->k * (double)gemm->batch;
	double per_ns = gemm->a.type == TYPE_FLOAT    ? 15e3
			: gemm->a.type == TYPE_DOUBLE ? 7e3
						      : 200e3;

	return 3000 + (uint64_t)(operations / per_ns);
}

static void *matrix_of(const struct gemm_matrix *matrix, int64_t batch)
{
	if (matrix->list)
		return ((void **)matrix->data)[batch];
	return (char *)matrix->data + batch * matrix->batch * (int64_t)type_size(matrix->type);
}

/* Rows of A, or columns of B, one after the other. */
static double *pack(const struct gemm_matrix *matrix, int64_t batch, int64_t lines, int64_t length,
	int64_t line_step, int64_t step)
{
	double *packed = malloc((size_t)(lines * length + 1) * sizeof(double));
	const void *data = matrix_of(matrix, batch);

	if (!packed)
		return NULL;
	for (int64_t line = 0; line < lines; line++)
		for (int64_t i = 0; i < length; i++)
			packed[line * length + i] =
				type_get(matrix->type, data, line * line_step + i * step);
	return packed;
}

static double dot(const double *a, const double *b, int64_t length)
{
	double sum[4] = {0};
	int64_t i;

	for (i = 0; i + 4 <= length; i += 4)
		for (int lane = 0; lane < 4; lane++)
			sum[lane] += a[i + lane] * b[i + lane];
	for (; i < length; i++)
		sum[0] += a[i] * b[i];
	return sum[0] + sum[1] + sum[2] + sum[3];
}

static double gelu(double x)
{
	return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

static double gelu_slope(double x)
{
	double t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));

	return 0.5 * (1 + t) +
	       0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
}

/* What is kept for, or comes from, the other direction: a bit for relu, the input for gelu. */
static double apply_aux(const struct gemm *gemm, double value, int64_t batch, int64_t at)
{
	uint8_t *bits = (uint8_t *)gemm->aux + (batch * gemm->aux_batch + at) / 8;
	int bit = 1 << at % 8;

	if (gemm->epilogue & GEMM_RELU_BACK)
		return *bits & bit ? value : 0;
	if (gemm->epilogue & GEMM_GELU_BACK)
		return value *
		       gelu_slope(type_get(gemm->d.type, gemm->aux, batch * gemm->aux_batch + at));
	if (gemm->epilogue & GEMM_RELU)
		*bits = (uint8_t)(value > 0 ? *bits | bit : *bits & ~bit);
	else if (gemm->epilogue & GEMM_GELU)
		type_put(gemm->d.type, gemm->aux, batch * gemm->aux_batch + at, value);
	return value;
}

static double finish(const struct gemm *gemm, double value, int64_t batch, int64_t i, int64_t j)
{
	if (gemm->epilogue & GEMM_BIAS && gemm->bias)
		value += type_get(gemm->bias_type, gemm->bias, batch * gemm->bias_batch + i);
	if (gemm->epilogue & GEMM_AUX && gemm->aux)
		value = apply_aux(gemm, value, batch, i + j * gemm->aux_ld);
	if (gemm->epilogue & GEMM_RELU)
		value = value < 0 ? 0 : value;
	else if (gemm->epilogue & GEMM_GELU)
		value = gelu(value);
	return value;
}

/* Sums that go to the bias' gradient. */
static void sum_bias(const struct gemm *gemm, const double *a, const double *b, int64_t batch)
{
	const double *lines = gemm->epilogue & GEMM_BIAS_OF_A ? a : b;
	int64_t count = gemm->epilogue & GEMM_BIAS_OF_A ? gemm->m : gemm->n;

	if (!gemm->bias || !(gemm->epilogue & (GEMM_BIAS_OF_A | GEMM_BIAS_OF_B)))
		return;
	for (int64_t i = 0; i < count; i++) {
		double sum = 0;

		for (int64_t p = 0; p < gemm->k; p++)
			sum += lines[i * gemm->k + p];
		type_put(gemm->bias_type, gemm->bias, batch * gemm->bias_batch + i, sum);
	}
}

static void multiply(const struct gemm *gemm, int64_t batch, double alpha, double beta)
{
	double *a = pack(&gemm->a, batch, gemm->m, gemm->k, gemm->a.row, gemm->a.column);
	double *b = pack(&gemm->b, batch, gemm->n, gemm->k, gemm->b.column, gemm->b.row);
	const void *c = beta != 0 ? matrix_of(&gemm->c, batch) : NULL;
	void *d = matrix_of(&gemm->d, batch);

	for (int64_t j = 0; a && b && j < gemm->n; j++)
		for (int64_t i = 0; i < gemm->m; i++) {
			double value = alpha * dot(a + i * gemm->k, b + j * gemm->k, gemm->k);

			if (c)
				value += beta * type_get(gemm->c.type, c,
							i * gemm->c.row + j * gemm->c.column);
			type_put(gemm->d.type, d, i * gemm->d.row + j * gemm->d.column,
				finish(gemm, value, batch, i, j));
		}
	if (a && b)
		sum_bias(gemm, a, b, batch);
	free(a);
	free(b);
}

void gemm_effect(const struct compute_launch *launch)
{
	const struct gemm *gemm = launch->args[0];
	double alpha = gemm->alpha, beta = gemm->beta;

	if (gemm->alpha_at)
		alpha = type_get(gemm->scale, gemm->alpha_at, 0);
	if (gemm->beta_at)
		beta = type_get(gemm->scale, gemm->beta_at, 0);
	for (int64_t batch = 0; batch < gemm->batch; batch++)
		multiply(gemm, batch, alpha, beta);
}
