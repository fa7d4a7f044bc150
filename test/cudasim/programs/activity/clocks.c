/* SPDX-License-Identifier: MIT */
/* All is delivered, in the layout of each release and by each kind of clock. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "activity.h"

#define TICK_NS  3
#define CLOCK_NS 50000

void group_release(void)
{
	client_open(now_ns);
	client_enable_all();
	CHECK_OK(cupti.cuptiActivityEnable(OVERHEAD));
	run_work();
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	compare_all();
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	CHECK(client_count(OVERHEAD) > 0); /* of the first flush */
}

static uint64_t ticks(void)
{
	return 1000000007u + now_ns() / TICK_NS;
}

static uint64_t realtime(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Each kernel began when the log says, by a clock that shows base + log / tick. */
static void compare_kernels(uint64_t base, uint64_t tick_ns)
{
	size_t count;
	struct truth *lines = truth_read(&count);
	size_t compared = 0;
	for (size_t i = 0; i < client.count; i++) {
		const struct taken *record = &client.records[i];
		for (size_t k = 0; k < count && record->kind == KERNEL; k++) {
			const struct truth *line = &lines[k];
			if (line->is_call || strcmp(line->what, "kernel") || line->node ||
				line->call != correlation(record))
				continue;
			uint64_t begin = get64(record, 16), end = get64(record, 24);
			CHECK(distance(begin, base + line->begin_ns / tick_ns) < CLOCK_NS);
			CHECK(distance((end - begin) * tick_ns, line->end_ns - line->begin_ns) <=
				2 * tick_ns + (line->end_ns - line->begin_ns) / 1000);
			compared++;
		}
	}
	CHECK(compared == 8);
	free(lines);
}

static void run_with(uint64_t (*clock)(void))
{
	client_open(clock);
	CHECK_OK(cupti.cuptiActivityEnable(KERNEL));
	run_work();
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
}

void group_realtime(void)
{
	uint64_t now = 0;
	run_with(NULL);
	CHECK_OK(cupti.cuptiGetTimestamp(&now));
	CHECK(distance(now, realtime()) < 100 * MS);
	compare_kernels(realtime() - now_ns(), 1);
}

void group_ticks(void)
{
	run_with(ticks);
	compare_kernels(1000000007u, TICK_NS);
}

/* A CUPTI of CUDA 11 beside this runtime, in the process's one driver. */
void group_eleven(void)
{
	static char path[4096 + 32];
	uint32_t version = 0;
	ssize_t length = readlink("/proc/self/exe", path, 4096);
	CHECK(length > 0);
	while (length > 0 && path[length - 1] != '/')
		length--;
	static const char library[] = "../11/libcupti.so.11.8";
	memcpy(path + length, library, sizeof(library));
	client_library = path;
	CHECK_OK(cudaFree(NULL)); /* loads the driver */
	run_with(now_ns);
	CHECK_OK(cupti.cuptiGetVersion(&version));
	CHECK(version == 18);
	compare_kernels(0, 1);
}
