/* SPDX-License-Identifier: MIT */
/*
 * usage: storm storm|toggle|again
 * storm: calls from the program and from a signal handler at 10 kHz, on an alternate stack;
 * "made N" on stderr.
 * toggle: 100 calls, a signal, 200 calls, a signal, 200 calls; the signal switches recording.
 * again: 3 calls, then the same program by exec with 4 more.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int cudaMemset(void *address, int value, size_t count);

static volatile unsigned long made;
static int faults;

static void call(void)
{
	errno = 5;
	faults += cudaMemset(NULL, 1, 4) != 0 || errno != 5;
	(void)__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
}

static void on_timer(int number)
{
	(void)number;
	int saved = errno;
	call();
	errno = saved;
}

static void storm(void)
{
	static char stack[1 << 16];
	struct timespec now, end;
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_ONSTACK | SA_RESTART};
	struct itimerval timer = {{0, 100}, {0, 100}};
	(void)sigaltstack(&alternate, NULL);
	(void)sigaction(SIGALRM, &action, NULL);
	call();
	(void)setitimer(ITIMER_REAL, &timer, NULL);
	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += 1;
	do {
		for (int i = 0; i < 50; i++)
			call();
		(void)usleep(100);
		(void)clock_gettime(CLOCK_MONOTONIC, &now);
	} while (
		now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
	memset(&timer, 0, sizeof(timer));
	(void)setitimer(ITIMER_REAL, &timer, NULL);
	fprintf(stderr, "made %lu\n", made);
}

static void toggle(void)
{
	const int counts[] = {100, 200, 200};
	(void)signal(SIGUSR2, SIG_IGN);
	for (int part = 0; part < 3; part++) {
		for (int i = 0; i < counts[part]; i++)
			call();
		/* Without the library nobody handles it. */
		(void)raise(getenv("LIBTRACE_RUN_DIR") != NULL ? SIGUSR1 : SIGUSR2);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	if (strcmp(mode, "storm") == 0)
		storm();
	else if (strcmp(mode, "toggle") == 0)
		toggle();
	for (int i = 0; strcmp(mode, "again") == 0 && i < 3; i++)
		call();
	if (strcmp(mode, "again") == 0)
		execl(argv[0], argv[0], "last", (char *)NULL);
	for (int i = 0; strcmp(mode, "last") == 0 && i < 4; i++)
		call();
	puts(strcmp(mode, "last") == 0 ? "again" : mode);
	return faults != 0;
}
