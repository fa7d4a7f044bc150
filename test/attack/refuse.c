/* SPDX-License-Identifier: MIT */
/*
 * Runs a program under a filter of system calls, as sandboxes and service managers do.
 *
 * usage: refuse NUMBER ERROR COMMAND...
 *	NUMBER  of the system call
 *	ERROR   what it fails with; -1: the process is ended, -2: the calling thread gets SIGSYS
 *
 * PRELOAD becomes the command's LD_PRELOAD. Status 125: no filter can be set.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 4)
		return 125;
	long error = strtol(argv[2], NULL, 10);
	unsigned action = error == -1   ? SECCOMP_RET_KILL_PROCESS
			  : error == -2 ? SECCOMP_RET_TRAP
					: SECCOMP_RET_ERRNO | (unsigned)error;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)strtol(argv[1], NULL, 10), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		return 125;
	if (getenv("PRELOAD") != NULL)
		(void)setenv("LD_PRELOAD", getenv("PRELOAD"), 1);
	(void)unsetenv("PRELOAD");
	(void)execv(argv[3], argv + 3);
	return 125;
}
