/* SPDX-License-Identifier: MIT */
/*
 * What is counted of a spot (spot.h): by the model when a record is read, and by the account, which
 * runs behind, when it knows what idled the device. Sums per step, in ns, bytes or calls; kinds of
 * spots that cannot have a figure use its place for another.
 */
#ifndef ANALYZER_SPOT_VALUE_H
#define ANALYZER_SPOT_VALUE_H

/* Counted as records come. */
enum spot_value {
	SPOT_CALLS,
	SPOT_HOST_NS,  /* in the calls */
	SPOT_BYTES,    /* copied */
	SPOT_SCALAR,   /* calls that read at most SPOT_SCALAR_BYTES */
	SPOT_TENSOR,   /* calls that read more */
	SPOT_PLAIN,    /* calls that copy nothing */
	SPOT_PAGEABLE, /* calls that copy from or to pageable memory */
	SPOT_ASYNC,    /* calls of an asynchronous form */
	SPOT_STEPS,    /* steps with a call */
	SPOT_TURNS,    /* BLOCKED: waits, those in a row counted as one */
	SPOT_FED,      /* after which data went to the device */
	SPOT_VALUE_COUNT,
	SPOT_RELEASES = SPOT_SCALAR, /* SPOT_ALLOC: calls that free */
	SPOT_REFUSED = SPOT_TENSOR,  /* SPOT_ALLOC: calls for which there was no memory */
	SPOT_POLLS = SPOT_PAGEABLE,  /* SPOT_WAIT: waits that ask again and again */
	/* SPOT_LAUNCH: what threads that it waits for launch meanwhile, in code without lines */
	SPOT_BEHIND_NS = SPOT_TENSOR
};
#define SPOT_SCALAR_BYTES 16u

/* Found by the account. */
enum spot_finding {
	SPOT_WAITED_NS,    /* the device kept the host waiting */
	SPOT_EXPOSED_NS,   /* the device was idle, or only copied, because of it */
	SPOT_DEVICE_NS,    /* its copies took on the device, as far as that was measured */
	SPOT_DEVICE_BYTES, /* they moved */
	SPOT_LINE_NS,      /* of the account's line of host time */
	SPOT_SAMPLES,      /* CODE: so many */
	SPOT_FINDING_COUNT
};

#endif
