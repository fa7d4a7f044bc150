/* SPDX-License-Identifier: MIT */
/*
 * Programs to which descriptors 0 to 2 are not what one thinks.
 *
 * usage: descriptors reused FILE   close 2, open FILE, which gets that number, write to it, record
 *        descriptors closed FILE   started without any of them: use them all the while; the number
 *                                  of calls that something answered goes to FILE
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "test/cudasim/programs/kernel.h"

KERNEL(scale, "_Z5scalePfi", (void *data, int count), &data, &count)
KERNELS(NULL, KERNEL_ENTRY(scale))

int cudaDriverGetVersion(int *ret_version);

static bool ended;

static void record(unsigned count, unsigned pause_us)
{
	void *memory = NULL;
	(void)cudaMalloc(&memory, 4096);
	for (unsigned i = 0; i < count; i++) {
		LAUNCH(scale, DIM3(4, 1, 1), DIM3(32, 1, 1), 0, NULL)(memory, 1);
		(void)cudaDeviceSynchronize();
		(void)usleep(pause_us);
	}
}

static void *try(void *ret_answered)
{
	unsigned *answered = ret_answered;
	char byte;
	while (!__atomic_load_n(&ended, __ATOMIC_RELAXED)) {
		*answered += write(1, "x", 1) >= 0 || errno != EBADF;
		*answered += write(2, "x", 1) >= 0 || errno != EBADF;
		*answered += read(0, &byte, 1) >= 0 || errno != EBADF;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t trying;
	unsigned answered = 0;
	if (argc == 3 && strcmp(argv[1], "reused") == 0) {
		(void)close(2);
		int fd = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (fd != 2 || write(fd, "data\n", 5) != 5)
			return 1;
		record(3, 0);
		return 0;
	}
	/* the runtime opens its own libraries now, like this or not at all */
	int version = 0;
	(void)cudaDriverGetVersion(&version);
	if (argc != 3 || pthread_create(&trying, NULL, try, &answered) != 0)
		return 1;
	record(150, 10000);
	__atomic_store_n(&ended, true, __ATOMIC_RELAXED);
	(void)pthread_join(trying, NULL);
	FILE *file = fopen(argv[2], "w");
	if (file == NULL || fprintf(file, "%u answered\n", answered) < 0)
		return 1;
	return fclose(file) != 0;
}
