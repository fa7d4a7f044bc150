/* SPDX-License-Identifier: MIT */
/*
 * Programs that are hard on a recorder, each recording numbered events all the while.
 *
 * usage: hostile FOLDER MODE [NUMBER]
 * forks N      N children, 64 at once, from two threads; one in three records nothing, the others
 *              some events; they end by _exit, exit and exec in turn
 * close N      N rounds of closing all descriptors in four ways, with files of our own put on
 * every number
 * threads N    N threads at once, 100 events each
 * short N      N threads one after the other, 3 events each; fails when memory grows
 * filesize N   the file-size limit is N bytes
 * fork-idle    a child that records nothing, of a parent that does
 * Prints "events N", how many were committed, and "refused N", how many found a full ring, in all
 * processes together. Exit status 0, or 1 with a line that says what was wrong.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/buffer/request.h"
#include "collector/collector.h"
#include "collector/describe.h"

#define AT_ONCE 64u

static const char *folder;
static uint64_t *committed; /* shared with the children */
static uint64_t *refused;   /* found the ring full */

static __thread uint64_t number; /* of the thread's next event */

static void record(unsigned count)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "process %d", (int)getpid());
	for (unsigned i = 0; i < count; i++) {
		struct record *record = collector_reserve();
		if (record == NULL) {
			__atomic_fetch_add(refused, 1, __ATOMIC_RELAXED);
			continue;
		}
		uint64_t now = clock_ticks();
		*record = (struct record){.begin = now,
			.end = now,
			.kind = RECORD_CALL,
			.name = collector_name(text, (size_t)length),
			.a = number++};
		collector_commit();
		__atomic_fetch_add(committed, 1, __ATOMIC_RELAXED);
	}
}

static void child(unsigned index)
{
	number = 0;
	if (index % 3 != 0)
		record(index % 200 + 1);
	switch (index % 4) {
	case 0:
		collector_stop("_exit");
		_exit(0);
	case 1:
		exit(0);
	case 2:
		collector_stop("exec");
		(void)execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	default:
		/* Fork once more: a grandchild of a child that may or may not have recorded. */
		if (fork() == 0) {
			number = 0;
			record(2);
			collector_stop("_exit");
			_exit(0);
		}
		(void)wait(NULL);
		collector_stop("_exit");
		_exit(0);
	}
}

static void *fork_many(void *argument)
{
	unsigned count = (unsigned)(uintptr_t)argument, running = 0;
	uintptr_t bad = 0;
	for (unsigned i = 0; i < count || running > 0;) {
		if (i < count && running < AT_ONCE / 2) {
			record(1);
			pid_t pid = fork();
			if (pid == 0)
				child(i);
			bad += pid < 0;
			running += pid > 0;
			i++;
			continue;
		}
		int status;
		if (wait(&status) < 0 && errno == ECHILD)
			running = 0;
		else
			running -= running > 0;
		bad += status != 0;
	}
	return (void *)bad;
}

static int forks(unsigned count)
{
	pthread_t other;
	void *bad = NULL;
	if (pthread_create(&other, NULL, fork_many, (void *)(uintptr_t)(count / 2)) != 0)
		return 1;
	uintptr_t mine = (uintptr_t)fork_many((void *)(uintptr_t)(count - count / 2));
	(void)pthread_join(other, &bad);
	if (mine + (uintptr_t)bad != 0)
		printf("%lu children ended badly\n", (unsigned long)(mine + (uintptr_t)bad));
	return mine + (uintptr_t)bad != 0;
}

static void close_all(unsigned way)
{
	switch (way % 4) {
	case 0:
		for (int fd = 3; fd < 1024; fd++)
			(void)close(fd);
		break;
	case 1:
		closefrom(3);
		break;
	case 2:
		(void)close_range(3, ~0u, 0);
		break;
	default:
		(void)close_range(3, ~0u, CLOSE_RANGE_UNSHARE);
		break;
	}
}

/* Put a file of our own on every number, and see that nobody else writes there. */
static int closing(unsigned rounds)
{
	char path[4096];
	struct stat status = {0};
	(void)snprintf(path, sizeof(path), "%s.own", folder);
	for (unsigned i = 0; i < rounds; i++) {
		record(500);
		close_all(i);
		int own = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
		for (int fd = own + 1; i % 2 == 0 && fd < 1024; fd++)
			(void)dup2(own, fd);
		record(500);
		(void)request_flush(1000);
		record(500);
		(void)request_flush(1000);
		if (fstat(own, &status) < 0 || status.st_size != 0) {
			printf("%ld foreign bytes in our file\n", (long)status.st_size);
			return 1;
		}
	}
	(void)unlink(path);
	return 0;
}

static void *few_events(void *count)
{
	record((unsigned)(uintptr_t)count);
	return NULL;
}

static void *wait_with_events(void *barrier)
{
	record(100);
	(void)pthread_barrier_wait(barrier);
	return NULL;
}

static long resident_kb(void)
{
	long pages = 0;
	FILE *stream = fopen("/proc/self/statm", "r");
	if (stream == NULL || fscanf(stream, "%*s %ld", &pages) != 1)
		pages = 0;
	if (stream != NULL)
		(void)fclose(stream);
	return pages * 4;
}

static int many_threads(unsigned count)
{
	static pthread_t ids[4096];
	pthread_barrier_t barrier;
	pthread_attr_t attributes;
	long before = resident_kb();
	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setstacksize(&attributes, 64 << 10);
	(void)pthread_barrier_init(&barrier, NULL, count + 1);
	for (unsigned i = 0; i < count && i < 4096; i++)
		if (pthread_create(&ids[i], &attributes, wait_with_events, &barrier) != 0)
			return 1;
	(void)pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < count && i < 4096; i++)
		(void)pthread_join(ids[i], NULL);
	printf("resident %ld KiB more\n", resident_kb() - before);
	return resident_kb() > (160 << 10);
}

static int short_threads(unsigned count)
{
	long warm = 0;
	for (unsigned i = 0; i < count; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, few_events, (void *)(uintptr_t)3) != 0)
			return 1;
		(void)pthread_join(thread, NULL);
		if (i == count / 5)
			warm = resident_kb();
	}
	long grown = resident_kb() - warm;
	printf("grown %ld KiB\n", grown);
	return grown > 1024;
}

static int file_size(unsigned bytes)
{
	struct rlimit limit = {bytes, bytes};
	if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
		return 1;
	for (unsigned i = 0; i < 200; i++) {
		record(1000);
		(void)usleep(1000);
	}
	return 0;
}

static int fork_idle(void)
{
	int status = 0;
	record(10);
	if (fork() == 0) {
		collector_stop("_exit");
		_exit(0);
	}
	(void)wait(&status);
	return status != 0;
}

static int run(const char *mode, unsigned amount)
{
	if (strcmp(mode, "forks") == 0)
		return forks(amount);
	if (strcmp(mode, "close") == 0)
		return closing(amount);
	if (strcmp(mode, "threads") == 0)
		return many_threads(amount);
	if (strcmp(mode, "short") == 0)
		return short_threads(amount);
	if (strcmp(mode, "filesize") == 0)
		return file_size(amount);
	if (strcmp(mode, "fork-idle") == 0)
		return fork_idle();
	return 2;
}

static void at_exit(void)
{
	collector_stop("exit");
}

int main(int count, char **arguments)
{
	if (count < 3)
		return 2;
	folder = arguments[1];
	committed = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	refused = committed + 1;
	struct collector_options options = {.out_dir = folder,
		.ring_bytes = 1u << 20,
		.compression = 1,
		.rank = -1,
		.world_size = -1,
		.log_level = 1};
	if (committed == MAP_FAILED || collector_configure(&options) < 0)
		return 3;
	(void)pthread_atfork(NULL, NULL, collector_after_fork);
	(void)atexit(at_exit);
	collector_enable(true);
	int bad = run(arguments[2], count > 3 ? (unsigned)strtoul(arguments[3], NULL, 10) : 0);
	collector_stop("exit");
	printf("events %llu\n", (unsigned long long)*committed);
	printf("refused %llu\n", (unsigned long long)*refused);
	return bad;
}
