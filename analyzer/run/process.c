/* SPDX-License-Identifier: MIT */
#include "analyzer/run/process.h"

#include <errno.h>
#include <string.h>

#include "analyzer/read/merge.h"
#include "analyzer/run/feed.h"

#define PROGRESS_EVERY 64u /* items */
#define TOGETHER       64u /* records */

static const char *text_of(const void *context, uint32_t id)
{
	return reader_text(context, id);
}

static const struct meta_PLACE *place_of(const void *context, uint32_t id)
{
	return reader_place(context, id);
}

static const char *call_of(const void *context, uint16_t id)
{
	return reader_call(context, id);
}

static uint64_t tid_of(const void *context, uint32_t thread)
{
	const struct meta_THREAD *found = reader_thread(context, thread);
	return found != NULL ? found->tid : 0;
}

static const struct meta_STACK *stack_of(const void *context, uint32_t id)
{
	return reader_stack(context, id);
}

/* What the model is given. */
enum given {
	GIVEN_HOST,
	GIVEN_CARRIED, /* operators that were not recorded */
	GIVEN_DEVICE,
	GIVEN_DEVICE_END /* of records of the device that came at once */
};

static int take_given(
	void *context, unsigned what, uint32_t thread, const struct record *records, size_t count)
{
	struct process *process = context;
	int err = 0;
	switch ((enum given)what) {
	case GIVEN_HOST:
		return model_add(process->model, thread, records, count);
	case GIVEN_DEVICE:
		return model_take_device(process->model, records, count);
	case GIVEN_DEVICE_END:
		return model_add_device(process->model, NULL, 0);
	default:
		for (size_t i = 0; i < count && err == 0; i++)
			err = model_carry(process->model, thread, &records[i]);
		return err;
	}
}

static inline int give_model(struct process *process, enum given what, uint32_t thread,
	const struct record *records, size_t count)
{
	return process->beside != NULL ? beside_give(process->beside, what, thread, records, count)
				       : take_given(process, what, thread, records, count);
}

static int give_device(struct process *process, const struct record *records, size_t count)
{
	int err = give_model(process, GIVEN_DEVICE, 0, records, count);
	if (err == 0)
		err = give_model(process, GIVEN_DEVICE_END, 0, NULL, 0);
	return err < 0 ? err : facts_device(process->facts, records, count);
}

/* The model has taken all that it was given. 0 or -ENOMEM. */
static int settle_model(struct process *process)
{
	return process->beside != NULL ? beside_settle(process->beside) : 0;
}

/* What the reader's lookups answer changes; an error comes up again. */
static void before_change(void *context)
{
	(void)settle_model(context);
}

static int set_window(
	struct process *process, uint64_t begin_ns, const struct process_options *options)
{
	uint64_t most = UINT64_MAX - begin_ns;
	uint64_t from_ns = begin_ns + (options->from_ns < most ? options->from_ns : most);
	uint64_t to_ns = begin_ns + (options->to_ns < most ? options->to_ns : most);
	int err = settle_model(process);
	reader_set_window(process->reader, from_ns, to_ns);
	model_set_window(process->model, from_ns, to_ns);
	return err;
}

/* One after the other looks at so many, which are in the processor's cache for the second. */
static int give_records(void *context, uint32_t thread, const struct record *records, size_t count)
{
	struct process *process = context;
	int err = 0;
	for (size_t at = 0, some; at < count && err == 0; at += some) {
		some = count - at < TOGETHER ? count - at : TOGETHER;
		err = give_model(process, GIVEN_HOST, thread, records + at, some);
		if (err == 0)
			err = facts_host(process->facts, thread, records + at, some);
	}
	return err;
}

static int give_carried(void *context, uint32_t thread, const struct record *op)
{
	struct process *process = context;
	return give_model(process, GIVEN_CARRIED, thread, op, 1);
}

/* Operators may be missing in some steps. 0 or -ENOMEM. */
static int begin_carry(struct process *process, const struct meta_SETTING *setting)
{
	const struct carry_sink sink = {process, give_records, give_carried};
	if (strcmp(setting->name, "LIBTRACE_BUDGET") == 0 && strcmp(setting->value, "off") != 0 &&
		process->carry == NULL && (process->carry = carry_new(&sink)) == NULL)
		return -ENOMEM;
	return 0;
}

static int take_meta(
	struct process *process, const struct meta *meta, const struct process_options *options)
{
	switch (meta->kind) {
	case META_SOURCE:
		if (states_set(&process->reasons, meta->u.source.name, meta->u.source.reason) < 0)
			return -ENOMEM;
		return states_set(&process->sources, meta->u.source.name, meta->u.source.state);
	case META_VERSION:
		facts_version(process->facts, &meta->u.version);
		return states_set(&process->versions, meta->u.version.name, meta->u.version.value);
	case META_SETTING:
		if (begin_carry(process, &meta->u.setting) < 0)
			return -ENOMEM;
		facts_setting(process->facts, &meta->u.setting);
		return states_set(&process->settings, meta->u.setting.name, meta->u.setting.value);
	case META_METADATA:
		return states_set(
			&process->metadata, meta->u.metadata.name, meta->u.metadata.value);
	case META_COUNT:
		states_count(&process->looks, &meta->u.count);
		return 0;
	case META_WORKER:
		process->worker = meta->u.worker;
		return 0;
	case META_DEVICE:
		facts_describe(process->facts, &meta->u.device);
		return gpus_describe(&process->gpus, &meta->u.device);
	case META_THREAD:
		process->threads++;
		return 0;
	case META_RUN:
		facts_run(process->facts, &meta->u.run);
		if (options->from_ns > 0 || options->to_ns < UINT64_MAX)
			return set_window(process, meta->u.run.begin_ns, options);
		return 0;
	default:
		return 0;
	}
}

/* Give the model what the merge has in order. */
static int pass_on(struct process *process, struct merge *merge)
{
	uint32_t thread;
	const struct record *records;
	size_t count;
	int err = 0;
	while (err == 0 && (records = merge_next(merge, &thread, &count)) != NULL)
		err = process->carry != NULL ? carry_add(process->carry, thread, records, count)
					     : give_records(process, thread, records, count);
	return err;
}

/* What the device reports comes late: it goes past the merge, which could not put it in order. */
static int take_events(struct process *process, struct merge *merge, const struct item *item)
{
	unsigned at = 0;
	int err = 0;
	while (at < item->count && err == 0) {
		const struct record *records = &item->records[at];
		bool device = model_is_device(records);
		unsigned count = 1, left = item->count - at, kind = records->kind;
		for (; count < left; count++) {
			if (records[count].kind == kind)
				continue;
			if (model_is_device(&records[count]) != device)
				break;
			kind = records[count].kind;
		}
		err = device ? give_device(process, records, count)
			     : merge_add(merge, item->thread, records, count);
		at += count;
	}
	return err < 0 ? err : pass_on(process, merge);
}

static int finish_carry(struct process *process)
{
	int err = carry_finish(process->carry);
	if (err == 0)
		err = settle_model(process);
	struct carry_counts counts = carry_counts(process->carry);
	process->model->bare.calls = counts.calls;
	process->model->bare.known = counts.known;
	return err;
}

static int read_all(struct process *process, struct merge *merge,
	const struct process_options *options, struct err_at *reterr)
{
	struct item item;
	unsigned count = 0;
	int err;
	for (;;) {
		err = reader_next(process->reader, &item, reterr);
		if (err < 0 || item.type == ITEM_END)
			break;
		if (item.type == ITEM_META)
			err = take_meta(process, &item.meta, options);
		else
			err = take_events(process, merge, &item);
		if (err < 0)
			break;
		if (options->progress != NULL && ++count % PROGRESS_EVERY == 0)
			options->progress(options->progress_context, process);
	}
	merge_finish(merge);
	if (err == 0)
		err = pass_on(process, merge);
	if (err == 0 && process->carry != NULL)
		err = finish_carry(process);
	if (err == 0)
		err = settle_model(process);
	if (err == 0)
		err = model_finish(process->model);
	const struct model *model = process->model;
	for (uint32_t id = 0; id < MODEL_DEVICES && err == 0; id++)
		if ((model->devices >> id & 1) != 0)
			err = gpus_add(&process->gpus, id);
	if (err == 0 && process->tables != NULL)
		err = tables_finish(process->tables);
	if (err == 0 && process->collectives != NULL)
		err = collectives_finish(process->collectives);
	if (process->tables != NULL && options->model.selected != NULL)
		tables_span(process->tables, 0, steps_wanted_ns(&model->steps, model->last_ns));
	return err;
}

/* What the user wants to see beside the model. 0 or -ENOMEM. */
static int watch(
	struct process *process, const struct process_options *options, const struct lookup *lookup)
{
	if ((options->tables != 0 && (process->tables = tables_new()) == NULL) ||
		(options->counts && (process->counts = counts_new()) == NULL) ||
		(options->history && (process->history = history_new(options->pieces)) == NULL))
		return -ENOMEM;
	bool all = (options->tables >> TABLES_COLLECTIVES & 1) != 0;
	if (all || options->ranks)
		process->collectives =
			collectives_new(lookup, all ? COLLECTIVES_ARRIVALS : COLLECTIVES_FEW);
	if ((all || options->ranks) && process->collectives == NULL)
		return -ENOMEM;
	if (process->tables != NULL) {
		tables_want(process->tables, options->tables);
		tables_know(process->tables, lookup);
	}
	return 0;
}

/* A large file is decoded ahead, and its model is made beside the rest. */
static void use_threads(struct process *process, const struct process_options *options)
{
	const struct beside_sink sink = {process, take_given};
	if (options->crowded || reader_size(process->reader) < READER_AHEAD_BYTES)
		return;
	reader_read_ahead(process->reader);
	/* tables are filled while the model is made, and look at facts */
	if (process->tables == NULL)
		process->beside = beside_new(&sink);
	if (process->beside != NULL)
		reader_tell_changes(process->reader, before_change, process);
}

static void end_threads(struct process *process)
{
	reader_tell_changes(process->reader, NULL, NULL);
	beside_free(process->beside);
	process->beside = NULL;
}

int process_init(struct process *process, const char *path, const struct process_options *options,
	struct err_at *reterr)
{
	*process = (struct process){0};
	int err = reader_open(path, &process->reader, reterr);
	if (err == 0 && options->root != NULL &&
		(err = reader_set_root(process->reader, options->root)) < 0)
		reader_close(process->reader);
	if (err < 0)
		return err;
	const struct lookup lookup = {.context = process->reader,
		.text = text_of,
		.place = place_of,
		.call = call_of,
		.tid = tid_of,
		.stack = stack_of};
	struct model_options wanted = options->model;
	err = watch(process, options, &lookup);
	struct feed feed = {.counts = process->counts,
		.tables = process->tables,
		.collectives = process->collectives};
	struct observer observer = feed_observer(&feed);
	if (process->tables != NULL || process->counts != NULL || process->collectives != NULL)
		wanted.observer = &observer;
	struct watch watch;
	if (process->history != NULL) {
		watch = history_watch(process->history);
		wanted.watch = &watch;
	}
	feed.model = process->model = model_new(&lookup, &wanted);
	process->facts = facts_new(&lookup);
	if (process->tables != NULL && process->facts != NULL)
		tables_learnt(process->tables, facts_regions(process->facts),
			facts_pipeline(process->facts));
	struct merge *merge = merge_new();
	if (process->model == NULL || process->facts == NULL || merge == NULL)
		err = -ENOMEM;
	if (err == 0)
		use_threads(process, options);
	if (err == 0)
		err = read_all(process, merge, options, reterr);
	end_threads(process);
	if (process->model != NULL) { /* they end with this function */
		process->model->options.observer = NULL;
		process->model->options.watch = process->model->sweep.watch = NULL;
	}
	if (merge != NULL) {
		process->odd = merge_odd(merge);
		process->late = merge_late(merge);
	}
	merge_free(merge);
	if (err < 0)
		process_release(process);
	return err;
}

void process_release(struct process *process)
{
	model_free(process->model);
	facts_free(process->facts);
	carry_free(process->carry);
	history_free(process->history);
	tables_free(process->tables);
	counts_free(process->counts);
	collectives_free(process->collectives);
	reader_close(process->reader);
	vec_release(&process->sources);
	vec_release(&process->reasons);
	vec_release(&process->versions);
	vec_release(&process->settings);
	vec_release(&process->metadata);
	vec_release(&process->gpus);
	*process = (struct process){0};
}
