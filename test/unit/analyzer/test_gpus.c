/* SPDX-License-Identifier: MIT */
/* What is said of a run whose kernels are on several devices. */
#include "test/unit/analyzer/pool_report.h"

TestSuite(gpus, .init = begin, .fini = end);

Test(gpus, streams_of_several_devices_are_told_as_those)
{
	facts.framework = OP_TORCH;
	facts.kernel_ns = 1000;
	facts.stream_count = 2;
	facts.streams[0].kernel_ns = 800;
	facts.streams[1].kernel_ns = 200;
	cr_expect(fits(rule_streams_serialised));
	cr_expect(not(says("GPUs")), "%s", finding.evidence);
	cr_expect(eq(str, finding.advice, ""), "%s", finding.advice);
	facts.streams[1].id = 1ull << 32;
	cr_expect(fits(rule_streams_serialised));
	cr_expect(says("those of 2 GPUs"), "%s", finding.evidence);
	cr_expect(strstr(finding.advice, "pipelining") != NULL, "%s", finding.advice);
	facts.overlap_ns = 100; /* they work beside each other */
	cr_expect(not(fits(rule_streams_serialised)));
}
