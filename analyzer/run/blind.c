/* SPDX-License-Identifier: MIT */
#include "analyzer/run/process.h"

#include <string.h>

bool process_is_blind(const struct process *process)
{
	static const char *const calls[] = {"runtime", "driver"}, *const others[] = {
									  "+rocm", "+xpu"};
	const char *torch = states_value(&process->versions, "torch");
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const char *state = states_value(&process->sources, calls[i]);
		if (state != NULL && (strcmp(state, "off") == 0 || strcmp(state, "failed") == 0))
			return true;
		if (torch != NULL && strstr(torch, others[i]) != NULL)
			return true;
	}
	return false;
}
