/* SPDX-License-Identifier: MIT */
/* Layer and RMS normalisation over rows, and batch normalisation with channels last. */
#include <math.h>

#include "kernel.h"
#include "name.h"

/* Rows of a normalisation: one block each, or as many as a first parameter says. */
static int64_t rows_of(const struct kernel *kernel, const struct compute_launch *launch)
{
	return kernel->count ? kernel_int(kernel, launch, 0) : launch->grid[0];
}

/* flags: RMS, no mean; count: a number of rows comes first */
static int bind(struct kernel *kernel, size_t parameters)
{
	char rms[16];

	if (!kernel_bind_simple(kernel))
		return 0;
	kernel->flags = name_argument(kernel->name, 2, rms, sizeof(rms)) && !strcmp(rms, "true");
	kernel->count = strlen(kernel->params) > parameters;
	return kernel->types[0] != TYPE_NONE && kernel->types[1] != TYPE_NONE;
}

int norm_bind_moments(struct kernel *kernel)
{
	return bind(kernel, 5);
}

int norm_bind_forward(struct kernel *kernel)
{
	return bind(kernel, 7);
}

int norm_bind(struct kernel *kernel)
{
	return bind(kernel, 64);
}

struct moments {
	double mean;
	double rstd;
};

static struct moments moments_of(
	enum type type, const void *x, int64_t begin, int64_t count, double epsilon, int rms)
{
	struct moments moments = {0};
	double squares = 0;

	for (int64_t i = 0; !rms && i < count; i++)
		moments.mean += type_get(type, x, begin + i) / (double)count;
	for (int64_t i = 0; i < count; i++) {
		double distance = type_get(type, x, begin + i) - moments.mean;

		squares += distance * distance / (double)count;
	}
	moments.rstd = 1 / sqrt(squares + epsilon);
	return moments;
}

/* <type, calculating, rms>([rows,] count, epsilon, x, mean, rstd) */
void norm_run_moments(const struct kernel *kernel, const struct compute_launch *launch)
{
	int at = kernel->count;
	enum type type = kernel->types[0], acc = kernel->types[1];
	int64_t count = kernel_int(kernel, launch, at);
	double epsilon = type_get(acc, launch->args[at + 1], 0);

	for (int64_t row = 0; row < rows_of(kernel, launch); row++) {
		struct moments moments = moments_of(
			type, POINTER(launch, at + 2), row * count, count, epsilon, kernel->flags);

		if (!kernel->flags)
			type_put(acc, POINTER(launch, at + 3), row, moments.mean);
		type_put(acc, POINTER(launch, at + 4), row, moments.rstd);
	}
}

/* gamma, beta: NULL means 1, 0 */
static void apply(const struct kernel *kernel, int64_t row, int64_t count, struct moments moments,
	const void *x, const void *gamma, const void *beta, void *y)
{
	enum type type = kernel->types[0];

	for (int64_t i = 0; i < count; i++) {
		double value = (type_get(type, x, row * count + i) - moments.mean) * moments.rstd;

		if (gamma)
			value *= type_get(type, gamma, i);
		if (beta && !kernel->flags)
			value += type_get(type, beta, i);
		type_put(type, y, row * count + i, value);
	}
}

static struct moments stored_moments(
	const struct kernel *kernel, const void *mean, const void *rstd, int64_t row)
{
	enum type acc = kernel->types[1];

	return (struct moments){
		kernel->flags ? 0 : type_get(acc, mean, row), type_get(acc, rstd, row)};
}

/* <type, calculating, rms>([rows,] count, x, mean, rstd, gamma, beta, y) */
void norm_run_forward(const struct kernel *kernel, const struct compute_launch *launch)
{
	int at = kernel->count;

	for (int64_t row = 0; row < rows_of(kernel, launch); row++)
		apply(kernel, row, kernel_int(kernel, launch, at),
			stored_moments(
				kernel, POINTER(launch, at + 2), POINTER(launch, at + 3), row),
			POINTER(launch, at + 1), POINTER(launch, at + 4), POINTER(launch, at + 5),
			POINTER(launch, at + 6));
}

/* <type, calculating, rms>(count, epsilon, x, gamma, beta, mean, rstd, y) */
void norm_run_whole(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type acc = kernel->types[1];
	int64_t count = kernel_int(kernel, launch, 0);

	for (int64_t row = 0; row < launch->grid[0]; row++) {
		struct moments moments = moments_of(kernel->types[0], POINTER(launch, 2),
			row * count, count, type_get(acc, launch->args[1], 0), kernel->flags);

		if (!kernel->flags)
			type_put(acc, POINTER(launch, 5), row, moments.mean);
		type_put(acc, POINTER(launch, 6), row, moments.rstd);
		apply(kernel, row, count, moments, POINTER(launch, 2), POINTER(launch, 3),
			POINTER(launch, 4), POINTER(launch, 7));
	}
}

/* <type, calculating, rms>(dy, x, mean, rstd, gamma, dx, count) */
void norm_run_backward(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0];
	const void *dy = POINTER(launch, 0), *x = POINTER(launch, 1), *gamma = POINTER(launch, 4);
	int64_t count = kernel_int(kernel, launch, 6);

	for (int64_t row = 0; row < launch->grid[0]; row++) {
		struct moments m =
			stored_moments(kernel, POINTER(launch, 2), POINTER(launch, 3), row);
		double sum = 0, product = 0;

		for (int64_t pass = 0; pass < 2; pass++)
			for (int64_t i = 0, n = row * count; i < count; i++, n++) {
				double slope = type_get(type, dy, n) *
					       (gamma ? type_get(type, gamma, i) : 1);
				double unit = (type_get(type, x, n) - m.mean) * m.rstd;

				if (pass)
					type_put(type, POINTER(launch, 5), n,
						m.rstd * (slope - (kernel->flags ? 0 : sum) -
								 unit * product));
				else {
					sum += slope / (double)count;
					product += slope * unit / (double)count;
				}
			}
	}
}

/* rms is the last template argument; partial sums: one row of results for each grid row */
int norm_bind_gamma(struct kernel *kernel)
{
	char argument[16];

	if (!norm_bind(kernel))
		return 0;
	kernel->flags = 0;
	kernel->count = 0;
	if (!strstr(kernel->name, "Template<"))
		return 1;
	kernel->count = name_argument(kernel->name, 5, argument, sizeof(argument)) &&
			!strcmp(argument, "true");
	kernel->flags = name_argument(kernel->name, 7, argument, sizeof(argument)) &&
			!strcmp(argument, "true");
	return 1;
}

/* <type, calculating, ...>(rows, count, dy, x, mean, rstd, dgamma, dbeta) */
void norm_run_gamma(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0];
	int64_t rows = kernel_int(kernel, launch, 0), count = kernel_int(kernel, launch, 1);
	int64_t parts = kernel->count ? launch->grid[1] : 1;
	void *dgamma = POINTER(launch, 6), *dbeta = POINTER(launch, 7);

	for (int64_t i = 0; i < count; i++) {
		double gamma = 0, beta = 0;

		for (int64_t row = 0; row < rows; row++) {
			struct moments m =
				stored_moments(kernel, POINTER(launch, 4), POINTER(launch, 5), row);
			double slope = type_get(type, POINTER(launch, 2), row * count + i);
			double x = type_get(type, POINTER(launch, 3), row * count + i);

			gamma += slope * (x - m.mean) * m.rstd;
			beta += slope;
		}
		for (int64_t part = 0; part < parts; part++) { /* everything in the first part */
			if (dgamma)
				type_put(type, dgamma, part * count + i, part ? 0 : gamma);
			if (dbeta && !kernel->flags)
				type_put(type, dbeta, part * count + i, part ? 0 : beta);
		}
	}
}
