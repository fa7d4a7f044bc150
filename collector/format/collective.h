/* SPDX-License-Identifier: MIT */
/*
 * What the numbers in the fields of COLLECTIVE mean, as value.h says of all others; type and
 * reduction are numbered as ncclDataType_t and ncclRedOp_t. Constants alone: no code, no state.
 */
#ifndef COLLECTOR_FORMAT_COLLECTIVE_H
#define COLLECTOR_FORMAT_COLLECTIVE_H

/* what of COLLECTIVE */
enum collective_what {
	COLLECTIVE_ALL_REDUCE = 1,
	COLLECTIVE_REDUCE = 2,
	COLLECTIVE_REDUCE_SCATTER = 3,
	COLLECTIVE_BROADCAST = 4,
	COLLECTIVE_ALL_GATHER = 5,
	COLLECTIVE_ALL_TO_ALL = 6,
	COLLECTIVE_GATHER = 7,
	COLLECTIVE_SCATTER = 8,
	COLLECTIVE_SEND = 9,
	COLLECTIVE_RECEIVE = 10,
	COLLECTIVE_MOVES = 10,     /* up to here data is moved */
	COLLECTIVE_GROUP = 16,     /* ends: what was called inside is launched */
	COLLECTIVE_SIMULATED = 17, /* ends, and nothing of it is launched */
	COLLECTIVE_INIT = 32,      /* of a communicator */
	COLLECTIVE_SPLIT = 33,
	COLLECTIVE_FINALIZE = 34,
	COLLECTIVE_DESTROY = 35,
	COLLECTIVE_ABORT = 36,
};

/* result of COLLECTIVE that is no failure: the call goes on beside the program */
#define COLLECTIVE_IN_PROGRESS 7

/* flags of COLLECTIVE */
enum collective_flags {
	COLLECTIVE_GROUPED = 1 << 0,  /* it is launched when the group ends */
	COLLECTIVE_CAPTURED = 1 << 1, /* the stream was being captured: nothing ran */
};

#endif
