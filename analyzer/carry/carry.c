/* SPDX-License-Identifier: MIT */
#include "analyzer/carry/carry.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/carry/learnt.h"
#include "collector/base/idmap.h"
#include "collector/format/fields.h"

#define PENDING 64u    /* calls of a thread whose operators may not have ended */
#define THREADS 1024u  /* known at most; calls of others are passed on as they came */
#define LONG_NS 20000u /* an operator without a call matters from here on */

/*
 * A call, the outermost operator around it that has ended (of kind RECORD_NONE: none), and the
 * outermost ones behind it that have no call and took long.
 */
struct pending {
	uint64_t begin_ns, end_ns;
	uint64_t before_ns; /* end of the thread's call before */
	uint64_t key;
	unsigned behind_count;
	struct record op, behind[LEARNT_BEHIND];
};

struct carry_thread {
	struct carry_thread *next;
	uint32_t id;
	struct pending pending[PENDING]; /* a circle: from first, so many */
	uint32_t first, count;
	uint64_t call_ns; /* end of its last call */
	uint64_t key;     /* of that call */
	/* Of the call that was learnt last; 0: none. What follows it, in its operator. */
	uint64_t learnt_key, tail_ns;
	/* That was put around its last call and has not ended, and the next ones; else kind 0. */
	struct record op, behind[LEARNT_BEHIND];
	bool around;                     /* op has the call inside */
	const struct learnt_call *known; /* what is known of that call, or NULL */
	uint64_t op_ns;                  /* end of the last one that has */
};

struct carry {
	struct carry_sink sink;
	struct learnt learnt;
	struct idmap threads;
	struct carry_thread *list;
	struct carry_thread others; /* all beyond the limit, nothing of which is known */
	bool bare;                  /* operators are not recorded now */
	uint32_t open;              /* threads with an operator that has not ended */
	uint64_t soonest_ns;        /* of those, none around a call ends before */
	/* Records that came and were not passed on yet, of one thread. */
	const struct record *kept;
	size_t kept_count;
	uint32_t kept_thread;
	struct carry_counts counts;
};

struct carry *carry_new(const struct carry_sink *sink)
{
	struct carry *carry = calloc(1, sizeof(*carry));
	if (carry != NULL)
		carry->sink = *sink;
	return carry;
}

void carry_free(struct carry *carry)
{
	if (carry == NULL)
		return;
	for (struct carry_thread *thread = carry->list, *next; thread != NULL; thread = next) {
		next = thread->next;
		free(thread);
	}
	idmap_release(&carry->threads);
	free(carry);
}

struct carry_counts carry_counts(const struct carry *carry)
{
	return carry->counts;
}

/* NULL: no memory. */
static struct carry_thread *thread_of(struct carry *carry, uint32_t id)
{
	struct carry_thread *thread = idmap_get(&carry->threads, id);
	if (thread != NULL)
		return thread;
	if (carry->threads.count == THREADS) {
		carry->others.id = id;
		return &carry->others;
	}
	thread = calloc(1, sizeof(*thread));
	if (thread == NULL || idmap_set(&carry->threads, id, thread) < 0) {
		free(thread);
		return NULL;
	}
	thread->id = id;
	thread->next = carry->list;
	return carry->list = thread;
}

static bool is_call(const struct record *record)
{
	return record->kind >= RECORD_LAUNCH && record->kind <= RECORD_CALL && record->result == 0;
}

/* Of the program or its framework; may end a step. */
static bool is_range(const struct record *record)
{
	return record->kind == RECORD_OP && record_OP_scope(record) == OP_USER_SCOPE;
}

static struct pending *pending_at(struct carry_thread *thread, uint32_t index)
{
	return &thread->pending[(thread->first + index) % PENDING];
}

static uint64_t rise(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static void learn_behind(struct learnt_call *known, const struct pending *pending, uint64_t tail_ns,
	uint64_t next_ns)
{
	uint64_t from_ns = pending->end_ns, within_ns = tail_ns;
	for (unsigned i = 0; i < pending->behind_count; i++) {
		const struct record *op = &pending->behind[i];
		within_ns += op->end - op->begin;
		learnt_behind(known, i, op, rise(from_ns, op->begin));
	}
	if (next_ns != UINT64_MAX)
		learnt_after(known, rise(from_ns, next_ns), within_ns);
}

/* The oldest call has all the operators that it will have; next_ns: begin of the call after it. */
static void learn_oldest(struct carry *carry, struct carry_thread *thread, uint64_t next_ns)
{
	const struct pending *oldest = pending_at(thread, 0);
	const struct record *op = &oldest->op;
	struct learnt_call *known = learnt_find(&carry->learnt, oldest->key);
	bool enclosed = op->kind != RECORD_NONE;
	uint64_t from = enclosed && op->begin > oldest->before_ns ? op->begin : oldest->before_ns;
	uint64_t to = enclosed && op->end < next_ns ? op->end : next_ns;
	uint64_t lead_ns = enclosed ? rise(from, oldest->begin_ns) : 0,
		 tail_ns = enclosed ? rise(oldest->end_ns, to) : 0;
	if (thread->learnt_key != 0)
		learnt_gap(&carry->learnt, thread->learnt_key, oldest->key,
			rise(oldest->before_ns, oldest->begin_ns), thread->tail_ns + lead_ns);
	thread->learnt_key = next_ns == UINT64_MAX ? 0 : oldest->key;
	thread->tail_ns = tail_ns;
	if (known != NULL)
		learnt_see(known);
	if (known != NULL && enclosed)
		learnt_around(known, op, lead_ns, tail_ns);
	if (known != NULL)
		learn_behind(known, oldest, tail_ns, next_ns);
	thread->first++;
	thread->count--;
}

/* Operators cease to be recorded: those of the calls so far have ended. */
static void learn_all(struct carry *carry)
{
	for (struct carry_thread *thread = carry->list; thread != NULL; thread = thread->next)
		while (thread->count > 0)
			learn_oldest(carry, thread,
				thread->count > 1 ? pending_at(thread, 1)->begin_ns : UINT64_MAX);
}

static void note_call(struct carry *carry, struct carry_thread *thread, const struct record *call)
{
	if (thread->count == PENDING)
		learn_oldest(carry, thread, pending_at(thread, 1)->begin_ns);
	struct pending *pending = pending_at(thread, thread->count++);
	pending->begin_ns = call->begin;
	pending->end_ns = call->end;
	pending->before_ns = thread->call_ns;
	pending->key = learnt_key(thread->id, call);
	pending->behind_count = 0;
	pending->op.kind = RECORD_NONE;
	learnt_ahead(&carry->learnt, thread->key, pending->key);
	thread->key = pending->key;
}

/* An operator without a call: those inside of it are a part of it. */
static void note_behind(struct pending *last, const struct record *op)
{
	while (last->behind_count > 0 && last->behind[last->behind_count - 1].begin >= op->begin)
		last->behind_count--;
	if (op->end - op->begin >= LONG_NS && last->behind_count < LEARNT_BEHIND)
		last->behind[last->behind_count++] = *op;
}

/* The calls inside of it, which are the last ones, have a further operator around them. */
static void note_op(struct carry_thread *thread, const struct record *op)
{
	if (thread->count > 0 && op->begin >= pending_at(thread, thread->count - 1)->end_ns) {
		note_behind(pending_at(thread, thread->count - 1), op);
		return;
	}
	for (uint32_t i = thread->count; i > 0; i--) {
		struct pending *pending = pending_at(thread, i - 1);
		if (pending->begin_ns < op->begin)
			break;
		pending->op = *op;
	}
}

/* The next operator that is to be put in comes up. */
static void shift(struct carry_thread *thread)
{
	unsigned i = 0;
	thread->around = false;
	while (i < LEARNT_BEHIND - 1 && thread->behind[i].kind == RECORD_NONE)
		i++;
	thread->op.kind = RECORD_NONE;
	if (thread->behind[i].kind != RECORD_NONE)
		thread->op = thread->behind[i];
	thread->behind[i].kind = RECORD_NONE;
}

static int pass_on(struct carry *carry)
{
	const struct record *records = carry->kept;
	size_t count = carry->kept_count;
	carry->kept += count;
	carry->kept_count = 0;
	return count == 0
		       ? 0
		       : carry->sink.take(carry->sink.context, carry->kept_thread, records, count);
}

/* The operator that was put in and runs ends, at ns at the latest; the next one begins. */
static int end_op(struct carry *carry, struct carry_thread *thread, uint64_t ns)
{
	struct record op = thread->op;
	if (op.end > ns)
		op.end = ns > thread->call_ns ? ns : thread->call_ns;
	thread->op_ns = op.end;
	shift(thread);
	if (thread->op.kind == RECORD_NONE)
		carry->open--;
	else if (thread->op.begin < op.end)
		thread->op.begin = op.end;
	if (op.end <= op.begin)
		return 0;
	int err = pass_on(carry);
	return err < 0 ? err : carry->sink.put(carry->sink.context, thread->id, &op);
}

/* The next call has come: operators fill the time up to it as they did where they were recorded. */
static void stretch(struct carry_thread *thread, uint64_t ns)
{
	double longer = learnt_longer(thread->known, rise(thread->call_ns, ns));
	for (unsigned i = 0; i <= LEARNT_BEHIND; i++) {
		struct record *op = i == LEARNT_BEHIND ? &thread->op : &thread->behind[i];
		if (op->kind == RECORD_NONE || (op == &thread->op && thread->around))
			continue;
		op->begin = thread->call_ns +
			    (uint64_t)(longer * (double)rise(thread->call_ns, op->begin));
		op->end = thread->call_ns +
			  (uint64_t)(longer * (double)rise(thread->call_ns, op->end));
	}
}

/* Those around calls that have ended by then. */
static int end_ops(struct carry *carry, uint64_t ns)
{
	int err = 0;
	carry->soonest_ns = UINT64_MAX;
	for (struct carry_thread *thread = carry->list; thread != NULL && err == 0;
		thread = thread->next) {
		while (err == 0 && thread->op.kind != RECORD_NONE && thread->op.end <= ns &&
			(thread->around || ns == UINT64_MAX))
			err = end_op(carry, thread, ns);
		if (thread->around && thread->op.end < carry->soonest_ns)
			carry->soonest_ns = thread->op.end;
	}
	return err;
}

/* Before the record is passed on: the last call's operators reach up to the next call at most. */
static int before(struct carry *carry, struct carry_thread *thread, const struct record *record)
{
	int err = 0;
	bool call = is_call(record);
	if (call && thread->op.kind != RECORD_NONE)
		stretch(thread, record->begin);
	while (err == 0 && thread->op.kind != RECORD_NONE &&
		(call || (is_range(record) && thread->op.end <= record->begin)))
		err = end_op(carry, thread, record->begin);
	bool ended = carry->open > 0 && carry->soonest_ns <= record->end;
	return err == 0 && ended ? end_ops(carry, record->end) : err;
}

/* Where the operator around the call begins, which follows one of that key. */
static void begin_op(struct carry *carry, struct carry_thread *thread, uint64_t last_key,
	const struct record *call)
{
	struct record *op = &thread->op;
	uint64_t floor = thread->call_ns > thread->op_ns ? thread->call_ns : thread->op_ns;
	uint64_t ns = rise(thread->call_ns, call->begin);
	uint64_t filled = learnt_filled(&carry->learnt, last_key, thread->key, ns);
	uint64_t missing = rise(floor - thread->call_ns, filled);
	if (rise(op->begin, call->begin) < missing)
		op->begin = call->begin - missing;
	if (op->begin < floor)
		op->begin = floor < call->begin ? floor : call->begin;
	if (op->end < carry->soonest_ns)
		carry->soonest_ns = op->end;
}

/* Behind a call that comes next. */
static void put_around(struct carry *carry, struct carry_thread *thread, const struct record *call)
{
	uint64_t key = learnt_key(thread->id, call);
	const struct learnt_call *known = learnt_find(&carry->learnt, key);
	uint64_t last_key = thread->key;
	thread->key = key;
	carry->counts.calls++;
	carry->counts.known += learnt_tell(known, call, &thread->op, thread->behind);
	thread->known = known;
	thread->around = thread->op.kind != RECORD_NONE;
	if (thread->around)
		begin_op(carry, thread, last_key, call);
	else
		shift(thread);
	carry->open += thread->op.kind != RECORD_NONE;
}

/* What comes next while operators are recorded. */
static inline void learn_of(
	struct carry *carry, struct carry_thread *thread, const struct record *record)
{
	if (is_call(record)) {
		note_call(carry, thread, record);
		thread->call_ns = record->end;
	} else if (record->kind == RECORD_OP && !is_range(record)) {
		note_op(thread, record);
	}
}

static int take_one(struct carry *carry, struct carry_thread *thread, const struct record *record)
{
	int err = before(carry, thread, record);
	if (err < 0)
		return err;
	carry->kept_count++;
	if (record->kind == RECORD_BURST) {
		carry->bare = record_BURST_operators(record) == 0;
		if (carry->bare)
			learn_all(carry);
	} else if (thread == &carry->others) {
		carry->counts.calls += carry->bare && is_call(record);
	} else if (!carry->bare) {
		learn_of(carry, thread, record);
	} else if (is_call(record)) {
		put_around(carry, thread, record);
		thread->call_ns = record->end;
	} else if (record->kind == RECORD_OP && !is_range(record)) {
		note_op(thread, record);
	}
	return 0;
}

/* So many records between which nothing is put in: operators are recorded, and none is open. */
static size_t count_plain(const struct carry *carry, const struct record *records, size_t count)
{
	size_t plain = 0;
	bool puts = carry->bare || carry->open > 0;
	while (!puts && plain < count && records[plain].kind != RECORD_BURST)
		plain++;
	return plain;
}

int carry_add(struct carry *carry, uint32_t id, const struct record *records, size_t count)
{
	struct carry_thread *thread = thread_of(carry, id);
	int err = thread != NULL ? 0 : -ENOMEM;
	carry->kept = records;
	carry->kept_thread = id;
	for (size_t i = 0, plain; i < count && err == 0; i += plain > 0 ? plain : 1) {
		plain = count_plain(carry, &records[i], count - i);
		if (plain == 0)
			err = take_one(carry, thread, &records[i]);
		carry->kept_count += plain;
		for (size_t k = 0; k < plain && thread != &carry->others; k++)
			learn_of(carry, thread, &records[i + k]);
	}
	return err == 0 ? pass_on(carry) : err;
}

int carry_finish(struct carry *carry)
{
	return carry->open > 0 ? end_ops(carry, UINT64_MAX) : 0;
}
