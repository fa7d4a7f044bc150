/* SPDX-License-Identifier: MIT */
#include "test/attack/acts.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

#define NOBODY   64444u
#define CHILDREN 120
#define SPAWNS   300

/* The folder that everything was in is no more. */
static int change_root(void)
{
	static char folder[] = "/tmp/libtrace-root-XXXXXX";
	if (mkdtemp(folder) == NULL)
		return -errno;
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int code = chroot(folder) == 0 && chdir("/") == 0 ? 0 : -errno;
	/* it is left behind by nobody */
	if (fd >= 0)
		(void)unlinkat(fd, folder + 1, AT_REMOVEDIR);
	(void)close(fd);
	return code;
}

static int drop_rights(void)
{
	if (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
		setresuid(NOBODY, NOBODY, NOBODY) != 0)
		return -errno;
	return 0;
}

static int hide(void)
{
	int code = drop_rights();
	return code < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? code : -errno;
}

/* As a scheduler does that needs the machine for somebody else. */
static int be_stopped(void)
{
	pid_t parent = getpid(), child = fork();
	if (child == 0) {
		(void)kill(parent, SIGSTOP);
		(void)usleep(1500000);
		(void)kill(parent, SIGCONT);
		_exit(0);
	}
	return child > 0 && waitpid(child, NULL, 0) == child ? 0 : -errno;
}

static int lower_limits(void)
{
	struct rlimit files = {4, 4}, memory;
	if (setrlimit(RLIMIT_NOFILE, &files) != 0)
		return -errno;
	/* new threads still have room, and not much more */
	memory.rlim_cur = memory.rlim_max = 256u << 20;
	return setrlimit(RLIMIT_DATA, &memory) == 0 ? 0 : -errno;
}

/* All numbers are the program's own file, which nobody else may write to. */
static int reuse_all(void)
{
	const char *path = getenv("REUSE");
	int fd = open(path != NULL ? path : "/", O_RDWR | O_CREAT | O_APPEND, 0600);
	if (fd < 0)
		return -EPERM;
	for (int i = 3; i < 1100; i++) {
		/* one that another thread is just getting for a file is busy for a moment */
		while (i != fd && dup2(fd, i) < 0)
			if (errno != EBUSY)
				return -errno;
	}
	return 0;
}

static int serve(act_work *work)
{
	pid_t children[CHILDREN];
	int code = 0;
	for (int i = 0; i < CHILDREN; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			work(50);
			if (i % 2 == 0)
				_exit(0);
			exit(0);
		}
	}
	for (int i = 0; i < CHILDREN; i++) {
		int status = -1;
		if (children[i] < 0 || waitpid(children[i], &status, 0) != children[i] ||
			status != 0)
			code = -ECHILD;
	}
	return code;
}

/* The clock of a child is a million seconds ahead of its parent's. */
static int travel(act_work *work)
{
	static const char offset[] = "monotonic 1000000 0\n";
	int status = -1;
	if (unshare(CLONE_NEWTIME) != 0)
		return -errno;
	int fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	bool set = fd >= 0 && write(fd, offset, sizeof(offset) - 1) > 0;
	(void)close(fd);
	if (!set)
		return -EPERM;
	pid_t child = fork();
	if (child == 0) {
		work(200);
		(void)usleep(300000);
		work(200);
		exit(0);
	}
	return waitpid(child, &status, 0) == child && status == 0 ? 0 : -ECHILD;
}

static volatile sig_atomic_t samples;

/* As profilers that are linked in do. */
static void on_sample(int number)
{
	void *frames[32];
	(void)number;
	int saved = errno;
	samples += backtrace(frames, 32) > 0;
	errno = saved;
}

static int be_sampled(act_work *work)
{
	struct sigaction action = {.sa_handler = on_sample, .sa_flags = SA_RESTART};
	struct itimerval timer = {{0, 1000}, {0, 1000}}, none = {{0, 0}, {0, 0}};
	void *frame[1];
	(void)backtrace(frame, 1); /* loads what it needs */
	if (sigaction(SIGPROF, &action, NULL) != 0 || setitimer(ITIMER_PROF, &timer, NULL) != 0)
		return -errno;
	/* a sample for each so many ticks of processor time, of which calls take little */
	for (int i = 0; i < 20000 && samples < 100; i++) {
		work(50);
		for (volatile int spin = 0; spin < 100000; spin++)
			;
	}
	(void)setitimer(ITIMER_PROF, &none, NULL);
	return samples > 0 ? 0 : -ENOSYS;
}

static int spawn_many(act_work *work)
{
	char *arguments[] = {(char *)"true", NULL};
	for (int i = 0; i < SPAWNS; i++) {
		int status = -1;
		pid_t child;
		work(3);
		if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) != 0 ||
			waitpid(child, &status, 0) != child || status != 0)
			return -ECHILD;
	}
	return 0;
}

/* Folder and descriptors of its own, before the thread's first call. */
static void *work_apart(void *work)
{
	int fd = open("/dev/null", O_RDONLY);
	if (unshare(CLONE_FILES | CLONE_FS) != 0 || chdir("/proc") != 0)
		return NULL;
	(void)close_range(3, ~0u, 0);
	(*(act_work **)work)(500);
	return fd >= 0 ? work : NULL;
}

static int part(act_work *work)
{
	pthread_t thread;
	void *result = NULL;
	if (pthread_create(&thread, NULL, work_apart, &work) != 0 ||
		pthread_join(thread, &result) != 0)
		return -EAGAIN;
	return result != NULL ? 0 : -EPERM;
}

/* The disk of the trace is full for a while. */
static int fill_disk(act_work *work)
{
	static char zeros[1 << 16];
	const char *path = getenv("FILL");
	int fd = open(path != NULL ? path : "/", O_WRONLY | O_CREAT, 0600);
	if (fd < 0)
		return -EPERM;
	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	for (int i = 0; i < 30; i++) {
		work(20000);
		(void)usleep(50000);
	}
	(void)close(fd);
	int code = unlink(path) == 0 ? 0 : -errno;
	(void)usleep(1500000);
	return code;
}

static int lock_memory(void)
{
	return mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : -errno;
}

static int leave_parent(void)
{
	return daemon(1, 1) == 0 ? 0 : -errno;
}

static const struct {
	const char *name;
	int (*alone)(void);
	int (*working)(act_work *work);
} acts[] = {
	{"chroot", change_root, NULL},
	{"rights", drop_rights, NULL},
	{"hidden", hide, NULL},
	{"stopped", be_stopped, NULL},
	{"limited", lower_limits, NULL},
	{"reused", reuse_all, NULL},
	{"locked", lock_memory, NULL},
	{"daemon", leave_parent, NULL},
	{"server", NULL, serve},
	{"clock", NULL, travel},
	{"sampled", NULL, be_sampled},
	{"spawns", NULL, spawn_many},
	{"apart", NULL, part},
	{"full", NULL, fill_disk},
	{"namespace", NULL, use_namespace},
	{"storm of forks", NULL, fork_storm},
	{"interrupted", NULL, be_interrupted},
	{"closing", NULL, close_ranges},
	{"huge", NULL, use_huge_stack},
	{"late", NULL, work_at_exit},
	{"burst", NULL, burst},
	{"strict", NULL, work_in_strict_mode},
	{"sandboxed children", NULL, fork_strictly},
	{"clone3", NULL, clone_clear},
	{"io_uring", NULL, use_ring},
	{"userfaultfd", NULL, give_pages},
	{"attached", NULL, be_attached},
	{"setns", NULL, change_namespace},
	{"10,000 threads", NULL, use_many_threads},
	{"plug-ins", NULL, unload_plugins},
	{"_exit late", NULL, leave_late},
	{"abort late", NULL, abort_late},
	{"exit in a handler", NULL, end_in_handler},
	{"small stack", NULL, use_small_stack},
	{"all memory", NULL, take_all_memory},
	{"trusted", NULL, be_trusted},
	{"trapped numbers", NULL, trap_numbers},
	{"handlers of fork", NULL, call_in_fork},
	{"timers", NULL, use_timers},
	{"fibers", NULL, use_fibers},
	{"another", NULL, become_another},
	{"landlock", NULL, be_locked_in},
	{"loading", NULL, load_beside},
	{"failed loads", NULL, call_while_loading},
	{"strict writers", NULL, write_from_strict_mode},
	{"decoders", NULL, fork_decoders},
	{"few forbidden", NULL, forbid_few},
	{"loads and forks", NULL, load_and_fork},
	{"no clock", NULL, give_up_clock},
	{"ends of threads", NULL, end_threads},
	{"state", NULL, keep_state},
};

int act(const char *how, act_work *work)
{
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (strcmp(acts[i].name, how) == 0)
			return acts[i].alone != NULL ? acts[i].alone() : acts[i].working(work);
	return -ENOENT;
}
