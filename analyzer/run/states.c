/* SPDX-License-Identifier: MIT */
#include "analyzer/run/states.h"

#include <stdio.h>
#include <string.h>

int states_set(process_states *states, const char *name, const char *value)
{
	struct process_state state;
	snprintf(state.name, sizeof(state.name), "%s", name);
	snprintf(state.value, sizeof(state.value), "%s", value);
	VEC_FOREACH (known, states) {
		if (strcmp(known->name, state.name) == 0) {
			*known = state;
			return 0;
		}
	}
	return states->count < STATES_LIMIT ? vec_push(states, state) : 0;
}

const char *states_value(const process_states *states, const char *name)
{
	for (size_t i = 0; i < states->count; i++)
		if (strcmp(states->items[i].name, name) == 0)
			return states->items[i].value;
	return NULL;
}

/* The device of an id, a new one if need be; *ret_gpu NULL: there are too many. 0 or -ENOMEM. */
static int find_or_add(process_gpus *gpus, uint64_t id, struct tables_gpu **ret_gpu)
{
	size_t at = 0;
	*ret_gpu = NULL;
	while (at < gpus->count && gpus->items[at].id < id)
		at++;
	if (at == gpus->count || gpus->items[at].id != id) {
		if (gpus->count == STATES_LIMIT)
			return 0;
		if (vec_reserve(gpus, gpus->count + 1) < 0)
			return -ENOMEM;
		struct tables_gpu *place = &gpus->items[at];
		memmove(place + 1, place, (gpus->count - at) * sizeof(*place));
		*place = (struct tables_gpu){.id = id};
		gpus->count++;
	}
	*ret_gpu = &gpus->items[at];
	return 0;
}

int gpus_describe(process_gpus *gpus, const struct meta_DEVICE *device)
{
	struct tables_gpu *gpu;
	int err = find_or_add(gpus, device->id, &gpu);
	if (gpu == NULL)
		return err;
	*gpu = (struct tables_gpu){.id = device->id,
		.compute_major = device->compute_major,
		.compute_minor = device->compute_minor,
		.multiprocessors = device->multiprocessors,
		.core_khz = device->core_khz,
		.memory_bytes = device->memory_bytes,
		.memory_bytes_per_s = device->memory_bytes_per_s,
		.link_bytes_per_s = device->link_bytes_per_s};
	snprintf(gpu->name, sizeof(gpu->name), "%s", device->name);
	return 0;
}

int gpus_add(process_gpus *gpus, uint64_t id)
{
	struct tables_gpu *gpu;
	return find_or_add(gpus, id, &gpu);
}

void states_count(struct process_looks *looks, const struct meta_COUNT *count)
{
	const struct {
		const char *name;
		uint64_t *value;
	} counts[] = {{"opens", &looks->opens}, {"open_ns", &looks->open_ns},
		{"stats", &looks->stats}, {"stat_ns", &looks->stat_ns}};
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (strcmp(count->name, counts[i].name) == 0)
			*counts[i].value = count->value;
}
