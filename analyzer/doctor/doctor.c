/* SPDX-License-Identifier: MIT */
#include "analyzer/doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>

#include "analyzer/doctor/check.h"

/* clang-format off */
const struct doctor_check doctor_checks[] = {
#define CHECK(name, function, what) {name, what, function},
#include "analyzer/doctor/doctor.def"
#undef CHECK
};
/* clang-format on */
const size_t doctor_check_count = sizeof(doctor_checks) / sizeof(doctor_checks[0]);

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
