/* SPDX-License-Identifier: MIT */
#include "nccl_run.h"

#include <stdlib.h>
#include <string.h>

#include "nccl_reduce.h"
#include "nccl_settings.h"

const size_t nccl_launch_sizes[1] = {sizeof(struct nccl_launch)};

struct meeting {
	struct nccl_comm *comm;
	uint64_t begin_ns;
	int error;
	uint32_t count;
	struct step {
		struct nccl_part part;
		struct nccl_ticket ticket;
	} steps[];
};

static size_t bytes_of(const struct nccl_part *part)
{
	return part->count * nccl_type_size(part->type);
}

/* What this side has to show the others. */
static size_t bytes_shown(const struct nccl_comm *comm, const struct nccl_part *part)
{
	switch (part->kind) {
	case NCCL_BROADCAST:
		return comm->rank == part->peer ? bytes_of(part) : 0;
	case NCCL_REDUCE_SCATTER:
		return bytes_of(part) * (size_t)comm->ranks;
	case NCCL_RECEIVE:
		return 0;
	default:
		return bytes_of(part);
	}
}

static uint64_t mark_of(const struct nccl_part *part)
{
	if (part->kind == NCCL_SEND || part->kind == NCCL_RECEIVE)
		return bytes_of(part);
	return (uint64_t)part->kind | (uint64_t)part->type << 8 | (uint64_t)part->op << 16 |
	       (uint64_t)part->peer << 24 | part->count << 32;
}

static struct nccl_ticket take_ticket(struct nccl_comm *comm, const struct nccl_part *part)
{
	struct nccl_ticket ticket = {0, (unsigned)comm->rank, 0};

	pthread_mutex_lock(&comm->lock);
	if (part->kind == NCCL_SEND)
		ticket = (struct nccl_ticket){
			nccl_pair(comm->rank, part->peer), 0, comm->sent[part->peer]++};
	else if (part->kind == NCCL_RECEIVE)
		ticket = (struct nccl_ticket){
			nccl_pair(part->peer, comm->rank), 1, comm->received[part->peer]++};
	else
		ticket.sequence = comm->collectives++;
	pthread_mutex_unlock(&comm->lock);
	return ticket;
}

/* The factor of a scaled sum; a scalar on the device is read when the launch takes effect. */
static double factor_of(const struct nccl_comm *comm, int op)
{
	const struct nccl_scale *scale = &comm->scales[op - NCCL_FIRST_SCALED];

	if (scale->is_immediate || !scale->address)
		return scale->value;
	return type_get(nccl_type(scale->type), scale->address, 0);
}

static int post_scaled(struct nccl_comm *comm, const struct step *step, uint64_t ready_ns)
{
	size_t bytes = bytes_shown(comm, &step->part);
	void *scaled = malloc(bytes + 1);
	int result;

	if (!scaled)
		return NCCL_SYSTEM_ERROR;
	memcpy(scaled, step->part.from, bytes);
	nccl_scale(step->part.type, scaled, bytes / nccl_type_size(step->part.type),
		factor_of(comm, step->part.op));
	result = nccl_post(comm, &step->ticket, scaled, bytes, ready_ns, mark_of(&step->part));
	free(scaled);
	return result;
}

static void *come(const struct compute_launch *launch, uint64_t ready_ns)
{
	const struct nccl_launch *own = launch->args[0];
	struct nccl_comm *comm = own->comm;
	struct meeting *meeting;

	if (!nccl_comm_is_valid(comm) || !comm->shared)
		return NULL;
	meeting = calloc(1, sizeof(*meeting) + own->count * sizeof(meeting->steps[0]));
	if (!meeting)
		return NULL;
	nccl_comm_use(comm);
	meeting->comm = comm;
	meeting->begin_ns = nccl_now();
	meeting->count = own->count;
	for (uint32_t i = 0; i < own->count; i++) {
		struct step *step = &meeting->steps[i];
		const struct nccl_part *part = &step->part;

		step->part = own->parts[i];
		step->ticket = take_ticket(comm, part);
		if (meeting->error)
			continue;
		if (part->op >= NCCL_FIRST_SCALED)
			meeting->error = post_scaled(comm, step, ready_ns);
		else
			meeting->error = nccl_post(comm, &step->ticket, part->from,
				bytes_shown(comm, part), ready_ns, mark_of(part));
	}
	return meeting;
}

/* Reads everybody's elements from that one on and combines them in the order of ranks. */
static int reduce(struct nccl_comm *comm, const struct step *step, uint64_t offset)
{
	const struct nccl_part *part = &step->part;
	size_t bytes = bytes_of(part);
	char *other = malloc(bytes + 1);
	int result = other ? nccl_read(comm, &step->ticket, 0, offset, part->to, bytes)
			   : NCCL_SYSTEM_ERROR;

	for (unsigned i = 1; i < (unsigned)comm->ranks && !result; i++) {
		result = nccl_read(comm, &step->ticket, i, offset, other, bytes);
		if (!result)
			nccl_combine(part->type, part->op, part->to, other, part->count);
	}
	if (!result && part->op == NCCL_AVG)
		nccl_divide(part->type, part->to, part->count, comm->ranks);
	free(other);
	return result;
}

static int gather(struct nccl_comm *comm, const struct step *step)
{
	size_t bytes = bytes_of(&step->part);
	int result = NCCL_SUCCESS;

	for (unsigned i = 0; i < (unsigned)comm->ranks && !result; i++)
		result = nccl_read(
			comm, &step->ticket, i, 0, (char *)step->part.to + i * bytes, bytes);
	return result;
}

static int run(struct nccl_comm *comm, const struct step *step)
{
	const struct nccl_part *part = &step->part;

	switch (part->kind) {
	case NCCL_ALL_REDUCE:
		return reduce(comm, step, 0);
	case NCCL_REDUCE:
		return comm->rank == part->peer ? reduce(comm, step, 0) : NCCL_SUCCESS;
	case NCCL_REDUCE_SCATTER:
		return reduce(comm, step, (uint64_t)comm->rank * bytes_of(part));
	case NCCL_BROADCAST:
		return nccl_read(
			comm, &step->ticket, (unsigned)part->peer, 0, part->to, bytes_of(part));
	case NCCL_ALL_GATHER:
		return gather(comm, step);
	case NCCL_RECEIVE:
		return nccl_read(comm, &step->ticket, 0, 0, part->to, bytes_of(part));
	default:
		return NCCL_SUCCESS;
	}
}

/* 1: all members of all parts are there, 0: not yet, negative: an error. */
static int is_complete(struct meeting *meeting, uint64_t *ret_begin_ns)
{
	int complete = 1;

	for (uint32_t i = 0; i < meeting->count; i++) {
		int here = nccl_arrived(meeting->comm, &meeting->steps[i].ticket, ret_begin_ns);

		if (here < 0)
			return here;
		complete &= here;
	}
	if (complete)
		return 1;
	if (meeting->comm->aborted)
		return -NCCL_REMOTE_ERROR;
	if (nccl_now() - meeting->begin_ns <= nccl_settings()->timeout_ns)
		return 0;
	nccl_say("a rank did not come in time");
	return -NCCL_REMOTE_ERROR;
}

static int meet(void *handle, uint64_t *ret_begin_ns)
{
	struct meeting *meeting = handle;
	struct nccl_comm *comm = meeting->comm;
	uint64_t begin_ns = 0;
	int error = meeting->error, complete = error ? -error : is_complete(meeting, &begin_ns);

	if (!complete)
		return 0;
	if (complete < 0)
		error = -complete;
	for (uint32_t i = 0; i < meeting->count; i++) {
		if (!error)
			error = run(comm, &meeting->steps[i]);
		nccl_done(comm, &meeting->steps[i].ticket);
	}
	if (error)
		nccl_comm_fail(comm, error);
	else
		*ret_begin_ns = begin_ns;
	free(meeting);
	nccl_comm_unuse(comm);
	return error ? -1 : 1;
}

const struct cudasim_meeting nccl_meeting = {come, meet};

/* Bytes that go over the link of one rank, as a ring moves them. */
static double bytes_moved(const struct nccl_comm *comm, const struct nccl_part *part)
{
	double bytes = (double)bytes_of(part), others = comm->ranks - 1;

	switch (part->kind) {
	case NCCL_ALL_REDUCE:
		return 2 * bytes * others / comm->ranks;
	case NCCL_ALL_GATHER:
	case NCCL_REDUCE_SCATTER:
		return bytes * others;
	default:
		return bytes;
	}
}

uint64_t nccl_duration(const struct compute_launch *launch)
{
	const struct nccl_launch *own = launch->args[0];
	const struct nccl_settings *settings = nccl_settings();
	double bytes = 0;

	for (uint32_t i = 0; i < own->count; i++)
		bytes += bytes_moved(own->comm, &own->parts[i]);
	return settings->latency_ns + (uint64_t)(bytes / settings->bytes_per_ns);
}
