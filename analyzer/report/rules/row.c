/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/row.h"

#include <string.h>

/* clang-format off */
#define LIMIT(id) (1ull << THRESHOLD_##id)
const struct rule_row rule_rows[RULE_ID_COUNT] = {
#define RULE(id, name, catalogue, class, role, limits, title, advice)                              \
	[RULE_ID_##id] = {{RULE_ID_##id, name, catalogue, title, advice, limits}, RULE_##class,    \
		RULE_##role, rule_##id},
#include "analyzer/report/rules/rules.def"
#undef RULE
};
/* clang-format on */
_Static_assert(THRESHOLD_COUNT <= 64, "a bit for each limit");

const struct rule *rule_info(unsigned id)
{
	return &rule_rows[id].rule;
}

unsigned rule_find(const char *name)
{
	for (unsigned id = 0; id < RULE_ID_COUNT; id++)
		if (strcmp(rule_rows[id].rule.name, name) == 0)
			return id;
	return RULE_ID_COUNT;
}
