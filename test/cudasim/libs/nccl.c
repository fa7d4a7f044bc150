/* SPDX-License-Identifier: MIT */
/*
 * Stand-in for libnccl: communicators of one rank, whose collectives are copies. More ranks are
 * refused: nothing is exchanged between processes.
 */
#include <stdlib.h>
#include <string.h>

#include "launcher.h"

enum {
	SUCCESS = 0,
	UNHANDLED_CUDA_ERROR = 1,
	SYSTEM_ERROR = 2,
	INVALID_ARGUMENT = 4,
	INVALID_USAGE = 5
};

#if CUDART_MAJOR == 12
enum {
	VERSION = 22705
};
#else
enum {
	VERSION = 23007
};
#endif

struct nccl_id {
	char bytes[128];
};

struct communicator {
	int device;
};

/* The parameter of a collective's kernel. */
struct transfer {
	const void *from;
	void *to;
	size_t size;
};

static const size_t transfer_sizes[1] = {sizeof(struct transfer)};

static void transfer_effect(const struct compute_launch *launch)
{
	const struct transfer *transfer = launch->args[0];

	if (transfer->to != transfer->from)
		memmove(transfer->to, transfer->from, transfer->size);
}

#define COLLECTIVE(name)                                                                           \
	{                                                                                          \
		name, transfer_effect, 1, transfer_sizes, NULL                                     \
	}

const struct cudasim_kernel launcher_kernels[] = {
	COLLECTIVE("sim_ncclDevKernel_AllReduce"),
	COLLECTIVE("sim_ncclDevKernel_Broadcast"),
	COLLECTIVE("sim_ncclDevKernel_Reduce"),
	COLLECTIVE("sim_ncclDevKernel_AllGather"),
	COLLECTIVE("sim_ncclDevKernel_ReduceScatter"),
	{NULL, NULL, 0, NULL, NULL},
};

#define API(name, ...)                                                                             \
	LIB_EXPORT int name(__VA_ARGS__);                                                          \
	int name(__VA_ARGS__)

LIB_EXPORT const char *ncclGetErrorString(int result);
LIB_EXPORT const char *ncclGetLastError(const struct communicator *communicator);

API(ncclGetVersion, int *ret_version)
{
	if (!ret_version)
		return INVALID_ARGUMENT;
	*ret_version = VERSION;
	return SUCCESS;
}

const char *ncclGetErrorString(int result)
{
	static const char *const texts[] = {"no error", "unhandled cuda error", "system error",
		"internal error", "invalid argument", "invalid usage", "remote error",
		"in progress"};

	return result >= 0 && result < 8 ? texts[result] : "unknown result code";
}

const char *ncclGetLastError(const struct communicator *communicator)
{
	(void)communicator;
	return "the simulated device knows communicators of one rank only";
}

API(ncclGetUniqueId, struct nccl_id *ret_id)
{
	memset(ret_id, 0, sizeof(*ret_id));
	return SUCCESS;
}

API(ncclCommInitRankConfig, struct communicator **ret_communicator, int ranks, struct nccl_id id,
	int rank, void *config)
{
	(void)id;
	(void)config;
	if (ranks != 1 || rank != 0)
		return INVALID_USAGE;
	*ret_communicator = calloc(1, sizeof(**ret_communicator));
	return *ret_communicator ? SUCCESS : SYSTEM_ERROR;
}

API(ncclCommInitRank, struct communicator **ret_communicator, int ranks, struct nccl_id id,
	int rank)
{
	return ncclCommInitRankConfig(ret_communicator, ranks, id, rank, NULL);
}

API(ncclCommDestroy, struct communicator *communicator)
{
	free(communicator);
	return SUCCESS;
}

API(ncclCommAbort, struct communicator *communicator)
{
	return ncclCommDestroy(communicator);
}

API(ncclCommFinalize, struct communicator *communicator)
{
	return communicator ? SUCCESS : INVALID_ARGUMENT;
}

API(ncclCommCount, const struct communicator *communicator, int *ret_count)
{
	if (!communicator)
		return INVALID_ARGUMENT;
	*ret_count = 1;
	return SUCCESS;
}

API(ncclCommUserRank, const struct communicator *communicator, int *ret_rank)
{
	if (!communicator)
		return INVALID_ARGUMENT;
	*ret_rank = 0;
	return SUCCESS;
}

API(ncclCommGetAsyncError, const struct communicator *communicator, int *ret_error)
{
	if (!communicator)
		return INVALID_ARGUMENT;
	*ret_error = SUCCESS;
	return SUCCESS;
}

/* With one rank nothing waits for the end of a group. */
API(ncclGroupStart, void)
{
	return SUCCESS;
}

API(ncclGroupEnd, void)
{
	return SUCCESS;
}

/* Registered memory is no faster here. */
API(ncclCommRegister, const struct communicator *communicator, void *data, size_t size,
	void **ret_handle)
{
	(void)size;
	if (!communicator || !ret_handle)
		return INVALID_ARGUMENT;
	*ret_handle = data;
	return SUCCESS;
}

API(ncclCommDeregister, const struct communicator *communicator, void *handle)
{
	(void)handle;
	return communicator ? SUCCESS : INVALID_ARGUMENT;
}

static size_t type_bytes(int type)
{
	static const unsigned char sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

	return type >= 0 && (size_t)type < sizeof(sizes) ? sizes[type] : 0;
}

static int collect(const char *kernel, const struct communicator *communicator, const void *from,
	void *to, size_t count, int type, launch_stream stream)
{
	struct transfer transfer = {from, to, count * type_bytes(type)};
	struct launch_shape shape = {.grid = {2, 1, 1}, .block = {512, 1, 1}};

	if (!communicator || !type_bytes(type))
		return INVALID_ARGUMENT;
	return launcher_launch(kernel, shape, stream, &transfer) ? UNHANDLED_CUDA_ERROR : SUCCESS;
}

API(ncclAllReduce, const void *from, void *to, size_t count, int type, int operation,
	struct communicator *communicator, launch_stream stream)
{
	(void)operation;
	return collect("sim_ncclDevKernel_AllReduce", communicator, from, to, count, type, stream);
}

API(ncclBroadcast, const void *from, void *to, size_t count, int type, int root,
	struct communicator *communicator, launch_stream stream)
{
	(void)root;
	return collect("sim_ncclDevKernel_Broadcast", communicator, from, to, count, type, stream);
}

API(ncclBcast, void *data, size_t count, int type, int root, struct communicator *communicator,
	launch_stream stream)
{
	return ncclBroadcast(data, data, count, type, root, communicator, stream);
}

API(ncclReduce, const void *from, void *to, size_t count, int type, int operation, int root,
	struct communicator *communicator, launch_stream stream)
{
	(void)operation;
	(void)root;
	return collect("sim_ncclDevKernel_Reduce", communicator, from, to, count, type, stream);
}

API(ncclAllGather, const void *from, void *to, size_t count, int type,
	struct communicator *communicator, launch_stream stream)
{
	return collect("sim_ncclDevKernel_AllGather", communicator, from, to, count, type, stream);
}

API(ncclReduceScatter, const void *from, void *to, size_t count, int type, int operation,
	struct communicator *communicator, launch_stream stream)
{
	(void)operation;
	return collect(
		"sim_ncclDevKernel_ReduceScatter", communicator, from, to, count, type, stream);
}
