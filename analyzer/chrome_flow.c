/* SPDX-License-Identifier: MIT */
#include "analyzer/chrome_flow.h"

#include <string.h>

void chrome_flow_next_file(struct chrome_flow *flow)
{
	memset(flow->recent, 0, sizeof(flow->recent));
	flow->file++;
}

bool chrome_flow_of(
	struct chrome_flow *flow, const struct record *record, struct chrome_arrow *ret_arrow)
{
	uint32_t correlation = record->place;
	bool start = record->kind == RECORD_DEVICE_API;
	if (!start && record->kind != RECORD_DEVICE_KERNEL && record->kind != RECORD_DEVICE_COPY &&
		record->kind != RECORD_DEVICE_SET)
		return false;
	if (correlation == 0)
		return false;
	uint64_t ns = record->begin;
	if (start) {
		uint32_t *recent = &flow->recent[correlation % CHROME_FLOW_RECENT];
		if (*recent == correlation)
			return false;
		*recent = correlation;
		if (record->end > record->begin)
			ns += (record->end - record->begin) / 2;
	}
	*ret_arrow = (struct chrome_arrow){
		.start = start, .tid = record->a, .id = flow->file << 32 | correlation, .ns = ns};
	return true;
}

static char *put_text(char *cursor, const char *text)
{
	size_t size = strlen(text);
	memcpy(cursor, text, size);
	return cursor + size;
}

void chrome_flow_put(struct out *out, const struct chrome_arrow *arrow, uint64_t pid, uint64_t tid,
	uint64_t begin_ns)
{
	bool before = arrow->ns < begin_ns;
	char *cursor = out_room(out, 256);
	cursor = put_text(cursor, arrow->start ? ",\n{\"ph\":\"s\",\"id\":"
					       : ",\n{\"ph\":\"f\",\"bp\":\"e\",\"id\":");
	cursor = out_put_u64(cursor, arrow->id);
	cursor = put_text(cursor, ",\"pid\":");
	cursor = out_put_u64(cursor, pid);
	cursor = put_text(cursor, ",\"tid\":");
	cursor = out_put_u64(cursor, arrow->start ? arrow->tid : tid);
	cursor = put_text(cursor, before ? ",\"ts\":-" : ",\"ts\":");
	cursor = out_put_decimal(cursor, before ? begin_ns - arrow->ns : arrow->ns - begin_ns, 3);
	cursor = put_text(cursor, ",\"cat\":\"ac2g\",\"name\":\"ac2g\"}");
	out_advance(out, cursor);
}
