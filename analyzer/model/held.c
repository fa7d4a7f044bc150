/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "analyzer/model/steps.h"
#include "collector/format/fields.h"

/*
 * A range is told when it ends, and where it began what was between it and the one before ends: so
 * records wait until one of that name ends, MODEL_PREFIX of them at most.
 */

static bool has_the_name(const struct model *model, const struct record *record)
{
	bool range = record->kind == RECORD_RANGE ||
		     (record->kind == RECORD_OP && record_OP_scope(record) == OP_USER_SCOPE);
	return range &&
	       strcmp(lookup_text(&model->lookup, record->name), model->options.asked_name) == 0;
}

/* The range is a step: not one around others, nor of a thread that does not step. */
static bool is_step(
	const struct model *model, const struct model_thread *thread, const struct record *record)
{
	const struct stepping *stepping = &model->stepping;
	const struct model_thread *own = stepping->asked_thread;
	if (!has_the_name(model, record) || record->begin < stepping->asked_ns)
		return false;
	return own == NULL || own == thread || (thread->launches && !own->launches);
}

/* Pass on what is held, with a cut before the first that ends behind begin_ns. 0 or -ENOMEM. */
static int release(struct model *model, uint64_t begin_ns)
{
	struct stepping *stepping = &model->stepping;
	bool between = begin_ns != 0 && model->steps.method == STEP_BY_RANGE &&
		       begin_ns > model->steps.cut_ns;
	if (between && begin_ns < stepping->held_ns) {
		stepping->unsplit = true;
		between = false;
	}
	int err = 0;
	for (size_t i = 0; i < stepping->held.count && err == 0; i++) {
		const struct model_held *item = &stepping->held.items[i];
		if (between && item->record.end > begin_ns) {
			between = false;
			uint32_t phase = phases_find(&model->steps.phases, PHASE_BETWEEN, 0);
			err = model_part(model, CUT_ASIDE, phase, begin_ns);
		}
		stepping->held_ns = item->record.end;
		if (err == 0)
			err = model_count(model, item->thread, &item->record);
	}
	stepping->held.count = 0;
	return err;
}

int model_hold(struct model *model, struct model_thread *thread, const struct record *record)
{
	struct stepping *stepping = &model->stepping;
	const struct model_held item = {.record = *record, .thread = thread};
	int err = 0;
	if (stepping->held.count == MODEL_PREFIX)
		err = release(model, 0);
	if (err == 0)
		err = vec_push(&stepping->held, item);
	return err == 0 && is_step(model, thread, record) ? release(model, record->begin) : err;
}

int model_hold_end(struct model *model)
{
	return release(model, 0);
}
