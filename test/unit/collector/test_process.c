/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/buffer/state.h"
#include "collector/drain/process.h"
#include "collector/drain/procstat.h"
#include "collector/format/record.h"

static void expect_program(const char *arguments, size_t length, const char *expected)
{
	char program[256];
	process_program(arguments, length, program, sizeof(program));
	cr_assert(eq(int, strcmp(program, expected), 0), "%s instead of %s", program, expected);
}

#define PROGRAM(arguments, expected) expect_program(arguments, sizeof(arguments), expected)

Test(process, program_is_what_an_interpreter_runs)
{
	PROGRAM("/usr/bin/loop\0--steps\0003", "loop");
	PROGRAM("python3\0train.py\0--lr\0001", "train.py");
	PROGRAM("/opt/bin/python3.11\0-u\0/home/me/train.py", "train.py");
	PROGRAM("python\0-W\0ignore\0-X\0dev\0a/b.py", "b.py");
	PROGRAM("python\0-m\0torch.distributed.run\0x.py", "torch.distributed.run");
	PROGRAM("python\0-mtimeit", "timeit");
	PROGRAM("python\0-c\0print(1)", "python");
	PROGRAM("python", "python");
	PROGRAM("python\0-u", "python");
	expect_program("", 0, "unknown");
}

Test(process, describes_this_one)
{
	struct meta_RUN run = {.rank = 5};
	char cwd[4096];
	process_describe(true, &run);
	cr_assert(eq(u64, run.pid, (uint64_t)getpid()));
	cr_assert(eq(u64, run.parent_pid, (uint64_t)getppid()));
	cr_assert(strstr(run.executable, "test_process") != NULL);
	cr_assert(eq(int, strcmp(run.directory, getcwd(cwd, sizeof(cwd))), 0));
	cr_assert(ge(u64, run.processors, 1));
	cr_assert(eq(i64, run.rank, 5));
	for (const char *at = run.host; *at != '\0'; at++)
		cr_assert(ne(chr, *at, '/'));
}

Test(process, makes_folders_and_says_why_not)
{
	char folder[] = "/tmp/libtrace-process-XXXXXX", deep[128], file[128];
	cr_assert(mkdtemp(folder) != NULL);
	(void)snprintf(deep, sizeof(deep), "%s/a/b/c", folder);
	cr_assert(eq(int, process_make_folder(deep, 0600), 3));
	cr_assert(eq(int, process_make_folder(deep, 0600), 0), "it is there already");
	cr_assert(eq(int, process_make_folder("/proc/none/here", 0600), -ENOENT));
	(void)snprintf(file, sizeof(file), "%s/file", folder);
	fclose(fopen(file, "w"));
	cr_assert(eq(int, process_make_folder(file, 0600), -ENOTDIR));
	(void)snprintf(deep, sizeof(deep), "rm -rf '%s'", folder);
	cr_assert(eq(int, system(deep), 0));
}

Test(process, makes_a_path_absolute)
{
	char path[4096], cwd[4096], expected[8200];
	cr_assert(eq(int, process_absolute("/x/y", path, sizeof(path)), 0));
	cr_assert(eq(int, strcmp(path, "/x/y"), 0));
	cr_assert(eq(int, process_absolute("run", path, sizeof(path)), 0));
	(void)snprintf(expected, sizeof(expected), "%s/run", getcwd(cwd, sizeof(cwd)));
	cr_assert(eq(int, strcmp(path, expected), 0));
	cr_assert(eq(int, process_absolute("run", path, 3), -ENAMETOOLONG));
}

Test(procstat, finds_numbers_by_their_key)
{
	const char *text = "rchar: 17\nread_bytes: 4096\nwrite_bytes: x\n";
	cr_assert(eq(u64, procstat_number(text, "rchar: "), 17));
	cr_assert(eq(u64, procstat_number(text, "\nread_bytes: "), 4096));
	cr_assert(eq(u64, procstat_number(text, "\nwrite_bytes: "), UINT64_MAX));
	cr_assert(eq(u64, procstat_number(text, "none: "), UINT64_MAX));
	cr_assert(eq(u64, procstat_number("", "a"), UINT64_MAX));
}

static uint64_t value_of(uint32_t metric)
{
	struct procstat_value values[PROCSTAT_LIMIT];
	unsigned count = procstat_read(values);
	cr_assert(le(u32, count, PROCSTAT_LIMIT));
	for (unsigned i = 0; i < count; i++)
		if (values[i].metric == metric)
			return values[i].value;
	return UINT64_MAX;
}

Test(procstat, counts_what_this_process_does)
{
	uint64_t user = value_of(SAMPLE_USER_NS) + value_of(SAMPLE_SYSTEM_NS);
	uint64_t faults = value_of(SAMPLE_MINOR_FAULTS);
	uint64_t resident = value_of(SAMPLE_RESIDENT_BYTES);
	size_t size = 64u << 20;
	volatile char *memory = malloc(size);
	for (unsigned round = 0; round < 20; round++)
		for (size_t i = 0; i < size; i += 4096)
			memory[i]++;
	cr_assert(gt(u64, value_of(SAMPLE_USER_NS) + value_of(SAMPLE_SYSTEM_NS), user));
	cr_assert(gt(u64, value_of(SAMPLE_MINOR_FAULTS), faults));
	cr_assert(ge(u64, value_of(SAMPLE_RESIDENT_BYTES), resident + size / 2));
	uint64_t own = value_of(SAMPLE_COLLECTOR_CPU_NS);
	cr_assert(gt(u64, own, 0));
	cr_assert(ge(u64, procstat_thread_ns(), own));
	free((void *)memory);
}

static uint64_t thread_value(uint32_t tid, uint32_t metric)
{
	struct procstat_value values[PROCSTAT_LIMIT];
	unsigned count = procstat_read_thread(tid, values);
	cr_assert(le(u32, count, PROCSTAT_LIMIT));
	for (unsigned i = 0; i < count; i++)
		if (values[i].metric == metric)
			return values[i].value;
	return UINT64_MAX;
}

static void *sleep_and_fault(void *ret_tid)
{
	static volatile char memory[256 * 4096];
	for (size_t i = 0; i < sizeof(memory); i += 4096)
		memory[i] = 1;
	*(volatile uint32_t *)ret_tid = (uint32_t)gettid();
	pause();
	return NULL;
}

/* A busy thread beside this one leaves it no processor: that is told, and only to this one. */
static void *spin(void *until)
{
	while (!__atomic_load_n((bool *)until, __ATOMIC_RELAXED))
		;
	return NULL;
}

Test(procstat, tells_how_long_a_thread_had_no_processor, .timeout = 20)
{
	bool until = false;
	pthread_t thread;
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	uint64_t before = procstat_delay_ns();
	if (before == UINT64_MAX || sched_setaffinity(0, sizeof(one), &one) < 0)
		cr_skip("nobody counts that here");
	cr_assert(eq(int, pthread_create(&thread, NULL, spin, &until), 0));
	uint64_t from = procstat_thread_ns();
	while (procstat_thread_ns() - from < 50000000)
		;
	__atomic_store_n(&until, true, __ATOMIC_RELAXED);
	(void)pthread_join(thread, NULL);
	cr_assert(gt(u64, procstat_delay_ns() - before, 5000000));
}

Test(procstat, tells_threads_apart, .timeout = 20)
{
	volatile uint32_t tid = 0;
	uint32_t own = (uint32_t)gettid();
	pthread_t thread;
	/* a name that looks like the rest of the line */
	cr_assert(eq(int, prctl(PR_SET_NAME, "a) R 1 (2", 0, 0, 0), 0));
	cr_assert(eq(int, pthread_create(&thread, NULL, sleep_and_fault, (void *)&tid), 0));
	while (tid == 0)
		(void)usleep(1000);
	(void)usleep(10000);
	uint64_t own_run = thread_value(own, THREAD_RUN_NS);
	uint64_t run = thread_value(tid, THREAD_RUN_NS);
	cr_expect(ge(u64, thread_value(tid, THREAD_MINOR_FAULTS), 256));
	cr_expect(lt(u64, thread_value(tid, THREAD_MINOR_FAULTS), 4096));
	cr_expect(ge(u64, thread_value(tid, THREAD_VOLUNTARY_SWITCHES), 1));
	cr_expect(lt(u64, thread_value(tid, THREAD_VOLUNTARY_SWITCHES), 100));
	if (own_run == UINT64_MAX)
		cr_skip_test("no schedstat");
	for (uint64_t begin = procstat_thread_ns(); procstat_thread_ns() < begin + 30000000;)
		;
	cr_expect(ge(u64, thread_value(own, THREAD_RUN_NS), own_run + 25000000));
	cr_expect(lt(u64, thread_value(tid, THREAD_RUN_NS), run + 1000000));
	cr_expect(lt(u64, thread_value(tid, THREAD_DELAY_NS), 1000000000));
	cr_expect(eq(u64, thread_value(0x7ffffff0, THREAD_RUN_NS), UINT64_MAX));
}

Test(state, keeps_the_order_and_leaves_out_repetitions)
{
	struct meta meta;
	state_add(META_SOURCE, "torch", "absent", "no library");
	state_add(META_SOURCE, "torch", "absent", "no library");
	state_add(META_SOURCE, "torch", "active", "");
	state_add(META_SOURCE, "torch", "absent", "no library");
	state_add(META_VERSION, "torch", NULL, "2.9.1");
	cr_assert(eq(u32, state_count(), 4));
	cr_assert(state_get(1, &meta));
	cr_assert(eq(int, strcmp(meta.u.source.state, "active"), 0));
	cr_assert(state_get(3, &meta));
	cr_assert(eq(int, meta.kind, META_VERSION));
	cr_assert(eq(int, strcmp(meta.u.version.value, "2.9.1"), 0));
}

Test(state, is_bounded_and_cuts_long_texts)
{
	char name[16], text[2 * STATE_TEXT_BYTES];
	struct meta meta;
	memset(text, 'r', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	for (unsigned i = 0; i < 2 * STATE_LIMIT; i++) {
		(void)snprintf(name, sizeof(name), "%u", i);
		state_add(META_SETTING, name, NULL, text);
	}
	cr_assert(eq(u32, state_count(), STATE_LIMIT));
	cr_assert(state_get(STATE_LIMIT - 1, &meta));
	cr_assert(eq(sz, strlen(meta.u.setting.value), STATE_TEXT_BYTES - 1));
}

Test(process, its_rank_is_that_in_the_largest_group)
{
	int64_t ranks;
	cr_assert(eq(i64, state_rank(&ranks), -1));
	cr_assert(eq(i64, ranks, -1));
	state_learn_rank(0, 1);
	state_learn_rank(4, 4);
	cr_assert(eq(i64, state_rank(NULL), -1), "alone, or not of the group");
	state_learn_rank(1, 2);
	state_learn_rank(5, 8);
	state_learn_rank(0, 4);
	state_learn_rank(5, 8);
	cr_assert(eq(i64, state_rank(&ranks), 5));
	cr_assert(eq(i64, ranks, 8));
	state_learn_rank(6, 8);
	cr_assert(eq(i64, state_rank(&ranks), -1), "it has several");
	cr_assert(eq(i64, ranks, -1));
	state_learn_rank(6, 8);
	cr_assert(eq(i64, state_rank(NULL), -1));
	state_forget();
	state_learn_rank(0, 2);
	cr_assert(eq(i64, state_rank(NULL), 0));
	state_forget();
}
