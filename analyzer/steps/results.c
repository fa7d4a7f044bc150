/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/results.h"

void results_call(struct results *results, uint32_t name, bool own)
{
	if (results->waited || results->name == 0 || (own && !results->own)) {
		results->name = name;
		results->own = own;
		results->several = results->waited = false;
	} else if (own == results->own && results->name != name) {
		results->several = true;
	}
}

void results_count(struct results *results, uint64_t begin_ns)
{
	if (results->counted++ == 0)
		results->since_ns = begin_ns;
	results->after_wait += results->waited;
	results->last_ns = begin_ns;
}

#define AHEAD_FROM 16u /* calls that show it */
#define AHEAD_PART 16u /* of the time is waited at least: else nothing is left to wait for */

bool results_run_ahead(const struct results *results)
{
	return results->ahead && results->counted >= AHEAD_FROM &&
	       2 * results->after_wait < results->counted &&
	       (results->waited_ns == 0 ||
		       AHEAD_PART * results->waited_ns > results->last_ns - results->since_ns);
}

bool results_owe(struct results *results, bool says, bool leaves, uint64_t call_ns)
{
	bool owed = results->owes;
	uint64_t passed_ns = results->last_ns - results->since_ns;
	if (says) /* a call that long has compiled, and the results were there before it ended */
		results->owes = leaves && results_run_ahead(results) &&
				call_ns < passed_ns / results->counted;
	return says && (owed || results->owes);
}

bool results_take_loads(const struct results *results)
{
	return results->calls > 0 && results->loads > 0 && results->loads <= 2 * results->calls;
}

bool results_took(struct results *results)
{
	bool took = results->taken > 0 || !results_take_loads(results);
	results->taken = 0;
	return took;
}

uint32_t results_wait(struct results *results, uint64_t ns)
{
	results->waited_ns += results->counted > 0 ? ns : 0;
	results->waited = true;
	return results->several ? 0 : results->name;
}
