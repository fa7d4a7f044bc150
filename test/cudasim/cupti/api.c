/* SPDX-License-Identifier: MIT */
/* What CUPTI says about itself: version, time, names of errors and functions. */
#include <string.h>

#include "cbid.h"
#include "cupti.h"
#include "layout.h"
#include "settings.h"
#include "timeline.h"

CUPTI_EXPORT int cuptiGetVersion(uint32_t *ret_version);
int cuptiGetVersion(uint32_t *ret_version)
{
	ORDERED_FAILURE();
	if (!ret_version)
		return CUPTI_INVALID_PARAMETER;
	*ret_version = layout_version();
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiGetTimestamp(uint64_t *ret_ns);
int cuptiGetTimestamp(uint64_t *ret_ns)
{
	ORDERED_FAILURE();
	if (!ret_ns)
		return CUPTI_INVALID_PARAMETER;
	*ret_ns = timeline_now();
	return CUPTI_OK;
}

CUPTI_EXPORT int cuptiGetResultString(int result, const char **ret_text);
int cuptiGetResultString(int result, const char **ret_text)
{
	static const struct {
		int result;
		const char *text;
	} texts[] = {
/* clang-format off */
#define CUPTI_RESULT(number, name) {number, #name},
#include "result.def"
		/* clang-format on */
	};
	ORDERED_FAILURE();
	if (!ret_text)
		return CUPTI_INVALID_PARAMETER;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].result == result) {
			*ret_text = texts[i].text;
			return CUPTI_OK;
		}
	}
	return CUPTI_INVALID_PARAMETER;
}

/* Domains: 1 driver, 2 runtime. */
CUPTI_EXPORT int cuptiGetCallbackName(int domain, uint32_t id, const char **ret_name);
int cuptiGetCallbackName(int domain, uint32_t id, const char **ret_name)
{
	ORDERED_FAILURE();
	if (!ret_name || (domain != 1 && domain != 2))
		return CUPTI_INVALID_PARAMETER;
	const char *name = cbid_name(domain == 1 ? API_DRIVER : API_RUNTIME, id);
	*ret_name = name ? name : "INVALID";
	return name ? CUPTI_OK : CUPTI_INVALID_PARAMETER;
}
