/* SPDX-License-Identifier: MIT */
/*
 * Element types of tensors and how their values travel through computed kernels.
 *
 * The numbers are those that PyTorch gives its scalar types at run time, because kernels that
 * convert on the fly carry them as arguments. An element is loaded into a union value, either as
 * a double or as a 64-bit integer; which of the two is decided once per kernel, so that integers
 * keep all their bits and floating types keep their fraction. All functions are pure.
 */
#ifndef CUDASIM_COMPUTE_TYPES_H
#define CUDASIM_COMPUTE_TYPES_H

#include <stddef.h>
#include <stdint.h>

enum type {
	TYPE_UINT8 = 0,
	TYPE_INT8 = 1,
	TYPE_INT16 = 2,
	TYPE_INT32 = 3,
	TYPE_INT64 = 4,
	TYPE_HALF = 5,
	TYPE_FLOAT = 6,
	TYPE_DOUBLE = 7,
	TYPE_BOOL = 11,
	TYPE_BFLOAT16 = 15,
	TYPE_UINT16 = 27,
	TYPE_UINT32 = 28,
	TYPE_UINT64 = 29,
	TYPE_NONE = 99
};

union value {
	double f;
	int64_t i;
};

/* Bytes of one element; 0 for a type that is not handled. */
size_t type_size(enum type type);

/* 1 for half, bfloat16, float and double. */
int type_is_float(enum type type);

/* The type that kernels calculate in: float for the two 16-bit ones, otherwise itself. */
enum type type_opmath(enum type type);

/* The type that a (simplified) C++ name begins with; TYPE_NONE if it is not one of ours. */
enum type type_parse(const char *name);

/* Load one element as a double (as_float) or as an integer; floating elements truncate. */
union value type_load(enum type type, const void *from, int as_float);

/* Store a value that is a double (as_float) or an integer; bool stores != 0. */
void type_store(enum type type, void *to, union value value, int as_float);

/* Element i of an array, always through double. float is decided here because it is the usual. */
double type_get_other(enum type type, const void *array, int64_t i);
void type_put_other(enum type type, void *array, int64_t i, double value);

static inline double type_get(enum type type, const void *array, int64_t i)
{
	return type == TYPE_FLOAT ? ((const float *)array)[i] : type_get_other(type, array, i);
}

static inline void type_put(enum type type, void *array, int64_t i, double value)
{
	if (type == TYPE_FLOAT)
		((float *)array)[i] = (float)value;
	else
		type_put_other(type, array, i, value);
}

/* The same for integers. */
int64_t type_get_int(enum type type, const void *array, int64_t i);

#endif
