/* SPDX-License-Identifier: MIT */
/*
 * Programs that do to a tracer what programs do: prints nothing that depends on time.
 *
 * usage: hostile HOW [COUNT]
 *	threads COUNT     so many threads at once, each with calls of its own
 *	short COUNT       so many threads, one after the other in groups
 *	callback [COUNT]  exit(7) inside a callback of CUPTI at the COUNT-th call
 *	unload LIBRARY    open LIBRARY with RTLD_DEEPBIND, call into it, close it, many times
 *	forks             fork while other threads launch and flush; the children leave in every way
 *	majors PATH PATH  two libraries of one kind: each function that is looked up is its own
 *	leave             main leaves by pthread_exit() while another thread works on for a while
 *	endless           launch until somebody ends it
 *	plain             none of CUDA
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/cudasim/programs/kernel.h"

KERNEL(scale, "_Z5scalePfi", (void *data, int count), &data, &count)
KERNELS(NULL, KERNEL_ENTRY(scale))

static unsigned failed, done;

/* A few calls; every result is looked at. */
static void some(void)
{
	void *memory = NULL;
	CUstream stream = NULL;
	unsigned bad = cudaMalloc(&memory, 4096) != 0;
	bad += cudaStreamCreate(&stream) != 0;
	LAUNCH(scale, DIM3(4, 1, 1), DIM3(32, 1, 1), 0, stream)(memory, 1);
	bad += cudaMemsetAsync(memory, 1, 256, stream) != 0;
	bad += cudaStreamSynchronize(stream) != 0;
	bad += cudaStreamDestroy(stream) != 0;
	bad += cudaFree(memory) != 0;
	(void)__atomic_fetch_add(&failed, bad, __ATOMIC_RELAXED);
	(void)__atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
}

static void *some_thread(void *unused)
{
	some();
	return unused;
}

static void run_threads(unsigned count, unsigned at_once)
{
	pthread_t *made = calloc(at_once, sizeof(*made));
	pthread_attr_t attributes;
	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setstacksize(&attributes, 256u << 10);
	for (unsigned begun = 0; made != NULL && begun < count;) {
		unsigned group = 0;
		while (group < at_once && begun < count) {
			if (pthread_create(&made[group], &attributes, some_thread, NULL) != 0)
				break;
			group++, begun++;
		}
		for (unsigned i = 0; i < group; i++)
			(void)pthread_join(made[i], NULL);
	}
	free(made);
}

static unsigned calls_left;

static void on_call(void *data, int domain, uint32_t number, const void *details)
{
	(void)data;
	(void)domain;
	(void)number;
	(void)details;
	if (calls_left != 0 && --calls_left == 0)
		exit(7);
}

static void callback(unsigned count)
{
	void *library = dlopen("libcupti.so.13", RTLD_NOW);
	int (*subscribe)(void **, void *, void *) =
		(int (*)(void **, void *, void *))dlsym(library, "cuptiSubscribe");
	int (*enable)(uint32_t, void *, int) =
		(int (*)(uint32_t, void *, int))dlsym(library, "cuptiEnableDomain");
	void *subscriber;
	some();
	if (subscribe(&subscriber, (void *)on_call, NULL) != 0 || enable(1, subscriber, 2) != 0)
		return;
	calls_left = count;
	for (unsigned i = 0; i < 100; i++)
		some();
}

static void unload(const char *path)
{
	unsigned long sum = 0;
	for (unsigned i = 0; i < 200; i++) {
		void *library = dlopen(path, RTLD_NOW | RTLD_DEEPBIND | RTLD_LOCAL);
		int (*call)(void) = library == NULL ? NULL : (int (*)(void))dlsym(library, "call");
		if (call == NULL) {
			printf("%s\n", dlerror());
			return;
		}
		sum += (unsigned)call();
		(void)dlclose(library);
		some();
	}
	printf("sum %lu\n", sum);
}

static void majors(char *const *paths)
{
	int (*found[2])(void);
	for (unsigned round = 0; round < 3; round++) {
		void *libraries[2];
		for (unsigned i = 0; i < 2; i++) {
			libraries[i] = dlopen(paths[i ^ (round & 1)], RTLD_NOW | RTLD_LOCAL);
			found[i] = (int (*)(void))dlsym(libraries[i], "cuptiFinalize");
		}
		printf("%d %d\n", found[0](), found[1]());
		(void)dlclose(libraries[0]);
		(void)dlclose(libraries[1]);
	}
}

static bool stopping;

static void *launch_on(void *unused)
{
	while (!__atomic_load_n(&stopping, __ATOMIC_RELAXED))
		some();
	return unused;
}

static void forks(void)
{
	pthread_t made[3];
	int statuses[4] = {0};
	some();
	for (unsigned i = 0; i < 3; i++)
		(void)pthread_create(&made[i], NULL, launch_on, NULL);
	for (int i = 0; i < 60; i++) {
		int status = -1;
		pid_t pid = fork();
		if (pid == 0 && i % 3 == 0)
			_exit(1);
		if (pid == 0 && i % 3 == 1)
			exit(2);
		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(3);
		}
		(void)waitpid(pid, &status, 0);
		statuses[WIFEXITED(status) ? WEXITSTATUS(status) & 3 : 3]++;
		(void)usleep(2000);
	}
	__atomic_store_n(&stopping, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < 3; i++)
		(void)pthread_join(made[i], NULL);
	printf("children %d %d %d %d\n", statuses[0], statuses[1], statuses[2], statuses[3]);
	done = 0;
}

static void *work_on(void *unused)
{
	(void)usleep(400000);
	some();
	printf("leave: the other thread\n");
	return unused;
}

static void leave(void)
{
	pthread_t made;
	some();
	if (pthread_create(&made, NULL, work_on, NULL) == 0)
		pthread_exit(NULL);
}

/* Launches, a command that does something to the trace, launches. */
static void changed(const char *command)
{
	some();
	(void)usleep(300000);
	(void)unsetenv("LD_PRELOAD");
	if (system(command) != 0)
		failed++;
	(void)usleep(100000);
	some();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "plain";
	unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 10;
	if (strcmp(how, "threads") == 0)
		run_threads(count, count);
	else if (strcmp(how, "short") == 0)
		run_threads(count, 8);
	else if (strcmp(how, "callback") == 0)
		callback(count);
	else if (strcmp(how, "unload") == 0 && argc > 2)
		unload(argv[2]);
	else if (strcmp(how, "changed") == 0 && argc > 2)
		changed(argv[2]);
	else if (strcmp(how, "forks") == 0)
		forks();
	else if (strcmp(how, "leave") == 0)
		leave();
	else if (strcmp(how, "majors") == 0 && argc > 3)
		majors(argv + 2);
	while (strcmp(how, "endless") == 0)
		some();
	printf("%s: %u done, %u failed\n", how, done, failed);
	return failed != 0;
}
