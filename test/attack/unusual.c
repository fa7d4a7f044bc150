/* SPDX-License-Identifier: MIT */
/* What few programs do to themselves, the second part: calls to the kernel, ends, plug-ins. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/attack/acts.h"

#define SHORT_THREADS 10000
#define BESIDE        16
#define PLUGINS       300
#define PLUGIN_CALLS  20
#define PAGE_BYTES    4096u

int cudaSetDevice(int device);

static void *work_strictly(void *work)
{
	(*(act_work **)work)(20);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) != 0)
		return NULL;
	/* what is not to read, to write or to end would end the thread */
	(*(act_work **)work)(2000);
	(void)syscall(SYS_exit, 0);
	return NULL;
}

/* The thread's own storage stays: it leaves past libc. */
int work_in_strict_mode(act_work *work)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, work_strictly, &work) != 0)
		return -EAGAIN;
	(void)pthread_join(thread, NULL);
	return 0;
}

/* Nothing but to read, to write and to end, as a sandbox of our days says it. */
static bool filter_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

/* A child in a sandbox that waits for what it is told. */
static void wait_strictly(int fd, bool filtered)
{
	char byte = 'x';
	if (filtered ? filter_calls() : prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) == 0)
		while (read(fd, &byte, 1) == 1 && byte != 'x')
			;
	(void)syscall(SYS_exit, 6);
}

int fork_strictly(act_work *work)
{
	for (int i = 0; i < 10; i++) {
		int ends[2], status = -1;
		pid_t child = pipe(ends) == 0 ? fork() : -1;
		if (child == 0)
			wait_strictly(ends[0], i % 2 != 0);
		work(200);
		(void)usleep(1000);
		if (child < 0 || write(ends[1], "a", 1) != 1 || usleep(1000) != 0 ||
			write(ends[1], "x", 1) != 1 || waitpid(child, &status, 0) != child ||
			!WIFEXITED(status) || WEXITSTATUS(status) != 6)
			return -ECHILD;
		(void)close(ends[0]);
		(void)close(ends[1]);
	}
	return 0;
}

/* With clone3, as few libraries do it, and all handlers gone: nothing of it is the parent's. */
int clone_clear(act_work *work)
{
	for (int i = 0; i < 40; i++) {
		struct clone_args arguments = {
			.flags = CLONE_CLEAR_SIGHAND, .exit_signal = SIGCHLD};
		int status = -1;
		pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));
		if (child == 0) {
			for (int k = 0; k < 50; k++)
				(void)cudaSetDevice(0);
			_exit(6);
		}
		if (child < 0)
			return -errno;
		work(10);
		if (waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
			WEXITSTATUS(status) != 6)
			return -ECHILD;
	}
	return 0;
}

/* The queues are in its memory, and the kernel writes to them. */
int use_ring(act_work *work)
{
	struct io_uring_params parameters;
	memset(&parameters, 0, sizeof(parameters));
	int fd = (int)syscall(SYS_io_uring_setup, 8, &parameters);
	if (fd < 0)
		return -errno;
	size_t size = parameters.sq_off.array + parameters.sq_entries * sizeof(uint32_t);
	size_t other = parameters.cq_off.cqes + parameters.cq_entries * sizeof(struct io_uring_cqe);
	size = size > other ? size : other;
	char *ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQ_RING);
	struct io_uring_sqe *entries = mmap(NULL, parameters.sq_entries * sizeof(*entries),
		PROT_READ | PROT_WRITE, MAP_SHARED, fd, IORING_OFF_SQES);
	if (ring == MAP_FAILED || entries == MAP_FAILED ||
		(parameters.features & IORING_FEAT_SINGLE_MMAP) == 0)
		return -ENOSYS;
	uint32_t *tail = (uint32_t *)(void *)(ring + parameters.sq_off.tail);
	uint32_t *array = (uint32_t *)(void *)(ring + parameters.sq_off.array);
	uint32_t *head = (uint32_t *)(void *)(ring + parameters.cq_off.head);
	uint32_t *done = (uint32_t *)(void *)(ring + parameters.cq_off.tail);
	for (uint32_t i = 0; i < 200; i++) {
		memset(&entries[0], 0, sizeof(entries[0]));
		entries[0].opcode = IORING_OP_NOP;
		array[i % parameters.sq_entries] = 0;
		__atomic_store_n(tail, i + 1, __ATOMIC_RELEASE);
		if (syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1 ||
			__atomic_load_n(done, __ATOMIC_ACQUIRE) != i + 1)
			return -EIO;
		__atomic_store_n(head, i + 1, __ATOMIC_RELEASE);
		work(3);
	}
	return close(fd) == 0 ? 0 : -errno;
}

static char *absent;

static void *touch(void *work)
{
	/* the page comes when the other thread gives it, which calls first */
	char seen = *(volatile char *)absent;
	(*(act_work **)work)(100);
	return seen == 7 ? work : NULL;
}

int give_pages(act_work *work)
{
	static char page[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));
	struct uffdio_api api = {.api = UFFD_API};
	struct uffd_msg message;
	pthread_t thread;
	void *result = NULL;
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	absent = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register range = {
		.range = {(uintptr_t)absent, PAGE_BYTES}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	if (fd < 0 || absent == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) != 0 ||
		ioctl(fd, UFFDIO_REGISTER, &range) != 0)
		return -ENOSYS;
	if (pthread_create(&thread, NULL, touch, &work) != 0)
		return -EAGAIN;
	if (read(fd, &message, sizeof(message)) != (ssize_t)sizeof(message))
		return -EIO;
	work(1000);
	memset(page, 7, sizeof(page));
	struct uffdio_copy copy = {
		.dst = (uintptr_t)absent, .src = (uintptr_t)page, .len = sizeof(page)};
	if (ioctl(fd, UFFDIO_COPY, &copy) != 0 || pthread_join(thread, &result) != 0)
		return -EIO;
	(void)close(fd);
	return result != NULL ? 0 : -EIO;
}

/* As programs do that want no debugger, and as sandboxes look at what they run. */
int be_attached(act_work *work)
{
	pid_t parent = getpid();
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		int status = -1;
		if (child == 0) {
			int stop;
			if (ptrace(PTRACE_ATTACH, parent, NULL, NULL) != 0)
				_exit(9);
			_exit(waitpid(parent, &stop, __WALL) == parent &&
						ptrace(PTRACE_DETACH, parent, NULL, NULL) == 0
					? 0
					: 8);
		}
		work(200);
		if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
			return -EPERM;
	}
	return 0;
}

static void *join_namespace(void *work)
{
	int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || unshare(CLONE_NEWNET) != 0)
		return NULL;
	(*(act_work **)work)(300);
	if (setns(fd, CLONE_NEWNET) != 0)
		return NULL;
	(*(act_work **)work)(300);
	(void)close(fd);
	return work;
}

int change_namespace(act_work *work)
{
	pthread_t thread;
	void *result = NULL;
	if (pthread_create(&thread, NULL, join_namespace, &work) != 0 ||
		pthread_join(thread, &result) != 0)
		return -EAGAIN;
	return result != NULL ? 0 : -EPERM;
}

static void *work_once(void *work)
{
	(*(act_work **)work)(1);
	return work;
}

int use_many_threads(act_work *work)
{
	pthread_t made[BESIDE];
	for (int i = 0; i < SHORT_THREADS; i += BESIDE) {
		for (int k = 0; k < BESIDE; k++)
			if (pthread_create(&made[k], NULL, work_once, &work) != 0)
				return -EAGAIN;
		for (int k = 0; k < BESIDE; k++)
			(void)pthread_join(made[k], NULL);
	}
	return 0;
}

/* Calls from code that is gone when somebody wants to know its name. */
int unload_plugins(act_work *work)
{
	for (int i = 0; i < PLUGINS; i++) {
		void *library = dlopen("libplugin.so", RTLD_NOW | RTLD_LOCAL);
		if (library == NULL)
			return -ENOENT;
		unsigned (*make)(const char *, unsigned) = (unsigned (*)(const char *, unsigned))(
			uintptr_t)dlsym(library, "make_calls");
		if (make == NULL)
			return -ENOSYS;
		act_count(PLUGIN_CALLS);
		if (make("linked", PLUGIN_CALLS) != PLUGIN_CALLS || dlclose(library) != 0)
			return -EIO;
		/* what comes next to where it was may be there */
		void *other = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		work(2);
		(void)munmap(other, 1 << 20);
	}
	return 0;
}

static void leave_at_once(void)
{
	_exit(12);
}

static void fail_late(void)
{
	static const struct rlimit none;
	(void)setrlimit(RLIMIT_CORE, &none);
	abort();
}

int leave_late(act_work *work)
{
	work(100);
	return atexit(leave_at_once) == 0 ? 0 : -ENOMEM;
}

int abort_late(act_work *work)
{
	work(100);
	return atexit(fail_late) == 0 ? 0 : -ENOMEM;
}

static void on_end(int number)
{
	(void)number;
	exit(11);
}

/* A handler that ends the program, wherever it is. */
int end_in_handler(act_work *work)
{
	struct sigaction action = {.sa_handler = on_end};
	struct itimerval once = {{0, 0}, {0, 8000}};
	if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &once, NULL) != 0)
		return -errno;
	for (;;)
		work(50);
}

static act_work *ringing;

static void on_small(int number)
{
	(void)number;
	int saved = errno;
	ringing(1);
	errno = saved;
}

/* Signals on the least that a stack for them may have beside what the kernel puts there. */
int use_small_stack(act_work *work)
{
	size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 2048;
	char *pages = mmap(NULL, size + 2 * PAGE_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || mprotect(pages, PAGE_BYTES, PROT_NONE) != 0)
		return -ENOMEM;
	stack_t small = {.ss_sp = pages + PAGE_BYTES, .ss_size = size},
		none = {.ss_flags = SS_DISABLE};
	struct sigaction action = {.sa_handler = on_small, .sa_flags = SA_ONSTACK | SA_RESTART};
	ringing = work;
	work(10);
	if (sigaltstack(&small, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
		return -errno;
	for (int i = 0; i < 500; i++)
		(void)raise(SIGUSR1);
	(void)signal(SIGUSR1, SIG_IGN);
	return sigaltstack(&none, NULL) == 0 ? 0 : -errno;
}

static void *work_on(void *work)
{
	const struct timespec pause = {0, 40000000};
	/* more than a ring has room for; a wait by libc would be one more event to be lost */
	for (;; (void)syscall(SYS_nanosleep, &pause, NULL))
		(*(act_work **)work)(20000);
	return NULL;
}

/* Until the kernel ends it: there is no more memory. Others call in bursts meanwhile. */
int take_all_memory(act_work *work)
{
	const size_t piece = 4 << 20;
	pthread_t thread;
	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, work_on, &work) != 0)
			return -EAGAIN;
	for (;;) {
		char *memory = mmap(
			NULL, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return -ENOMEM;
		for (size_t at = 0; at < piece; at += PAGE_BYTES)
			memory[at] = 1;
		work(200);
	}
}

/* It has rights that who started it has not. */
int be_trusted(act_work *work)
{
	work(10);
	return getauxval(AT_SECURE) != 0 ? 0 : -EPERM;
}
