/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupti.h"

#define MAX_FAILURES 32

static struct cupti_settings settings = {.delay_ns = 20000000};
static struct failure {
	const char *function;
	unsigned long number; /* 0: every call */
	unsigned long seen;
	int error;
} failures[MAX_FAILURES];
static unsigned failure_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_read;

/* FUNCTION:N=ERROR, which is changed. 0 on success. */
static int read_failure(char *text)
{
	char *colon = strchr(text, ':'), *end;
	char *equals = colon ? strchr(colon, '=') : NULL;
	if (!equals || failure_count == MAX_FAILURES)
		return -1;
	*colon = *equals = '\0';
	struct failure failure = {.function = text};
	if (strcmp(colon + 1, "*")) {
		failure.number = strtoul(colon + 1, &end, 10);
		if (*end || failure.number == 0)
			return -1;
	}
	failure.error = (int)strtol(equals + 1, &end, 10);
	if (*end || failure.error <= 0)
		return -1;
	failures[failure_count++] = failure;
	return 0;
}

static int read_duration(const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *name;
		double factor;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	char *end;
	double value = strtod(text, &end);
	for (size_t i = 0; end > text && value >= 0 && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name) == 0) {
			*ret_ns = (uint64_t)(value * units[i].factor);
			return 0;
		}
	}
	return -1;
}

static int read_count(const char *text, uint32_t *ret_count)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);
	if (end == text || *end || value > UINT32_MAX)
		return -1;
	*ret_count = (uint32_t)value;
	return 0;
}

static int read_item(char *name, char *value)
{
	const struct {
		const char *name;
		uint32_t *count;
	} counts[] = {{"batch", &settings.batch}, {"drop", &settings.drop},
		{"reorder", &settings.reorder}, {"zero", &settings.zero}, {"null", &settings.null},
		{"orphan", &settings.orphan}, {"childless", &settings.childless},
		{"wrap", &settings.wrap}, {"alien", &settings.alien}};
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (strcmp(name, counts[i].name) == 0)
			return read_count(value, counts[i].count);
	}
	if (strcmp(name, "delay") == 0)
		return read_duration(value, &settings.delay_ns);
	if (strcmp(name, "late") == 0)
		return read_duration(value, &settings.late_ns);
	if (strcmp(name, "fail") == 0)
		return read_failure(value);
	if (strcmp(name, "subscriber") == 0) {
		settings.subscriber = strcmp(value, "0") != 0;
		return 0;
	}
	if (strcmp(name, "nested") == 0) {
		settings.nested = strcmp(value, "0") != 0;
		return 0;
	}
	if (strcmp(name, "version") || strlen(value) >= sizeof(settings.version))
		return -1;
	memcpy(settings.version, value, strlen(value) + 1);
	return 0;
}

static void read_all(void)
{
	const char *text = getenv("CUDASIM_CUPTI");
	char *copy = text ? strdup(text) : NULL; /* kept: names of functions point into it */
	for (char *part; (part = strsep(&copy, ";"));) {
		char *equals = strchr(part, '=');
		if (!*part)
			continue;
		if (equals)
			*equals = '\0';
		if (!equals || read_item(part, equals + 1))
			fprintf(stderr, "cudasim: CUDASIM_CUPTI: cannot read '%s'\n", part);
	}
	__atomic_store_n(&is_read, 1, __ATOMIC_RELEASE);
}

CUPTI_HOT const struct cupti_settings *settings_get(void)
{
	if (__atomic_load_n(&is_read, __ATOMIC_ACQUIRE))
		return &settings;
	pthread_once(&once, read_all);
	return &settings;
}

int settings_failure(const char *function)
{
	pthread_once(&once, read_all);
	for (unsigned i = 0; i < failure_count; i++) {
		struct failure *failure = &failures[i];
		if (strcmp(failure->function, function))
			continue;
		unsigned long number = __atomic_add_fetch(&failure->seen, 1, __ATOMIC_RELAXED);
		if (failure->number == 0 || failure->number == number)
			return failure->error;
	}
	return 0;
}
