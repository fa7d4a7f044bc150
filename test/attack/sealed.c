/* SPDX-License-Identifier: MIT */
/*
 * What few programs do to themselves, the fourth part: they forbid themselves what others do, their
 * threads call when they end, and what they have set stays as it was.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/attack/acts.h"

#define END 6
/* Longer than what is known to be no message between processes. */
#define MESSAGE "what a decoder has found"

int cudaSetDevice(int device);

/* Each way to set one: libseccomp goes by the second. */
static long set_strict(bool by_number)
{
	return by_number ? syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL)
			 : prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
}

static long set_filter(const struct sock_filter *code, unsigned short count, bool by_number)
{
	struct sock_fprog filter = {count, (struct sock_filter *)(uintptr_t)code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return -1;
	return by_number ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter)
			 : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

/* Nothing but to read, to write and to end, also as libc ends a process. */
static long allow_few(bool by_number)
{
	static const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	return set_filter(code, sizeof(code) / sizeof(code[0]), by_number);
}

/* All but what few programs make: to ask for their numbers, or to look into their own memory. */
static long refuse_few(bool by_number)
{
	static const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettid, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	return set_filter(code, sizeof(code) / sizeof(code[0]), by_number);
}

static bool ended_well(pid_t child)
{
	int status = -1;
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == END;
}

/* The child writes twenty messages to it, and ends. */
static bool all_came(int fd, pid_t child)
{
	char text[sizeof(MESSAGE)];
	bool good = child > 0;
	for (int i = 0; i < 20 && good; i++)
		good = read(fd, text, sizeof(text)) == (ssize_t)sizeof(text) &&
		       memcmp(text, MESSAGE, sizeof(text)) == 0;
	return ended_well(child) && good;
}

static void write_all(int fd)
{
	for (int i = 0; i < 20; i++)
		(void)write(fd, MESSAGE, sizeof(MESSAGE));
}

static struct {
	act_work *work;
	int fd;
	bool by_number;
} writer;

/* It was recorded before. */
static void *write_strictly(void *unused)
{
	writer.work(20);
	if (set_strict(writer.by_number) == 0) {
		write_all(writer.fd);
		writer.work(50);
	}
	(void)syscall(SYS_exit, 0);
	return unused;
}

/* A thread in the strictest sandbox, whose calls go on, and who writes what it has found. */
int write_from_strict_mode(act_work *work)
{
	for (int i = 0; i < 2; i++) {
		int ends[2];
		char text[sizeof(MESSAGE)];
		pthread_t thread;
		writer.work = work;
		writer.by_number = i != 0;
		if (pipe(ends) != 0)
			return -errno;
		writer.fd = ends[1];
		if (pthread_create(&thread, NULL, write_strictly, NULL) != 0)
			return -EAGAIN;
		for (int k = 0; k < 20; k++)
			if (read(ends[0], text, sizeof(text)) != (ssize_t)sizeof(text))
				return -EIO;
		(void)pthread_join(thread, NULL);
		(void)close(ends[0]);
		(void)close(ends[1]);
	}
	return 0;
}

static void decode(int fd, int how)
{
	if (allow_few(how % 2 != 0) != 0)
		_exit(9);
	write_all(fd);
	if (how < 2)
		_exit(END);
	exit(END);
}

/* As decoders of untrusted files are run: forked, sandboxed, and they write what they found. */
int fork_decoders(act_work *work)
{
	for (int i = 0; i < 8; i++) {
		int ends[2];
		if (pipe(ends) != 0)
			return -errno;
		pid_t child = fork();
		if (child == 0)
			decode(ends[1], i % 4);
		work(100);
		bool good = all_came(ends[0], child);
		(void)close(ends[0]);
		(void)close(ends[1]);
		if (!good)
			return -ECHILD;
	}
	return 0;
}

static act_work *counted; /* NULL: not where it is recorded */

static void *call_some(void *unused)
{
	for (int i = 0; i < 50 && counted == NULL; i++)
		(void)cudaSetDevice(0);
	if (counted != NULL)
		counted(50);
	return unused;
}

static bool load(void)
{
	void *library = dlopen("libplugin.so", RTLD_NOW);
	return library != NULL && dlclose(library) == 0;
}

/* From where the stack is deeper than it was at the last time. */
static __attribute__((noinline)) bool load_deeper(void)
{
	volatile char room[4096] = {0};
	return load() && room[sizeof(room) - 1] == 0;
}

static void go_on(int status)
{
	pthread_t thread;
	(void)call_some(NULL);
	if (!load() || !load_deeper())
		_exit(status);
	if (pthread_create(&thread, NULL, call_some, NULL) != 0 || pthread_join(thread, NULL) != 0)
		_exit(status);
}

static bool fork_one(void)
{
	pid_t child = fork();
	if (child == 0) {
		go_on(7);
		_exit(END);
	}
	return ended_well(child);
}

/* It is recorded, forbids itself little, goes on, loads what there is, and forks. */
static void go_on_sealed(act_work *work, int how)
{
	work(100);
	if (how < 2 && !load())
		_exit(9);
	if (refuse_few(how % 2 != 0) != 0)
		_exit(9);
	go_on(8);
	if (!fork_one())
		_exit(7);
	if (how < 2)
		_exit(END);
	exit(END);
}

/* For filters that somebody else has set. */
int load_and_fork(act_work *work)
{
	counted = work;
	go_on(8);
	return fork_one() && load() && fork_one() ? 0 : -ECHILD;
}

int forbid_few(act_work *work)
{
	for (int i = 0; i < 4; i++) {
		pid_t child = fork();
		if (child == 0)
			go_on_sealed(work, i);
		if (!ended_well(child))
			return -ECHILD;
	}
	return 0;
}

/* Threads and children have it from who made them. */
static void go_on_without_clock(void)
{
	pthread_t thread;
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0)
		_exit(9);
	(void)call_some(NULL);
	if (pthread_create(&thread, NULL, call_some, NULL) != 0 || pthread_join(thread, NULL) != 0)
		_exit(8);
	pid_t child = fork();
	if (child == 0) {
		(void)call_some(NULL);
		exit(END);
	}
	exit(ended_well(child) ? END : 7);
}

int give_up_clock(act_work *work)
{
	for (int i = 0; i < 4; i++) {
		pid_t child = fork();
		if (child == 0) {
			if (i % 2 != 0)
				work(100);
			go_on_without_clock();
		}
		work(20);
		if (!ended_well(child))
			return -ECHILD;
	}
	return 0;
}

static struct {
	act_work *work;
	pthread_key_t key;
	uint32_t rounds;
} ends;

/* Once more for each round that libc makes, and behind our own parts of the thread. */
static void call_late(void *rounds)
{
	ends.work(3);
	(void)__atomic_add_fetch(&ends.rounds, 1, __ATOMIC_RELAXED);
	if ((uintptr_t)rounds > 1)
		(void)pthread_setspecific(ends.key, (void *)((uintptr_t)rounds - 1));
}

static void call_cancelled(void *unused)
{
	(void)unused;
	ends.work(2);
}

static void *end_oddly(void *how)
{
	(void)pthread_setspecific(ends.key, (void *)(uintptr_t)3);
	if ((uintptr_t)how % 4 != 0)
		ends.work(5);
	pthread_cleanup_push(call_cancelled, NULL);
	if ((uintptr_t)how % 2 != 0)
		for (;;)
			(void)pause();
	if ((uintptr_t)how % 4 == 2)
		pthread_exit(how);
	pthread_cleanup_pop(1);
	return how;
}

/* Threads that call in destructors of theirs, also for the first time, and when cancelled. */
int end_threads(act_work *work)
{
	ends.work = work;
	if (pthread_key_create(&ends.key, call_late) != 0)
		return -ENOMEM;
	for (uintptr_t i = 0; i < 400; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, end_oddly, (void *)i) != 0)
			return -EAGAIN;
		if (i % 2 != 0)
			(void)pthread_cancel(thread);
		(void)pthread_join(thread, NULL);
	}
	return ends.rounds == 400u * 3 ? 0 : -EILSEQ;
}

/* What a process and a thread have set, as far as a call could change it. */
struct set {
	mode_t mask;
	sigset_t signals;
	stack_t stack;
	int cancels, how, rounding;
	char folder[256], locale[64], name[16];
	int nice;
	struct rlimit limit;
};

static void look(struct set *ret_set)
{
	memset(ret_set, 0, sizeof(*ret_set));
	ret_set->mask = umask(0);
	(void)umask(ret_set->mask);
	(void)pthread_sigmask(SIG_SETMASK, NULL, &ret_set->signals);
	(void)sigaltstack(NULL, &ret_set->stack);
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &ret_set->cancels);
	(void)pthread_setcancelstate(ret_set->cancels, NULL);
	(void)pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &ret_set->how);
	(void)pthread_setcanceltype(ret_set->how, NULL);
	ret_set->rounding = fegetround();
	(void)getcwd(ret_set->folder, sizeof(ret_set->folder));
	(void)strncpy(ret_set->locale, setlocale(LC_ALL, NULL), sizeof(ret_set->locale) - 1);
	(void)prctl(PR_GET_NAME, ret_set->name);
	ret_set->nice = getpriority(PRIO_PROCESS, 0);
	(void)getrlimit(RLIMIT_CORE, &ret_set->limit);
}

static void *call_once(void *unused)
{
	struct set before, after;
	look(&before);
	ends.work(5);
	look(&after);
	return memcmp(&before, &after, sizeof(before)) == 0 ? unused : NULL;
}

/* Also of a thread whose first calls these are. */
int keep_state(act_work *work)
{
	ends.work = work;
	(void)umask(0137);
	(void)setlocale(LC_ALL, "C.UTF-8");
	(void)fesetround(FE_UPWARD);
	for (int i = 0; i < 50; i++) {
		pthread_t thread;
		void *result = NULL;
		if (pthread_create(&thread, NULL, call_once, &result) != 0 ||
			pthread_join(thread, &result) != 0)
			return -EAGAIN;
		if (result == NULL || call_once(&ends) == NULL)
			return -EILSEQ;
	}
	return 0;
}
