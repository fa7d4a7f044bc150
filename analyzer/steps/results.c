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

#define AHEAD_FROM 16u /* calls that show it */

bool results_run_ahead(const struct results *results)
{
	return results->ahead && results->counted >= AHEAD_FROM &&
	       2 * results->after_wait < results->counted;
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

uint32_t results_wait(struct results *results)
{
	results->waited = true;
	return results->several ? 0 : results->name;
}
