/* SPDX-License-Identifier: MIT */
/* Names of kernels by their handles: which registration counts, and what goes with what. */
#include "collector/describe.h"
#include "preload/thread/arena.h"
#include "preload/track/kernel.h"
#include "preload/track/stream_capture.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <time.h>

#define AT(address) ((void *)(uintptr_t)(address))
#define GROUP       AT(0x10)
#define OTHER_GROUP AT(0x20)
#define THIRD_GROUP AT(0x30)
#define HANDLE      AT(0x1000)
#define ALIAS       AT(0x2000)

static uint32_t name_of(const void *handle)
{
	return kernel_name(handle, KERNEL_STUB, 0);
}

static uint32_t id(const char *text)
{
	return collector_name(text, strlen(text));
}

Test(kernel, the_last_registration_counts)
{
	static const char first[] = "first", second[] = "second";
	kernel_register(GROUP, HANDLE, first);
	cr_expect(eq(u32, name_of(HANDLE), id("first")));
	kernel_register(GROUP, HANDLE, second);
	cr_expect(eq(u32, name_of(HANDLE), id("second")));
	kernel_register(OTHER_GROUP, HANDLE, first);
	cr_expect(eq(u32, name_of(HANDLE), id("first")));
	kernel_register(GROUP, NULL, first);
	kernel_register(GROUP, ALIAS, NULL);
	cr_expect(eq(u32, name_of(ALIAS), 0));
}

Test(kernel, a_copy_is_known_by_its_text)
{
	char text[] = "copied";
	kernel_register_copy(GROUP, HANDLE, text, false);
	text[0] = 'X';
	cr_expect(eq(u32, name_of(HANDLE), id("copied")));
	kernel_register_copy(GROUP, HANDLE, text, false);
	cr_expect(eq(u32, name_of(HANDLE), id("Xopied")));
}

Test(kernel, what_may_be_gone_with_a_context)
{
	kernel_register_copy(GROUP, AT(1), "stays", false);
	kernel_register_copy(GROUP, AT(2), "in a context", true);
	kernel_register(NULL, AT(3), "of no group");
	kernel_register(GROUP, AT(4), "registered");
	/* the same name again, now in a context */
	kernel_register_copy(GROUP, AT(5), "again", false);
	kernel_register_copy(GROUP, AT(5), "again", true);
	for (uintptr_t i = 1; i <= 5; i++)
		cr_expect(ne(u32, name_of(AT(i)), 0));
	kernel_forget_contexts();
	cr_expect(eq(u32, name_of(AT(1)), id("stays")));
	cr_expect(eq(u32, name_of(AT(2)), 0));
	cr_expect(eq(u32, name_of(AT(3)), 0));
	cr_expect(eq(u32, name_of(AT(4)), id("registered")));
	cr_expect(eq(u32, name_of(AT(5)), 0));
}

Test(kernel, an_alias_is_the_same_kernel)
{
	kernel_register(GROUP, HANDLE, "kernel");
	kernel_alias(HANDLE, ALIAS, false);
	cr_expect(eq(u32, name_of(ALIAS), id("kernel")));
	/* what nobody knows takes the name away */
	kernel_alias(AT(0x7777), ALIAS, false);
	cr_expect(eq(u32, name_of(ALIAS), 0));
	kernel_alias(HANDLE, HANDLE, true);
	kernel_alias(HANDLE, NULL, true);
	kernel_forget_contexts();
	cr_expect(eq(u32, name_of(HANDLE), id("kernel")));
	kernel_alias(HANDLE, ALIAS, true);
	kernel_forget_contexts();
	cr_expect(eq(u32, name_of(ALIAS), 0));
	/* an alias goes with the group of its kernel */
	kernel_alias(HANDLE, ALIAS, false);
	kernel_forget(GROUP);
	cr_expect(eq(u32, name_of(ALIAS), 0));
}

Test(kernel, a_group_takes_along_what_is_linked_with_it, .timeout = 10)
{
	kernel_register(GROUP, AT(1), "one");
	kernel_register(OTHER_GROUP, AT(2), "two");
	kernel_register(THIRD_GROUP, AT(3), "three");
	kernel_link(GROUP, OTHER_GROUP);
	kernel_link(GROUP, OTHER_GROUP);
	kernel_link(OTHER_GROUP, THIRD_GROUP);
	kernel_link(OTHER_GROUP, GROUP); /* a circle */
	kernel_link(GROUP, GROUP);
	kernel_link(NULL, GROUP);
	kernel_forget(GROUP);
	cr_expect(eq(u32, name_of(AT(1)), 0));
	cr_expect(eq(u32, name_of(AT(2)), 0));
	cr_expect(eq(u32, name_of(AT(3)), id("three"))); /* only one step far */
	/* the link is gone as well */
	kernel_register(OTHER_GROUP, AT(2), "two");
	kernel_forget(GROUP);
	cr_expect(eq(u32, name_of(AT(2)), id("two")));
}

static unsigned asked;

static void ask(const void *handle, enum kernel_form form)
{
	asked++;
	if (handle == HANDLE && form == KERNEL_FUNCTION)
		kernel_register_copy(NULL, handle, "found", false);
}

/* How often it is asked when a kernel is launched with that result. */
static unsigned asks(const void *handle, enum kernel_form form, int result)
{
	asked = 0;
	(void)kernel_name(handle, form, result);
	return asked;
}

Test(kernel, a_name_is_asked_for_once)
{
	kernel_ask = ask;
	cr_expect(eq(uint, asks(HANDLE, KERNEL_FUNCTION, 1), 0)); /* the launch failed */
	__atomic_store_n(&stream_capture_count, 1, __ATOMIC_RELAXED);
	cr_expect(eq(uint, asks(HANDLE, KERNEL_FUNCTION, 0), 0));
	__atomic_store_n(&stream_capture_count, 0, __ATOMIC_RELAXED);
	cr_expect(eq(uint, asks(HANDLE, KERNEL_FUNCTION, 0), 1));
	cr_expect(eq(u32, name_of(HANDLE), id("found")));
	cr_expect(eq(uint, asks(HANDLE, KERNEL_FUNCTION, 0), 0));
	/* what has no name is not asked for again until something was unloaded */
	cr_expect(eq(uint, asks(ALIAS, KERNEL_FUNCTION, 0), 1));
	cr_expect(eq(uint, asks(ALIAS, KERNEL_FUNCTION, 0), 0));
	kernel_forget(GROUP);
	cr_expect(eq(uint, asks(ALIAS, KERNEL_FUNCTION, 0), 1));
	cr_expect(eq(uint, asks(ALIAS, KERNEL_FUNCTION, 0), 0));
	kernel_forget_contexts();
	cr_expect(eq(uint, asks(ALIAS, KERNEL_FUNCTION, 0), 1));
}

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A library that is opened, launched from and closed, so many times. */
static uint64_t come_and_go(unsigned times)
{
	uint64_t begin = now_ns();
	for (unsigned i = 0; i < times; i++) {
		kernel_register(GROUP, HANDLE, "comes and goes");
		kernel_register_copy(GROUP, ALIAS, "a copy of it", false);
		kernel_forget(GROUP);
	}
	return now_ns() - begin;
}

Test(kernel, forgetting_costs_what_there_is_to_forget)
{
	static char handles[1 << 18];
	uint64_t few = 100 * come_and_go(200);
	for (unsigned i = 0; i < sizeof(handles); i++)
		kernel_register(&handles[i / 64], &handles[i], "one of many");
	uint64_t many = come_and_go(20000);
	/* it was hundreds of times as dear */
	cr_expect(lt(u64, many, 20 * few));
	kernel_register(GROUP, HANDLE, "again");
	kernel_register_copy(GROUP, ALIAS, "a copy of it", false);
	cr_expect(eq(u32, name_of(HANDLE), id("again")));
	cr_expect(eq(u32, name_of(ALIAS), id("a copy of it")));
	kernel_forget(GROUP);
	cr_expect(eq(u32, name_of(HANDLE), 0));
	cr_expect(eq(u32, name_of(&handles[5]), id("one of many")));
	kernel_forget(&handles[0]);
	cr_expect(eq(u32, name_of(&handles[5]), 0));
	cr_expect(eq(u32, name_of(&handles[64]), id("one of many")));
}

Test(kernel, libraries_that_come_and_go_take_no_memory)
{
	kernel_register(GROUP, HANDLE, "one");
	kernel_register_copy(GROUP, ALIAS, "two", false);
	kernel_forget(GROUP);
	const char *before = arena_take(16);
	(void)come_and_go(1);
	kernel_register_copy(OTHER_GROUP, ALIAS, "a copy of it", false);
	(void)come_and_go(1000);
	const char *after = arena_take(16);
	cr_expect(lt(sz, (size_t)(after - before), 512));
}
