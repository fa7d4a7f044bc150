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
	for (size_t i = 0; i < facts->threads.count; i++) {
		if (facts->threads.items[i] != NULL)
			free(facts->threads.items[i]->launches);
		free(facts->threads.items[i]);
	}
	vec_release(&facts->threads);
	vec_release(&facts->names);
	links_release(&facts->links);
	compiled_release(&facts->regions);
	vec_release(&facts->queue.messages);
	vec_release(&facts->queue.asks);
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
	struct facts_thread *thread = calloc(1, sizeof(struct facts_thread));
	if (thread != NULL)
		thread->is_main = lookup_tid(&facts->lookup, id) == facts->pid;
	return facts->threads.items[id] = thread;
}

/* 0 or -ENOMEM; last_thread NULL: it is not looked at. */
static __attribute__((noinline)) int turn_to(struct facts *facts, uint32_t id)
{
	facts->last_thread = thread_of(facts, id);
	facts->last_id = id;
	return facts->last_thread != NULL || id >= THREADS ? 0 : -ENOMEM;
}

static inline int take(
	struct facts *facts, struct facts_thread *thread, const struct record *record)
{
	switch (record->kind) {
	case RECORD_LAUNCH:
		facts_launch(facts, thread, record);
		break;
	case RECORD_OP:
		return facts_op(facts, thread, record);
	case RECORD_COPY:
		facts_copy(facts, thread, record);
		break;
	case RECORD_SET:
		facts_set(facts, thread, record);
		break;
	case RECORD_ALLOC:
		facts_alloc(facts, record);
		break;
	case RECORD_INPUT:
		facts_read(facts, record);
		if (thread->is_main)
			facts_wait(facts, record);
		break;
	case RECORD_QUEUE:
		return facts_message(facts, record);
	case RECORD_PIPELINE:
		pipeline_add(&facts->pipeline, record);
		break;
	case RECORD_SAMPLE:
		facts_sample(facts, record);
		break;
	case RECORD_BURST:
		facts->bare = record_BURST_operators(record) == 0;
		break;
	case RECORD_STACK:
		facts_stack(facts, record);
		break;
	case RECORD_THREAD_SAMPLE:
		facts_thread_sample(facts, record);
		break;
	default:
		break;
	}
	return 0;
}

int facts_host(struct facts *facts, uint32_t id, const struct record *records, size_t count)
{
	if (facts->last_thread == NULL || facts->last_id != id) {
		int err = turn_to(facts, id);
		if (facts->last_thread == NULL)
			return err;
	}
	int err = 0;
	for (size_t i = 0; i < count && err == 0; i++)
		err = take(facts, facts->last_thread, &records[i]);
	return err;
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

void facts_version(struct facts *facts, const struct meta_VERSION *version)
{
	/* of several the first counts, as for what a report names */
	static const struct {
		const char *name;
		enum op_framework framework;
	} frameworks[] = {{"torch", OP_TORCH}, {"paddle", OP_PADDLE}, {"mindspore", OP_MINDSPORE},
		{"tensorflow", OP_TENSORFLOW}, {"jax", OP_JAX}, {"onnxruntime", OP_ONNXRUNTIME}};
	for (size_t i = 0; i < sizeof(frameworks) / sizeof(frameworks[0]); i++) {
		if (frameworks[i].framework == facts->framework)
			return;
		if (strcmp(frameworks[i].name, version->name) == 0) {
			facts->framework = frameworks[i].framework;
			return;
		}
	}
}

void facts_run(struct facts *facts, const struct meta_RUN *run)
{
	facts->pid = run->pid;
}

const struct compiled *facts_regions(const struct facts *facts)
{
	return &facts->regions;
}

const struct pipeline *facts_pipeline(const struct facts *facts)
{
	return &facts->pipeline;
}

static int by_length(const void *a, const void *b)
{
	const struct fact_load *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

size_t facts_loads(struct facts *facts, const struct fact_load **ret_loads)
{
	size_t count = facts->loads < FACTS_LOADS ? facts->loads : FACTS_LOADS;
	qsort(facts->load_samples, count, sizeof(facts->load_samples[0]), by_length);
	*ret_loads = facts->load_samples;
	return count;
}
