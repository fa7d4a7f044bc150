/* SPDX-License-Identifier: MIT */
/*
 * Reads traces of emit.c, with their live files, and says whether every event that was
 * published is there once.
 *
 * usage: check COUNTS FILE...     COUNTS: what emit.c wrote for these files, or -
 * Prints one line per file, "FILE events N live N lost N threads N end REASON|none memory M", and
 * "FAULT ..." lines. Exit status 1 when an event is missing though none was lost, comes twice, is
 * not what
 * the program recorded, or its name is not defined.
 */
#include "test/unit/analyzer/trace_file.h"

#define NAMES_LIMIT (1u << 20)

struct thread_seen {
	uint64_t next; /* value that the next event must have */
	uint64_t skipped;
	uint32_t name;
	bool any;
};

struct seen {
	struct thread_seen *threads;
	uint8_t *names; /* bit 0: an event uses it, bit 1: it is defined */
	uint64_t samples, wrong;
	unsigned thread_count;
};

static uint64_t all_events, all_lost;

static void see_record(struct seen *seen, uint32_t thread, const struct record *record)
{
	struct thread_seen *from = &seen->threads[thread];
	if (record->kind == RECORD_SAMPLE) {
		seen->samples++;
		return;
	}
	seen->thread_count += !from->any;
	/* A failed exec lets the main thread begin again at 0. */
	if (from->any && record->a == 0)
		from->next = 0;
	if (record->a < from->next || record->kind != RECORD_CALL || record->begin > record->end)
		seen->wrong++;
	else
		from->skipped += record->a - from->next;
	from->next = record->a + 1;
	from->any = true;
	if (record->name < NAMES_LIMIT)
		seen->names[record->name] |= 1;
}

static void see(struct trace_file *file, const struct item *item, bool live)
{
	struct seen *seen = file->context;
	(void)live;
	if (item->type == ITEM_EVENTS) {
		for (unsigned i = 0; i < item->count; i++)
			see_record(seen, item->thread, &item->records[i]);
	} else if (item->meta.kind == META_NAME && item->meta.u.name.id < NAMES_LIMIT) {
		seen->names[item->meta.u.name.id] |= 2;
	}
}

static int check(const char *path)
{
	struct seen seen = {.threads = calloc(TRACE_FILE_THREADS, sizeof(struct thread_seen)),
		.names = calloc(NAMES_LIMIT, 1)};
	struct trace_file file = {.item = see, .context = &seen};
	int bad = trace_file_read(&file, path) < 0;
	uint64_t skipped = 0, nameless = 0;
	/* Losses by a full disk leave holes in the numbers, those of a full ring do not. */
	uint64_t gaps = file.lost == 0 ? file.gaps : 0;
	for (unsigned i = 0; i < TRACE_FILE_THREADS; i++)
		skipped += seen.threads[i].skipped;
	for (unsigned i = 1; i < NAMES_LIMIT; i++)
		nameless += seen.names[i] == 1;
	printf("%s events %llu live %llu lost %llu threads %u end %s memory %s\n", path,
		(unsigned long long)(file.events - seen.samples),
		(unsigned long long)file.live_events, (unsigned long long)file.lost,
		seen.thread_count, file.has_end ? file.end_reason : "none", file.ring_memory);
	if (file.fault[0] != '\0')
		printf("FAULT %s\n", file.fault);
	if (seen.wrong != 0 || file.duplicates + gaps != 0 || nameless != 0)
		printf("FAULT %llu wrong, %llu twice, %llu gaps, %llu names missing\n",
			(unsigned long long)seen.wrong, (unsigned long long)file.duplicates,
			(unsigned long long)gaps, (unsigned long long)nameless);
	/* Losses at the end of a thread leave no hole. */
	if (skipped > file.lost)
		printf("FAULT %llu missing, %llu counted as lost\n", (unsigned long long)skipped,
			(unsigned long long)file.lost);
	if (file.has_end && (file.end.events != file.events || file.end.lost != file.lost ||
				    file.end.frames != file.frames))
		printf("FAULT end says %llu events, %llu lost, %llu frames\n",
			(unsigned long long)file.end.events, (unsigned long long)file.end.lost,
			(unsigned long long)file.end.frames),
			bad = 1;
	bad |= seen.wrong != 0 || file.duplicates + gaps != 0 || nameless != 0 ||
	       skipped > file.lost;
	all_events += file.events - seen.samples;
	all_lost += file.lost;
	free(seen.threads);
	free(seen.names);
	return bad;
}

/* A killed thread may have been between commit and counting: one event each. */
static int check_counts(const char *path)
{
	size_t size;
	char *bytes = trace_file_load(path, &size);
	const uint64_t *numbers = (const void *)bytes;
	uint64_t stored = 0, dropped = 0, threads = 0;
	if (bytes == NULL)
		return 1;
	for (size_t i = 0; i + 1 < size / sizeof(*numbers); i += 2) {
		stored += numbers[i];
		dropped += numbers[i + 1];
		threads += numbers[i] + numbers[i + 1] != 0;
	}
	free(bytes);
	if (all_events >= stored && all_events <= stored + threads && all_lost >= dropped &&
		all_lost <= dropped + threads)
		return 0;
	printf("FAULT %llu events and %llu lost, but %llu were committed and %llu found no slot\n",
		(unsigned long long)all_events, (unsigned long long)all_lost,
		(unsigned long long)stored, (unsigned long long)dropped);
	return 1;
}

int main(int count, char **arguments)
{
	int bad = 0;
	if (count < 3)
		return 2;
	for (int i = 2; i < count; i++)
		bad |= check(arguments[i]);
	if (strcmp(arguments[1], "-") != 0)
		bad |= check_counts(arguments[1]);
	return bad;
}
