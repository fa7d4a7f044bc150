/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/facts/calls.h"
#include "analyzer/facts/memory.h"
#include "analyzer/facts/name.h"
#include "analyzer/facts/ops.h"
#include "analyzer/facts/thread.h"
#include "collector/format/fields.h"

#define THREADS 4096u

struct facts *facts_new(const struct lookup *lookup)
{
	struct facts *facts = calloc(1, sizeof(*facts));
	if (facts != NULL)
		facts->lookup = *lookup;
	return facts;
}

void facts_free(struct facts *facts)
{
	if (facts == NULL)
		return;
	for (size_t i = 0; i < facts->threads.count; i++)
		free(facts->threads.items[i]);
	vec_release(&facts->threads);
	vec_release(&facts->names);
	vec_release(&facts->blocks);
	slots_release(&facts->block_slots);
	free(facts);
}

/* NULL: no memory, or a thread that is not looked at. */
static struct facts_thread *thread_of(struct facts *facts, uint32_t id)
{
	if (id < facts->threads.count && facts->threads.items[id] != NULL)
		return facts->threads.items[id];
	if (id >= THREADS)
		return NULL;
	size_t known = facts->threads.count;
	if (id >= known) {
		if (vec_reserve(&facts->threads, id + 1) < 0)
			return NULL;
		facts->threads.count = id + 1;
		memset(facts->threads.items + known, 0,
			(id + 1 - known) * sizeof(struct facts_thread *));
	}
	return facts->threads.items[id] = calloc(1, sizeof(struct facts_thread));
}

/* 0 or -ENOMEM; last_thread NULL: it is not looked at. */
static __attribute__((noinline)) int turn_to(struct facts *facts, uint32_t id)
{
	facts->last_thread = thread_of(facts, id);
	facts->last_id = id;
	return facts->last_thread != NULL || id >= THREADS ? 0 : -ENOMEM;
}

static int take(struct facts *facts, struct facts_thread *thread, const struct record *record)
{
	switch (record->kind) {
	case RECORD_LAUNCH:
		facts_launch(facts, thread, record);
		return 0;
	case RECORD_OP:
		facts_op(facts, thread, record);
		return 0;
	case RECORD_COPY:
		facts_copy(facts, thread, record);
		return 0;
	case RECORD_SET:
		facts_set(facts, thread, record);
		return 0;
	case RECORD_ALLOC:
		facts_alloc(facts, record);
		return 0;
	case RECORD_INPUT:
		facts_read(facts, record);
		return 0;
	default:
		return 0;
	}
}

int facts_host(struct facts *facts, uint32_t id, const struct record *record)
{
	if (facts->last_thread == NULL || facts->last_id != id) {
		int err = turn_to(facts, id);
		if (facts->last_thread == NULL)
			return err;
	}
	return take(facts, facts->last_thread, record);
}

void facts_describe(struct facts *facts, const struct meta_DEVICE *device)
{
	if (facts->gpu.major == 0)
		facts->gpu = (struct fact_gpu){.major = device->compute_major,
			.minor = device->compute_minor,
			.multiprocessors = device->multiprocessors,
			.memory_bytes = device->memory_bytes};
}

void facts_setting(struct facts *facts, const struct meta_SETTING *setting)
{
	if (strcmp(setting->name, "CUDA_LAUNCH_BLOCKING") == 0)
		facts->launch_blocking =
			setting->value[0] != '\0' && strcmp(setting->value, "0") != 0;
}

static int by_length(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

size_t facts_loads(struct facts *facts, const uint64_t **ret_ns)
{
	size_t count = facts->loads < FACTS_LOADS ? facts->loads : FACTS_LOADS;
	qsort(facts->load_samples, count, sizeof(facts->load_samples[0]), by_length);
	*ret_ns = facts->load_samples;
	return count;
}
