/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/cause.h"

#include <string.h>

const struct cause_info cause_infos[CAUSE_COUNT] = {
#define CAUSE(id, name, text, why) [CAUSE_##id] = {name, text, why},
#include "analyzer/timeline/cause.def"
#undef CAUSE
};

const char *cause_text(enum cause cause, bool alone)
{
	static const char idle[] = "GPU idle: ";
	const char *text = cause_infos[cause].text;
	bool is_idle = strncmp(text, idle, sizeof(idle) - 1) == 0;
	return alone && is_idle ? text + sizeof(idle) - 1 : text;
}

const char *cause_words(const char *name, bool alone)
{
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		if (strcmp(cause_infos[i].name, name) == 0)
			return cause_text((enum cause)i, alone);
	return name;
}
