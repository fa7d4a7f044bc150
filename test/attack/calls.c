/* SPDX-License-Identifier: MIT */
/*
 * A program that makes calls and counts them itself, and then ends, forks or is hit by signals.
 *
 * usage: calls HOW THREADS CALLS
 *	return, _exit, quick_exit, abort, segv, term, thread, leave, exec
 *	              so many calls on each thread, then that end
 *	endless       until somebody ends it
 *	forks         children of every kind in turn, each calling something else, beside the calls
 *	first         children that call, while a thread loads and closes libraries: nobody has
 *	              called anything before
 *	storm         signals on an alternate stack at 5 kHz whose handler calls
 *	jump          the same, and every eighth time the handler leaves by siglongjmp
 *	tiny          on stacks of the smallest size that threads may have
 *	acts          of acts.c: so many calls on each thread, the act, as many calls; it ends
 *	              with 9 where the act cannot be done
 *
 * COUNTS=FILE: two numbers of 64 bits, calls begun and calls done. It prints what went wrong: a
 * result or errno that is not what it was.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/attack/acts.h"

struct grid {
	unsigned x, y, z;
};

int cudaMalloc(void **address, size_t size);
int cudaFree(void *address);
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
int cudaMemset(void *address, int value, size_t count);
int cudaLaunchKernel(const void *function, struct grid grid, struct grid block, void **arguments,
	size_t shared, void *stream);
int cudaStreamSynchronize(void *stream);
int cudaSetDevice(int device);
pid_t _Fork(void);

#define BURST 16u
#define KINDS 6u

static struct counts {
	uint64_t begun, done;
} own_counts, *counts = &own_counts;
static unsigned faults, calls_each;
static char **environment;

/* Past every hook and every wrapper of libc. */
static void rest(long ns)
{
	struct timespec time = {0, ns};
#if defined(__x86_64__)
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"((long)SYS_nanosleep), "D"(&time), "S"(NULL)
			 : "rcx", "r11", "memory");
#else
	(void)sched_yield();
#endif
}

static void count(uint64_t *number)
{
	(void)__atomic_add_fetch(number, 1, __ATOMIC_SEQ_CST);
}

static int one(unsigned which)
{
	static char from[64], to[64];
	void *memory = NULL;
	switch (which % KINDS) {
	case 0:
		return cudaLaunchKernel(
			(void *)one, (struct grid){1, 1, 1}, (struct grid){1, 1, 1}, NULL, 0, NULL);
	case 1:
		return cudaMemcpy(to, from, sizeof(to), 1);
	case 2:
		return cudaMemset(to, 1, sizeof(to));
	case 3:
		return cudaStreamSynchronize(NULL);
	case 4:
		return cudaMalloc(&memory, 64) != 0 || memory == NULL;
	default:
		return cudaFree((void *)(uintptr_t)0x700000000000);
	}
}

static void call(unsigned which)
{
	int mark = 1000 + (int)(which % 100);
	count(&counts->begun);
	errno = mark;
	bool bad = one(which) != 0 || errno != mark;
	count(&counts->done);
	if (bad)
		(void)__atomic_add_fetch(&faults, 1, __ATOMIC_RELAXED);
}

static void *work(void *unused)
{
	for (unsigned i = 0; i < calls_each; i++) {
		call(i);
		if (i % BURST == BURST - 1)
			rest(200000);
	}
	return unused;
}

void act_count(unsigned calls)
{
	(void)__atomic_add_fetch(&counts->begun, calls, __ATOMIC_SEQ_CST);
	(void)__atomic_add_fetch(&counts->done, calls, __ATOMIC_SEQ_CST);
}

static void work_so_much(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		call(i);
}

static void work_on_threads(unsigned threads, const pthread_attr_t *attributes)
{
	pthread_t made[64];
	unsigned begun = 0;
	while (begun + 1 < threads && begun < 64 &&
		pthread_create(&made[begun], attributes, work, NULL) == 0)
		begun++;
	if (attributes == NULL)
		(void)work(NULL);
	for (unsigned i = 0; i < begun; i++)
		(void)pthread_join(made[i], NULL);
}

static int in_our_memory(void *unused)
{
	(void)unused;
	return 6;
}

static pid_t make_child(unsigned how)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	char *arguments[] = {(char *)"true", NULL};
	pid_t pid = -1;
	switch (how % 7) {
	case 0:
		return fork();
	case 1:
		return _Fork();
#if defined(SYS_fork)
	case 2:
		return (pid_t)syscall(SYS_fork);
#endif
	case 3:
		return (pid_t)syscall(SYS_clone, SIGCHLD, 0l, 0l, 0l, 0l);
	case 4:
		return clone(in_our_memory, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD,
			NULL);
	case 5:
		return posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environment) == 0 ? pid
											       : -1;
	default:
		pid = vfork();
		if (pid == 0)
			_exit(6);
		return pid;
	}
}

/* Nothing of what a child calls is the parent's: it calls what the parent never does. */
static void *make_children(void *unused)
{
	for (unsigned how = 0; how < 28; how++) {
		int status = -1;
		pid_t pid = make_child(how);
		if (pid == 0) {
			for (unsigned i = 0; i < 100; i++)
				(void)cudaSetDevice(0);
			_exit(6);
		}
		if (pid < 0 || waitpid(pid, &status, __WALL) != pid || !WIFEXITED(status) ||
			WEXITSTATUS(status) != (how % 7 == 5 ? 0 : 6)) {
			fprintf(stderr, "child %u of kind %u: pid %d, status %#x\n", how, how % 7,
				(int)pid, (unsigned)status);
			(void)__atomic_add_fetch(&faults, 1, __ATOMIC_RELAXED);
		}
		rest(1000000);
	}
	return unused;
}

static void forks(unsigned threads)
{
	pthread_t made;
	if (pthread_create(&made, NULL, make_children, NULL) != 0)
		return;
	work_on_threads(threads, NULL);
	(void)pthread_join(made, NULL);
}

static bool loads;

static void *load(void *unused)
{
	static const char *const names[] = {"libresolv.so.2", "libnone.so.0"};
	for (unsigned i = 0; __atomic_load_n(&loads, __ATOMIC_RELAXED); i++) {
		void *library = dlopen(names[i % 2], RTLD_NOW);
		if (library != NULL)
			(void)dlclose(library);
	}
	return unused;
}

/* What the loader is at when such a child is forked is never finished in it. */
static void first(unsigned children)
{
	pthread_t made;
	loads = true;
	if (pthread_create(&made, NULL, load, NULL) != 0)
		return;
	for (unsigned i = 0; i < children; i++) {
		int status = -1;
		rest(i % 37 * 30000l);
		pid_t pid = fork();
		if (pid == 0) {
			(void)alarm(20);
			for (unsigned k = 0; k < 100; k++)
				call(k);
			_exit(faults == 0 ? 6 : 7);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
			WEXITSTATUS(status) != 6)
			faults++;
	}
	__atomic_store_n(&loads, false, __ATOMIC_RELAXED);
	(void)pthread_join(made, NULL);
}

static sigjmp_buf back;
static volatile sig_atomic_t may_jump, hits;

static void on_timer(int number)
{
	(void)number;
	int saved = errno;
	call((unsigned)hits++);
	errno = saved;
	if (may_jump && hits % 8 == 0)
		siglongjmp(back, 1);
}

/* A call that a jump has left was begun and not done. */
static void storm(bool jumps)
{
	static char stack[1 << 16];
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_ONSTACK | SA_RESTART};
	struct itimerval timer = {{0, 200}, {0, 200}};
	volatile unsigned made = 0;
	(void)sigaltstack(&alternate, NULL);
	(void)sigaction(SIGALRM, &action, NULL);
	call(0);
	(void)setitimer(ITIMER_REAL, &timer, NULL);
	(void)sigsetjmp(back, 1);
	while (made < calls_each) {
		may_jump = jumps;
		call(made++);
		may_jump = 0;
		if (made % BURST == 0)
			rest(200000);
	}
	memset(&timer, 0, sizeof(timer));
	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

static void tiny(unsigned threads)
{
	pthread_attr_t attributes;
	(void)pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0)
		work_on_threads(threads + 1, &attributes);
}

static void *end_from_thread(void *unused)
{
	(void)unused;
	exit(7);
}

static void tell(void)
{
	printf("faults %u\n", faults);
	(void)fflush(stdout);
}

static void end(const char *how)
{
	static const struct rlimit none;
	pthread_t made;
	tell();
	if (strcmp(how, "abort") == 0 || strcmp(how, "segv") == 0)
		(void)setrlimit(RLIMIT_CORE, &none);
	if (strcmp(how, "_exit") == 0)
		_exit(4);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(5);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "segv") == 0)
		(void)raise(SIGSEGV);
	if (strcmp(how, "term") == 0)
		(void)raise(SIGTERM);
	if (strcmp(how, "leave") == 0)
		pthread_exit(NULL);
	if (strcmp(how, "thread") == 0 && pthread_create(&made, NULL, end_from_thread, NULL) == 0)
		(void)pthread_join(made, NULL);
	if (strcmp(how, "exec") == 0)
		(void)execl("/bin/echo", "echo", "another", (char *)NULL);
}

/* What it is that ends it by itself is no act. */
static void work_and_act(const char *how, unsigned threads)
{
	work_on_threads(threads, NULL);
	int code = act(how, work_so_much);
	if (code == 0)
		work_on_threads(threads, NULL);
	else if (code != -ENOENT)
		_exit(9);
}

int main(int argc, char **argv, char **variables)
{
	const char *how = argc > 3 ? argv[1] : "", *file = getenv("COUNTS");
	unsigned threads = argc > 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	calls_each = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	environment = variables;
	int fd = file == NULL ? -1 : open(file, O_RDWR | O_CREAT, 0600);
	if (fd >= 0 && ftruncate(fd, sizeof(*counts)) == 0) {
		void *shared =
			mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		counts = shared == MAP_FAILED ? counts : shared;
	}
	if (fd >= 0)
		(void)close(fd);
	if (strcmp(how, "endless") == 0)
		calls_each = UINT_MAX;
	if (strcmp(how, "forks") == 0)
		forks(threads);
	else if (strcmp(how, "first") == 0)
		first(calls_each);
	else if (strcmp(how, "storm") == 0 || strcmp(how, "jump") == 0)
		storm(how[0] == 'j');
	else if (strcmp(how, "tiny") == 0)
		tiny(threads);
	else
		work_and_act(how, threads);
	end(how);
	return 3;
}
