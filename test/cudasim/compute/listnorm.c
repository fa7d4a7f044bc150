/* SPDX-License-Identifier: MIT */
/* Norms of lists of tensors, as gradient clipping asks for: partial sums, then one per tensor. */
#include <math.h>

#include "foreach.h"
#include "name.h"

enum norm_kind {
	NORM_COUNT, /* elements that are not zero */
	NORM_SUM,
	NORM_SQUARES,
	NORM_LARGEST
};

/*
 * Releases that can also count number the kinds from there, and pass where each tensor's parts
 * begin instead of how many each may have; flags says that it is such a release.
 */
static int bind_kind(struct kernel *kernel, const char *text, int argument)
{
	char kind[64];

	if (!name_argument(text, argument, kind, sizeof(kind)) || strncmp(kind, "(NormType)", 10))
		return 0;
	kernel->flags = strstr(kernel->name, "long const*") != NULL;
	kernel->offset = (size_t)(kind[10] - '0') + !kernel->flags;
	kernel->types[1] = name_type(text, 0);
	kernel->types[2] = name_type(text, 2);
	return kernel->types[1] != TYPE_NONE && kernel->types[2] != TYPE_NONE &&
	       kernel->offset <= NORM_LARGEST;
}

/* multi_tensor_apply_kernel<lists, LpNormFunctor<type, kind, out type, ...>, ...> */
int list_norm_bind(struct kernel *kernel)
{
	char functor[256];

	if (!name_argument(kernel->name, 1, functor, sizeof(functor)) ||
		strncmp(functor, "LpNormFunctor<", 14) || !foreach_bind(kernel))
		return 0;
	kernel->params = NULL;
	return bind_kind(kernel, functor, 1);
}

static double add(enum norm_kind kind, double sum, double value)
{
	switch (kind) {
	case NORM_COUNT:
		return sum + (value != 0);
	case NORM_SUM:
		return sum + fabs(value);
	case NORM_SQUARES:
		return sum + value * value;
	case NORM_LARGEST:
		return isnan(value) || fabs(value) > sum ? fabs(value) : sum;
	}
	return sum;
}

/* (lists, functor, parts, how many each may have or where each begins) */
void list_norm_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct kernel plain = *kernel;
	struct foreach_lists lists;
	int32_t first;

	plain.flags = LAYOUT_PLAIN;
	lists = foreach_begin(&plain, launch);
	first = FIELD_AT(lists.data, lists.start_at, int32_t);
	for (uint32_t block = 0; block < launch->grid[0]; block++) {
		struct foreach_chunk chunk = foreach_chunk(&lists, block);
		int64_t at = first + chunk.tensor;
		double sum = 0;

		for (int64_t i = chunk.begin; i < chunk.end; i++)
			sum = add((enum norm_kind)kernel->offset, sum,
				type_get(kernel->types[1], chunk.data[0], i));
		at = kernel->flags ? ARG(launch, 3, const int64_t *)[at]
				   : at * ARG(launch, 3, int32_t);
		type_put(type_opmath(kernel->types[2]), POINTER(launch, 2), at + chunk.chunk, sum);
	}
}

/* lpnorm_cleanup<type, kind, out type, [root,] ...>(parts, addresses, ...) */
int list_norm_bind_end(struct kernel *kernel)
{
	char root[16];

	if (!bind_kind(kernel, kernel->name, 1))
		return 0;
	kernel->count = kernel->offset == NORM_SQUARES;
	if (kernel->flags && name_argument(kernel->name, 3, root, sizeof(root)) &&
		!strcmp(root, "false"))
		kernel->count = 0;
	return 1;
}

/* (parts, addresses, how many each may have) or (parts, addresses, where each begins, first) */
void list_norm_run_end(const struct kernel *kernel, const struct compute_launch *launch)
{
	void *const *addresses = launch->args[1];
	enum type type = type_opmath(kernel->types[2]);

	for (uint32_t block = 0; block < launch->grid[0]; block++) {
		int64_t begin, end;
		double sum = 0;

		if (kernel->flags) {
			const int64_t *begins = POINTER(launch, 2);

			begin = begins[ARG(launch, 3, int32_t) + (int32_t)block];
			end = begins[ARG(launch, 3, int32_t) + (int32_t)block + 1];
		} else {
			begin = (int64_t)block * ARG(launch, 2, int32_t);
			end = begin + ARG(launch, 2, int32_t);
		}
		for (int64_t i = begin; i < end; i++) {
			double part = type_get(type, POINTER(launch, 0), i);

			sum = kernel->offset == NORM_LARGEST ? fmax(sum, part) : sum + part;
		}
		type_put(kernel->types[2], addresses[block], 0, kernel->count ? sqrt(sum) : sum);
	}
}
