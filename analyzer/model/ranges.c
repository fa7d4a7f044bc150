/* SPDX-License-Identifier: MIT */
#include "analyzer/model/kinds.h"

#include "analyzer/model/enqueue.h"
#include "analyzer/model/steps.h"
#include "collector/format/fields.h"

#include <string.h>

/* The backward pass is one range as long as its functions follow each other this closely. */
#define BACKWARD_GAP_NS 1000000u
/* A shorter wait for input is not worth a piece. */
#define INPUT_MIN_NS 20000u
/* Turns of one wait for Python's lock are not further apart. */
#define GIL_GAP_NS 100000u
/* The operator encloses these calls: they are known by its name. */
static void name_calls(struct model *model, struct model_thread *thread,
	const struct record *record, unsigned class)
{
	uint32_t kept =
		thread->pending_count < MODEL_PENDING ? thread->pending_count : MODEL_PENDING;
	for (uint32_t i = 0; i < kept; i++) {
		struct model_pending *pending =
			&thread->pending[(thread->pending_count - 1 - i) % MODEL_PENDING];
		if (pending->begin_ns < record->begin)
			break;
		struct spot *spot = &model->spots->items[pending->spot];
		spot->op_class |= class & ~(unsigned)OPCLASS_KNOWN;
		spot->outer_op = record->name;
		if (!pending->named) {
			spot->op = record->name;
			spot->named++;
			pending->named = true;
		}
		if ((class & OPCLASS_SHAPE) != 0 && !pending->shaped) {
			spot->shaped++;
			pending->shaped = true;
		}
	}
}

/* A compiled function has taken it, on a thread of its own: whoever called that waits for it. */
static bool is_for_caller(const struct model *model, const struct record *record)
{
	return model->alone && record->place == 0 && results_take_loads(&model->stepping.results);
}

static int loader_range(struct model *model, struct model_thread *thread,
	const struct record *record, unsigned class)
{
	if (!thread->launches)
		return 0;
	bool for_caller = is_for_caller(model, record);
	int err = for_caller ? 0 : model_shape(model, thread, record);
	if (err < 0) /* else it is known what it counts for */
		return err;
	uint32_t place = for_caller ? model->stepping.results.place : record->place;
	struct spot *spot =
		spots_find_named(model->spots, &model->lookup, place, record->name, SPOT_LOAD);
	spot->op_class |= class & ~(unsigned)OPCLASS_KNOWN;
	spot->outer_op = record->name;
	thread->blocked_count = 0; /* the loader is where data comes from */
	model->stepping.results.taken += for_caller;
	if (for_caller || !lines_is_aside(&model->lines, thread->line)) {
		model->values[MODEL_LOADS]++;
		model->values[MODEL_LOAD_NS] += record->end - record->begin;
		if (model_counts(model)) {
			spot_count(spot, model->steps.count, SPOT_CALLS, 1);
			spot_count(spot, model->steps.count, SPOT_HOST_NS,
				record->end - record->begin);
		}
	}
	err = model_piece(model, thread, PIECE_INPUT, record, spot_index(model->spots, spot));
	if (!for_caller)
		return err < 0 ? err : model_load(model, record);
	struct piece *last = thread->line != NULL ? host_last(&thread->line->host) : NULL;
	if (last != NULL)
		last->hands = model->lines.hands = true;
	return err;
}

static void backward_function(
	struct model *model, struct model_thread *thread, const struct record *record)
{
	uint64_t begin = record->begin;
	if (thread->backward_ns > 0 && begin < thread->backward_ns + BACKWARD_GAP_NS)
		begin = thread->backward_ns;
	if (record->end > begin)
		model->values[MODEL_BACKWARD_NS] += record->end - begin;
	thread->backward_ns = record->end;
	model_shape_backward(model);
}

static uint32_t operator_spot(struct model *model, const struct record *record, uint32_t name)
{
	struct spot *spot =
		spots_find_named(model->spots, &model->lookup, record->place, name, SPOT_OPERATOR);
	if (model_counts(model)) {
		spot_count(spot, model->steps.count, SPOT_CALLS, 1);
		spot_count(spot, model->steps.count, SPOT_HOST_NS, record->end - record->begin);
	}
	return spot_index(model->spots, spot);
}

/*
 * An operator that launches nothing is the host's work; one that does is launching. What
 * computes nothing (a view) is code: no device could do it instead.
 */
static int operator_piece(struct model *model, struct model_thread *thread,
	const struct record *record, unsigned class)
{
	struct line *line = model_line(model, thread);
	if (line == NULL || model_is_around(record, class))
		return 0;
	if (thread->call_ns < record->begin) {
		if ((class & OPCLASS_COMM) != 0)
			thread->sent_until = model->steps.count + 2;
		if (record->end - record->begin <= line->host.join_ns ||
			((class & OPCLASS_VIEW) != 0 && !model->alone))
			return host_code(&line->host, record->begin, record->end);
		return host_cover(&line->host, PIECE_HOST, record->begin, record->end,
			operator_spot(model, record, record->name), record->place);
	}
	if (host_extend(&line->host, record->begin, record->end, 0))
		return 0;
	return host_cover(&line->host, PIECE_LAUNCH, record->begin, record->end, 0, record->place);
}

/* Put in where the trace has none: what the host did is known from other steps, and no more. */
static int carried(struct model *model, struct model_thread *thread, const struct record *record)
{
	unsigned class = opname_get(&model->opnames, &model->lookup, record->name);
	if (!thread->launches)
		return 0;
	if ((class & OPCLASS_BACKWARD) != 0)
		backward_function(model, thread, record);
	return operator_piece(model, thread, record, class);
}

/* A stage of a loader without a GPU: whoever it is for waits for a batch. */
static int stage_piece(
	struct model *model, struct model_thread *thread, const struct record *record)
{
	struct line *line = model_line(model, thread);
	return line != NULL ? host_add(&line->host, PIECE_INPUT, record->begin, record->end, 0,
				      record->place)
			    : 0;
}

int model_op(struct model *model, struct model_thread *thread, const struct record *record)
{
	unsigned class = opname_get(&model->opnames, &model->lookup, record->name);
	const unsigned special = OPCLASS_MARK | OPCLASS_LOADER | OPCLASS_OPTIMIZER |
				 OPCLASS_BACKWARD | OPCLASS_IN_PROCESS;
	if ((record_OP_flags(record) & MODEL_CARRIED) != 0)
		return carried(model, thread, record);
	model->values[MODEL_OPS] += !model->bare.now;
	int err = model->alone ? model_work(model, thread, record, class) : 0;
	if (err < 0)
		return err;
	if (class & special) {
		if (class & OPCLASS_MARK)
			return model_mark_range(model, record->end);
		if (class & OPCLASS_LOADER)
			return loader_range(model, thread, record, class);
		if (class & OPCLASS_BACKWARD)
			backward_function(model, thread, record);
		if ((class & OPCLASS_BACKWARD) != 0 && thread->line != NULL)
			thread->line->turns = !thread->line->steps;
		if (class & OPCLASS_OPTIMIZER) {
			model->values[MODEL_OPTIMIZER_NS] += record->end - record->begin;
			return model_mark(model,
				marks_optimizer(&model->stepping.marks, record, thread->id),
				record->end);
		}
		if ((class & OPCLASS_IN_PROCESS) != 0 && model->alone)
			return stage_piece(model, thread, record);
	}
	if (record_OP_scope(record) == OP_USER_SCOPE || !thread->launches)
		return 0;
	if (thread->pending_count > 0)
		name_calls(model, thread, record, class);
	err = operator_piece(model, thread, record, class);
	if (err < 0 || record_OP_framework(record) == OP_TORCH ||
		!model_is_compiled(model, record, class, thread->call_ns >= record->begin))
		return err;
	model_take_fed(model, thread);
	return model_compiled(model, thread, record);
}

/* The innermost of nested ones counts; a range around it is no step of its own. */
int model_range(struct model *model, struct model_thread *thread, const struct record *record)
{
	if ((record_flags(record) & RANGE_STEP) != 0)
		return model_told(model, thread, record);
	unsigned class = opname_get(&model->opnames, &model->lookup, record->name);
	if ((class & (OPCLASS_MARK | OPCLASS_STEP_RANGE)) == 0 || !thread->launches ||
		record->begin <= model->stepping.range_ns)
		return 0;
	model->stepping.range_ns = record->begin;
	if (++model->stepping.ranges < STEP_RANGES_LEAST)
		return 0;
	return model_cut(model, STEP_BY_MARK, record->end);
}

/* A pause of Python's is told of the line at which it happened. 0 or -ENOMEM. */
static int python_piece(struct model *model, struct model_thread *thread,
	const struct record *record, enum piece_kind kind, bool goes_on)
{
	struct spot *spot = spots_find(model->spots, &model->lookup, record->place, 0,
		kind == PIECE_GC ? SPOT_COLLECTION : SPOT_LOCK);
	if (model_counts(model)) {
		spot_count(spot, model->steps.count, SPOT_CALLS, !goes_on);
		spot_count(spot, model->steps.count, SPOT_HOST_NS, record->end - record->begin);
	}
	return model_piece(model, thread, kind, record, spot_index(model->spots, spot));
}

int model_collection(struct model *model, struct model_thread *thread, const struct record *record)
{
	if (!thread->launches)
		return 0;
	uint64_t length = record->end - record->begin;
	model->values[MODEL_COLLECTIONS]++;
	model->values[MODEL_FULL_COLLECTIONS] += record_COLLECTION_generation(record) >= 2;
	model->values[MODEL_COLLECTION_NS] += length;
	if (model_counts(model) && length > model->collection_longest_ns)
		model->collection_longest_ns = length;
	return python_piece(model, thread, record, PIECE_GC, false);
}

/* The holder that has the least makes room: who holds the lock for long stays. */
static void note_holder(struct model *model, uint32_t tid, uint64_t ns)
{
	struct model_holder *least = &model->holders[0];
	for (unsigned i = 0; i < MODEL_HOLDERS; i++) {
		struct model_holder *holder = &model->holders[i];
		if (holder->tid == tid) {
			holder->ns += ns;
			return;
		}
		if (holder->ns < least->ns)
			least = holder;
	}
	*least = (struct model_holder){tid, ns};
}

/* A thread that helps waits for the thread that steps, which runs code: nobody is held up. */
static bool waits_for_owner(
	const struct model *model, const struct model_thread *thread, const struct record *record)
{
	uint32_t owner = model->stepping.thread;
	return owner != 0 && owner != thread->id && record_GIL_holder(record) != 0 &&
	       record_GIL_holder(record) == lookup_tid(&model->lookup, owner);
}

/* Turns that follow each other at once are one wait. */
int model_gil(struct model *model, struct model_thread *thread, const struct record *record)
{
	if (!thread->launches || waits_for_owner(model, thread, record))
		return 0;
	uint64_t length = record->end - record->begin;
	bool goes_on = thread->gil_ns != 0 && record->begin < thread->gil_ns + GIL_GAP_NS;
	model->values[MODEL_GIL_WAITS] += !goes_on;
	model->values[MODEL_GIL_NS] += length;
	if (model_counts(model) && record_GIL_holder(record) != 0)
		note_holder(model, record_GIL_holder(record), length);
	thread->gil_ns = record->end;
	return python_piece(model, thread, record, PIECE_GIL, goes_on);
}

/*
 * Locks of Python and queues of a program wait so; the threads of a framework, which run a backward
 * pass for instance, are waited for by a condition.
 */
static bool is_semaphore(const struct model *model, const struct record *record)
{
	return strncmp(lookup_call(&model->lookup, record->call), "sem_", 4) == 0;
}

/* What was waited for; older traces say it only by the name of the call. */
static enum input_what what_of(
	const struct model *model, const struct record *record, enum input_medium *ret_medium)
{
	enum input_what what = (enum input_what)record_INPUT_what(record);
	*ret_medium = (enum input_medium)record_INPUT_medium(record);
	if (what != INPUT_UNKNOWN)
		return what;
	if (is_semaphore(model, record))
		return INPUT_LOCK;
	const char *call = lookup_call(&model->lookup, record->call);
	if (strstr(call, "poll") != NULL || strstr(call, "select") != NULL)
		return INPUT_POLL;
	*ret_medium = strncmp(call, "recv", 4) == 0 ? MEDIUM_SOCKET : MEDIUM_FILE;
	return INPUT_READ;
}

/* Count a wait, and whether data came from it as far as that is known now. */
static void count_wait(struct model *model, struct model_thread *thread, struct spot *spot,
	const struct record *record, enum input_what what, enum input_medium medium, bool feeds)
{
	uint32_t index = spot_index(model->spots, spot);
	uint64_t step = model->steps.count,
		 bytes = record_INPUT_bytes(record) > 0 ? (uint64_t)record_INPUT_bytes(record) : 0;
	bool noted = false, fed = what == INPUT_READ && medium == MEDIUM_FILE;
	/* the lock of a file holds no data */
	feeds = feeds && (what < INPUT_LOCK || (what == INPUT_LOCK && medium != MEDIUM_FILE));
	if (feeds && what == INPUT_LOCK)
		fed = model_is_fed_by_others(model, thread, record);
	if (record->end - record->begin >= spot->longest_ns) {
		spot->longest_ns = record->end - record->begin;
		spot->what = (uint8_t)what;
		if (spot->file != 0) /* else it is its call that makes it a spot */
			spot->call = record->call;
	}
	if (feeds && !fed)
		noted = model_note_blocked(thread, index, record);
	if (!model_counts(model) || lines_is_aside(&model->lines, thread->line))
		return;
	spot_count(spot, step, SPOT_CALLS, 1);
	spot_count(spot, step, SPOT_HOST_NS, record->end - record->begin);
	spot_count(spot, step, SPOT_BYTES, bytes);
	spot_count(spot, step, SPOT_TURNS, !noted);
	spot_count(spot, step, SPOT_FED, fed);
}

/*
 * For what compiled functions give: in their framework's code, or by a method of theirs that is no
 * Python code. Those wait by the kernel's own call, which the locks of Python and of C do not.
 */
static bool awaits_result(struct model *model, const struct record *record, enum input_what what)
{
	const struct meta_PLACE *place = lookup_place(&model->lookup, record->place);
	if (model->stepping.results.name == 0 || place == NULL)
		return false;
	if (what == INPUT_LOCK && (model->alone || place->library_file == 0) &&
		strcmp(lookup_call(&model->lookup, record->call), "syscall") == 0)
		return true;
	return place->library_file != 0 &&
	       (opname_get(&model->opnames, &model->lookup, (uint32_t)place->library_file) &
		       OPCLASS_AWAITS) != 0;
}

/* The host is at work for compiled functions, though not on this thread. */
static int result_piece(struct model *model, struct line *line, const struct record *record)
{
	uint32_t index = operator_spot(model, record, model_awaited(model, record));
	model->spots->items[index].awaits = true;
	if (line->steps && model->stepping.results.ahead)
		burst_awaited(&model->stepping.burst, record->end - record->begin);
	int err = host_cover(
		&line->host, PIECE_HOST, record->begin, record->end, index, record->place);
	struct piece *last = host_last(&line->host);
	if (last != NULL)
		last->yields = YIELDS_TURN;
	return err == 0 && line->steps ? model_paid(model, record->end) : err;
}

int model_input(struct model *model, struct model_thread *thread, const struct record *record)
{
	enum input_medium medium;
	if (!thread->launches || record->end - record->begin < INPUT_MIN_NS)
		return 0;
	struct line *line = model_line(model, thread);
	if (line == NULL)
		return 0;
	int err = model_work_input(model, thread, record);
	enum input_what what = what_of(model, record, &medium);
	bool awaits = awaits_result(model, record, what);
	if (err == 0 && what == INPUT_LOCK && model_is_called_back(thread, record))
		return model_called_back(model, thread, record);
	if (err < 0 || (awaits && model->alone))
		return err < 0 ? err : result_piece(model, line, record);
	struct spot *spot =
		spots_find(model->spots, &model->lookup, record->place, record->call, SPOT_BLOCKED);
	bool semaphore = is_semaphore(model, record);
	bool back =
		what == INPUT_LOCK && !semaphore && model_awaits_backward(model, thread, record);
	spot->awaits |= back && line == model->lines.owner;
	count_wait(model, thread, spot, record, what, medium,
		!awaits && !back && !model_awaits_ranks(model, thread, record, spot));
	if (line == model->lines.owner)
		model->values[MODEL_HELD_NS] += record->end - record->begin;
	err = host_add(&line->host, PIECE_STALL, record->begin, record->end,
		spot_index(model->spots, spot), record->place);
	if (err == 0 && what == INPUT_LOCK && line->host.pieces.count > 0)
		line->host.pieces.items[line->host.pieces.count - 1].yields =
			semaphore ? YIELDS_LOCK : YIELDS_TURN;
	if (what == INPUT_LOCK && line->steps)
		model_await(model, record);
	return err;
}
