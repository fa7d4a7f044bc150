/* SPDX-License-Identifier: MIT */
/*
 * A program whose calls are made by a library that it opens in a scope of its own, and that library
 * itself (-DLIBRARY).
 *
 * usage: bound LIBRARY HOW CALLS
 *	linked-SCOPE, found-SCOPE   linked with the runtime, or looks it up; own: RTLD_DEEPBIND
 * COUNTS=FILE as in calls.c. Prints how many calls succeeded.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cudaMemset(void *address, int value, size_t count);
unsigned make_calls(const char *how, unsigned count);

#ifdef LIBRARY
unsigned make_calls(const char *how, unsigned count)
{
	int (*set)(void *, int, size_t) = cudaMemset;
	unsigned good = 0;
	if (strncmp(how, "found", 5) == 0) {
		void *runtime = dlopen("libcudart.so.12", RTLD_NOW | RTLD_LOCAL);
		set = runtime == NULL ? NULL
				      : (int (*)(void *, int, size_t))dlsym(runtime, "cudaMemset");
	}
	char byte;
	for (unsigned i = 0; set != NULL && i < count; i++)
		good += set(&byte, 1, 1) == 0;
	return good;
}
#else
int main(int argc, char **argv)
{
	const char *file = getenv("COUNTS");
	int scope = argc < 4 || strstr(argv[2], "own") == NULL ? 0 : RTLD_DEEPBIND;
	void *library = argc < 4 ? NULL : dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | scope);
	unsigned (*make)(const char *, unsigned) =
		library == NULL
			? NULL
			: (unsigned (*)(const char *, unsigned))dlsym(library, "make_calls");
	if (make == NULL)
		return 2;
	uint64_t counts[2];
	counts[0] = counts[1] = make(argv[2], (unsigned)strtoul(argv[3], NULL, 10));
	printf("%u calls\n", (unsigned)counts[0]);
	int fd = file == NULL ? -1 : open(file, O_WRONLY | O_CREAT, 0600);
	return fd >= 0 && write(fd, counts, sizeof(counts)) != (ssize_t)sizeof(counts);
}
#endif
