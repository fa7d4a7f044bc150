/* SPDX-License-Identifier: MIT */
/* What program.c calls of NCCL and library.c has of it. */
#ifndef TEST_RUN_NCCL_NCCL_H
#define TEST_RUN_NCCL_NCCL_H

#include <stddef.h>

struct ncclComm;
struct id {
	char bytes[128];
};

int ncclGetVersion(int *version);
int ncclCommUserRank(const struct ncclComm *comm, int *rank);
int ncclCommCount(const struct ncclComm *comm, int *ranks);
int ncclCommInitRank(struct ncclComm **comm, int ranks, struct id id, int rank);
int ncclCommInitRankScalable(
	struct ncclComm **comm, int ranks, int rank, int count, struct id *ids, void *config);
int ncclCommInitAll(struct ncclComm **comms, int count, const int *devices);
int ncclCommSplit(struct ncclComm *comm, int color, int key, struct ncclComm **part, void *config);
int ncclCommDestroy(struct ncclComm *comm);
int ncclCommAbort(struct ncclComm *comm);
int ncclCommFinalize(struct ncclComm *comm);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, struct ncclComm *comm,
	void *stream);
int ncclReduce(const void *from, void *to, size_t count, int type, int op, int root,
	struct ncclComm *comm, void *stream);
int ncclReduceScatter(const void *from, void *to, size_t count, int type, int op,
	struct ncclComm *comm, void *stream);
int ncclBroadcast(const void *from, void *to, size_t count, int type, int root,
	struct ncclComm *comm, void *stream);
int ncclBcast(void *data, size_t count, int type, int root, struct ncclComm *comm, void *stream);
int ncclAllGather(
	const void *from, void *to, size_t count, int type, struct ncclComm *comm, void *stream);
int ncclSend(
	const void *from, size_t count, int type, int peer, struct ncclComm *comm, void *stream);
int ncclRecv(void *to, size_t count, int type, int peer, struct ncclComm *comm, void *stream);

#endif
