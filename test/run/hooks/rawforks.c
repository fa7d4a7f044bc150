/* SPDX-License-Identifier: MIT */
/*
 * Children of which no handler of fork() hears. Each calls the runtime while the parent does, and
 * so does a child of its own that fork() made. The parent makes 50 calls for each way, before and
 * after.
 */
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS       50
#define STACK_BYTES (256u << 10)

int cudaStreamSynchronize(void *stream);
int cudaMemset(void *address, int byte, size_t size);
pid_t _Fork(void);

/* The parent's, a raw child's, and one of a child's own child. */
static void calls(void)
{
	for (unsigned i = 0; i < CALLS; i++)
		(void)cudaStreamSynchronize(NULL);
}

static void foreign(void)
{
	char byte;
	for (unsigned i = 0; i < CALLS; i++)
		(void)cudaMemset(&byte, 0, 1);
}

static int child(void *how)
{
	foreign();
	if (how != NULL) {
		pid_t pid = fork();
		if (pid == 0) {
			calls();
			_exit(5);
		}
		int status = 0;
		(void)waitpid(pid, &status, 0);
		_exit(WIFEXITED(status) && WEXITSTATUS(status) == 5 ? 3 : 4);
	}
	_exit(3);
}

static void meanwhile(const char *what, pid_t pid)
{
	int status = -1;
	if (pid == 0)
		(void)child("with a child");
	calls();
	(void)waitpid(pid, &status, __WALL);
	printf("%s: %d\n", what, status);
	(void)fflush(stdout);
}

/* In the memory of the parent, and with its thread-local storage: it calls nothing. */
static int in_our_memory(void *count)
{
	++*(int *)count;
	return 6;
}

int main(void)
{
	int count = 0;
	calls();
	meanwhile("_Fork", _Fork());
	meanwhile("SYS_clone", (pid_t)syscall(SYS_clone, SIGCHLD, 0L, 0L, 0L, 0L));
	struct clone_args more = {.exit_signal = SIGCHLD};
	meanwhile("SYS_clone3", (pid_t)syscall(SYS_clone3, &more, sizeof(more)));
#ifdef SYS_fork
	meanwhile("SYS_fork", (pid_t)syscall(SYS_fork));
#endif
	char *stack =
		mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	meanwhile("clone", clone(child, stack + STACK_BYTES, SIGCHLD, NULL));
	meanwhile("clone, one memory", clone(in_our_memory, stack + STACK_BYTES,
					       CLONE_VM | CLONE_VFORK | SIGCHLD, &count));
	pid_t pid = vfork();
	if (pid == 0)
		_exit(7);
	meanwhile("vfork", pid);
	calls();
	printf("%d\n", count);
	return 0;
}
