/* SPDX-License-Identifier: MIT */
/* What few programs do to themselves: namespaces of the loader, stacks, signals, children. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/attack/acts.h"

#define FORKERS  6
#define CHILDREN 250
#define BURSTING 96
#define BURST    12000
#define HUGE     ((size_t)1 << 30)

/* A second copy of the runtime: what it is asked must be answered by it, and not by the first. */
int use_namespace(act_work *work)
{
	for (int i = 0; i < 8; i++) {
		void *library = dlmopen(LM_ID_NEWLM, "libcudart_attack.so", RTLD_NOW);
		if (library == NULL)
			return -ENOSYS;
		int (*owner)(void **) = (int (*)(void **))(uintptr_t)dlsym(library, "attackOwner");
		int (*set)(void *, int, size_t) =
			(int (*)(void *, int, size_t))(uintptr_t)dlsym(library, "cudaMemset");
		void *there = NULL;
		if (owner == NULL || set == NULL || owner(&there) != 0)
			return -ENOSYS;
		/* It says so in the memory that it is given the address of. */
		void *seen = NULL;
		if (set(&seen, ATTACK_WHO, sizeof(seen)) != 0 || seen != there)
			return -EXDEV;
		work(20);
		(void)dlclose(library);
		work(20);
	}
	return 0;
}

static void *fork_many(void *work)
{
	for (int i = 0; i < CHILDREN; i++) {
		int status = -1;
		pid_t child = fork();
		if (child == 0) {
			if (i % 4 == 0)
				(*(act_work **)work)(3);
			_exit(i % 2 == 0 ? 0 : 5);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
			WEXITSTATUS(status) != (i % 2 == 0 ? 0 : 5))
			return NULL;
	}
	return work;
}

int fork_storm(act_work *work)
{
	pthread_t made[FORKERS];
	int code = 0;
	for (int i = 0; i < FORKERS; i++)
		if (pthread_create(&made[i], NULL, fork_many, &work) != 0)
			return -EAGAIN;
	for (int i = 0; i < FORKERS; i++) {
		void *result = NULL;
		if (pthread_join(made[i], &result) != 0 || result == NULL)
			code = -ECHILD;
	}
	return code;
}

static volatile sig_atomic_t rung;

static void on_ring(int number)
{
	(void)number;
	rung = rung + 1;
}

/* Every signal ends the read, as there is no SA_RESTART. */
int be_interrupted(act_work *work)
{
	struct sigaction action = {.sa_handler = on_ring};
	struct itimerval once = {{0, 0}, {0, 3000}};
	int ends[2];
	char byte;
	if (pipe(ends) != 0 || sigaction(SIGALRM, &action, NULL) != 0)
		return -errno;
	for (int i = 0; i < 50; i++) {
		(void)setitimer(ITIMER_REAL, &once, NULL);
		ssize_t got = read(ends[0], &byte, 1);
		if (got != -1 || errno != EINTR || rung != i + 1)
			return -EIO;
		work(4);
	}
	(void)close(ends[0]);
	(void)close(ends[1]);
	return 0;
}

/* Launchers close what they do not know, in themselves and in what they start. */
int close_ranges(act_work *work)
{
	char *arguments[] = {(char *)"true", NULL};
	for (int i = 0; i < 60; i++) {
		posix_spawn_file_actions_t actions;
		int status = -1;
		pid_t child;
		(void)close_range(3, ~0u, 0);
		work(10);
		if (posix_spawn_file_actions_init(&actions) != 0 ||
			posix_spawn_file_actions_addclosefrom_np(&actions, i % 4) != 0 ||
			posix_spawn(&child, "/bin/true", &actions, NULL, arguments, environ) != 0 ||
			waitpid(child, &status, 0) != child || status != 0)
			return -ECHILD;
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	return 0;
}

static void *work_deep(void *work)
{
	/* far below the beginning of the stack, and in pages that were never touched */
	volatile char *deep = __builtin_alloca(HUGE / 2);
	deep[0] = 1;
	(*(act_work **)work)(500);
	return work;
}

int use_huge_stack(act_work *work)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *result = NULL;
	if (pthread_attr_init(&attributes) != 0 ||
		pthread_attr_setstacksize(&attributes, HUGE) != 0 ||
		pthread_create(&thread, &attributes, work_deep, &work) != 0 ||
		pthread_join(thread, &result) != 0)
		return -EAGAIN;
	(void)pthread_attr_destroy(&attributes);
	return result != NULL ? 0 : -EPERM;
}

static act_work *late_work;

static void work_late(void)
{
	late_work(100);
}

int work_at_exit(act_work *work)
{
	late_work = work;
	return atexit(work_late) == 0 ? 0 : -ENOMEM;
}

static pthread_barrier_t all_there;

static void *work_fast(void *work)
{
	(*(act_work **)work)(1);
	(void)pthread_barrier_wait(&all_there);
	(*(act_work **)work)(BURST);
	return work;
}

/*
 * As fast as it goes on many threads of the smallest stack, each of which has its ring; MEMORY: the
 * file that is told how much is shared then.
 */
int burst(act_work *work)
{
	pthread_t made[BURSTING];
	const char *path = getenv("MEMORY");
	char line[128];
	pthread_attr_t attributes;
	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
	(void)pthread_barrier_init(&all_there, NULL, BURSTING);
	for (int i = 0; i < BURSTING; i++)
		if (pthread_create(&made[i], &attributes, work_fast, &work) != 0)
			return -EAGAIN;
	(void)pthread_attr_destroy(&attributes);
	for (int i = 0; i < BURSTING; i++)
		(void)pthread_join(made[i], NULL);
	FILE *status = fopen("/proc/self/status", "r");
	FILE *told = path != NULL ? fopen(path, "w") : NULL;
	while (status != NULL && fgets(line, sizeof(line), status) != NULL)
		if (told != NULL && strncmp(line, "RssShmem:", 9) == 0)
			(void)fputs(line, told);
	if (status != NULL)
		(void)fclose(status);
	if (told != NULL)
		(void)fclose(told);
	return 0;
}
