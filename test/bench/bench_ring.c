/* SPDX-License-Identifier: MIT */
/*
 * What an event costs the thread that records it: reserve, two clock reads, fill, commit,
 * against the same work on a hand-written ring without anything around it (48 bytes, one
 * thread, nobody drains); and what it costs with more threads than processors.
 * CPU time of the recording threads, in batches that fit the ring, with pauses in which
 * the drain thread empties it, so that no event is lost and no full ring makes it look cheap.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/collector.h"

#define BATCH         7000u
#define BATCHES       12u
#define ROUNDS_LIMIT  101u
#define THREADS_LIMIT 16u

struct small_record {
	uint64_t begin, end, a, b, c, d;
};

static struct {
	struct small_record records[16384];
	uint64_t head __attribute__((aligned(64)));
	uint64_t tail __attribute__((aligned(64)));
} reference;

static uint64_t refused;

static uint64_t thread_cpu_ns(void)
{
	struct timespec time;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static __attribute__((noinline)) void record_reference(uint64_t value)
{
	uint64_t begin = clock_ticks();
	uint64_t head = reference.head;
	if (head - reference.tail >= 16384)
		return;
	struct small_record *record = &reference.records[head & 16383];
	record->begin = begin;
	record->a = value;
	record->b = 7;
	record->c = 1;
	record->d = 2;
	record->end = clock_ticks();
	__atomic_store_n(&reference.head, head + 1, __ATOMIC_RELEASE);
}

static __attribute__((noinline)) void record_ours(uint64_t value)
{
	uint64_t begin = clock_ticks();
	struct record *record = collector_reserve();
	if (record == NULL) {
		__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		return;
	}
	*record = (struct record){.begin = begin,
		.kind = RECORD_LAUNCH,
		.call = 1,
		.stream = 7,
		.a = value & 15,
		.b = 256,
		.end = clock_ticks()};
	collector_commit();
}

static void wait_for_drain(void)
{
	while (collector_thread.ring != NULL && __atomic_load_n(&collector_thread.ring->tail,
							__ATOMIC_ACQUIRE) != collector_published())
		(void)usleep(1000);
}

/* CPU time per event of this thread, ns. */
static double measure(void (*record)(uint64_t))
{
	uint64_t spent = 0;
	for (unsigned batch = 0; batch < BATCHES; batch++) {
		uint64_t before = thread_cpu_ns();
		for (unsigned i = 0; i < BATCH; i++)
			record(i);
		spent += thread_cpu_ns() - before;
		wait_for_drain();
		reference.tail = reference.head;
	}
	return (double)spent / (BATCH * BATCHES);
}

static void *measure_ours(void *ret_ns)
{
	record_ours(0); /* attach */
	wait_for_drain();
	*(double *)ret_ns = measure(record_ours);
	return NULL;
}

static double measure_threads(unsigned count)
{
	pthread_t threads[THREADS_LIMIT];
	double ns[THREADS_LIMIT], sum = 0;
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, measure_ours, &ns[i]) != 0)
			exit(1);
	for (unsigned i = 0; i < count; i++) {
		(void)pthread_join(threads[i], NULL);
		sum += ns[i];
	}
	return sum / count;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

static void print(
	const char *id, const char *what, double value, double limit, double gate, double goal)
{
	printf("%s %s %.2f x limit %.2f gate %.2f goal %.2f %s\n", id, what, value, limit, gate,
		goal, value <= gate ? "ok" : "FAIL");
}

static unsigned rounds(void)
{
	const char *text = getenv("BENCH_ROUNDS");
	unsigned count = text != NULL ? (unsigned)strtoul(text, NULL, 10) : 11;
	return count < 1 ? 1 : count > ROUNDS_LIMIT ? ROUNDS_LIMIT : count;
}

static void measure_all(unsigned count)
{
	static const unsigned steps[] = {1, 2, 4, 8, 16};
	static double ring[ROUNDS_LIMIT], plain[ROUNDS_LIMIT], ratio[ROUNDS_LIMIT];
	static double threads[5][ROUNDS_LIMIT], growth[ROUNDS_LIMIT];
	for (unsigned i = 0; i < count; i++) {
		plain[i] = measure(record_reference);
		ring[i] = measure(record_ours);
		ratio[i] = ring[i] / plain[i];
		for (unsigned s = 0; s < 5; s++)
			threads[s][i] = measure_threads(steps[s]);
		growth[i] = threads[4][i] / threads[0][i];
	}
	printf("# reference %.1f ns, ring %.1f ns;", median(plain, count), median(ring, count));
	for (unsigned s = 0; s < 5; s++)
		printf(" %u threads %.1f ns%s", steps[s], median(threads[s], count),
			s < 4 ? "," : "\n");
	print("S2r", "ring_vs_reference_ring", median(ratio, count), 1.0, 1.6, 1.2);
	print("S5", "cpu_per_event_16_threads_vs_1", median(growth, count), 1.05, 1.5, 1.15);
}

static struct collector_call call_of(unsigned id)
{
	return id == 1 ? (struct collector_call){"bench", "test"}
		       : (struct collector_call){NULL, NULL};
}

int main(int count, char **arguments)
{
	if (count != 2) {
		fprintf(stderr, "usage: bench_ring FOLDER\n");
		return 2;
	}
	struct collector_options options = {.out_dir = arguments[1],
		.ring_bytes = 2u << 20, /* a quarter of it, for the last threads, holds a batch */
		.compression = 1,
		.rank = -1,
		.world_size = -1,
		.log_level = 1,
		.call_of = call_of,
		.call_count = 2};
	if (collector_configure(&options) < 0)
		return 1;
	collector_enable(true);
	record_ours(0);
	wait_for_drain();
	measure_all(rounds());
	collector_stop("exit");
	if (refused != 0)
		printf("# %llu events found no slot\n", (unsigned long long)refused);
	return 0;
}
