/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "analyzer/ranks/identity.h"
#include "analyzer/run/run.h"
#include "analyzer/run/workers.h"
#include "test/unit/analyzer/trace_maker.h"

static char folder[64];
static struct run run;
static struct err_at at;
static const char *wanted; /* run to collect */

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
	return run_init(&run, arguments, 1, wanted, &at);
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
	cr_assert(eq(int, run_init(&run, missing, 1, NULL, &at), -ENOENT));
	cr_assert(eq(str, (char *)at.what, "/nonexistent/run"));
	cr_assert(eq(int, run_init(&run, missing, 0, NULL, NULL), 0));
	int err = 0;
	cr_assert(eq(u64, run_begin_ns(&run, &err), 0));
}

Test(run, begins_with_its_earliest_process)
{
	struct maker *early = maker_trace(1, 3);
	struct maker *late = maker_new();
	struct record record = maker_record(50);
	int err = 0;
	MAKER_CHECK(encoder_add_events(late->encoder, 1, 0, &record, 1) == 0);
	maker_frame(late);
	touch("late.msgpack.zst", late->bytes, late->size);
	touch("broken.msgpack.zst", "x", 1);
	cr_assert(eq(int, collect(), 0));
	cr_assert(eq(u64, run_begin_ns(&run, &err), MAKER_BEGIN + 50000));
	run_release(&run);
	touch("early.msgpack.zst", early->bytes, early->size);
	cr_assert(eq(int, collect(), 0));
	cr_assert(eq(u64, run_begin_ns(&run, &err), MAKER_BEGIN));
	maker_free(early);
	maker_free(late);
}

/* A trace whose process says what it is. */
static void record_process(const char *name, const char *host, const char *id, int64_t rank,
	uint64_t second, const char *command)
{
	struct maker *maker = maker_new();
	maker_meta(maker, (struct meta){.kind = META_RUN,
				  .u.run = {.format_version = 1,
					  .host = host,
					  .pid = maker->pid,
					  .rank = rank,
					  .world_size = rank < 0 ? -1 : 4,
					  .program = "train.py",
					  .command = command,
					  .parent_pid = 7,
					  .begin_ns = MAKER_BEGIN,
					  .begin_realtime_ns = second * 1000000000,
					  .run_id = id}});
	maker_events(maker, 1, 0, 1);
	maker_frame(maker);
	touch(name, maker->bytes, maker->size);
	maker_free(maker);
}

/* It belongs to a run. */
static void record_into(const char *name, const char *id, int64_t rank, uint64_t second)
{
	record_process(name, "h", id, rank, second, "python3 train.py");
}

static void note_worker(run_workers *workers, const char *host, const char *id, const char *command)
{
	const struct process_options options = {.to_ns = UINT64_MAX};
	struct process process;
	char path[160];
	(void)snprintf(path, sizeof(path), "%s/h-1.msgpack.zst", folder);
	record_process("h-1.msgpack.zst", host, id, -1, 100, command);
	cr_assert(eq(int, process_init(&process, path, &options, NULL), 0));
	cr_assert(eq(int, workers_note(workers, &process), 0));
	process_release(&process);
	MAKER_CHECK(unlink(path) == 0);
}

static unsigned count_workers(const run_workers *workers, const char *host, const char *id)
{
	const struct meta_RUN parent = {.host = host, .run_id = id, .pid = 7};
	return workers_of(workers, identity_own(&parent)).count;
}

/* As containers do, in which everybody's first process has one number. */
Test(run, workers_of_hosts_and_runs_with_equal_numbers_are_told_apart)
{
	run_workers workers = {0};
	note_worker(&workers, "a", "1", "python3 train.py");
	note_worker(&workers, "a", "1", "python3 train.py");
	note_worker(&workers, "b", "1", "python3 train.py");
	note_worker(&workers, "a", "2", "python3 train.py");
	cr_expect(eq(uint, count_workers(&workers, "a", "1"), 2));
	cr_expect(eq(uint, count_workers(&workers, "b", "1"), 1));
	cr_expect(eq(uint, count_workers(&workers, "a", "2"), 1));
	cr_expect(eq(uint, count_workers(&workers, "b", "2"), 0));
	cr_expect(eq(u64, identity_pid(workers.items[2].parent), 7));
	workers_release(&workers);
}

Test(run, what_a_compiler_compiles_in_is_no_worker_of_a_loader)
{
	static const char *const commands[] = {"python3 train.py",
		"python3 /site-packages/torch/_inductor/compile_worker/__main__.py --workers=4"};
	run_workers workers = {0};
	for (size_t i = 0; i < 2; i++)
		note_worker(&workers, "h", "a", commands[i]);
	cr_expect(eq(uint, count_workers(&workers, "h", "a"), 1));
	workers_release(&workers);
}

Test(run, two_runs_of_one_folder_are_told_apart)
{
	record_into("h-1.msgpack.zst", "b", -1, 200);
	record_into("h-2.msgpack.zst", "a", -1, 300);
	record_into("h-3.msgpack.zst", "a", -1, 100);
	touch("broken.msgpack.zst", "x", 1);
	cr_assert(eq(int, collect(), -ERR_MANY_RUNS));
	cr_assert(eq(sz, run.paths.count, 0));
	cr_assert(eq(sz, run.parts.count, 2));
	cr_assert(eq(str, run.parts.items[0].id, "a"));
	cr_assert(eq(sz, run.parts.items[0].processes, 2));
	cr_assert(eq(u64, run.parts.items[0].begin_ns, 100000000000));
	cr_assert(eq(str, run.parts.items[1].id, "b"));
	run_release(&run);
	wanted = "c";
	cr_assert(eq(int, collect(), -ERR_UNKNOWN_NAME));
	cr_assert(eq(sz, run.parts.count, 2));
	run_release(&run);
	static const struct {
		const char *wanted, *first;
		size_t count;
	} cases[] = {{"a", "h-2.msgpack.zst", 3}, {"b", "h-1.msgpack.zst", 2},
		{"first", "h-2.msgpack.zst", 3}, {"last", "h-1.msgpack.zst", 2}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		wanted = cases[i].wanted;
		cr_assert(eq(int, collect(), 0));
		cr_assert(eq(sz, run.paths.count, cases[i].count));
		cr_assert(eq(str, name_of(0), "broken.msgpack.zst"));
		cr_assert(eq(str, name_of(1), (char *)cases[i].first));
		run_release(&run);
	}
}

Test(run, one_run_may_have_begun_on_several_hosts)
{
	record_into("g-1.msgpack.zst", "a", 0, 100);
	record_into("g-2.msgpack.zst", "a", 1, 100);
	record_into("g-3.msgpack.zst", "a", -1, 100);
	record_into("h-1.msgpack.zst", "b", 2, 101);
	record_into("h-2.msgpack.zst", "b", 3, 101);
	cr_assert(eq(int, collect(), 0));
	cr_assert(eq(sz, run.paths.count, 5));
	run_release(&run);
	record_into("h-3.msgpack.zst", "c", 3, 500);
	cr_assert(eq(int, collect(), -ERR_MANY_RUNS), "rank 3 twice: another run");
}

Test(run, traces_without_an_id_are_one_run)
{
	record_into("a-1.msgpack.zst", "", -1, 100);
	record_into("a-2.msgpack.zst", "", -1, 200);
	cr_assert(eq(int, collect(), 0));
	cr_assert(eq(sz, run.paths.count, 2));
	run_release(&run);
	record_into("a-3.msgpack.zst", "c", -1, 300);
	cr_assert(eq(int, collect(), -ERR_MANY_RUNS));
	cr_assert(eq(str, run.parts.items[0].id, "-"));
}
