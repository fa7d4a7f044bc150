/* SPDX-License-Identifier: MIT */
#include "types.h"

#include <math.h>
#include <string.h>

static float from_half(uint16_t bits)
{
	int exponent = bits >> 10 & 31, fraction = bits & 1023;
	float size;

	if (exponent == 31)
		size = fraction ? NAN : INFINITY;
	else if (exponent)
		size = ldexpf(1024 + fraction, exponent - 25);
	else
		size = ldexpf(fraction, -24);
	return bits & 0x8000 ? -size : size;
}

static uint16_t to_half(double value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double size = fabs(value);
	int exponent;

	if (isnan(value))
		return sign | 0x7e00;
	if (size >= 65520.0)
		return sign | 0x7c00;
	if (size < ldexp(1, -14)) /* a carry into the exponent is right here and below */
		return sign + (uint16_t)nearbyint(ldexp(size, 24));
	frexp(size, &exponent);
	return sign + ((exponent + 13) << 10) + (uint16_t)nearbyint(ldexp(size, 11 - exponent));
}

static float from_bfloat16(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float value;

	memcpy(&value, &wide, sizeof(value));
	return value;
}

static uint16_t to_bfloat16(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	if (isnan(value))
		return 0x7fc0;
	return (bits + 0x7fff + (bits >> 16 & 1)) >> 16; /* to nearest, ties to even */
}

size_t type_size(enum type type)
{
	switch (type) {
	case TYPE_UINT8:
	case TYPE_INT8:
	case TYPE_BOOL:
		return 1;
	case TYPE_INT16:
	case TYPE_UINT16:
	case TYPE_HALF:
	case TYPE_BFLOAT16:
		return 2;
	case TYPE_INT32:
	case TYPE_UINT32:
	case TYPE_FLOAT:
		return 4;
	case TYPE_INT64:
	case TYPE_UINT64:
	case TYPE_DOUBLE:
		return 8;
	case TYPE_NONE:
		break;
	}
	return 0;
}

int type_is_float(enum type type)
{
	return type == TYPE_FLOAT || type == TYPE_DOUBLE || type == TYPE_HALF ||
	       type == TYPE_BFLOAT16;
}

enum type type_opmath(enum type type)
{
	return type == TYPE_HALF || type == TYPE_BFLOAT16 ? TYPE_FLOAT : type;
}

enum type type_parse(const char *name)
{
	static const struct {
		const char *name;
		enum type type;
	} names[] = {
		{"float", TYPE_FLOAT},
		{"double", TYPE_DOUBLE},
		{"Half", TYPE_HALF},
		{"BFloat16", TYPE_BFLOAT16},
		{"long long", TYPE_INT64},
		{"long", TYPE_INT64},
		{"int", TYPE_INT32},
		{"short", TYPE_INT16},
		{"signed char", TYPE_INT8},
		{"bool", TYPE_BOOL},
		{"unsigned char", TYPE_UINT8},
		{"unsigned short", TYPE_UINT16},
		{"unsigned int", TYPE_UINT32},
		{"unsigned long long", TYPE_UINT64},
		{"unsigned long", TYPE_UINT64},
		{"OpaqueType<1", TYPE_UINT8},
		{"OpaqueType<2", TYPE_UINT16},
		{"OpaqueType<4", TYPE_UINT32},
		{"OpaqueType<8", TYPE_UINT64},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t length = strlen(names[i].name);
		char next;

		if (strncmp(name, names[i].name, length))
			continue;
		next = name[length];
		if (strchr(",>)& ", next) || (next == 'u' && name[length - 1] != 't'))
			return names[i].type; /* "OpaqueType<4u>" with an unsigned parameter */
	}
	return TYPE_NONE;
}

static double load_float(enum type type, const void *from)
{
	uint16_t bits;

	if (type == TYPE_FLOAT) {
		float value;

		memcpy(&value, from, sizeof(value));
		return value;
	}
	if (type == TYPE_DOUBLE) {
		double value;

		memcpy(&value, from, sizeof(value));
		return value;
	}
	memcpy(&bits, from, sizeof(bits));
	return type == TYPE_HALF ? from_half(bits) : from_bfloat16(bits);
}

static int64_t load_int(enum type type, const void *from)
{
	uint64_t bits = 0;

	memcpy(&bits, from, type_size(type));
	switch (type) {
	case TYPE_INT8:
		return (int8_t)bits;
	case TYPE_INT16:
		return (int16_t)bits;
	case TYPE_INT32:
		return (int32_t)bits;
	case TYPE_BOOL:
		return bits != 0;
	default:
		return (int64_t)bits;
	}
}

static int64_t truncate_to_int(double value)
{
	/* What the CPU gives for values that do not fit; converting them is undefined in C. */
	if (!(value > -9.2e18 && value < 9.2e18))
		return INT64_MIN;
	return (int64_t)value;
}

union value type_load(enum type type, const void *from, int as_float)
{
	union value value;

	if (type_is_float(type)) {
		double number = load_float(type, from);

		if (as_float)
			value.f = number;
		else
			value.i = truncate_to_int(number);
	} else {
		int64_t number = load_int(type, from);

		if (as_float)
			value.f = (double)number;
		else
			value.i = number;
	}
	return value;
}

void type_store(enum type type, void *to, union value value, int as_float)
{
	float single;
	uint16_t bits;
	int64_t number;

	if (type_is_float(type)) {
		double wide = as_float ? value.f : (double)value.i;

		single = (float)wide;
		bits = type == TYPE_HALF ? to_half(wide) : to_bfloat16(single);
		if (type == TYPE_FLOAT)
			memcpy(to, &single, sizeof(single));
		else if (type == TYPE_DOUBLE)
			memcpy(to, &wide, sizeof(wide));
		else
			memcpy(to, &bits, sizeof(bits));
		return;
	}
	if (type == TYPE_BOOL)
		number = as_float ? value.f != 0 : value.i != 0;
	else
		number = as_float ? truncate_to_int(value.f) : value.i;
	memcpy(to, &number, type_size(type));
}

double type_get_other(enum type type, const void *array, int64_t i)
{
	return type_load(type, (const char *)array + i * (int64_t)type_size(type), 1).f;
}

void type_put_other(enum type type, void *array, int64_t i, double value)
{
	union value boxed = {.f = value};

	type_store(type, (char *)array + i * (int64_t)type_size(type), boxed, 1);
}

int64_t type_get_int(enum type type, const void *array, int64_t i)
{
	return type_load(type, (const char *)array + i * (int64_t)type_size(type), 0).i;
}
