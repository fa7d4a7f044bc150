/* SPDX-License-Identifier: MIT */
#include "preload/calls/calls.h"
#include "preload/linker/next.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>

TestSuite(next);

Test(next, finds_what_the_dynamic_linker_finds)
{
	struct next next;
	next_begin(&next, UINT_MAX);
	cr_assert(gt(uint, next.count, 0));
	unsigned found = 0;
	for (unsigned id = 1; id < HOOK_COUNT; id++) {
		if (calls_library[id] != CALLS_libc)
			continue;
		const char *name = calls_name(id);
		void *here = next_function(&next, name);
		if (here == NULL)
			continue; /* the dynamic linker is asked then */
		found++;
		cr_expect(eq(ptr, here, dlsym(RTLD_NEXT, name)), "%s", name);
	}
	cr_expect(gt(uint, found, 60));
}

static unsigned libraries_now(void)
{
	unsigned count = 0;
	for (const struct link_map *map = _r_debug.r_map; map != NULL; map = map->l_next)
		count++;
	return count;
}

Test(next, looks_no_further_than_it_is_told_to)
{
	struct next next, all;
	unsigned count = libraries_now();
	next_begin(&all, UINT_MAX);
	next_begin(&next, count);
	cr_expect(eq(uint, next.count, all.count));
	cr_assert(lt(uint, all.count, count));
	for (unsigned more = 0; more <= all.count; more++) {
		next_begin(&next, count - more);
		cr_expect(eq(uint, next.count, all.count - more));
	}
	next_begin(&next, 0);
	cr_expect(eq(uint, next.count, 0));
}

Test(next, the_default_one_of_several_versions)
{
	struct next next;
	next_begin(&next, UINT_MAX);
	void *found = next_function(&next, "pthread_cond_wait");
	cr_expect(ne(ptr, found, NULL));
#if defined(__x86_64__)
	cr_expect(eq(ptr, found, dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2")));
	cr_expect(ne(ptr, found, dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.2.5")));
#endif
}

Test(next, leaves_to_the_dynamic_linker_what_it_has_to_tell)
{
	struct next next;
	next_begin(&next, UINT_MAX);
#if !defined(__SANITIZE_ADDRESS__) /* whose own is a function like others */
	cr_expect(
		eq(ptr, next_function(&next, "memcpy"), NULL), "chosen when it is first looked up");
#endif
	cr_expect(eq(ptr, next_function(&next, "environ"), NULL), "no function");
	cr_expect(eq(ptr, next_function(&next, "no_such_function"), NULL));
	cr_expect(eq(ptr, next_function(&next, ""), NULL));
	next.count = 0;
	cr_expect(eq(ptr, next_function(&next, "read"), NULL));
}

Test(next, chooses_in_one_library_as_the_dynamic_linker_does)
{
	struct next_object libc, none = {.base = 1};
	void *handle = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	cr_assert(eq(int, next_library("libc.so.6", &libc), 1));
	static const char *const names[] = {"memcpy", "memmove", "memset", "memcmp", "memchr",
		"strlen", "strnlen", "strcmp", "strncmp", "read", "pthread_cond_wait"};
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *here = next_chosen(&libc, names[i]);
#if !defined(__x86_64__)
		if (here == NULL)
			continue; /* the dynamic linker is asked then */
#endif
		cr_expect(eq(ptr, here, dlsym(handle, names[i])), "%s", names[i]);
	}
	cr_expect(eq(ptr, next_chosen(&libc, "no_such_function"), NULL));
	cr_expect(eq(ptr, next_chosen(&libc, "environ"), NULL), "no function");
	cr_expect(eq(int, next_library("libc.so", &none), 0), "a part of its name");
	cr_expect(eq(int, next_library("", &none), 0));
	cr_expect(eq(u64, none.base, 1), "untouched");
	(void)dlclose(handle);
}

Test(next, knows_what_is_nowhere)
{
	cr_expect(eq(int, next_may_be_anywhere("no_such_function"), 0));
	cr_expect(eq(int, next_may_be_anywhere(""), 0));
	cr_expect(eq(int, next_may_be_anywhere("read"), 1));
	cr_expect(eq(int, next_may_be_anywhere("memcpy"), 1), "an indirect one too");
	cr_expect(eq(int, next_may_be_anywhere("environ"), 1), "a variable too");
}
