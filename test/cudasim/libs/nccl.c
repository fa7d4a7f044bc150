/* SPDX-License-Identifier: MIT */
/* Stand-in for libnccl: versions, texts, collectives and groups. The rest: nccl.h. */
#include "nccl.h"

#include <stdlib.h>
#include <string.h>

#include "launcher.h"
#include "nccl_reduce.h"
#include "nccl_run.h"

#if CUDART_MAJOR == 12
enum {
	VERSION = 22705
};
#else
enum {
	VERSION = 23007
};
#endif

enum {
	GROUP_LIMIT = 1024
};

#define KERNEL(kind, type, name) {name, NULL, 1, nccl_launch_sizes, nccl_duration, &nccl_meeting},
const struct cudasim_kernel launcher_kernels[] = {
#include "nccl_kernels.def"
	{NULL, NULL, 0, NULL, NULL, NULL},
};
#undef KERNEL

/* What the names tell of a kernel; in the order of the table above. */
static const struct {
	enum nccl_kind kind;
	const char *type;
} kernel_uses[] = {
#define KERNEL(kind, type, name) {kind, #type},
#include "nccl_kernels.def"
#undef KERNEL
};

/* A call in a group, with the context it was made in. */
struct queued {
	struct nccl_part part;
	struct nccl_comm *comm;
	launch_stream stream;
	void *context;
	int is_launched;
};

static __thread struct group {
	int depth;
	int error;
	unsigned count, newcomer_count;
	struct queued *calls;
	struct nccl_comm *newcomers[NCCL_RANKS];
} group;

#define API(name, ...)                                                                             \
	LIB_EXPORT int name(__VA_ARGS__);                                                          \
	int name(__VA_ARGS__)

LIB_EXPORT const char *ncclGetErrorString(int result);

API(ncclGetVersion, int *ret_version)
{
	if (!ret_version)
		return NCCL_INVALID_ARGUMENT;
	*ret_version = VERSION;
	return NCCL_SUCCESS;
}

const char *ncclGetErrorString(int result)
{
	static const char *const texts[] = {"no error", "unhandled cuda error", "system error",
		"internal error", "invalid argument", "invalid usage", "remote error",
		"in progress"};

	return result >= 0 && result < 8 ? texts[result] : "unknown result code";
}

int nccl_group_open(void)
{
	return group.depth > 0;
}

void nccl_group_wait_for(struct nccl_comm *comm)
{
	if (group.newcomer_count < NCCL_RANKS)
		group.newcomers[group.newcomer_count++] = comm;
	else
		group.error = NCCL_INVALID_USAGE;
}

static const char *kernel_of(const struct nccl_part *part)
{
	static const char *const types[] = {
		"u8", "u8", "u32", "u32", "u64", "u64", "f16", "f32", "f64", "bf16"};

	for (size_t i = 0; launcher_kernels[i].name; i++)
		if (kernel_uses[i].kind == part->kind &&
			(!strcmp(kernel_uses[i].type, "none") ||
				!strcmp(kernel_uses[i].type, types[part->type])))
			return launcher_kernels[i].name;
	return NULL;
}

/* One launch with all queued calls that go to the same communicator and stream. */
static int launch_from(unsigned first)
{
	struct nccl_launch launch = {.comm = group.calls[first].comm};
	struct launch_shape shape = {.grid = {2, 1, 1}, .block = {512, 1, 1}};
	struct queued *call = &group.calls[first];
	void *context = NULL;
	int result;

	for (unsigned i = first; i < group.count && launch.count < NCCL_PARTS; i++) {
		struct queued *other = &group.calls[i];

		if (other->is_launched || other->comm != call->comm ||
			other->stream != call->stream)
			continue;
		other->is_launched = 1;
		launch.parts[launch.count++] = other->part;
	}
	result = launcher_get_context(&context);
	if (!result && context != call->context)
		result = launcher_set_context(call->context);
	if (!result)
		result = launcher_launch(kernel_of(&call->part), shape, call->stream, &launch);
	if (context != call->context)
		(void)launcher_set_context(context);
	return result ? NCCL_CUDA_ERROR : call->comm->error;
}

API(ncclGroupStart, void)
{
	group.depth++;
	return NCCL_SUCCESS;
}

API(ncclGroupEnd, void)
{
	int result;

	if (group.depth == 0)
		return NCCL_INVALID_USAGE;
	if (--group.depth > 0)
		return NCCL_SUCCESS;
	result = group.error;
	for (unsigned i = 0; i < group.newcomer_count && !result; i++)
		result = nccl_wait_members(group.newcomers[i]);
	for (unsigned i = 0; i < group.count && !result; i++)
		if (!group.calls[i].is_launched)
			result = launch_from(i);
	free(group.calls);
	group = (struct group){.depth = 0};
	return result;
}

static int check(const struct nccl_comm *comm, const struct nccl_part *part)
{
	if (!nccl_comm_is_valid(comm) || !comm->shared || !nccl_type_size(part->type))
		return NCCL_INVALID_ARGUMENT;
	if (part->peer < 0 || part->peer >= comm->ranks || part->op < 0)
		return NCCL_INVALID_ARGUMENT;
	if (part->kind > NCCL_REDUCE_SCATTER)
		return NCCL_SUCCESS;
	if (nccl_type(part->type) == TYPE_NONE || part->op >= NCCL_FIRST_SCALED + comm->scale_count)
		return NCCL_INVALID_ARGUMENT;
	return NCCL_SUCCESS;
}

/* A call outside of a group is a group of its own. */
static int add(struct nccl_comm *comm, launch_stream stream, struct nccl_part part)
{
	struct queued call = {.part = part, .comm = comm, .stream = stream};
	struct queued *calls;
	int result = check(comm, &part);

	if (!result && launcher_get_context(&call.context))
		result = NCCL_CUDA_ERROR;
	if (!result && group.count == GROUP_LIMIT)
		result = NCCL_INVALID_USAGE;
	calls = result ? NULL : realloc(group.calls, (group.count + 1) * sizeof(*calls));
	if (!result && !calls)
		result = NCCL_SYSTEM_ERROR;
	if (result) {
		if (group.depth)
			group.error = result;
		return result;
	}
	group.calls = calls;
	group.calls[group.count++] = call;
	if (group.depth)
		return NCCL_SUCCESS;
	group.depth = 1;
	return ncclGroupEnd();
}

API(ncclAllReduce, const void *from, void *to, size_t count, int type, int op,
	struct nccl_comm *comm, launch_stream stream)
{
	return add(comm, stream, (struct nccl_part){NCCL_ALL_REDUCE, type, op, 0, from, to, count});
}

API(ncclReduce, const void *from, void *to, size_t count, int type, int op, int root,
	struct nccl_comm *comm, launch_stream stream)
{
	return add(comm, stream, (struct nccl_part){NCCL_REDUCE, type, op, root, from, to, count});
}

API(ncclReduceScatter, const void *from, void *to, size_t count, int type, int op,
	struct nccl_comm *comm, launch_stream stream)
{
	return add(comm, stream,
		(struct nccl_part){NCCL_REDUCE_SCATTER, type, op, 0, from, to, count});
}

API(ncclBroadcast, const void *from, void *to, size_t count, int type, int root,
	struct nccl_comm *comm, launch_stream stream)
{
	return add(
		comm, stream, (struct nccl_part){NCCL_BROADCAST, type, 0, root, from, to, count});
}

API(ncclBcast, void *data, size_t count, int type, int root, struct nccl_comm *comm,
	launch_stream stream)
{
	return ncclBroadcast(data, data, count, type, root, comm, stream);
}

API(ncclAllGather, const void *from, void *to, size_t count, int type, struct nccl_comm *comm,
	launch_stream stream)
{
	return add(comm, stream, (struct nccl_part){NCCL_ALL_GATHER, type, 0, 0, from, to, count});
}

API(ncclSend, const void *from, size_t count, int type, int peer, struct nccl_comm *comm,
	launch_stream stream)
{
	return add(comm, stream, (struct nccl_part){NCCL_SEND, type, 0, peer, from, NULL, count});
}

API(ncclRecv, void *to, size_t count, int type, int peer, struct nccl_comm *comm,
	launch_stream stream)
{
	return add(comm, stream, (struct nccl_part){NCCL_RECEIVE, type, 0, peer, NULL, to, count});
}

API(ncclAlltoAll, const void *from, void *to, size_t count, int type, struct nccl_comm *comm,
	launch_stream stream)
{
	size_t bytes = count * nccl_type_size(type);
	int ranks = nccl_comm_is_valid(comm) ? comm->ranks : 1, result = ncclGroupStart();

	for (int i = 0; i < ranks && !result; i++) {
		size_t at = (size_t)i * bytes;

		result = ncclSend((const char *)from + at, count, type, i, comm, stream);
		if (!result)
			result = ncclRecv((char *)to + at, count, type, i, comm, stream);
	}
	int ended = ncclGroupEnd();
	return result ? result : ended;
}

API(ncclGather, const void *from, void *to, size_t count, int type, int root,
	struct nccl_comm *comm, launch_stream stream)
{
	size_t bytes = count * nccl_type_size(type);
	int ranks = nccl_comm_is_valid(comm) && comm->rank == root ? comm->ranks : 0;
	int result = ncclGroupStart();

	if (!result)
		result = ncclSend(from, count, type, root, comm, stream);
	for (int i = 0; i < ranks && !result; i++)
		result = ncclRecv((char *)to + (size_t)i * bytes, count, type, i, comm, stream);
	int ended = ncclGroupEnd();
	return result ? result : ended;
}
