/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "collector/base/clock.h"
#include "preload/calls/row.h"
#include "preload/nccl/comm.h"
#include "preload/nccl/emit.h"
#include "preload/nccl/group.h"
#include "preload/nccl/real.h"
#include "preload/process/process.h"
#include "preload/thread/guard.h"
#include "preload/track/stream_capture.h"

#define EXPORTED __attribute__((visibility("default")))
#define NONE     -1
#define CALL     &call

/*
 * NCCL's functions call each other by their names: only the outermost call is taken. A frame that
 * was left behind (by a longjmp) is taken back by the first call from above it.
 */
static bool enter(struct call *call, const void *caller, const char *frame)
{
	if (process_tracking == 0 || !nccl_is_recorded() || !group_thread() ||
		(group_own->outermost != NULL && frame < group_own->outermost) || !guard_enter())
		return false;
	group_own->outermost = frame;
	*call = (struct call){.caller = caller, .type = NONE, .reduction = NONE, .peer = NONE};
	return true;
}

/* The real one is called without the guard: the driver's calls in it are recorded. */
static void runs(struct call *call)
{
	guard_leave();
	call->begin = clock_ticks();
}

static bool returned(struct call *call, int result)
{
	call->end = clock_ticks();
	call->result = result;
	group_own->outermost = NULL;
	return guard_enter();
}

static void look(struct call *call, const void *handle)
{
	call->handle = handle;
	call->comm = comm_find(handle);
	if (call->comm == NULL)
		return;
	call->name = call->comm->name;
	call->rank = call->comm->rank;
	call->ranks = call->comm->ranks;
}

static void last(struct call *call, const void *handle)
{
	look(call, handle);
	comm_remove(handle);
}

static void moves(struct call *call, const void *handle, enum collective_what what, size_t count,
	int type, int reduction, int peer)
{
	look(call, handle);
	call->what = what;
	call->count = count;
	call->type = type;
	call->reduction = reduction;
	call->peer = peer;
}

/* The communicator, unless another thread has ended it meanwhile. */
static struct comm *comm_of(const struct call *call)
{
	bool same = call->comm != NULL &&
		    __atomic_load_n(&call->comm->handle, __ATOMIC_ACQUIRE) == call->handle;
	return same ? call->comm : NULL;
}

/* In the order of the ranks' calls: the same for all of them, but for transfers between two. */
static uint32_t number_of(const struct call *call)
{
	struct comm *comm = comm_of(call);
	bool transfer = call->what == COLLECTIVE_SEND || call->what == COLLECTIVE_RECEIVE;
	if (comm == NULL || !call_is_done(call))
		return 0;
	return __atomic_add_fetch(
		transfer ? &comm->transfers : &comm->collectives, 1, __ATOMIC_RELAXED);
}

static void moved(struct call *call, const void *stream)
{
	unsigned flags = 0;
	call->number = number_of(call);
	if (group_takes())
		flags |= COLLECTIVE_GROUPED;
	if (stream_is_captured(stream, false))
		flags |= COLLECTIVE_CAPTURED;
	call_emit(call, stream, flags);
}

static void told(struct call *call, enum collective_what what)
{
	call->what = what;
	call_emit(call, NULL, 0);
}

static void group_began(const struct call *call)
{
	if (call_is_done(call))
		group_begin();
}

static void group_ended(struct call *call, enum collective_what what)
{
	if (group_end(call_is_done(call), &call->number) && call->number > 0)
		told(call, what);
}

/* It is told where its address lies, which in a group is not known before the group's end. */
static void begun(struct call *call, ncclComm_t *comm, uint32_t name, int rank, int ranks)
{
	call->name = name;
	call->rank = (uint16_t)rank;
	call->ranks = (uint16_t)ranks;
	if (call_is_done(call) && comm != NULL && !group_begins(comm, name, rank, ranks))
		comm_add(*comm, name, rank, ranks);
}

static void began(struct call *call, ncclComm_t *comm, const ncclUniqueId *ids, int id_count,
	int rank, int ranks)
{
	begun(call, comm, call_is_done(call) ? comm_name_of_ids(ids, id_count) : 0, rank, ranks);
	told(call, COLLECTIVE_INIT);
}

static void all_began(struct call *call, ncclComm_t *comms, int count)
{
	uint32_t name = call_is_done(call) ? comm_name_of_process() : 0;
	for (int i = count - 1; i >= 0; i--)
		begun(call, &comms[i], name, i, count);
	told(call, COLLECTIVE_INIT);
}

/* Its rank in the part is asked for when it is used. */
static void parted(struct call *call, int color, ncclComm_t *part)
{
	struct comm *whole = comm_of(call);
	uint32_t number = 0;
	if (whole != NULL && call_is_done(call))
		number = __atomic_add_fetch(&whole->splits, 1, __ATOMIC_RELAXED);
	told(call, COLLECTIVE_SPLIT);
	if (!call_is_done(call) || part == NULL || color == NCCL_NO_COLOR)
		return;
	uint32_t name = number > 0 ? comm_name_of_part(call->name, number, color) : 0;
	if (!group_begins(part, name, 0, 0))
		comm_add(*part, name, 0, 0);
}

/* clang-format off */
#define FUNCTION(parameters, before, after, symbol)                                                \
	EXPORTED ncclResult_t symbol ROW_PARAMETERS(parameters);                                   \
	EXPORTED ncclResult_t symbol ROW_PARAMETERS(parameters)                                    \
	{                                                                                          \
		const void *caller = __builtin_return_address(0);                                  \
		ncclResult_t (*next) ROW_PARAMETERS(parameters) =                                  \
			nccl_next(NCCL_##symbol, caller);                                          \
		struct call call;                                                                  \
		if (next == NULL)                                                                  \
			return NCCL_NOT_FOUND;                                                     \
		if (!enter(&call, caller, __builtin_frame_address(0)))                             \
			return next ROW_ARGUMENTS(parameters);                                     \
		before;                                                                            \
		runs(&call);                                                                       \
		ncclResult_t result = next ROW_ARGUMENTS(parameters);                              \
		int saved = errno;                                                                 \
		if (returned(&call, result)) {                                                     \
			after;                                                                     \
			guard_leave();                                                             \
		}                                                                                  \
		errno = saved;                                                                     \
		return result;                                                                     \
	}
#include "preload/nccl/interposed.def"

void *const nccl_own[NCCL_COUNT] = {
#define INTERPOSED(parameters, form, symbol) [NCCL_##symbol] = (void *)symbol,
#include "preload/nccl/interposed.def"
#undef INTERPOSED
};
/* clang-format on */
