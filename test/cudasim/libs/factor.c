/* SPDX-License-Identifier: MIT */
#include "factor.h"

#include <math.h>

enum {
	SWEEPS = 60 /* of rotations; a dozen are enough for any matrix that is sane */
};

static void exchange(double *a, double *b)
{
	double kept = *a;

	*a = *b;
	*b = kept;
}

int factor_lu(int64_t m, int64_t n, struct view a, int *pivots)
{
	int zero = 0;

	for (int64_t k = 0; k < (m < n ? m : n); k++) {
		int64_t best = k;

		for (int64_t i = k + 1; pivots && i < m; i++)
			best = fabs(AT(a, i, k)) > fabs(AT(a, best, k)) ? i : best;
		for (int64_t j = 0; best != k && j < n; j++)
			exchange(&AT(a, k, j), &AT(a, best, j));
		if (pivots)
			pivots[k] = (int)best + 1;
		if (AT(a, k, k) == 0) {
			zero = zero ? zero : (int)k + 1;
			continue;
		}
		for (int64_t i = k + 1; i < m; i++) {
			AT(a, i, k) /= AT(a, k, k);
			for (int64_t j = k + 1; j < n; j++)
				AT(a, i, j) -= AT(a, i, k) * AT(a, k, j);
		}
	}
	return zero;
}

void factor_exchange(int64_t m, int64_t n, struct view b, const int *pivots, int backwards)
{
	for (int64_t step = 0; step < m; step++) {
		int64_t i = backwards ? m - 1 - step : step;

		for (int64_t j = 0; j < n && pivots[i] - 1 != i; j++)
			exchange(&AT(b, i, j), &AT(b, pivots[i] - 1, j));
	}
}

int factor_cholesky(int64_t n, struct view a)
{
	for (int64_t j = 0; j < n; j++) {
		double rest = AT(a, j, j);

		for (int64_t p = 0; p < j; p++)
			rest -= AT(a, j, p) * AT(a, j, p);
		if (!(rest > 0))
			return (int)j + 1;
		AT(a, j, j) = sqrt(rest);
		for (int64_t i = j + 1; i < n; i++) {
			double sum = AT(a, i, j);

			for (int64_t p = 0; p < j; p++)
				sum -= AT(a, i, p) * AT(a, j, p);
			AT(a, i, j) = sum / AT(a, j, j);
		}
	}
	return 0;
}

void factor_solve(int64_t n, int64_t k, struct view a, int upper, int unit, struct view b)
{
	for (int64_t column = 0; column < k; column++)
		for (int64_t step = 0; step < n; step++) {
			int64_t i = upper ? n - 1 - step : step;
			double sum = AT(b, i, column);

			for (int64_t p = upper ? i + 1 : 0; p < (upper ? n : i); p++)
				sum -= AT(a, i, p) * AT(b, p, column);
			AT(b, i, column) = unit ? sum : sum / AT(a, i, i);
		}
}

/* b -= tau v (v' b), where v is column k of a below the diagonal, with 1 on it. */
static void reflect(
	int64_t m, int64_t from, int64_t to, struct view a, int64_t k, double tau, struct view b)
{
	for (int64_t j = from; j < to; j++) {
		double sum = AT(b, k, j);

		for (int64_t i = k + 1; i < m; i++)
			sum += AT(a, i, k) * AT(b, i, j);
		sum *= tau;
		AT(b, k, j) -= sum;
		for (int64_t i = k + 1; i < m; i++)
			AT(b, i, j) -= AT(a, i, k) * sum;
	}
}

void factor_qr(int64_t m, int64_t n, struct view a, double *tau)
{
	for (int64_t k = 0; k < (m < n ? m : n); k++) {
		double alpha = AT(a, k, k), below = 0, beta;

		for (int64_t i = k + 1; i < m; i++)
			below += AT(a, i, k) * AT(a, i, k);
		tau[k] = 0;
		if (below == 0)
			continue;
		beta = -copysign(sqrt(alpha * alpha + below), alpha);
		tau[k] = (beta - alpha) / beta;
		for (int64_t i = k + 1; i < m; i++)
			AT(a, i, k) /= alpha - beta;
		AT(a, k, k) = beta;
		reflect(m, k + 1, n, a, k, tau[k], a);
	}
}

void factor_apply(int64_t m, int64_t n, int64_t k, struct view a, const double *tau, int transposed,
	struct view b)
{
	for (int64_t step = 0; step < k; step++) {
		int64_t i = transposed ? step : k - 1 - step;

		reflect(m, 0, n, a, i, tau[i], b);
	}
}

/* Columns p and q, turned by the angle with that cosine and sine. */
static void turn(int64_t m, struct view a, int64_t p, int64_t q, double cosine, double sine)
{
	for (int64_t i = 0; i < m; i++) {
		double x = AT(a, i, p), y = AT(a, i, q);

		AT(a, i, p) = cosine * x - sine * y;
		AT(a, i, q) = sine * x + cosine * y;
	}
}

/* The angle by which columns with those squares and that product become orthogonal. */
static void angle(double p, double q, double product, double *ret_cosine, double *ret_sine)
{
	double zeta = (q - p) / (2 * product);
	double tangent = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));

	*ret_cosine = 1 / sqrt(1 + tangent * tangent);
	*ret_sine = *ret_cosine * tangent;
}

/* One sweep over all pairs of columns; v turns with them. Returns how many were turned. */
static int sweep(int64_t m, int64_t n, struct view a, struct view v)
{
	int turned = 0;

	for (int64_t p = 0; p + 1 < n; p++)
		for (int64_t q = p + 1; q < n; q++) {
			double of_p = 0, of_q = 0, product = 0, cosine, sine;

			for (int64_t i = 0; i < m; i++) {
				of_p += AT(a, i, p) * AT(a, i, p);
				of_q += AT(a, i, q) * AT(a, i, q);
				product += AT(a, i, p) * AT(a, i, q);
			}
			if (!(fabs(product) > 1e-15 * sqrt(of_p * of_q)))
				continue;
			angle(of_p, of_q, product, &cosine, &sine);
			turn(m, a, p, q, cosine, sine);
			turn(n, v, p, q, cosine, sine);
			turned++;
		}
	return turned;
}

/* Columns of a (m) and v (n), ordered by the values; descending or ascending. */
static void order(int64_t m, int64_t n, struct view a, struct view v, double *values, int down)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t best = i;

		for (int64_t j = i + 1; j < n; j++)
			if (down ? values[j] > values[best] : values[j] < values[best])
				best = j;
		if (best == i)
			continue;
		exchange(&values[i], &values[best]);
		for (int64_t r = 0; r < m; r++)
			exchange(&AT(a, r, i), &AT(a, r, best));
		for (int64_t r = 0; v.data && r < n; r++)
			exchange(&AT(v, r, i), &AT(v, r, best));
	}
}

static void set_identity(int64_t n, struct view v)
{
	for (int64_t i = 0; i < n; i++)
		for (int64_t j = 0; j < n; j++)
			AT(v, i, j) = i == j;
}

void factor_singular(int64_t m, int64_t n, struct view a, struct view v, double *values)
{
	set_identity(n, v);
	for (int count = 0; count < SWEEPS && sweep(m, n, a, v); count++)
		;
	for (int64_t j = 0; j < n; j++) {
		values[j] = 0;
		for (int64_t i = 0; i < m; i++)
			values[j] += AT(a, i, j) * AT(a, i, j);
		values[j] = sqrt(values[j]);
	}
	order(m, n, a, v, values, 1);
}

/* One sweep over all elements above the diagonal. Returns how many were not 0. */
static int sweep_symmetric(int64_t n, struct view a, struct view v)
{
	int turned = 0;

	for (int64_t p = 0; p + 1 < n; p++)
		for (int64_t q = p + 1; q < n; q++) {
			double size = sqrt(fabs(AT(a, p, p) * AT(a, q, q))), cosine, sine;

			if (!(fabs(AT(a, p, q)) > 1e-15 * size + 1e-300))
				continue;
			angle(AT(a, p, p), AT(a, q, q), AT(a, p, q), &cosine, &sine);
			turn(n, a, p, q, cosine, sine);
			turn(n, view_transposed(a), p, q, cosine, sine);
			turn(n, v, p, q, cosine, sine);
			turned++;
		}
	return turned;
}

void factor_eigen(int64_t n, struct view a, struct view v, double *values)
{
	set_identity(n, v);
	for (int count = 0; count < SWEEPS && sweep_symmetric(n, a, v); count++)
		;
	for (int64_t i = 0; i < n; i++)
		values[i] = AT(a, i, i);
	order(n, n, v, (struct view){0}, values, 0);
}

void factor_complete(int64_t m, int64_t n, int64_t done, struct view a)
{
	int64_t next = 0;

	for (int64_t j = done; j < n; j++) {
		double length = 0;

		for (; length < 1e-4 && next < m; next++) {
			for (int64_t i = 0; i < m; i++)
				AT(a, i, j) = i == next;
			for (int64_t p = 0; p < 2 * j; p++) { /* twice, against rounding */
				double product = 0;

				for (int64_t i = 0; i < m; i++)
					product += AT(a, i, p % j) * AT(a, i, j);
				for (int64_t i = 0; i < m; i++)
					AT(a, i, j) -= product * AT(a, i, p % j);
			}
			length = 0;
			for (int64_t i = 0; i < m; i++)
				length += AT(a, i, j) * AT(a, i, j);
		}
		for (int64_t i = 0; i < m && length > 0; i++)
			AT(a, i, j) /= sqrt(length);
	}
}
