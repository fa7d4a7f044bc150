/* SPDX-License-Identifier: MIT */
/* The library's own entry of LD_PRELOAD, made absolute. */
#include "preload/start/environment.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN "sub/liba.so"

static char folder[64];

static void make(const char *name)
{
	FILE *file = fopen(name, "w");
	cr_assert(file != NULL);
	(void)fclose(file);
}

static void set_up(void)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/libtrace-environment-XXXXXX");
	cr_assert(mkdtemp(folder) != NULL && chdir(folder) == 0);
	cr_assert(zero(int, system("mkdir sub")));
	make(OWN);
	make("sub/libb.so");
}

static void tear_down(void)
{
	cr_assert(zero(int, chdir("/")));
	char command[128];
	(void)snprintf(command, sizeof(command), "rm -rf %s", folder);
	cr_assert(zero(int, system(command)));
}

TestSuite(environment, .init = set_up, .fini = tear_down);

static void check(const char *list, const char *expected)
{
	char text[256] = "";
	size_t length = environment_absolute_list(list, OWN, "/here", text, sizeof(text));
	cr_assert(eq(sz, length, strlen(expected)), "%s", list);
	if (length != 0)
		cr_assert(zero(int, strcmp(text, expected)), "%s became %s", list, text);
}

Test(environment, own_entry_becomes_absolute)
{
	check("sub/liba.so", "/here/sub/liba.so");
	check("./sub/liba.so", "/here/sub/liba.so");
	check("sub/../sub/liba.so", "/here/sub/../sub/liba.so");
}

Test(environment, entry_without_a_path_is_what_the_search_found)
{
	char text[256];
	check("liba.so", "/here/sub/liba.so");
	check("libb.so", "");
	cr_assert(zero(sz, environment_absolute_list(
				   "liba.so", "/usr/lib/liba.so", "/here", text, sizeof(text))));
}

Test(environment, others_and_separators_stay)
{
	check(" ::sub/libb.so:sub/liba.so  missing/libc.so:",
		" ::sub/libb.so:/here/sub/liba.so  missing/libc.so:");
	check("sub/liba.so:sub/liba.so", "/here/sub/liba.so:/here/sub/liba.so");
}

Test(environment, nothing_to_change)
{
	check("", "");
	check("/usr/lib/liba.so", "");
	check("$ORIGIN/sub/liba.so", "");
	check("sub/libb.so", "");
	check("missing/liba.so", "");
}

Test(environment, folder_that_an_entry_cannot_have)
{
	static const char *const folders[] = {"/a b", "/a:b", "/a$b"};
	char text[256];
	for (unsigned i = 0; i < 3; i++)
		cr_assert(zero(
			sz, environment_absolute_list(OWN, OWN, folders[i], text, sizeof(text))));
}

Test(environment, no_room)
{
	char text[sizeof("/here/" OWN)];
	cr_assert(eq(sz, environment_absolute_list(OWN, OWN, "/here", text, sizeof(text)),
		sizeof(text) - 1));
	for (size_t size = 1; size < sizeof(text); size++)
		cr_assert(zero(sz, environment_absolute_list(OWN, OWN, "/here", text, size)));
}

Test(environment, set_replaces_in_place)
{
	cr_assert(zero(int, setenv("LIBTRACE_TEST", "old", 1)));
	char **before = environ;
	environment_set("LIBTRACE_TEST", "new and longer");
	cr_assert(eq(ptr, environ, before));
	cr_assert(zero(int, strcmp(getenv("LIBTRACE_TEST"), "new and longer")));
	environment_set("LIBTRACE_TEST_2", "first");
	cr_assert(zero(int, strcmp(getenv("LIBTRACE_TEST_2"), "first")));
}

Test(environment, a_new_variable_is_seen_by_libc_and_others_stay)
{
	char name[32], value[32];
	cr_assert(zero(int, setenv("TEXT_OF_ITS_OWN", "kept", 1)));
	for (int i = 0; i < 20; i++) {
		(void)snprintf(name, sizeof(name), "NEW_%d", i);
		environment_set(name, "first");
		environment_set(name, i % 2 == 0 ? "" : "second");
	}
	cr_assert(zero(int, setenv("BEHIND", "libc", 1)), "which makes a list of its own again");
	environment_set("LAST", "ours");
	for (int i = 0; i < 20; i++) {
		(void)snprintf(name, sizeof(name), "NEW_%d", i);
		cr_assert(ne(ptr, getenv(name), NULL), "%s", name);
		(void)snprintf(value, sizeof(value), "%s", getenv(name));
		cr_assert(eq(str, value, i % 2 == 0 ? "" : "second"), "%s", name);
	}
	cr_assert(eq(str, getenv("TEXT_OF_ITS_OWN"), "kept"));
	cr_assert(eq(str, getenv("BEHIND"), "libc"));
	cr_assert(eq(str, getenv("LAST"), "ours"));
	cr_assert(zero(int, unsetenv("LAST")));
	cr_assert(eq(ptr, getenv("LAST"), NULL));
}
