/* SPDX-License-Identifier: MIT */
/*
 * Sparse tensors: their indices packed, flattened and put in order, and their values added to
 * dense ones. Of the sort that is behind coalesce() the first kernel does all the work.
 */
#include <stdlib.h>

#include "kernel.h"
#include "name.h"
#include "tensor.h"

enum {
	FLAT_DIMS = 8 /* length of the array that the lambda captured */
};

/* convert_indices_from_coo_to_csr_cuda_kernel<from, to>(to*, from const*, long rows, long count) */
void sparse_run_pack(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t rows = kernel_int(kernel, launch, 2), count = kernel_int(kernel, launch, 3), at = 0;

	for (int64_t row = 0; row <= rows; row++) {
		while (at < count && type_get_int(kernel->types[0], POINTER(launch, 1), at) < row)
			at++;
		type_put(kernel->types[1], POINTER(launch, 0), row, (double)at);
	}
}

/* convert_indices_from_csr_to_coo_cuda_kernel<from, to>(to*, from const*, rows, count, batches) */
void sparse_run_unpack(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t rows = kernel_int(kernel, launch, 2), count = kernel_int(kernel, launch, 3);

	for (int64_t n = 0; n < rows * kernel_int(kernel, launch, 4); n++) {
		int64_t batch = n / rows, at = n + batch;
		int64_t end = type_get_int(kernel->types[0], POINTER(launch, 1), at + 1);

		for (int64_t i = type_get_int(kernel->types[0], POINTER(launch, 1), at);
			i >= 0 && i < end && i < count; i++)
			type_put(kernel->types[1], POINTER(launch, 0), batch * count + i,
				(double)(n % rows));
	}
}

/* sparseElementwiseKernel[Scalar]<TensorCAddOp<T>, index, T>(factor, dense, indices, values, n) */
int sparse_bind_add(struct kernel *kernel)
{
	char functor[256], index[64];

	if (!name_argument(kernel->name, 0, functor, sizeof(functor)) ||
		strncmp(functor, "TensorCAddOp<", 13) ||
		!name_argument(kernel->name, 1, index, sizeof(index)))
		return 0;
	kernel->types[0] = name_type(kernel->name, 2);
	kernel->flags = strstr(index, "long") != NULL; /* width of numbers */
	kernel->count = strstr(kernel->name, "KernelScalar<") != NULL;
	return kernel->types[0] != TYPE_NONE;
}

void sparse_run_add(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct tensor dense = tensor_view(launch->args[1], kernel->flags);
	struct tensor indices = tensor_view(launch->args[2], kernel->flags);
	struct tensor values = tensor_view(launch->args[3], kernel->flags);
	double factor = type_get(kernel->types[0], launch->args[0], 0);
	int64_t count = type_get_int(kernel->flags ? TYPE_INT64 : TYPE_INT32, launch->args[4], 0);
	int64_t size = kernel->count ? 1 : values.strides[0];

	for (int64_t n = 0; n < count; n++) {
		int64_t at = 0;

		for (int64_t d = 0; d < indices.sizes[0]; d++)
			at += dense.strides[d] * ((int64_t *)indices.data)[d * indices.strides[0] +
									   n * indices.strides[1]];
		for (int64_t i = at; i < at + size; i++)
			type_put(kernel->types[0], dense.data, i,
				type_get(kernel->types[0], dense.data, i) +
					factor * type_get(kernel->types[0], values.data,
							 n * values.strides[0] + i - at));
	}
}

/* vectorized_elementwise_kernel<n, _flatten_indices_impl's lambda(long)>(int n, lambda, data[2]) */
int sparse_bind_flatten(struct kernel *kernel)
{
	return strstr(kernel->name, "_flatten_indices_impl<") &&
	       strstr(kernel->name, "lambda(long)");
}

/* {indices, distance of elements, dimensions, factor of each[8], distance of dimensions} */
void sparse_run_flatten(const struct kernel *kernel, const struct compute_launch *launch)
{
	const int64_t *lambda = launch->args[1], *indices = POINTER(launch, 1);
	char *const *data = launch->args[2];

	(void)kernel;
	for (int64_t n = 0; n < ARG(launch, 0, int32_t); n++) {
		const int64_t *at = indices + ((int64_t *)data[1])[n] * lambda[1];
		int64_t flat = 0;

		for (int64_t d = 0; d < lambda[2] && d < FLAT_DIMS; d++)
			flat += at[d * lambda[3 + FLAT_DIMS]] * lambda[3 + d];
		((int64_t *)data[0])[n] = flat;
	}
}

/*
 * transform_kernel<..., counting_iterator<long ...>>(long or int n, int, bool, always, identity,
 * long *to, {start})
 */
int sparse_bind_count(struct kernel *kernel)
{
	char index[64];

	if (!strstr(kernel->name, "counting_iterator<long") || !strstr(kernel->name, "identity") ||
		!name_argument(kernel->name, 1, index, sizeof(index)))
		return 0;
	kernel->types[0] = type_parse(index);
	return kernel->types[0] != TYPE_NONE;
}

void sparse_run_count(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t *to = POINTER(launch, 5), start = ARG(launch, 6, int64_t);

	for (int64_t i = 0; i < type_get_int(kernel->types[0], launch->args[0], 0); i++)
		to[i] = start + i;
}

/* for_each::static_kernel<policy, long, unary_transform_f<counting_iterator<long ...>>>(long count,
 * {start, long *to}): the same of an older release */
int sparse_bind_count_older(struct kernel *kernel)
{
	return strstr(kernel->name, "unary_transform_f<") &&
	       strstr(kernel->name, "identity<long>") &&
	       strstr(kernel->name, "counting_iterator<long") &&
	       name_type(kernel->name, 1) == TYPE_INT64;
}

void sparse_run_count_older(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t start = FIELD_AT(launch->args[1], 0, int64_t);
	int64_t *to = FIELD_AT(launch->args[1], 8, int64_t *);

	(void)kernel;
	for (int64_t i = 0; i < ARG(launch, 0, int64_t); i++)
		to[i] = start + i;
}

/*
 * DeviceMergeSortBlockSortKernel<policy, keys, items, keys, items, index, LTOp<long>, ...>(
 * bool, keys, items, to_keys, to_items, count, other_keys, other_items, ...): keys and items of
 * int64; what merges the blocks afterwards finds both places done.
 */
int sparse_bind_sort(struct kernel *kernel)
{
	char order[256], index[64];

	if (!name_argument(kernel->name, 6, order, sizeof(order)) ||
		strncmp(order, "LTOp<long", 9) ||
		!name_argument(kernel->name, 5, index, sizeof(index)) ||
		name_type(kernel->name, 7) != TYPE_INT64 ||
		name_type(kernel->name, 8) != TYPE_INT64)
		return 0;
	kernel->types[0] = type_parse(index);
	return kernel->types[0] != TYPE_NONE;
}

/* DeviceMergeSort{Partition,Merge}Kernel<...> of such a sort */
int sparse_bind_merge(struct kernel *kernel)
{
	return strstr(kernel->name, "LTOp<long") != NULL;
}

struct pair {
	int64_t key, item, at;
};

static int by_key(const void *a, const void *b)
{
	const struct pair *first = a, *second = b;

	if (first->key != second->key)
		return first->key < second->key ? -1 : 1;
	return first->at < second->at ? -1 : 1;
}

void sparse_run_sort(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t count = type_get_int(kernel->types[0], launch->args[5], 0);
	const int64_t *keys = POINTER(launch, 1), *items = POINTER(launch, 2);
	int64_t *to[] = {
		POINTER(launch, 3), POINTER(launch, 4), POINTER(launch, 6), POINTER(launch, 7)};
	struct pair *pairs = malloc(((size_t)count + 1) * sizeof(*pairs));

	for (int64_t i = 0; pairs && i < count; i++)
		pairs[i] = (struct pair){keys[i], items[i], i};
	if (pairs)
		qsort(pairs, (size_t)count, sizeof(*pairs), by_key);
	for (int64_t i = 0; pairs && i < count; i++)
		for (int place = 0; place < 4 && to[place]; place += 2) {
			to[place][i] = pairs[i].key;
			to[place + 1][i] = pairs[i].item;
		}
	free(pairs);
}

/*
 * DeviceUniqueByKeySweepKernel<policy, keys, items, to_keys, to_items, count*, state, equal_to,
 * index, ...>(keys, items, to_keys, to_items, kept, state, equal, count, ...): all of int64.
 */
int sparse_bind_unique(struct kernel *kernel)
{
	char kept[64], index[64], equal[256];

	if (!name_argument(kernel->name, 5, kept, sizeof(kept)) ||
		!name_argument(kernel->name, 7, equal, sizeof(equal)) ||
		!strstr(equal, "equal_to<long>") ||
		!name_argument(kernel->name, 8, index, sizeof(index)))
		return 0;
	kernel->types[0] = type_parse(index);
	kernel->types[1] =
		strchr(kept, '*') ? type_parse((*strchr(kept, '*') = ' ', kept)) : TYPE_NONE;
	return kernel->types[0] != TYPE_NONE && kernel->types[1] != TYPE_NONE;
}

void sparse_run_unique(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t count = type_get_int(kernel->types[0], launch->args[7], 0), kept = 0;
	const int64_t *keys = POINTER(launch, 0), *items = POINTER(launch, 1);

	for (int64_t i = 0, last = 0; i < count; i++) {
		int64_t key = keys[i]; /* what is written may be what is read */

		if (i && key == last)
			continue;
		((int64_t *)POINTER(launch, 2))[kept] = last = key;
		((int64_t *)POINTER(launch, 3))[kept++] = items[i];
	}
	type_put(kernel->types[1], POINTER(launch, 4), 0, (double)kept);
}

/* coalesceValuesKernel<T, sum>(long *begins, long *from, T *values, T *sums, count, kept, size) */
void sparse_run_sums(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0];
	const int64_t *begins = POINTER(launch, 0), *from = POINTER(launch, 1);
	int64_t count = kernel_int(kernel, launch, 4), kept = kernel_int(kernel, launch, 5);
	int64_t size = kernel_int(kernel, launch, 6);

	for (int64_t n = 0; n < kept; n++) {
		int64_t end = n + 1 < kept ? begins[n + 1] : count;

		for (int64_t i = 0; i < size; i++) {
			double sum = 0;

			for (int64_t e = begins[n]; e < end; e++)
				sum += type_get(type, POINTER(launch, 2), from[e] * size + i);
			type_put(type, POINTER(launch, 3), n * size + i, sum);
		}
	}
}
