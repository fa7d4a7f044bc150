/* SPDX-License-Identifier: MIT */
#include "preload/mindspore/phase.h"

#include <stdio.h>
#include <string.h>

#define NAME_MOST 80

/* The names with points between them: up to a file or a number, which no name begins with. */
static size_t names_length(const char *phase)
{
	size_t length = strcspn(phase, "/<");
	for (size_t i = 0; i + 1 < length; i++)
		if (phase[i] == '.' && phase[i + 1] >= '0' && phase[i + 1] <= '9')
			length = i;
	while (length > 0 && phase[length - 1] == '.')
		length--;
	return length;
}

bool phase_names_optimizer(const char *phase)
{
	static const char *const packages[] = {
		"mindspore.nn.optim.", "mindspore.experimental.optim.", "mindspore.mint.optim."};
	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++)
		if (strncmp(phase, packages[i], strlen(packages[i])) == 0)
			return true;
	return false;
}

/* The last of the names, or the one before it. */
static const char *last_name(const char *phase, size_t *length, bool before)
{
	size_t begin = *length;
	while (begin > 0 && phase[begin - 1] != '.')
		begin--;
	if (before && begin > 0) {
		*length = begin - 1;
		return last_name(phase, length, false);
	}
	*length -= begin;
	return phase + begin;
}

void phase_name(const char *phase, bool as_optimizer, char *text, size_t size)
{
	size_t length = names_length(phase);
	const char *name = last_name(phase, &length, as_optimizer);
	int shown = length < NAME_MOST ? (int)length : NAME_MOST;
	if (as_optimizer)
		(void)snprintf(text, size, "Optimizer.step#%.*s", shown, name);
	else if (shown > 0)
		(void)snprintf(text, size, "graph(%.*s)", shown, name);
	else
		(void)snprintf(text, size, "graph");
}
