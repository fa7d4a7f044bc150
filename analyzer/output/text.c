/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "analyzer/output/output.h"
#include "analyzer/output/paragraph.h"
#include "analyzer/output/scope.h"
#include "analyzer/output/text_finding.h"

#define BAR_COLUMNS   16u
#define REMARK_COLUMN 30u /* behind a label and its percentage */
#define FINDINGS_MANY 12u /* the rest is only counted */

struct page {
	struct out *out;
	const struct term *term;
	const struct report *report;
};

static void print_paragraph(const struct page *page, const char *text, size_t column, size_t indent)
{
	paragraph_print(page->out, page->term->width, text, column, indent);
}

/* A line of its own below a heading. */
static void print_item(const struct page *page, const char *text)
{
	out_text(page->out, "  ");
	print_paragraph(page, text, 2, 4);
	out_char(page->out, '\n');
}

static void print_verdict(const struct page *page)
{
	static const char *const headlines[VERDICT_CLASS_COUNT] = {
		[VERDICT_IO] = "IO bound",
		[VERDICT_CPU] = "CPU bound",
		[VERDICT_GPU] = "GPU bound",
		[VERDICT_MIXED] = "mixed",
		[VERDICT_INSUFFICIENT] = "insufficient data",
	};
	static const enum term_style styles[VERDICT_CLASS_COUNT] = {
		TERM_RED, TERM_RED, TERM_GREEN, TERM_YELLOW, TERM_YELLOW};
	const struct verdict *verdict = &page->report->verdict;
	term_styled(page->term, page->out, TERM_BOLD, "verdict: ");
	term_styled(page->term, page->out, styles[verdict->class], headlines[verdict->class]);
	char text[REPORT_TEXT + 32];
	snprintf(text, sizeof(text), "%s", verdict->text);
	if (verdict->class != VERDICT_INSUFFICIENT)
		snprintf(text, sizeof(text), "%s [%s confidence]", verdict->text,
			confidence_names[verdict->confidence]);
	out_text(page->out, ": ");
	print_paragraph(page, text, strlen("verdict: : ") + strlen(headlines[verdict->class]), 4);
	out_text(page->out, "\n");
	for (unsigned i = 0; i < verdict->doubt_count; i++) {
		snprintf(text, sizeof(text), "%s because %s", i == 0 ? "confidence lowered" : "and",
			verdict->doubts[i].text);
		out_text(page->out, "    ");
		print_paragraph(page, text, 4, 6);
		out_text(page->out, "\n");
	}
}

static void print_pct(const struct page *page, const char *label, double pct, const char *remark)
{
	if (pct == REPORT_UNKNOWN_PCT) {
		out_format(page->out, "  %-18s unknown\n", label);
		return;
	}
	out_format(page->out, "  %-18s %5.1f %%  ", label, pct);
	print_paragraph(page, remark, REMARK_COLUMN, REMARK_COLUMN);
	out_char(page->out, '\n');
}

/* By the kernel's account of the thread that ends the steps; else by what is recorded. */
static void print_host(const struct page *page)
{
	const struct report *report = page->report;
	char remark[120];
	if (report->run_pct == REPORT_UNKNOWN_PCT) {
		print_pct(page, "host not waiting", report->host_pct,
			"neither for data nor for the GPU");
		return;
	}
	snprintf(remark, sizeof(remark),
		"on a processor; ready without one for %.1f %%, blocked or asleep for %.1f %%",
		report->delay_pct, report->blocked_pct);
	print_pct(page, "host busy", report->run_pct, remark);
}

static void print_numbers(const struct page *page)
{
	const struct report *report = page->report;
	char remark[200];
	print_pct(page, "waiting for data", report->reader_pct, "of a step");
	if (report->model->alone)
		snprintf(remark, sizeof(remark), "the program gave no work to a GPU");
	else if (report->busy_measured)
		snprintf(remark, sizeof(remark), "measured on the GPU");
	else if (report->measured_pct > 0)
		snprintf(remark, sizeof(remark),
			"measured for %.1f %% of the time (busy %.1f %%); in all %.1f to %.1f %%",
			report->measured_pct, report->measured_busy_pct, report->busy_low_pct,
			report->busy_high_pct);
	else
		snprintf(remark, sizeof(remark),
			"estimated from launches and waits: between %.1f and %.1f %%",
			report->busy_low_pct, report->busy_high_pct);
	print_pct(page, "GPU busy", report->busy_pct, remark);
	print_host(page);
}

/* How far the GPU is behind, where the host runs ahead by a step or more. */
static void print_lag(const struct page *page)
{
	const struct report *report = page->report;
	const struct steps_summary *steps = &report->steps;
	char lag[32], growth[32], text[REPORT_TEXT];
	if (steps->lag_ns < steps->mean_ns || steps->lag_ns == 0)
		return;
	int used = snprintf(text, sizeof(text),
		"the host runs ahead, so steps are timed by the GPU: at the end it is %s behind "
		"(%.1f steps)",
		report_duration(steps->lag_ns, lag, sizeof(lag)),
		(double)steps->lag_ns / (double)steps->mean_ns);
	if (report_lag_grows(report))
		snprintf(text + used, sizeof(text) - (size_t)used, ", with each step by %s more",
			report_duration((uint64_t)steps->lag_growth_ns, growth, sizeof(growth)));
	print_item(page, text);
}

/* Between the steady steps, where an optimiser was followed by another one. */
static void print_absent(const struct page *page)
{
	const struct steps_summary *steps = &page->report->steps;
	uint64_t absent = page->report->model->stepping.changed;
	char text[REPORT_TEXT];
	if (absent == 0 || steps->warmup + steps->steady >= steps->count)
		return;
	if (absent > steps->count - steps->warmup - steps->steady)
		absent = steps->count - steps->warmup - steps->steady;
	snprintf(text, sizeof(text),
		"%llu more are left out: another optimiser took over there, which is known only "
		"after some of its steps",
		(unsigned long long)absent);
	print_item(page, text);
}

static void print_steps(const struct page *page, const struct output_run *run)
{
	const struct steps_summary *steps = &page->report->steps;
	const char *name = page->report->model->options.asked_name;
	char mean[128], median[32], p95[32], min[32], max[32];
	if (steps->steady == 0)
		return;
	char text[REPORT_TEXT];
	snprintf(text, sizeof(text), "step: mean %s, median %s, p95 %s (shortest %s, longest %s)",
		report_mean(page->report, mean, sizeof(mean)),
		report_duration(steps->median_ns, median, sizeof(median)),
		report_duration(steps->p95_ns, p95, sizeof(p95)),
		report_duration(steps->min_ns, min, sizeof(min)),
		report_duration(steps->max_ns, max, sizeof(max)));
	out_char(page->out, '\n');
	print_paragraph(page, text, 0, 2);
	int used = snprintf(text, sizeof(text),
		"%llu steps recognised by %s%s%.60s (%s confidence)",
		(unsigned long long)steps->count,
		step_method_names[page->report->model->steps.method], name != NULL ? " " : "",
		name != NULL ? name : "", confidence_names[page->report->steps_confidence]);
	/* where the trace does not begin with step 0 its warm-up was not recorded */
	if ((page->report->model->steps.early_broken & 1) == 0)
		snprintf(text + used, sizeof(text) - (size_t)used,
			"; the first %llu (warm-up) are left out",
			(unsigned long long)steps->warmup);
	out_text(page->out, "\n  ");
	print_paragraph(page, text, 2, 2);
	out_char(page->out, '\n');
	print_absent(page);
	output_scope_text(page->out, page->term, run, page->report);
	if (page->report->between[0] != '\0')
		print_item(page, page->report->between);
	print_lag(page);
}

static void print_account(const struct page *page)
{
	const struct report *report = page->report;
	char time[32];
	bool estimated = report->account[CAUSE_DEVICE_COMPUTE].estimated;
	out_format(page->out, "\nwhere a step goes%s:\n",
		estimated ? " (estimated: rows with ~ are inferred from what the host did)" : "");
	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		const struct account_line *line = &report->account[i];
		if (line->tenths == 0)
			continue;
		unsigned bar = (line->tenths * BAR_COLUMNS + 500) / 1000;
		out_format(page->out, "  %-40s %c%9s %5.1f %%  ",
			cause_text((enum cause)i, report->model->alone),
			line->estimated ? '~' : ' ',
			report_duration(line->ns_per_step, time, sizeof(time)),
			line->tenths / 10.0);
		out_text(page->out,
			term_style(page->term, i <= CAUSE_DEVICE_COPY ? TERM_GREEN : TERM_RED));
		for (unsigned column = 0; column < bar; column++)
			out_char(page->out, '#');
		out_text(page->out, term_style(page->term, TERM_PLAIN));
		out_char(page->out, '\n');
	}
}

static void print_findings(const struct page *page, const struct sources *sources)
{
	const struct report *report = page->report;
	char left[32];
	unsigned shown =
		report->finding_count < FINDINGS_MANY ? report->finding_count : FINDINGS_MANY;
	for (unsigned i = 0; i < shown; i++)
		text_finding(page->out, page->term, sources, &report->findings[i]);
	if (shown < report->finding_count)
		out_format(page->out, "\n%u more finding%s of little gain; --format json has all\n",
			report->finding_count - shown,
			report->finding_count - shown > 1 ? "s" : "");
	if (report->predicted_ns == REPORT_UNKNOWN || report->finding_count <= 1)
		return;
	char text[REPORT_TEXT];
	snprintf(text, sizeof(text),
		"with all fixes, but launching and the program's own code as they are: a step "
		"would take at least %s",
		report_duration(report->predicted_ns, left, sizeof(left)));
	out_char(page->out, '\n');
	print_paragraph(page, text, 0, 2);
	out_char(page->out, '\n');
}

static void print_answers(const struct page *page)
{
	const struct report *report = page->report;
	char left[32];
	for (unsigned i = 0; i < report->answer_count; i++) {
		const struct answer *answer = &report->answers[i];
		out_text(page->out, i == 0 ? "\nwhat if:\n  " : "  ");
		out_printable(page->out, answer->text, 0);
		if (answer->gain_pct == REPORT_UNKNOWN_PCT)
			out_text(page->out, ": nothing of the kind is in the trace\n");
		else
			out_format(page->out, ": a step would take %s (%.1f %% less)\n",
				report_duration(answer->predicted_ns, left, sizeof(left)),
				answer->gain_pct);
	}
}

static void print_health(const struct page *page)
{
	const struct health *health = &page->report->health;
	static const enum term_style styles[HEALTH_STATUS_COUNT] = {
		TERM_GREEN, TERM_YELLOW, TERM_RED};
	char text[200];
	int used = snprintf(text, sizeof(text), ", %llu events, %llu lost",
		(unsigned long long)health->events,
		(unsigned long long)(health->lost + health->missing));
	if (health->hooks_pct != REPORT_UNKNOWN_PCT)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
			", recording took %.1f %% of a step on the program's threads",
			health->hooks_pct);
	if (health->overhead_pct != REPORT_UNKNOWN_PCT)
		snprintf(text + used, sizeof(text) - (size_t)used, "%s%.1f %% of a CPU core",
			health->hooks_pct != REPORT_UNKNOWN_PCT ? " and " : ", recording used ",
			health->overhead_pct);
	out_text(page->out, "\ntrace: ");
	term_styled(page->term, page->out, styles[health->status], health_names[health->status]);
	print_paragraph(page, text, strlen("trace: ") + strlen(health_names[health->status]), 4);
	out_char(page->out, '\n');
	for (unsigned i = 0; i < health->reason_count; i++)
		print_item(page, health->reasons[i]);
}

/* The state of a source in words. */
static const char *state_text(const char *state)
{
	static const struct {
		const char *state, *text;
	} texts[] = {{"absent", "not recorded"}, {"failed", "recording failed"},
		{"yielded", "left to another profiler"}, {"off", "switched off"}};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(state, texts[i].state) == 0)
			return texts[i].text;
	return state;
}

/* Why there are no times of the GPU, or not all of them. */
static void print_source(const struct page *page, const struct output_run *run)
{
	const char *state = states_value(&run->traced->sources, "activity");
	const char *why = states_value(&run->traced->reasons, "activity");
	if (state == NULL || strcmp(state, "active") == 0)
		return;
	char text[REPORT_TEXT];
	bool says = why != NULL && why[0] != '\0';
	snprintf(text, sizeof(text), "GPU times: %.60s%s%.120s", state_text(state),
		says ? ", " : "", says ? why : "");
	print_item(page, text);
}

/* The limits that the verdict or a finding rests on, and what the user has set. */
static void print_limits(const struct page *page)
{
	const struct report *report = page->report;
	const struct thresholds *thresholds = report->thresholds;
	uint64_t show = 1ull << THRESHOLD_IO | 1ull << THRESHOLD_IO_STRONG | 1ull << THRESHOLD_CPU |
			1ull << THRESHOLD_GPU;
	char limits[REPORT_TEXT] = "";
	size_t used = 0;
	for (unsigned i = 0; i < report->finding_count; i++)
		show |= report->findings[i].rule->limits;
	for (unsigned i = 0; i < THRESHOLD_COUNT && used < sizeof(limits); i++)
		if (thresholds->set[i] || (show >> i & 1) != 0)
			used += (size_t)snprintf(limits + used, sizeof(limits) - used,
				"%s%s=%g%s%s", used > 0 ? " " : "", threshold_infos[i].name,
				thresholds->values[i], threshold_infos[i].unit,
				thresholds->set[i] ? " (set)" : "");
	out_text(page->out, "limits: ");
	print_paragraph(page, limits, strlen("limits: "), strlen("limits: "));
	out_char(page->out, '\n');
}

/* What the program says about its run. */
static void print_metadata(const struct page *page, const process_states *metadata)
{
	for (size_t i = 0; i < metadata->count; i++) {
		const struct process_state *item = &metadata->items[i];
		out_text(page->out, "  ");
		out_printable(page->out, item->name, 60);
		out_text(page->out, ": ");
		out_printable(page->out, item->value, 60);
		out_char(page->out, '\n');
	}
}

static void print_run(const struct page *page, const struct output_run *run)
{
	static const char *const reasons[OUTPUT_CHOICE_COUNT] = {[OUTPUT_ONLY_ONE] = "",
		[OUTPUT_LAUNCHES_MOST] = "launches most",
		[OUTPUT_STEPS_MOST] = "has most steps",
		[OUTPUT_LOWEST_RANK] = "has the lowest rank of those that launch most"};
	const struct output_process *process = &run->processes[run->main];
	char text[200];
	uint64_t launches = 0, steps = 0;
	out_text(page->out, "program ");
	out_printable(page->out, process->program, 60);
	out_format(page->out, ", pid %llu on ", (unsigned long long)process->pid);
	out_printable(page->out, process->host, 60);
	if (process->rank >= 0)
		out_format(page->out, " (rank %lld)", (long long)process->rank);
	if (states_value(&run->traced->versions, "simulated") != NULL)
		out_text(page->out, ", on a simulated GPU: times are modelled");
	out_char(page->out, '\n');
	print_metadata(page, &run->traced->metadata);
	if (run->count < 2)
		return;
	for (size_t i = 0; i < run->count; i++) {
		launches += run->processes[i].launches;
		steps += run->processes[i].steps;
	}
	bool alone = run->choice == OUTPUT_STEPS_MOST;
	snprintf(text, sizeof(text), "  %zu processes were traced; this one %s (%llu of %llu %s)%s",
		run->count, reasons[run->choice],
		(unsigned long long)(alone ? process->steps : process->launches),
		(unsigned long long)(alone ? steps : launches), alone ? "steps" : "launches",
		process->rank >= 0 ? "; --ranks shows another"
				   : "; name a trace file to see another");
	print_paragraph(page, text, 0, 2);
	out_char(page->out, '\n');
}

static void print(struct out *out, const struct term *term, const struct output_run *run,
	const struct report *report)
{
	const struct page page = {.out = out, .term = term, .report = report};
	print_verdict(&page);
	print_run(&page, run);
	out_char(out, '\n');
	print_numbers(&page);
	print_steps(&page, run);
	if (report->steps.steady > 0)
		print_account(&page);
	print_findings(&page, run->sources);
	print_answers(&page);
	if (run->tables != NULL)
		output_tables_text(out, term, run->tables);
	print_health(&page);
	print_source(&page, run);
	print_limits(&page);
}

const struct output output_text = {.name = "text", .print = print};
