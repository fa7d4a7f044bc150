/* SPDX-License-Identifier: MIT */
/* What the other tests are written with. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

Test(strictly, a_number_is_not_greater_than_itself)
{
	uint64_t number = 0;
	int other = -1;
	cr_assert(not(gt(u64, number, 0)));
	cr_assert(not(gt(int, other, -1)));
	cr_assert(gt(int, other, -2));
	cr_assert(not(gt(int, other, 0)));
}
