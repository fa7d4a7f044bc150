/* SPDX-License-Identifier: MIT */
/*
 * The outcome of one check: whether what it looked for is there, what was found, and what to do
 * when it is not. Texts are whole sentences' parts for people; nothing is allocated.
 */
#ifndef ANALYZER_DOCTOR_FINDING_H
#define ANALYZER_DOCTOR_FINDING_H

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

#endif
