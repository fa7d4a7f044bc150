/* SPDX-License-Identifier: MIT */
/* More than one client, contexts that go, callbacks: what a process shares and what it loses. */
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "activity.h"

#define LAUNCH_ID (CUDART_MAJOR == 12 ? 211 : 505) /* cudaLaunchKernel, __cudaLaunchKernel */

#define LAUNCH_LEAST_NS 2000 /* of the 3 us of CUDASIM_LAUNCH, most are behind the begin */
#define LAUNCHES        20u

static size_t other_bytes;

/* A function of the driver; the runtime has no such. */
static void look_up(const char *name, void *ret_function)
{
	void *symbol = dlsym(dlopen("libcuda.so.1", RTLD_NOW), name);
	CHECK(symbol != NULL);
	memcpy(ret_function, &symbol, sizeof(symbol));
}

static int current_context(void **ret_context)
{
	int (*get)(void **);
	look_up("cuCtxGetCurrent", &get);
	return get(ret_context);
}

static void other_asks(uint8_t **ret_buffer, size_t *ret_size, size_t *ret_max_records)
{
	*ret_max_records = 0;
	*ret_buffer = aligned_alloc(8, 4096);
	*ret_size = 4096;
}

static void other_takes(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	(void)context;
	(void)stream;
	(void)size;
	other_bytes += valid;
	free(buffer);
}

/* The last one that registers gets everything, and whoever disables a kind does it for all. */
void group_last(void)
{
	client_open(now_ns);
	CHECK_OK(cupti.cuptiActivityEnable(KERNEL));
	CHECK_OK(cupti.cuptiActivityEnable(RUNTIME));
	launch("fast", NULL);
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
	size_t before = client.count;
	CHECK(client_count(KERNEL) == 1);
	CHECK_OK(cupti.cuptiActivityRegisterCallbacks(
		(void *)(uintptr_t)other_asks, (void *)(uintptr_t)other_takes));
	launch("fast", NULL);
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
	CHECK(client.count == before && other_bytes > 0);
	CHECK_OK(cupti.cuptiActivityDisable(KERNEL));
	CHECK_OK(cupti.cuptiActivityDisable(RUNTIME));
	other_bytes = 0;
	launch("fast", NULL);
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
	CHECK(client.count == before && other_bytes == 0);
}

/* A kind for one context, and not for the other. */
void group_context(void)
{
	void *contexts[2];
	setenv("CUDASIM_DEVICES", "2", 1);
	client_open(now_ns);
	for (int i = 0; i < 2; i++) {
		CHECK_OK(cudaSetDevice(i));
		CHECK_OK(cudaFree(NULL));
		CHECK_OK(current_context(&contexts[i]));
	}
	CHECK_OK(cupti.cuptiActivityEnableContext(contexts[1], KERNEL));
	CHECK(cupti.cuptiActivityEnableContext(NULL, KERNEL) == 1);
	for (int i = 0; i < 2; i++) {
		CHECK_OK(cudaSetDevice(i));
		launch("fast", NULL);
		CHECK_OK(cudaDeviceSynchronize());
	}
	CHECK_OK(cupti.cuptiActivityDisableContext(contexts[1], KERNEL));
	launch("fast", NULL);
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
	CHECK(client.count == 1 && client_count(KERNEL) == 1);
	CHECK(client.count && get32(&client.records[0], 40) == 1);
}

/* What was not flushed goes with the context; calls belong to none. */
void group_reset(void)
{
	size_t dropped = 1;
	client_open(now_ns);
	CHECK_OK(cupti.cuptiActivityEnable(KERNEL));
	CHECK_OK(cupti.cuptiActivityEnable(RUNTIME));
	for (int i = 0; i < 5; i++)
		launch("fast", NULL);
	CHECK_OK(cudaDeviceSynchronize());
	sleep_ms(60); /* some are in a buffer by now */
	for (int i = 0; i < 5; i++)
		launch("slow", NULL);
	CHECK_OK(cudaDeviceReset());
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
	CHECK(client_count(KERNEL) == 0 && client_count(RUNTIME) >= 12);
	CHECK_OK(cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
	CHECK(dropped == 0);
	launch("fast", NULL);
	CHECK_OK(cudaDeviceSynchronize());
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
	CHECK(client_count(KERNEL) == 1);
}

/* CUpti_CallbackData, CUpti_ResourceData. */
struct call_data {
	int site;
	const char *function;
	const void *parameters;
	int *result;
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint64_t *correlation_data;
	uint32_t correlation;
};
struct resource_data {
	void *context, *stream, *descriptor;
};

static struct {
	unsigned enters, exits, matched, failed, resources[5];
	uint64_t entered_ns;
	unsigned whole; /* of those that left: as long as a launch takes */
	uint32_t correlation;
	int flush;
} told;

static void on_call(void *user_data, int domain, uint32_t id, const void *data)
{
	const struct call_data *call = data;
	int device;
	CHECK(user_data == &told);
	if (domain == 3) {
		const struct resource_data *resource = data;
		CHECK(id < 5 && resource->context && (resource->stream != NULL) == (id > 2));
		told.resources[id < 5 ? id : 0]++;
		if (id == 2 && told.flush)
			CHECK_OK(cupti.cuptiActivityFlushAll(1));
		return;
	}
	CHECK(domain == 2 && id > 0);
	if (call->site == 0) {
		told.enters++;
		*call->correlation_data = 4711 + told.enters;
		CHECK_OK(cudaGetDevice(&device)); /* is not told */
		told.entered_ns = now_ns();
		return;
	}
	told.whole += now_ns() - told.entered_ns >= LAUNCH_LEAST_NS;
	told.exits++;
	told.matched += *call->correlation_data == 4711 + told.enters;
	told.failed += *call->result != 0;
	told.correlation = call->correlation;
	CHECK(call->function && (id != LAUNCH_ID || strstr(call->function, "LaunchKernel")));
}

void group_callbacks(void)
{
	void *subscriber = NULL, *second = NULL, *memory;
	client_open(now_ns);
	CHECK_OK(cupti.cuptiActivityEnable(KERNEL));
	CHECK_OK(cupti.cuptiSubscribe(&subscriber, (void *)(uintptr_t)on_call, &told));
	CHECK(cupti.cuptiSubscribe(&second, NULL, NULL) == 39 && !second);
	CHECK(cupti.cuptiSubscribe_v2(&second, NULL, NULL, NULL) == 39 && !second);
	launch("fast", NULL);
	CHECK(told.enters == 0);
	CHECK_OK(cupti.cuptiEnableCallback(1, subscriber, 2, LAUNCH_ID));
	launch("fast", NULL);
	CHECK_OK(cudaDeviceSynchronize());
	CHECK(told.enters == 1 && told.exits == 1 && told.matched == 1 && told.failed == 0);
	CHECK_OK(cupti.cuptiActivityFlushAll(1));
	CHECK(client.count == 2 && correlation(&client.records[1]) == told.correlation);
	told.whole = 0;
	for (unsigned i = 0; i < LAUNCHES; i++)
		launch("fast", NULL);
	CHECK(told.whole > LAUNCHES / 2); /* others may have the processor before one of them */
	CHECK_OK(cupti.cuptiEnableDomain(1, subscriber, 2));
	CHECK(cudaMalloc(&memory, (size_t)1 << 60) != 0);
	CHECK(told.failed == 1 && told.enters == told.exits && told.exits == told.matched);
	(void)cudaGetLastError();
	CHECK_OK(cupti.cuptiEnableDomain(0, subscriber, 2));
	unsigned before = told.enters;
	launch("fast", NULL);
	CHECK(told.enters == before);
	CHECK_OK(cupti.cuptiEnableDomain(1, subscriber, 2));
	CHECK_OK(cupti.cuptiUnsubscribe(subscriber));
	launch("fast", NULL);
	CHECK(told.enters == before);
	CHECK(cupti.cuptiEnableDomain(1, subscriber, 2) == 1);
	CHECK_OK(cupti.cuptiSubscribe_v2(&second, NULL, NULL, NULL));
}

/* Contexts and streams are told; who flushes before a context goes keeps its records. */
void group_resources(void)
{
	void *subscriber = NULL;
	CUstream stream;
	client_open(now_ns);
	CHECK_OK(cupti.cuptiActivityEnable(KERNEL));
	CHECK_OK(cupti.cuptiSubscribe(&subscriber, (void *)(uintptr_t)on_call, &told));
	for (uint32_t id = 1; id < 5; id++)
		CHECK_OK(cupti.cuptiEnableCallback(1, subscriber, 3, id));
	CHECK_OK(cudaStreamCreate(&stream));
	CHECK(told.resources[1] == 1 && told.resources[3] == 1 && told.resources[2] == 0);
	launch("fast", stream);
	CHECK_OK(cudaStreamSynchronize(stream));
	CHECK_OK(cudaStreamDestroy(stream));
	CHECK(told.resources[4] == 1);
	told.flush = 1;
	CHECK_OK(cudaDeviceReset());
	CHECK(told.resources[2] == 1 && client_count(KERNEL) == 1);
}

void group_texts(void)
{
	const char *text = NULL;
	uint64_t value = 77, stored = 0;
	size_t size = sizeof(value);
	client_open(now_ns);
	CHECK_OK(cupti.cuptiGetResultString(35, &text));
	CHECK(strcmp(text, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES") == 0);
	CHECK_OK(cupti.cuptiGetResultString(0, &text));
	CHECK(strcmp(text, "CUPTI_SUCCESS") == 0);
	CHECK(cupti.cuptiGetResultString(12345, &text) == 1);
	CHECK_OK(cupti.cuptiActivityGetAttribute(0, &size, &stored));
	CHECK(stored > 0 && size == 8);
	CHECK_OK(cupti.cuptiActivitySetAttribute(0, &size, &value));
	CHECK_OK(cupti.cuptiActivityGetAttribute(0, &size, &stored));
	CHECK(stored == 77);
	size = 4;
	CHECK(cupti.cuptiActivityGetAttribute(0, &size, &stored) == 10);
	CHECK(cupti.cuptiActivityGetAttribute(99, &size, &stored) == 1);
}

/* The library that the environment names is loaded by the first cuInit, once. */
void group_injection(void)
{
	static char path[4096 + 32];
	int (*init)(unsigned);
	ssize_t length = readlink("/proc/self/exe", path, 4096);
	while (length > 0 && path[length - 1] != '/')
		length--;
	static const char library[] = "libinjected.so";
	memcpy(path + length, library, sizeof(library));
	setenv("CUDA_INJECTION64_PATH", path, 1);
	CHECK(getenv("INJECTED") == NULL);
	CHECK_OK(cudaFree(NULL));
	look_up("cuInit", &init);
	CHECK_OK(init(0));
	CHECK(getenv("INJECTED") && strcmp(getenv("INJECTED"), "1") == 0);
}

/* One that is not there changes nothing. */
void group_no_injection(void)
{
	setenv("CUDA_INJECTION64_PATH", "/nowhere/libinjected.so", 1);
	CHECK_OK(cudaFree(NULL));
	launch("fast", NULL);
	CHECK_OK(cudaDeviceSynchronize());
}
