/* SPDX-License-Identifier: MIT */
/*
 * A program that uses CUPTI itself between two stretches in which it does not, and prints what it
 * got: 5 sets before, 7 while it has the interface, 4 afterwards.
 * usage: tool leaves|keeps|finalizes|again|subscribes; with -DLOOK_UP it finds CUPTI by dlsym.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MEMSET 2u
#define FORCED 1u
#define BUFFER (1u << 20)

int cudaMalloc(void **address, size_t size);
int cudaMemset(void *address, int value, size_t size);
int cudaDeviceSynchronize(void);

#define CUPTI                                                                                      \
	FUNCTION(cuptiSubscribe, (void **subscriber, void *callback, void *data))                  \
	FUNCTION(cuptiUnsubscribe, (void *subscriber))                                             \
	FUNCTION(cuptiActivityRegisterTimestampCallback, (uint64_t(*clock)(void)))                 \
	FUNCTION(cuptiActivityRegisterCallbacks, (void *request, void *complete))                  \
	FUNCTION(cuptiActivityEnable, (uint32_t kind))                                             \
	FUNCTION(cuptiActivityDisable, (uint32_t kind))                                            \
	FUNCTION(cuptiActivityFlushAll, (uint32_t flags))                                          \
	FUNCTION(cuptiActivityGetNextRecord, (uint8_t * buffer, size_t valid, uint8_t * *record))  \
	FUNCTION(cuptiFinalize, (void))

#ifdef LOOK_UP
#define FUNCTION(name, params) static int(*name) params;
#else
#define FUNCTION(name, params) int name params;
#endif
CUPTI
#undef FUNCTION

static void *memory;
static unsigned got, wrong_clock;
static uint64_t clock_calls;

static uint64_t own_clock(void)
{
	struct timespec now;
	__atomic_fetch_add(&clock_calls, 1, __ATOMIC_RELAXED);
	clock_gettime(CLOCK_BOOTTIME, &now);
	return 1000000000000000000ull + (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void request(uint8_t **ret_buffer, size_t *ret_size, size_t *ret_limit)
{
	*ret_buffer = aligned_alloc(8, BUFFER);
	*ret_size = BUFFER;
	*ret_limit = 0;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	uint8_t *record = NULL;
	(void)context;
	(void)stream;
	(void)size;
	while (valid > 0 && cuptiActivityGetNextRecord(buffer, valid, &record) == 0) {
		uint32_t kind;
		uint64_t begin;
		memcpy(&kind, record, sizeof(kind));
		memcpy(&begin, record + 16, sizeof(begin));
		got += kind == MEMSET;
		wrong_clock += kind == MEMSET && begin < 1000000000000000000ull;
	}
	free(buffer);
}

static void callback(void *data, int domain, uint32_t id, const void *info)
{
	(void)data;
	(void)domain;
	(void)id;
	(void)info;
}

static void sets(unsigned count, size_t size)
{
	for (unsigned i = 0; i < count; i++)
		if (cudaMemset(memory, (int)i, size + i) != 0)
			puts("cudaMemset fails");
	if (cudaDeviceSynchronize() != 0)
		puts("cudaDeviceSynchronize fails");
}

static void look_up(void)
{
#ifdef LOOK_UP
	void *library = dlopen(LOOK_UP, RTLD_NOW | RTLD_LOCAL);
#define FUNCTION(name, params)                                                                     \
	*(void **)&name = library == NULL ? NULL : dlsym(library, #name);                          \
	if (name == NULL) {                                                                        \
		puts(#name " is not found");                                                       \
		exit(2);                                                                           \
	}
	CUPTI
#undef FUNCTION
#endif
}

static void profile(const char *mode)
{
	printf("clock %d callbacks %d ", cuptiActivityRegisterTimestampCallback(own_clock),
		cuptiActivityRegisterCallbacks((void *)request, (void *)complete));
	printf("enable %d\n", cuptiActivityEnable(MEMSET));
	sets(7, 2000);
	if (strcmp(mode, "leaves") == 0 || strcmp(mode, "again") == 0)
		printf("disable %d\n", cuptiActivityDisable(MEMSET));
	printf("flush %d\n", cuptiActivityFlushAll(FORCED));
	if (strcmp(mode, "finalizes") == 0)
		printf("finalize %d\n", cuptiFinalize());
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "leaves";
	void *subscriber = NULL;
	look_up();
	if (cudaMalloc(&memory, 1 << 16) != 0)
		return 2;
	sets(5, 1000);
	if (strcmp(mode, "subscribes") == 0) {
		int code = cuptiSubscribe(&subscriber, (void *)callback, NULL);
		printf("subscribe %d\n", code);
		sets(7, 2000);
		if (code == 0)
			printf("unsubscribe %d\n", cuptiUnsubscribe(subscriber));
	} else {
		profile(mode);
	}
	if (strcmp(mode, "again") == 0) {
		profile(mode);
		got -= 7;
	}
	usleep(600000);
	sets(4, 3000);
	if (strcmp(mode, "keeps") == 0)
		(void)cuptiActivityFlushAll(FORCED);
	printf("got %u, with another clock %u\n", got, wrong_clock);
	return 0;
}
