/* SPDX-License-Identifier: MIT */
/*
 * What a run is judged by, from the command line: limits (--threshold), a file of limits and rules
 * (--rules), and what is to be taken away (--what-if). Mistakes are reported as a command does.
 *
 * A rules file has one setting a line, "#" begins a comment:
 *
 *	threshold io = 8
 *	disable copy-not-overlapped
 *	enable copy-not-overlapped
 *	severity sync-scalar-read = low
 *
 * "disable all" and "enable all" are for all rules. Later lines go before earlier ones, and
 * --threshold before the file.
 */
#ifndef ANALYZER_CLI_JUDGING_H
#define ANALYZER_CLI_JUDGING_H

#include "analyzer/cli/command.h"
#include "analyzer/report/report.h"
#include "analyzer/run/process.h"
#include "analyzer/run/workers.h"

struct judging {
	struct thresholds thresholds;
	struct rule_choices choices;
	struct rule_ask asks[REPORT_ANSWERS - 1];
	size_t ask_count;
};

/*
 * The report of a process that was read, into *ret_report (large: not on the stack), once: it takes
 * what was gathered. peer: for whom it waits, NULL: nobody knows. complete: of the whole trace.
 */
void judging_report(const struct judging *judging, const struct process *process,
	struct report_workers workers, const struct report_peer *peer, bool complete,
	struct report *ret_report);

/* What a process has started, among those that were noted. */
struct report_workers judging_workers(const run_workers *workers, const struct process *process);

/*
 * What holds up the rank that is waited for: its file is read once more, for its report's dearest
 * finding. What cannot be read has no words. 0 or -ENOMEM.
 */
int judging_peer(const struct judging *judging, const char *path,
	const struct process_options *options, struct report_peer *peer);

/* The option names a rule: EXIT_CODE_FINE, or the code of what was reported. */
int judging_rule(const char *option, const char *name);

/* EXIT_CODE_FINE, or the code of what was reported. */
int judging_take(struct judging *judging, const struct command_context *context);

#endif
