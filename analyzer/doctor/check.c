/* SPDX-License-Identifier: MIT */
#include "analyzer/doctor/check.h"

#include <stdarg.h>
#include <stdio.h>

void doctor_set(struct doctor_finding *finding, enum doctor_status status, const char *advice,
	const char *found, ...)
{
	va_list arguments;
	va_start(arguments, found);
	vsnprintf(finding->found, sizeof(finding->found), found, arguments);
	va_end(arguments);
	snprintf(finding->advice, sizeof(finding->advice), "%s", advice);
	finding->status = status;
}
