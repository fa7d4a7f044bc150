/* SPDX-License-Identifier: MIT */
/* Patterns over names of libraries and functions, and which functions cannot be traced. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "collector/format/symbol.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

struct fit {
	const char *pattern, *text;
	bool fits;
};

Test(symbol, patterns)
{
	static const struct fit rows[] = {{"", "", true}, {"", "a", false}, {"a", "a", true},
		{"a", "ab", false}, {"*", "", true}, {"*", "any", true}, {"a*c", "abc", true},
		{"a*c", "ac", true}, {"a*c", "acb", false}, {"a?c", "abc", true},
		{"a?c", "ac", false}, {"*ab*ab", "abxabab", true}, {"a**b", "ab", true},
		{"a*", "b", false}, {"*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false}};
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t length = strlen(rows[i].pattern);
		bool fits = symbol_fits(rows[i].pattern, length, rows[i].text);
		cr_expect(eq(int, fits, rows[i].fits), "%s %s", rows[i].pattern, rows[i].text);
	}
	cr_expect(symbol_fits("ab;c", 2, "ab"), "as long as it is said to be");
}

Test(symbol, libraries_may_be_named_without_their_suffix)
{
	static const struct fit rows[] = {{"libc10", "libc10.so", true},
		{"libc10", "libc10.so.1.2", true}, {"libc10.so", "libc10.so", true},
		{"libc10.so", "libc10.so.1", false}, {"libc1", "libc10.so", false},
		{"lib*", "libc10.so", true}, {"_C", "_C.cpython-311-x86_64-linux-gnu.so", false},
		{"_C*", "_C.cpython-311-x86_64-linux-gnu.so", true}, {"a", "a.source", false},
		{"prog", "prog", true}};
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t length = strlen(rows[i].pattern);
		bool fits = symbol_fits_library(rows[i].pattern, length, rows[i].text);
		cr_expect(eq(int, fits, rows[i].fits), "%s %s", rows[i].pattern, rows[i].text);
	}
}

Test(symbol, qualified_names)
{
	static const struct {
		const char *mangled, *name; /* NULL: it is not understood */
	} rows[] = {{"_Z1fv", "f"}, {"_ZN2at4_ops4item4callERKNS_6TensorE", "at::_ops::item::call"},
		{"_ZNK3c1010TensorImpl5sizesEv", "c10::TensorImpl::sizes"},
		{"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back"},
		{"_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_", "std::move"},
		{"_ZN1a1bC2Ev", "a::b::b"}, {"_ZN1a1bD1Ev", "a::b::~b"}, {"_ZN1aL1bEv", "a::b"},
		{"_Z1fIiEvT_", "f"}, {"_ZN1aIJifEE1bEv", "a::b"}, {"f", NULL}, {"", NULL},
		{"_Z", NULL}, {"_ZN", NULL}, {"_ZN1a", NULL}, {"_ZN9shortE", NULL}, {"_ZN0E", NULL},
		{"_ZN99999999999999999999aE", NULL}, {"_ZN1aI", NULL}, {"_ZN1aIiE", NULL},
		{"_ZN1aIS", NULL}, {"_ZN1aeqERKS_", NULL}, {"_ZZ1fvENKUlvE_clEv", NULL},
		{"_ZTV1a", NULL}, {"_ZNC1Ev", NULL}};
	char name[64];
	for (size_t i = 0; i < COUNT(rows); i++) {
		bool understood = symbol_qualified(rows[i].mangled, name, sizeof(name));
		cr_expect(eq(int, understood, rows[i].name != NULL), "%s", rows[i].mangled);
		if (understood && rows[i].name != NULL)
			cr_expect(zero(int, strcmp(name, rows[i].name)), "%s: %s", rows[i].mangled,
				name);
	}
	cr_expect(symbol_qualified("_ZN5first6second5thirdEv", name, 10));
	cr_expect(zero(int, strcmp(name, "first::se")), "cut to size: %s", name);
	cr_expect(not(symbol_qualified("_Z1fv", name, 0)));
}

Test(symbol, what_cannot_be_traced)
{
	static const struct {
		const char *file, *symbol;
		bool refused;
	} rows[] = {{"libc.so.6", "malloc", true}, {"libcublas.so", "cublasSgemm", false},
		{"ld-linux-x86-64.so.2", "_dl_open", true}, {"libtrace.so", "dlsym", true},
		{"libx.so", "setjmp", true}, {"libx.so", "setjmps", false},
		{"libx.so", "_Unwind_Resume", true}, {"libx.so", "__cxa_throw", true},
		{"libx.so", "_Z1fDv8_f", true}, {"libx.so", "fDv8_f", false},
		{"libx.so", "_ZGVdN4v_sin", true}, {"libx.so", "_ZGVZ1fvE1x", false},
		{"libx.so", "Sleef_sind4_u10avx2", true}, {"libx.so", "_Z1fv", false}};
	for (size_t i = 0; i < COUNT(rows); i++) {
		bool refused = symbol_refused(rows[i].file, rows[i].symbol) != NULL;
		cr_expect(eq(int, refused, rows[i].refused), "%s %s", rows[i].file, rows[i].symbol);
	}
}
