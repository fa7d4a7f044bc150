/* SPDX-License-Identifier: MIT */
#include "errors.h"

#include <stdlib.h>
#include <string.h>

#include "../cuda_abi.h"

static const struct error {
	int code;
	const char *name;
	const char *driver_name;
	const char *text;
} errors[] = {
#define ERROR(code, name, driver_name, text) {code, #name, driver_name, text},
#include "errors.def"
#undef ERROR
};

#define ERRORS_COUNT (sizeof(errors) / sizeof(errors[0]))

static const struct error *find(int code)
{
	for (size_t i = 0; i < ERRORS_COUNT; i++) {
		if (errors[i].code == code)
			return &errors[i];
	}
	return NULL;
}

const char *error_name(int code)
{
	const struct error *error = find(code);
	return error ? error->name : "unrecognized error code";
}

const char *error_text(int code)
{
	const struct error *error = find(code);
	return error ? error->text : "unrecognized error code";
}

const char *error_driver_name(int code)
{
	const struct error *error = find(code);
	return error ? error->driver_name : NULL;
}

int error_number(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);
	if (end != text && *end == '\0' && number > 0 && number < 10000)
		return (int)number;
	for (size_t i = 0; i < ERRORS_COUNT; i++) {
		if (strcmp(errors[i].name, text) == 0 ||
			(errors[i].driver_name && strcmp(errors[i].driver_name, text) == 0))
			return errors[i].code;
	}
	return -1;
}
