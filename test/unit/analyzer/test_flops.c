/* SPDX-License-Identifier: MIT */
/* Floating-point operations of operators, by their names and inputs. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/names/flops.h"

#define UNKNOWN UINT64_MAX

static uint64_t flops(const char *name, const char *shapes)
{
	uint64_t found = UNKNOWN;
	bool known = flops_of(name, shapes, &found);
	cr_expect(eq(int, known, found != UNKNOWN), "%s of %s", name, shapes);
	return found;
}

Test(flops, products_count_two_for_each_multiplication)
{
	cr_expect(eq(u64, flops("aten::mm", "float32[8, 64], float32[64, 3]"), 2 * 8 * 64 * 3));
	cr_expect(eq(u64, flops("aten::mm", "bfloat16[5, 5] x 2"), 2 * 125));
	cr_expect(eq(u64, flops("aten::addmm", "float32[3], float16[8, 64], float16[64, 3]"),
		2 * 8 * 64 * 3));
	cr_expect(eq(u64, flops("aten::addmm", "float32[4, 4] x 3"), 2 * 64));
	cr_expect(eq(
		u64, flops("aten::bmm", "float32[2, 3, 4], float32[2, 4, 5]"), 2 * 2 * 3 * 4 * 5));
	cr_expect(eq(u64,
		flops("aten::baddbmm_", "float32[2, 3, 5], float32[2, 3, 4], float32[2, 4, 5]"),
		2 * 2 * 3 * 4 * 5));
	cr_expect(
		eq(u64, flops("aten::addmv", "float64[3], float64[3, 7], float64[7]"), 2 * 3 * 7));
	cr_expect(eq(u64, flops("aten::dot", "float64[9] x 2"), 18));
	cr_expect(eq(u64, flops("aten::mm", "float32[0, 64], float32[64, 3]"), 0));
}

Test(flops, elements_count_one_each)
{
	cr_expect(eq(u64, flops("aten::mul", "float32[8, 64]"), 512));
	cr_expect(eq(u64, flops("aten::add_", "float32[8, 64], float32[64]"), 512));
	cr_expect(eq(u64, flops("aten::sub", "float32[8, 1], float32[1, 3]"), 24));
	cr_expect(eq(u64, flops("aten::div", "float32[], float32[4]"), 4));
	cr_expect(eq(u64, flops("aten::mul", "float32[3], -, -"), 3));
}

Test(flops, others_are_not_known)
{
	static const char *const cases[][2] = {
		{"aten::conv2d", "float32[1, 1, 8, 8], float32[4, 1, 3, 3]"}, {"aten::mm", ""},
		{"aten::mm", "-"}, {"aten::mm", "float32[8, 64]"},
		{"aten::mm", "float32[8, 64], float32[63, 3]"},
		{"aten::mm", "int64[8, 64], int64[64, 3]"}, {"aten::mm", "float32[8, 64], ?"},
		{"aten::mm", "float32[8, 64"}, {"aten::mm", "float32[8,"}, {"aten::mm", "float32"},
		{"aten::mm", "float32[8, 64]; float32[64, 3]"}, {"aten::add", "(float32[3] x 2)"},
		{"aten::add", "float32[1, 1, 1, 1, 1, 1, 1, 1, 1]"},
		{"aten::add", "float32[4294967296, 4294967296]"},
		{"aten::mm_out", "float32[2, 2] x 2"}, {"aten::m", "float32[2, 2] x 2"},
		{"", "float32[2]"}, {"_", "float32[2]"},
		{"aten::mm", "float32[4294967296, 4294967296], float32[4294967296, 2]"}};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		cr_expect(eq(u64, flops(cases[i][0], cases[i][1]), UNKNOWN));
}
