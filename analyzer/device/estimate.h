/* SPDX-License-Identifier: MIT */
/*
 * How long each kind of device operation takes, as far as the trace has told: from what
 * the device itself reports, else learned from waits (fit.c), starting from a
 * guess. One entry per kernel name, per copy kind and size class. At most ESTIMATE_LIMIT
 * entries; later ones share entry 0. Not thread-safe.
 */
#ifndef ANALYZER_ESTIMATE_H
#define ANALYZER_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/slots.h"

#define ESTIMATE_LIMIT 4096u
/* Where nothing is known a kernel is taken to be a short one. */
#define ESTIMATE_KERNEL_NS 3000.0f

struct estimate {
	uint64_t key;
	float ns;
	bool measured; /* by the device: fits do not move it any more */
	bool known;    /* measured, or fitted where the device was busy for certain; else a guess */
	bool guessed;  /* estimate_guess() has come, which is once */
	bool apart;    /* seen between two waits with nothing but its like: device_part() */
};

#define ESTIMATE_RECENT 1024u /* power of two */

struct estimates {
	struct estimate items[ESTIMATE_LIMIT];
	uint32_t count;
	struct slots slots;               /* of the items, by their keys */
	uint32_t recent[ESTIMATE_RECENT]; /* of the items, by the low bits of their keys */
};

void estimates_release(struct estimates *estimates);

/* As estimate_find(), of a key that was not the last one with its low bits. */
uint32_t estimate_search(struct estimates *estimates, uint64_t key, float guess_ns);

/* Index of the entry of a key, not 0; a new one begins with guess_ns. Without memory entry 0. */
static inline uint32_t estimate_find(struct estimates *estimates, uint64_t key, float guess_ns)
{
	uint32_t *recent = &estimates->recent[key & (ESTIMATE_RECENT - 1)];
	if (__builtin_expect(estimates->items[*recent].key != key, 0))
		*recent = estimate_search(estimates, key, guess_ns);
	return *recent;
}

/* The device says that one took so long. */
void estimate_measure(struct estimates *estimates, uint32_t index, double ns);

/* Move an entry that was not measured towards a fitted time by a share of 0 to 1. */
void estimate_learn(struct estimates *estimates, uint32_t index, double ns, double share);

/* A better guess, once: what is known, and what is guessed to be longer, stays. */
void estimate_guess(struct estimates *estimates, uint32_t index, double ns);

#endif
