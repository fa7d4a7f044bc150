/* SPDX-License-Identifier: MIT */
#include "timeline.h"

#include <pthread.h>
#include <time.h>

#define SAMPLES 16
/* Over a shorter time the line's slope would follow the uncertainty of the pairs. */
#define BASE_NS 1000000

struct pair {
	uint64_t device, client;
};

static cupti_timestamp *source;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the first pair */
static struct pair first;

/* The delivering thread's own: the line through the first pair and the latest that it took. */
static struct pair latest;
static double slope;

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t timeline_now(void)
{
	cupti_timestamp *callback = __atomic_load_n(&source, __ATOMIC_ACQUIRE);
	return callback ? callback() : read_clock(CLOCK_REALTIME);
}

/* Of some readings the one that was interrupted least. */
static struct pair take_pair(void)
{
	struct pair best = {0, 0};
	uint64_t best_gap = UINT64_MAX;
	for (int i = 0; i < SAMPLES; i++) {
		uint64_t before = read_clock(CLOCK_MONOTONIC);
		uint64_t client = timeline_now();
		uint64_t gap = read_clock(CLOCK_MONOTONIC) - before;
		if (gap < best_gap) {
			best_gap = gap;
			best = (struct pair){before + gap / 2, client};
		}
	}
	return best;
}

void timeline_set_source(cupti_timestamp *callback)
{
	__atomic_store_n(&source, callback, __ATOMIC_RELEASE);
	struct pair pair = take_pair();
	pthread_mutex_lock(&lock);
	first = pair;
	pthread_mutex_unlock(&lock);
}

/* Makes pair the latest one. Returns how long after the first it was taken. */
static uint64_t store_latest(struct pair pair)
{
	pthread_mutex_lock(&lock);
	if (first.device == 0)
		first = pair;
	uint64_t base_ns = pair.device - first.device;
	latest = pair;
	slope = (double)(pair.client - first.client) / (double)base_ns;
	pthread_mutex_unlock(&lock);
	return base_ns;
}

void timeline_refresh(void)
{
	while (store_latest(take_pair()) < BASE_NS) {
		struct timespec pause = {.tv_nsec = BASE_NS / 4};
		nanosleep(&pause, NULL);
	}
}

uint64_t timeline_convert(uint64_t monotonic_ns)
{
	/* A clock of nanoseconds keeps its nanoseconds: a duration must not change by rounding. */
	if (slope > 0.999 && slope < 1.001)
		return latest.client + (monotonic_ns - latest.device);
	return latest.client +
	       (uint64_t)(int64_t)((double)(int64_t)(monotonic_ns - latest.device) * slope);
}
