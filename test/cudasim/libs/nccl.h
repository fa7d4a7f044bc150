/* SPDX-License-Identifier: MIT */
/*
 * The stand-in for libnccl: what its parts share.
 *
 * nccl.c has the collectives and groups, nccl_comm.c communicators, nccl_meet.c the file in shared
 * memory through which ranks meet, nccl_run.c a collective's effect, nccl_reduce.c arithmetic,
 * nccl_settings.c CUDASIM_NCCL.
 *
 * A launch is a kernel that waits for others (struct cudasim_meeting). When it is enqueued it
 * posts what it sends in the shared file, with the moment at which its stream is ready; it is
 * carried out, from what all have posted, when somebody in this process has to know. So nobody
 * blocks in a collective's call, ranks may enqueue on different streams in different order, and
 * all compute the same begin on the common clock. Each rank adds in the order of ranks, so that
 * results are equal to the last bit.
 *
 * A collective of a communicator has a sequence number and one of NCCL_SLOTS places for it; so
 * have the transfers from each rank to each other one. Who waits for a rank whose process is
 * gone, or longer than the timeout, gets an error. A communicator's struct is never given back,
 * because a graph may name it; its file is closed with its last user.
 */
#ifndef CUDASIM_LIBS_NCCL_H
#define CUDASIM_LIBS_NCCL_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "../compute/types.h"

enum nccl_result {
	NCCL_SUCCESS = 0,
	NCCL_CUDA_ERROR = 1,
	NCCL_SYSTEM_ERROR = 2,
	NCCL_INTERNAL_ERROR = 3,
	NCCL_INVALID_ARGUMENT = 4,
	NCCL_INVALID_USAGE = 5,
	NCCL_REMOTE_ERROR = 6
};

enum nccl_limit {
	NCCL_RANKS = 16,
	NCCL_SLOTS = 8,
	NCCL_PARTS = 64, /* of a launch */
	NCCL_OPS = 16    /* scaled sums of a communicator */
};

enum nccl_kind {
	NCCL_ALL_REDUCE,
	NCCL_REDUCE,
	NCCL_REDUCE_SCATTER,
	NCCL_BROADCAST,
	NCCL_ALL_GATHER,
	NCCL_SEND,
	NCCL_RECEIVE
};

enum nccl_op {
	NCCL_SUM,
	NCCL_PROD,
	NCCL_MAX,
	NCCL_MIN,
	NCCL_AVG,
	NCCL_FIRST_SCALED /* sums of scaled inputs that the program has made */
};

/* One collective or transfer; count is in elements, of one rank where ranks have parts. */
struct nccl_part {
	enum nccl_kind kind;
	int type;
	int op;
	int peer; /* root, or the other side */
	const void *from;
	void *to;
	uint64_t count;
};

struct nccl_shared;
struct nccl_id {
	char bytes[128];
};

struct nccl_comm {
	uint64_t magic;
	int rank, ranks;
	int file;
	struct nccl_shared *shared; /* NULL: closed */
	char name[80];
	pthread_mutex_t lock; /* of what follows */
	unsigned users;
	uint64_t collectives, splits;
	uint64_t sent[NCCL_RANKS], received[NCCL_RANKS];
	int aborted;
	int error; /* what ncclCommGetAsyncError tells */
	struct nccl_scale {
		int type;
		int is_immediate;
		double value;
		const void *address;
	} scales[NCCL_OPS];
	int scale_count;
};

/* The parameter of a kernel. */
struct nccl_launch {
	struct nccl_comm *comm;
	uint32_t count;
	struct nccl_part parts[NCCL_PARTS];
};

/* One meeting of a channel's members under a sequence number. */
struct nccl_ticket {
	unsigned channel; /* 0: all ranks; otherwise nccl_pair() */
	unsigned me;      /* number among its members */
	uint64_t sequence;
};

/* nccl_meet.c. Errors are enum nccl_result, texts go to nccl_say(). */
int nccl_open(struct nccl_comm *comm);
int nccl_wait_members(struct nccl_comm *comm);
void nccl_leave(struct nccl_comm *comm);
void nccl_close(struct nccl_comm *comm);
unsigned nccl_pair(int from, int to);
/* Waits for a free place, then publishes bytes of data, when and what (the same for all). */
int nccl_post(struct nccl_comm *comm, const struct nccl_ticket *ticket, const void *data,
	size_t bytes, uint64_t ready_ns, uint64_t what);
/* 1: all have posted, *ret_ready_ns is raised to the latest; 0: not yet; negative: an error. */
int nccl_arrived(struct nccl_comm *comm, const struct nccl_ticket *ticket, uint64_t *ret_ready_ns);
/* What the member has posted. 0 or an error. */
int nccl_read(struct nccl_comm *comm, const struct nccl_ticket *ticket, unsigned member,
	uint64_t offset, void *to, size_t bytes);
/* Nothing of it is read any more. */
void nccl_done(struct nccl_comm *comm, const struct nccl_ticket *ticket);

/* nccl_comm.c */
int nccl_comm_is_valid(const struct nccl_comm *comm);
void nccl_comm_use(struct nccl_comm *comm);
void nccl_comm_unuse(struct nccl_comm *comm);
void nccl_comm_fail(struct nccl_comm *comm, int error);
void nccl_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* nccl.c */
int nccl_group_open(void);                        /* is the thread in a group? */
void nccl_group_wait_for(struct nccl_comm *comm); /* for its members, at the group's end */

#endif
