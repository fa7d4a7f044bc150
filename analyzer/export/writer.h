/* SPDX-License-Identifier: MIT */
/*
 * What a format of the time line has to be able to write: a struct of functions, one for each
 * kind of thing. Whose turn it is, on which row and in which lane things are, and which
 * operation belongs to which call is decided by the time line (timeline.h); a writer decides
 * nothing. Events come in no particular order.
 *
 * Times are CLOCK_MONOTONIC ns. Texts belong to the caller.
 */
#ifndef ANALYZER_EXPORT_WRITER_H
#define ANALYZER_EXPORT_WRITER_H

#include "analyzer/export/body.h"
#include "analyzer/export/rows.h"

struct timeline_process {
	uint64_t number; /* from 1, in the order of the files */
	uint64_t pid;    /* unlike those of all others */
	const char *name;
	uint64_t order;
};

struct timeline_track {
	uint64_t number; /* in all processes, from 1 */
	uint64_t tid;    /* in its process: the thread's, or one that no thread has */
	bool is_thread;
	const char *name;
	uint32_t order;
};

/* The call that asked for an operation. */
struct timeline_origin {
	const struct timeline_track *track;
	uint64_t flow; /* the one of the call's slice */
	uint64_t begin_ns, end_ns;
	bool many; /* it may have asked for several */
};

struct timeline_slice {
	const struct timeline_track *track;
	const struct record *record;
	const struct body_prepared *prepared;
	bool on_device;
	uint64_t flow;                        /* of a call that may ask for operations; 0: none */
	const struct timeline_origin *origin; /* of an operation; NULL: not known */
};

/* A step, a finding, or an instant (no length): a name and texts. */
struct timeline_span {
	const struct timeline_track *track; /* NULL: the process's */
	uint64_t begin_ns, end_ns;
	const char *name, *category;
	struct {
		const char *key, *text;
	} texts[3]; /* up to a NULL */
};

struct timeline_counter {
	const char *name, *unit;
	uint64_t ns;
	double value;
};

struct timeline_writer {
	const char *name;
	/*
	 * NULL: no memory, or what out stands for cannot be had. begin_ns: what times are counted
	 * from, where they are counted.
	 */
	void *(*new)(struct out *out, uint64_t begin_ns, enum demangle_how how);
	void (*free)(void *writer);
	void (*begin_file)(void *writer, struct reader *reader, const struct remarks *remarks);
	void (*end_file)(void *writer);
	void (*process)(void *writer, const struct timeline_process *process);
	/* A track of the process; again when its name has changed. */
	void (*track)(void *writer, const struct timeline_track *track);
	void (*slice)(void *writer, const struct timeline_slice *slice);
	void (*span)(void *writer, const struct timeline_span *span);
	void (*counter)(void *writer, const struct timeline_counter *counter);
	void (*finish)(void *writer);
	/* for what is prepared ahead */
	const struct body *(*body)(const void *writer);
};

#endif
