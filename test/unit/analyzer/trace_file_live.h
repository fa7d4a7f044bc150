/* SPDX-License-Identifier: MIT */
/*
 * The part of trace_file.h that reads a live file: definitions, the pending frame, and the
 * records of the rings that were not written yet. It knows live.h and nothing of the
 * collector's code, so that a mistake of the writer is not repeated by the reader.
 */
#ifndef TEST_UNIT_TRACE_FILE_LIVE_H
#define TEST_UNIT_TRACE_FILE_LIVE_H

static inline void trace_file_ring(struct trace_file *file, const struct live_ring *ring)
{
	const struct record *records = (const void *)((const char *)ring + 4096);
	if (ring->thread == 0 || ring->thread >= TRACE_FILE_THREADS)
		return;
	uint64_t from = ring->tail;
	if (from < file->next[ring->thread])
		from = file->next[ring->thread];
	for (; from < ring->head; from++) {
		struct item item = {.type = ITEM_EVENTS,
			.thread = ring->thread,
			.first_sequence = from,
			.records = &records[from & (ring->capacity - 1)],
			.count = 1};
		trace_file_item(file, &item, true);
	}
	file->lost += ring->lost - ring->lost_taken;
}

static inline void trace_file_definitions(struct trace_file *file, const char *chunk)
{
	size_t at = 0;
	while (at + sizeof(struct live_definition) <= LIVE_CHUNK_BYTES) {
		const struct live_definition *entry = (const void *)(chunk + at);
		if (entry->bytes == 0)
			return;
		char text[16385] = "";
		struct item item = {.type = ITEM_META};
		if (entry->kind == LIVE_NAME && entry->bytes < sizeof(text)) {
			memcpy(text, entry + 1, entry->bytes);
			item.meta.kind = META_NAME;
			item.meta.u.name = (struct meta_NAME){entry->id, text};
			trace_file_item(file, &item, true);
		} else if (entry->kind == LIVE_PLACE) {
			const struct live_place *place = (const void *)(entry + 1);
			item.meta.kind = META_PLACE;
			item.meta.u.place = (struct meta_PLACE){.id = entry->id,
				.file = place->file,
				.function = place->function,
				.line = place->line,
				.address = place->address,
				.language = ""};
			trace_file_item(file, &item, true);
		}
		at += sizeof(*entry) + ((entry->bytes + 7u) & ~7u);
	}
}

static inline void trace_file_live(struct trace_file *file, struct decoder *decoder, char *bytes)
{
	const struct live_header *header = (const void *)bytes;
	file->has_live = true;
	if (header->magic != LIVE_MAGIC) {
		TRACE_FAULT(file, "the live file has no magic");
		return;
	}
	for (unsigned i = 0; i < header->chunk_count && i < LIVE_CHUNK_LIMIT; i++)
		if (header->chunk_offset[i] != 0)
			trace_file_definitions(file, bytes + header->chunk_offset[i]);
	if (header->pending_sequence == file->frames && header->pending_bytes != 0) {
		file->pending_used = true;
		trace_file_decode(
			file, decoder, bytes + header->pending_offset, header->pending_bytes, true);
	}
	for (unsigned i = 0; i < header->ring_count && i < LIVE_RING_LIMIT; i++)
		if (header->ring_offset[i] != 0)
			trace_file_ring(file, (const void *)(bytes + header->ring_offset[i]));
	file->lost += header->unowned.count;
}

/* The live file that belongs to the trace file path, if there is one and all was well. */
static inline void trace_file_beside(
	struct trace_file *file, struct decoder *decoder, const char *path)
{
	size_t live_size = 0;
	char live_path[4096];
	const char *suffix = strstr(path, ".msgpack.zst");
	(void)snprintf(live_path, sizeof(live_path), "%.*s.live",
		(int)(suffix != NULL ? suffix - path : 0), path);
	char *live = trace_file_load(live_path, &live_size);
	size_t tag = strlen(LIVE_POINTER_TAG);
	if (live != NULL && strncmp(live, LIVE_POINTER_TAG, tag) == 0) {
		live[strcspn(live, "\n")] = '\0';
		char *target = trace_file_load(live + tag, &live_size);
		free(live);
		live = target;
	}
	if (live != NULL && live_size >= sizeof(struct live_header) && file->fault[0] == '\0')
		trace_file_live(file, decoder, live);
	free(live);
}

#endif
