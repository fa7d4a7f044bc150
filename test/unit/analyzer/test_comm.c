/* SPDX-License-Identifier: MIT */
/* What is told of a rank that waits, and of one that is waited for. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/report/rules/row.h"

#define STEPS   10u
#define STEP_NS 1000000u
#define COMM_NS 400000u

static struct thresholds thresholds;
static struct report report;
static struct finding finding;

/* Per step: what this rank waits in all, and for rank 3; had that come with the next; it is waited for. */
static bool told(rule_function *rule, uint64_t waited, uint64_t ns, uint64_t next, uint64_t own)
{
	thresholds_init(&thresholds);
	memset(&report, 0, sizeof(report));
	memset(&finding, 0, sizeof(finding));
	report.thresholds = &thresholds;
	report.steps.mean_ns = STEP_NS;
	report.account[CAUSE_DEVICE_COMM].ns_per_step = COMM_NS;
	report.account[CAUSE_DEVICE_COMM].tenths = 1000 * COMM_NS / STEP_NS;
	report.peer = (struct report_peer){.words = "host-blocked, train.py:9, 30.0 %",
		.late = {.steps = STEPS,
			.met = 20,
			.waited_ns = STEPS * waited,
			.count = ns > 0 ? 15 : 0,
			.ns = STEPS * ns,
			.next_ns = STEPS * next,
			.rank = 3,
			.own_count = own > 0 ? 5 : 0,
			.own_ns = STEPS * own}};
	const struct subject subject = {.report = &report};
	return rule(&subject, &finding);
}

Test(comm, the_rank_that_is_waited_for_is_named_with_its_own_cause)
{
	cr_assert(told(rule_comm_late_rank, 320000, 300000, 200000, 0));
	cr_assert(eq(int, finding.severity, SEVERITY_HIGH));
	cr_assert(eq(u64, finding.predicted_ns, STEP_NS - 200000), "as with the next one");
	cr_assert(strstr(finding.evidence, "rank 3 comes last to 15 of 20") != NULL);
	cr_assert(strstr(finding.evidence, "30.0 % (limit 5 %; 10 steps)") != NULL);
	cr_assert(strstr(finding.evidence, "rank 3 itself: host-blocked, train.py:9") != NULL);
	cr_assert(strstr(finding.advice, "--ranks 3") != NULL);
	cr_assert(not(told(rule_comm_awaited, 320000, 300000, 200000, 0)));
}

Test(comm, no_more_is_waited_than_the_gpu_only_communicates)
{
	cr_assert(told(rule_comm_late_rank, 900000, 900000, 900000, 0));
	cr_assert(eq(u64, finding.predicted_ns, STEP_NS - COMM_NS));
}

Test(comm, ranks_that_are_late_in_turn_are_not_blamed)
{
	cr_assert(told(rule_comm_late_rank, 200000, 200000, 200000, 150000));
	cr_assert(eq(int, finding.severity, SEVERITY_MEDIUM));
	cr_assert(strstr(finding.advice, "No rank is the late one") != NULL);
	cr_assert(not(told(rule_comm_awaited, 200000, 200000, 200000, 150000)));
	cr_assert(told(rule_comm_late_rank, 300000, 100000, 100000, 0), "or several of them");
	cr_assert(strstr(finding.advice, "No rank is the late one") != NULL);
}

Test(comm, little_waiting_is_none)
{
	cr_assert(not(told(rule_comm_late_rank, 40000, 40000, 40000, 0)));
	cr_assert(not(told(rule_comm_late_rank, 0, 0, 0, 300000)));
	cr_assert(told(rule_comm_awaited, 0, 0, 0, 300000));
	cr_assert(not(told(rule_comm_awaited, 0, 0, 0, 40000)));
}

Test(comm, waiting_for_a_rank_is_no_slow_communication)
{
	cr_assert(told(rule_comm_exposed, 0, 0, 0, 0));
	cr_assert(not(told(rule_comm_exposed, 320000, 320000, 320000, 0)));
	cr_assert(told(rule_comm_exposed, 200000, 200000, 200000, 0));
	cr_assert(strstr(finding.evidence, "20.0 % more is waiting for rank 3") != NULL);
}
