/* SPDX-License-Identifier: MIT */
/* Running totals become rates that hold until the next sample; what is no total stays. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/export/counters.h"
#include "collector/format/fields.h"
#include "collector/format/host_value.h"

static struct counters counters;
static struct timeline_counter counter;
static char text[COUNTERS_NAME];

static void clear(void)
{
	counters_release(&counters);
}

TestSuite(counters, .fini = clear);

static int of_process(uint32_t metric, uint64_t ns, uint64_t value)
{
	struct record record = {
		.kind = RECORD_SAMPLE, .begin = ns, .end = ns, .a = value, .c = metric};
	return counters_take(&counters, &record, &counter, text);
}

static int of_thread(uint32_t thread, uint64_t ns, uint64_t value)
{
	struct record record = {.kind = RECORD_THREAD_SAMPLE,
		.begin = ns,
		.end = ns,
		.a = value,
		.c = THREAD_RUN_NS,
		.d = thread};
	return counters_take(&counters, &record, &counter, text);
}

Test(counters, a_total_is_shown_as_its_growth)
{
	cr_assert(eq(int, of_process(SAMPLE_READ_BYTES, 1000000000, 500), 0));
	cr_assert(eq(int, of_process(SAMPLE_READ_BYTES, 1500000000, 1500), 1));
	cr_assert(eq(str, (char *)(uintptr_t)counter.name, (char *)"read_bytes (bytes/s)"));
	cr_assert(eq(u64, counter.ns, 1000000000));
	cr_assert(epsilon_eq(dbl, counter.value, 2000, 1e-9));
}

Test(counters, time_is_shown_in_processors_for_each_thread)
{
	cr_assert(eq(int, of_thread(7, 1000, 0), 0));
	cr_assert(eq(int, of_thread(8, 1000, 0), 0));
	cr_assert(eq(int, of_thread(7, 2000, 250), 1));
	cr_assert(eq(str, (char *)(uintptr_t)counter.name, (char *)"run (processors) of thread 7"));
	cr_assert(epsilon_eq(dbl, counter.value, 0.25, 1e-9));
}

Test(counters, memory_is_what_it_is)
{
	cr_assert(eq(int, of_process(SAMPLE_RESIDENT_BYTES, 1000, 4096), 1));
	cr_assert(eq(str, (char *)(uintptr_t)counter.name, (char *)"resident_bytes"));
	cr_assert(epsilon_eq(dbl, counter.value, 4096, 1e-9));
}

Test(counters, a_total_that_falls_or_stands_in_time_begins_anew)
{
	cr_assert(eq(int, of_process(SAMPLE_MAJOR_FAULTS, 1000, 50), 0));
	cr_assert(eq(int, of_process(SAMPLE_MAJOR_FAULTS, 2000, 10), 0));
	cr_assert(eq(int, of_process(SAMPLE_MAJOR_FAULTS, 2000, 20), 0));
	cr_assert(eq(int, of_process(SAMPLE_MAJOR_FAULTS, 1000002000, 30), 1));
	cr_assert(epsilon_eq(dbl, counter.value, 10, 1e-9));
}
