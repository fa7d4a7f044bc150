/* SPDX-License-Identifier: MIT */
#include "collector/base/err.h"

#include <stddef.h>
#include <string.h>

#include "collector/base/banned.h"

static const struct {
	int code;
	const char *text;
} rows[] = {
#define ERR(name, code, text) {code, text},
#include "collector/base/err.def"
#undef ERR
};

const char *err_text(int code)
{
	if (code == 0)
		return "success";
	int positive = code < 0 ? -code : code;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == positive)
			return rows[i].text;
	/* strerror() may allocate and translate; the description is a static text. */
	const char *text = strerrordesc_np(positive);
	return text != NULL ? text : "unknown error";
}

int err_place(struct err_at *reterr, int code, uint64_t offset, const char *what)
{
	if (reterr != NULL)
		*reterr = (struct err_at){.code = code, .offset = offset, .what = what};
	return code;
}
