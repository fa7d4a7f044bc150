/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "analyzer/run/run.h"
#include "test/unit/analyzer/trace_maker.h"

static char folder[64];
static struct run run;
static struct err_at at;

static void make(void)
{
	(void)snprintf(folder, sizeof(folder), "/tmp/test_run.XXXXXX");
	if (mkdtemp(folder) == NULL)
		abort();
}

static void release(void)
{
	char command[128];
	run_release(&run);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	if (system(command) != 0)
		abort();
}

TestSuite(run, .init = make, .fini = release);

static void touch(const char *name, const void *bytes, size_t size)
{
	char path[160];
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	MAKER_CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0);
}

/* Name of the file behind a path. */
static char *name_of(size_t index)
{
	return strrchr(run.paths.items[index], '/') + 1;
}

static int collect(void)
{
	char *arguments[] = {folder};
	return run_init(&run, arguments, 1, &at);
}

Test(run, takes_traces_and_lonely_live_files_in_order)
{
	static const char *const names[] = {"b-2.msgpack.zst", "a-1.msgpack.zst", "a-1.live",
		"c-3.live", "notes.txt", ".hidden.msgpack.zst", ".msgpack.zst",
		"b-2.msgpack.zst.tmp"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		touch(names[i], "", 0);
	cr_assert(eq(int, collect(), 0));
	cr_assert(eq(sz, run.paths.count, 3));
	cr_assert(eq(str, name_of(0), "a-1.msgpack.zst"));
	cr_assert(eq(str, name_of(1), "b-2.msgpack.zst"));
	cr_assert(eq(str, name_of(2), "c-3.live"));
}

Test(run, says_what_it_cannot_find)
{
	char *missing[] = {(char *)"/nonexistent/run"};
	cr_assert(eq(int, collect(), -ERR_NO_TRACE));
	cr_assert(eq(str, (char *)at.what, folder));
	cr_assert(eq(sz, run.paths.count, 0));
	cr_assert(eq(int, run_init(&run, missing, 1, &at), -ENOENT));
	cr_assert(eq(str, (char *)at.what, "/nonexistent/run"));
	cr_assert(eq(int, run_init(&run, missing, 0, NULL), 0));
	cr_assert(eq(u64, run_begin_ns(&run), 0));
}

Test(run, begins_with_its_earliest_process)
{
	struct maker *early = maker_trace(1, 3);
	struct maker *late = maker_new();
	struct record record = maker_record(50);
	MAKER_CHECK(encoder_add_events(late->encoder, 1, 0, &record, 1) == 0);
	maker_frame(late);
	touch("late.msgpack.zst", late->bytes, late->size);
	touch("broken.msgpack.zst", "x", 1);
	cr_assert(eq(int, collect(), 0));
	cr_assert(eq(u64, run_begin_ns(&run), MAKER_BEGIN + 50000));
	run_release(&run);
	touch("early.msgpack.zst", early->bytes, early->size);
	cr_assert(eq(int, collect(), 0));
	cr_assert(eq(u64, run_begin_ns(&run), MAKER_BEGIN));
	maker_free(early);
	maker_free(late);
}
