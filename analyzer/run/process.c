/* SPDX-License-Identifier: MIT */
#include "analyzer/run/process.h"

#include <errno.h>

#include "analyzer/model/device.h"
#include "analyzer/read/merge.h"

#define PROGRESS_EVERY 64u /* items */

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

static void set_window(
	struct process *process, uint64_t begin_ns, const struct process_options *options)
{
	uint64_t most = UINT64_MAX - begin_ns;
	uint64_t from_ns = begin_ns + (options->from_ns < most ? options->from_ns : most);
	uint64_t to_ns = begin_ns + (options->to_ns < most ? options->to_ns : most);
	reader_set_window(process->reader, from_ns, to_ns);
	model_set_window(process->model, from_ns, to_ns);
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
		return states_set(&process->versions, meta->u.version.name, meta->u.version.value);
	case META_SETTING:
		facts_setting(process->facts, &meta->u.setting);
		return 0;
	case META_DEVICE:
		facts_describe(process->facts, &meta->u.device);
		return gpus_describe(&process->gpus, &meta->u.device);
	case META_THREAD:
		process->threads++;
		return 0;
	case META_RUN:
		if (options->from_ns > 0 || options->to_ns < UINT64_MAX)
			set_window(process, meta->u.run.begin_ns, options);
		return 0;
	default:
		return 0;
	}
}

static int take_record(struct process *process, uint32_t thread, const struct record *record)
{
	int err = model_add(process->model, thread, record);
	return err < 0 ? err : facts_host(process->facts, thread, record);
}

static int take_device(struct process *process, const struct record *records, unsigned count)
{
	int err = model_add_device(process->model, records, count);
	return err < 0 ? err : facts_device(process->facts, records, count);
}

/* Give the model what the merge has in order. */
static int pass_on(struct process *process, struct merge *merge)
{
	uint32_t thread;
	const struct record *record;
	size_t count;
	int err = 0;
	while (err == 0 && (record = merge_next(merge, &thread, &count)) != NULL)
		for (size_t i = 0; i < count && err == 0; i++)
			err = take_record(process, thread, &record[i]);
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
		unsigned count = 1;
		while (at + count < item->count && model_is_device(&records[count]) == device)
			count++;
		err = device ? take_device(process, records, count)
			     : merge_add(merge, item->thread, records, count);
		at += count;
	}
	return err < 0 ? err : pass_on(process, merge);
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
	if (err == 0)
		err = model_finish(process->model);
	const struct model *model = process->model;
	for (uint32_t id = 0; id < MODEL_DEVICES && err == 0; id++)
		if ((model->devices >> id & 1) != 0)
			err = gpus_add(&process->gpus, id);
	if (process->tables != NULL && options->model.selected != NULL)
		tables_span(process->tables, 0, steps_wanted_ns(&model->steps, model->last_ns));
	return err;
}

static int feed_call(void *context, uint64_t step, const struct record *call)
{
	(void)step;
	return tables_call(context, call);
}

static int feed_operation(void *context, uint64_t step, const struct record *operation)
{
	(void)step;
	return tables_device(context, operation);
}

static int feed_pair(
	void *context, uint64_t step, const struct record *call, const struct record *operation)
{
	(void)step;
	return tables_pair(context, call, operation);
}

static void feed_restart(void *context)
{
	tables_restart(context);
}

/* Tables show all that happened, also before the first step, unless steps were chosen. */
static struct observer observer_of(const struct process_options *options, struct tables *tables)
{
	return (struct observer){.context = tables,
		.call = feed_call,
		.operation = feed_operation,
		.pair = feed_pair,
		.restart = options->model.selected != NULL ? feed_restart : NULL};
}

int process_init(struct process *process, const char *path, const struct process_options *options,
	struct err_at *reterr)
{
	*process = (struct process){0};
	struct merge *merge = NULL;
	int err = reader_open(path, &process->reader, reterr);
	if (err < 0)
		return err;
	const struct lookup lookup = {.context = process->reader,
		.text = text_of,
		.place = place_of,
		.call = call_of,
		.tid = tid_of,
		.stack = stack_of};
	struct model_options wanted = options->model;
	struct observer observer;
	if (options->tables != 0 && (process->tables = tables_new()) != NULL) {
		tables_want(process->tables, options->tables);
		observer = observer_of(options, process->tables);
		wanted.observer = &observer;
	}
	process->model = model_new(&lookup, &wanted);
	process->facts = facts_new(&lookup);
	merge = merge_new();
	err = process->model == NULL || process->facts == NULL || merge == NULL ||
			      (options->tables != 0 && process->tables == NULL)
		      ? -ENOMEM
		      : 0;
	if (err == 0)
		err = read_all(process, merge, options, reterr);
	if (process->model != NULL)
		process->model->options.observer = NULL; /* it ends with this function */
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
	tables_free(process->tables);
	reader_close(process->reader);
	vec_release(&process->sources);
	vec_release(&process->reasons);
	vec_release(&process->versions);
	vec_release(&process->gpus);
	*process = (struct process){0};
}
