/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/idiom.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

/* Up to so many bytes a copy costs what its call does, wherever the memory is. */
#define SMALL_BYTES 4096u

enum when {
	ALWAYS,
	PINNED,
	SMALL,
	UNLOADED,
	AWAITED,
	UNUSED,
	COMPILED
};

/* clang-format off */
static const struct idiom {
	unsigned rule;
	enum when when;
	const char *op, *file, *advice;
} idioms[] = {
#define IDIOM(rule, when, op, file, advice) {RULE_ID_##rule, when, op, file, advice},
#include "analyzer/report/rules/idiom.def"
#undef IDIOM
};
/* clang-format on */

bool idiom_is_within(const struct subject *subject, const char *file)
{
	const struct lookup *lookup = &subject->report->model->lookup;
	uint32_t id = subject->spot->place;
	const struct meta_PLACE *place = id != 0 ? lookup_place(lookup, id) : NULL;
	const char *path = place != NULL ? lookup_text(lookup, (uint32_t)place->file) : NULL;
	size_t length = strlen(file), all = path != NULL ? strlen(path) : 0;
	return path != NULL && all >= length && strcmp(path + all - length, file) == 0;
}

static bool holds(const struct subject *subject, enum when when)
{
	uint64_t calls = subject->counted[SPOT_CALLS], bytes = subject->counted[SPOT_BYTES];
	const struct facts *facts = subject->report->facts;
	if (when == COMPILED)
		return facts != NULL && facts->compiled > 0;
	if (when == UNUSED)
		return facts != NULL && facts->searches > 0 && subject->spot->native;
	if (when == AWAITED)
		return subject->spot->awaited_place != 0;
	if (when == UNLOADED)
		return subject->report->counted[MODEL_LOADS] == 0;
	if (when == PINNED)
		return 2 * subject->counted[SPOT_PAGEABLE] < calls;
	return when == ALWAYS || bytes <= calls * SMALL_BYTES;
}

static bool has_operator(const struct subject *subject, const char *pattern)
{
	const struct lookup *lookup = &subject->report->model->lookup;
	const struct spot *spot = subject->spot;
	const uint32_t ops[] = {spot->outer_op, spot->op};
	for (size_t i = 0; i < 2; i++)
		if (ops[i] != 0 && fnmatch(pattern, lookup_text(lookup, ops[i]), 0) == 0)
			return true;
	return false;
}

void idiom_advise(const struct subject *subject, unsigned rule, struct finding *finding)
{
	/* in the words of the library that the line called, which is not the user's to change */
	if (finding->library != NULL && finding->advice[0] != '\0')
		return;
	for (size_t i = 0; i < sizeof(idioms) / sizeof(idioms[0]); i++) {
		const struct idiom *idiom = &idioms[i];
		if (idiom->rule != rule || !holds(subject, idiom->when) ||
			(idiom->when == COMPILED && finding->advice[0] != '\0') ||
			(idiom->op != NULL && !has_operator(subject, idiom->op)) ||
			(idiom->file != NULL && !idiom_is_within(subject, idiom->file)))
			continue;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(finding->advice, sizeof(finding->advice), idiom->advice, finding->where);
#pragma GCC diagnostic pop
		return;
	}
}
