/* SPDX-License-Identifier: MIT */
/*
 * A program that records numbered events through the collector's boundary, and ends in many ways.
 *
 * usage: emit FOLDER THREADS EVENTS HOW [PACE [PAUSE]]
 * Every thread records EVENTS events (0: without end) with a = 0, 1, 2 ... of the thread and a
 * name of its own; PACE is a pause of PAUSE microseconds (1) every so many events. HOW: exit,
 * _exit, quick_exit, thread (exit from a thread), pthread_exit (of main), abort, kill, exec
 * (itself again), exec-fails, wait.
 * The file named by EMIT_COUNTS is mapped shared and holds, per thread, how many events were
 * committed and how many found no slot: two 64-bit numbers that outlive a SIGKILL.
 * EMIT_SLOW: the start takes 350 ms, and the drain thread then never gets to its work.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/collector.h"
#include "collector/describe.h"

#define THREADS_LIMIT 1024u

static unsigned long events, pace, pause_us = 1;
static struct counts {
	uint64_t stored, dropped;
} private_counts[THREADS_LIMIT], *counts = private_counts;

static void record_one(unsigned long thread, unsigned long number, uint32_t name)
{
	struct record *record = collector_reserve();
	if (record == NULL) {
		__atomic_fetch_add(&counts[thread].dropped, 1, __ATOMIC_RELAXED);
		return;
	}
	uint64_t now = clock_ticks();
	*record = (struct record){.begin = now,
		.end = now + 100,
		.kind = RECORD_CALL,
		.name = name,
		.a = number,
		.call = 1};
	collector_commit();
	__atomic_fetch_add(&counts[thread].stored, 1, __ATOMIC_RELAXED);
}

static void map_counts(void)
{
	const char *path = getenv("EMIT_COUNTS");
	int fd = path != NULL ? open(path, O_RDWR | O_CREAT, 0600) : -1;
	if (fd < 0 || ftruncate(fd, sizeof(private_counts)) < 0)
		return;
	void *memory =
		mmap(NULL, sizeof(private_counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory != MAP_FAILED)
		counts = memory;
	(void)close(fd);
}

static void *record_all(void *number)
{
	unsigned long thread = (unsigned long)(uintptr_t)number;
	char text[32];
	int length = snprintf(text, sizeof(text), "thread %lu", thread);
	for (unsigned long i = 0; events == 0 || i < events; i++) {
		record_one(thread, i, collector_name(text, (size_t)length));
		if (pace != 0 && i % pace == 0)
			usleep((useconds_t)pause_us);
	}
	return NULL;
}

static void *exit_here(void *unused)
{
	(void)unused;
	exit(0);
}

static void end_by_exit(void)
{
	collector_stop("exit");
}

static void end(const char *how, char **arguments)
{
	pthread_t thread;
	if (strcmp(how, "_exit") == 0) {
		collector_stop("_exit");
		_exit(0);
	} else if (strcmp(how, "quick_exit") == 0) {
		collector_stop("quick_exit");
		quick_exit(0);
	} else if (strcmp(how, "thread") == 0) {
		if (pthread_create(&thread, NULL, exit_here, NULL) == 0)
			for (;;)
				pause();
	} else if (strcmp(how, "pthread_exit") == 0) {
		pthread_exit(NULL);
	} else if (strcmp(how, "abort") == 0) {
		abort();
	} else if (strcmp(how, "kill") == 0) {
		(void)raise(SIGKILL);
	} else if (strcmp(how, "wait") == 0) {
		for (;;)
			pause();
	} else if (strcmp(how, "exec") == 0) {
		char exit_text[] = "exit";
		char *again[] = {
			arguments[0], arguments[1], arguments[2], arguments[3], exit_text, NULL};
		collector_stop("exec");
		(void)execv("/proc/self/exe", again);
	} else if (strcmp(how, "exec-fails") == 0) {
		for (int i = 0; i < 3; i++) {
			collector_stop("exec");
			(void)execl("/nonexistent/program", "program", (char *)NULL);
			collector_resume();
			(void)record_all((void *)(uintptr_t)100);
		}
	}
}

static bool slow;

static struct collector_call call_of(unsigned id)
{
	static bool waited;
	if (slow && !__atomic_exchange_n(&waited, true, __ATOMIC_RELAXED))
		usleep(350000);
	return id == 1 ? (struct collector_call){"emit", "test"}
		       : (struct collector_call){NULL, NULL};
}

static void never_work(void)
{
	for (;;)
		pause();
}

int main(int count, char **arguments)
{
	if (count < 5)
		return 2;
	slow = getenv("EMIT_SLOW") != NULL;
	unsigned threads = (unsigned)strtoul(arguments[2], NULL, 10);
	events = strtoul(arguments[3], NULL, 10);
	pace = count > 5 ? strtoul(arguments[5], NULL, 10) : 0;
	pause_us = count > 6 ? strtoul(arguments[6], NULL, 10) : 1;
	const char *limit = getenv("EMIT_MAX_BYTES");
	const char *ring = getenv("EMIT_RING_BYTES");
	struct collector_options options = {.out_dir = arguments[1],
		.ring_bytes = ring != NULL ? strtoul(ring, NULL, 10) : 1u << 20,
		.max_bytes = limit != NULL ? strtoull(limit, NULL, 10) : 0,
		.compression = 1,
		.rank = -1,
		.world_size = -1,
		.log_level = 1,
		.describe = slow ? never_work : NULL,
		.call_of = call_of,
		.call_count = 2};
	if (collector_configure(&options) < 0)
		return 3;
	map_counts();
	(void)atexit(end_by_exit);
	collector_enable(true);
	pthread_t ids[THREADS_LIMIT];
	for (unsigned i = 0; i < threads && i < THREADS_LIMIT; i++)
		if (pthread_create(&ids[i], NULL, record_all, (void *)(uintptr_t)i) != 0)
			return 4;
	for (unsigned i = 0; i < threads && i < THREADS_LIMIT; i++)
		(void)pthread_join(ids[i], NULL);
	end(arguments[4], arguments);
	return 0;
}
