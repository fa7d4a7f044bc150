/* SPDX-License-Identifier: MIT */
/*
 * A program whose calls are made by a library that it opens in a scope of its own, and that library
 * itself (-DLIBRARY).
 *
 * usage: bound LIBRARY HOW CALLS
 *	linked-SCOPE, found-SCOPE   linked with the runtime, or looks it up; own: RTLD_DEEPBIND
 * AT_LOAD: what the library's constructor does; wait: for a thread that calls so often; sleep.
 * COUNTS=FILE as in calls.c. Prints how many calls succeeded.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cudaMemset(void *address, int value, size_t count);
int cudaSetDevice(int device);
unsigned make_calls(const char *how, unsigned count);

#ifdef LIBRARY
#define CALLS_AT_LOAD 50

static void *call_both(void *unused)
{
	char byte;
	/* of a device that is set again and again the first time alone is recorded */
	for (int i = 1; i < CALLS_AT_LOAD; i++)
		if (cudaMemset(&byte, 1, 1) != 0)
			abort();
	if (cudaSetDevice(0) != 0)
		abort();
	return unused;
}

__attribute__((constructor)) static void begin(void)
{
	const char *how = getenv("AT_LOAD");
	pthread_t thread;
	if (how != NULL && strcmp(how, "wait") == 0 &&
		pthread_create(&thread, NULL, call_both, NULL) == 0)
		(void)pthread_join(thread, NULL);
	else if (how != NULL)
		(void)usleep(300000);
}

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
