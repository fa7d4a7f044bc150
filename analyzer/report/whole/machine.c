/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/place.h"
#include "analyzer/report/whole/pool.h"

#define MEGABYTE 1e6
/* Of what all processors did: others did more. */
#define OWN_LITTLE_PCT 50.0

/* By its share of the time, where that holds the GPU up at all. */
static enum severity severity_of_share(const struct report *report, double pct)
{
	if (report->busy_pct > report_limit(report, THRESHOLD_GPU))
		return SEVERITY_INFO;
	return pct >= report_limit(report, THRESHOLD_GAIN_HIGH) ? SEVERITY_HIGH : SEVERITY_MEDIUM;
}

/* Figures a second of the thread that ends the steps. */
static double per_second(const struct load_span *load, enum thread_metric metric)
{
	return load->ns > 0 ? 1e9 * (double)load->values[metric] / (double)load->ns : 0;
}

/* Where this process, which has no workers, has little of it, it is for the others to give way. */
static void tell_own(
	const struct report *report, uint64_t own, uint64_t all, struct finding *finding)
{
	double pct = report_share(own < all ? own : all, all);
	evidence_add(finding, ", with this process for %.0f %% of that", pct);
	if (pct < OWN_LITTLE_PCT && report->workers.count == 0)
		snprintf(finding->advice, sizeof(finding->advice),
			"Other processes use this machine's processors. Other jobs: run them "
			"elsewhere, or give this one processors of its own (taskset, a control "
			"group's cpuset). Its own ranks and feeders: have no more of them than "
			"there are processors. Until then its times say little.");
}

/* Processor time of this process and of all, over what the processors could have given. */
static void tell_load(const struct report *report, struct finding *finding)
{
	const struct model_metric *metrics = report->model->metrics;
	const struct model_metric *user = &metrics[SAMPLE_USER_NS];
	const struct model_metric *system = &metrics[SAMPLE_SYSTEM_NS];
	const struct model_metric *busy = &metrics[SAMPLE_HOST_BUSY_NS];
	double load = report_load_pct(report);
	if (load < 0)
		return;
	evidence_add(finding, "; the machine's processors were busy for %.0f %% of the run", load);
	uint64_t own = user->last - user->first + system->last - system->first;
	if (user->known && system->known && busy->last > busy->first)
		tell_own(report, own, busy->last - busy->first, finding);
}

bool rule_host_contended(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct load_span *load = &report->load;
	if (report->delay_pct < report_limit(report, THRESHOLD_CONTENDED))
		return false;
	finding->severity = severity_of_share(report, report->delay_pct);
	evidence_add(finding,
		"the thread that ends the steps is ready to run but has no processor for %.1f %% "
		"of the time (limit %g %%)",
		report->delay_pct, report_limit(report, THRESHOLD_CONTENDED));
	if ((load->known & 1u << THREAD_INVOLUNTARY_SWITCHES) != 0)
		evidence_add(finding, ", and lost one to another thread %.0f times a second",
			per_second(load, THREAD_INVOLUNTARY_SWITCHES));
	tell_load(report, finding);
	return true;
}

/* Megabytes a second that the thread itself got from storage; 0 when nobody knows. */
static double storage_rate(const struct load_span *load)
{
	uint64_t bytes = load->values[THREAD_READ_BYTES];
	return load->ns > 0 ? 1e9 * (double)bytes / MEGABYTE / (double)load->ns : 0;
}

/* A thread that is woken at the end of each wait for the GPU slept in it, one that is not spun. */
static bool sleeps_in_waits(const struct report *report)
{
	const struct load_span *load = &report->load;
	double waits = 1e9 * (double)report->counted[MODEL_SYNCS] / (double)report->accounted_ns;
	return (load->known & 1u << THREAD_VOLUNTARY_SWITCHES) == 0 ||
	       per_second(load, THREAD_VOLUNTARY_SWITCHES) -
			       per_second(load, THREAD_MAJOR_FAULTS) >=
		       waits;
}

/* Percent of the time for which the thread was blocked in no call that was seen to block. */
static double unseen_pct(const struct report *report)
{
	const uint64_t *pieces = report->swept + SWEEP_PIECES;
	uint64_t seen = report->counted[MODEL_HELD_NS] + pieces[PIECE_GIL];
	if (sleeps_in_waits(report))
		seen += pieces[PIECE_WAIT] + pieces[PIECE_BLOCKED];
	return report->blocked_pct - report_share(seen, report->accounted_ns);
}

/* How fast the files come, and how fast they would have to for the limit to be kept. */
static void tell_rate(const struct report *report, struct finding *finding)
{
	const struct load *load = &report->model->load;
	double ns = 0, bytes = 0, limit = report_limit(report, THRESHOLD_IO) / 100;
	double held_ns = (double)finding->host_ns;
	double rest_ns = (double)report->steps.mean_ns - held_ns, left_ns = rest_ns / (1 - limit);
	char step[32];
	for (uint32_t i = 0; i < load->line_count; i++)
		if (load->lines[i].tid == report->load.tid) {
			ns += (double)load->lines[i].ns;
			bytes += (double)load->lines[i].bytes;
		}
	if (ns <= 0 || bytes <= 0 || rest_ns <= 0 || limit <= 0 || limit >= 1)
		return;
	double rate = 1e3 * bytes / ns;
	evidence_add(finding,
		"; they bring %.3g MB a second: %.3g MB a second would keep that limit, and a "
		"step would take %s",
		rate, rate * held_ns / (left_ns - rest_ns),
		report_duration((uint64_t)left_ns, step, sizeof(step)));
}

/* Page faults that waited for storage, so many that waiting for them may be what blocks. */
static bool faults_block(const struct report *report)
{
	return per_second(&report->load, THREAD_MAJOR_FAULTS) >=
		       report_limit(report, THRESHOLD_FAULTS) &&
	       unseen_pct(report) >= report_limit(report, THRESHOLD_IO);
}

bool rule_input_storage(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct load_span *load = &report->load;
	if (pool_is_of_files(report) && report_waits_for_data(report)) {
		finding->severity = severity_of_share(report, report->reader_pct);
		pool_tell_files(report, finding);
		return true;
	}
	double read_pct = report_share(report->counted[MODEL_FILE_NS], report->accounted_ns);
	bool reads = read_pct >= report_limit(report, THRESHOLD_IO), faults = faults_block(report);
	if (!reads && !faults)
		return false;
	const struct load_line *line = load_longest(&report->model->load, load->tid);
	char host[32];
	finding->severity = severity_of_share(report, reads ? read_pct : unseen_pct(report));
	if (reads && line != NULL)
		place_of_id(report, line->place, PLACE_LOOP, finding);
	if (reads) {
		finding->host_ns = report_ns_per_step(report, report->counted[MODEL_FILE_NS]);
		evidence_add(finding,
			"reads of files hold the host for %s per step, %.1f %% of it (limit %g %%)",
			report_duration(finding->host_ns, host, sizeof(host)), read_pct,
			report_limit(report, THRESHOLD_IO));
		tell_rate(report, finding);
	}
	if (faults)
		evidence_add(finding,
			"%s%.0f page faults a second wait for storage, and the thread is blocked "
			"for %.1f %% of the time in no call that waits",
			reads ? "; " : "", per_second(load, THREAD_MAJOR_FAULTS),
			unseen_pct(report));
	if (storage_rate(load) > 0)
		evidence_add(finding, "; %.1f MB a second came from storage", storage_rate(load));
	return true;
}
