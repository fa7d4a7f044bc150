/* SPDX-License-Identifier: MIT */
#include "collector/base/err.h"
#include "collector/base/log.h"
#include "preload/start/rundir.h"
#include "preload/start/settings.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A list of texts as the system hands it over. */
#define LIST(texts) ((char *const *)(uintptr_t)(texts))

static int reports;
static char last_report[512];

static void report(const char *variable, const char *value, const char *what)
{
	reports++;
	(void)snprintf(last_report, sizeof(last_report), "%s|%s|%s", variable, value, what);
}

static struct settings read_all(const char *const *environment)
{
	struct settings settings;
	memset(&settings, 0xff, sizeof(settings));
	reports = 0;
	settings_read(LIST(environment), report, &settings);
	return settings;
}

Test(settings, empty_environment_gives_defaults)
{
	const char *const environment[] = {"HOME=/root", "LIBTRACER=1", NULL};
	struct settings settings = read_all(environment);
	cr_assert(eq(int, reports, 0));
	cr_assert(zero(int, strcmp(settings.out, "")));
	cr_assert(settings.enable);
	cr_assert(eq(u32, settings.ring_kb, 1024));
	cr_assert(eq(u32, settings.max_mb, 0));
	cr_assert(eq(int, settings.compression, 1));
	cr_assert(eq(int, settings.log_level, LOG_LEVEL_ERROR));
	cr_assert(eq(int, settings.toggle_signal, 0));
	cr_assert(ne(u32, settings.sources & SETTINGS_SOURCE(RUNTIME), 0));
	cr_assert(ne(u32, settings.sources & SETTINGS_SOURCE(ACTIVITY), 0));
	cr_assert(ne(u32, settings.sources & SETTINGS_SOURCE(NVTX), 0));
	cr_assert(ne(u32, settings.sources & SETTINGS_SOURCE(SAMPLES), 0));
	cr_assert(eq(u32, settings.sample_hz, 100));
	cr_assert(eq(u32, settings.source_kb, 256));
	cr_assert(eq(u32, settings.file_mode, 0600));
	cr_assert(eq(u32, settings.budget_permille, 30));
	cr_assert(settings.command_line);
	cr_assert(ne(u32, settings.sources & SETTINGS_SOURCE(NCCL), 0));
}

Test(settings, no_environment_at_all)
{
	struct settings settings;
	reports = 0;
	settings_read(NULL, report, &settings);
	cr_assert(eq(int, reports, 0));
	cr_assert(settings.enable);
}

Test(settings, values_are_typed)
{
	const char *const environment[] = {"LIBTRACE_OUT=/tmp/x", "LIBTRACE_ENABLE=0",
		"LIBTRACE_RING_KB=4096", "LIBTRACE_MAX_MB=7", "LIBTRACE_COMPRESSION=-3",
		"LIBTRACE_LOG=quiet", "LIBTRACE_TOGGLE_SIGNAL=SIGUSR2", "LIBTRACE_SAMPLE_HZ=0",
		"LIBTRACE_MODE=640", "LIBTRACE_COMMAND_LINE=0", "LIBTRACE_RINGS_ON_DISK=1",
		"LIBTRACE_BUDGET=2.5%", NULL};
	struct settings settings = read_all(environment);
	cr_assert(eq(int, reports, 0));
	cr_assert(zero(int, strcmp(settings.out, "/tmp/x")));
	cr_assert(not(settings.enable));
	cr_assert(eq(u32, settings.ring_kb, 4096));
	cr_assert(eq(u32, settings.max_mb, 7));
	cr_assert(eq(int, settings.compression, -3));
	cr_assert(eq(int, settings.log_level, LOG_LEVEL_QUIET));
	cr_assert(eq(int, settings.toggle_signal, SIGUSR2));
	cr_assert(zero(u32, settings.sample_hz));
	cr_assert(eq(u32, settings.file_mode, 0640));
	cr_assert(eq(u32, settings.budget_permille, 25));
	cr_assert(not(settings.command_line));
	cr_assert(settings.rings_on_disk);
}

Test(settings, each_bad_value_is_reported_and_the_default_holds)
{
	static const char *const bad[] = {"LIBTRACE_ENABLE=yes", "LIBTRACE_RING_KB=3",
		"LIBTRACE_SAMPLE_HZ=1001", "LIBTRACE_SOURCE_KB=16385", "LIBTRACE_RING_KB=1e3",
		"LIBTRACE_RING_KB=", "LIBTRACE_MAX_MB=-1", "LIBTRACE_COMPRESSION=20",
		"LIBTRACE_LOG=loud", "LIBTRACE_TOGGLE_SIGNAL=KILL", "LIBTRACE_TOGGLE_SIGNAL=9",
		"LIBTRACE_SOURCES=gpu", "LIBTRACE_STEPS=30-10", "LIBTRACE_STEPS=10",
		"LIBTRACE_STEPS=", "LIBTRACE_STEPS=-3-5", "LIBTRACE_STEPS=1+0",
		"LIBTRACE_STEPS=2+18446744073709551615", "LIBTRACE_STEPS=1-2-3",
		"LIBTRACE_MODE=600x", "LIBTRACE_MODE=0400", "LIBTRACE_MODE=0755",
		"LIBTRACE_MODE=", "LIBTRACE_MODE=-1", "LIBTRACE_COMMAND_LINE=2",
		"LIBTRACE_BEGIN=later", "LIBTRACE_PROBE=x", "LIBTRACE_BUDGET=3",
		"LIBTRACE_BUDGET=60%", "LIBTRACE_PYTHON_STACK=16", "LIBTRACE_NONSENSE=1",
		"LIBTRACE_=1"};
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *const environment[] = {bad[i], NULL};
		struct settings settings = read_all(environment);
		cr_assert(eq(int, reports, 1), "%s", bad[i]);
		cr_assert(zero(int, strncmp(last_report, bad[i], strcspn(bad[i], "="))));
		cr_assert(eq(u32, settings.ring_kb, 1024));
		cr_assert(eq(int, settings.compression, 1));
		cr_assert(settings.enable);
		cr_assert(eq(int, settings.log_level, LOG_LEVEL_ERROR));
		cr_assert(not(settings.steps.chosen), "%s", bad[i]);
		cr_assert(eq(int, settings.begin, WINDOW_ON));
		cr_assert(eq(u32, settings.file_mode, 0600));
		cr_assert(eq(u32, settings.budget_permille, 30));
		cr_assert(settings.command_line);
	}
}

Test(settings, windows_of_steps)
{
	const char *const by_numbers[] = {"LIBTRACE_STEPS=10-30", "LIBTRACE_BEGIN=profiler", NULL};
	const char *const by_count[] = {"LIBTRACE_STEPS=10+20", "LIBTRACE_BEGIN=off", NULL};
	const char *const one[] = {"LIBTRACE_STEPS=0-0", NULL};
	struct settings settings = read_all(by_numbers);
	cr_assert(eq(int, reports, 0));
	cr_assert(settings.steps.chosen);
	cr_assert(eq(u64, settings.steps.first, 10));
	cr_assert(eq(u64, settings.steps.last, 30));
	cr_assert(eq(int, settings.begin, WINDOW_PROFILER));
	settings = read_all(by_count);
	cr_assert(eq(u64, settings.steps.first, 10));
	cr_assert(eq(u64, settings.steps.last, 29));
	cr_assert(eq(int, settings.begin, WINDOW_OFF));
	settings = read_all(one);
	cr_assert(settings.steps.chosen);
	cr_assert(zero(u64, settings.steps.last));
	cr_assert(eq(int, reports, 0));
}

Test(settings, what_comes_later_may_be_set_to_its_default)
{
	const char *const environment[] = {"LIBTRACE_STEPS=all",
		"LIBTRACE_PROBE=", "LIBTRACE_PYTHON_STACK=1", "LIBTRACE_RUN_DIR=/x",
		"LIBTRACE_RUN_PID=1", NULL};
	(void)read_all(environment);
	cr_assert(eq(int, reports, 0));
}

Test(settings, source_lists)
{
	uint32_t all, chosen;
	const char *bad = NULL;
	const uint32_t runtime = SETTINGS_SOURCE(RUNTIME), torch = SETTINGS_SOURCE(TORCH),
		       modules = SETTINGS_SOURCE(MODULES);
	cr_assert(eq(int, settings_sources("default", &all, &bad), 0));
	const struct {
		const char *text;
		uint32_t chosen;
	} cases[] = {
		{"", all},
		{"runtime", runtime},
		{"runtime,torch", runtime | torch},
		{" runtime torch ", runtime | torch},
		{"-torch", all & ~torch},
		{"+torch", all},
		{"default,-torch", all & ~torch},
		{"all-torch-runtime",
			(all | modules | SETTINGS_SOURCE(MEMORY) | SETTINGS_SOURCE(SHAPES)) &
				~torch & ~runtime},
		{"+modules", all | modules},
		{"none", 0},
		{"none,+runtime", runtime},
		{"-nccl", all & ~SETTINGS_SOURCE(NCCL)},
		{"-nvtx", all & ~SETTINGS_SOURCE(NVTX)},
		{"-activity", all & ~SETTINGS_SOURCE(ACTIVITY)},
	};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert(eq(int, settings_sources(cases[i].text, &chosen, &bad), 0), "%s",
			cases[i].text);
		cr_assert(eq(u32, chosen, cases[i].chosen), "%s", cases[i].text);
	}
}

Test(settings, wrong_sources_are_named_and_the_rest_holds)
{
	uint32_t chosen;
	const char *bad = NULL;
	cr_assert(eq(int, settings_sources("runtime,gpu", &chosen, &bad), -ERR_UNKNOWN_NAME));
	cr_assert(zero(int, strcmp(bad, "gpu")));
	cr_assert(eq(u32, chosen, SETTINGS_SOURCE(RUNTIME)));
}

Test(settings, patterns_are_expanded)
{
	char text[32];
	cr_assert(eq(int, settings_expand("a-%p-%h-%r-%%", 12, "node", 3, text, sizeof(text)), 0));
	cr_assert(zero(int, strcmp(text, "a-12-node-3-%")));
	cr_assert(eq(int, settings_expand("%r", 1, "", -1, text, sizeof(text)), 0));
	cr_assert(zero(int, strcmp(text, "0")));
	cr_assert(eq(int, settings_expand("", 1, "", -1, text, sizeof(text)), 0));
	cr_assert(zero(int, strcmp(text, "")));
	cr_assert(eq(int, settings_expand("%q", 1, "", 0, text, sizeof(text)), -ERR_BAD_VALUE));
	cr_assert(eq(int, settings_expand("%", 1, "", 0, text, sizeof(text)), -ERR_BAD_VALUE));
	cr_assert(eq(int,
		settings_expand(
			"%h", 1, "0123456789012345678901234567890123456789", 0, text, sizeof(text)),
		-ERR_TOO_LARGE));
	cr_assert(eq(int, settings_expand("abcd", 1, "", 0, text, 4), -ERR_TOO_LARGE));
	cr_assert(eq(int, settings_expand("abc", 1, "", 0, text, 4), 0));
}

Test(settings, first_number_of_several_variables)
{
	static const char *const names[] = {"RANK", "SLURM_PROCID", NULL};
	const char *const both[] = {"SLURM_PROCID=4", "RANK=x", NULL};
	const char *const none[] = {"RANKED=1", NULL};
	cr_assert(eq(i64, settings_first_number(LIST(both), names), 4));
	cr_assert(eq(i64, settings_first_number(LIST(none), names), -1));
	cr_assert(eq(i64, settings_first_number(NULL, names), -1));
}

Test(rundir, programs_are_named_after_what_they_run)
{
	const struct {
		const char *arguments[6];
		const char *name;
	} cases[] = {
		{{"/usr/bin/python3", "-X", "dev", "/a/train.py"}, "train"},
		{{"python3.11", "-m", "torch.distributed.run", "x"}, "torch.distributed.run"},
		{{"python", "-c", "pass"}, "python"},
		{{"python"}, "python"},
		{{"./a b/my tool", "x"}, "my_tool"},
		{{""}, "_"},
		{{NULL}, "program"},
	};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char name[68];
		int count = 0;
		while (count < 6 && cases[i].arguments[count] != NULL)
			count++;
		rundir_program(count, LIST(cases[i].arguments), name, sizeof(name));
		cr_assert(zero(int, strcmp(name, cases[i].name)));
	}
}

Test(rundir, stamps_are_utc_dates)
{
	const struct {
		int64_t seconds;
		const char *stamp;
	} cases[] = {{0, "19700101-000000"}, {951782399, "20000228-235959"},
		{951782400, "20000229-000000"}, {1709251199, "20240229-235959"},
		{1795235091, "20261121-042451"}, {4107542400, "21000301-000000"}};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char stamp[16];
		rundir_stamp(cases[i].seconds, stamp);
		cr_assert(zero(int, strcmp(stamp, cases[i].stamp)));
	}
}

Test(rundir, a_run_has_one_id)
{
	static const struct {
		const char *environment[5], *id;
	} cases[] = {
		{{"LIBTRACE_RUN_ID=20260102-030405-7"}, "20260102-030405-7"},
		{{"SLURM_JOB_ID=12", "SLURM_STEP_ID=3", "SLURM_PROCID=1"}, "slurm-12.3"},
		{{"LIBTRACE_RUN_ID=a", "SLURM_JOB_ID=12", "SLURM_STEP_ID=3", "SLURM_PROCID=1"},
			"a"},
		{{"PMIX_NAMESPACE=prterun-h-1@1"}, "mpi-prterun-h-1_1"},
	};
	const char *const arguments[] = {"train", NULL}, *const nothing[] = {NULL};
	struct rundir rundir;
	char end[24];
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_assert(eq(int,
			rundir_choose(
				"", 1, LIST(arguments), LIST(cases[i].environment), -1, &rundir),
			0));
		cr_assert(eq(str, rundir.id, (char *)cases[i].id));
	}
	cr_assert(eq(int, rundir_choose("", 1, LIST(arguments), LIST(nothing), -1, &rundir), 0));
	(void)snprintf(end, sizeof(end), "-%d", (int)getpid());
	cr_assert(eq(sz, strlen(rundir.id), 15 + strlen(end)), "a stamp and the process");
	cr_assert(eq(str, rundir.id + 15, end));
}

Test(rundir, children_use_the_parents_folder)
{
	struct rundir rundir;
	const char *const environment[] = {"LIBTRACE_RUN_DIR=/runs/a", "LIBTRACE_RUN_PID=1", NULL};
	const char *const arguments[] = {"prog", NULL};
	cr_assert(
		eq(int, rundir_choose("", 1, LIST(arguments), LIST(environment), -1, &rundir), 0));
	cr_assert(zero(int, strcmp(rundir.path, "/runs/a")));
	cr_assert(rundir.is_default);
	cr_assert(not(rundir.is_first));
	cr_assert(eq(int,
		rundir_choose("/runs/%r", 1, LIST(arguments), LIST(environment), 2, &rundir), 0));
	cr_assert(zero(int, strcmp(rundir.path, "/runs/2")));
	cr_assert(not(rundir.is_default));
	cr_assert(eq(int, rundir_choose("/%x", 1, LIST(arguments), LIST(environment), 2, &rundir),
		-ERR_BAD_VALUE));
	cr_assert(zero(int, strcmp(rundir.path, "/runs/a")));
}
