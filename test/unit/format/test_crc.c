/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "collector/codec/crc32c.h"
#include "test/unit/format/format_random.h"

/* Vectors of RFC 3720, B.4. */
Test(crc, known_vectors)
{
	uint8_t bytes[32];
	cr_assert(eq(u32, crc32c(0, "123456789", 9), 0xe3069283));
	memset(bytes, 0, sizeof(bytes));
	cr_assert(eq(u32, crc32c(0, bytes, 32), 0x8a9136aa));
	memset(bytes, 0xff, sizeof(bytes));
	cr_assert(eq(u32, crc32c(0, bytes, 32), 0x62a8ab43));
	for (unsigned i = 0; i < 32; i++)
		bytes[i] = (uint8_t)i;
	cr_assert(eq(u32, crc32c(0, bytes, 32), 0x46dd794e));
	cr_assert(eq(u32, crc32c_portable(0, bytes, 32), 0x46dd794e));
	cr_assert(eq(u32, crc32c(0, bytes, 0), 0));
}

Test(crc, portable_form_agrees_at_every_length_and_offset)
{
	uint64_t seed = 1;
	uint8_t bytes[300];
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)random_next(&seed);
	for (unsigned from = 0; from < 9; from++)
		for (unsigned size = 0; size + from <= sizeof(bytes); size++)
			cr_assert(eq(u32, crc32c(from, bytes + from, size),
				crc32c_portable(from, bytes + from, size)));
}

Test(crc, continues_from_a_part)
{
	const char *text = "split anywhere, same sum";
	uint32_t whole = crc32c(0, text, strlen(text));
	for (size_t cut = 0; cut <= strlen(text); cut++)
		cr_assert(eq(
			u32, crc32c(crc32c(0, text, cut), text + cut, strlen(text) - cut), whole));
}
