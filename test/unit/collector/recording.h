/* SPDX-License-Identifier: MIT */
/*
 * A recording of the test's own process in a folder of its own, and its file read back: what the
 * tests of the collector's boundary share. The state is static, one recording at a time.
 */
#ifndef TEST_UNIT_COLLECTOR_RECORDING_H
#define TEST_UNIT_COLLECTOR_RECORDING_H

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/collector.h"
#include "test/unit/analyzer/trace_file.h"

static char parent[64], folder[96], path[512];
static struct trace_file file;

static inline void make_options(struct collector_options *ret_options)
{
	(void)snprintf(parent, sizeof(parent), "/tmp/libtrace-collector-XXXXXX");
	cr_assert(mkdtemp(parent) != NULL);
	(void)snprintf(folder, sizeof(folder), "%s/deep/run", parent);
	*ret_options = (struct collector_options){.out_dir = folder,
		.ring_bytes = 1u << 20,
		.compression = 1,
		.rank = -1,
		.world_size = -1,
		.log_level = 1};
}

static inline void begin(void)
{
	struct collector_options options;
	make_options(&options);
	cr_assert(eq(int, collector_configure(&options), 0));
	collector_enable(true);
}

/* Number of entries of the run folder; path is the last trace among them. */
static inline unsigned list(void)
{
	unsigned count = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;) {
		count += entry->d_name[0] != '.';
		if (strstr(entry->d_name, ".zst") != NULL)
			(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
	}
	if (dir != NULL)
		(void)closedir(dir);
	return count;
}

static inline void tear_down(void)
{
	char command[160];
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", parent);
	cr_assert(eq(int, system(command), 0));
}

/* One event; false when there was no slot. */
static inline bool record(uint64_t value)
{
	struct record *slot = collector_reserve();
	if (slot == NULL)
		return false;
	uint64_t now = clock_ticks();
	*slot = (struct record){.begin = now, .end = now, .kind = RECORD_CALL, .a = value};
	collector_commit();
	return true;
}

struct seen {
	uint64_t next[TRACE_FILE_THREADS];
	uint64_t calls, samples;
};

static struct seen seen;

static inline void see(struct trace_file *from, const struct item *item, bool live)
{
	(void)from;
	(void)live;
	for (unsigned i = 0; item->type == ITEM_EVENTS && i < item->count; i++) {
		seen.samples += item->records[i].kind == RECORD_SAMPLE;
		if (item->records[i].kind != RECORD_CALL)
			continue;
		seen.calls++;
		cr_assert(ge(u64, item->records[i].a, seen.next[item->thread]));
		seen.next[item->thread] = item->records[i].a + 1;
	}
}

static inline void read_back(void)
{
	memset(&seen, 0, sizeof(seen));
	file = (struct trace_file){.item = see};
	cr_assert(eq(int, trace_file_read(&file, path), 0), "%s", file.fault);
	cr_assert(eq(u64, file.duplicates, 0));
}

#endif
