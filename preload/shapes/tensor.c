/* SPDX-License-Identifier: MIT */
#include "preload/shapes/tensor.h"

#include <string.h>

/* c10::ScalarType: numbers that stay, as files have them. What C++ calls them is what is proved. */
static const struct {
	const char *name, *spelled;
} types[] = {
	{"uint8", "unsigned char"},
	{"int8", "signed char"},
	{"int16", "short int"},
	{"int32", "int"},
	{"int64", "long int"},
	{"float16", "c10::Half"},
	{"float32", "float"},
	{"float64", "double"},
	{"complex32", "c10::complex<c10::Half>"},
	{"complex64", "c10::complex<float>"},
	{"complex128", "c10::complex<double>"},
	{"bool", "bool"},
	{"qint8", "c10::qint8"},
	{"quint8", "c10::quint8"},
	{"qint32", "c10::qint32"},
	{"bfloat16", "c10::BFloat16"},
};

const char *tensor_type_name(uint32_t type)
{
	return type < sizeof(types) / sizeof(types[0]) ? types[type].name : NULL;
}

bool tensor_type_is(uint32_t type, const char *text, size_t length)
{
	if (type >= sizeof(types) / sizeof(types[0]))
		return true;
	const char *spelled = types[type].spelled;
	return strlen(spelled) == length && memcmp(spelled, text, length) == 0;
}
