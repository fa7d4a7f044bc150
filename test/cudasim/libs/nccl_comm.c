/* SPDX-License-Identifier: MIT */
/* Communicators: how they are made, split, asked and ended. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher.h"
#include "nccl.h"
#include "nccl_reduce.h"
#include "nccl_settings.h"

#define COMM_MAGIC 0x6e63636c2d73696dull

enum {
	NO_COLOR = -1
};

static __thread char last_error[160];

LIB_EXPORT const char *ncclGetLastError(const struct nccl_comm *comm);

void nccl_say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(last_error, sizeof(last_error), format, arguments);
	va_end(arguments);
}

const char *ncclGetLastError(const struct nccl_comm *comm)
{
	(void)comm;
	return last_error;
}

int nccl_comm_is_valid(const struct nccl_comm *comm)
{
	return comm && comm->magic == COMM_MAGIC;
}

void nccl_comm_use(struct nccl_comm *comm)
{
	pthread_mutex_lock(&comm->lock);
	comm->users++;
	pthread_mutex_unlock(&comm->lock);
}

void nccl_comm_unuse(struct nccl_comm *comm)
{
	pthread_mutex_lock(&comm->lock);
	if (--comm->users == 0)
		nccl_close(comm);
	pthread_mutex_unlock(&comm->lock);
}

void nccl_comm_fail(struct nccl_comm *comm, int error)
{
	pthread_mutex_lock(&comm->lock);
	if (!comm->error)
		comm->error = error;
	pthread_mutex_unlock(&comm->lock);
}

/* A new one that has come to the meeting of that name, but not waited for the others. */
static int come(const char *name, int rank, int ranks, struct nccl_comm **ret_comm)
{
	struct nccl_comm *comm;
	int result;

	if (ranks < 1 || ranks > NCCL_RANKS || rank < 0 || rank >= ranks) {
		nccl_say("rank %d of %d: at most %d ranks", rank, ranks, NCCL_RANKS);
		return NCCL_INVALID_ARGUMENT;
	}
	comm = calloc(1, sizeof(*comm));
	if (!comm)
		return NCCL_SYSTEM_ERROR;
	*comm = (struct nccl_comm){
		.magic = COMM_MAGIC, .rank = rank, .ranks = ranks, .file = -1, .users = 1};
	pthread_mutex_init(&comm->lock, NULL);
	(void)snprintf(comm->name, sizeof(comm->name), "%.79s", name);
	result = nccl_open(comm);
	if (result) {
		nccl_close(comm);
		free(comm);
		return result;
	}
	*ret_comm = comm;
	return NCCL_SUCCESS;
}

static int join(const char *name, int rank, int ranks, struct nccl_comm **ret_comm)
{
	int result = come(name, rank, ranks, ret_comm);

	if (result)
		return result;
	if (nccl_group_open()) {
		nccl_group_wait_for(*ret_comm);
		return NCCL_SUCCESS;
	}
	return nccl_wait_members(*ret_comm);
}

LIB_EXPORT int ncclGetUniqueId(struct nccl_id *ret_id);
int ncclGetUniqueId(struct nccl_id *ret_id)
{
	static unsigned count;
	unsigned number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);

	if (!ret_id)
		return NCCL_INVALID_ARGUMENT;
	memset(ret_id, 0, sizeof(*ret_id));
	(void)snprintf(ret_id->bytes, sizeof(ret_id->bytes), "/cudasim-nccl-%d-%u-%llx",
		(int)getpid(), number, (unsigned long long)nccl_now());
	return NCCL_SUCCESS;
}

LIB_EXPORT int ncclCommInitRankConfig(
	struct nccl_comm **ret_comm, int ranks, struct nccl_id id, int rank, void *config);
int ncclCommInitRankConfig(
	struct nccl_comm **ret_comm, int ranks, struct nccl_id id, int rank, void *config)
{
	(void)config;
	if (!ret_comm || strncmp(id.bytes, "/cudasim-nccl-", 14) ||
		strnlen(id.bytes, sizeof(id.bytes)) >= 64)
		return NCCL_INVALID_ARGUMENT;
	return join(id.bytes, rank, ranks, ret_comm);
}

LIB_EXPORT int ncclCommInitRank(
	struct nccl_comm **ret_comm, int ranks, struct nccl_id id, int rank);
int ncclCommInitRank(struct nccl_comm **ret_comm, int ranks, struct nccl_id id, int rank)
{
	return ncclCommInitRankConfig(ret_comm, ranks, id, rank, NULL);
}

/* Several ids serve large communicators; all ranks have the same, so that the first is enough. */
LIB_EXPORT int ncclCommInitRankScalable(struct nccl_comm **ret_comm, int ranks, int rank,
	int id_count, struct nccl_id *ids, void *config);
int ncclCommInitRankScalable(struct nccl_comm **ret_comm, int ranks, int rank, int id_count,
	struct nccl_id *ids, void *config)
{
	if (!ids || id_count < 1)
		return NCCL_INVALID_ARGUMENT;
	return ncclCommInitRankConfig(ret_comm, ranks, ids[0], rank, config);
}

/* Which device a communicator is on is the context's matter at each launch. */
LIB_EXPORT int ncclCommInitAll(struct nccl_comm **ret_comms, int count, const int *devices);
int ncclCommInitAll(struct nccl_comm **ret_comms, int count, const int *devices)
{
	struct nccl_id id;
	int result = ncclGetUniqueId(&id);

	(void)devices;
	for (int i = 0; i < count && !result; i++)
		result = come(id.bytes, i, count, &ret_comms[i]);
	for (int i = 0; i < count && !result; i++)
		result = nccl_wait_members(ret_comms[i]);
	return result;
}

struct wish {
	int color, key;
};

/* What every rank wishes, by rank. A meeting without a stream. */
static int exchange(struct nccl_comm *comm, struct wish mine, struct wish *ret_wishes)
{
	struct nccl_ticket ticket = {0, (unsigned)comm->rank, 0};
	uint64_t begin_ns = nccl_now(), ready_ns = 0;
	int result, here = 0;

	pthread_mutex_lock(&comm->lock);
	ticket.sequence = comm->collectives++;
	pthread_mutex_unlock(&comm->lock);
	result = nccl_post(comm, &ticket, &mine, sizeof(mine), 0, ~(uint64_t)0);
	while (!result && !(here = nccl_arrived(comm, &ticket, &ready_ns))) {
		if (comm->aborted || nccl_now() - begin_ns > nccl_settings()->timeout_ns)
			result = NCCL_REMOTE_ERROR;
		nccl_pause();
	}
	if (here < 0)
		result = -here;
	for (unsigned i = 0; i < (unsigned)comm->ranks && !result; i++)
		result = nccl_read(comm, &ticket, i, 0, &ret_wishes[i], sizeof(*ret_wishes));
	nccl_done(comm, &ticket);
	return result;
}

LIB_EXPORT int ncclCommSplit(
	struct nccl_comm *comm, int color, int key, struct nccl_comm **ret_comm, void *config);
int ncclCommSplit(
	struct nccl_comm *comm, int color, int key, struct nccl_comm **ret_comm, void *config)
{
	struct wish wishes[NCCL_RANKS];
	int rank = 0, ranks = 0, result;
	char name[80];

	(void)config;
	if (!nccl_comm_is_valid(comm) || !comm->shared || !ret_comm)
		return NCCL_INVALID_ARGUMENT;
	*ret_comm = NULL;
	result = exchange(comm, (struct wish){color, key}, wishes);
	comm->splits++;
	if (result || color == NO_COLOR)
		return result;
	for (int i = 0; i < comm->ranks; i++) {
		if (wishes[i].color != color)
			continue;
		ranks++;
		rank += wishes[i].key < key || (wishes[i].key == key && i < comm->rank);
	}
	if (strlen(comm->name) > sizeof(name) - 24)
		return NCCL_INVALID_USAGE;
	(void)snprintf(name, sizeof(name), "%.56s-%u-%u", comm->name, (unsigned)comm->splits,
		(unsigned)color);
	return join(name, rank, ranks, ret_comm);
}

static int end(struct nccl_comm *comm, int abort)
{
	if (!nccl_comm_is_valid(comm))
		return NCCL_INVALID_ARGUMENT;
	comm->aborted |= abort;
	comm->magic = 0;
	nccl_leave(comm);
	nccl_comm_unuse(comm);
	return NCCL_SUCCESS;
}

LIB_EXPORT int ncclCommDestroy(struct nccl_comm *comm);
int ncclCommDestroy(struct nccl_comm *comm)
{
	return end(comm, 0);
}

LIB_EXPORT int ncclCommAbort(struct nccl_comm *comm);
int ncclCommAbort(struct nccl_comm *comm)
{
	return end(comm, 1);
}

/* What has been launched needs nothing more from this side. */
LIB_EXPORT int ncclCommFinalize(struct nccl_comm *comm);
int ncclCommFinalize(struct nccl_comm *comm)
{
	return nccl_comm_is_valid(comm) ? NCCL_SUCCESS : NCCL_INVALID_ARGUMENT;
}

LIB_EXPORT int ncclCommCount(const struct nccl_comm *comm, int *ret_count);
int ncclCommCount(const struct nccl_comm *comm, int *ret_count)
{
	if (!nccl_comm_is_valid(comm) || !ret_count)
		return NCCL_INVALID_ARGUMENT;
	*ret_count = comm->ranks;
	return NCCL_SUCCESS;
}

LIB_EXPORT int ncclCommUserRank(const struct nccl_comm *comm, int *ret_rank);
int ncclCommUserRank(const struct nccl_comm *comm, int *ret_rank)
{
	if (!nccl_comm_is_valid(comm) || !ret_rank)
		return NCCL_INVALID_ARGUMENT;
	*ret_rank = comm->rank;
	return NCCL_SUCCESS;
}

LIB_EXPORT int ncclCommGetAsyncError(const struct nccl_comm *comm, int *ret_error);
int ncclCommGetAsyncError(const struct nccl_comm *comm, int *ret_error)
{
	if (!nccl_comm_is_valid(comm) || !ret_error)
		return NCCL_INVALID_ARGUMENT;
	*ret_error = __atomic_load_n(&comm->error, __ATOMIC_RELAXED);
	return NCCL_SUCCESS;
}

/* scalar is on the device unless is_immediate. */
LIB_EXPORT int ncclRedOpCreatePreMulSum(
	int *ret_op, void *scalar, int type, int is_immediate, struct nccl_comm *comm);
int ncclRedOpCreatePreMulSum(
	int *ret_op, void *scalar, int type, int is_immediate, struct nccl_comm *comm)
{
	int result = NCCL_SUCCESS;

	if (!nccl_comm_is_valid(comm) || !scalar || nccl_type(type) == TYPE_NONE)
		return NCCL_INVALID_ARGUMENT;
	pthread_mutex_lock(&comm->lock);
	int i = 0;
	while (i < comm->scale_count && comm->scales[i].address)
		i++;
	if (i == NCCL_OPS) {
		result = NCCL_INVALID_USAGE;
	} else {
		comm->scales[i] = (struct nccl_scale){type, is_immediate,
			is_immediate ? type_get(nccl_type(type), scalar, 0) : 0, scalar};
		comm->scale_count = i < comm->scale_count ? comm->scale_count : i + 1;
		*ret_op = NCCL_FIRST_SCALED + i;
	}
	pthread_mutex_unlock(&comm->lock);
	return result;
}

LIB_EXPORT int ncclRedOpDestroy(int op, struct nccl_comm *comm);
int ncclRedOpDestroy(int op, struct nccl_comm *comm)
{
	if (!nccl_comm_is_valid(comm) || op < NCCL_FIRST_SCALED ||
		op >= NCCL_FIRST_SCALED + comm->scale_count)
		return NCCL_INVALID_ARGUMENT;
	comm->scales[op - NCCL_FIRST_SCALED].address = NULL;
	return NCCL_SUCCESS;
}

/* Registered memory is no faster here. */
LIB_EXPORT int ncclCommRegister(
	const struct nccl_comm *comm, void *data, size_t size, void **ret_handle);
int ncclCommRegister(const struct nccl_comm *comm, void *data, size_t size, void **ret_handle)
{
	(void)size;
	if (!nccl_comm_is_valid(comm) || !ret_handle)
		return NCCL_INVALID_ARGUMENT;
	*ret_handle = data;
	return NCCL_SUCCESS;
}

LIB_EXPORT int ncclCommDeregister(const struct nccl_comm *comm, void *handle);
int ncclCommDeregister(const struct nccl_comm *comm, void *handle)
{
	(void)handle;
	return nccl_comm_is_valid(comm) ? NCCL_SUCCESS : NCCL_INVALID_ARGUMENT;
}
