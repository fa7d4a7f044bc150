/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/text/demangle.h"

Test(demangle, gives_the_declaration)
{
	char *text = demangle_full("_ZN2at6native4fillIfEEvPT_i");
	if (text == NULL)
		cr_skip_test("no libstdc++.so.6 here");
	cr_assert(eq(str, text, "void at::native::fill<float>(float*, int)"));
	free(text);
	cr_assert(eq(ptr, demangle_full("plain_c_kernel"), NULL));
	cr_assert(eq(ptr, demangle_full("_Zbroken"), NULL));
	cr_assert(eq(ptr, demangle_full(""), NULL));
}

Test(demangle, shortens_declarations)
{
	static const struct {
		const char *declaration, *name;
	} cases[] = {
		{"void at::native::fill<float>(float*, int)", "at::native::fill"},
		{"void at::native::vectorized<4, at::native::FillFunctor<float>, std::array<char*, "
		 "1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)",
			"at::native::vectorized"},
		{"void (anonymous namespace)::softmax<float, 151>(float*)",
			"(anonymous namespace)::softmax"},
		{"void a::(anonymous namespace)::b<int>()", "a::(anonymous namespace)::b"},
		{"kernel(float*)", "kernel"},
		{"plain_c_kernel", "plain_c_kernel"},
		{"bool a::operator< <int>(a const&)", "a::operator<"},
		{"a::operator()(int) const", "a::operator()"},
		{"std::ostream& operator<<(std::ostream&, int)", "operator<<"},
		{"a::operator bool<int>() const", "a::operator bool"},
		{"my_operator<int>(int)", "my_operator"},
		{"void f<(anonymous namespace)::g>(int)", "f"},
		{"void f<(int)4>(int)", "f"},
		{"std::vector<int> f(int)", "f"},
		{"main::{lambda(int)#1}::operator()(int) const",
			"main::{lambda(int)#1}::operator()"},
		{"", ""},
		{">>>", ">>>"},
		{"(", "("},
		{"a<b", "a"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = strdup(cases[i].declaration);
		demangle_shorten(text);
		cr_assert(eq(str, text, (char *)cases[i].name));
		free(text);
	}
}
