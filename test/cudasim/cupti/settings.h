/* SPDX-License-Identifier: MIT */
/*
 * CUDASIM_CUPTI='ITEM=VALUE;...': how the stand-in CUPTI delivers, and what goes wrong.
 *
 *	delay=20ms     its thread wakes up so often to hand out full buffers
 *	late=0ms       a record is complete only so long after its operation has ended
 *	batch=0        a buffer is full after so many records; 0: when it has no more room
 *	drop=0         every N-th device record is lost, and counted
 *	reorder=0      every N records are delivered in reversed order
 *	zero=0         every N-th device record has lost its times
 *	null=0         every N-th kernel record has no name
 *	orphan=0       every N-th API record never comes, and is not counted
 *	childless=0    every N-th device record never comes, and is not counted
 *	wrap=0         correlation numbers begin anew after N
 *	alien=0        every N records one of a kind that no release has
 *	fail=FUNCTION:N=ERROR   the N-th call (*: every call) of FUNCTION fails; may be repeated
 *	subscriber=1   somebody else has subscribed already
 *	nested=1       driver calls inside a runtime call are recorded too, under its correlation
 *	version=12.4   release whose record sizes and version number are used
 *
 * Read once, at the first use; any thread.
 */
#ifndef CUDASIM_CUPTI_SETTINGS_H
#define CUDASIM_CUPTI_SETTINGS_H

#include <stdint.h>

struct cupti_settings {
	uint64_t delay_ns;
	uint64_t late_ns;
	uint32_t batch, drop, reorder, zero, null;
	uint32_t orphan, childless, wrap, alien;
	int subscriber, nested;
	char version[16]; /* empty: that of the SONAME */
};

/* Never NULL. */
const struct cupti_settings *settings_get(void);

/* Counts a call of the function. The error ordered for it, or 0. */
int settings_failure(const char *function);

#endif
