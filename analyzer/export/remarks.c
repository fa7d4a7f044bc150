/* SPDX-License-Identifier: MIT */
#include "analyzer/export/remarks.h"

#include <stdlib.h>
#include <string.h>

static void release_finding(struct remarks_finding *finding)
{
	free(finding->title);
	free(finding->evidence);
	free(finding->advice);
	free(finding->file);
}

void remarks_release(struct remarks *remarks)
{
	for (size_t i = 0; i < remarks->findings.count; i++)
		release_finding(&remarks->findings.items[i]);
	vec_release(&remarks->findings);
	vec_release(&remarks->steps);
	*remarks = (struct remarks){0};
}

int remarks_add_finding(struct remarks *remarks, const struct remarks_finding *finding)
{
	struct remarks_finding copy = {.title = strdup(finding->title),
		.evidence = strdup(finding->evidence),
		.advice = strdup(finding->advice),
		.file = finding->file != NULL ? strdup(finding->file) : NULL,
		.line = finding->line};
	bool whole = copy.title != NULL && copy.evidence != NULL && copy.advice != NULL &&
		     (copy.file != NULL) == (finding->file != NULL);
	int err = whole ? vec_push(&remarks->findings, copy) : -ENOMEM;
	if (err < 0)
		release_finding(&copy);
	return err;
}

bool remarks_want(const struct remarks *remarks, uint64_t begin_ns, uint64_t end_ns)
{
	if (remarks == NULL || !remarks->only_steps)
		return true;
	/* the first step that ends behind the begin */
	size_t low = 0, high = remarks->steps.count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (remarks->steps.items[middle].end_ns <= begin_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < remarks->steps.count && remarks->steps.items[low].begin_ns <= end_ns;
}

const struct remarks_finding *remarks_at(
	const struct remarks *remarks, const char *file, uint64_t line)
{
	for (size_t i = 0; remarks != NULL && line != 0 && i < remarks->findings.count; i++) {
		const struct remarks_finding *finding = &remarks->findings.items[i];
		if (finding->file != NULL && finding->line == line &&
			strcmp(finding->file, file) == 0)
			return finding;
	}
	return NULL;
}
