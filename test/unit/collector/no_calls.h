/* SPDX-License-Identifier: MIT */
/*
 * A child that dies of any system call: what it does asks nothing of the kernel.
 */
#ifndef TEST_UNIT_COLLECTOR_NO_CALLS_H
#define TEST_UNIT_COLLECTOR_NO_CALLS_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_CALLS_DONE 6

/* It may end, and that is all. */
static inline bool no_calls_forbid(void)
{
	static struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};
	struct rlimit none = {0, 0};
	return setrlimit(RLIMIT_CORE, &none) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/* work() came to its end; prepare(), which may be NULL, is without a filter. */
static inline bool no_calls_in(void (*prepare)(void), void (*work)(void))
{
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		if (prepare != NULL)
			prepare();
		if (!no_calls_forbid())
			_exit(1);
		work();
		(void)syscall(SYS_exit_group, NO_CALLS_DONE);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) &&
	       WEXITSTATUS(status) == NO_CALLS_DONE;
}

#endif
