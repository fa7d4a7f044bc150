/* SPDX-License-Identifier: MIT */
/*
 * When device activity begins, yields and ends, on a library of our own: what it is asked, in
 * which order, and what follows when it refuses or does not answer.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "collector/base/clock.h"
#include "collector/gpu/gpu.h"
#include "collector/gpu/library.h"
#include "collector/gpu/state.h"

static char said[8192]; /* a letter for each thing that was asked */
static unsigned said_count;
static const char *mapped = "libcupti.so.12";
static const char *missing = "";
static unsigned hang_s;
static int refuse_flush, refuse_kind;
static bool was_calling;

static int note(char letter)
{
	if (said_count == 0 || said[said_count - 1] != letter)
		said[said_count++] = letter;
	was_calling = gpu_is_calling();
	return 0;
}

static int version(uint32_t *ret_version)
{
	*ret_version = 26;
	return note('v');
}

static int thread_ids(int type)
{
	return note(type == 1 ? 'i' : '?');
}

static int stamp(uint64_t (*timestamp)(void))
{
	uint64_t before_ns = clock_monotonic_ns(), now_ns = timestamp();
	return note(now_ns >= before_ns && now_ns < before_ns + 1000000000 ? 't' : '?');
}

static int callbacks(gpu_request *request, gpu_complete *complete)
{
	return note(request != NULL && complete != NULL ? 'c' : '?');
}

static int enable(uint32_t kind)
{
	return kind == 10 && refuse_kind != 0 ? refuse_kind : note('E');
}

static int disable(uint32_t kind)
{
	(void)kind;
	return note('D');
}

static int enable_call(uint32_t id, uint8_t on)
{
	(void)id;
	return note(on != 0 ? 'a' : 'd');
}

static int flush(uint32_t flags)
{
	struct timespec pause = {(time_t)hang_s, 0};
	if (hang_s != 0)
		(void)nanosleep(&pause, NULL);
	note(flags == 1 ? 'F' : '?');
	return refuse_flush;
}

static int period(uint32_t period_ms)
{
	return note(period_ms > 0 ? 'p' : '?');
}

static int next(uint8_t *buffer, size_t valid, uint8_t **record)
{
	(void)buffer;
	(void)valid;
	(void)record;
	return GPU_END_OF_BUFFER;
}

static void *open_library(const char *path, int flags)
{
	return strcmp(path, mapped) == 0 && (flags & RTLD_NOLOAD) != 0 ? dlopen(NULL, RTLD_LAZY)
								       : NULL;
}

static void *symbol(void *handle, const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} functions[] = {{"cuptiGetVersion", (void *)version},
		{"cuptiSetThreadIdType", (void *)thread_ids},
		{"cuptiActivityRegisterTimestampCallback", (void *)stamp},
		{"cuptiActivityRegisterCallbacks", (void *)callbacks},
		{"cuptiActivityEnable", (void *)enable}, {"cuptiActivityDisable", (void *)disable},
		{"cuptiActivityEnableRuntimeApi", (void *)enable_call},
		{"cuptiActivityEnableDriverApi", (void *)enable_call},
		{"cuptiActivityFlushAll", (void *)flush},
		{"cuptiActivityFlushPeriod", (void *)period},
		{"cuptiActivityGetNextRecord", (void *)next}};
	cr_assert(eq(ptr, handle, dlopen(NULL, RTLD_LAZY)));
	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(functions[i].name, name) == 0 && strcmp(name, missing) != 0)
			return functions[i].function;
	return NULL;
}

static int start(int major)
{
	struct gpu_options options = {
		.open = open_library, .symbol = symbol, .runtime_major = major};
	return gpu_start(&options);
}

static void check_said(const char *expected)
{
	said[said_count] = '\0';
	cr_assert(eq(str, said, (char *)(uintptr_t)expected));
	said_count = 0;
}

Test(gpu_cupti, begins_once_with_the_clock_first)
{
	cr_assert(eq(int, start(12), 0));
	check_said("vitcpEa");
	cr_assert(eq(int, gpu_state_phase(), GPU_ACTIVE));
	cr_assert(was_calling && !gpu_is_calling());
	cr_assert(eq(int, start(12), 0));
	check_said("");
}

Test(gpu_cupti, ends_with_a_forced_flush_once)
{
	(void)start(12);
	said_count = 0;
	gpu_stop();
	check_said("F");
	cr_assert(eq(int, gpu_state_phase(), GPU_ENDED));
	gpu_stop();
	gpu_flush();
	check_said("");
	gpu_continue();
	cr_assert(eq(int, gpu_state_phase(), GPU_ACTIVE));
	gpu_flush();
	check_said("F");
	cr_assert(eq(int, gpu_state_phase(), GPU_ACTIVE));
}

Test(gpu_cupti, yields_and_comes_back)
{
	(void)start(12);
	said_count = 0;
	gpu_yield("another");
	check_said("DdF");
	cr_assert(eq(int, gpu_state_phase(), GPU_YIELDED));
	gpu_yield("another");
	gpu_stop();
	gpu_flush();
	check_said("");
	gpu_resume();
	check_said("itcpEa");
	cr_assert(eq(int, gpu_state_phase(), GPU_ACTIVE));
	gpu_resume();
	check_said("");
}

Test(gpu_cupti, begins_when_the_other_has_left)
{
	gpu_yield("another");
	cr_assert(eq(int, start(12), 0));
	check_said("");
	cr_assert(eq(int, gpu_state_phase(), GPU_YIELDED));
	gpu_resume();
	check_said("vitcpEa");
	cr_assert(eq(int, gpu_state_phase(), GPU_ACTIVE));
}

Test(gpu_cupti, comes_and_goes_before_it_was_needed)
{
	gpu_yield("another");
	gpu_resume();
	check_said("");
	cr_assert(eq(int, gpu_state_phase(), GPU_IDLE));
	cr_assert(eq(int, start(12), 0));
	cr_assert(eq(int, gpu_state_phase(), GPU_ACTIVE));
}

Test(gpu_cupti, whole_kinds_where_calls_cannot_be_chosen)
{
	missing = "cuptiActivityEnableDriverApi";
	cr_assert(eq(int, start(12), 0));
	check_said("vitcpE");
	gpu_yield("another");
	check_said("DF");
}

Test(gpu_cupti, needed_function_is_missing)
{
	missing = "cuptiActivityFlushAll";
	cr_assert(lt(int, start(12), 0));
	check_said("");
	cr_assert(eq(int, gpu_state_phase(), GPU_FAILED));
}

Test(gpu_cupti, refused_kind_leaves_nothing_on)
{
	refuse_kind = 35;
	cr_assert(lt(int, start(12), 0));
	check_said("vitcp");
	cr_assert(eq(int, gpu_state_phase(), GPU_FAILED));
	gpu_yield("another");
	gpu_resume();
	check_said("");
}

Test(gpu_cupti, other_major_is_refused)
{
	cr_assert(lt(int, start(13), 0));
	check_said("");
	cr_assert(eq(int, gpu_state_phase(), GPU_FAILED));
}

Test(gpu_cupti, the_other_major_where_there_is_none_of_the_first)
{
	struct gpu_options options = {
		.open = open_library, .symbol = symbol, .runtime_major = 11, .other_major = 12};
	cr_assert(eq(int, gpu_start(&options), 0));
	cr_assert(eq(int, gpu_state_phase(), GPU_ACTIVE));
}

Test(gpu_cupti, neither_of_two_majors)
{
	struct gpu_options options = {
		.open = open_library, .symbol = symbol, .runtime_major = 11, .other_major = 13};
	cr_assert(lt(int, gpu_start(&options), 0));
	cr_assert(eq(int, gpu_state_phase(), GPU_FAILED));
}

Test(gpu_cupti, any_major_for_an_unknown_runtime)
{
	mapped = "libcupti.so.11.3";
	cr_assert(eq(int, start(0), 0));
	cr_assert(eq(int, gpu_state_phase(), GPU_ACTIVE));
}

Test(gpu_cupti, absent)
{
	mapped = "libcupti.so.99";
	cr_assert(lt(int, start(12), 0));
	cr_assert(eq(int, gpu_state_phase(), GPU_ABSENT));
	gpu_stop();
	gpu_yield("another");
	gpu_resume();
	cr_assert(eq(int, gpu_state_phase(), GPU_ABSENT));
}

Test(gpu_cupti, failed_flush)
{
	(void)start(12);
	refuse_flush = 999;
	gpu_flush();
	cr_assert(eq(int, gpu_state_phase(), GPU_FAILED));
}

/* A library that does not answer costs two seconds, once. */
Test(gpu_cupti, hanging_flush, .timeout = 60)
{
	(void)start(12);
	said_count = 0;
	hang_s = 30;
	uint64_t begin_ns = clock_monotonic_ns();
	gpu_flush();
	gpu_stop();
	gpu_yield("another");
	cr_assert(lt(u64, clock_monotonic_ns() - begin_ns, 15000000000ull));
	cr_assert(eq(int, gpu_state_phase(), GPU_DEAD));
	check_said("");
}

Test(gpu_cupti, forked_child_never_calls)
{
	(void)start(12);
	said_count = 0;
	gpu_after_fork();
	gpu_flush();
	gpu_stop();
	gpu_yield("another");
	gpu_resume();
	(void)start(12);
	check_said("");
	cr_assert(eq(int, gpu_state_phase(), GPU_DEAD));
}

Test(gpu_cupti, child_forked_before_begins_itself)
{
	gpu_after_fork();
	cr_assert(eq(int, start(12), 0));
	cr_assert(eq(int, gpu_state_phase(), GPU_ACTIVE));
}

/* What the drain thread finds is told with the next change when one is on its way. */
Test(gpu_cupti, failure_while_reading)
{
	enum source_state state;
	enum gpu_phase was;
	uint64_t ns;
	(void)start(12);
	cr_assert(gpu_state_next(&state, &ns));
	cr_assert(eq(int, state, SOURCE_ACTIVE));
	cr_assert(gpu_state_take(GPU_BIT(GPU_ACTIVE), &was));
	gpu_state_failed("cuptiActivityGetNextRecord", 1);
	cr_assert(not(gpu_state_next(&state, &ns)));
	gpu_state_put(GPU_ENDED, NULL);
	cr_assert(gpu_state_next(&state, &ns));
	cr_assert(eq(int, state, SOURCE_FAILED));
	cr_assert(eq(int, gpu_state_phase(), GPU_FAILED));
}
