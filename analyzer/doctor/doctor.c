/* SPDX-License-Identifier: MIT */
#include "analyzer/doctor/doctor.h"

#include "analyzer/doctor/check.h"

/* clang-format off */
const struct doctor_check doctor_checks[] = {
#define CHECK(name, function, what) {name, what, function},
#include "analyzer/doctor/checks.def"
#undef CHECK
};
/* clang-format on */
const size_t doctor_check_count = sizeof(doctor_checks) / sizeof(doctor_checks[0]);
