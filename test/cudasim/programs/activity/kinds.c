/* SPDX-License-Identifier: MIT */
/* Records of what is no kernel, set or call: in the layout of each release, against the log. */
#include <stdlib.h>

#include "activity.h"

#define BYTES 65536

static const struct taken *nth(uint32_t kind, size_t number)
{
	for (size_t i = 0; i < client.count; i++) {
		if (client.records[i].kind == kind && number-- == 0)
			return &client.records[i];
	}
	return NULL;
}

/* The nth line of that name; for one that is missing, one of zeros. */
static const struct truth *line_of(const char *what, int is_call, size_t number)
{
	static const struct truth none;
	size_t count;
	const struct truth *lines = truth_read(&count);
	for (size_t i = 0; i < count; i++) {
		if (lines[i].is_call == is_call && !strcmp(lines[i].what, what) && number-- == 0)
			return &lines[i];
	}
	CHECK(!"a line of the log");
	return &none;
}

static int near(uint64_t a, uint64_t b)
{
	return a - b + 50000 <= 100000;
}

static void check_devices(void)
{
	CHECK(client_count(DEVICE) == 2);
	for (uint32_t i = 0; i < 2 && i < client_count(DEVICE); i++) {
		const struct taken *record = nth(DEVICE, i);
		const char *name;
		memcpy(&name, record->bytes + 136, sizeof(name));
		CHECK(strcmp(name, "Simulated CUDA Device") == 0);
		CHECK(get32(record, 112) == i && record->bytes[120] == 1 + 16 * i);
		CHECK(get32(record, 44) == 108 && get32(record, 36) == 1410000);
		CHECK(get32(record, 104) == 8 && get32(record, 108) == 0);
		CHECK(get64(record, 8) == 1555200000 && get64(record, 16) == 3ull << 30);
		CHECK(get32(record, 80) == 1024 && get32(record, 88) == 64);
		CHECK(get32(record, 96) == 65535);
	}
}

static void check_peer(void)
{
	const struct truth *truth = line_of("memcpy", 0, 0);
	const struct taken *record = nth(MEMCPY2, 0);
	CHECK(client_count(MEMCPY2) == 1 && client_count(MEMCPY) == 0);
	if (!record)
		return;
	CHECK(memcmp(record->bytes + 4, "\12\3\3\1", 4) == 0 && get64(record, 8) == BYTES);
	CHECK(near(get64(record, 16), truth->begin_ns));
	CHECK(get64(record, 24) - get64(record, 16) == truth->end_ns - truth->begin_ns);
	CHECK(get32(record, 32) == truth->device && get32(record, 36) == truth->context);
	CHECK(get32(record, 40) == truth->stream && get32(record, 60) == truth->call);
	CHECK(get32(record, 44) == 0 && get32(record, 52) == 1);
}

static void check_memory(void)
{
	/* operation, kind of memory, asynchronous, bytes above BYTES */
	static const uint32_t expected[][4] = {{1, 3, 0, 0}, {1, 3, 0, 1}, {1, 2, 0, 0},
		{1, 5, 0, 1}, {1, 3, 1, 0}, {2, 3, 1, 0}, {2, 5, 0, 1}, {2, 2, 0, 0}, {2, 3, 0, 0}};
	static const char *const functions[] = {"cudaMalloc", "cudaMalloc", "cudaHostAlloc",
		"cudaMallocManaged", "cudaMallocAsync", "cudaFreeAsync", "cudaFree", "cudaFreeHost",
		"cudaFree"};
	size_t seen[2] = {0};
	CHECK(client_count(MEMORY2) == 9);
	for (size_t i = 0; i < 9 && nth(MEMORY2, i); i++) {
		const struct taken *record = nth(MEMORY2, i);
		int is_malloc = strcmp(functions[i], "cudaMalloc") == 0;
		int is_free = strcmp(functions[i], "cudaFree") == 0;
		size_t number = is_malloc ? seen[0]++ : is_free ? seen[1]++ : 0;
		const struct truth *truth = line_of(functions[i], 1, number);
		CHECK(get32(record, 4) == expected[i][0] && get32(record, 8) == expected[i][1]);
		CHECK(get32(record, 72) == expected[i][2] &&
			get64(record, 24) == BYTES + expected[i][3]);
		CHECK(get32(record, 12) == truth->call && get64(record, 16) == truth->address);
		CHECK(get64(record, 32) + 50000 >= truth->begin_ns &&
			get64(record, 32) <= truth->end_ns + 50000);
		CHECK((get32(record, 60) == UINT32_MAX) == !expected[i][2]);
		CHECK(get32(record, 52) == (i == 1));
	}
}

static void check_events(int with_times)
{
	const struct truth *truth = line_of("cudaEventRecord", 1, 0);
	const struct truth *before = line_of("kernel", 0, 0);
	const struct taken *record = nth(CUDA_EVENT, 0);
	CHECK(client_count(CUDA_EVENT) == 1);
	if (!record)
		return;
	CHECK(get32(record, 4) == truth->call && get32(record, 16) == truth->event);
	CHECK(get32(record, 8) == before->context && get32(record, 12) == truth->stream);
	if (with_times)
		CHECK(near(get64(record, 40), before->end_ns));
}

/* One record instead of those of the nodes. */
static void check_graphs(void)
{
	const struct truth *first = line_of("kernel", 0, 1), *last = line_of("memset", 0, 1);
	const struct taken *record = nth(GRAPH_TRACE, 0);
	CHECK(client_count(GRAPH_TRACE) == 2 && client_count(KERNEL) == 1 &&
		client_count(MEMSET) == 1);
	if (!record || !nth(GRAPH_TRACE, 1))
		return;
	CHECK(near(get64(record, 8), first->begin_ns));
	CHECK(near(get64(record, 16), line_of("memset", 0, 0)->end_ns));
	CHECK(near(get64(nth(GRAPH_TRACE, 1), 16), last->end_ns));
	CHECK(get32(record, 4) == first->call && get32(record, 28) == first->graph);
	CHECK(get32(record, 24) == 0 && get32(record, 32) == first->context);
	CHECK(get32(record, 36) == first->stream);
	CHECK(correlation(nth(KERNEL, 0)) == line_of("kernel", 0, 0)->call);
}

static void check_places(void)
{
	const struct truth *stream = line_of("cudaStreamCreate", 1, 0);
	const struct taken *context = nth(CONTEXT, 0), *record = nth(STREAM, 0);
	CHECK(client_count(CONTEXT) == 1 && client_count(STREAM) == 1);
	if (!context || !record)
		return;
	CHECK(get32(context, 4) == line_of("memcpy", 0, 0)->context && get32(context, 8) == 0);
	CHECK(get32(record, 4) == get32(context, 4) && get32(record, 8) == stream->stream);
	CHECK(get32(record, 16) == 1 && get32(record, 20) == stream->call);
}

static void use_memory(CUstream stream)
{
	void *device[2], *pinned, *managed, *pooled;
	CUevent event;
	for (int i = 0; i < 2; i++) {
		CHECK_OK(cudaSetDevice(i));
		CHECK_OK(cudaMalloc(&device[i], (size_t)(BYTES + i)));
	}
	CHECK_OK(cudaSetDevice(0));
	CHECK_OK(cudaHostAlloc(&pinned, BYTES, 0));
	CHECK_OK(cudaMallocManaged(&managed, BYTES + 1, 1));
	CHECK_OK(cudaMallocAsync(&pooled, BYTES, stream));
	CHECK_OK(cudaMemcpyPeerAsync(device[1], 1, device[0], 0, BYTES, stream));
	CHECK_OK(cudaEventCreate(&event));
	launch("slow", stream);
	CHECK_OK(cudaEventRecord(event, stream));
	run_graph(stream, device[0], BYTES / 2);
	CHECK_OK(cudaMemsetAsync(device[0], 1, BYTES, stream));
	CHECK_OK(cudaStreamSynchronize(stream));
	CHECK_OK(cudaFreeAsync(pooled, stream));
	CHECK_OK(cudaFree(managed));
	CHECK_OK(cudaFreeHost(pinned));
	CHECK_OK(cudaFree(device[0]));
}

void group_kinds(void)
{
	static const uint32_t kinds[] = {DEVICE, CONTEXT, STREAM, MEMCPY, MEMCPY2, MEMSET, KERNEL,
		MEMORY2, CUDA_EVENT, GRAPH_TRACE};
	CUstream stream;
	uint32_t version = 0;
	setenv("CUDASIM_DEVICES", "2", 1);
	setenv("CUDASIM_MEMORY", "3GiB", 1);
	client_open(now_ns);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		CHECK_OK(cupti.cuptiActivityEnable(kinds[i]));
	CHECK_OK(cupti.cuptiActivityEnableCudaEventDeviceTimestamps(1));
	CHECK_OK(cudaStreamCreate(&stream));
	use_memory(stream);
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	CHECK_OK(cupti.cuptiGetVersion(&version));
	check_devices();
	check_peer();
	check_memory();
	check_events(version >= 26);
	check_graphs();
	check_places();
}

/* With its kind off a graph's operations have records of their own. */
void group_nodes(void)
{
	client_open(now_ns);
	client_enable_all();
	CHECK_OK(cupti.cuptiActivityEnable(GRAPH_TRACE));
	CHECK_OK(cupti.cuptiActivityDisable(GRAPH_TRACE));
	run_work();
	CHECK_OK(cupti.cuptiActivityFlushAll(0));
	CHECK(client_count(GRAPH_TRACE) == 0);
	size_t nodes = 0;
	for (size_t i = 0; i < client.count; i++) {
		const struct taken *record = &client.records[i];
		if (record->kind == KERNEL && get64(record, 144)) {
			CHECK(get64(record, 144) >> 32 == get32(record, 156));
			nodes++;
		}
	}
	CHECK(nodes == 2);
	compare_all();
}
