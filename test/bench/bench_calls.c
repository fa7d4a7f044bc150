/* SPDX-License-Identifier: MIT */
/*
 * Hooked calls of one kind in a loop and nothing else, for counting instructions: as a program, and
 * as a library whose functions a script calls, so that its frames are on top.
 *
 * usage: bench_calls launch|copy|event|sync|driver N
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct dim3 {
	unsigned x, y, z;
};

int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
	size_t shared, void *stream);
int cudaMemcpyAsync(void *dst, const void *src, size_t count, int kind, void *stream);
int cudaEventRecord(void *event, void *stream);
int cudaStreamSynchronize(void *stream);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
	unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared, void *stream,
	void **arguments, void **extra);
void __cudaRegisterFunction(void **group, const char *stub, char *device, const char *name,
	int limit, void *tid, void *bid, void *block, void *grid, int *warp);

int bench_launch(long calls);
int bench_copy(long calls);
int bench_event(long calls);
int bench_sync(long calls);
int bench_driver(long calls);

static const struct dim3 grid = {10, 1, 1}, block = {256, 1, 1};
static char stub, memory[64];
static void *arguments[1];

static __attribute__((constructor)) void register_kernel(void)
{
	__cudaRegisterFunction(NULL, &stub, NULL, "bench_kernel", 0, NULL, NULL, NULL, NULL, NULL);
}

int bench_launch(long calls)
{
	int sum = 0;
	for (long i = 0; i < calls; i++)
		sum += cudaLaunchKernel(&stub, grid, block, arguments, 0, &stub);
	return sum;
}

/* Neither end was seen allocated: the tables are asked in vain, as for most host memory. */
int bench_copy(long calls)
{
	int sum = 0;
	for (long i = 0; i < calls; i++)
		sum += cudaMemcpyAsync(memory, &stub, sizeof(memory), 1, &stub);
	return sum;
}

int bench_event(long calls)
{
	int sum = 0;
	for (long i = 0; i < calls; i++)
		sum += cudaEventRecord(&stub, &stub);
	return sum;
}

int bench_sync(long calls)
{
	int sum = 0;
	for (long i = 0; i < calls; i++)
		sum += cudaStreamSynchronize(&stub);
	return sum;
}

int bench_driver(long calls)
{
	int sum = 0;
	for (long i = 0; i < calls; i++)
		sum += cuLaunchKernel(&stub, 10, 1, 1, 256, 1, 1, 0, &stub, arguments, NULL);
	return sum;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(long calls);
	} kinds[] = {{"launch", bench_launch}, {"copy", bench_copy}, {"event", bench_event},
		{"sync", bench_sync}, {"driver", bench_driver}};
	long calls = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && calls > 0; i++)
		if (strcmp(kinds[i].name, argv[1]) == 0)
			return kinds[i].run(calls);
	return 2;
}
