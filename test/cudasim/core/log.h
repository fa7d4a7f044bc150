/* SPDX-License-Identifier: MIT */
/*
 * The truth log (CUDASIM_LOG): one JSON object per line for every call and every operation.
 *
 * A thread that ends a call reserves a slot of one ring and copies the plain record into it;
 * nothing is formatted there, so that the log does not distort the times it reports. A thread of
 * its own turns slots into lines and appends them to the file in whole lines, every
 * CUDASIM_LOG_FLUSH; with 0 the calling thread does it before the call returns, so that not even
 * SIGKILL loses a finished call. A full ring makes the producer drain it: no line is ever lost
 * while the process lives. Lines come in the order in which calls ended.
 *
 * Records hold pointers to names; those live as long as the process. A forked child starts with
 * an empty ring and appends to the same file, or to its own when the file name contains %p.
 */
#ifndef CUDASIM_CORE_LOG_H
#define CUDASIM_CORE_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "sim.h"

enum log_type {
	LOG_CALL,
	LOG_OP,
	LOG_NOTE
};

struct log_record {
	uint8_t type; /* enum log_type */
	uint8_t layer;
	uint8_t op; /* of an operation: enum op_kind */
	uint8_t computed;
	int32_t result;
	uint32_t tid;
	uint32_t context;
	const char *what; /* function; kernel, memcpy, memset, host; text of a note */
	uint64_t id;      /* call: its id; operation: id of the outermost call it belongs to */
	uint64_t parent;  /* call: enclosing call or 0; operation: id of the driver call */
	uint64_t node;    /* operation of a graph: number of its node, from 1 */
	uint64_t begin_ns;
	uint64_t end_ns;
	const struct sim_detail *detail; /* the maker's, while the record is given */
	/* For the tap, not in the log: the outermost call that is not a vendor library's. */
	uint64_t api_call;
	const char *api_function;
};

/* 1 if there is a log or a tap, that is, if a record is worth making. Cheap; any thread. */
int log_wanted(void);

/* The same for a call of that function, on a layer, inside of another call (1) or not (0). */
int log_wants_call(const char *function, int layer, int is_inside);

/* As sim_private.set_tap. */
void log_set_tap(void (*tap)(const struct log_record *record),
	int (*wants)(const char *function, int layer, int is_inside));

/* As sim_private.tap_changed. */
void log_tap_changed(void);

/*
 * Gives the record to the tap and copies it into the log, where there are such. Any thread; not
 * under the state's lock.
 */
void log_put(const struct log_record *record);

/* One line with the fields "what" and "name", for things that are neither call nor operation. */
void log_note(const char *what, const char *name);

/* Writes out all finished records. Any thread. */
void log_drain(void);

/* Process exit: drains; from now on every record is written at once. */
void log_close(void);

/* Around fork(): before it, in the parent and in the child after it. */
void log_fork_prepare(void);
void log_fork_parent(void);
void log_fork_child(void);

/* Writes the record as one line with newline into text[size]; returns its length, 0: no room. */
size_t log_format(const struct log_record *record, char *text, size_t size);

#endif
