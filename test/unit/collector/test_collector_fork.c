/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/describe.h"
#include "test/unit/collector/recording.h"

TestSuite(collector_fork, .fini = tear_down, .timeout = 60);

static int child_of_fork(void)
{
	collector_after_fork();
	for (uint64_t i = 0; i < 100; i++)
		if (!record(i))
			return 1;
	collector_stop("_exit");
	struct collector_totals totals;
	collector_get_totals(&totals);
	(void)snprintf(path, sizeof(path), "%s", totals.path);
	read_back();
	return seen.calls != 100 || strcmp(file.role, "child") != 0;
}

Test(collector_fork, a_forked_child_has_its_own_file)
{
	begin();
	uint32_t name = collector_name("before the fork", 15);
	for (uint64_t i = 0; i < 10; i++)
		cr_assert(record(i));
	pid_t pid = fork();
	if (pid == 0)
		_exit(collector_name("before the fork", 15) != name || child_of_fork());
	int status;
	cr_assert(eq(int, waitpid(pid, &status, 0), pid));
	cr_assert(eq(int, status, 0));
	for (uint64_t i = 10; i < 20; i++)
		cr_assert(record(i));
	collector_stop("exit");
	cr_assert(eq(u32, list(), 2));
	struct collector_totals totals;
	collector_get_totals(&totals);
	(void)snprintf(path, sizeof(path), "%s", totals.path);
	read_back();
	cr_assert(eq(u64, seen.calls, 20));
	cr_assert(strcmp(file.role, "main") == 0);
}

Test(collector_fork, an_event_may_be_open_across_a_fork)
{
	begin();
	cr_assert(record(0));
	struct record *slot = collector_reserve();
	pid_t pid = fork();
	if (pid == 0) {
		collector_after_fork();
		*slot = (struct record){.kind = RECORD_CALL};
		collector_commit(); /* goes nowhere, harms nobody */
		_exit(!record(0));
	}
	int status;
	cr_assert(eq(int, waitpid(pid, &status, 0), pid));
	cr_assert(eq(int, status, 0));
	collector_stop("exit");
}

Test(collector_fork, a_vforked_child_touches_nothing)
{
	begin();
	cr_assert(record(0));
	pid_t pid = vfork();
	if (pid == 0) {
		collector_stop("exec"); /* as the exec hook would */
		collector_resume();
		_exit(0);
	}
	(void)waitpid(pid, NULL, 0);
	cr_assert(record(1));
	collector_stop("exit");
	cr_assert(eq(u32, list(), 1));
	read_back();
	cr_assert(eq(u64, seen.calls, 2));
}

static void open_gate(int gate)
{
	(void)write(gate, "x", 1);
}

static void await_gate(int gate)
{
	char byte;
	(void)read(gate, &byte, 1);
}

/* A child that hears of its parent, but not of its parent's other children. */
Test(collector_fork, a_child_helps_once_its_parent_records)
{
	int before[2], after[2];
	begin();
	cr_assert(pipe(before) == 0 && pipe(after) == 0);
	collector_before_fork();
	pid_t pid = fork();
	if (pid == 0) {
		collector_after_fork();
		bool early = collector_helps();
		open_gate(before[1]);
		await_gate(after[0]);
		_exit(early ? 1 : !collector_helps() ? 2 : 0);
	}
	await_gate(before[0]);
	cr_assert(not(collector_helps()));
	cr_assert(record(0));
	open_gate(after[1]);
	int status;
	cr_assert(eq(int, waitpid(pid, &status, 0), pid));
	cr_assert(eq(int, status, 0));
	cr_assert(not(collector_helps()));
	collector_stop("exit");
}

Test(collector_fork, a_child_that_records_makes_no_helper_of_its_sister)
{
	int gate[2];
	begin();
	cr_assert(pipe(gate) == 0);
	pid_t sisters[2];
	for (unsigned i = 0; i < 2; i++) {
		collector_before_fork();
		sisters[i] = fork();
		if (sisters[i] == 0) {
			collector_after_fork();
			if (i == 0)
				_exit(!record(0) || (collector_stop("exit"), false));
			await_gate(gate[0]);
			_exit(collector_helps());
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		int status;
		cr_assert(eq(int, waitpid(sisters[i], &status, 0), sisters[i]));
		cr_assert(eq(int, status, 0));
		open_gate(gate[1]);
	}
}

Test(collector_fork, a_helpers_own_children_help)
{
	begin();
	cr_assert(record(0));
	collector_before_fork();
	pid_t pid = fork();
	if (pid == 0) {
		int status;
		collector_after_fork();
		collector_before_fork();
		pid_t own = fork();
		if (own == 0) {
			collector_after_fork();
			_exit(!collector_helps());
		}
		_exit(waitpid(own, &status, 0) != own || status != 0);
	}
	int status;
	cr_assert(eq(int, waitpid(pid, &status, 0), pid));
	cr_assert(eq(int, status, 0));
	collector_stop("exit");
}
