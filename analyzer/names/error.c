/* SPDX-License-Identifier: MIT */
#include "analyzer/names/error.h"

#include <stddef.h>

#define NOT_READY 600

static const struct {
	int32_t number;
	const char *driver, *runtime;
} errors[] = {
#define CUDA_ERROR(number, driver, runtime) {number, driver, runtime},
#include "analyzer/names/error.def"
#undef CUDA_ERROR
};

const char *error_name(int32_t number, bool driver)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i].number != number)
			continue;
		const char *name = driver ? errors[i].driver : errors[i].runtime;
		const char *other = driver ? errors[i].runtime : errors[i].driver;
		return name != NULL ? name : other;
	}
	return NULL;
}

bool error_is_answer(int32_t number)
{
	return number == NOT_READY;
}
