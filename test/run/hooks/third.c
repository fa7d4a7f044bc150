/* SPDX-License-Identifier: MIT */
/*
 * A library with RUNPATH $ORIGIN that opens its neighbour by name, and one that is found through
 * it.
 */
#include <dlfcn.h>
#include <stddef.h>

int third_opens(void);

int third_opens(void)
{
	void *neighbour = dlopen("libneighbour.so", RTLD_NOW | RTLD_LOCAL);
	int (*answer)(void) = neighbour == NULL ? NULL : (int (*)(void))dlsym(neighbour, "answer");
	return answer != NULL && answer() == 42;
}
