/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#include "collector/base/err.h"
#include "collector/base/vec.h"

#define expect_text(actual, expected) cr_assert(eq(str, (char *)(actual), (char *)(expected)))

Test(err, texts_of_our_codes)
{
	expect_text(err_text(-ERR_DAMAGED), "damaged");
	expect_text(err_text(ERR_DAMAGED), "damaged");
}

Test(err, texts_of_system_errors)
{
	expect_text(err_text(-ENOENT), "No such file or directory");
	expect_text(err_text(0), "success");
	expect_text(err_text(-3999), "unknown error");
	expect_text(err_text(-123456), "unknown error");
}

Test(err, codes_are_unique_and_above_errno)
{
	static const int codes[] = {
#define ERR(name, code, text) code,
#include "collector/base/err.def"
#undef ERR
	};
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		cr_assert(ge(int, codes[i], 4000));
		cr_assert(gt(sz, strlen(err_text(codes[i])), 0));
		for (size_t j = 0; j < i; j++)
			cr_assert(ne(int, codes[i], codes[j]));
	}
}

Test(err, place_is_optional)
{
	struct err_at at = {0};
	cr_assert(eq(int, err_place(NULL, -ERR_TRUNCATED, 5, "x"), -ERR_TRUNCATED));
	cr_assert(eq(int, err_place(&at, -ERR_TRUNCATED, 5, "x"), -ERR_TRUNCATED));
	cr_assert(eq(int, at.code, -ERR_TRUNCATED));
	cr_assert(eq(u64, at.offset, 5));
	expect_text(at.what, "x");
}

Test(vec, grows_keeps_and_releases)
{
	VEC(uint64_t) numbers = {0};
	uint64_t sum = 0;
	VEC_FOREACH (number, &numbers)
		sum += *number;
	cr_assert(eq(u64, sum, 0));
	for (uint64_t i = 0; i < 1000; i++)
		cr_assert(eq(int, vec_push(&numbers, i), 0));
	cr_assert(eq(sz, numbers.count, 1000));
	VEC_FOREACH (number, &numbers)
		sum += *number;
	cr_assert(eq(u64, sum, 499500));
	cr_assert(eq(int, vec_reserve(&numbers, SIZE_MAX / 4), -ENOMEM));
	cr_assert(eq(u64, numbers.items[999], 999));
	vec_release(&numbers);
	cr_assert(eq(sz, numbers.count, 0));
	cr_assert(eq(int, vec_push(&numbers, 7), 0));
	vec_release(&numbers);
}
