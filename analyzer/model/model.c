/* SPDX-License-Identifier: MIT */
#include "analyzer/model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/model/kinds.h"
#include "analyzer/model/pace.h"
#include "analyzer/model/settle.h"
#include "analyzer/model/steps.h"
#include "collector/format/fields.h"

/* What a wait for nothing takes, until a shorter one has been seen. */
#define LEAST_SYNC_NS 5000u
/* What it takes to release memory that nobody uses any more, until less has been seen. */
#define LEAST_RELEASE_NS 50000u

struct model *model_new(const struct lookup *lookup, const struct model_options *options)
{
	struct model *model = calloc(1, sizeof(*model));
	if (model == NULL)
		return NULL;
	model->lookup = *lookup;
	model->options = *options;
	model->least_sync_ns = LEAST_SYNC_NS;
	model->least_release_ns = LEAST_RELEASE_NS;
	model->least_unload_ns = LEAST_RELEASE_NS;
	model->first_ns = UINT64_MAX;
	lines_init(&model->lines, options->join_ns);
	model->spots = spots_new();
	const struct observer *observer = options->observer;
	model->device = device_new(observer != NULL && observer->pair != NULL);
	model->prefix = malloc(MODEL_PREFIX * sizeof(*model->prefix));
	model->stepping.tokens = malloc(PERIOD_TOKENS * sizeof(*model->stepping.tokens));
	bool made = model->spots != NULL && model->device != NULL && model->prefix != NULL &&
		    model->stepping.tokens != NULL;
	int err = made ? series_init(&model->counted, MODEL_VALUE_COUNT) : -ENOMEM;
	if (err == 0)
		err = sweep_init(&model->sweep, model->spots, &model->lookup, &model->steps);
	if (err < 0) {
		model_free(model);
		return NULL;
	}
	model->sweep.watch = options->watch;
	return model;
}

void model_free(struct model *model)
{
	if (model == NULL)
		return;
	for (struct model_thread *thread = model->thread_list, *next; thread != NULL;
		thread = next) {
		next = thread->next;
		free(thread);
	}
	idmap_release(&model->threads);
	opname_release(&model->opnames);
	stepname_release(&model->stepping.names);
	vec_release(&model->stepping.held);
	spots_free(model->spots);
	device_free(model->device);
	join_free(model->join);
	circle_release(&model->jobs);
	pace_release(&model->pace);
	lines_release(&model->lines);
	series_release(&model->counted);
	sweep_release(&model->sweep);
	free(model->prefix);
	free(model->stepping.tokens);
	load_release(&model->load);
	free(model);
}

/* The thread of an id, a new one if need be; NULL: no memory. */
static struct model_thread *find_thread(struct model *model, uint32_t id)
{
	struct model_thread *thread = idmap_get(&model->threads, id);
	if (thread == NULL) {
		thread = calloc(1, sizeof(*thread));
		if (thread == NULL)
			return NULL;
		thread->id = id;
		thread->tid = (uint32_t)lookup_tid(&model->lookup, id);
		if (idmap_set(&model->threads, id, thread) < 0) {
			free(thread);
			return NULL;
		}
		thread->next = model->thread_list;
		model->thread_list = thread;
	}
	return model->last_thread = thread;
}

static inline struct model_thread *thread_of(struct model *model, uint32_t id)
{
	bool same = model->last_thread != NULL && model->last_thread->id == id;
	return same ? model->last_thread : find_thread(model, id);
}

/* Blocking reads of files, of steps that are no set-up. */
static void file_read(struct model *model, uint32_t tid, const struct record *record)
{
	if (record_INPUT_what(record) != INPUT_READ || record_INPUT_medium(record) != MEDIUM_FILE ||
		model->steps.count == 0)
		return;
	model->values[MODEL_FILE_NS] += record->end - record->begin;
	load_read(&model->load, tid, record);
}

/* Who looks at calls and operators is shown one. */
static int observe(const struct model *model, uint32_t thread, const struct record *record)
{
	uint64_t step = model->steps.count;
	return steps_wanted(&model->steps, step)
		       ? observer_tell(model->options.observer, step, thread, record)
		       : 0;
}

static inline __attribute__((always_inline)) int take(
	struct model *model, struct model_thread *thread, const struct record *record, bool watched)
{
	if (__builtin_expect(model->alone, 0) && model_gives_work(record))
		model_meet_device(model);
	if (thread->line != NULL)
		thread->line->last_ns = record->end;
	bool shapes = record->kind <= RECORD_GRAPH && thread->id == model->stepping.thread;
	int err = shapes ? model_shape(model, thread, record) : 0;
	/* after the cut that it may make, so that who looks counts it where we do */
	if (err == 0 && watched && model->options.observer != NULL)
		err = observe(model, thread->id, record);
	if (err < 0)
		return err;
	switch (record->kind) {
	case RECORD_LAUNCH:
		model_note_device(model, record_device(record));
		return model_launch(model, thread, record);
	case RECORD_GRAPH:
		return model_graph(model, thread, record);
	case RECORD_COPY:
		model_note_device(model, record_device(record));
		return model_copy(model, thread, record);
	case RECORD_SET:
		model_note_device(model, record_device(record));
		return model_set(model, thread, record);
	case RECORD_SYNC:
		return model_sync(model, thread, record);
	case RECORD_EVENT:
	case RECORD_STREAM:
		return model_other(model, thread, record);
	case RECORD_ALLOC:
		return model_alloc(model, thread, record);
	case RECORD_CALL:
		return model_call(model, thread, record);
	case RECORD_OP:
		return model_op(model, thread, record);
	case RECORD_RANGE:
		return model_range(model, thread, record);
	case RECORD_INPUT:
		file_read(model, thread->tid, record);
		return model_input(model, thread, record);
	case RECORD_STACK:
		return model_stack(model, record);
	case RECORD_COLLECTION:
		return model_collection(model, thread, record);
	case RECORD_GIL:
		return model_gil(model, thread, record);
	case RECORD_SAMPLE:
		return model_sample(model, record);
	case RECORD_MARK:
		return model_still(model, record);
	case RECORD_BURST:
		return model_burst(model, record);
	case RECORD_THREAD_SAMPLE:
		return load_add(&model->load, model->steps.count, record);
	default:
		return 0;
	}
}

/* watched false: nobody looks on, and the user named nothing that ends steps. */
static inline __attribute__((always_inline)) int count_record(
	struct model *model, struct model_thread *thread, const struct record *record, bool watched)
{
	uint64_t count = model->steps.count;
	int err = take(model, thread, record, watched);
	if (err == 0 && watched && model->options.asked != STEP_BY_NOTHING)
		err = model_asked(model, thread, record);
	if (model->steps.count > count)
		load_cut(&model->load, thread->tid);
	return err;
}

int model_count(struct model *model, struct model_thread *thread, const struct record *record)
{
	model->last_thread = thread;
	return count_record(model, thread, record, true);
}

static inline __attribute__((always_inline)) int dispatch(
	struct model *model, struct model_thread *thread, const struct record *record)
{
	if (__builtin_expect(model->options.asked == STEP_BY_RANGE, 0))
		return model_hold(model, thread, record);
	return count_record(model, thread, record, true);
}

/* Learn from the beginning of the trace, then count it. */
static int work_through_prefix(struct model *model)
{
	struct model_prefix *prefix = model->prefix;
	uint32_t busiest = 0; /* the first thread that has launched so much */
	uint64_t most = 0;
	/* again each time the trace has doubled: the search is dear, and a set-up may be long */
	model->stepping.next_search = 2 * model->events;
	bool marked = false;
	model->prefix = NULL;
	model->alone = model->sweep.alone = model_is_alone(model, prefix);
	for (uint32_t i = 0; i < model->prefix_count; i++) {
		const struct record *record = &prefix[i].record;
		struct model_thread *thread = thread_of(model, prefix[i].thread);
		if (thread == NULL) {
			free(prefix);
			return -ENOMEM;
		}
		thread->launches |= record->kind == RECORD_LAUNCH || record->kind == RECORD_COPY;
		if (record->kind == RECORD_LAUNCH && ++thread->launch_count > most) {
			most = thread->launch_count;
			busiest = thread->id;
		}
	}
	for (uint32_t i = model->prefix_count; i-- > 0;)
		model_own_launch(model, thread_of(model, prefix[i].thread), &prefix[i].record);
	model->stepping.main_thread = model_main_thread(model, busiest);
	for (uint32_t i = 0; i < model->prefix_count; i++) {
		const struct record *record = &prefix[i].record;
		struct model_thread *thread = thread_of(model, prefix[i].thread);
		marked |= model_learn(model, thread, record);
		if (record->kind != RECORD_OP && thread->id == model->stepping.main_thread)
			(void)model_token(model, thread, record);
	}
	/* marks cut better than a pattern */
	if (!marked)
		model_find_period(model);
	marks_decide(&model->stepping.marks);
	vote_elect(&model->stepping.loaders);
	vote_elect(&model->stepping.results.votes[0]);
	vote_elect(&model->stepping.results.votes[1]);
	model->prefix = prefix;
	model_learn_shape(model);
	model->prefix = NULL;
	model->stepping.token_count = model->stepping.token_cut = 0;
	model->steps.selected = model->options.selected;
	model->steps.context = model->options.context;
	int err = 0;
	for (uint32_t i = 0; i < model->prefix_count && err == 0; i++) /* they are known by now */
		err = dispatch(model, thread_of(model, prefix[i].thread), &prefix[i].record);
	free(prefix);
	return err;
}

void model_set_window(struct model *model, uint64_t from_ns, uint64_t to_ns)
{
	model->from_ns = from_ns;
	model->to_ns = to_ns;
}

/* The first record of all. */
static __attribute__((noinline)) void begin(struct model *model, const struct record *record)
{
	steps_init(&model->steps, record->begin);
	model->values = series_at(&model->counted, 0);
	model->sweep.at_ns = record->begin;
}

static __attribute__((noinline)) int keep_prefix(
	struct model *model, uint32_t thread, const struct record *record)
{
	model->prefix[model->prefix_count++] =
		(struct model_prefix){.record = *record, .thread = thread};
	return model->prefix_count == MODEL_PREFIX ? work_through_prefix(model) : 0;
}

/* What is known of all records alike. */
static inline void note(struct model *model, const struct record *record)
{
	model->events++;
	if (record->kind < RECORD_KIND_LIMIT)
		model->kinds[record->kind]++;
	if (record->begin < model->first_ns)
		model->first_ns = record->begin;
	if (record->end > model->last_ns)
		model->last_ns = record->end;
}

/* Where nothing marks steps, a pattern is looked for again from time to time. */
static inline void search(struct model *model)
{
	if (model->steps.method == STEP_BY_NOTHING &&
		model->events >= model->stepping.next_search) {
		model_find_period(model);
		model->stepping.next_search = 2 * model->events;
	}
}

/* Whatever there is to be seen to before. */
static __attribute__((noinline)) int add(
	struct model *model, uint32_t id, const struct record *record)
{
	if (model->values == NULL)
		begin(model, record);
	note(model, record);
	if (model->prefix != NULL)
		return keep_prefix(model, id, record);
	search(model);
	struct model_thread *thread = thread_of(model, id);
	return thread != NULL ? dispatch(model, thread, record) : -ENOMEM;
}

/* What ends behind the window is no mark in it; of a call there is what lies within. */
static __attribute__((noinline)) int add_within(
	struct model *model, uint32_t thread, const struct record *record)
{
	bool marks = record->kind == RECORD_OP || record->kind == RECORD_RANGE;
	if (marks && record->end > model->to_ns)
		return 0;
	struct record part = model_within(model, record);
	return add(model, thread, &part);
}

int model_carry(struct model *model, uint32_t id, const struct record *op)
{
	struct record flagged = *op;
	if (model->to_ns != 0 && op->end > model->to_ns)
		return 0;
	record_set_OP_flags(&flagged, MODEL_CARRIED);
	if (model->prefix != NULL)
		return keep_prefix(model, id, &flagged);
	struct model_thread *thread = thread_of(model, id);
	return thread != NULL ? dispatch(model, thread, &flagged) : -ENOMEM;
}

/* Records of one thread, all of which are counted as they come. */
static int add_plain(struct model *model, uint32_t id, const struct record *records, size_t count)
{
	struct model_thread *thread = count > 0 ? thread_of(model, id) : NULL;
	bool watched = model->options.observer != NULL || model->options.asked != STEP_BY_NOTHING;
	int err = thread != NULL || count == 0 ? 0 : -ENOMEM;
	const struct record *record = records, *end = records + count;
	for (; record < end && err == 0 && (watched || model->steps.method == STEP_BY_NOTHING);
		record++) {
		note(model, record);
		search(model);
		err = model_count(model, thread, record);
	}
	for (; record < end && err == 0; record++) {
		note(model, record);
		err = count_record(model, thread, record, false);
	}
	return err;
}

int model_add(struct model *model, uint32_t thread, const struct record *records, size_t count)
{
	int err = 0;
	size_t i = 0;
	bool within = model->to_ns != 0, held = model->options.asked == STEP_BY_RANGE;
	for (; i < count && err == 0 && (model->prefix != NULL || within || held); i++)
		err = within ? add_within(model, thread, &records[i])
			     : add(model, thread, &records[i]);
	return err < 0 ? err : add_plain(model, thread, &records[i], count - i);
}

int model_finish(struct model *model)
{
	int err = 0;
	if (model->prefix != NULL)
		err = work_through_prefix(model);
	if (err == 0)
		err = model_hold_end(model);
	if (err == 0 && model->join != NULL)
		err = join_finish(model->join);
	struct model_wait rest = {.begin_ns = model->last_ns,
		.end_ns = model->last_ns,
		.stream = DEVICE_ALL_STREAMS,
		.count = device_count(model->device),
		.open = true};
	if (err == 0 && model->values != NULL)
		err = model_shape_rest(model);
	if (err == 0 && model->values != NULL)
		err = model_settle(model, &rest);
	if (err == 0)
		err = model_run_jobs(model, true);
	if (err < 0)
		return err;
	pace_finish(model);
	model_drop_rest(model);
	return 0;
}
