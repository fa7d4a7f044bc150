/* SPDX-License-Identifier: MIT */
/* What is said of a run whose kernels are on several devices. */
#include "analyzer/report/gpus.h"
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

static const char *told(void)
{
	static char text[REPORT_TEXT];
	snprintf(text, sizeof(text), "busy");
	gpus_tell(&report, text, sizeof(text));
	return text;
}

Test(gpus, a_verdict_says_what_each_of_several_does)
{
	facts.kernel_ns = 1000;
	facts.stream_count = 3;
	facts.streams[0].kernel_ns = 700;
	facts.streams[1].kernel_ns = 280;
	cr_expect(eq(str, (char *)told(), "busy"));
	facts.streams[2] = (struct fact_stream){.id = 2ull << 32, .kernel_ns = 20};
	cr_expect(eq(str, (char *)told(), "busy"), "one that did hardly anything");
	facts.streams[1].id = 1ull << 32 | 7;
	cr_expect(eq(str, (char *)told(),
		"busy; these are 2 GPUs that take turns: of the kernels' time GPU 0 has 70 % and "
		"GPU 1 has 28 %, and each idles for the rest"));
	facts.overlap_ns = 200;
	cr_expect(eq(str, (char *)told(),
		"busy; busy means that any of its 2 GPUs is, and each of them may be less"));
}
