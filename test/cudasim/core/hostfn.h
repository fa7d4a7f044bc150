/* SPDX-License-Identifier: MIT */
/*
 * Functions of the program that a stream calls (cudaLaunchHostFunc, cudaStreamAddCallback).
 *
 * A thread of the driver's own calls each of them when its modelled moment has come. How long it
 * takes is not known beforehand, so operations enqueued behind it have been given times as if it
 * took none; a point (stream.h) carries its number, and a wait for the point also waits for the
 * return of the function. What is enqueued after the return begins after it.
 */
#ifndef CUDASIM_CORE_HOSTFN_H
#define CUDASIM_CORE_HOSTFN_H

#include <stdint.h>

#include "../cuda_abi.h"
#include "log.h"

struct hostfn {
	cuda_host_function *function; /* this one, or else the callback */
	cuda_stream_callback *callback;
	void *user_data;
	CUstream stream;          /* as the program named it, for the callback */
	CUstream resolved;        /* whose end moves when the function takes long */
	uint64_t begin_ns;        /* modelled moment */
	struct log_record record; /* written, with the real times, when it has returned */
	struct sim_detail detail; /* the record's */
};

/* Queues a copy of *hostfn; returns its number, 0 when out of memory. Expects the state's lock. */
uint64_t hostfn_add(const struct hostfn *hostfn);

/*
 * 1 if the function with that number, and the older ones that were due by end_ns, have returned;
 * 0 as a number means none. Takes no lock but its own.
 */
int hostfn_done(uint64_t number, uint64_t end_ns);

/* Waits for that. Returns at once when called by one of these functions. */
void hostfn_wait(uint64_t number, uint64_t end_ns);

#endif
