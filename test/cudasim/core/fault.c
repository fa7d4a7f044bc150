/* SPDX-License-Identifier: MIT */
#include "fault.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "settings.h"

#define MAX_FAULTS 64

struct fault {
	const char *function;
	unsigned long number; /* 0: every call */
	unsigned long seen;
	int error;
};

static struct fault faults[MAX_FAULTS];
static int fault_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Fills one fault from FUNCTION:N=ERROR, which it changes. Returns 0 on success. */
static int parse_fault(char *item, struct fault *ret_fault)
{
	char *colon = strchr(item, ':');
	char *equals = colon ? strchr(colon, '=') : NULL;
	char *end;
	if (!equals)
		return -1;
	*colon = *equals = '\0';
	int error = error_number(equals + 1);
	unsigned long number = strtoul(colon + 1, &end, 10);
	if (strcmp(colon + 1, "*") == 0)
		number = 0;
	else if (*end || end == colon + 1 || number == 0)
		return -1;
	if (error < 0 || !*item)
		return -1;
	*ret_fault = (struct fault){item, number, 0, error};
	return 0;
}

static void read_faults(void)
{
	const char *text = settings_get()->fault;
	char *copy = text ? strdup(text) : NULL; /* kept: names point into it */
	for (char *item; (item = strsep(&copy, ";"));) {
		if (!*item || fault_count == MAX_FAULTS)
			continue;
		if (parse_fault(item, &faults[fault_count]))
			fprintf(stderr, "cudasim: CUDASIM_FAULT: cannot read '%s'\n", item);
		else
			fault_count++;
	}
}

int fault_check(const char *function)
{
	pthread_once(&once, read_faults);
	for (int i = 0; i < fault_count; i++) {
		struct fault *fault = &faults[i];
		if (strcmp(fault->function, function))
			continue;
		unsigned long number = __atomic_add_fetch(&fault->seen, 1, __ATOMIC_RELAXED);
		if (fault->number == 0 || fault->number == number)
			return fault->error;
	}
	return 0;
}
