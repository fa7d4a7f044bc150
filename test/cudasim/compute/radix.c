/* SPDX-License-Identifier: MIT */
/* CUB's radix sort: a stable pass for each group of bits, or the whole sort in one kernel. */
#include <stdlib.h>

#include "kernel.h"
#include "name.h"

/* Elements, and the bits of them to order by. */
struct radix {
	enum type key;
	size_t value_size; /* 0: keys alone */
	int descending;
	int first_bit;
	int bits;
	const char *keys;
	const char *values;
};

/* <policy, [order,] key, [value,] ...>; flags: descending; offset: size of a value */
int radix_bind(struct kernel *kernel)
{
	char order[64], value[256];

	if (!name_argument(kernel->name, 1, order, sizeof(order)))
		return 0;
	kernel->flags = !strcmp(order, "(SortOrder)1") || !strcmp(order, "true");
	kernel->types[0] = name_type(kernel->name, 2);
	if (strstr(kernel->name, "HistogramKernel<") || strstr(kernel->name, "ExclusiveSumKernel<"))
		return 1;
	if (kernel->types[0] == TYPE_NONE || !name_argument(kernel->name, 3, value, sizeof(value)))
		return 0;
	if (strstr(value, "NullType"))
		return 1;
	if (strstr(value, "OpaqueType<"))
		kernel->offset =
			strtoul(strstr(value, "OpaqueType<") + strlen("OpaqueType<"), NULL, 10);
	else
		kernel->offset = type_size(type_parse(value));
	return kernel->offset != 0;
}

/* Bits of a key such that their unsigned order is the wanted one. */
static uint64_t ordered_bits(const struct radix *radix, int64_t i)
{
	size_t size = type_size(radix->key);
	uint64_t bits = 0, sign = 1ull << (8 * size - 1), all = sign | (sign - 1);

	memcpy(&bits, radix->keys + (size_t)i * size, size);
	if (type_is_float(radix->key)) {
		if (bits == sign)
			bits = 0; /* -0 sorts with +0 */
		bits ^= bits & sign ? all : sign;
	} else if (radix->key == TYPE_INT8 || radix->key == TYPE_INT16 ||
		   radix->key == TYPE_INT32 || radix->key == TYPE_INT64) {
		bits ^= sign;
	}
	if (radix->descending)
		bits = ~bits & all;
	bits >>= radix->first_bit;
	return radix->bits < 64 ? bits & ((1ull << radix->bits) - 1) : bits;
}

struct entry {
	uint64_t bits;
	int64_t at;
};

static int by_bits(const void *a, const void *b)
{
	const struct entry *first = a, *second = b;

	if (first->bits != second->bits)
		return first->bits < second->bits ? -1 : 1;
	return first->at < second->at ? -1 : 1;
}

static void sort(const struct radix *radix, char *keys, char *values, int64_t count)
{
	struct entry *entries = malloc(((size_t)count + 1) * sizeof(*entries));
	size_t size = type_size(radix->key);

	if (!entries)
		return;
	for (int64_t i = 0; i < count; i++)
		entries[i] = (struct entry){ordered_bits(radix, i), i};
	qsort(entries, (size_t)count, sizeof(*entries), by_bits);
	for (int64_t i = 0; i < count; i++) {
		memcpy(keys + (size_t)i * size, radix->keys + (size_t)entries[i].at * size, size);
		if (radix->value_size)
			memcpy(values + (size_t)i * radix->value_size,
				radix->values + (size_t)entries[i].at * radix->value_size,
				radix->value_size);
	}
	free(entries);
}

static struct radix radix_of(const struct kernel *kernel)
{
	return (struct radix){
		.key = kernel->types[0], .value_size = kernel->offset, .descending = kernel->flags};
}

/* (keys, to, values, to, count, first bit, end bit, ...) */
void radix_whole_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct radix radix = radix_of(kernel);
	int64_t count = ARG(launch, 4, int32_t); /* small in any of its types */

	radix.keys = POINTER(launch, 0);
	radix.values = POINTER(launch, 2);
	radix.first_bit = ARG(launch, 5, int32_t);
	radix.bits = ARG(launch, 6, int32_t) - radix.first_bit;
	sort(&radix, POINTER(launch, 1), POINTER(launch, 3), count);
}

/* The counts that the passes would use: each pass here counts for itself. */
void radix_prepare_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	(void)kernel;
	(void)launch;
}

/* (lookback, counters, bins, bins, to, keys, to, values, int count, first bit, bits, ...) */
void radix_pass_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct radix radix = radix_of(kernel);

	radix.keys = POINTER(launch, 5);
	radix.values = POINTER(launch, 7);
	radix.first_bit = ARG(launch, 9, int32_t);
	radix.bits = ARG(launch, 10, int32_t);
	sort(&radix, POINTER(launch, 4), POINTER(launch, 6), ARG(launch, 8, int32_t));
}
