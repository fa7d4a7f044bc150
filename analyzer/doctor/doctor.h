/* SPDX-License-Identifier: MIT */
/*
 * What recording needs on this machine, looked at one thing at a time. A check says what it
 * found and, where something is missing, what to do about it. Nothing is loaded or
 * initialised, least of all CUDA: libraries are looked for as files, the interpreter is asked
 * for its version in a process of its own that may take five seconds.
 *
 * Every check is a row of checks.def; not thread-safe.
 */
#ifndef ANALYZER_DOCTOR_H
#define ANALYZER_DOCTOR_H

#include <stddef.h>

#include "analyzer/doctor/finding.h"

struct doctor_check {
	const char *name;
	const char *what; /* needs it: "needed for <what>" */
	void (*look)(struct doctor_finding *ret_finding);
};

extern const struct doctor_check doctor_checks[];
extern const size_t doctor_check_count;

#endif
