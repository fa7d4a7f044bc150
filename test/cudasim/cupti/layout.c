/* SPDX-License-Identifier: MIT */
#include "layout.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "settings.h"
#include "timeline.h"

/* From which release on a record has its size; releases that are not here changed nothing. */
static const struct release {
	const char *name;
	uint32_t version;
	uint16_t kernel, memcpy, memset, synchronization, overhead;
} releases[] = {
	{"11.7", 17, 176, 88, 88, 40, 40},
	{"11.8", 18, 200, 88, 88, 40, 40},
	{"12.0", 19, 208, 88, 88, 40, 40},
	{"12.2", 20, 208, 88, 88, 40, 40},
	{"12.3", 21, 208, 88, 88, 40, 48},
	{"12.4", 22, 208, 88, 88, 40, 56},
	{"12.5", 23, 208, 88, 88, 40, 56},
	{"12.6", 24, 208, 88, 88, 40, 56},
	{"12.8", 26, 208, 96, 88, 56, 56},
	{"12.9", 27, 208, 96, 88, 56, 56},
	{"13.0", 130001, 216, 96, 88, 56, 56},
	{"13.1", 130100, 224, 96, 88, 56, 56},
	{"13.2", 130201, 224, 96, 88, 56, 56},
	{"13.3", 130300, 232, 96, 88, 56, 56},
	{"13.5", 130500, 248, 112, 104, 56, 56},
};

#if CUDART_MAJOR == 11
#define OWN_RELEASE "11.8"
#elif CUDART_MAJOR == 12
#define OWN_RELEASE "12.8"
#else
#define OWN_RELEASE "13.2"
#endif

static const struct release *release;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct release *find_release(const char *name)
{
	for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
		if (strcmp(releases[i].name, name) == 0)
			return &releases[i];
	}
	return NULL;
}

static void choose_release(void)
{
	const char *name = settings_get()->version;
	release = find_release(*name ? name : OWN_RELEASE);
	if (release)
		return;
	fprintf(stderr, "cudasim: CUDASIM_CUPTI: no release '%s', %s used\n", name, OWN_RELEASE);
	release = find_release(OWN_RELEASE);
}

uint32_t layout_version(void)
{
	pthread_once(&once, choose_release);
	return release->version;
}

size_t layout_size(uint32_t kind)
{
	pthread_once(&once, choose_release);
	switch (kind) {
	case KIND_KERNEL:
	case KIND_CONCURRENT_KERNEL:
		return release->kernel;
	case KIND_MEMCPY:
		return release->memcpy;
	case KIND_MEMSET:
		return release->memset;
	case KIND_SYNCHRONIZATION:
		return release->synchronization;
	case KIND_OVERHEAD:
		return release->overhead;
	case KIND_RUNTIME:
	case KIND_DRIVER:
		return 40;
	case KIND_EXTERNAL_CORRELATION:
		return 24;
	default:
		return 0;
	}
}

static void put16(uint8_t *record, size_t offset, uint16_t value)
{
	memcpy(record + offset, &value, sizeof(value));
}

static void put32(uint8_t *record, size_t offset, uint32_t value)
{
	memcpy(record + offset, &value, sizeof(value));
}

static void put64(uint8_t *record, size_t offset, uint64_t value)
{
	memcpy(record + offset, &value, sizeof(value));
}

static void put_times(uint8_t *record, size_t offset, const struct activity *activity)
{
	if (activity->incomplete)
		return; /* both stay 0 */
	put64(record, offset, timeline_convert(activity->begin_ns));
	put64(record, offset + 8, timeline_convert(activity->end_ns));
}

static void write_kernel(const struct activity *activity, uint8_t *record)
{
	put16(record, 6, 32); /* registers of a thread: a plausible number */
	put_times(record, 16, activity);
	memcpy(record + 32, record + 24, 8); /* completed: children there are none */
	put32(record, 40, activity->device);
	put32(record, 44, activity->context);
	put32(record, 48, activity->stream);
	memcpy(record + 52, activity->grid, sizeof(activity->grid));
	memcpy(record + 64, activity->block, sizeof(activity->block));
	put32(record, 80, activity->shared_bytes);
	put32(record, 92, activity->correlation);
	put64(record, 96, activity->id);
	put64(record, 104, (uint64_t)(uintptr_t)activity->name);
	put64(record, 144, activity->node);
	put32(record, 156, (uint32_t)activity->graph);
}

static void write_memcpy(const struct activity *activity, uint8_t *record)
{
	record[4] = (uint8_t)activity->type;
	record[5] = activity->source;
	record[6] = activity->target;
	record[7] = activity->asynchronous;
	put64(record, 8, activity->bytes);
	put_times(record, 16, activity);
	put32(record, 32, activity->device);
	put32(record, 36, activity->context);
	put32(record, 40, activity->stream);
	put32(record, 44, activity->correlation);
	put64(record, 64, activity->node);
	put32(record, 72, (uint32_t)activity->graph);
}

static void write_memset(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->value);
	put64(record, 8, activity->bytes);
	put_times(record, 16, activity);
	put32(record, 32, activity->device);
	put32(record, 36, activity->context);
	put32(record, 40, activity->stream);
	put32(record, 44, activity->correlation);
	put16(record, 48, activity->asynchronous);
	put16(record, 50, activity->target);
	put64(record, 64, activity->node);
	put32(record, 72, (uint32_t)activity->graph);
}

static void write_synchronization(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->type);
	put_times(record, 8, activity);
	put32(record, 24, activity->correlation);
	put32(record, 28, activity->context);
	put32(record, 32, activity->stream);
	put32(record, 36, (uint32_t)activity->id);
}

static void write_api(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->type);
	put_times(record, 8, activity);
	put32(record, 24, activity->process);
	put32(record, 28, activity->thread);
	put32(record, 32, activity->correlation);
	put32(record, 36, activity->result);
}

static void write_overhead(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->type);
	put32(record, 8, 2); /* the object is a thread */
	put32(record, 12, activity->process);
	put32(record, 16, activity->thread);
	put_times(record, 24, activity);
}

static void write_external(const struct activity *activity, uint8_t *record)
{
	put32(record, 4, activity->type);
	put64(record, 8, activity->id);
	put32(record, 16, activity->correlation);
}

void layout_write(const struct activity *activity, uint8_t *record)
{
	memset(record, 0, layout_size(activity->kind));
	put32(record, 0, activity->kind);
	switch (activity->kind) {
	case KIND_KERNEL:
	case KIND_CONCURRENT_KERNEL:
		write_kernel(activity, record);
		break;
	case KIND_MEMCPY:
		write_memcpy(activity, record);
		break;
	case KIND_MEMSET:
		write_memset(activity, record);
		break;
	case KIND_SYNCHRONIZATION:
		write_synchronization(activity, record);
		break;
	case KIND_RUNTIME:
	case KIND_DRIVER:
		write_api(activity, record);
		break;
	case KIND_OVERHEAD:
		write_overhead(activity, record);
		break;
	default:
		write_external(activity, record);
		break;
	}
}
