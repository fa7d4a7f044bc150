/* SPDX-License-Identifier: MIT */
/* Texts and numbers as libc would have them, without it. */
#include "collector/base/err.h"
#include "preload/start/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(text);

Test(text, is_put_together_and_cut)
{
	char bytes[8] = "";
	struct text text = {bytes, sizeof(bytes), 0};
	text_put(&text, "ab");
	text_put(&text, "");
	text_put_number(&text, 7, 3);
	cr_assert(eq(str, bytes, "ab007"));
	text_put(&text, "cdefgh");
	cr_assert(eq(str, bytes, "ab007cd"));
	text_put_number(&text, 1, 1);
	cr_assert(eq(str, bytes, "ab007cd"));
	cr_assert(eq(sz, text.length, 7));
}

Test(text, numbers_are_those_of_printf)
{
	static const uint64_t numbers[] = {0, 9, 10, 4095, UINT32_MAX, UINT64_MAX};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		for (int digits = 0; digits < 6; digits++) {
			char bytes[32] = "", other[32];
			struct text text = {bytes, sizeof(bytes), 0};
			text_put_number(&text, numbers[i], (unsigned)digits);
			(void)snprintf(other, sizeof(other), "%0*llu", digits,
				(unsigned long long)numbers[i]);
			cr_assert(eq(str, bytes, other));
		}
	}
}

Test(text, numbers_are_read_as_strtol_does)
{
	static const char *const texts[] = {"", "-", "+", " ", "0", "7", "-7", "+12", " \t 12",
		"12 ", "1e3", "0x10", "--1", "9223372036854775807", "9223372036854775808", "-5",
		"99999999999999999999", "640", "0600", "8"};
	for (int base = 8; base <= 10; base += 2) {
		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
			char *end;
			errno = 0;
			long number = -1, expected = strtol(texts[i], &end, base);
			bool fits = end != texts[i] && *end == '\0' && errno == 0 && expected >= -7;
			int code = text_number(texts[i], base, -7, LONG_MAX, &number);
			cr_expect(eq(int, code, fits ? 0 : -ERR_BAD_VALUE), "%s", texts[i]);
			cr_expect(eq(long, number, fits ? expected : -1), "%s", texts[i]);
		}
	}
}
