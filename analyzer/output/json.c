/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/output/counts/counts.h"
#include "analyzer/output/json_finding.h"
#include "analyzer/output/memory.h"
#include "analyzer/output/ranks.h"
#include "analyzer/output/scope.h"
#include "analyzer/output/series.h"
#include "analyzer/text/json.h"

#define SCHEMA "libtrace-report/1"

/* The distinct values of one text of all processes. */
static void add_distinct(struct json *json, const char *key, const struct output_run *run,
	const char *(*text)(const struct output_process *process))
{
	json_add_array(json, key);
	for (size_t i = 0; i < run->count; i++) {
		bool seen = text(&run->processes[i])[0] == '\0';
		for (size_t j = 0; j < i && !seen; j++)
			seen = strcmp(text(&run->processes[i]), text(&run->processes[j])) == 0;
		if (!seen)
			json_text(json, text(&run->processes[i]));
	}
	json_array_end(json);
}

static const char *program_of(const struct output_process *process)
{
	return process->program;
}

static const char *host_of(const struct output_process *process)
{
	return process->host;
}

static void add_states(struct json *json, const char *key, const process_states *states)
{
	json_add_object(json, key);
	for (size_t i = 0; i < states->count; i++)
		json_add_text(json, states->items[i].name, states->items[i].value);
	json_object_end(json);
}

static void print_process(struct json *json, const struct output_process *process)
{
	json_object(json);
	json_add_u64(json, "pid", process->pid);
	json_add_text(json, "program", process->program);
	json_add_text(json, "role", process->role);
	if (process->rank >= 0)
		json_add_i64(json, "rank", process->rank);
	else
		json_add_null(json, "rank");
	json_add_u64(json, "events", process->events);
	json_add_u64(json, "launches", process->launches);
	json_add_u64(json, "lost", process->lost);
	json_add_u64(json, "parent_pid", process->parent);
	json_add_u64(json, "ns", process->ns);
	json_ns(json, "cpu_ns", process->cpu_ns, process->cpu_ns > 0);
	json_object_end(json);
}

/* The one that was recorded, of those that say their version. */
static const char *framework_of(const struct process *process)
{
	static const char *const names[] = {
		"torch", "paddle", "mindspore", "tensorflow", "jax", "onnxruntime"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (states_value(&process->versions, names[i]) != NULL)
			return names[i];
	return NULL;
}

static void print_device(struct json *json, const struct tables_gpu *gpu)
{
	char compute[48];
	(void)snprintf(compute, sizeof(compute), "%" PRIu64 ".%" PRIu64, gpu->compute_major,
		gpu->compute_minor);
	json_object(json);
	json_add_u64(json, "id", gpu->id);
	json_add_text(json, "name", gpu->name[0] != '\0' ? gpu->name : NULL);
	json_add_text(json, "compute_capability", gpu->compute_major > 0 ? compute : NULL);
	json_ns(json, "multiprocessors", gpu->multiprocessors, gpu->multiprocessors > 0);
	json_ns(json, "core_khz", gpu->core_khz, gpu->core_khz > 0);
	json_ns(json, "memory_bytes", gpu->memory_bytes, gpu->memory_bytes > 0);
	json_ns(json, "memory_bytes_per_s", gpu->memory_bytes_per_s, gpu->memory_bytes_per_s > 0);
	json_ns(json, "link_bytes_per_s", gpu->link_bytes_per_s, gpu->link_bytes_per_s > 0);
	json_object_end(json);
}

static void print_run(struct json *json, const struct output_run *run, const struct report *report)
{
	static const char *const choices[OUTPUT_CHOICE_COUNT] = {
		"only_one", "launches_most", "steps_most", "lowest_rank"};
	const struct process *traced = run->traced;
	json_add_object(json, "run");
	add_distinct(json, "programs", run, program_of);
	add_distinct(json, "hosts", run, host_of);
	json_add_array(json, "ranks");
	for (size_t i = 0; i < run->count; i++)
		if (run->processes[i].rank >= 0)
			json_i64(json, run->processes[i].rank);
	json_array_end(json);
	json_add_array(json, "processes");
	for (size_t i = 0; i < run->count; i++)
		print_process(json, &run->processes[i]);
	json_array_end(json);
	json_add_u64(json, "unread_files", run->unread);
	json_add_u64(json, "analysed_pid", run->processes[run->main].pid);
	json_add_u64(json, "analysed_process", run->main);
	json_add_text(json, "analysed_because", choices[run->choice]);
	output_scope_json(json, run, report);
	json_add_array(json, "devices");
	for (size_t i = 0; i < traced->gpus.count; i++)
		print_device(json, &traced->gpus.items[i]);
	json_array_end(json);
	json_add_bool(json, "simulated", states_value(&traced->versions, "simulated") != NULL);
	json_add_text(json, "framework", framework_of(traced));
	add_states(json, "versions", &traced->versions);
	add_states(json, "settings", &traced->settings);
	add_states(json, "metadata", &traced->metadata);
	add_states(json, "sources", &traced->sources);
	add_states(json, "source_reasons", &traced->reasons);
	json_object_end(json);
}

static void print_health(struct json *json, const struct health *health)
{
	json_add_object(json, "health");
	json_add_text(json, "status", health_names[health->status]);
	json_add_u64(json, "events", health->events);
	json_add_u64(json, "lost", health->lost);
	json_add_u64(json, "missing", health->missing);
	json_pct(json, "matched_pct", health->matched_pct);
	json_pct(json, "own_overhead_pct", health->overhead_pct);
	json_pct(json, "own_hooks_pct", health->hooks_pct);
	json_add_array(json, "reasons");
	for (unsigned i = 0; i < health->reason_count; i++)
		json_text(json, health->reasons[i]);
	json_array_end(json);
	json_object_end(json);
}

static void print_steps(struct json *json, const struct report *report)
{
	const struct steps_summary *steps = &report->steps;
	bool known = steps->steady > 0;
	json_add_object(json, "steps");
	json_add_u64(json, "count", steps->count);
	json_add_u64(json, "warmup", steps->warmup);
	json_add_u64(json, "steady", steps->steady);
	output_scope_steps_json(json, report);
	json_add_text(json, "method", step_method_names[report->model->steps.method]);
	if (report->model->options.asked_name != NULL)
		json_add_text(json, "name", report->model->options.asked_name);
	json_add_text(json, "confidence", confidence_names[report->steps_confidence]);
	json_ns(json, "median_ns", steps->median_ns, known);
	json_ns(json, "mean_ns", steps->mean_ns, known);
	json_ns(json, "mean_low_ns", steps->mean_low_ns, known);
	json_ns(json, "mean_high_ns", steps->mean_high_ns, known);
	json_ns(json, "p10_ns", steps->p10_ns, known);
	json_ns(json, "p95_ns", steps->p95_ns, known);
	json_ns(json, "min_ns", steps->min_ns, known);
	json_ns(json, "max_ns", steps->max_ns, known);
	json_ns(json, "predicted_ns", report->predicted_ns, known);
	json_ns(json, "lag_ns", steps->lag_ns, known);
	if (known)
		json_add_i64(json, "lag_growth_ns", steps->lag_growth_ns);
	else
		json_add_null(json, "lag_growth_ns");
	json_object_end(json);
}

/* What lies between the steps and is none. */
static void print_between(struct json *json, const struct report *report)
{
	const struct phases *phases = &report->model->steps.phases;
	json_add_array(json, "between_steps");
	for (uint32_t i = 0; i < phases->count; i++) {
		const struct phase_sum *phase = &phases->items[i];
		if (phase->count == 0) /* another one has its time */
			continue;
		json_object(json);
		json_add_text(json, "phase", phase_names[phase->phase]);
		json_add_u64(json, "count", phase->count);
		json_add_u64(json, "ns", phase->ns);
		json_add_array(json, "after_steps");
		for (uint64_t k = 0; k < phase->count && k < PHASE_STEPS; k++)
			json_u64(json, phase->steps[k]);
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

static void print_ratios(struct json *json, const struct report *report)
{
	bool wide = !report->busy_measured && report->verdict.confidence == CONFIDENCE_LOW;
	json_add_object(json, "ratios");
	json_pct(json, "reader_pct", report->reader_pct);
	json_pct(json, "gpu_busy_pct", wide ? report->busy_low_pct : report->busy_pct);
	json_add_text(json, "gpu_busy_is",
		report->model->alone    ? "none"
		: report->busy_measured ? "measured"
		: wide                  ? "lower_bound"
					: "estimated");
	json_pct(json, "measured_pct", report->measured_pct);
	json_pct(json, "gpu_busy_measured_pct", report->measured_busy_pct);
	json_pct(json, "gpu_busy_low_pct", report->busy_low_pct);
	json_pct(json, "gpu_busy_high_pct", report->busy_high_pct);
	json_pct(json, "host_pct", report->host_pct);
	json_pct(json, "waiting_for_gpu_pct", report->waited_pct);
	json_object_end(json);
}

/* What the kernel counted of the thread that ends the steps; null where it was not asked. */
static void print_thread(struct json *json, const struct report *report)
{
	static const struct {
		enum thread_metric metric;
		const char *key;
	} figures[] = {
		{THREAD_MINOR_FAULTS, "minor_faults"},
		{THREAD_MAJOR_FAULTS, "major_faults"},
		{THREAD_VOLUNTARY_SWITCHES, "voluntary_switches"},
		{THREAD_INVOLUNTARY_SWITCHES, "involuntary_switches"},
		{THREAD_READ_BYTES, "storage_read_bytes"},
	};
	const struct load_span *load = &report->load;
	if (load->ns == 0) {
		json_add_null(json, "host_thread");
		return;
	}
	json_add_object(json, "host_thread");
	json_add_u64(json, "tid", load->tid);
	json_add_u64(json, "observed_ns", load->ns);
	json_pct(json, "on_processor_pct", report->run_pct);
	json_pct(json, "waiting_for_processor_pct", report->delay_pct);
	json_pct(json, "blocked_pct", report->blocked_pct);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		json_ns(json, figures[i].key, load->values[figures[i].metric],
			(load->known & 1u << figures[i].metric) != 0);
	json_object_end(json);
}

static void print_account(struct json *json, const struct report *report)
{
	json_add_array(json, "account");
	for (unsigned i = 0; i < CAUSE_COUNT && report->steps.steady > 0; i++) {
		if (i == CAUSE_HOST_OPERATORS && !report->model->alone)
			continue;
		json_object(json);
		json_add_text(json, "cause", cause_infos[i].name);
		json_add_u64(json, "ns_per_step", report->account[i].ns_per_step);
		json_add_tenths(json, "pct", report->account[i].tenths / 10.0);
		json_add_text(json, "is", report->account[i].estimated ? "estimated" : "measured");
		json_object_end(json);
	}
	json_array_end(json);
}

static void print_answers(struct json *json, const struct report *report)
{
	json_add_array(json, "what_if");
	for (unsigned i = 0; i < report->answer_count; i++) {
		const struct answer *answer = &report->answers[i];
		json_object(json);
		json_add_text(json, "without", answer->text);
		json_add_u64(json, "findings", answer->findings);
		json_pct(json, "gain_pct", answer->gain_pct);
		json_ns(json, "predicted_step_ns", answer->predicted_ns, true);
		json_object_end(json);
	}
	json_array_end(json);
}

static void print_verdict(struct json *json, const struct verdict *verdict)
{
	json_add_object(json, "verdict");
	json_add_text(json, "class", verdict_names[verdict->class]);
	json_add_text(json, "cause", verdict->cause);
	json_add_text(json, "confidence", confidence_names[verdict->confidence]);
	json_add_array(json, "lowered_by");
	for (unsigned i = 0; i < verdict->doubt_count; i++) {
		const struct doubt *doubt = &verdict->doubts[i];
		json_object(json);
		json_add_text(json, "name", doubt_infos[doubt->id].name);
		json_add_text(json, "most", confidence_names[doubt_infos[doubt->id].most]);
		json_add_text(json, "text", doubt->text);
		json_object_end(json);
	}
	json_array_end(json);
	json_add_text(json, "text", verdict->text);
	json_object_end(json);
}

static void print_tables(
	struct json *json, const struct output_run *run, const struct report *report)
{
	static const struct {
		const char *name;
		enum model_value value;
	} rows[] = {{"launches", MODEL_LAUNCHES}, {"launch_ns", MODEL_LAUNCH_NS},
		{"graph_launches", MODEL_GRAPHS}, {"copies", MODEL_COPIES},
		{"to_device_bytes", MODEL_TO_DEVICE_BYTES}, {"to_host_bytes", MODEL_TO_HOST_BYTES},
		{"syncs", MODEL_SYNCS}, {"allocations", MODEL_ALLOCS}, {"operators", MODEL_OPS}};
	uint64_t steady = report->steps.steady;
	json_add_object(json, "tables");
	json_add_object(json, "per_step");
	uint64_t covered = report->counted[MODEL_COVERED];
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && steady > 0; i++) {
		uint64_t steps = rows[i].value == MODEL_OPS && covered > 0 ? covered : steady;
		json_add_u64(json, rows[i].name, report->counted[rows[i].value] / steps);
	}
	json_object_end(json);
	json_add_object(json, "phases");
	if (steady > 0 && report->counted[MODEL_OPS] > 0) {
		json_add_u64(json, "loading_ns", report->counted[MODEL_LOAD_NS] / steady);
		json_add_u64(json, "backward_ns", report->counted[MODEL_BACKWARD_NS] / steady);
		json_add_u64(json, "optimizer_ns", report->counted[MODEL_OPTIMIZER_NS] / steady);
	}
	json_object_end(json);
	json_add_object(json, "thresholds");
	for (unsigned i = 0; i < THRESHOLD_COUNT; i++)
		json_add_tenths(json, threshold_infos[i].name, report->thresholds->values[i]);
	json_object_end(json);
	if (run->tables != NULL)
		output_tables_json(json, run->tables, 0);
	json_object_end(json);
}

void output_rank_json(struct json *json, const struct output_run *run, const struct report *report)
{
	print_health(json, &report->health);
	print_steps(json, report);
	print_ratios(json, report);
	print_account(json, report);
	print_verdict(json, &report->verdict);
	json_findings(json, run->sources, report);
	output_counts_json(json, report, run->traced->counts, run->lookup, run->sources);
}

static void print(struct out *out, const struct term *term, const struct output_run *run,
	const struct report *report)
{
	struct json json;
	(void)term;
	json_init(&json, out, true);
	json_object(&json);
	json_add_text(&json, "schema", SCHEMA);
	print_run(&json, run, report);
	print_health(&json, &report->health);
	print_steps(&json, report);
	print_between(&json, report);
	memory_print(&json, report);
	if (run->tables != NULL)
		series_json(&json, run->traced, report);
	series_workers_json(&json, report);
	print_ratios(&json, report);
	print_thread(&json, report);
	print_account(&json, report);
	print_verdict(&json, &report->verdict);
	json_findings(&json, run->sources, report);
	print_answers(&json, report);
	output_counts_json(&json, report, run->traced->counts, run->lookup, run->sources);
	output_ranks_json(&json, run->others, run->processes[run->main].rank);
	print_tables(&json, run, report);
	json_object_end(&json);
	json_finish(&json);
}

const struct output output_json = {.name = "json", .print = print};
