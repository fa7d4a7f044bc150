/* SPDX-License-Identifier: MIT */
/*
 * Children that are forked before their parent calls anything that is recorded: one waits at a
 * pipe, one sleeps and writes to a pipe, one puts a pickled pair into a pipe as Python's queues do,
 * one only sleeps. Each does so once before the parent calls CUDA, and twice after; what they meet
 * at is no call. With an argument the parent calls nothing. Prints what must be in the trace
 * ("record NAME MS").
 */
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAP_MS 20

int cudaMalloc(void **address, size_t size);

static struct meeting {
	int met, over;
} * meeting;

static void await(const int *number, int least)
{
	while (__atomic_load_n(number, __ATOMIC_ACQUIRE) < least)
		(void)sched_yield();
}

static void wait_at_pipe(const int ends[2])
{
	struct pollfd entry = {.fd = ends[0], .events = POLLIN};
	(void)poll(&entry, 1, NAP_MS);
}

static void sleep_and_write(const int ends[2])
{
	(void)usleep(1000 * NAP_MS);
	if (write(ends[1], "a message of some length", 24) != 24)
		abort();
}

static void put_a_pair(const int ends[2])
{
	static const char pair[] = "\0\0\0\x11\x80\x04\x95\x06\0\0\0\0\0\0\0K\x05N\x86\x94.";
	if (write(ends[1], pair, sizeof(pair) - 1) != sizeof(pair) - 1)
		abort();
}

static void only_sleep(const int ends[2])
{
	(void)ends;
	(void)usleep(1000 * NAP_MS);
}

static void start(void (*work)(const int ends[2]))
{
	int ends[2];
	if (pipe(ends) != 0)
		abort();
	if (fork() != 0)
		return;
	work(ends);
	(void)__atomic_add_fetch(&meeting->met, 1, __ATOMIC_RELEASE);
	await(&meeting->over, 1);
	work(ends);
	work(ends);
	exit(0);
}

int main(int argc, char **argv)
{
	void *address;
	int status, failed = 0;
	bool records = argc == 1;
	(void)argv;
	meeting = mmap(
		NULL, sizeof(*meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	start(wait_at_pipe);
	start(sleep_and_write);
	start(put_a_pair);
	start(only_sleep);
	await(&meeting->met, 4);
	if (records && cudaMalloc(&address, 64) != 0)
		return 2;
	__atomic_store_n(&meeting->over, 1, __ATOMIC_RELEASE);
	while (wait(&status) > 0)
		failed += status != 0;
	if (records)
		printf("record poll 15\nrecord poll 15\nrecord usleep 15\nrecord usleep 15\n");
	printf("%d failed\n", failed);
	return failed;
}
