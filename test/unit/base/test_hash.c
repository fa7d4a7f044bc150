/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "collector/base/hash.h"

Test(hash, takes_the_high_bits_of_the_product)
{
	cr_assert(eq(u64, hash_word(1), 0x9e3779b97f4a7c15ull));
	cr_assert(eq(u64, hash_word(2), 0x3c6ef372fe94f82aull));
	cr_assert(eq(u32, hash_bits(1, 4), 0x9));
	cr_assert(eq(u32, hash_bits(1, 32), 0x9e3779b9));
	cr_assert(eq(u32, hash_bits(2, 8), 0x3c));
	cr_assert(eq(u32, hash_pointer_bits((void *)2, 8), 0x3c));
}

Test(hash, a_mix_depends_on_the_order)
{
	cr_assert(eq(u64, hash_mix(0, 5), hash_word(5)));
	cr_assert(ne(u64, hash_mix(hash_mix(0, 5), 7), hash_mix(hash_mix(0, 7), 5)));
}

/* Into 1024 slots: at random about 109 would meet another one, by their low bits 448. */
Test(hash, spreads_addresses)
{
	unsigned char taken[1024] = {0};
	unsigned meetings = 0;
	for (uint64_t i = 0; i < 512; i++)
		meetings += taken[hash_bits(0x7f0000001000ull + 16 * i, 10)]++ != 0;
	cr_assert(le(u32, meetings, 150));
}

Test(hash, of_words_depends_on_each_bit)
{
	uint64_t words[6] = {1, 2, 3, 4, 5, 6};
	uint64_t before = hash_words(words, 6);
	for (unsigned i = 0; i < 6; i++)
		for (unsigned bit = 0; bit < 64; bit++) {
			words[i] ^= 1ull << bit;
			cr_assert(ne(u64, hash_words(words, 6) >> 32, before >> 32));
			words[i] ^= 1ull << bit;
		}
	cr_assert(ne(u64, hash_words(words, 5), before));
}

Test(hash, ids_in_a_row_never_collide)
{
	unsigned char taken[256] = {0};
	for (uint32_t id = 1000; id < 1256; id++)
		cr_assert(eq(u8, taken[hash_id(id) & 255]++, 0));
}
