/* SPDX-License-Identifier: MIT */
#include "gemm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "product.h"

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

static double operations_of(const struct gemm *gemm)
{
	return 2.0 * (double)gemm->m * (double)gemm->n * (double)gemm->k * (double)gemm->batch;
}

/* 15 TFLOP/s for float, 7 for double, 200 for the 16-bit types, and 3 us to begin with. */
uint64_t gemm_duration(const struct compute_launch *launch)
{
	const struct gemm *gemm = launch->args[0];
	double operations = operations_of(gemm);
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

/* The matrix as float: its own memory, or a copy of lines x length elements that is to be freed. */
static float *as_float(const struct gemm_matrix *matrix, int64_t batch, int64_t lines,
	int64_t length, int64_t line_step, int64_t step, float **ret_copy)
{
	void *data = matrix_of(matrix, batch);

	*ret_copy = NULL;
	if (matrix->type == TYPE_FLOAT)
		return data;
	*ret_copy = malloc((size_t)(lines * length + 1) * sizeof(float));
	for (int64_t i = 0; *ret_copy && i < lines * length; i++)
		(*ret_copy)[i] = (float)type_get(
			matrix->type, data, i / length * line_step + i % length * step);
	return *ret_copy;
}

/* sums[j * m + i] of element (i, j), each made in single precision. 0, or -1 without memory. */
static int sum_float(const struct gemm *gemm, int64_t batch, float *sums)
{
	float *a_copy, *b_copy;
	struct product_matrix a = {
		as_float(&gemm->a, batch, gemm->m, gemm->k, gemm->a.row, gemm->a.column, &a_copy),
		gemm->a.column, gemm->a.row};
	struct product_matrix b = {
		as_float(&gemm->b, batch, gemm->n, gemm->k, gemm->b.column, gemm->b.row, &b_copy),
		gemm->b.column, gemm->b.row};
	int failed = !a.data || !b.data;

	if (a_copy)
		a.row = 1, a.column = gemm->k;
	if (b_copy)
		b.row = gemm->k, b.column = 1;
	if (!failed)
		failed = product_add(gemm->n, gemm->m, gemm->k, b, a, sums, gemm->m);
	free(a_copy);
	free(b_copy);
	return failed;
}

/* The same in double precision; it is rarely asked for. */
static double dot(const struct gemm *gemm, const double *a, const double *b)
{
	double sum[4] = {0};

	for (int64_t p = 0; p < gemm->k; p++)
		sum[p % 4] += a[p * gemm->a.column] * b[p * gemm->b.row];
	return sum[0] + sum[1] + sum[2] + sum[3];
}

static int sum_double(const struct gemm *gemm, int64_t batch, double *sums)
{
	const double *a = matrix_of(&gemm->a, batch), *b = matrix_of(&gemm->b, batch);

	for (int64_t j = 0; j < gemm->n; j++)
		for (int64_t i = 0; i < gemm->m; i++)
			sums[j * gemm->m + i] =
				dot(gemm, a + i * gemm->a.row, b + j * gemm->b.column);
	return 0;
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

/* Sums that go to the bias' gradient: of rows of A or columns of B. */
static void sum_bias(const struct gemm *gemm, int64_t batch)
{
	int of_a = !!(gemm->epilogue & GEMM_BIAS_OF_A);
	const struct gemm_matrix *from = of_a ? &gemm->a : &gemm->b;
	int64_t line = of_a ? from->row : from->column, step = of_a ? from->column : from->row;
	const void *data = matrix_of(from, batch);

	for (int64_t i = 0; i < (of_a ? gemm->m : gemm->n); i++) {
		double sum = 0;

		for (int64_t p = 0; p < gemm->k; p++)
			sum += type_get(from->type, data, i * line + p * step);
		type_put(gemm->bias_type, gemm->bias, batch * gemm->bias_batch + i, sum);
	}
}

static void multiply(const struct gemm *gemm, int64_t batch, double alpha, double beta)
{
	int wide = gemm->a.type == TYPE_DOUBLE && gemm->b.type == TYPE_DOUBLE;
	void *sums = calloc((size_t)(gemm->m * gemm->n), wide ? sizeof(double) : sizeof(float));
	const void *c = beta != 0 ? matrix_of(&gemm->c, batch) : NULL;
	void *d = matrix_of(&gemm->d, batch);
	int failed = !sums || (wide ? sum_double(gemm, batch, sums) : sum_float(gemm, batch, sums));

	for (int64_t j = 0; !failed && j < gemm->n; j++)
		for (int64_t i = 0; i < gemm->m; i++) {
			int64_t at = j * gemm->m + i;
			double value = alpha * (wide ? ((double *)sums)[at] : ((float *)sums)[at]);

			if (c)
				value += beta * type_get(gemm->c.type, c,
							i * gemm->c.row + j * gemm->c.column);
			if (gemm->epilogue)
				value = finish(gemm, value, batch, i, j);
			type_put(gemm->d.type, d, i * gemm->d.row + j * gemm->d.column, value);
		}
	if (!failed && gemm->bias && gemm->epilogue & (GEMM_BIAS_OF_A | GEMM_BIAS_OF_B))
		sum_bias(gemm, batch);
	free(sums);
}

void gemm_effect(const struct compute_launch *launch)
{
	const struct gemm *whole = launch->args[0];
	struct gemm cut = *whole;
	const struct gemm *gemm = &cut;
	double alpha = gemm->alpha, beta = gemm->beta;

	if (gemm->alpha_at)
		alpha = type_get(gemm->scale, gemm->alpha_at, 0);
	if (gemm->beta_at)
		beta = type_get(gemm->scale, gemm->beta_at, 0);
	if (!launcher_affords("a matrix product", operations_of(whole), "it is taken to be 0"))
		cut.k = 0;
	for (int64_t batch = 0; batch < gemm->batch; batch++)
		multiply(gemm, batch, alpha, beta);
}
