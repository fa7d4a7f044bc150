/* SPDX-License-Identifier: MIT */
#include "collector/own/sandbox.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "collector/own/descriptor.h"
#include "collector/own/loading.h"
#include "test/unit/collector/no_calls.h"

/* What becomes of who makes that call. */
static bool would_permit(unsigned number, unsigned action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};
	bool by_prctl =
		sandbox_would_permit(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&filter);
	bool by_number =
		sandbox_would_permit(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&filter);
	cr_assert(eq(int, by_prctl, by_number));
	return by_prctl;
}

static void begin(void)
{
	cr_assert(zero(int, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)));
	errno = 77;
}

/* Nothing of what was tried is left, and no child either. */
static void end(void)
{
	cr_assert(eq(int, errno, 77));
	cr_assert(zero(int, prctl(PR_GET_SECCOMP, 0, 0, 0, 0)));
	cr_assert(eq(int, (int)waitpid(-1, NULL, WNOHANG | __WALL), -1));
}

TestSuite(sandbox, .init = begin, .fini = end, .timeout = 30);

Test(sandbox, a_filter_that_ends_who_does_what_we_do)
{
	cr_assert(not(would_permit(SYS_getpid, SECCOMP_RET_KILL_PROCESS)));
	cr_assert(not(would_permit(SYS_fstatfs, SECCOMP_RET_KILL_PROCESS)));
	cr_assert(not(would_permit(SYS_process_vm_readv, SECCOMP_RET_TRAP)));
}

Test(sandbox, a_filter_that_only_refuses)
{
	cr_assert(would_permit(SYS_getpid, SECCOMP_RET_ERRNO | EPERM));
}

Test(sandbox, a_filter_of_what_we_never_do)
{
	cr_assert(would_permit(SYS_swapon, SECCOMP_RET_KILL_PROCESS));
}

Test(sandbox, a_filter_that_the_kernel_does_not_take)
{
	cr_assert(sandbox_would_permit(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 0));
}

static void fork_and_load(void)
{
	loading_before_fork();
	loading_after_fork();
	loading_forget();
	descriptor_forget();
	bool begun = loading_begin();
	descriptor_hold();
	descriptor_release();
	if (begun)
		loading_end();
}

/* Also where something was held for a parent. */
static void have_held(void)
{
	descriptor_hold();
	descriptor_release();
}

static void have_held_and_refuse(void)
{
	have_held();
	sandbox_refuse();
}

Test(sandbox, a_refused_process_makes_no_calls_for_others)
{
	cr_assert(no_calls_in(have_held_and_refuse, fork_and_load));
	cr_assert(not(no_calls_in(have_held, fork_and_load)));
	errno = 77;
}

Test(sandbox, what_is_refused_may_be_asked)
{
	sandbox_refuse();
	cr_assert(sandbox_refuses());
	cr_assert(sandbox_permits());
	cr_assert(not(sandbox_refuses()));
}
