/* SPDX-License-Identifier: MIT */
/* The tables of workers and files. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/facts/files.h"
#include "analyzer/ranks/identity.h"
#include "analyzer/run/input.h"
#include "analyzer/tables/view.h"
#include "collector/format/fields.h"
#include "collector/format/host_value.h"

static uint64_t owner_of(uint64_t pid)
{
	const struct meta_RUN run = {.pid = pid};
	return identity_own(&run);
}

static void add(struct run_input *input, uint64_t pid, const char *name, struct fact_file sums)
{
	const struct run_file file = {.owner = owner_of(pid),
		.parent = owner_of(pid == 7 ? 1 : 7),
		.sums = sums,
		.name = strdup(name)};
	cr_assert(vec_push(&input->files, file) == 0);
}

Test(input_rows, files_are_one_row_for_each_folder_over_all_processes_of_the_run)
{
	struct run_input input = {.files = {.count = 0}};
	const struct meta_RUN run = {.pid = 7};
	struct tables_source source = {.begin_ns = 0};
	struct tables_view view;
	add(&input, 7, "/data/a/",
		(struct fact_file){.reads = 1, .bytes = 10, .ns = 100, .longest_ns = 100});
	add(&input, 8, "/data/a/slow",
		(struct fact_file){.filesystem = 0x6969,
			.reads = 1,
			.bytes = 30,
			.ns = 900,
			.longest_ns = 900});
	add(&input, 9, "/data/a/slower",
		(struct fact_file){.filesystem = 0x6969,
			.reads = 1,
			.bytes = 60,
			.looks = 2,
			.look_ns = 700,
			.ns = 1000,
			.longest_ns = 1000});
	add(&input, 8, "/b/",
		(struct fact_file){.filesystem = 0x12345,
			.reads = 3,
			.bytes = 3,
			.ns = 3000,
			.longest_ns = 2000});
	input.files.items[3].parent = owner_of(7);
	add(&input, 99, "/other/", (struct fact_file){.reads = 1, .ns = 9999});
	input.files.items[4].parent = owner_of(98);
	cr_assert(eq(int, input_show(&input, &run, &source), 0));
	cr_assert(eq(int, tables_view_init(&view, &source, TABLES_FILES), 0));
	cr_assert(eq(sz, view.rows, 2));
	cr_expect(eq(str, (char *)tables_cell(&view, 0, 10)->text, "/b/"));
	cr_expect(eq(str, (char *)tables_cell(&view, 0, 8)->text, "0x12345"));
	cr_expect(not(tables_cell(&view, 0, 9)->known));
	cr_expect(eq(str, (char *)tables_cell(&view, 1, 10)->text, "/data/a/"));
	cr_expect(eq(str, (char *)tables_cell(&view, 1, 9)->text, "/data/a/slower"));
	cr_expect(eq(str, (char *)tables_cell(&view, 1, 8)->text, "nfs"));
	cr_expect(eq(u64, tables_cell(&view, 1, 0)->number, 2000));
	cr_expect(eq(u64, tables_cell(&view, 1, 1)->number, 3));
	cr_expect(eq(u64, tables_cell(&view, 1, 4)->number, 100));
	cr_expect(eq(u64, tables_cell(&view, 1, 6)->number, 2));
	cr_expect(eq(u64, tables_cell(&view, 1, 7)->number, 700));
	tables_view_release(&view);
	input_release(&input);
}

Test(input_rows, workers_are_those_of_the_process)
{
	struct run_input input = {.files = {.count = 0}};
	const struct meta_RUN run = {.pid = 7, .begin_ns = 1000};
	struct tables_source source = {.begin_ns = 0};
	struct tables_view view;
	for (uint64_t pid = 8; pid < 11; pid++) {
		struct worker worker = {.parent = owner_of(pid < 10 ? 7 : 1),
			.identity = owner_of(pid),
			.begin_ns = 3000,
			.cpu_ns = 5000,
			.name = "load.py",
			.looks = {.opens = 70, .stats = 3},
			.faults = 2,
			.number = pid - 8,
			.count = pid < 9 ? 2 : 0,
			.work = calloc(1, sizeof(*worker.work))};
		work_add(worker.work, WORK_FILE, 10000000, 14000000, 5);
		work_add(worker.work, WORK_OTHER, 10000000, 10500000, 0);
		work_add(worker.work, WORK_LOCK, 11000000, 12500000, 0);
		work_add(worker.work, WORK_IDLE, 14000000, 20000000, 0);
		cr_assert(vec_push(&input.workers, worker) == 0);
	}
	cr_assert(eq(int, input_show(&input, &run, &source), 0));
	cr_assert(eq(int, tables_view_init(&view, &source, TABLES_WORKERS), 0));
	cr_assert(eq(sz, view.rows, 2));
	cr_expect(eq(u64, tables_cell(&view, 1, 0)->number, 9));
	cr_expect(eq(u64, tables_cell(&view, 1, 3)->number, 2000));
	cr_expect(eq(u64, tables_cell(&view, 1, 4)->number, 10000000));
	cr_expect(eq(u64, tables_cell(&view, 1, 6)->number, 400));
	cr_expect(eq(u64, tables_cell(&view, 1, 9)->number, 4000000));
	cr_expect(eq(u64, tables_cell(&view, 1, 10)->number, 2000000)); /* with the lock */
	cr_expect(eq(u64, tables_cell(&view, 1, 13)->number, 70));
	cr_expect(eq(u64, tables_cell(&view, 1, 15)->number, 3));
	cr_expect(eq(u64, tables_cell(&view, 1, 17)->number, 2));
	cr_expect(not(tables_cell(&view, 1, 1)->known));
	cr_expect(tables_cell(&view, 0, 1)->known && tables_cell(&view, 0, 1)->number == 0);
	cr_expect(eq(u64, tables_cell(&view, 0, 2)->number, 2));
	tables_view_release(&view);
	input_release(&input);
}

Test(input_rows, the_thread_that_pins_batches_has_a_row)
{
	struct run_input input = {.files = {.count = 0}};
	const struct meta_RUN run = {.pid = 7};
	struct tables_source source = {.begin_ns = 0};
	struct tables_view view;
	const struct worker own = {.parent = owner_of(1),
		.identity = owner_of(7),
		.pin = {.samples = 100,
			.starved = 20,
			.full = 5,
			.begin_ns = 1000,
			.end_ns = 401000}};
	cr_assert(vec_push(&input.workers, own) == 0);
	cr_assert(eq(int, input_show(&input, &run, &source), 0));
	cr_assert(eq(int, tables_view_init(&view, &source, TABLES_WORKERS), 0));
	cr_assert(eq(sz, view.rows, 1));
	cr_expect(eq(u64, tables_cell(&view, 0, 3)->number, 1000));
	cr_expect(eq(u64, tables_cell(&view, 0, 5)->number, 300000));
	cr_expect(eq(u64, tables_cell(&view, 0, 6)->number, 750));
	cr_expect(eq(u64, tables_cell(&view, 0, 7)->number, 100000));
	cr_expect(not(tables_cell(&view, 0, 8)->known));
	cr_expect(eq(str, (char *)tables_cell(&view, 0, 18)->text, "pinning thread"));
	tables_view_release(&view);
	input_release(&input);
}

Test(input_rows, more_names_than_fit_are_summed_up)
{
	static struct fact_files files;
	for (uint32_t i = 0; i < 2 * FILES_LIMIT; i++) {
		struct record read = {.kind = RECORD_INPUT, .begin = 0, .end = 10};
		record_set_INPUT_file(&read, i % (FILES_LIMIT + 10) + 1);
		record_set_INPUT_what(&read, INPUT_READ);
		fact_files_add(&files, &read);
	}
	uint64_t reads = 0;
	for (uint32_t i = 0; i < files.count; i++)
		reads += files.items[i].reads;
	cr_expect(eq(u32, files.count, FILES_LIMIT));
	cr_expect(eq(u64, reads, 2 * FILES_LIMIT));
	cr_expect(files.items[0].reads >= 11);
}
