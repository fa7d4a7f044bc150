/* SPDX-License-Identifier: MIT */
/*
 * Calls of a function of a library: bench_probe MODE CALLS. plain: as the linker bound it, so that
 * LIBTRACE_PROBE can name it; bare: through the library's own stub, with nothing to ask or to tell.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "preload/probe/call.h"

long bench_probed(long a, double b);

uint32_t probe_vectors;

struct call_answer probe_enter(uint64_t number, uintptr_t frame)
{
	(void)number;
	(void)frame;
	return (struct call_answer){.target = (const void *)bench_probed, .recorded = 1};
}

void probe_leave(uintptr_t frame)
{
	(void)frame;
}

int probe_personality(int version, int actions, uint64_t class, void *exception, void *context)
{
	(void)version;
	(void)actions;
	(void)class;
	(void)exception;
	(void)context;
	return 8; /* go on */
}

int main(int argc, char **argv)
{
	long (*volatile stub)(long, double) = (long (*)(long, double))(uintptr_t)probe_stubs;
	int bare = argc > 2 && strcmp(argv[1], "bare") == 0;
	long calls = argc > 2 ? strtol(argv[2], NULL, 10) : 0, sum = 0;

	if (calls <= 0)
		return 2;
	for (long i = 0; i < calls; i++)
		sum += bare ? stub(i, 1) : bench_probed(i, 1);
	return sum == 0;
}
