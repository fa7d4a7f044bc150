/* SPDX-License-Identifier: MIT */
/*
 * Runs a program and has its system call number K fail, before the kernel sees it.
 *
 * usage: inject WHO K ERROR MODE COMMAND...
 *	WHO     ours: only calls that libtrace.so makes, by the return addresses on the stack; all:
 *	        from where the loader has done its work
 *	K       from 1; 0: none
 *	ERROR   number of the error
 *	MODE    once, or ever: all calls from K on
 *
 * PRELOAD becomes the command's LD_PRELOAD. TOLD=FILE: how often each call was made, as lines
 * "NUMBER COUNT", and "hit NUMBER" for what failed first. Calls that cannot fail in any kernel are
 * left alone, and so are writes to descriptors 0 to 2 and looks at what descriptor 2 is. Status:
 * the program's; 128 + signal; 125: it could not be run.
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_WORDS 192
#define THREADS     1024
#define NUMBERS     512
#define OPTIONS     (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)

static struct {
	bool ours, ever, relocated, loaded;
	long at, error, seen;
	long counts[NUMBERS], hit;
	pid_t process;
	/* code of the program and of the library */
	uintptr_t library_begin, library_end, program_begin, program_end;
	struct {
		pid_t tid;
		bool inside, fails;
	} threads[THREADS];
	unsigned thread_count;
} state = {.hit = -1};

static bool cannot_fail(long number, const struct user_regs_struct *registers)
{
	static const int never[] = {SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_futex,
		SYS_getpid, SYS_gettid, SYS_getuid, SYS_sched_yield, SYS_rt_sigprocmask,
		SYS_clock_gettime, SYS_nanosleep, SYS_clock_nanosleep, SYS_restart_syscall,
		SYS_set_robust_list, SYS_rseq, SYS_munmap, SYS_arch_prctl, SYS_getppid,
		SYS_set_tid_address, SYS_execve, SYS_close, SYS_brk /* says it in another way */};
	for (unsigned i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (number == never[i])
			return true;
	/* without these nothing can be said of it */
	return (number == SYS_write && registers->rdi < 3) ||
	       ((number == SYS_fstat || number == SYS_newfstatat) && registers->rdi == 2);
}

/* Where the code lies; false: the library is not there yet. */
static bool find_code(void)
{
	char path[64], line[512], exe[256] = "";
	if (state.library_end != 0)
		return true;
	(void)snprintf(path, sizeof(path), "/proc/%d/exe", state.process);
	ssize_t length = readlink(path, exe, sizeof(exe) - 1);
	exe[length > 0 ? length : 0] = '\0';
	(void)snprintf(path, sizeof(path), "/proc/%d/maps", state.process);
	FILE *maps = fopen(path, "re");
	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		unsigned long begin, end;
		char mode[8] = "";
		if (sscanf(line, "%lx-%lx %7s", &begin, &end, mode) != 3 || mode[2] != 'x')
			continue;
		if (strstr(line, "/libtrace.so") != NULL)
			state.library_begin = begin, state.library_end = end;
		if (exe[0] != '\0' && strstr(line, exe) != NULL)
			state.program_begin = begin, state.program_end = end;
	}
	if (maps != NULL)
		(void)fclose(maps);
	return state.library_end != 0;
}

/* Who called: the first address of either's code on the stack. */
static bool is_ours(pid_t tid, const struct user_regs_struct *registers)
{
	uintptr_t words[STACK_WORDS];
	struct iovec to = {words, sizeof(words)};
	struct iovec from = {(void *)(uintptr_t)registers->rsp, sizeof(words)};
	if (!state.ours)
		return state.loaded;
	if (!find_code())
		return false;
	uintptr_t here = registers->rip;
	if (here >= state.library_begin && here < state.library_end)
		return true;
	ssize_t got = process_vm_readv(tid, &to, 1, &from, 1, 0);
	for (ssize_t i = 0; i < got / (ssize_t)sizeof(words[0]); i++) {
		if (words[i] >= state.library_begin && words[i] < state.library_end)
			return true;
		if (words[i] >= state.program_begin && words[i] < state.program_end)
			return false;
	}
	return false;
}

static unsigned thread_of(pid_t tid)
{
	unsigned i = 0;
	while (i < state.thread_count && state.threads[i].tid != tid)
		i++;
	if (i == state.thread_count && i < THREADS - 1)
		state.threads[state.thread_count++].tid = tid;
	return i;
}

static void entered(pid_t tid, unsigned thread)
{
	struct user_regs_struct registers;
	if (ptrace(PTRACE_GETREGS, tid, NULL, &registers) < 0)
		return;
	long number = (long)registers.orig_rax;
	/* the loader's last call gives back what it has read of its cache */
	state.loaded |= state.relocated && number == SYS_munmap;
	state.relocated |= number == SYS_rseq;
	if (number < 0 || number >= NUMBERS || cannot_fail(number, &registers) ||
		!is_ours(tid, &registers))
		return;
	state.counts[number]++;
	state.seen++;
	if (state.at == 0 || state.seen < state.at || (state.seen > state.at && !state.ever))
		return;
	if (state.hit < 0)
		state.hit = number;
	state.threads[thread].fails = true;
	(void)ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, orig_rax), -1l);
}

static void left(pid_t tid, unsigned thread)
{
	if (state.threads[thread].fails)
		(void)ptrace(
			PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rax), -state.error);
	state.threads[thread].fails = false;
}

static void at_call(pid_t tid)
{
	unsigned thread = thread_of(tid);
	state.threads[thread].inside = !state.threads[thread].inside;
	if (state.threads[thread].inside)
		entered(tid, thread);
	else
		left(tid, thread);
}

static void tell(void)
{
	FILE *file = getenv("TOLD") == NULL ? NULL : fopen(getenv("TOLD"), "we");
	if (file == NULL)
		return;
	for (int i = 0; i < NUMBERS; i++)
		if (state.counts[i] > 0)
			(void)fprintf(file, "%d %ld\n", i, state.counts[i]);
	if (state.hit >= 0)
		(void)fprintf(file, "hit %ld\n", state.hit);
	(void)fclose(file);
}

static void follow(void)
{
	int status;
	pid_t tid;
	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		long signal = 0;
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (tid != state.process)
				continue;
			tell();
			exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			at_call(tid);
		else if (status >> 16 == 0 && WSTOPSIG(status) != SIGSTOP &&
			 WSTOPSIG(status) != SIGTRAP)
			signal = WSTOPSIG(status);
		(void)ptrace(PTRACE_SYSCALL, tid, NULL, signal);
	}
}

int main(int argc, char **argv)
{
	if (argc < 6)
		return 125;
	state.ours = strcmp(argv[1], "ours") == 0;
	state.at = strtol(argv[2], NULL, 10);
	state.error = strtol(argv[3], NULL, 10);
	state.ever = strcmp(argv[4], "ever") == 0;
	state.process = fork();
	if (state.process == 0) {
		if (getenv("PRELOAD") != NULL)
			(void)setenv("LD_PRELOAD", getenv("PRELOAD"), 1);
		(void)unsetenv("PRELOAD");
		(void)unsetenv("TOLD");
		(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		(void)raise(SIGSTOP);
		(void)execv(argv[5], argv + 5);
		_exit(125);
	}
	int status;
	if (state.process < 0 || waitpid(state.process, &status, 0) < 0 ||
		ptrace(PTRACE_SETOPTIONS, state.process, NULL, OPTIONS) < 0)
		return 125;
	(void)ptrace(PTRACE_SYSCALL, state.process, NULL, 0l);
	follow();
	return 125;
}
