/* SPDX-License-Identifier: MIT */
/*
 * What the ids in records of the tests of tables mean, and a device: a lookup made by hand. Every
 * function is static; texts are constants.
 */
#ifndef TEST_UNIT_TABLES_NAMES_H
#define TEST_UNIT_TABLES_NAMES_H

#include <stdio.h>

#include "analyzer/tables/cells.h"

enum {
	NAMES_LAUNCH = 1,
	NAMES_QUERY,
	NAMES_DRIVER_ALLOC,
};
enum {
	NAMES_KERNEL = 1,
	NAMES_KERNEL_TWIN, /* shown by the same name */
	NAMES_FILE,
	NAMES_HOSTILE,
	NAMES_LONG,
	NAMES_COMM,
	NAMES_MANY = 100, /* from here on all different */
};
#define NAMES_PLACE 9u

#define NAMES_HOSTILE_TEXT "a,\"b\"\x1b[31m\nc"
#define NAMES_LONG_TEXT                                                                            \
	"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel_with_a_very_long_"   \
	"name_indeed<float, float, (bool)0, 128u, 4u, LayerNormOp>(int, float, float const*)"

static inline const char *names_text(const void *context, uint32_t id)
{
	static char many[3000][16];
	(void)context;
	if (id >= NAMES_MANY && id < NAMES_MANY + 3000) {
		(void)snprintf(many[id - NAMES_MANY], sizeof(many[0]), "kernel_%u", id);
		return many[id - NAMES_MANY];
	}
	switch (id) {
	case NAMES_KERNEL:
	case NAMES_KERNEL_TWIN:
		return "relu";
	case NAMES_FILE:
		return "train.py";
	case NAMES_HOSTILE:
		return NAMES_HOSTILE_TEXT;
	case NAMES_LONG:
		return NAMES_LONG_TEXT;
	case NAMES_COMM:
		return "ncclDevKernel_AllReduce";
	default:
		return "";
	}
}

static inline const struct meta_PLACE *names_place(const void *context, uint32_t id)
{
	static const struct meta_PLACE place = {
		.id = NAMES_PLACE, .file = NAMES_FILE, .line = 30, .language = "python"};
	(void)context;
	return id == NAMES_PLACE ? &place : NULL;
}

static inline const char *names_call(const void *context, uint16_t id)
{
	static const char *const names[] = {
		"", "cudaLaunchKernel", "cudaEventQuery", "cuMemAlloc_v2"};
	(void)context;
	return id < sizeof(names) / sizeof(names[0]) ? names[id] : "";
}

/* Tables of a run that began at 1000 on a device of 2 TB/s, linked with 25 GB/s. */
static inline struct tables_source names_source(const struct tables *tables)
{
	static const struct lookup lookup = {
		.text = names_text, .place = names_place, .call = names_call};
	static const struct tables_gpu gpus[] = {
		{.id = 0,
			.memory_bytes_per_s = 2000000000000,
			.link_bytes_per_s = 25000000000,
			.name = "Simulated"},
	};
	return (struct tables_source){.tables = tables,
		.lookup = &lookup,
		.gpus = gpus,
		.gpu_count = sizeof(gpus) / sizeof(gpus[0]),
		.begin_ns = 1000};
}

#endif
