/* SPDX-License-Identifier: MIT */
#include "preload/python/package.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char base[PATH_MAX];

static void make(void)
{
	static const char *const folders[] = {"target/tool/sub", "target/tool-1.0.dist-info",
		"checkout/src/kit", "checkout/src/kit.egg-info", "work/own", "work/own.egg-info",
		"work/runs", "plain/thing"};
	static const char *const files[] = {"target/tool/__init__.py",
		"target/tool/sub/__init__.py", "checkout/src/kit/__init__.py",
		"work/own/__init__.py", "plain/thing/__init__.py"};
	char command[2 * PATH_MAX];
	(void)snprintf(base, sizeof(base), "/tmp/test_package.XXXXXX");
	if (mkdtemp(base) == NULL)
		abort();
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		(void)snprintf(command, sizeof(command), "mkdir -p '%s/%s'", base, folders[i]);
		if (system(command) != 0)
			abort();
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)snprintf(command, sizeof(command), "%s/%s", base, files[i]);
		FILE *file = fopen(command, "w");
		if (file == NULL || fclose(file) != 0)
			abort();
	}
}

static void release(void)
{
	char command[PATH_MAX + 16];
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", base);
	if (chdir("/") != 0 || system(command) != 0)
		abort();
}

TestSuite(package, .init = make, .fini = release);

static bool installed(const char *name)
{
	char path[2 * PATH_MAX];
	(void)snprintf(path, sizeof(path), "%s/%s", base, name);
	bool first = package_is_installed(path, strlen(path));
	cr_assert(eq(int, package_is_installed(path, strlen(path)), first), "asked again");
	return first;
}

Test(package, metadata_beside_it_tells_a_package)
{
	cr_assert(installed("target/tool/__init__.py"));
	cr_assert(installed("target/tool/sub/deep.py"));
	cr_assert(installed("checkout/src/kit/a.py"));
	cr_assert(not(installed("plain/thing/a.py")));
	cr_assert(not(installed("work/runs/train.py")));
}

Test(package, what_is_around_the_current_folder_is_the_users)
{
	char folder[2 * PATH_MAX];
	(void)snprintf(folder, sizeof(folder), "%s/work/runs", base);
	cr_assert(zero(int, chdir(folder)));
	cr_assert(not(installed("work/own/model.py")));
	cr_assert(installed("target/tool/a.py"));
}

Test(package, names_without_a_folder_are_the_users)
{
	cr_assert(not(package_is_installed("train.py", 8)));
	cr_assert(not(package_is_installed("/train.py", 9)));
	cr_assert(not(package_is_installed("<stdin>", 7)));
	cr_assert(not(package_is_installed("", 0)));
}
