/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEVICES 16

struct unit {
	const char *name;
	double factor;
};

static const struct unit duration_units[] = {
	{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
static const struct unit rate_units[] = {
	{"GB/s", 1}, {"MB/s", 1e-3}, {"KB/s", 1e-6}, {"GiB/s", 1.073741824}, {NULL, 0}};
static const struct unit size_units[] = {
	{"GiB", 1073741824.0}, {"MiB", 1048576.0}, {"KiB", 1024.0}, {"", 1}, {NULL, 0}};

static struct sim_settings settings = {.devices = 1,
	.memory_bytes = 16ull << 30,
	.launch_ns = 3000,
	.queue = 1024,
	.compute = 1,
	.bytes_per_ns = {12, 12, 500, 4},
	.copy_latency_ns = 2000,
	.kernel_ns = 5000,
	.log_period_ns = 10000000};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void complain(const char *variable, const char *text)
{
	fprintf(stderr, "cudasim: %s: cannot read '%s', default used\n", variable, text);
}

/* A number with one of the units, all of text. Returns 0 on success. */
static int parse(const char *text, const struct unit *units, double *ret_value)
{
	char *end;
	double value = strtod(text, &end);
	if (end == text || value < 0)
		return -1;
	if (value == 0 && *end == '\0') { /* nothing is nothing in every unit */
		*ret_value = 0;
		return 0;
	}
	for (; units->name; units++) {
		if (strcmp(end, units->name) == 0) {
			*ret_value = value * units->factor;
			return 0;
		}
	}
	return -1;
}

static void read_number(const char *variable, const struct unit *units, double least, double most,
	void (*store)(double value))
{
	const char *text = getenv(variable);
	double value;
	if (!text || !*text)
		return;
	if (parse(text, units, &value) || value < least || value > most)
		complain(variable, text);
	else
		store(value);
}

static void store_devices(double value)
{
	settings.devices = (unsigned)value;
}

static void store_driver(double value)
{
	settings.driver_version = (int)value;
}

static void store_memory(double value)
{
	settings.memory_bytes = (uint64_t)value;
}

static void store_launch(double value)
{
	settings.launch_ns = (uint64_t)value;
}

static void store_queue(double value)
{
	settings.queue = (unsigned)value;
}

static void store_compute(double value)
{
	settings.compute = value > 0;
}

static void store_reuse(double value)
{
	settings.reuse = value > 0;
}

static void store_tell(double value)
{
	settings.tell = value != 0;
}

static void store_log_period(double value)
{
	settings.log_period_ns = (uint64_t)value;
}

/* Calls item(name, value) for each NAME=VALUE of a ';' list; the last '=' separates. */
static void read_list(const char *variable, int (*item)(char *name, char *value))
{
	const char *text = getenv(variable);
	if (!text || !*text)
		return;
	char *copy = strdup(text); /* kept: rules point into it */
	for (char *part; (part = strsep(&copy, ";"));) {
		char *equals = strrchr(part, '=');
		if (!*part)
			continue;
		if (equals)
			*equals = '\0';
		if (!equals || item(part, equals + 1))
			complain(variable, part);
	}
}

static int copy_item(char *name, char *value)
{
	static const char *const names[RATE_COUNT] = {"h2d", "d2h", "d2d", "pageable"};
	double number;
	if (strcmp(name, "latency") == 0) {
		if (parse(value, duration_units, &number))
			return -1;
		settings.copy_latency_ns = (uint64_t)number;
		return 0;
	}
	for (int i = 0; i < RATE_COUNT; i++) {
		if (strcmp(name, names[i]) == 0 && !parse(value, rate_units, &number) &&
			number > 0) {
			settings.bytes_per_ns[i] = number;
			return 0;
		}
	}
	return -1;
}

static int kernel_item(char *name, char *value)
{
	double duration;
	if (parse(value, duration_units, &duration))
		return -1;
	if (strcmp(name, "*") == 0) {
		/* Nothing after this rule can match; what stands before keeps its turn. */
		settings.kernel_ns = (uint64_t)duration;
		return 0;
	}
	struct kernel_rule *rules = realloc(
		(void *)(uintptr_t)settings.rules, (settings.rule_count + 1) * sizeof(*rules));
	if (!rules)
		return -1;
	rules[settings.rule_count++] = (struct kernel_rule){name, (uint64_t)duration};
	settings.rules = rules;
	return 0;
}

static void read_all(void)
{
	read_number("CUDASIM_DEVICES", size_units, 0, MAX_DEVICES, store_devices);
	read_number("CUDASIM_MEMORY", size_units, 1 << 20, 1ull << 38, store_memory);
	read_number("CUDASIM_LAUNCH", duration_units, 0, 1e9, store_launch);
	read_number("CUDASIM_QUEUE", size_units, 1, 1 << 20, store_queue);
	read_number("CUDASIM_COMPUTE", size_units, 0, 1, store_compute);
	read_number("CUDASIM_REUSE", size_units, 0, 1, store_reuse);
	read_number("CUDASIM_DRIVER", size_units, 11000, 99000, store_driver);
	read_number("CUDASIM_TELL", size_units, 0, 1, store_tell);
	read_number("CUDASIM_LOG_FLUSH", duration_units, 0, 1e10, store_log_period);
	read_list("CUDASIM_COPY", copy_item);
	read_list("CUDASIM_KERNELS", kernel_item);
	const char *text = getenv("CUDASIM_KERNELS");
	settings.kernels = text && *text ? strdup(text) : "*=5us";
	text = getenv("CUDASIM_FAULT");
	settings.fault = text && *text ? strdup(text) : NULL;
	text = getenv("CUDASIM_LOG");
	settings.log = text && *text ? strdup(text) : NULL;
}

const struct sim_settings *settings_get(void)
{
	pthread_once(&once, read_all);
	return &settings;
}

uint64_t settings_copy_ns(enum copy_rate rate, uint64_t bytes)
{
	return (uint64_t)((double)bytes / settings_get()->bytes_per_ns[rate]);
}
