/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "activity.h"

#define NAME_(major) "libcupti.so." #major
#define NAME(major)  NAME_(major)

/* clang-format off */
const struct release releases[] = {
#define CUPTI_RELEASE(name, version) {name, version},
#include "../../cupti/releases.def"
};
static const struct size {
	uint32_t kind;
	const char *since;
	size_t bytes;
} sizes[] = {
#define CONCURRENT_KERNEL    KERNEL
#define EXTERNAL_CORRELATION EXTERNAL
#define CUPTI_SIZE(kind, name, since, bytes) {kind, since, bytes},
#include "../../cupti/releases.def"
};
/* clang-format on */
const size_t release_count = sizeof(releases) / sizeof(releases[0]);

struct cupti cupti;
const char *client_library = NAME(CUDART_MAJOR);
struct client client = {.buffer_bytes = 1 << 20};
static const struct release *release;

/* The last row of that kind that is not of a later release. */
static size_t size_of(uint32_t kind)
{
	size_t size = kind == ALIEN ? 48 : 0;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct release *since = releases;
		while (strcmp(since->name, sizes[i].since))
			since++;
		if (sizes[i].kind == kind && since <= release)
			size = sizes[i].bytes;
	}
	return size;
}

static void give_buffer(uint8_t **ret_buffer, size_t *ret_size, size_t *ret_max_records)
{
	*ret_buffer = client.buffer_bytes ? aligned_alloc(8, client.buffer_bytes) : NULL;
	*ret_size = client.buffer_bytes;
	*ret_max_records = client.max_records;
}

static void keep(const uint8_t *bytes)
{
	struct taken taken = {.buffer = client.buffers};
	memcpy(&taken.kind, bytes, sizeof(taken.kind));
	size_t size = size_of(taken.kind);
	CHECK(size > 0 && size <= sizeof(taken.bytes));
	memcpy(taken.bytes, bytes, size);
	client.records = realloc(client.records, (client.count + 1) * sizeof(taken));
	client.records[client.count] = taken;
	__atomic_store_n(&client.count, client.count + 1, __ATOMIC_RELEASE);
}

static void take_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	uint8_t *record = NULL, *expected = buffer;
	(void)context;
	(void)stream;
	CHECK(valid <= size);
	client.thread = (uint64_t)pthread_self();
	client.empty_buffers += valid == 0;
	while (cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == 0) {
		uint32_t kind;
		CHECK(record == expected);
		memcpy(&kind, record, sizeof(kind));
		expected = record + size_of(kind);
		keep(record);
	}
	CHECK(expected == buffer + valid);
	client.buffers++;
	free(buffer);
}

static void look_up(void *library, void *pointer, const char *name)
{
	void *symbol = dlsym(library, name);
	CHECK(symbol != NULL);
	memcpy(pointer, &symbol, sizeof(symbol));
}

void client_open(uint64_t (*clock)(void))
{
	uint32_t version = 0;
	void *library = dlopen(client_library, RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(4);
	}
/* clang-format off */
#define FUNCTION(name, parameters) look_up(library, &cupti.name, #name);
#include "functions.def"
	/* clang-format on */
	CHECK_OK(cupti.cuptiGetVersion(&version));
	for (size_t i = 0; i < release_count; i++) {
		const char *played = getenv("CUDASIM_CUPTI"), *name = strstr(played, "version=");
		if (!release && releases[i].version == version &&
			(!name || strcmp(name + 8, releases[i].name) == 0))
			release = &releases[i];
	}
	if (!release)
		exit(5);
	if (clock)
		CHECK_OK(cupti.cuptiActivityRegisterTimestampCallback(clock));
	CHECK_OK(cupti.cuptiActivityRegisterCallbacks(
		(void *)(uintptr_t)give_buffer, (void *)(uintptr_t)take_buffer));
	CHECK_OK(cupti.cuptiSetThreadIdType(1));
}

void client_enable_all(void)
{
	static const uint32_t kinds[] = {RUNTIME, KERNEL, MEMCPY, MEMSET, SYNCHRONIZATION};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		CHECK_OK(cupti.cuptiActivityEnable(kinds[i]));
}

size_t client_count(uint32_t kind)
{
	size_t found = 0;
	for (size_t i = 0; i < client.count; i++)
		found += client.records[i].kind == kind;
	return found;
}

uint32_t get32(const struct taken *record, size_t offset)
{
	uint32_t value;
	memcpy(&value, record->bytes + offset, sizeof(value));
	return value;
}

uint64_t get64(const struct taken *record, size_t offset)
{
	uint64_t value;
	memcpy(&value, record->bytes + offset, sizeof(value));
	return value;
}

uint32_t correlation(const struct taken *record)
{
	switch (record->kind) {
	case KERNEL:
		return get32(record, 92);
	case MEMCPY:
	case MEMSET:
		return get32(record, 44);
	case SYNCHRONIZATION:
		return get32(record, 24);
	case MEMCPY2:
		return get32(record, 60);
	case MEMORY2:
		return get32(record, 12);
	case CUDA_EVENT:
	case GRAPH_TRACE:
		return get32(record, 4);
	case STREAM:
		return get32(record, 20);
	case EXTERNAL:
		return get32(record, 16);
	default:
		return get32(record, 32);
	}
}

int is_device(const struct taken *record)
{
	return record->kind == KERNEL || record->kind == MEMCPY || record->kind == MEMSET;
}
