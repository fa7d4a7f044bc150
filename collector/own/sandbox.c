/* SPDX-License-Identifier: MIT */
#include "collector/own/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <unistd.h>

#define NO_FILE (-1l)
#define ALL_DID 77

enum answer {
	NOT_ASKED,
	NO_FILTER,
	UNTRIED, /* there is one */
	PERMITTED,
	REFUSED
};
static int answer __attribute__((section(".bss.start"))); /* enum answer; as base/small.h says */

/*
 * Each of them, so that it does nothing. Only what the kernel is asked counts, not what it answers:
 * by numbers alone, since nothing of libc is to be called in such a child.
 */
static void try_all(void)
{
	static char text[4096];
	struct iovec own = {text, 1};
	long process = syscall(SYS_getpid), thread = syscall(SYS_gettid);
	(void)syscall(SYS_prctl, PR_GET_NAME, text);
	(void)syscall(SYS_uname, text);
	(void)syscall(SYS_getcwd, text, sizeof(text));
	(void)syscall(SYS_getuid);
	(void)syscall(SYS_getppid);
	(void)syscall(SYS_openat, AT_FDCWD, "", O_PATH | O_CLOEXEC, 0);
	(void)syscall(SYS_mkdirat, AT_FDCWD, "", 0);
	(void)syscall(SYS_unlinkat, AT_FDCWD, "", 0);
	(void)syscall(SYS_readlinkat, AT_FDCWD, "", text, sizeof(text));
	(void)syscall(SYS_faccessat, AT_FDCWD, "", 0);
	(void)syscall(SYS_newfstatat, AT_FDCWD, "", text, 0);
#if defined(__x86_64__)
	(void)syscall(SYS_mkdir, "", 0);
	(void)syscall(SYS_unlink, "");
	(void)syscall(SYS_rmdir, "");
	(void)syscall(SYS_readlink, "", text, sizeof(text));
	(void)syscall(SYS_access, "", 0);
#endif
	(void)syscall(SYS_statfs, "", text);
	(void)syscall(SYS_fstatfs, NO_FILE, text);
	(void)syscall(SYS_fstat, NO_FILE, text);
	(void)syscall(SYS_fcntl, NO_FILE, F_DUPFD_CLOEXEC, 3);
	(void)syscall(SYS_dup3, NO_FILE, NO_FILE, 0);
	(void)syscall(SYS_memfd_create, NULL, 0);
	(void)syscall(SYS_read, NO_FILE, text, 0);
	(void)syscall(SYS_pread64, NO_FILE, text, 0, 0);
	(void)syscall(SYS_write, NO_FILE, text, 0);
	(void)syscall(SYS_lseek, NO_FILE, 0, 0);
	(void)syscall(SYS_getdents64, NO_FILE, text, sizeof(text));
	(void)syscall(SYS_ftruncate, NO_FILE, 0);
	(void)syscall(SYS_fallocate, NO_FILE, FALLOC_FL_KEEP_SIZE, 0, 1);
	(void)syscall(SYS_fchmod, NO_FILE, 0);
	(void)syscall(SYS_flock, NO_FILE, 0);
	(void)syscall(SYS_close, NO_FILE);
	(void)syscall(SYS_mmap, NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, NO_FILE, 0);
	(void)syscall(SYS_munmap, NULL, 0);
	(void)syscall(SYS_mprotect, NULL, 0, PROT_READ);
	(void)syscall(SYS_madvise, NULL, 0, MADV_WIPEONFORK);
	(void)syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, text);
	(void)syscall(SYS_getrusage, RUSAGE_SELF, text);
	(void)syscall(SYS_sched_getaffinity, 0, 8, text);
	(void)syscall(SYS_sched_yield);
	(void)syscall(SYS_clock_gettime, 0, text);
	(void)syscall(SYS_nanosleep, NULL, NULL);
	(void)syscall(SYS_futex, NULL, 1, 0, NULL, NULL, 0);
	(void)syscall(SYS_rt_sigprocmask, 0, NULL, text, 8);
	(void)syscall(SYS_rt_sigaction, 1, NULL, text, 8);
	(void)syscall(SYS_tgkill, process, thread, 0);
	(void)syscall(SYS_process_vm_readv, process, &own, 1, &own, 1, 0);
	(void)syscall(SYS_process_vm_writev, process, &own, 1, &own, 1, 0);
}

/*
 * The child has memory of its own: what ends it with a core would end all who share it. It makes
 * the call first, if any.
 */
static bool child_lives(const long *call)
{
	static const struct rlimit none;
	int status = 0;
	long child = syscall(SYS_clone, 0l, 0l, 0l, 0l, 0l);
	if (child == 0) {
		(void)syscall(SYS_setrlimit, RLIMIT_CORE, &none);
		if (call != NULL)
			(void)syscall(call[0], call[1], call[2], call[3], 0l, 0l);
		try_all();
		(void)syscall(SYS_exit_group, ALL_DID);
	}
	/* Without children there is nobody to ask; what is refused like that is met later. */
	while (child > 0 && syscall(SYS_wait4, child, &status, __WALL, NULL) < 0 && errno == EINTR)
		;
	return child < 0 || status == ALL_DID << 8;
}

bool sandbox_permits(void)
{
	int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
	if (known <= UNTRIED) {
		int saved = errno;
		bool is_filtered = syscall(SYS_prctl, PR_GET_SECCOMP, 0l, 0l, 0l, 0l) > 0;
		known = !is_filtered ? NO_FILTER : child_lives(NULL) ? PERMITTED : REFUSED;
		__atomic_store_n(&answer, known, __ATOMIC_RELAXED);
		errno = saved;
	}
	return known != REFUSED;
}

void sandbox_refuse(void)
{
	if (!sandbox_refuses())
		__atomic_store_n(&answer, UNTRIED, __ATOMIC_RELAXED);
}

bool sandbox_refuses(void)
{
	int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
	return known == UNTRIED || known == REFUSED;
}

bool sandbox_would_permit(long number, long a, long b, long c)
{
	const long call[] = {number, a, b, c};
	int saved = errno;
	bool lives = child_lives(call);
	errno = saved;
	return lives;
}
