/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/run.h"

#include "analyzer/report/rules/place.h"

void run_describe(const struct subject *subject, struct finding *finding)
{
	(void)subject;
	place_of_loop(finding);
}
