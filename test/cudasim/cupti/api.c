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
	} texts[] = {{CUPTI_OK, "CUPTI_SUCCESS"},
		{CUPTI_INVALID_PARAMETER, "CUPTI_ERROR_INVALID_PARAMETER"},
		{CUPTI_MAX_LIMIT_REACHED, "CUPTI_ERROR_MAX_LIMIT_REACHED"},
		{CUPTI_NOT_INITIALIZED, "CUPTI_ERROR_NOT_INITIALIZED"},
		{CUPTI_QUEUE_EMPTY, "CUPTI_ERROR_QUEUE_EMPTY"},
		{CUPTI_INVALID_KIND, "CUPTI_ERROR_INVALID_KIND"},
		{CUPTI_NOT_SUPPORTED, "CUPTI_ERROR_NOT_SUPPORTED"},
		{CUPTI_INSUFFICIENT_PRIVILEGES, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
		{CUPTI_MULTIPLE_SUBSCRIBERS, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"}};
	ORDERED_FAILURE();
	if (!ret_text)
		return CUPTI_INVALID_PARAMETER;
	*ret_text = "CUPTI_ERROR_UNKNOWN";
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].result == result)
			*ret_text = texts[i].text;
	}
	return CUPTI_OK;
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
