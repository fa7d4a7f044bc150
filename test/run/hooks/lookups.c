/* SPDX-License-Identifier: MIT */
/*
 * Looks functions up at run time in every way, and prints what it found. Linked with no runtime.
 * usage: lookups FOLDER    with libcudart.so.12, .13, libmodule12.so, libmodule13.so,
 * sub/libthird.so
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void *open_in(const char *folder, const char *name)
{
	char path[512];
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static int which(void *handle)
{
	int (*module)(void) = handle == NULL ? NULL : (int (*)(void))dlsym(handle, "module_which");
	return module == NULL ? 0 : module();
}

int main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : ".";
	void *address = NULL;
	int (*allocate)(void **, size_t);
	printf("before: %s\n", dlsym(RTLD_DEFAULT, "cudaMalloc") == NULL ? "none" : "found");
	printf("message: %s\n", strstr(dlerror(), "cudaMalloc") != NULL ? "names it" : "other");
	void *first = open_in(folder, "libcudart.so.12");
	printf("absent: %s\n", dlsym(first, "cudaNoSuchFunction") == NULL ? "none" : "found");
	printf("message: %s\n",
		strstr(dlerror(), "cudaNoSuchFunction") != NULL ? "names it" : "other");
	printf("lacking: %s\n", dlsym(first, "cudaFree") == NULL ? "none" : "found");
	allocate = (int (*)(void **, size_t))dlsym(first, "cudaMalloc");
	for (int i = 0; i < 3; i++)
		printf("direct: %d\n", allocate(&address, 1));
	printf("linked with 12: %d\n", which(open_in(folder, "libmodule12.so")));
	void *second = open_in(folder, "libmodule13.so");
	printf("linked with 13: %d\n", which(second));
	printf("linked with 13: %d\n", which(second));
	printf("linked with 12: %d\n", which(open_in(folder, "libmodule12.so")));
	allocate =
		(int (*)(void **, size_t))dlsym(open_in(folder, "libcudart.so.13"), "cudaMalloc");
	printf("direct 13: %d\n", allocate(&address, 1));
	void *third = open_in(folder, "sub/libthird.so");
	int (*opens)(void) = (int (*)(void))dlsym(third, "third_opens");
	printf("neighbour: %d\n", opens());
	return 0;
}
