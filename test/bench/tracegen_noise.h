/* SPDX-License-Identifier: MIT */
/*
 * Seeded random numbers for the model of a training process, in integers only, so
 * that every machine and compiler draws the same ones. Jitter is counted by its
 * entropy: the sum tells how small a lossless file can become at best.
 */
#ifndef TEST_BENCH_TRACEGEN_NOISE_H
#define TEST_BENCH_TRACEGEN_NOISE_H

#include <stdint.h>

struct noise {
	uint64_t state;
	double bits; /* entropy of the jitter drawn */
};

static inline uint64_t noise_next(struct noise *noise)
{
	uint64_t z = noise->state += 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static inline uint64_t noise_below(struct noise *noise, uint64_t limit)
{
	return limit > 0 ? noise_next(noise) % limit : 0;
}

/* Skewed towards 0: the cube of a uniform number. */
static inline unsigned noise_skewed(struct noise *noise, unsigned limit)
{
	uint64_t u = noise_next(noise) >> 32;
	uint64_t cube = ((u * u) >> 32) * u >> 32;
	return (unsigned)((cube * limit) >> 32);
}

/* log2 of a positive number in units of 1/65536, within 0.01. */
static inline uint64_t noise_log2(uint64_t value)
{
	unsigned whole = 63 - (unsigned)__builtin_clzll(value);
	uint64_t fraction = ((value << (63 - whole)) >> 47) & 0xffff;
	return ((uint64_t)whole << 16) + fraction + ((fraction * (0x10000 - fraction) * 22) >> 22);
}

/* An exponential number; its entropy is log2(e * mean) bits. */
static inline uint64_t noise_exponential(struct noise *noise, uint64_t mean)
{
	uint64_t u = (noise_next(noise) >> 24) | 1; /* 40 bits */
	uint64_t bits = (40ull << 16) - noise_log2(u);
	noise->bits += (double)(noise_log2(mean) + 94548) / 65536;
	return mean * bits * 45426 >> 32; /* ln 2 in units of 1/65536 */
}

/* A nearly normal number around mean: twelve uniform ones; entropy log2(4.13 * sigma) bits. */
static inline uint64_t noise_normal(struct noise *noise, uint64_t mean, uint64_t sigma)
{
	int64_t sum = -6 * 65536;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t four = noise_next(noise);
		for (unsigned j = 0; j < 64; j += 16)
			sum += (int64_t)((four >> j) & 0xffff);
	}
	noise->bits += (double)(noise_log2(sigma) + 134087) / 65536;
	int64_t value = (int64_t)mean + sum * (int64_t)sigma / 65536;
	return value > 100 ? (uint64_t)value : 100;
}

#endif
