/* SPDX-License-Identifier: MIT */
/* Which processes look for the number of a loader's worker, and when they cease to. */
#include "preload/hooks/worker.h"

#include "collector/describe.h"
#include "preload/python/owner.h"
#include "preload/python/python.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

/* These stand in for those of the interpreter's frames and of the trace. */
static unsigned searches, told;
static const char *loop; /* a part of the file whose loop runs, NULL: none */
static bool runs_target;

bool python_numbers(const struct owner_numbers *wanted, uint32_t ret_numbers[2])
{
	searches++;
	if (loop == NULL || strstr(wanted->file, loop) == NULL)
		return false;
	ret_numbers[0] = 2;
	ret_numbers[1] = 5;
	return true;
}

bool python_runs(const char *function, const char *file)
{
	cr_assert(eq(str, (char *)function, "run"));
	cr_assert(eq(str, (char *)file, "/multiprocessing/process.py"));
	return runs_target;
}

void collector_worker(unsigned number, unsigned count)
{
	told += 100 * count + number;
}

static void look(unsigned times)
{
	while (times-- > 0)
		worker_look();
}

TestSuite(worker, .timeout = 60);

Test(worker, a_process_that_was_started_by_itself_never_looks)
{
	cr_assert(worker_is_open);
	look(1);
	cr_assert(not(worker_is_open));
	loop = "/torch/";
	look(1000);
	cr_assert(eq(u32, searches, 0));
	cr_assert(eq(u32, told, 0));
}

Test(worker, a_forked_one_looks_until_it_is_found)
{
	look(1);
	worker_after_fork();
	look(20);
	cr_assert(eq(u32, told, 0));
	loop = "/mindspore/";
	look(1);
	cr_assert(eq(u32, told, 502));
	cr_assert(not(worker_is_open));
	unsigned before = searches;
	look(1000);
	cr_assert(eq(u32, searches, before));
	cr_assert(eq(u32, told, 502));
}

Test(worker, one_that_runs_something_else_ceases)
{
	worker_after_fork();
	look(3);
	cr_assert(worker_is_open);
	runs_target = true;
	look(1);
	cr_assert(not(worker_is_open));
	cr_assert(eq(u32, told, 0));
}

Test(worker, looks_become_seldom)
{
	worker_after_fork();
	look(64);
	unsigned each = searches / 64;
	look(800);
	cr_assert(eq(u32, searches, each * (64 + 100)));
}

Test(worker, a_forked_child_of_one_looks_anew)
{
	worker_after_fork();
	loop = "/dataloader/";
	look(1);
	cr_assert(not(worker_is_open));
	worker_after_fork();
	look(1);
	cr_assert(eq(u32, told, 2 * 502));
}
