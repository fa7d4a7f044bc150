/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/baseline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/err.h"

#define TIMES_LEAST 5u /* runs, so that times can be judged */

void baseline_release(struct baseline *baseline)
{
	VEC_FOREACH (other, &baseline->others)
		baseline_release(other);
	vec_release(&baseline->others);
	vec_release(&baseline->versions);
	vec_release(&baseline->times);
	gate_rows_release(&baseline->rows);
	*baseline = (struct baseline){0};
}

/* Versions that programs are built against; paths and the like say nothing. */
static int take_versions(struct baseline *baseline, const struct summary *run)
{
	for (size_t i = 0; i < run->versions.count; i++) {
		const struct summary_version *version = &run->versions.items[i];
		struct baseline_version own;
		if (strchr(version->value, '/') != NULL)
			continue;
		(void)row_plain(version->name, true, own.name, sizeof(own.name));
		(void)row_plain(version->value, true, own.value, sizeof(own.value));
		if (vec_push(&baseline->versions, own) < 0)
			return -ENOMEM;
	}
	return 0;
}

static struct gate_row *find(gate_rows *rows, const char *key)
{
	size_t low = 0, high = rows->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(rows->items[middle].key, key);
		if (order == 0)
			return &rows->items[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* What another run has that this one has not, or that is not the same. */
static int mark_varying(gate_rows *rows, gate_rows *other)
{
	gate_rows missing = {0};
	int err = 0;
	for (size_t i = 0; i < other->count && err == 0; i++) {
		struct gate_row *row = find(rows, other->items[i].key);
		if (row == NULL)
			err = gate_rows_add(&missing, other->items[i].key,
				&(struct gate_row){.steps = other->items[i].steps, .varies = true});
		else if (row_differs(row, &other->items[i]))
			row->varies = true;
		else if (row->most < other->items[i].most)
			row->most = other->items[i].most;
	}
	for (size_t i = 0; i < rows->count; i++)
		if (find(other, rows->items[i].key) == NULL)
			rows->items[i].varies = true;
	for (size_t i = 0; i < missing.count && err == 0; i++)
		err = gate_rows_add(rows, missing.items[i].key, &missing.items[i]);
	gate_rows_release(&missing);
	gate_rows_sort(rows);
	return err;
}

/* Of one rank. */
static int take_rank(struct baseline *baseline, const struct summary *runs, size_t count)
{
	*baseline = (struct baseline){.rank = runs->rank,
		.world_size = runs->world_size,
		.runs = count,
		.steps = runs->steps};
	(void)row_plain(runs->program != NULL ? runs->program : "", true, baseline->program,
		sizeof(baseline->program));
	(void)row_plain(runs->framework != NULL ? runs->framework : "none", true,
		baseline->framework, sizeof(baseline->framework));
	int err = take_versions(baseline, runs);
	if (err == 0)
		err = gate_rows_of(&baseline->rows, runs);
	for (size_t i = 1; i < count && err == 0; i++) {
		gate_rows other = {0};
		err = gate_rows_of(&other, &runs[i]);
		if (err == 0)
			err = mark_varying(&baseline->rows, &other);
		gate_rows_release(&other);
	}
	for (size_t i = 0; i < count && err == 0 && count >= TIMES_LEAST; i++)
		if (runs[i].p10_ns != SUMMARY_UNKNOWN)
			err = vec_push(&baseline->times, runs[i].p10_ns);
	return err;
}

int baseline_of(struct baseline *baseline, const struct summary *runs, size_t count)
{
	int err = take_rank(baseline, runs, count);
	if (runs->others.count == 0) {
		baseline->rank = -1;
		return err;
	}
	struct summary *same = malloc(count * sizeof(*same));
	for (size_t i = 0; i < runs->others.count && err == 0; i++) {
		struct baseline other = {0};
		for (size_t k = 0; same != NULL && k < count; k++)
			same[k] = runs[k].others.items[i];
		err = same != NULL ? take_rank(&other, same, count) : -ENOMEM;
		if (err == 0)
			err = vec_push(&baseline->others, other);
		if (err < 0)
			baseline_release(&other);
	}
	free(same);
	return err;
}

const struct baseline *baseline_rank(const struct baseline *baseline, int64_t rank)
{
	for (size_t i = 0; i < baseline->others.count; i++)
		if (baseline->others.items[i].rank == rank)
			return &baseline->others.items[i];
	return baseline->rank < 0 || baseline->rank == rank ? baseline : NULL;
}

const char *baseline_refuses(
	const struct baseline *baseline, const struct summary *run, char *buffer, size_t size)
{
	char program[BASELINE_TEXT];
	(void)row_plain(run->program != NULL ? run->program : "", true, program, sizeof(program));
	const char *framework = run->framework != NULL ? run->framework : "none";
	const char *what = NULL, *was = NULL, *is = NULL;
	char ranks[2][24];
	(void)snprintf(ranks[0], sizeof(ranks[0]), "%" PRIu64, baseline->world_size);
	(void)snprintf(ranks[1], sizeof(ranks[1]), "%" PRIu64, run->world_size);
	if (baseline->world_size != run->world_size) {
		what = "world size";
		was = ranks[0];
		is = ranks[1];
	}
	if (strcmp(baseline->framework, framework) != 0) {
		what = "framework";
		was = baseline->framework;
		is = framework;
	}
	if (strcmp(baseline->program, program) != 0) {
		what = "program";
		was = baseline->program;
		is = program;
	}
	if (what == NULL)
		return NULL;
	(void)snprintf(buffer, size, "%s %.100s, the baseline has %.100s", what, is, was);
	return buffer;
}
