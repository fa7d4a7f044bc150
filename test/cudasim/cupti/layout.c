/* SPDX-License-Identifier: MIT */
#include "layout.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "settings.h"

#define ALIEN_SIZE 48

/* clang-format off */
static const struct release {
	const char *name;
	uint32_t version;
} releases[] = {
#define CUPTI_RELEASE(name, version) {name, version},
#include "releases.def"
};
static const struct size {
	uint32_t kind;
	const char *since;
	size_t bytes;
} rows[] = {
#define CUPTI_SIZE(kind, name, since, bytes) {KIND_##kind, since, bytes},
#include "releases.def"
};
/* clang-format on */

#define RELEASE_COUNT (sizeof(releases) / sizeof(releases[0]))

#if CUDART_MAJOR == 11
#define OWN_RELEASE "11.8"
#elif CUDART_MAJOR == 12
#define OWN_RELEASE "12.8"
#else
#define OWN_RELEASE "13.2"
#endif

static size_t chosen; /* number of the release */
static size_t sizes[KIND_LIMIT];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* RELEASE_COUNT if there is no such release. */
static size_t find_release(const char *name)
{
	size_t i = 0;
	while (i < RELEASE_COUNT && strcmp(releases[i].name, name))
		i++;
	return i;
}

static void choose_release(void)
{
	const char *name = settings_get()->version;
	chosen = find_release(*name ? name : OWN_RELEASE);
	if (chosen == RELEASE_COUNT) {
		fprintf(stderr, "cudasim: CUDASIM_CUPTI: no release '%s', %s used\n", name,
			OWN_RELEASE);
		chosen = find_release(OWN_RELEASE);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (find_release(rows[i].since) <= chosen)
			sizes[rows[i].kind] = rows[i].bytes;
	}
	sizes[KIND_KERNEL] = sizes[KIND_CONCURRENT_KERNEL];
	sizes[KIND_ALIEN] = ALIEN_SIZE;
}

uint32_t layout_version(void)
{
	pthread_once(&once, choose_release);
	return releases[chosen].version;
}

size_t layout_size(uint32_t kind)
{
	pthread_once(&once, choose_release);
	return kind < KIND_LIMIT ? sizes[kind] : 0;
}

uint32_t layout_context(const uint8_t *record)
{
	static const uint8_t offsets[KIND_LIMIT] = {[KIND_KERNEL] = 44,
		[KIND_CONCURRENT_KERNEL] = 44,
		[KIND_MEMCPY] = 36,
		[KIND_MEMCPY2] = 36,
		[KIND_MEMSET] = 36,
		[KIND_SYNCHRONIZATION] = 28,
		[KIND_CUDA_EVENT] = 8,
		[KIND_MEMORY2] = 56,
		[KIND_GRAPH_TRACE] = 32,
		[KIND_CONTEXT] = 4,
		[KIND_STREAM] = 4};
	uint32_t kind, context = 0;
	memcpy(&kind, record, sizeof(kind));
	if (kind < KIND_LIMIT && offsets[kind])
		memcpy(&context, record + offsets[kind], sizeof(context));
	return context;
}
