/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/result.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const gate_kind_names[GATE_KIND_COUNT] = {"count", "budget", "time", "finding"};

void gate_release(struct gate_result *result)
{
	vec_release(&result->failures);
	vec_release(&result->totals);
	vec_release(&result->remarks);
}

int gate_fail(struct gate_result *result, const struct gate_failure *failure)
{
	return vec_push(&result->failures, *failure);
}

int gate_remark(struct gate_result *result, const char *format, ...)
{
	struct gate_remark remark;
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(remark.text, sizeof(remark.text), format, arguments);
	va_end(arguments);
	return vec_push(&result->remarks, remark);
}

void gate_on_rank(struct gate_failure *failure, int64_t rank)
{
	char *text = failure->ranks;
	size_t used = strlen(text), size = sizeof(failure->ranks);
	const char *comma = strrchr(text, ',');
	char *dash = strchr(comma != NULL ? comma : text, '-');
	bool follows = used > 0 && failure->last_rank + 1 == rank;
	char *end = follows && dash != NULL ? dash : text + used;
	failure->last_rank = rank;
	failure->rank_count++;
	if (used > 0 && text[used - 1] == '.')
		return;
	if (used + sizeof(", ...") + 12 > size)
		(void)snprintf(text + used, size - used, ", ...");
	else
		(void)snprintf(end, size - (size_t)(end - text), "%s%" PRId64,
			follows    ? "-"
			: used > 0 ? ", "
				   : "",
			rank);
}

const char *gate_rate(uint64_t total, uint64_t steps, char buffer[GATE_NUMBER])
{
	if (steps > 0 && total % steps == 0)
		(void)snprintf(buffer, GATE_NUMBER, "%" PRIu64, total / steps);
	else
		(void)snprintf(buffer, GATE_NUMBER, "%" PRIu64 "/%" PRIu64, total, steps);
	return buffer;
}
