/* SPDX-License-Identifier: MIT */
#include "analyzer/output/chrome_flow.h"

#include <string.h>

#include "collector/format/fields.h"

void chrome_flow_next_file(struct chrome_flow *flow)
{
	memset(flow->recent, 0, sizeof(flow->recent));
	flow->file++;
}

bool chrome_flow_of(
	struct chrome_flow *flow, const struct record *record, struct chrome_arrow *ret_arrow)
{
	bool start = record->kind == RECORD_DEVICE_API;
	if (!start && record->kind != RECORD_DEVICE_KERNEL && record->kind != RECORD_DEVICE_COPY &&
		record->kind != RECORD_DEVICE_SET)
		return false;
	uint32_t correlation = record_correlation(record);
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
	*ret_arrow = (struct chrome_arrow){.start = start,
		.tid = start ? record_DEVICE_API_thread(record) : 0,
		.id = flow->file << 32 | correlation,
		.ns = ns};
	return true;
}

static void put_number(struct out *out, const char *key, uint64_t value)
{
	out_text(out, key);
	out_u64(out, value);
}

void chrome_flow_put(struct out *out, const struct chrome_arrow *arrow, uint64_t pid, uint64_t tid,
	uint64_t begin_ns)
{
	bool before = arrow->ns < begin_ns;
	out_text(out, arrow->start ? ",\n{\"ph\":\"s\"" : ",\n{\"ph\":\"f\",\"bp\":\"e\"");
	put_number(out, ",\"id\":", arrow->id);
	put_number(out, ",\"pid\":", pid);
	put_number(out, ",\"tid\":", arrow->start ? arrow->tid : tid);
	out_text(out, before ? ",\"ts\":-" : ",\"ts\":");
	out_decimal(out, before ? begin_ns - arrow->ns : arrow->ns - begin_ns, 3);
	out_text(out, ",\"cat\":\"ac2g\",\"name\":\"ac2g\"}");
}
