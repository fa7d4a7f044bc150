/* SPDX-License-Identifier: MIT */
/* What few programs do to themselves, the third part: numbers, timers, fibers, loaded libraries. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "test/attack/acts.h"

#define TIMER_NS      100000
#define FIBERS        64
#define FIBER_STACK   65536u
#define FORKS_BESIDE  40
#define CALLS_AT_LOAD 50 /* as in bound.c */
#define FAILED_LOADS  4000

int cudaSetDevice(int device);
/* The stand-in runtime has none. */
int cudaEventQuery(void *event) __attribute__((weak));
pid_t _Fork(void);

/*
 * As numerical programs do that want to know of the first bad number: traps are inherited by each
 * thread that is made, ours among them. A child, so that its first call finds it like that.
 */
int trap_numbers(act_work *work)
{
	int status = -1;
	pid_t child = fork();
	if (child == 0) {
		if (feenableexcept(FE_ALL_EXCEPT) < 0 || fesetround(FE_DOWNWARD) != 0)
			_exit(7);
		work(300);
		for (int i = 0; i < 8; i++) {
			(void)usleep(100000);
			work(5000);
		}
		exit(fetestexcept(FE_ALL_EXCEPT) != 0 ? 8 : 0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		return -ECHILD;
	/* nor does a call leave a mark of what it has computed */
	(void)feclearexcept(FE_ALL_EXCEPT);
	for (int i = 0; i < 20; i++) {
		work(1000);
		if (fetestexcept(FE_ALL_EXCEPT) != 0 || fegetround() != FE_TONEAREST)
			return -EDOM;
		(void)feclearexcept(FE_ALL_EXCEPT);
		(void)usleep(20000);
		(void)feclearexcept(FE_ALL_EXCEPT);
	}
	return 0;
}

static act_work *at_fork;

static void call_at_fork(void)
{
	at_fork(1);
}

static void *fork_beside(void *work)
{
	for (int i = 0; i < FORKS_BESIDE; i++) {
		int status = -1;
		pid_t child = fork();
		if (child == 0)
			_exit(6);
		(*(act_work **)work)(3);
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
			WEXITSTATUS(status) != 6)
			return NULL;
	}
	return work;
}

/* Handlers of fork that call, before and after ours, on four threads. */
int call_in_fork(act_work *work)
{
	pthread_t threads[4];
	int code = 0;
	at_fork = work;
	if (pthread_atfork(call_at_fork, call_at_fork, call_at_fork) != 0)
		return -ENOMEM;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, fork_beside, &work) != 0)
			return -EAGAIN;
	for (int i = 0; i < 4; i++) {
		void *result = NULL;
		(void)pthread_join(threads[i], &result);
		code = result != NULL ? code : -ECHILD;
	}
	return code;
}

static void *work_some(void *work)
{
	(*(act_work **)work)(100);
	return work;
}

static volatile sig_atomic_t expiries;

static void on_expiry(int number)
{
	(void)number;
	expiries++;
}

static void *expire_on(void *work)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 3};
	struct itimerspec often = {{0, TIMER_NS}, {0, TIMER_NS}};
	timer_t timer;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
		timer_settime(timer, 0, &often, NULL) != 0)
		return NULL;
	for (int i = 0; i < 40; i++) {
		(*(act_work **)work)(100);
		(void)usleep(5000);
	}
	return timer_delete(timer) == 0 ? work : NULL;
}

static void on_expiry_thread(union sigval value)
{
	(*(act_work **)value.sival_ptr)(1);
}

/* 10,000 signals a second on each of three threads, and threads that a timer makes. */
int use_timers(act_work *work)
{
	static act_work *kept;
	struct sigaction action = {.sa_handler = on_expiry};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD,
		.sigev_notify_function = on_expiry_thread,
		.sigev_value.sival_ptr = &kept};
	struct itimerspec often = {{0, 10 * TIMER_NS}, {0, 10 * TIMER_NS}}, none = {{0, 0}, {0, 0}};
	pthread_t threads[3];
	timer_t timer;
	int code = 0;
	kept = work;
	(void)sigaction(SIGRTMIN + 3, &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
		return -errno;
	(void)timer_settime(timer, 0, &often, NULL);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, expire_on, &work) != 0)
			return -EAGAIN;
	for (int i = 0; i < 3; i++) {
		void *result = NULL;
		(void)pthread_join(threads[i], &result);
		code = result != NULL ? code : -EINTR;
	}
	(void)timer_settime(timer, 0, &none, NULL);
	(void)timer_delete(timer);
	(void)usleep(100000);
	return expiries > 0 ? code : -ENOSYS;
}

static ucontext_t fibers[FIBERS], scheduler;
static act_work *in_fiber;

static void be_fiber(int number)
{
	for (int i = 0; i < 50; i++) {
		in_fiber(2);
		(void)swapcontext(&fibers[number], &scheduler);
	}
}

static bool resume(int number)
{
	return swapcontext(&scheduler, &fibers[number]) == 0;
}

/* One stack after the other on one thread; half of them are begun on another one. */
static void *run_fibers(void *count)
{
	for (int i = 0; i < 50; i += 2)
		for (int number = 0; number < FIBERS; number++)
			if (!resume(number))
				return NULL;
	return count;
}

int use_fibers(act_work *work)
{
	char *stacks = mmap(NULL, FIBERS * FIBER_STACK, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	pthread_t thread;
	void *result = NULL;
	if (stacks == MAP_FAILED)
		return -ENOMEM;
	in_fiber = work;
	for (int i = 0; i < FIBERS; i++) {
		(void)getcontext(&fibers[i]);
		fibers[i].uc_stack.ss_sp = stacks + (size_t)i * FIBER_STACK;
		fibers[i].uc_stack.ss_size = FIBER_STACK;
		fibers[i].uc_link = &scheduler;
		makecontext(&fibers[i], (void (*)(void))(uintptr_t)be_fiber, 1, i);
	}
	if (run_fibers(work) == NULL || pthread_create(&thread, NULL, run_fibers, work) != 0 ||
		pthread_join(thread, &result) != 0)
		return -EAGAIN;
	/* the stacks are gone, and so may be what was kept of them */
	(void)munmap(stacks, FIBERS * FIBER_STACK);
	work(500);
	return result != NULL ? 0 : -EAGAIN;
}

/* Past every hook; what it was is recorded, and so is what it becomes, under the same number. */
int become_another(act_work *work)
{
	char *arguments[] = {(char *)"calls", (char *)"return", (char *)"2", (char *)"500", NULL};
	char path[4096];
	ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);
	if (size < 0)
		return -errno;
	path[size] = '\0';
	pid_t child = fork();
	if (child == 0) {
		work(2000);
		(void)syscall(SYS_execve, path, arguments, environ);
		_exit(7);
	}
	int status = -1;
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3
		       ? 0
		       : -ECHILD;
}

/* No file may be made or written to any more, by this thread and who it makes. */
static int lock_files(void)
{
	struct landlock_ruleset_attr rules = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |
				     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
				     LANDLOCK_ACCESS_FS_MAKE_DIR};
	int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);
	if (fd < 0)
		return -errno;
	int code = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
				   syscall(SYS_landlock_restrict_self, fd, 0) == 0
			   ? 0
			   : -errno;
	(void)close(fd);
	return code;
}

int be_locked_in(act_work *work)
{
	(void)work;
	return lock_files();
}

static void *open_plugin(void *how)
{
	(void)setenv("AT_LOAD", how, 1);
	return dlopen("libplugin.so", RTLD_NOW);
}

/* Neither of them is recorded, and both come back, whoever has the loader's lock. */
static bool child_calls(pid_t child)
{
	int status = -1;
	if (child == 0) {
		(void)alarm(10);
		(void)cudaSetDevice(0);
		_exit(6);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 6;
}

/*
 * The constructor of a library has the loader's lock for as long as it likes: one sleeps while
 * children are made and threads begin to call, one waits for a thread that calls.
 */
int load_beside(act_work *work)
{
	char sleeps[] = "sleep", waits[] = "wait";
	pthread_t opens, begins;
	void *plugin = NULL;
	if (pthread_create(&opens, NULL, open_plugin, sleeps) != 0)
		return -EAGAIN;
	(void)usleep(100000);
#if defined(SYS_fork)
	bool good = child_calls(_Fork()) && child_calls((pid_t)syscall(SYS_fork));
#else
	bool good = child_calls(_Fork());
#endif
	if (pthread_create(&begins, NULL, work_some, &work) == 0)
		(void)pthread_join(begins, NULL);
	(void)pthread_join(opens, &plugin);
	good = good && plugin != NULL && dlclose(plugin) == 0;
	plugin = open_plugin(waits);
	act_count(CALLS_AT_LOAD);
	work(100);
	return good && plugin != NULL && dlclose(plugin) == 0 ? 0 : -EDEADLK;
}

static uint32_t has_loaded;

static void *load_in_vain(void *unused)
{
	for (int i = 0; i < FAILED_LOADS; i++)
		if (dlopen("libhalf.so", RTLD_NOW) != NULL)
			return NULL;
	__atomic_store_n(&has_loaded, 1, __ATOMIC_RELAXED);
	return unused;
}

/* Libraries come and go again at once, since one of what they need is not there. */
int call_while_loading(act_work *work)
{
	pthread_t thread;
	void *result = NULL;
	if (pthread_create(&thread, NULL, load_in_vain, &work) != 0)
		return -EAGAIN;
	while (__atomic_load_n(&has_loaded, __ATOMIC_RELAXED) == 0)
		if (cudaEventQuery != NULL) {
			(void)cudaEventQuery(NULL);
			act_count(1);
		}
	(void)pthread_join(thread, &result);
	work(100);
	return result != NULL ? 0 : -EEXIST;
}
