/* SPDX-License-Identifier: MIT */
/* Says of itself what it has marked, one "range", "step" or "metadata" per line; C and C++. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libtrace.h"

static void spend(unsigned us)
{
	struct timespec begin, now;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000000l + (now.tv_nsec - begin.tv_nsec) / 1000 <
		(long)us);
}

/* Recording is off from step 20 until before step 30 ends. */
static void loop(void)
{
	libtrace_metadata("model", "first");
	libtrace_metadata("model", "se\xc3\xa7ond");
	libtrace_metadata("", "nothing");
	libtrace_metadata(NULL, NULL);
	printf("metadata model=se\xc3\xa7ond\n");
	for (int i = 0; i < 40; i++) {
		int on = i < 20 || i >= 30;
		if (i == 20)
			libtrace_pause();
		if (i == 30)
			libtrace_resume();
		uint64_t outer = libtrace_begin("outer"), inner = libtrace_begin("inner");
		spend(300);
		libtrace_end(inner);
		libtrace_end(inner); /* it has ended */
		libtrace_end(outer);
		errno = 77;
		libtrace_step();
		if (errno != 77)
			printf("errno is %d\n", errno);
		if (on)
			printf("range inner\nrange outer\nstep\n");
	}
	uint64_t open = libtrace_begin("across a pause");
	libtrace_pause();
	libtrace_end(open);
	libtrace_resume();
	(void)libtrace_begin("never ended");
}

static void *storm(void *number)
{
	uint64_t ids[8];
	for (int i = 0; i < 2000; i++) {
		for (int j = 0; j < 8; j++)
			ids[j] = libtrace_begin("storm");
		for (int j = 8; j-- > 0;)
			libtrace_end(ids[(j + *(int *)number) % 8]);
	}
	return NULL;
}

static void threads(void)
{
	pthread_t ids[4];
	int numbers[4];
	for (int i = 0; i < 4; i++) {
		numbers[i] = i;
		(void)pthread_create(&ids[i], NULL, storm, &numbers[i]);
	}
	for (int i = 0; i < 4; i++)
		(void)pthread_join(ids[i], NULL);
	printf("ranges %d\n", 4 * 2000 * 8);
}

static void child(void)
{
	uint64_t open = libtrace_begin("parent");
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		libtrace_end(open);
		libtrace_end(libtrace_begin("child"));
		libtrace_step();
		exit(0);
	}
	int status;
	(void)waitpid(pid, &status, 0);
	libtrace_end(open);
	printf("status %d\n", status);
}

/* How often a step can be marked, for the cost where nobody listens. */
static void many(long count)
{
	for (long i = 0; i < count; i++) {
		libtrace_step();
		libtrace_end(libtrace_begin("many"));
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "loop";
	printf("listens %d\n", libtrace_listens());
	if (strcmp(what, "threads") == 0)
		threads();
	else if (strcmp(what, "fork") == 0)
		child();
	else if (strcmp(what, "many") == 0)
		many(atol(argv[2]));
	else
		loop();
	return 0;
}
