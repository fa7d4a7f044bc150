/* SPDX-License-Identifier: MIT */
/*
 * Decompositions of dense matrices of doubles. Element (i, j) of a view is data[i * row + j *
 * column], so that a transposed matrix is the view with both exchanged. Nothing is checked for
 * overflow; pure functions of what they are given.
 */
#ifndef CUDASIM_LIBS_FACTOR_H
#define CUDASIM_LIBS_FACTOR_H

#include <stdint.h>

struct view {
	double *data;
	int64_t row, column;
};

#define AT(view, i, j) ((view).data[(i) * (view).row + (j) * (view).column])

static inline struct view view_transposed(struct view view)
{
	return (struct view){view.data, view.column, view.row};
}

/* Two factors in place, rows exchanged as pivots says (from 1 on; NULL: none are). 0, or the
 * number (from 1 on) of the first pivot that is 0. */
int factor_lu(int64_t m, int64_t n, struct view a, int *pivots);

/* Exchanges rows of b as pivots says, or, backwards, undoes it. */
void factor_exchange(int64_t m, int64_t n, struct view b, const int *pivots, int backwards);

/* The lower triangle gets the factor. 0, or the order of the first minor that is not positive. */
int factor_cholesky(int64_t n, struct view a);

/* b (n rows, k columns) becomes x with a x = b, where one triangle of a holds; unit: its diagonal
 * is 1. */
void factor_solve(int64_t n, int64_t k, struct view a, int upper, int unit, struct view b);

/* R above, reflectors below the diagonal, their scales in tau, as LAPACK's geqrf. */
void factor_qr(int64_t m, int64_t n, struct view a, double *tau);

/* b becomes Q b, or Q' b; Q is of k reflectors in a, b has m rows and n columns. */
void factor_apply(int64_t m, int64_t n, int64_t k, struct view a, const double *tau, int transposed,
	struct view b);

/* v gets the eigenvectors of a, symmetric and whole, ordered by their values; a is lost. */
void factor_eigen(int64_t n, struct view a, struct view v, double *values);

/*
 * Columns of a (m >= n) become singular values times left vectors; v (n x n) gets the right ones,
 * values the values, descending.
 */
void factor_singular(int64_t m, int64_t n, struct view a, struct view v, double *values);

/* Columns done to n - 1 of a (m rows) become orthonormal to all before them. */
void factor_complete(int64_t m, int64_t n, int64_t done, struct view a);

#endif
