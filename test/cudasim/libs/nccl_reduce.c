/* SPDX-License-Identifier: MIT */
/* Arithmetic of collectives, on arrays of the library's element types. */
#include "nccl_reduce.h"

#include "nccl.h"

static const struct {
	enum type type;
	unsigned char size;
} types[] = {{TYPE_INT8, 1}, {TYPE_UINT8, 1}, {TYPE_INT32, 4}, {TYPE_UINT32, 4}, {TYPE_INT64, 8},
	{TYPE_UINT64, 8}, {TYPE_HALF, 2}, {TYPE_FLOAT, 4}, {TYPE_DOUBLE, 8}, {TYPE_BFLOAT16, 2},
	{TYPE_NONE, 1}, {TYPE_NONE, 1}};

static int is_known(int type)
{
	return type >= 0 && (size_t)type < sizeof(types) / sizeof(types[0]);
}

enum type nccl_type(int type)
{
	return is_known(type) ? types[type].type : TYPE_NONE;
}

size_t nccl_type_size(int type)
{
	return is_known(type) ? types[type].size : 0;
}

static double combine_floats(int op, double a, double b)
{
	switch (op) {
	case NCCL_PROD:
		return a * b;
	case NCCL_MAX:
		return a > b || a != a ? a : b;
	case NCCL_MIN:
		return a < b || a != a ? a : b;
	default:
		return a + b;
	}
}

static int64_t combine_integers(int op, int64_t a, int64_t b, int is_unsigned)
{
	int is_less = is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;

	switch (op) {
	case NCCL_PROD:
		return (int64_t)((uint64_t)a * (uint64_t)b);
	case NCCL_MAX:
		return is_less ? b : a;
	case NCCL_MIN:
		return is_less ? a : b;
	default:
		return (int64_t)((uint64_t)a + (uint64_t)b);
	}
}

void nccl_combine(int type, int op, void *total, const void *other, uint64_t count)
{
	enum type element = nccl_type(type);
	size_t size = nccl_type_size(type);
	int as_float = type_is_float(element);

	for (uint64_t i = 0; i < count; i++) {
		char *at = (char *)total + i * size;
		union value a = type_load(element, at, as_float);
		union value b = type_load(element, (const char *)other + i * size, as_float);

		if (as_float)
			a.f = combine_floats(op, a.f, b.f);
		else
			a.i = combine_integers(op, a.i, b.i, element == TYPE_UINT64);
		type_store(element, at, a, as_float);
	}
}

void nccl_divide(int type, void *total, uint64_t count, int divisor)
{
	enum type element = nccl_type(type);
	size_t size = nccl_type_size(type);
	int as_float = type_is_float(element);

	for (uint64_t i = 0; i < count; i++) {
		char *at = (char *)total + i * size;
		union value value = type_load(element, at, as_float);

		if (as_float)
			value.f /= divisor;
		else if (element == TYPE_UINT64)
			value.i = (int64_t)((uint64_t)value.i / (unsigned)divisor);
		else
			value.i /= divisor;
		type_store(element, at, value, as_float);
	}
}

void nccl_scale(int type, void *values, uint64_t count, double factor)
{
	enum type element = nccl_type(type);

	for (uint64_t i = 0; i < count; i++)
		type_put(element, values, (int64_t)i,
			type_get(element, values, (int64_t)i) * factor);
}
