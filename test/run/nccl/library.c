/* SPDX-License-Identifier: MIT */
/*
 * A libnccl.so.2 that moves nothing: it says what it was called with, so that a call which comes
 * through another library must come through whole. Compiled with VERSION.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nccl.h"

struct ncclComm {
	int rank, ranks, dead;
};

static __thread int depth;

static int check(struct ncclComm *comm)
{
	return comm == NULL || comm->dead ? 4 : 0;
}

static int said(struct ncclComm *comm, const char *name, size_t count, int type, int op, int peer,
	void *stream)
{
	int result = count == 13 ? 1 : check(comm);
	if (count > 0) /* many at a time say nothing */
		printf("%s count %zu type %d op %d peer %d stream %p: %d\n", name, count, type, op,
			peer, stream, result);
	return result;
}

int ncclGetVersion(int *version)
{
	*version = VERSION;
	return 0;
}

int ncclCommUserRank(const struct ncclComm *comm, int *rank)
{
	*rank = comm->rank;
	return 0;
}

int ncclCommCount(const struct ncclComm *comm, int *ranks)
{
	*ranks = comm->ranks;
	return 0;
}

int ncclCommInitRank(struct ncclComm **comm, int ranks, struct id id, int rank)
{
	int sum = 0;
	for (unsigned i = 0; i < sizeof(id.bytes); i++)
		sum += id.bytes[i];
	printf("init rank %d of %d, id %d\n", rank, ranks, sum);
	if (rank >= ranks)
		return 4;
	*comm = calloc(1, sizeof(**comm));
	**comm = (struct ncclComm){rank, ranks, 0};
	return 0;
}

int ncclCommInitRankScalable(
	struct ncclComm **comm, int ranks, int rank, int count, struct id *ids, void *config)
{
	(void)config;
	return ids == NULL || count < 1 ? 4 : ncclCommInitRank(comm, ranks, ids[0], rank);
}

int ncclCommInitAll(struct ncclComm **comms, int count, const int *devices)
{
	(void)devices;
	struct id id = {{1}};
	for (int i = 0; i < count; i++)
		(void)ncclCommInitRank(&comms[i], count, id, i);
	return 0;
}

int ncclCommSplit(struct ncclComm *comm, int color, int key, struct ncclComm **part, void *config)
{
	(void)key, (void)config;
	printf("split by %d: %d\n", color, check(comm));
	if (check(comm) != 0)
		return 4;
	*part = NULL;
	struct id id = {{2}};
	return color < 0 ? 0 : ncclCommInitRank(part, 1, id, 0);
}

/* Never given back, so that a test may go on calling. */
int ncclCommDestroy(struct ncclComm *comm)
{
	int result = check(comm);
	if (result == 0)
		comm->dead = 1;
	return result;
}

int ncclCommAbort(struct ncclComm *comm)
{
	return ncclCommDestroy(comm);
}

int ncclCommFinalize(struct ncclComm *comm)
{
	return check(comm);
}

int ncclGroupStart(void)
{
	depth++;
	return 0;
}

int ncclGroupEnd(void)
{
	printf("group ends: %d\n", depth == 0 ? 5 : 0);
	return depth == 0 ? 5 : (depth--, 0);
}

int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, struct ncclComm *comm,
	void *stream)
{
	(void)from, (void)to;
	return said(comm, "all-reduce", count, type, op, -1, stream);
}

int ncclReduce(const void *from, void *to, size_t count, int type, int op, int root,
	struct ncclComm *comm, void *stream)
{
	(void)from, (void)to;
	return said(comm, "reduce", count, type, op, root, stream);
}

int ncclReduceScatter(const void *from, void *to, size_t count, int type, int op,
	struct ncclComm *comm, void *stream)
{
	(void)from, (void)to;
	return said(comm, "reduce-scatter", count, type, op, -1, stream);
}

int ncclBroadcast(const void *from, void *to, size_t count, int type, int root,
	struct ncclComm *comm, void *stream)
{
	(void)from, (void)to;
	return said(comm, "broadcast", count, type, -1, root, stream);
}

/* By the name that others may stand in for, as the vendor's does. */
int ncclBcast(void *data, size_t count, int type, int root, struct ncclComm *comm, void *stream)
{
	return ncclBroadcast(data, data, count, type, root, comm, stream);
}

int ncclAllGather(
	const void *from, void *to, size_t count, int type, struct ncclComm *comm, void *stream)
{
	(void)from, (void)to;
	return said(comm, "all-gather", count, type, -1, -1, stream);
}

int ncclSend(
	const void *from, size_t count, int type, int peer, struct ncclComm *comm, void *stream)
{
	(void)from;
	return said(comm, "send", count, type, -1, peer, stream);
}

int ncclRecv(void *to, size_t count, int type, int peer, struct ncclComm *comm, void *stream)
{
	(void)to;
	return said(comm, "receive", count, type, -1, peer, stream);
}
