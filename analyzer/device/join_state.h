/* SPDX-License-Identifier: MIT */
/*
 * All that a join (join.h) knows while records come, whom it tells, and what it has counted. Plain
 * data of one join; the files of the join work on it. Not thread-safe.
 */
#ifndef ANALYZER_JOIN_STATE_H
#define ANALYZER_JOIN_STATE_H

#include "analyzer/device/join_table.h"
#include "analyzer/device/join_thread.h"
#include "analyzer/device/join_wait.h"
#include "analyzer/device/source.h"
#include "collector/base/idmap.h"

#define JOIN_NO_CALL UINT64_MAX

struct join_sink {
	void *context;
	/* An operation of a call, or of none that is known (JOIN_NO_CALL). 0 or -ENOMEM. */
	int (*operation)(void *context, uint64_t call, const struct record *operation);
	/* So many that were told without a call are of this one, from begin to end. */
	void (*claimed)(
		void *context, uint64_t call, uint32_t count, uint64_t begin_ns, uint64_t end_ns);
};

struct join_counts {
	uint64_t operations;
	uint64_t matched; /* of them: their call is known */
	uint64_t untimed; /* of them: their times were lost */
	uint64_t apis;    /* records of the interface, the second of a call not counted */
	uint64_t away; /* of them: asked for before the source was active, or before the window */
	uint64_t late; /* of them: reported when the calls of that time were forgotten */
	uint64_t crowded; /* records that were given up because too many waited */
};

struct join {
	struct join_sink sink;
	struct join_table table;
	struct join_wait wait;
	struct join_counts counts;
	struct idmap threads;
	struct join_thread *list, *last;
	uint64_t forgotten; /* calls with lower numbers are no longer waited for */
	struct source source;
};

#endif
