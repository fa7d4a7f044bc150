/* SPDX-License-Identifier: MIT */
/*
 * What recording needs on this machine, looked at one thing at a time. A check says what it
 * found and, where something is missing, what to do about it. Nothing is loaded or
 * initialised, least of all CUDA: libraries are looked for as files, the interpreter is asked
 * for its version in a process of its own that may take five seconds.
 *
 * Every check is a row of doctor.def; not thread-safe.
 */
#ifndef ANALYZER_DOCTOR_H
#define ANALYZER_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum doctor_status {
	DOCTOR_OK,
	DOCTOR_NOTE,    /* works, but less well than it could */
	DOCTOR_MISSING, /* something is not recorded, or nothing at all */
	DOCTOR_STATUS_COUNT
};

struct doctor_finding {
	enum doctor_status status;
	char found[512];
	char advice[256]; /* "": nothing to do */
};

struct doctor_check {
	const char *name;
	const char *what; /* is recorded, or is possible, with it */
	void (*look)(struct doctor_finding *ret_finding);
};

extern const struct doctor_check doctor_checks[];
extern const size_t doctor_check_count;

#endif
