/* SPDX-License-Identifier: MIT */
#include "analyzer/run/run.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/read/name.h"
#include "analyzer/read/reader.h"
#include "analyzer/run/home.h"
#include "collector/format/suffix.h"

/* Takes path over, also when it fails. */
static int add_path(struct run *run, char *path)
{
	if (path != NULL && vec_push(&run->paths, path) == 0)
		return 0;
	free(path);
	return -ENOMEM;
}

static char *join(const char *folder, const char *name)
{
	char *path;
	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/*
 * True when a live file, whose name without suffix is stem long, has its trace beside it, which is
 * then read together with it.
 */
static bool has_trace(const char *folder, const char *live_name, size_t stem)
{
	struct stat status;
	char *path;
	if (asprintf(&path, "%s/%.*s" SUFFIX_TRACE, folder, (int)stem, live_name) < 0)
		return false;
	bool there = stat(path, &status) == 0;
	free(path);
	return there;
}

/* What a killed process left elsewhere, beside the trace or as the file itself. */
static void bring_home(const char *path)
{
	size_t stem;
	char *live;
	if (name_parse(path, &stem) == NAME_OTHER ||
		asprintf(&live, "%.*s" SUFFIX_LIVE, (int)stem, path) < 0)
		return;
	(void)home_bring(live);
	free(live);
}

static int compare_paths(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static int add_folder(struct run *run, const char *folder, const char *wanted_run)
{
	size_t before = run->paths.count;
	DIR *stream = opendir(folder);
	if (stream == NULL)
		return -errno;
	int err = 0;
	for (struct dirent *entry; err == 0 && (entry = readdir(stream)) != NULL;) {
		if (entry->d_name[0] == '.')
			continue;
		size_t stem;
		enum name_kind kind = name_parse(entry->d_name, &stem);
		bool wanted = kind == NAME_TRACE ||
			      (kind == NAME_LIVE && !has_trace(folder, entry->d_name, stem));
		if (wanted)
			err = add_path(run, join(folder, entry->d_name));
	}
	(void)closedir(stream);
	if (err == 0 && run->paths.count == before)
		err = -ERR_NO_TRACE;
	if (run->paths.count > before)
		qsort(run->paths.items + before, run->paths.count - before,
			sizeof(*run->paths.items), compare_paths);
	return err < 0 ? err : parts_choose(&run->paths, before, wanted_run, &run->parts);
}

static void release_paths(struct run *run)
{
	for (size_t i = 0; i < run->paths.count; i++)
		free(run->paths.items[i]);
	vec_release(&run->paths);
}

int run_init(struct run *run, char *const *arguments, size_t count, const char *wanted,
	struct err_at *reterr)
{
	*run = (struct run){0};
	for (size_t i = 0; i < count; i++) {
		struct stat status;
		size_t before = run->paths.count;
		int err;
		if (stat(arguments[i], &status) < 0)
			err = -errno;
		else if (S_ISDIR(status.st_mode))
			err = add_folder(run, arguments[i], wanted);
		else
			err = add_path(run, strdup(arguments[i]));
		if (err < 0) {
			release_paths(run);
			return err_place(reterr, err, 0, arguments[i]);
		}
		for (size_t j = before; j < run->paths.count; j++)
			bring_home(run->paths.items[j]);
	}
	return 0;
}

void run_release(struct run *run)
{
	release_paths(run);
	vec_release(&run->parts);
	*run = (struct run){0};
}

uint64_t run_begin_ns(const struct run *run, int *reterr)
{
	uint64_t begin_ns = UINT64_MAX;
	for (size_t i = 0; i < run->paths.count; i++) {
		struct reader *reader;
		struct item item = {.type = ITEM_META};
		int err = reader_open(run->paths.items[i], &reader, NULL);
		if (err_is_refusal(err))
			*reterr = err;
		if (err < 0)
			continue;
		while (err == 0 && item.type == ITEM_META && reader_run(reader) == NULL)
			err = reader_next(reader, &item, NULL);
		if (err_is_refusal(err))
			*reterr = err;
		const struct meta_RUN *meta = reader_run(reader);
		if (meta != NULL && meta->begin_ns < begin_ns)
			begin_ns = meta->begin_ns;
		for (unsigned e = 0; meta == NULL && item.type == ITEM_EVENTS && e < item.count;
			e++)
			if (item.records[e].begin < begin_ns)
				begin_ns = item.records[e].begin;
		reader_close(reader);
	}
	return begin_ns == UINT64_MAX ? 0 : begin_ns;
}
