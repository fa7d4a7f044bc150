/* SPDX-License-Identifier: MIT */
/* CUDASIM_NCCL='link=50GB/s;latency=10us;timeout=60s': how fast ranks talk, how long they wait. */
#include "nccl_settings.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct nccl_settings settings = {50, 10000, 60000000000ull};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct unit {
	const char *name;
	double factor; /* to ns, or bytes per ns */
	int is_rate;
} units[] = {{"ns", 1, 0}, {"us", 1e3, 0}, {"ms", 1e6, 0}, {"s", 1e9, 0}, {"MB/s", 1e-3, 1},
	{"GB/s", 1, 1}};

static int read_item(const char *item)
{
	const char *equals = strchr(item, '=');
	char *end;
	double value;

	if (!equals)
		return -1;
	value = strtod(equals + 1, &end);
	for (size_t i = 0; value > 0 && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name))
			continue;
		value *= units[i].factor;
		if (units[i].is_rate && !strncmp(item, "link=", 5))
			settings.bytes_per_ns = value;
		else if (!units[i].is_rate && !strncmp(item, "latency=", 8))
			settings.latency_ns = (uint64_t)value;
		else if (!units[i].is_rate && !strncmp(item, "timeout=", 8))
			settings.timeout_ns = (uint64_t)value;
		else
			return -1;
		return 0;
	}
	return -1;
}

static void read_settings(void)
{
	const char *text = getenv("CUDASIM_NCCL");
	char *copy = text ? strdup(text) : NULL, *rest = copy;

	for (char *item; rest && (item = strsep(&rest, ";"));)
		if (*item && read_item(item))
			fprintf(stderr, "cudasim: CUDASIM_NCCL: '%s' is not understood\n", item);
	free(copy);
}

const struct nccl_settings *nccl_settings(void)
{
	pthread_once(&once, read_settings);
	return &settings;
}

uint64_t nccl_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void nccl_pause(void)
{
	struct timespec pause = {.tv_nsec = 50000};

	(void)nanosleep(&pause, NULL);
}
