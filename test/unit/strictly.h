/* SPDX-License-Identifier: MIT */
/*
 * Included before every unit test: in C, Criterion's gt() takes a number for greater than one that
 * it equals, so that gt(u64, count, 0) could not fail.
 */
#ifndef TEST_UNIT_STRICTLY_H
#define TEST_UNIT_STRICTLY_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#undef CRI_BINOP_T_GT
#define CRI_BINOP_T_GT(Tag, Actual, Ref) (CRI_BINOP_LT_TAG(Tag, , Ref, Actual))

#endif
