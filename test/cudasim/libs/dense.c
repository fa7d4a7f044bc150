/* SPDX-License-Identifier: MIT */
#include "dense.h"

#include <stdlib.h>

#include "factor.h"

const size_t dense_parameter_sizes[1] = {sizeof(struct dense)};

#define DENSE_JOB(id, name) name,
static const char *const names[] = {DENSE_JOBS};
#undef DENSE_JOB

/* The matrices of one of the batch, as doubles in memory of its own. */
struct work {
	const struct dense *dense;
	int64_t number;
	int64_t most, least; /* of m and n */
	struct view a, b, v;
	double *values;
	int *pivots;
	int info;
};

int dense_launch(struct dense *dense, launch_stream stream)
{
	struct launch_shape shape = {
		.grid = {(uint32_t)((dense->m + 31) / 32), (uint32_t)dense->batch, 1},
		.block = {256, 1, 1},
		.shared_bytes = 16384,
	};

	if (dense->batch <= 0 || dense->m <= 0 || dense->n <= 0)
		return 0;
	return launcher_launch(names[dense->job], shape, stream, dense);
}

static double operations_of(const struct dense *dense)
{
	double m = (double)dense->m, n = (double)dense->n, k = (double)(dense->k ? dense->k : 1);
	double each = dense->job == DENSE_SYEVD   ? 20 * n * n * n
		      : dense->job == DENSE_GESVD ? 20 * m * n * (m < n ? m : n)
		      : dense->job == DENSE_GETRS || dense->job == DENSE_POTRS
			      ? 2 * m * m * k
			      : m * n * (m < n ? m : n);

	return each * (double)dense->batch;
}

/* One column after another: 10 us and 1 us for each, and 1 TFLOP/s. */
uint64_t dense_duration(const struct compute_launch *launch)
{
	const struct dense *dense = launch->args[0];

	return 10000 + (uint64_t)dense->m * 1000 + (uint64_t)(operations_of(dense) / 1e3);
}

static void *matrix_of(const struct work *work, const struct dense_matrix *matrix)
{
	if (work->dense->list)
		return ((void **)matrix->data)[work->number];
	return (char *)matrix->data +
	       work->number * matrix->step * (int64_t)type_size(work->dense->type);
}

static struct view take(double **room, int64_t rows, int64_t columns)
{
	struct view view = {*room, 1, rows};

	*room += rows * columns;
	return view;
}

static void load(const struct work *work, const struct dense_matrix *matrix, int64_t rows,
	int64_t columns, struct view to)
{
	const void *from = matrix_of(work, matrix);

	for (int64_t j = 0; j < columns; j++)
		for (int64_t i = 0; i < rows; i++)
			AT(to, i, j) = type_get(work->dense->type, from, i + j * matrix->ld);
}

static void store(const struct work *work, const struct dense_matrix *matrix, int64_t rows,
	int64_t columns, struct view from)
{
	void *to = matrix_of(work, matrix);

	for (int64_t j = 0; j < columns; j++)
		for (int64_t i = 0; i < rows; i++)
			type_put(work->dense->type, to, i + j * matrix->ld, AT(from, i, j));
}

static void load_values(struct work *work, int64_t count)
{
	const void *from = matrix_of(work, &work->dense->w);

	for (int64_t i = 0; i < count; i++)
		work->values[i] = type_get(work->dense->type, from, i);
}

static void store_values(const struct work *work, int64_t count)
{
	void *to = matrix_of(work, &work->dense->w);

	for (int64_t i = 0; i < count; i++)
		type_put(work->dense->type, to, i, work->values[i]);
}

/* Only one triangle of a symmetric matrix holds. */
static void mirror(struct work *work)
{
	for (int64_t j = 0; j < work->dense->n; j++)
		for (int64_t i = 0; i < j; i++) {
			if (work->dense->upper)
				AT(work->a, j, i) = AT(work->a, i, j);
			else
				AT(work->a, i, j) = AT(work->a, j, i);
		}
}

static void run_getrf(struct work *work)
{
	const struct dense *dense = work->dense;

	load(work, &dense->a, dense->m, dense->n, work->a);
	work->info = factor_lu(dense->m, dense->n, work->a, work->pivots);
	store(work, &dense->a, dense->m, dense->n, work->a);
}

static void run_getrs(struct work *work)
{
	const struct dense *dense = work->dense;
	struct view a = dense->transposed ? view_transposed(work->a) : work->a;

	load(work, &dense->a, dense->m, dense->m, work->a);
	load(work, &dense->b, dense->m, dense->k, work->b);
	if (work->pivots && !dense->transposed)
		factor_exchange(dense->m, dense->k, work->b, work->pivots, 0);
	factor_solve(dense->m, dense->k, a, 0, !dense->transposed, work->b);
	factor_solve(dense->m, dense->k, a, 1, dense->transposed, work->b);
	if (work->pivots && dense->transposed)
		factor_exchange(dense->m, dense->k, work->b, work->pivots, 1);
	store(work, &dense->b, dense->m, dense->k, work->b);
}

static void run_potrf(struct work *work)
{
	const struct dense *dense = work->dense;

	load(work, &dense->a, dense->n, dense->n, work->a);
	work->info = factor_cholesky(dense->n, dense->upper ? view_transposed(work->a) : work->a);
	store(work, &dense->a, dense->n, dense->n, work->a);
}

static void run_potrs(struct work *work)
{
	const struct dense *dense = work->dense;
	struct view lower = dense->upper ? view_transposed(work->a) : work->a;

	load(work, &dense->a, dense->m, dense->m, work->a);
	load(work, &dense->b, dense->m, dense->k, work->b);
	factor_solve(dense->m, dense->k, lower, 0, 0, work->b);
	factor_solve(dense->m, dense->k, view_transposed(lower), 1, 0, work->b);
	store(work, &dense->b, dense->m, dense->k, work->b);
}

/* op(a) x = alpha b; from the right it is op(a)' x' = alpha b'. */
static void run_trsm(struct work *work)
{
	const struct dense *dense = work->dense;
	int64_t size = dense->right ? dense->n : dense->m;
	int turned = dense->transposed != dense->right;
	struct view b = dense->right ? view_transposed(work->b) : work->b;

	load(work, &dense->a, size, size, work->a);
	load(work, &dense->b, dense->m, dense->n, work->b);
	for (int64_t i = 0; i < dense->m * dense->n; i++)
		work->b.data[i] *= dense->alpha;
	factor_solve(size, dense->right ? dense->m : dense->n,
		turned ? view_transposed(work->a) : work->a, dense->upper != turned, dense->unit,
		b);
	store(work, &dense->b, dense->m, dense->n, work->b);
}

static void run_geqrf(struct work *work)
{
	const struct dense *dense = work->dense;

	load(work, &dense->a, dense->m, dense->n, work->a);
	factor_qr(dense->m, dense->n, work->a, work->values);
	store(work, &dense->a, dense->m, dense->n, work->a);
	store_values(work, work->least);
}

/* The first n columns of Q: Q times those of the identity. */
static void run_orgqr(struct work *work)
{
	const struct dense *dense = work->dense;

	load(work, &dense->a, dense->m, dense->n, work->a);
	load_values(work, dense->k);
	for (int64_t j = 0; j < dense->n; j++)
		for (int64_t i = 0; i < dense->m; i++)
			AT(work->b, i, j) = i == j;
	factor_apply(dense->m, dense->n, dense->k, work->a, work->values, 0, work->b);
	store(work, &dense->a, dense->m, dense->n, work->b);
}

/* Q b, or b Q = (Q' b')'. */
static void run_ormqr(struct work *work)
{
	const struct dense *dense = work->dense;
	int64_t rows = dense->right ? dense->n : dense->m;

	load(work, &dense->a, rows, dense->k, work->a);
	load(work, &dense->b, dense->m, dense->n, work->b);
	load_values(work, dense->k);
	factor_apply(rows, dense->right ? dense->m : dense->n, dense->k, work->a, work->values,
		dense->transposed != dense->right,
		dense->right ? view_transposed(work->b) : work->b);
	store(work, &dense->b, dense->m, dense->n, work->b);
}

static void run_syevd(struct work *work)
{
	const struct dense *dense = work->dense;

	load(work, &dense->a, dense->n, dense->n, work->a);
	mirror(work);
	factor_eigen(dense->n, work->a, work->v, work->values);
	if (dense->vectors)
		store(work, &dense->a, dense->n, dense->n, work->v);
	store_values(work, dense->n);
}

/* Columns of the left vectors: values taken out, those without a value found anew. */
static void norm_left(struct work *work, struct view left, int64_t rows, int64_t columns)
{
	int64_t rank = 0;

	while (rank < work->least && work->values[rank] > 1e-13 * work->values[0])
		rank++;
	for (int64_t j = 0; j < rank; j++)
		for (int64_t i = 0; i < rows; i++)
			AT(left, i, j) /= work->values[j];
	factor_complete(rows, columns, rank, left);
}

/* A wide matrix is done as its transpose: U and V are exchanged. */
static void run_gesvd(struct work *work)
{
	const struct dense *dense = work->dense;
	int wide = dense->m < dense->n;
	struct view a = wide ? view_transposed(work->a) : work->a;
	int64_t columns = dense->full ? work->most : work->least;

	load(work, &dense->a, dense->m, dense->n, work->a);
	/* the long side's vectors in b, which has room for all of them */
	for (int64_t j = 0; j < work->least; j++)
		for (int64_t i = 0; i < work->most; i++)
			AT(work->b, i, j) = AT(a, i, j);
	factor_singular(work->most, work->least, work->b, work->v, work->values);
	store_values(work, work->least);
	if (!dense->vectors)
		return;
	norm_left(work, work->b, work->most, columns);
	store(work, wide ? &dense->v : &dense->b, dense->v_is_rows && wide ? columns : work->most,
		dense->v_is_rows && wide ? work->most : columns,
		dense->v_is_rows && wide ? view_transposed(work->b) : work->b);
	store(work, wide ? &dense->b : &dense->v, work->least, work->least,
		dense->v_is_rows && !wide ? view_transposed(work->v) : work->v);
}

#define RUN(id, function) [DENSE_##id] = function
static void (*const runs[])(struct work *work) = {RUN(GETRF, run_getrf), RUN(GETRS, run_getrs),
	RUN(POTRF, run_potrf), RUN(POTRS, run_potrs), RUN(TRSM, run_trsm), RUN(GEQRF, run_geqrf),
	RUN(ORGQR, run_orgqr), RUN(ORMQR, run_ormqr), RUN(SYEVD, run_syevd), RUN(GESVD, run_gesvd)};
#undef RUN

/* What later jobs read must be sane all the same: values of 1, no reflection, no exchange. */
static void leave_as_is(struct work *work)
{
	const struct dense *dense = work->dense;
	int has_values = dense->job == DENSE_SYEVD || dense->job == DENSE_GESVD;

	for (int64_t i = 0; i < work->least; i++) {
		work->values[i] = has_values;
		if (work->pivots && dense->job == DENSE_GETRF)
			work->pivots[i] = (int)i + 1;
	}
	if (has_values || dense->job == DENSE_GEQRF)
		store_values(work, work->least);
}

void dense_effect(const struct compute_launch *launch)
{
	const struct dense *dense = launch->args[0];
	int64_t most = dense->m > dense->n ? dense->m : dense->n;
	int64_t side = most > dense->k ? most : dense->k;
	int computes = launcher_affords(
		"a decomposition", operations_of(dense), "its matrices stay as they were");
	double *room = calloc((size_t)((computes ? 3 * side * side : 0) + side), sizeof(double));

	for (int64_t number = 0; room && number < dense->batch; number++) {
		struct work work = {.dense = dense, .number = number, .most = most};
		double *rest = room;

		work.least = dense->m < dense->n ? dense->m : dense->n;
		if (computes) {
			work.a = take(&rest,
				dense->job == DENSE_GEQRF || dense->job == DENSE_GETRF ? dense->m
										       : side,
				side);
			work.b = take(&rest, side, side);
			work.v = take(&rest, side, side);
		}
		work.values = rest;
		if (dense->pivots)
			work.pivots = dense->pivots + number * work.least;
		if (computes)
			runs[dense->job](&work);
		else
			leave_as_is(&work);
		if (dense->info)
			dense->info[number] = work.info;
	}
	free(room);
}
