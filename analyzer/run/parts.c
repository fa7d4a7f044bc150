/* SPDX-License-Identifier: MIT */
#include "analyzer/run/parts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/reader.h"

#define NO_PART SIZE_MAX

/* One file: what its first frame says. */
struct head {
	char id[RUN_TEXT], program[RUN_TEXT];
	uint64_t begin_ns; /* CLOCK_REALTIME */
	int64_t rank, world;
	size_t part; /* NO_PART: it cannot be read, which is said when it is read */
};

static void read_head(const char *path, struct head *ret_head)
{
	struct reader *reader;
	struct item item = {.type = ITEM_META};
	*ret_head = (struct head){.part = NO_PART};
	if (reader_open(path, &reader, NULL) < 0)
		return;
	while (reader_run(reader) == NULL && item.type == ITEM_META)
		if (reader_next(reader, &item, NULL) < 0)
			break;
	const struct meta_RUN *run = reader_run(reader);
	if (run != NULL) {
		snprintf(ret_head->id, sizeof(ret_head->id), "%s",
			run->run_id[0] != '\0' ? run->run_id : "-");
		snprintf(ret_head->program, sizeof(ret_head->program), "%s", run->program);
		ret_head->begin_ns = run->begin_realtime_ns;
		ret_head->rank = run->rank;
		ret_head->world = run->world_size;
		ret_head->part = 0;
	}
	reader_close(reader);
}

/* Ranks of one job that two hosts have begun: nothing speaks for two runs. */
static bool may_be_one(const struct head *left, const struct head *right)
{
	return left->rank >= 0 && right->rank >= 0 && left->rank != right->rank &&
	       left->world > 1 && left->world == right->world &&
	       strcmp(left->program, right->program) == 0;
}

/* All files of two parts, pair by pair; a file without a rank goes with those of its id. */
static bool parts_fit(const struct head *heads, size_t count, size_t left, size_t right)
{
	bool any = false;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < count; j++) {
			if (heads[i].part != left || heads[j].part != right || heads[i].rank < 0 ||
				heads[j].rank < 0)
				continue;
			if (!may_be_one(&heads[i], &heads[j]))
				return false;
			any = true;
		}
	}
	return any;
}

static int add_part(run_parts *parts, const struct head *head, size_t *ret_part)
{
	struct run_part part = {.begin_ns = head->begin_ns};
	snprintf(part.id, sizeof(part.id), "%s", head->id);
	snprintf(part.program, sizeof(part.program), "%s", head->program);
	*ret_part = parts->count;
	return vec_push(parts, part);
}

static int group_by_id(run_parts *parts, struct head *heads, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t part = 0;
		if (heads[i].part == NO_PART)
			continue;
		while (part < parts->count && strcmp(parts->items[part].id, heads[i].id) != 0)
			part++;
		if (part == parts->count && add_part(parts, &heads[i], &part) < 0)
			return -ENOMEM;
		heads[i].part = part;
	}
	return 0;
}

/* Parts of one run become the first of them; what is empty then has no processes. */
static void join_parts(run_parts *parts, struct head *heads, size_t count)
{
	for (size_t left = 0; left < parts->count; left++)
		for (size_t right = left + 1; right < parts->count; right++)
			if (parts_fit(heads, count, left, right))
				for (size_t i = 0; i < count; i++)
					if (heads[i].part == right)
						heads[i].part = left;
	for (size_t i = 0; i < count; i++) {
		if (heads[i].part == NO_PART)
			continue;
		struct run_part *part = &parts->items[heads[i].part];
		part->processes++;
		if (heads[i].begin_ns < part->begin_ns) {
			part->begin_ns = heads[i].begin_ns;
			memcpy(part->program, heads[i].program, sizeof(part->program));
		}
	}
}

/* The part that wanted names, or NO_PART. */
static size_t find_part(const run_parts *parts, const char *wanted)
{
	size_t first = NO_PART, last = NO_PART;
	for (size_t i = 0; i < parts->count; i++) {
		const struct run_part *part = &parts->items[i];
		if (part->processes == 0)
			continue;
		if (wanted != NULL && strcmp(part->id, wanted) == 0)
			return i;
		if (first == NO_PART || part->begin_ns < parts->items[first].begin_ns)
			first = i;
		if (last == NO_PART || part->begin_ns >= parts->items[last].begin_ns)
			last = i;
	}
	if (wanted == NULL)
		return first == last ? first : NO_PART;
	return strcmp(wanted, "first") == 0 ? first : strcmp(wanted, "last") == 0 ? last : NO_PART;
}

static int compare_parts(const void *left, const void *right)
{
	const struct run_part *a = left, *b = right;
	int order = (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
	return order != 0 ? order : strcmp(a->id, b->id);
}

/* Those that have processes, the earliest first. */
static void list_parts(run_parts *parts)
{
	size_t kept = 0;
	for (size_t i = 0; i < parts->count; i++)
		if (parts->items[i].processes > 0)
			parts->items[kept++] = parts->items[i];
	parts->count = kept;
	if (kept > 0)
		qsort(parts->items, kept, sizeof(*parts->items), compare_parts);
}

static int choose(
	run_paths *paths, size_t first, run_parts *parts, struct head *heads, const char *wanted)
{
	size_t count = paths->count - first, kept = first;
	if (group_by_id(parts, heads, count) < 0)
		return -ENOMEM;
	join_parts(parts, heads, count);
	size_t part = find_part(parts, wanted);
	if (part == NO_PART && parts->count > 0) {
		list_parts(parts);
		return wanted != NULL ? -ERR_UNKNOWN_NAME : -ERR_MANY_RUNS;
	}
	for (size_t i = 0; i < count; i++) {
		if (heads[i].part == NO_PART || heads[i].part == part)
			paths->items[kept++] = paths->items[first + i];
		else
			free(paths->items[first + i]);
	}
	paths->count = kept;
	parts->count = 0;
	return 0;
}

int parts_choose(run_paths *paths, size_t first, const char *wanted, run_parts *ret_parts)
{
	size_t count = paths->count - first;
	if (count < 2 && wanted == NULL)
		return 0;
	struct head *heads = calloc(count, sizeof(*heads));
	if (heads == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		read_head(paths->items[first + i], &heads[i]);
	int err = choose(paths, first, ret_parts, heads, wanted);
	free(heads);
	return err;
}
