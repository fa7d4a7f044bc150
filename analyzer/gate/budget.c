/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/budget.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/err.h"

/* Of which sites a total is made, the most direct ones first. */
static const struct {
	const char *total, *kind;
} parts[] = {
	{"syncs", "sync"},
	{"syncs", "copy_in"},
	{"syncs", "alloc"},
	{"copies", "sync"},
	{"copies", "copy_in"},
	{"copies", "copy_async"},
	{"copies_pageable", "copy_in"},
	{"copies_pageable", "sync"},
	{"to_device_bytes", "copy_in"},
	{"to_device_bytes", "copy_async"},
	{"to_host_bytes", "sync"},
	{"to_host_bytes", "copy_async"},
	{"allocations", "alloc"},
	{"launches", "launch"},
};

static bool read_value(const char *text, size_t size, double *ret_value)
{
	char word[64], *end;
	while (size > 0 && isspace((unsigned char)*text)) {
		text++;
		size--;
	}
	while (size > 0 && isspace((unsigned char)text[size - 1]))
		size--;
	if (size > 5 && memcmp(text + size - 5, "/step", 5) == 0)
		size -= 5;
	if (size == 0 || size >= sizeof(word))
		return false;
	memcpy(word, text, size);
	word[size] = '\0';
	*ret_value = strtod(word, &end);
	return *end == '\0' && isfinite(*ret_value) && *ret_value >= 0;
}

int budget_add(budget_list *budgets, bool most, const char *text, size_t size)
{
	struct budget budget = {.most = most};
	const char *equal = memchr(text, '=', size);
	if (equal == NULL)
		return -ERR_BAD_VALUE;
	size_t used = 0;
	for (const char *at = text; at < equal; at++) {
		if (isspace((unsigned char)*at))
			continue;
		if (used + 1 == sizeof(budget.name))
			return -ERR_BAD_VALUE;
		budget.name[used++] = *at == '.' ? '_' : *at;
	}
	if (used == 0 || !read_value(equal + 1, size - (size_t)(equal + 1 - text), &budget.value))
		return -ERR_BAD_VALUE;
	return vec_push(budgets, budget);
}

int budget_read(budget_list *budgets, const char *text, size_t size, uint64_t *ret_line)
{
	const char *at = text, *end = text + size;
	int err = 0;
	for (*ret_line = 1; at < end && err == 0; ++*ret_line) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop != NULL ? stop : end;
		const char *hash = memchr(at, '#', (size_t)(stop - at));
		const char *until = hash != NULL ? hash : stop;
		while (at < until && isspace((unsigned char)*at))
			at++;
		bool most = until - at > 4 && memcmp(at, "max ", 4) == 0;
		bool least = until - at > 4 && memcmp(at, "min ", 4) == 0;
		if (most || least)
			err = budget_add(budgets, most, at + 4, (size_t)(until - at - 4));
		else if (at < until)
			err = -ERR_BAD_VALUE;
		at = stop < end ? stop + 1 : end;
		if (err < 0)
			break;
	}
	return err;
}

/* The number of a run that the name means, a total per step. False: there is no such name. */
static bool value_of(const struct summary *run, const char *name, double *ret_value)
{
	if (strcmp(name, "gpu_busy") == 0)
		*ret_value = run->busy_pct;
	else if (strcmp(name, "reader") == 0)
		*ret_value = run->reader_pct;
	else if (strcmp(name, "host") == 0)
		*ret_value = run->host_pct;
	else if (strcmp(name, "step_ms") == 0)
		*ret_value = run->median_ns != SUMMARY_UNKNOWN ? (double)run->median_ns / 1e6
							       : SUMMARY_UNKNOWN_PCT;
	else {
		for (size_t i = 0; i < run->totals.count; i++)
			if (strcmp(run->totals.items[i].name, name) == 0) {
				*ret_value =
					(double)run->totals.items[i].count / (double)run->steps;
				return true;
			}
		return false;
	}
	return true;
}

/* How directly a kind of site makes a total: its place in the list; PARTS: not at all. */
#define PARTS (sizeof(parts) / sizeof(parts[0]))
static size_t part_of(const char *total, const struct summary_site *site)
{
	size_t i = 0;
	if (strcmp(total, "copies_pageable") == 0 && site->pageable == 0)
		return PARTS;
	while (i < PARTS &&
		(strcmp(parts[i].total, total) != 0 || strcmp(parts[i].kind, site->kind) != 0))
		i++;
	return i;
}

/* The site that a total is first of all made of. */
static struct summary_place place_of(const struct summary *run, const char *name)
{
	const struct summary_site *best = NULL;
	size_t best_part = PARTS;
	for (size_t i = 0; i < run->sites.count; i++) {
		const struct summary_site *site = &run->sites.items[i];
		size_t part = part_of(name, site);
		if (part == PARTS || part > best_part)
			continue;
		if (best == NULL || part < best_part || site->count > best->count)
			best = site;
		best_part = part;
	}
	return best != NULL ? best->place : (struct summary_place){0};
}

static int fail(struct gate_result *result, const struct budget *budget, const struct summary *run,
	double value)
{
	struct gate_failure failure = {.kind = GATE_BUDGET};
	(void)snprintf(failure.what, sizeof(failure.what), "%s", budget->name);
	(void)snprintf(failure.was, sizeof(failure.was), "%s %g",
		budget->most ? "at most" : "at least", budget->value);
	(void)snprintf(failure.is, sizeof(failure.is), "%.4g", value);
	(void)snprintf(failure.key, sizeof(failure.key), "budget %s %s",
		budget->most ? "max" : "min", budget->name);
	if (budget->most)
		failure.place = place_of(run, budget->name);
	if (run->ranks > 1 && run->rank >= 0)
		gate_on_rank(&failure, run->rank);
	return gate_fail(result, &failure);
}

int budget_judge(struct gate_result *result, const budget_list *budgets, const struct summary *runs,
	size_t count, const char **ret_name)
{
	for (size_t i = 0; i < budgets->count; i++) {
		const struct budget *budget = &budgets->items[i];
		const struct summary *worst = NULL;
		double worst_value = 0;
		*ret_name = budget->name;
		for (size_t k = 0; k < count; k++) {
			double value;
			if (!value_of(&runs[k], budget->name, &value))
				return -ERR_UNKNOWN_NAME;
			if (value < 0)
				return -ERR_BAD_VALUE;
			bool worse = budget->most ? value > worst_value : value < worst_value;
			if (worst == NULL || worse) {
				worst = &runs[k];
				worst_value = value;
			}
		}
		result->rows++;
		bool beyond =
			budget->most ? worst_value > budget->value : worst_value < budget->value;
		if (worst != NULL && beyond && fail(result, budget, worst, worst_value) < 0)
			return -ENOMEM;
	}
	return 0;
}
