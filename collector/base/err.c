/* SPDX-License-Identifier: MIT */
#include "collector/base/err.h"

#include <stddef.h>
#include <string.h>

#include "collector/base/banned.h"

struct err_row {
	int code;
	const char *name;
	const char *text;
};

static const struct err_row rows[] = {
#define ERR(name, code, text) {code, "ERR_" #name, text},
#include "collector/base/err.def"
#undef ERR
};

static const struct err_row *find_row(int code)
{
	int positive = code < 0 ? -code : code;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == positive)
			return &rows[i];
	return NULL;
}

const char *err_text(int code)
{
	if (code == 0)
		return "success";
	const struct err_row *row = find_row(code);
	if (row != NULL)
		return row->text;
	/* strerror() may allocate and translate; the description is a static text. */
	const char *text = strerrordesc_np(code < 0 ? -code : code);
	return text != NULL ? text : "unknown error";
}

const char *err_name(int code)
{
	const struct err_row *row = find_row(code);
	return row != NULL ? row->name : NULL;
}

int err_place(struct err_at *reterr, int code, uint64_t offset, const char *what)
{
	if (reterr != NULL)
		*reterr = (struct err_at){.code = code, .offset = offset, .what = what};
	return code;
}
