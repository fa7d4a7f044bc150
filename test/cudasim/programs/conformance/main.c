/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conformance.h"

#define MAX_PRINTED 25 /* one cause can fail hundreds of checks */

#define ATTEMPTS 5 /* a busy machine can miss a time bound, but not every time */

struct counts {
	unsigned passed, failed;
	int quiet; /* not the last attempt */
};

static struct counts *counts; /* shared by all processes */

void check_that(int holds, const char *file, int line, const char *text)
{
	unsigned number =
		__atomic_add_fetch(holds ? &counts->passed : &counts->failed, 1, __ATOMIC_RELAXED);
	if (!holds && number <= MAX_PRINTED && !counts->quiet)
		printf("%s:%d: failed: %s\n", file, line, text);
}

void check_result(int result, int expected, const char *file, int line, const char *text)
{
	check_that(result == expected, file, line, text);
	if (result != expected && __atomic_load_n(&counts->failed, __ATOMIC_RELAXED) <= MAX_PRINTED)
		printf("\treturned %d, expected %d\n", result, expected);
}

uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int was_early(uint64_t begin_ns, uint64_t modelled_ns)
{
	return now_ns() - begin_ns < modelled_ns / 3;
}

int has_waited(uint64_t begin_ns, uint64_t modelled_ns)
{
	return now_ns() - begin_ns >= modelled_ns;
}

#define KERNEL_TIMES "slow=30ms;mid=5ms;void scale<float>(float*, int)=20ms;*=50us"
/* 2 MiB take about 21 ms over every path, 42 ms from or to pageable memory. */
#define COPY_TIMES "h2d=100MB/s;d2h=100MB/s;d2d=100MB/s;pageable=50MB/s;latency=10us"

static const struct group {
	const char *name;
	void (*run)(void);
	const char *settings[4]; /* NAME=VALUE, beside the two above */
} groups[] = {
	{"copies", group_copies, {NULL}},
	{"overlap", group_overlap, {NULL}},
	{"boxes", group_boxes, {NULL}},
	{"streams", group_streams, {NULL}},
	{"functions", group_functions, {NULL}},
	{"events", group_events, {NULL}},
	{"memory", group_memory, {NULL}},
	{"launch", group_launch, {NULL}},
	{"queue", group_queue, {"CUDASIM_QUEUE=8"}},
	{"cost", group_cost, {"CUDASIM_LAUNCH=200us"}},
	{"errors", group_errors, {"CUDASIM_MEMORY=64MiB"}},
	{"sticky", group_sticky, {"CUDASIM_FAULT=cudaStreamSynchronize:2=700"}},
	{"faults", group_faults,
		{"CUDASIM_FAULT=cudaMalloc:2=cudaErrorMemoryAllocation;"
		 "cuMemcpyDtoHAsync_v2:1=CUDA_ERROR_UNKNOWN;cudaEventCreate:*=1"}},
	{"capture", group_capture, {NULL}},
	{"capture_errors", group_capture_errors, {NULL}},
	{"nodes", group_nodes, {NULL}},
	{"fork", group_fork, {NULL}},
	{"entry", group_entry, {NULL}},
	{"log", group_log, {NULL}},
	{"driver", group_driver, {NULL}},
	{"threads", group_threads, {NULL}},
	{"no_device", group_no_device, {"CUDASIM_DEVICES=0"}},
	{"devices", group_devices, {"CUDASIM_DEVICES=2"}},
};

static void set_all(const struct group *group)
{
	setenv("CUDASIM_KERNELS", KERNEL_TIMES, 1);
	setenv("CUDASIM_COPY", COPY_TIMES, 1);
	setenv("CUDASIM_LAUNCH", "1us", 1);
	unsetenv("CUDASIM_LOG");
	for (int i = 0; i < 4 && group->settings[i]; i++) {
		char *copy = strdup(group->settings[i]);
		char *equals = strchr(copy, '=');
		*equals = '\0';
		setenv(copy, equals + 1, 1);
		free(copy);
	}
}

/* Returns the status that the group's process ended with. */
static int run_once(const struct group *group)
{
	int status;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		set_all(group);
		group->run();
		exit(0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void run_group(const struct group *group)
{
	struct counts before = *counts;
	int status = 0;
	for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
		*counts = before;
		counts->quiet = attempt < ATTEMPTS;
		status = run_once(group);
		if (status == 0 && counts->failed == before.failed)
			break;
	}
	if (status) {
		counts->failed++;
		printf("group %s: ended with status %d\n", group->name, status);
	}
	if (counts->passed + counts->failed == before.passed + before.failed) {
		counts->failed++;
		printf("group %s: checked nothing\n", group->name);
	}
}

int main(int argc, char **argv)
{
	counts = mmap(
		NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		return 4;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (argc < 2 || strcmp(argv[1], groups[i].name) == 0)
			run_group(&groups[i]);
	}
	printf("conformance, CUDA %d: %u passed, %u failed\n", CUDART_MAJOR, counts->passed,
		counts->failed);
	return counts->failed != 0;
}
