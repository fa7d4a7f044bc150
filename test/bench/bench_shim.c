/* SPDX-License-Identifier: MIT */
/*
 * What a hooked launch costs, against three yardsticks measured in turns in the same process:
 * the bare call, the bare call with two clock reads and a 48-byte store, and an LTTng-UST event.
 *
 * usage: bench_shim calls N       make N launches and nothing else, for counting instructions
 *        bench_shim minimal N     the same with the clock reads and the store alone
 *        bench_shim waits N       make N calls that may wait and do not, without a launch
 *        bench_shim feeds N       the same after one
 *        bench_shim time ROUNDS   medians of ratios: "reference R" and, when built with it,
 * "lttng R"
 *        bench_shim latency N     of N launches, what the slowest of a hundred and of a thousand
 *                                 take longer than bare ones, over what the clock reads and the
 *                                 store take: "p99 R", "p999 R", and the same of the latter, which
 *                                 is the machine's: "machine99 R", "machine999 R"
 *        bench_shim threads N     CPU ns per call of N threads over that of one: "threads R"
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif
#ifdef WITH_LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "test/bench/bench_shim.h"
#endif

#define BURST 4000 /* calls per round: less than half a ring, so that nothing is lost */
#define REST  4000 /* microseconds for the background threads to catch up */

struct dim3 {
	unsigned x, y, z;
};

int stub_launch(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
	size_t shared, void *stream);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
	size_t shared, void *stream);
void __cudaRegisterFunction(void **group, const char *stub, char *device, const char *name,
	int limit, void *tid, void *bid, void *block, void *grid, int *warp);

static const struct dim3 grid = {10, 1, 1}, block = {256, 1, 1};
static void *arguments[1];
static char stub;

static struct {
	uint64_t at;
	struct {
		uint64_t words[6];
	} slots[8192];
} reference;

static uint64_t now_ticks(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;
	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void run_bare(long calls)
{
	for (long i = 0; i < calls; i++)
		(void)stub_launch(&stub, grid, block, arguments, 0, &stub);
}

static __attribute__((noinline)) void run_hooked(long calls)
{
	for (long i = 0; i < calls; i++)
		(void)cudaLaunchKernel(&stub, grid, block, arguments, 0, &stub);
}

static __attribute__((noinline)) void run_reference(long calls)
{
	for (long i = 0; i < calls; i++) {
		uint64_t begin = now_ticks();
		int result = stub_launch(&stub, grid, block, arguments, 0, &stub);
		uint64_t end = now_ticks();
		uint64_t at = reference.at++ % 8192;
		uint64_t words[6] = {
			begin, end, (uint64_t)(uintptr_t)&stub, (uint64_t)result, at, 1};
		memcpy(reference.slots[at].words, words, sizeof(words));
		__asm__ volatile("" : : : "memory");
	}
}

/* One call at a time, its ticks to ret_ticks. */
static __attribute__((noinline)) void time_each(void (*run)(long calls), double *ret_ticks)
{
	for (long i = 0; i < BURST; i++) {
		uint64_t begin = now_ticks();
		run(1);
		ret_ticks[i] = (double)(now_ticks() - begin);
	}
	(void)usleep(REST);
}

#ifdef WITH_LTTNG
static __attribute__((noinline)) void run_lttng(long calls)
{
	for (long i = 0; i < calls; i++)
		lttng_ust_tracepoint(bench_shim, launch, &stub, 10, 256, &stub, 0);
}
#endif

static __attribute__((noinline)) void run_waits(long calls)
{
	for (long i = 0; i < calls; i++)
		(void)pthread_join(pthread_self(), NULL); /* a deadlock: refused at once */
}

static double ns_per_call(void (*run)(long calls))
{
	uint64_t begin = now_ns(CLOCK_MONOTONIC);
	run(BURST);
	double ns = (double)(now_ns(CLOCK_MONOTONIC) - begin) / BURST;
	(void)usleep(REST);
	return ns;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

static double median(double *values, int count)
{
	qsort(values, (size_t)count, sizeof(*values), compare);
	return values[count / 2];
}

static void measure_time(int rounds)
{
	double *ratios = calloc((size_t)rounds * 6, sizeof(*ratios));
	double *lttng = ratios + rounds, *bare_ns = lttng + rounds, *hooked_ns = bare_ns + rounds;
	double *reference_ns = hooked_ns + rounds, *lttng_ns = reference_ns + rounds;
	if (ratios == NULL)
		exit(4);
	for (int round = -3; round < rounds; round++) { /* the first ones warm up */
		double bare = ns_per_call(run_bare);
		double hooked = ns_per_call(run_hooked);
		double standard = ns_per_call(run_reference);
		double event = 0;
#ifdef WITH_LTTNG
		event = ns_per_call(run_lttng);
#endif
		if (round < 0)
			continue;
		bare_ns[round] = bare;
		hooked_ns[round] = hooked;
		reference_ns[round] = standard;
		lttng_ns[round] = event;
		ratios[round] = hooked / standard;
		lttng[round] = event > 0 ? (hooked - bare) / event : 0;
	}
	printf("reference %.3f\n", median(ratios, rounds));
#ifdef WITH_LTTNG
	printf("lttng %.3f\n", median(lttng, rounds));
#endif
	printf("# ns: bare %.1f hooked %.1f reference %.1f lttng %.1f\n", median(bare_ns, rounds),
		median(hooked_ns, rounds), median(reference_ns, rounds), median(lttng_ns, rounds));
	free(ratios);
}

static double share(const double *values, long count, double part)
{
	return values[(long)((double)(count - 1) * part)];
}

static void measure_latency(long calls)
{
	long bursts = (calls + BURST - 1) / BURST, count = bursts * BURST;
	void (*const runs[3])(long calls) = {run_bare, run_reference, run_hooked};
	double *ticks = calloc((size_t)count * 3, sizeof(*ticks));
	if (ticks == NULL)
		exit(4);
	run_hooked(BURST);
	(void)usleep(REST);
	for (long burst = 0; burst < bursts; burst++)
		for (unsigned i = 0; i < 3; i++)
			time_each(runs[i], ticks + i * count + burst * BURST);
	double *bare = ticks, *standard = ticks + count, *hooked = standard + count;
	for (unsigned i = 0; i < 3; i++)
		qsort(ticks + i * count, (size_t)count, sizeof(*ticks), compare);
	double unit = share(standard, count, 0.5) - share(bare, count, 0.5);
	if (unit < 1)
		unit = 1;
	printf("p50 %.2f\n", (share(hooked, count, 0.5) - share(bare, count, 0.5)) / unit);
	printf("p99 %.2f\n", (share(hooked, count, 0.99) - share(bare, count, 0.99)) / unit);
	printf("p999 %.2f\n", (share(hooked, count, 0.999) - share(bare, count, 0.999)) / unit);
	printf("machine99 %.2f\n", (share(bare, count, 0.99) - share(bare, count, 0.5)) / unit);
	printf("machine999 %.2f\n", (share(bare, count, 0.999) - share(bare, count, 0.5)) / unit);
	free(ticks);
}

static void *work(void *ret_ns)
{
	uint64_t spent = 0;
	run_hooked(BURST);
	for (int burst = 0; burst < 20; burst++) {
		uint64_t begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
		run_hooked(BURST);
		spent += now_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
		(void)usleep(REST * 4);
	}
	*(double *)ret_ns = (double)spent / (20.0 * BURST);
	return NULL;
}

static double cpu_ns(int count)
{
	pthread_t threads[64];
	double ns[64], sum = 0;
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, &ns[i]) != 0)
			exit(4);
	for (int i = 0; i < count; i++) {
		(void)pthread_join(threads[i], NULL);
		sum += ns[i];
	}
	return sum / count;
}

static void measure_threads(int count)
{
	double ratios[11];
	for (int round = 0; round < 11; round++) {
		double one = cpu_ns(1);
		ratios[round] = cpu_ns(count) / one;
	}
	printf("threads %.3f\n", median(ratios, 11));
}

int main(int argc, char **argv)
{
	long number = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	if (number <= 0 || number > 100000000)
		return 2;
	__cudaRegisterFunction(NULL, &stub, NULL, "bench_kernel", 0, NULL, NULL, NULL, NULL, NULL);
	if (strcmp(argv[1], "calls") == 0)
		run_hooked(number);
	else if (strcmp(argv[1], "minimal") == 0)
		run_reference(number);
	else if (strcmp(argv[1], "waits") == 0 || strcmp(argv[1], "feeds") == 0) {
		run_hooked(argv[1][0] == 'f');
		run_waits(number);
	} else if (strcmp(argv[1], "time") == 0)
		measure_time((int)number);
	else if (strcmp(argv[1], "latency") == 0)
		measure_latency(number);
	else if (strcmp(argv[1], "threads") == 0)
		measure_threads(number > 64 ? 64 : (int)number);
	else
		return 2;
	return 0;
}
