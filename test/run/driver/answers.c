/* SPDX-License-Identifier: MIT */
/*
 * What the driver's resolver and dlsym answer to odd questions; prints the same with the library
 * and without.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef int old_resolver(const char *, void **, int, uint64_t);
typedef int new_resolver(const char *, void **, int, uint64_t, int *);

static void *const mark = (void *)0x5a5a;

static void found(const char *what, int result, const void *function, int status)
{
	printf("%s: %d %s %d\n", what, result,
		function == NULL   ? "nothing"
		: function == mark ? "untouched"
				   : "something",
		status);
}

int main(void)
{
	printf("before: %d\n", dlsym(RTLD_DEFAULT, "cuLaunchKernel") != NULL);
	printf("message: %d\n", dlerror() != NULL);
	printf("program: %d\n", dlsym(dlopen(NULL, RTLD_NOW), "cuLaunchKernel") != NULL);
	(void)dlerror();
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		return 1;
	void *symbol = dlsym(library, "cuGetProcAddress");
	old_resolver *old = (old_resolver *)symbol;
	new_resolver *new = (new_resolver *)dlsym(library, "cuGetProcAddress_v2");
	void *function = mark;
	int status = 7;
	found("none", new ("cuNoSuchThing", &function, 12000, 0, &status), function, status);
	function = mark, status = 7;
	found("none, no status", new ("cuNoSuchThing", &function, 12000, 0, NULL), function,
		status);
	function = mark, status = 7;
	found("too old", new ("cuLaunchKernelEx", &function, 4000, 0, &status), function, status);
	status = 7;
	found("no place", new ("cuLaunchKernel", NULL, 12000, 0, &status), NULL, status);
	function = mark, status = 7;
	found("no name", new (NULL, &function, 12000, 0, &status), function, status);
	function = mark, status = 7;
	found("bad flags", new ("cuLaunchKernel", &function, 12000, 99, &status), function, status);
	function = mark, status = 7;
	found("empty", new ("", &function, 0, 0, &status), function, status);
	function = mark;
	found("old, none", old("cuNoSuchThing", &function, 12000, 0), function, 0);
	found("old, no place", old("cuLaunchKernel", NULL, 12000, 0), NULL, 0);
	function = mark, status = 7;
	found("not hooked", new ("cuInit", &function, 2000, 0, &status), function, status);
	printf("its own: %d\n", function == dlsym(library, "cuInit"));
	printf("no symbol: %d", dlsym(library, "cuNoSuchThing") != NULL);
	printf(" %s\n", dlerror());
	printf("same twice: %d\n",
		dlsym(library, "cuLaunchKernel") == dlsym(library, "cuLaunchKernel"));
	printf("never initialised: %d\n",
		((int (*)(int *))dlsym(library, "cuDeviceGetCount"))(&status));
	return 0;
}
