/* SPDX-License-Identifier: MIT */
/*
 * The rules by number, and what the user wants of them: which are looked at, and how severe their
 * findings are. Names are those of rules.def, whose rows are in row.c. Plain data.
 */
#ifndef ANALYZER_REPORT_RULES_RULE_H
#define ANALYZER_REPORT_RULES_RULE_H

#include <stdbool.h>

#include "analyzer/report/result/result.h"

enum rule_id {
#define RULE(id, name, catalogue, class, role, limits, title, advice) RULE_ID_##id,
#include "analyzer/report/rules/rules.def"
#undef RULE
	RULE_ID_COUNT
};

/* As the table has it: texts and the number in the catalogue. */
const struct rule *rule_info(unsigned id);

struct rule_choices {
	bool off[RULE_ID_COUNT];   /* not looked at */
	bool fixed[RULE_ID_COUNT]; /* its findings are of this severity, whatever they gain */
	enum severity severity[RULE_ID_COUNT];
};

/* The rule of that name, or RULE_ID_COUNT. */
unsigned rule_find(const char *name);

#endif
