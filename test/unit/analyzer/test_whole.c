/* SPDX-License-Identifier: MIT */
/*
 * Rules of the run as a whole: for each a report that it fits, and one close by that it does not.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/report/rules/apply.h"
#include "analyzer/report/rules/row.h"
#include "test/unit/analyzer/model_calls.h"

static struct model model;
static struct thresholds thresholds;
static struct report report;
static struct facts facts;
static struct fact_name kernels[4];
static struct spot *loader;

#define MIB (1ull << 20)

/* A measured run of 100 steps whose GPU is busy for 95 %; nothing is wrong with it. */
static void begin(void)
{
	const struct lookup lookup = {.text = text_of, .place = place_of, .call = call_of};
	memset(&model, 0, sizeof(model));
	memset(&report, 0, sizeof(report));
	memset(&facts, 0, sizeof(facts));
	memset(kernels, 0, sizeof(kernels));
	thresholds_init(&thresholds);
	model.lookup = facts.lookup = lookup;
	model.spots = spots_new();
	cr_assert(model.spots != NULL);
	loader = spots_find_named(model.spots, &lookup, 1, NAME_LOADER, SPOT_LOAD);
	spot_found(loader, 20, SPOT_LINE_NS, 1000);
	facts.names.items = kernels;
	facts.names.count = 4;
	facts.gpu = (struct fact_gpu){8, 0, 108, 1000 * MIB};
	report.model = &model;
	report.facts = &facts;
	report.thresholds = &thresholds;
	report.busy_measured = true;
	report.busy_pct = report.busy_low_pct = report.busy_high_pct = 95;
	report.accounted_ns = 100000000;
	report.steps = (struct steps_summary){
		.count = 100, .steady = 90, .first = 10, .until = 100, .median_ns = 1000000};
	report.steps.recorded = 100;
	report.account[CAUSE_DEVICE_COMPUTE].tenths = 950;
	report.swept[CAUSE_IDLE_LAUNCH] = 500;
}

static void end(void)
{
	spots_free(model.spots);
}

TestSuite(whole, .init = begin, .fini = end);

/* What a rule says; its evidence and place. */
static struct finding finding;

static bool fits(rule_function *rule)
{
	const struct subject subject = {.report = &report};
	memset(&finding, 0, sizeof(finding));
	finding.severity = SEVERITY_INFO;
	bool found = rule(&subject, &finding);
	if (found)
		cr_expect(finding.evidence[0] != '\0');
	return found;
}

static bool says(const char *text)
{
	return strstr(finding.evidence, text) != NULL;
}

static void run_kernel(unsigned id, unsigned words, uint64_t runs, uint64_t run_ns)
{
	kernels[id] = (struct fact_name){.words = (uint16_t)(WORD_KNOWN | words),
		.launches = runs,
		.runs = runs,
		.run_ns = run_ns,
		.place = {4, 1, (uint32_t)runs},
		.op = {NAME_ITEM, 1, (uint32_t)runs}};
	facts.kernel_ns += run_ns;
	facts.runs += runs;
}

Test(whole, gpu_bound)
{
	run_kernel(3, WORD_MATRIX, 100, 8000000); /* "gemm", see model_names.h */
	run_kernel(2, 0, 100, 2000000);
	cr_assert(fits(rule_gpu_bound));
	cr_expect(says("gemm: 80 %"), "%s", finding.evidence);
	cr_expect(says("80.0 us each, aten::item at train.py:40"), "%s", finding.evidence);
	cr_expect(eq(u64, finding.line, 40));
	kernels[3].place.value = 0;
	kernels[3].behind =
		(struct fact_vote){3, 1, 100}; /* launched by the backward pass of line 30 */
	facts.framework = OP_TORCH;
	cr_expect(fits(rule_gpu_bound));
	cr_expect(eq(u64, finding.line, 30));
	kernels[3].behind.value = 0;
	cr_expect(fits(rule_gpu_bound));
	cr_expect(eq(str, finding.where, "the loop"));
	report.busy_pct = 90;
	cr_expect(not(fits(rule_gpu_bound)));
	report.busy_pct = 95;
	report.busy_measured = false; /* times of kernels are not known */
	cr_expect(not(fits(rule_gpu_bound)));
}

Test(whole, precision)
{
	run_kernel(3, WORD_MATRIX, 100, 1000000);
	run_kernel(2, 0, 100, 9000000);
	cr_expect(fits(rule_precision));
	kernels[2].words |= WORD_TENSOR; /* one kernel of 16 bits: they are in use */
	cr_expect(not(fits(rule_precision)));
	kernels[2].words = WORD_KNOWN;
	facts.gpu.major = 6; /* it has none */
	cr_expect(not(fits(rule_precision)));
	facts.gpu.major = 8;
	kernels[3].run_ns = 900000;
	cr_expect(not(fits(rule_precision)));
	kernels[3].run_ns = 1000000;
	report.account[CAUSE_DEVICE_COMPUTE].tenths = 490; /* not what takes the time */
	cr_expect(not(fits(rule_precision)));
}

Test(whole, small_grids)
{
	run_kernel(3, 0, 100, 100 * FACTS_SHORT_NS);
	facts.shaped_ns = 1000;
	facts.filled_ns = 490;
	cr_expect(fits(rule_small_grids));
	facts.filled_ns = 510;
	cr_expect(not(fits(rule_small_grids)));
	facts.filled_ns = 490;
	facts.kernel_ns--; /* short kernels are another matter */
	cr_expect(not(fits(rule_small_grids)));
}

Test(whole, fusible_kernels)
{
	run_kernel(3, WORD_ELEMENTS, 100, 1000);
	facts.chained = 30;
	cr_expect(fits(rule_fusible_kernels));
	facts.chained = 29;
	cr_expect(not(fits(rule_fusible_kernels)));
}

Test(whole, streams_serialised)
{
	facts.kernel_ns = 1000;
	facts.stream_count = 2;
	facts.streams[0].kernel_ns = 800;
	facts.streams[1].kernel_ns = 200;
	facts.overlap_ns = 9;
	cr_expect(fits(rule_streams_serialised));
	facts.overlap_ns = 10;
	cr_expect(not(fits(rule_streams_serialised)));
	facts.overlap_ns = 0;
	facts.streams[1].kernel_ns = 40; /* hardly in use */
	cr_expect(not(fits(rule_streams_serialised)));
}

Test(whole, low_utilisation)
{
	report.busy_high_pct = 49;
	cr_expect(fits(rule_low_utilisation));
	report.busy_high_pct = 50;
	cr_expect(not(fits(rule_low_utilisation)));
	report.busy_high_pct = 49;
	report.swept[CAUSE_IDLE_INPUT] = 501; /* the loader is told elsewhere */
	cr_expect(not(fits(rule_low_utilisation)));
}

Test(whole, launch_blocking)
{
	cr_expect(not(fits(rule_launch_blocking)));
	facts.launch_blocking = true;
	cr_expect(fits(rule_launch_blocking));
	cr_expect(eq(int, finding.severity, SEVERITY_MEDIUM));
}

Test(whole, launch_short_kernels)
{
	facts.runs = 100;
	facts.short_runs = 25;
	cr_expect(fits(rule_launch_short_kernels));
	facts.short_runs = 24;
	cr_expect(not(fits(rule_launch_short_kernels)));
}

Test(whole, optimizer_per_tensor)
{
	facts.optimizers = 10;
	facts.optimizer_launches = 600;
	facts.parameters = 300;
	facts.optimizer_place = (struct fact_vote){3, 1, 10};
	cr_expect(fits(rule_optimizer_per_tensor));
	cr_expect(eq(u64, finding.line, 30));
	cr_expect(not(says("at least")), "%s", finding.evidence);
	facts.optimizer_launches = 10 * FACTS_LAUNCHES; /* no more are remembered */
	cr_expect(fits(rule_optimizer_per_tensor));
	cr_expect(says("at least 1024 launches"), "%s", finding.evidence);
	facts.optimizer_launches = 600;
	facts.unfed = 6; /* graphs ran the backward pass, and told no parameter */
	cr_expect(not(fits(rule_optimizer_per_tensor)));
	facts.captured = 30; /* but when they were captured */
	cr_expect(fits(rule_optimizer_per_tensor));
	facts.unfed = 0;
	facts.parameters = 310; /* less than two for each */
	cr_expect(not(fits(rule_optimizer_per_tensor)));
	facts.parameters = 100;
	facts.optimizer_launches = 490; /* too few to matter */
	cr_expect(not(fits(rule_optimizer_per_tensor)));
}

Test(whole, gradients_zeroed)
{
	facts.zeroings = 10;
	facts.zeroing_launches = 10;
	cr_expect(fits(rule_gradients_zeroed));
	facts.zeroing_launches = 9; /* set to none, but for the first steps */
	cr_expect(not(fits(rule_gradients_zeroed)));
	facts.zeroing_launches = 10, facts.optimizers = 21; /* the loop has another way */
	cr_expect(not(fits(rule_gradients_zeroed)));
}

Test(whole, slow_first_steps)
{
	for (unsigned i = 1; i < 10; i++)
		model.steps.early[i] = 1100000;
	cr_expect(not(fits(rule_slow_first_steps)));
	model.steps.early[1] = 50000000;
	model.steps.early[2] = 2100000;
	cr_expect(fits(rule_slow_first_steps));
	cr_expect(says("first 2 whole steps took 52.10 ms"), "%s", finding.evidence);
}

Test(whole, copy_low_bandwidth)
{
	facts.copies[0][1] = (struct fact_copies){10, 4900, 1000, 10};
	cr_expect(fits(rule_copy_low_bandwidth));
	facts.copies[0][1].bytes = 5100;
	cr_expect(not(fits(rule_copy_low_bandwidth)));
	facts.copies[0][1] = (struct fact_copies){9, 4900, 1000, 10};
	cr_expect(not(fits(rule_copy_low_bandwidth)));
}

Test(whole, copy_filled)
{
	facts.filled_copies = (struct fact_place){80, 1, 800, {5, 1, 80}};
	cr_expect(fits(rule_copy_filled));
	cr_expect(eq(u64, finding.line, 50));
	facts.filled_copies.count = 79; /* not in nearly every step */
	cr_expect(not(fits(rule_copy_filled)));
}

Test(whole, sync_memset)
{
	facts.held_sets = (struct fact_place){80, 8000, 800, {5, 1, 80}};
	report.steps.count = 400; /* of which 100 were recorded */
	cr_expect(fits(rule_sync_memset) && says("100 steps"));
	facts.held_sets.count = 79;
	cr_expect(not(fits(rule_sync_memset)));
}

static bool some(const void *context, uint64_t step)
{
	return context == NULL && step < 50;
}

Test(whole, what_is_counted_over_the_run_says_so_where_steps_were_chosen)
{
	run_kernel(3, WORD_MATRIX, 100, 8000000);
	for (int chosen = 0; chosen < 2; chosen++) {
		const struct finding *found = NULL;
		model.options.selected = chosen ? some : NULL;
		report.finding_count = 0;
		rules_apply(&report, NULL);
		for (unsigned i = 0; i < report.finding_count; i++)
			if (strcmp(report.findings[i].rule->name, "gpu-bound") == 0)
				found = &report.findings[i];
		cr_assert(found != NULL);
		bool told = strstr(found->evidence, "over the whole run") != NULL;
		cr_expect(eq(int, told, chosen));
	}
}

Test(whole, memory)
{
	facts.reserved_peak = 901 * MIB;
	cr_expect(fits(rule_memory_full));
	facts.reserved_peak = 900 * MIB;
	cr_expect(not(fits(rule_memory_full)));
	facts.reserved_peak = 499 * MIB;
	cr_expect(not(fits(rule_memory_spare))); /* the GPU is busy */
	report.busy_high_pct = 70;
	cr_expect(fits(rule_memory_spare));
	facts.reserved_peak = 500 * MIB;
	cr_expect(not(fits(rule_memory_spare)));
	facts.gpu.memory_bytes = 0; /* not known */
	cr_expect(not(fits(rule_memory_full)));
}

Test(whole, memory_growth)
{
	facts.optimizers = 30;
	facts.reserved_first = 1280 * MIB;
	facts.reserved = 1344 * MIB;
	cr_expect(fits(rule_memory_growth));
	facts.reserved = 1343 * MIB;
	cr_expect(not(fits(rule_memory_growth)));
	facts.reserved = 1344 * MIB;
	facts.optimizers = 29;
	cr_expect(not(fits(rule_memory_growth)));
}

Test(whole, workers)
{
	report.workers = (struct report_workers){
		.count = 4, .processors = 4, .busy_least_pct = 81, .busy_most_pct = 99};
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(not(fits(rule_input_too_many_workers)));
	report.workers.count = 5;
	report.workers.busy_least_pct = 79;
	cr_expect(not(fits(rule_input_workers_saturated)));
	cr_expect(fits(rule_input_too_many_workers));
}

Test(whole, input_small_reads)
{
	facts.reads = 1000;
	facts.small_reads = 501;
	cr_expect(not(fits(rule_input_small_reads)), "not one of them in the steps");
	report.counted[MODEL_FILE_NS] = report.accounted_ns / 100;
	cr_expect(fits(rule_input_small_reads));
	facts.small_reads = 500;
	cr_expect(not(fits(rule_input_small_reads)));
	facts.reads = facts.small_reads = 999;
	cr_expect(not(fits(rule_input_small_reads)));
}

Test(whole, several_devices)
{
	report.account[CAUSE_DEVICE_COMM].tenths = 101;
	cr_expect(fits(rule_comm_exposed));
	report.account[CAUSE_DEVICE_COMM].tenths = 100;
	cr_expect(not(fits(rule_comm_exposed)));
	facts.parallel_forwards = 3;
	model.devices = 3;
	cr_expect(fits(rule_comm_data_parallel));
	model.devices = 1;
	cr_expect(not(fits(rule_comm_data_parallel)));
	facts.searches = report.steps.count;
	facts.searches_ns = 7000 * facts.searches;
	cr_expect(fits(rule_comm_unused_parameters));
	facts.searches = report.steps.count / 2 - 1; /* as in an evaluation */
	cr_expect(not(fits(rule_comm_unused_parameters)));
	facts.searches = 0;
	cr_expect(not(fits(rule_comm_unused_parameters)));
	facts.sync_norms = 2001;
	cr_expect(fits(rule_comm_sync_norms));
	facts.sync_norms = 2000;
	cr_expect(not(fits(rule_comm_sync_norms)));
}

Test(whole, sync_benign)
{
	cr_expect(not(fits(rule_sync_benign)));
	report.finding_count = 1;
	report.findings[0] = (struct finding){.rule = rule_info(RULE_ID_sync_explicit),
		.spot = 1,
		.gain_pct = 0.5,
		.exposed_ns = 11000,
		.where = "train.py:7"};
	cr_expect(fits(rule_sync_benign));
	cr_expect(says("train.py:7"), "%s", finding.evidence);
	report.findings[0].exposed_ns = 12000; /* 90 steps of it are more than 1 % */
	cr_expect(not(fits(rule_sync_benign)));
	report.findings[0].exposed_ns = 11000;
	report.findings[0].gain_pct = 1;
	cr_expect(not(fits(rule_sync_benign)));
}

Test(whole, without_sums_nothing_is_told)
{
	report.facts = NULL;
	for (unsigned id = 0; id < RULE_ID_COUNT; id++) {
		const struct rule_row *row = &rule_rows[id];
		const struct subject subject = {.report = &report};
		memset(&finding, 0, sizeof(finding));
		if (row->class == RULE_RUN)
			cr_expect(not(row->fits(&subject, &finding)), "%s", row->rule.name);
	}
}
