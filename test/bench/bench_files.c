/* SPDX-License-Identifier: MIT */
/*
 * Small files that are opened, read and closed, one after the other, as loaders do.
 *
 * usage: bench_files FOLDER N         reads N files of the folder, which are 0, 1, ... 999
 *        bench_files FOLDER N ROUNDS  blocks of N files with recording on and off in turn, in one
 *                                     process; prints "on off" for each round, the ns per file
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "preload/marks/user/libtrace.h"

#define FILES 1000

static char paths[FILES][512], bytes[4096];

static void read_files(long count)
{
	for (long i = 0; i < count; i++) {
		int file = open(paths[i % FILES], O_RDONLY | O_CLOEXEC);
		if (file < 0 || read(file, bytes, sizeof(bytes)) < 0 || close(file) != 0) {
			perror(paths[i % FILES]);
			exit(4);
		}
	}
}

static double ns_per_file(long count)
{
	struct timespec begin, end;
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	read_files(count);
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	return (double)((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec) /
	       (double)count;
}

int main(int argc, char **argv)
{
	long count = argc > 2 ? atol(argv[2]) : 0, rounds = argc > 3 ? atol(argv[3]) : 0;
	for (int i = 0; argc > 2 && i < FILES; i++)
		(void)snprintf(paths[i], sizeof(paths[i]), "%s/%d", argv[1], i);
	libtrace_step(); /* from here on what this thread waits for is of interest */
	if (rounds == 0)
		read_files(count);
	for (long i = 0; i < rounds; i++) {
		libtrace_resume();
		double on = ns_per_file(count);
		libtrace_pause();
		printf("%.1f %.1f\n", on, ns_per_file(count));
	}
	return 0;
}
