/* SPDX-License-Identifier: MIT */
/* List kernels that are a whole step: fused optimisers, gradient scaling and norms. */
#include <math.h>

#include "foreach.h"
#include "name.h"

/* UnaryOpFunctor with the scaler's lambda {float *found_inf, const float *inverse_scale}. */
int unscale_bind(struct kernel *kernel)
{
	char functor[256];

	if (!strstr(kernel->name, "_amp_foreach_non_finite_check_and_unscale_cuda_") ||
		!foreach_bind(kernel) || !name_argument(kernel->name, 1, functor, sizeof(functor)))
		return 0;
	kernel->types[1] = name_type(functor, 0);
	kernel->params = "Lb#";
	kernel->sizes[0] = 16;
	return kernel->types[1] != TYPE_NONE;
}

void unscale_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct foreach_lists lists = foreach_begin(kernel, launch);
	float *found = FIELD_AT(launch->args[2], 0, float *);
	float inverse = *FIELD_AT(launch->args[2], 8, const float *);

	for (uint32_t block = 0; block < launch->grid[0]; block++) {
		struct foreach_chunk chunk = foreach_chunk(&lists, block);

		for (int64_t i = chunk.begin; i < chunk.end; i++) {
			double value = type_get(kernel->types[1], chunk.data[0], i);

			if (!isfinite(value))
				*found = 1;
			type_put(kernel->types[1], chunk.data[0], i, value * inverse);
		}
	}
}

/* (float *scale, int *successes, const float *found_inf, double growth, double backoff, int) */
void update_scale_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	float *scale = ARG(launch, 0, float *);
	int32_t *successes = ARG(launch, 1, int32_t *);
	double growth = ARG(launch, 3, double), backoff = ARG(launch, 4, double);

	(void)kernel;
	if (*ARG(launch, 2, const float *) != 0) {
		*scale = (float)(*scale * backoff);
		*successes = 0;
	} else if (++*successes == ARG(launch, 5, int32_t)) {
		float grown = (float)(*scale * growth);

		if (isfinite(grown))
			*scale = grown;
		*successes = 0;
	}
}

/* FusedAdamMathFunctor<type, lists, mode (0 Adam, 1 AdamW), amsgrad> */
int fused_adam_bind(struct kernel *kernel)
{
	char functor[256], mode[64];

	if (!name_argument(kernel->name, 1, functor, sizeof(functor)) ||
		strncmp(functor, "FusedAdamMathFunctor<", 21) ||
		!name_argument(functor, 2, mode, sizeof(mode)) || !foreach_bind(kernel) ||
		kernel->flags != LAYOUT_STEPS)
		return 0;
	kernel->types[1] = name_type(functor, 0);
	kernel->offset = strchr(mode, '1') != NULL;
	kernel->params = "Lbppppppbpp";
	return kernel->types[1] != TYPE_NONE;
}

struct adam {
	double rate, beta1, beta2, decay, epsilon;
	int maximize, decoupled;
	const float *scale;
	double correction1, correction2_root;
};

static void adam_element(const struct adam *adam, enum type type, const struct foreach_chunk *chunk,
	int lists, int64_t i)
{
	double param = type_get(type, chunk->data[0], i);
	double grad = type_get(type, chunk->data[1], i);
	double mean = type_get(type, chunk->data[2], i);
	double square = type_get(type, chunk->data[3], i), divisor;

	if (adam->scale) {
		grad /= *adam->scale;
		type_put(type, chunk->data[1], i, grad);
	}
	if (adam->maximize)
		grad = -grad;
	if (adam->decoupled)
		param -= adam->rate * adam->decay * param;
	else
		grad += param * adam->decay;
	mean = adam->beta1 * mean + (1 - adam->beta1) * grad;
	square = adam->beta2 * square + (1 - adam->beta2) * grad * grad;
	divisor = square;
	if (lists == 5) {
		divisor = fmax(type_get(type, chunk->data[4], i), square);
		type_put(type, chunk->data[4], i, divisor);
	}
	param -= adam->rate / adam->correction1 * mean /
		 (sqrt(divisor) / adam->correction2_root + adam->epsilon);
	type_put(type, chunk->data[0], i, param);
	type_put(type, chunk->data[2], i, mean);
	type_put(type, chunk->data[3], i, square);
}

/* (lists, functor, const float *rate, rate, beta1, beta2, decay, epsilon, maximize, scale, inf) */
void fused_adam_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct foreach_lists lists = foreach_begin(kernel, launch);
	const float *rate = ARG(launch, 2, const float *), *inf = ARG(launch, 10, const float *);
	struct adam adam = {
		.rate = rate ? *rate : ARG(launch, 3, double),
		.beta1 = ARG(launch, 4, double),
		.beta2 = ARG(launch, 5, double),
		.decay = ARG(launch, 6, double),
		.epsilon = ARG(launch, 7, double),
		.maximize = ARG(launch, 8, uint8_t),
		.decoupled = (int)kernel->offset,
		.scale = ARG(launch, 9, const float *),
	};

	if (inf && *inf == 1)
		return;
	for (uint32_t block = 0; block < launch->grid[0]; block++) {
		struct foreach_chunk chunk = foreach_chunk(&lists, block);
		const float *step = FIELD_AT(
			lists.data, lists.extra_at + 8 * (size_t)chunk.tensor, const float *);

		adam.correction1 = 1 - pow(adam.beta1, *step);
		adam.correction2_root = sqrt(1 - pow(adam.beta2, *step));
		for (int64_t i = chunk.begin; i < chunk.end; i++)
			adam_element(&adam, kernel->types[1], &chunk, lists.lists, i);
	}
}

/* FusedSgdMathFunctor<type, lists (3 with momentum)> */
int fused_sgd_bind(struct kernel *kernel)
{
	char functor[256];

	if (!name_argument(kernel->name, 1, functor, sizeof(functor)) ||
		strncmp(functor, "FusedSgdMathFunctor<", 20) || !foreach_bind(kernel))
		return 0;
	kernel->types[1] = name_type(functor, 0);
	kernel->params = "Lbpppppbbbpp";
	return kernel->types[1] != TYPE_NONE;
}

/*
 * (lists, functor, decay, momentum, const float *rate, rate, dampening, nesterov, maximize,
 * first step, scale, inf)
 */
void fused_sgd_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct foreach_lists lists = foreach_begin(kernel, launch);
	const float *tensor_rate = ARG(launch, 4, const float *);
	double decay = ARG(launch, 2, double), momentum = ARG(launch, 3, double);
	double rate = tensor_rate ? *tensor_rate : ARG(launch, 5, double);
	double dampening = ARG(launch, 6, double);
	const float *scale = ARG(launch, 10, const float *);
	const float *inf = ARG(launch, 11, const float *);
	enum type type = kernel->types[1];

	if (inf && *inf == 1)
		return;
	for (uint32_t block = 0; block < launch->grid[0]; block++) {
		struct foreach_chunk chunk = foreach_chunk(&lists, block);

		for (int64_t i = chunk.begin; i < chunk.end; i++) {
			double param = type_get(type, chunk.data[0], i);
			double grad = type_get(type, chunk.data[1], i);

			if (scale) {
				grad /= *scale;
				type_put(type, chunk.data[1], i, grad);
			}
			grad += decay * param;
			if (lists.lists > 2) {
				double buffer =
					ARG(launch, 9, uint8_t)
						? grad
						: momentum * type_get(type, chunk.data[2], i) +
							  (1 - dampening) * grad;

				type_put(type, chunk.data[2], i, buffer);
				grad = ARG(launch, 7, uint8_t) ? grad + momentum * buffer : buffer;
			}
			type_put(type, chunk.data[0], i,
				param + (ARG(launch, 8, uint8_t) ? rate : -rate) * grad);
		}
	}
}
