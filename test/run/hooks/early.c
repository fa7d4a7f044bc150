/* SPDX-License-Identifier: MIT */
/*
 * A library that the program needs: its constructor runs before the one of the preloaded library
 * and calls hooked functions of every sort.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <unistd.h>

int cudaMalloc(void **address, size_t size);
int cudaStreamSynchronize(void *stream);
int early_faults(void);

static int faults = -1;

static __attribute__((constructor)) void begin(void)
{
	char byte;
	void *address = NULL;
	int ends[2];
	faults = 0;
	faults += pipe(ends) != 0 || write(ends[1], "x", 1) != 1 || read(ends[0], &byte, 1) != 1 ||
		  byte != 'x';
	struct pollfd entry = {.fd = ends[0], .events = POLLIN};
	faults += poll(&entry, 1, 0) != 0;
	faults += cudaMalloc(&address, 64) != 0;
	faults += cudaStreamSynchronize(NULL) != 0;
	faults += dlsym(RTLD_DEFAULT, "cudaMalloc") == NULL;
	faults += dlsym(RTLD_DEFAULT, "no_such_function") != NULL;
	faults += dlopen("/no/such/library.so", RTLD_NOW) != NULL || dlerror() == NULL;
	(void)close(ends[0]);
	(void)close(ends[1]);
}

int early_faults(void)
{
	return faults;
}
