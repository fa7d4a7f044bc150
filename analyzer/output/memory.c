/* SPDX-License-Identifier: MIT */
#include "analyzer/output/memory.h"

#include <stddef.h>

static void add_series(struct json *json, const char *name, const struct fact_memory *memory,
	uint64_t (*value)(const struct fact_part *part))
{
	json_add_array(json, name);
	for (uint32_t i = 0; i < memory->count; i++)
		json_u64(json, value(&memory->parts[i]));
	json_array_end(json);
}

static uint64_t most(const struct fact_part *part)
{
	return part->most;
}

static uint64_t asked(const struct fact_part *part)
{
	return part->asked;
}

static uint64_t refused(const struct fact_part *part)
{
	return part->refused;
}

void memory_print(struct json *json, const struct report *report)
{
	const struct facts *facts = report->facts;
	if (facts == NULL || facts->memory.part_ns == 0) {
		json_add_null(json, "memory");
		return;
	}
	const struct fact_memory *memory = &facts->memory;
	uint64_t first_ns = report->model->first_ns;
	json_add_object(json, "memory");
	json_add_u64(json, "reserved_peak_bytes", facts->reserved_peak);
	json_add_u64(json, "reserved_last_bytes", facts->reserved);
	json_add_u64(json, "begin_ns", memory->from_ns > first_ns ? memory->from_ns - first_ns : 0);
	json_add_u64(json, "part_ns", memory->part_ns);
	add_series(json, "reserved_bytes", memory, most);
	add_series(json, "allocations", memory, asked);
	add_series(json, "refused", memory, refused);
	json_object_end(json);
}
