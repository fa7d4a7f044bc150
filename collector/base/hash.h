/* SPDX-License-Identifier: MIT */
/*
 * Multiply-shift hashing of words: one product with an odd constant (2^64 divided by the golden
 * ratio) spreads a word over the high bits, which are the good ones. For tables whose keys nobody
 * picks to hurt: addresses, handles, ids. The results are the same in every process and release;
 * nothing here is for files.
 *
 * Pure functions; they cost the product.
 */
#ifndef COLLECTOR_BASE_HASH_H
#define COLLECTOR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_FACTOR 0x9e3779b97f4a7c15ull

/* 64 bits, of which the high ones are good. */
static inline uint64_t hash_word(uint64_t word)
{
	return word * HASH_FACTOR;
}

/* hash continued by word; begin with 0. The high bits are good. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t word)
{
	return (hash ^ word) * HASH_FACTOR;
}

/* A number of 1 to 32 bits: the index in a table of 1 << bits. */
static inline uint32_t hash_bits(uint64_t word, unsigned bits)
{
	return (uint32_t)(hash_word(word) >> (64 - bits));
}

static inline uint32_t hash_pointer_bits(const void *pointer, unsigned bits)
{
	return hash_bits((uint64_t)(uintptr_t)pointer, bits);
}

/* The same by the low half of an address, where the product is one instruction shorter. */
static inline uint32_t hash_address_bits(const void *address, unsigned bits)
{
	return (uint32_t)(uintptr_t)address * 0x9e3779b1u >> (32 - bits);
}

/* Of count words, at most 6: products that the processor overlaps. The high bits are good. */
static inline __attribute__((always_inline)) uint64_t hash_words(
	const uint64_t *words, unsigned count)
{
	static const uint64_t factors[] = {HASH_FACTOR, 0xc2b2ae3d27d4eb4full,
		0x165667b19e3779f9ull, 0xd6e8feb86659fd93ull, 0xa0761d6478bd642full,
		0xe7037ed1a0b428dbull};
	uint64_t hash = 0;
#pragma GCC unroll 6
	for (unsigned i = 0; i < count; i++)
		hash += (words[i] ^ words[i] >> 32) * factors[i];
	return (hash ^ hash >> 29) * 0x94d049bb133111ebull;
}

/* hash continued by a text; NULL is as "". All bits are good. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	size_t size = text != NULL ? strlen(text) : 0;
	hash = hash_mix(hash, size);
	for (size_t at = 0; at < size; at += 8) {
		uint64_t word = 0;
		memcpy(&word, text + at, size - at < 8 ? size - at : 8);
		hash = hash_mix(hash, word);
		hash ^= hash >> 29;
	}
	return hash;
}

/* Of a small number: its low bits are good, and ids that follow each other never collide. */
static inline uint32_t hash_id(uint32_t id)
{
	return id * 0x9e3779b1u;
}

#endif
