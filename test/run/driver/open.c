/* SPDX-License-Identifier: MIT */
/*
 * open LIBRARY FUNCTION [HOW] [LIBRARY FUNCTION [HOW]]: call a function of each library; how it
 * is opened: deep, global, or local.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int flags_of(const char *how)
{
	if (how != NULL && strcmp(how, "deep") == 0)
		return RTLD_LAZY | RTLD_DEEPBIND;
	return RTLD_LAZY | (how != NULL && strcmp(how, "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL);
}

int main(int argc, char **argv)
{
	int result = argc < 3 ? 2 : 0;
	for (int i = 1; i + 1 < argc && result == 0; i += 3) {
		void *library = dlopen(argv[i], flags_of(argv[i + 2]));
		int (*function)(void) =
			library == NULL ? NULL : (int (*)(void))dlsym(library, argv[i + 1]);
		if (function == NULL) {
			printf("%s\n", dlerror());
			return 2;
		}
		result = function();
	}
	return result;
}
