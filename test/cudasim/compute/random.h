/* SPDX-License-Identifier: MIT */
/*
 * Random numbers that depend on PyTorch's seed, its offset and the element alone, so that a seeded
 * program repeats itself. They are not those that a GPU would draw. Pure functions, any thread.
 */
#ifndef CUDASIM_COMPUTE_RANDOM_H
#define CUDASIM_COMPUTE_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t seed;
	uint64_t offset;
};

/* What the state of a generator, a kernel's parameter, says; captured ones point to it. */
struct random random_of(const void *state, int cudart);

/* Number index, of 64 random bits or in (0, 1]. */
uint64_t random_bits(const struct random *random, uint64_t index);
double random_unit(const struct random *random, uint64_t index);

#endif
