/* SPDX-License-Identifier: MIT */
#include "analyzer/report/result/threshold.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/err.h"

const struct threshold_info threshold_infos[THRESHOLD_COUNT] = {
#define THRESHOLD_TEXTS(text, source, ...) text, source
#define THRESHOLD(id, name, value, unit, ...)                                                      \
	[THRESHOLD_##id] = {name, value, unit, THRESHOLD_TEXTS(__VA_ARGS__, "chosen here", "")},
#include "analyzer/report/result/threshold.def"
#undef THRESHOLD
#undef THRESHOLD_TEXTS
};

void thresholds_init(struct thresholds *thresholds)
{
	*thresholds = (struct thresholds){0};
	for (unsigned i = 0; i < THRESHOLD_COUNT; i++)
		thresholds->values[i] = threshold_infos[i].value;
}

int thresholds_set(struct thresholds *thresholds, const char *text)
{
	size_t length = strcspn(text, "=");
	for (unsigned i = 0; i < THRESHOLD_COUNT; i++) {
		const char *name = threshold_infos[i].name;
		if (strlen(name) != length || memcmp(name, text, length) != 0)
			continue;
		if (text[length] != '=')
			return -ERR_BAD_VALUE;
		char *end;
		double value = strtod(text + length + 1, &end);
		if (end == text + length + 1 || *end != '\0' || !isfinite(value) || value < 0)
			return -ERR_BAD_VALUE;
		thresholds->values[i] = value;
		thresholds->set[i] = true;
		return 0;
	}
	return -ERR_UNKNOWN_NAME;
}
