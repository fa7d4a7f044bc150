/* SPDX-License-Identifier: MIT */
/*
 * What a rule is and what it looks at. A row of rules.def becomes a struct rule_row and
 * the declaration of its function, rule_<id>().
 *
 * A subject is what a rule looks at: one line of the program with what it did in the
 * steady steps, or the run as a whole. The runner describes each subject once (place,
 * numbers, usual evidence) and then asks the rows of its class in the order of the
 * table: the first that fits has the gain, those that only explain come after it.
 */
#ifndef ANALYZER_REPORT_RULES_ROW_H
#define ANALYZER_REPORT_RULES_ROW_H

#include <stdbool.h>

#include "analyzer/report/result/result.h"

enum rule_id {
#define RULE(id, name, catalogue, class, role, limits, title, advice) RULE_ID_##id,
#include "analyzer/report/rules/rules.def"
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

/* What a rule looks at, which is also what is taken away to predict the gain. */
enum rule_class {
	RULE_LINE,   /* a line that waits for the GPU or copies */
	RULE_INPUT,  /* waiting for data */
	RULE_LAUNCH, /* launching */
	RULE_HOST,   /* a line at which the host is blocked, or runs an operator */
	RULE_ALLOC,  /* allocating and freeing memory */
	RULE_SETUP,  /* loading code, changing contexts or access to a peer */
	RULE_CODE,   /* other code of the host */
	RULE_GC,     /* collecting Python's garbage */
	RULE_GIL,    /* waiting for Python's lock */
	RULE_RUN,    /* the run as a whole: nothing that could be taken away */
	RULE_BURST,  /* what few steps, or what lies between them, spends much time on */
	RULE_CLASS_COUNT
};

enum rule_role {
	RULE_GAINS,    /* has the gain itself; one for each subject */
	RULE_EXPLAINS, /* says why, of a finding that has the gain */
	RULE_TELLS     /* says what should be known; nobody knows what it costs */
};

/* What few steps, or phases between them, cost. */
struct burst_cost {
	uint32_t place;
	bool loads; /* a batch is drawn there */
	uint64_t ns;
	double pct;                    /* of the steps' time, or of the run's */
	const struct phase_sum *phase; /* NULL: in steps */
	struct step_outliers outliers;
};

struct subject {
	const struct report *report;
	const struct spot *spot; /* NULL: the run as a whole */
	const struct burst_cost *burst;
	/* of the spot, with the copies that are part of its wait */
	uint64_t counted[SPOT_VALUE_COUNT], found[SPOT_FINDING_COUNT];
};

/* Whether the rule fits; a rule with evidence of its own writes it into the finding then. */
typedef bool rule_function(const struct subject *subject, struct finding *finding);

struct rule_row {
	struct rule rule;
	enum rule_class class;
	enum rule_role role;
	rule_function *fits;
};

extern const struct rule_row rule_rows[RULE_ID_COUNT];

static inline enum rule_class rule_class_of(const struct rule *rule)
{
	return rule_rows[rule->id].class;
}

/*
 * What a step takes the loader's workers that there are, which are busy all the time: whatever else
 * becomes quicker, the loop waits for them the longer. 0: they are not, or it is not known.
 */
uint64_t rule_pace_ns(const struct report *report);

#define RULE(id, name, catalogue, class, role, limits, title, advice) rule_function rule_##id;
#include "analyzer/report/rules/rules.def"

#endif
