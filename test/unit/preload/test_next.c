/* SPDX-License-Identifier: MIT */
#include "preload/calls/calls.h"
#include "preload/linker/next.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <stddef.h>

TestSuite(next);

Test(next, finds_what_the_dynamic_linker_finds)
{
	struct next next;
	next_begin(&next);
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

Test(next, the_default_one_of_several_versions)
{
	struct next next;
	next_begin(&next);
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
	next_begin(&next);
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

Test(next, knows_what_is_nowhere)
{
	cr_expect(eq(int, next_may_be_anywhere("no_such_function"), 0));
	cr_expect(eq(int, next_may_be_anywhere(""), 0));
	cr_expect(eq(int, next_may_be_anywhere("read"), 1));
	cr_expect(eq(int, next_may_be_anywhere("memcpy"), 1), "an indirect one too");
	cr_expect(eq(int, next_may_be_anywhere("environ"), 1), "a variable too");
}
