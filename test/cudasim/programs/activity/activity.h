/* SPDX-License-Identifier: MIT */
/*
 * Checks of the stand-in CUPTI: what a client gets, against the truth log of the same process.
 *
 * Each group (groups.def) runs in a process of its own with its own CUDASIM_CUPTI, because it is
 * read once. client.c is a client as a profiler would be: it opens libcupti by name, keeps every
 * record it is given, and checks that the walk through a buffer takes the steps of the release that
 * is played, by the table of sizes that test/compile compares with the vendor's headers. truth.c
 * reads the log.
 */
#ifndef CUDASIM_ACTIVITY_H
#define CUDASIM_ACTIVITY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../kernel.h"

#define MS 1000000u

#define CHECK(condition) check_that((condition) != 0, __FILE__, __LINE__, #condition)
#define CHECK_OK(call)   CHECK((call) == 0)

void check_that(int holds, const char *file, int line, const char *text);

/* CLOCK_MONOTONIC in ns. */
uint64_t now_ns(void);
void sleep_ms(unsigned ms);

enum kind {
	MEMCPY = 1,
	MEMSET = 2,
	DRIVER = 4,
	RUNTIME = 5,
	KERNEL = 10,
	DEVICE = 8,
	CONTEXT = 9,
	OVERHEAD = 17,
	MEMCPY2 = 22,
	CUDA_EVENT = 36,
	STREAM = 37,
	SYNCHRONIZATION = 38,
	EXTERNAL = 39,
	MEMORY2 = 49,
	GRAPH_TRACE = 51,
	ALIEN = 100
};

struct release {
	const char *name;
	uint32_t version;
};
extern const struct release releases[];
extern const size_t release_count;

/* The functions of CUPTI that are used. */
struct cupti {
/* clang-format off */
#define FUNCTION(name, parameters) int (*name) parameters;
#include "functions.def"
	/* clang-format on */
};
extern struct cupti cupti;

/* A record as it came. */
struct taken {
	uint32_t kind;
	size_t buffer; /* number of the buffer it came in */
	uint8_t bytes[256];
};

/* What the client got so far; read it only after a flush, when nothing more can come. */
extern struct client {
	struct taken *records;
	size_t count;
	size_t buffers, empty_buffers;
	size_t buffer_bytes, max_records; /* of the buffers it hands out; 0 bytes: refuses */
	uint64_t thread;                  /* that the records came from */
} client;

/* What client_open opens; that of the runtime unless changed before. */
extern const char *client_library;
/* Opens the library and registers the callbacks and, if it is not NULL, the clock. */
void client_open(uint64_t (*clock)(void));
/* Enables runtime calls, kernels, copies, sets and synchronisation. */
void client_enable_all(void);
size_t client_count(uint32_t kind);
uint32_t get32(const struct taken *record, size_t offset);
uint64_t get64(const struct taken *record, size_t offset);
/* Where the number of its call stands in a record of that kind. */
uint32_t correlation(const struct taken *record);
int is_device(const struct taken *record);

/* A line of the log. */
struct truth {
	int is_call;
	char what[48]; /* kernel, memcpy, memset; the function of a call */
	char layer[12];
	char name[64];
	uint64_t call, parent, begin_ns, end_ns, bytes, context, device, stream, graph, node, tid;
	uint64_t event, address;
	uint64_t result;
};
/* The log so far; *ret_count lines. Never freed. */
struct truth *truth_read(size_t *ret_count);
size_t truth_operations(void);

/* Copies, sets, kernels on two streams, a graph, and waits for all of it. */
void run_work(void);
/* A graph of a kernel and a set of so many bytes, launched twice. */
void run_graph(CUstream stream, void *device, size_t bytes);
void launch(const char *name, CUstream stream);
/* Each record against the log and the reverse. */
void compare_all(void);

#define GROUP(name, settings)   void group_##name(void);
#define GROUP_OF_RELEASES(name) void group_##name(void);
#include "groups.def"

#endif
