/* SPDX-License-Identifier: MIT */
#include "collector/codec/crc32c.h"

#include <stdbool.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "collector/base/banned.h"

#define POLYNOMIAL 0x82f63b78u /* Castagnoli, reflected */

/* One step of the table, by compiler arithmetic: no table to fill, no order of initialisation. */
#define STEP_1(c) (((c) >> 1) ^ (POLYNOMIAL & (0u - ((c)&1u))))
#define STEP_4(c) STEP_1(STEP_1(STEP_1(STEP_1(c))))

/* Remainders of a nibble: small, and headers are short. */
/* clang-format off */
static const uint32_t nibbles[16] = {
	STEP_4(0u), STEP_4(1u), STEP_4(2u), STEP_4(3u), STEP_4(4u), STEP_4(5u),
	STEP_4(6u), STEP_4(7u),
	STEP_4(8u), STEP_4(9u), STEP_4(10u), STEP_4(11u), STEP_4(12u), STEP_4(13u),
	STEP_4(14u), STEP_4(15u),
};
/* clang-format on */

static uint32_t crc_by_table(uint32_t crc, const unsigned char *next, size_t size)
{
	for (; size > 0; size--, next++) {
		crc ^= *next;
		crc = (crc >> 4) ^ nibbles[crc & 15];
		crc = (crc >> 4) ^ nibbles[crc & 15];
	}
	return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc_by_instruction(
	uint32_t crc, const unsigned char *next, size_t size)
{
	uint64_t wide = crc;
	for (; size >= 8; size -= 8, next += 8) {
		uint64_t word;
		memcpy(&word, next, 8);
		wide = __builtin_ia32_crc32di(wide, word);
	}
	crc = (uint32_t)wide;
	for (; size > 0; size--, next++)
		crc = __builtin_ia32_crc32qi(crc, *next);
	return crc;
}

/*
 * Asked when it is first wanted: a guest's processor takes microseconds to answer, and the
 * compiler's own list of features asks it twenty times before any program begins.
 */
static bool has_instruction(void)
{
	enum {
		UNKNOWN,
		ABSENT,
		THERE
	};
	static int answer;
	int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
	if (known == UNKNOWN) {
		unsigned eax, ebx, ecx, edx;
		__cpuid(1, eax, ebx, ecx, edx); /* every processor of this kind has leaf 1 */
		known = (ecx & bit_SSE4_2) != 0 ? THERE : ABSENT;
		__atomic_store_n(&answer, known, __ATOMIC_RELAXED);
	}
	return known == THERE;
}
#endif

uint32_t crc32c_portable(uint32_t seed, const void *bytes, size_t size)
{
	return ~crc_by_table(~seed, bytes, size);
}

uint32_t crc32c(uint32_t seed, const void *bytes, size_t size)
{
#if defined(__x86_64__)
	if (has_instruction())
		return ~crc_by_instruction(~seed, bytes, size);
#endif
	return crc32c_portable(seed, bytes, size);
}

uint32_t crc32c_part(uint32_t first, uint64_t second, const void *bytes, size_t size)
{
	uint32_t check = crc32c(crc32c(0, &first, sizeof(first)), &second, sizeof(second));
	if (size > 0)
		check = crc32c(check, bytes, size);
	return check != 0 ? check : 1;
}
