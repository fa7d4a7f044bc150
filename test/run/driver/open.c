/* SPDX-License-Identifier: MIT */
/* open LIBRARY FUNCTION [deep]: call a library's function; deep: opened with RTLD_DEEPBIND. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library =
		argc < 3 ? NULL : dlopen(argv[1], RTLD_LAZY | (argc > 3 ? RTLD_DEEPBIND : 0));
	int (*function)(void) = library == NULL ? NULL : (int (*)(void))dlsym(library, argv[2]);
	if (function == NULL) {
		printf("%s\n", argc < 3 ? "usage" : dlerror());
		return 2;
	}
	return function();
}
