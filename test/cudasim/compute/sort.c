/* SPDX-License-Identifier: MIT */
/* Scans, sorts of slices in place, and the largest or smallest of slices. */
#include <math.h>
#include <stdlib.h>

#include "kernel.h"
#include "name.h"
#include "tensor.h"

/* tensor_kernel_scan_*<type, ...>(out, in, ...): only running sums and products */
int scan_bind(struct kernel *kernel)
{
	if (!strstr(kernel->name, "std::plus<") && !strstr(kernel->name, "std::multiplies<"))
		return 0;
	kernel->types[0] = name_type(kernel->name, 0);
	kernel->flags = strstr(kernel->name, "std::multiplies<") != NULL;
	kernel->params = strstr(kernel->name, "_outer_dim<") ? "ppiii#b" : "ppiii#b";
	kernel->sizes[0] = type_size(kernel->types[0]);
	return kernel->types[0] != TYPE_NONE;
}

/* Running sum of count elements, step apart. */
static void scan(const struct kernel *kernel, void *out, const void *in, int64_t begin,
	int64_t count, int64_t step)
{
	enum type type = kernel->types[0];
	int real = type_is_float(type);
	double sum = kernel->flags;
	int64_t whole = kernel->flags;

	for (int64_t i = 0, at = begin; i < count; i++, at += step) {
		union value value;

		if (kernel->flags)
			sum *= type_get(type, in, at);
		else
			sum += type_get(type, in, at);
		if (!real)
			whole = kernel->flags ? whole * type_get_int(type, in, at)
					      : whole + type_get_int(type, in, at);
		if (real)
			value.f = sum;
		else
			value.i = whole;
		type_store(type, (char *)out + at * (int64_t)type_size(type), value, real);
	}
}

/* (out, in, rows, length, ...) */
void scan_run_inner(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t length = ARG(launch, 3, uint32_t);

	for (int64_t row = 0; row < ARG(launch, 2, uint32_t); row++)
		scan(kernel, POINTER(launch, 0), POINTER(launch, 1), row * length, length, 1);
}

/* (out, in, outer, inner, length, ...) */
void scan_run_outer(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t inner = ARG(launch, 3, uint32_t), length = ARG(launch, 4, uint32_t);

	for (int64_t i = 0; i < ARG(launch, 2, uint32_t) * inner; i++)
		scan(kernel, POINTER(launch, 0), POINTER(launch, 1),
			i / inner * length * inner + i % inner, length, inner);
}

/* DeviceScanKernel<policy, in const*, out*, ...>(in, out, state, start, plus, init, count) */
int scan_bind_whole(struct kernel *kernel)
{
	char in[256], out[256];

	if (!strstr(kernel->name, "plus<") || !strstr(kernel->name, "NullType") ||
		!name_argument(kernel->name, 1, in, sizeof(in)) ||
		!name_argument(kernel->name, 2, out, sizeof(out)) || strchr(in, '<'))
		return 0;
	out[strlen(out) - 1] = ' '; /* the asterisk */
	kernel->types[0] = type_parse(in);
	kernel->types[1] = name_type(kernel->name, 6);
	return kernel->types[0] != TYPE_NONE && kernel->types[0] == type_parse(out) &&
	       kernel->types[1] != TYPE_NONE;
}

void scan_run_whole(const struct kernel *kernel, const struct compute_launch *launch)
{
	scan(kernel, POINTER(launch, 1), POINTER(launch, 0), 0,
		type_get_int(kernel->types[1], launch->args[6], 0), 1);
}

struct item {
	double key;
	int64_t at;
};

/* NaN sorts as the largest; equal keys keep their order. */
static int ascending(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (isnan(x->key) != isnan(y->key))
		return isnan(x->key) ? 1 : -1;
	if (x->key != y->key && !isnan(x->key))
		return x->key < y->key ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static int descending(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (isnan(x->key) != isnan(y->key))
		return isnan(x->key) ? -1 : 1;
	if (x->key != y->key && !isnan(x->key))
		return x->key > y->key ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/* {bitonic,warpMerge,radix}Sort KVInPlace<..., key, value, ..., number, ...> */
int sort_bind(struct kernel *kernel)
{
	char letters[16];

	for (int i = 0; i < 6; i++) {
		kernel->types[0] = name_type(kernel->name, i + 2);
		kernel->types[1] = name_type(kernel->name, i + 3);
		if (kernel->types[0] != TYPE_NONE && kernel->types[1] != TYPE_NONE)
			break;
	}
	if (name_signature(kernel->name, letters, sizeof(letters)) < 6)
		return 0;
	kernel->flags = strstr(kernel->name, "GTOp<") != NULL;
	kernel->count = strstr(kernel->name, "radixSortKVInPlace<") != NULL;
	kernel->types[2] = letters[1] == 'p' ? TYPE_INT64 : TYPE_UINT32;
	return kernel->types[0] != TYPE_NONE && kernel->types[1] != TYPE_NONE;
}

/* One slice of keys with its values, each with its own distance between elements. */
struct slice {
	char *keys, *values;
	int64_t key_step, value_step, length;
};

static void sort_slice(const struct kernel *kernel, const struct slice *slice, int falling)
{
	int64_t key_size = (int64_t)type_size(kernel->types[0]);
	int64_t value_size = (int64_t)type_size(kernel->types[1]);
	struct item *items = malloc(((size_t)slice->length + 1) * sizeof(*items));
	char *copy = malloc((size_t)(slice->length * (key_size + value_size)) + 1);

	for (int64_t i = 0; items && copy && i < slice->length; i++) {
		items[i] = (struct item){
			type_get(kernel->types[0], slice->keys, i * slice->key_step), i};
		memcpy(copy + i * key_size, slice->keys + i * slice->key_step * key_size,
			(size_t)key_size);
		memcpy(copy + slice->length * key_size + i * value_size,
			slice->values + i * slice->value_step * value_size, (size_t)value_size);
	}
	if (items && copy)
		qsort(items, (size_t)slice->length, sizeof(*items),
			falling ? descending : ascending);
	for (int64_t i = 0; items && copy && i < slice->length; i++) {
		memcpy(slice->keys + i * slice->key_step * key_size, copy + items[i].at * key_size,
			(size_t)key_size);
		memcpy(slice->values + i * slice->value_step * value_size,
			copy + slice->length * key_size + items[i].at * value_size,
			(size_t)value_size);
	}
	free(items);
	free(copy);
}

/* (keys, slices, length, step, values, value step, order or bool descending) */
void sort_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	int wide = kernel->types[2] == TYPE_INT64;
	struct tensor keys = tensor_view(launch->args[0], wide);
	struct tensor values = tensor_view(launch->args[4], wide);
	int falling = kernel->count ? ARG(launch, 6, uint8_t) : kernel->flags;

	for (int64_t i = 0; i < type_get_int(kernel->types[2], launch->args[1], 0); i++) {
		struct slice slice = {
			.keys = (char *)keys.data +
				tensor_offset(&keys, i) * (int64_t)type_size(kernel->types[0]),
			.values = (char *)values.data +
				  tensor_offset(&values, i) * (int64_t)type_size(kernel->types[1]),
			.key_step = type_get_int(kernel->types[2], launch->args[3], 0),
			.value_step = type_get_int(kernel->types[2], launch->args[5], 0),
			.length = type_get_int(kernel->types[2], launch->args[2], 0),
		};

		sort_slice(kernel, &slice, falling);
	}
}

/* sbtopk::gatherTopK<type, number, dims, ...> */
int topk_bind(struct kernel *kernel)
{
	if (!strstr(kernel->name, "sbtopk::"))
		return 0;
	kernel->types[0] = name_type(kernel->name, 0);
	kernel->types[1] = name_type(kernel->name, 1);
	return kernel->types[0] != TYPE_NONE &&
	       (kernel->types[1] == TYPE_UINT32 || kernel->types[1] == TYPE_UINT64);
}

/* (in, length, wanted, bool largest, slices, step, out, out step, indices, index step, ...) */
void topk_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0], number = kernel->types[1];
	int wide = number == TYPE_UINT64;
	struct tensor in = tensor_view(launch->args[0], wide);
	struct tensor out = tensor_view(launch->args[6], wide);
	struct tensor places = tensor_view(launch->args[8], wide);
	int64_t length = type_get_int(number, launch->args[1], 0);
	int64_t wanted = type_get_int(number, launch->args[2], 0);
	struct item *items = malloc(((size_t)length + 1) * sizeof(*items));

	for (int64_t s = 0; items && s < type_get_int(number, launch->args[4], 0); s++) {
		int64_t begin = tensor_offset(&in, s);

		for (int64_t i = 0; i < length; i++)
			items[i] = (struct item){
				type_get(type, in.data,
					begin + i * type_get_int(number, launch->args[5], 0)),
				i};
		qsort(items, (size_t)length, sizeof(*items),
			ARG(launch, 3, uint8_t) ? descending : ascending);
		for (int64_t i = 0; i < wanted && i < length; i++) {
			type_put(type, out.data,
				tensor_offset(&out, s) +
					i * type_get_int(number, launch->args[7], 0),
				items[i].key);
			((int64_t *)places.data)[tensor_offset(&places, s) +
						 i * type_get_int(number, launch->args[9], 0)] =
				items[i].at;
		}
	}
	free(items);
}
