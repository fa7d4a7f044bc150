/* SPDX-License-Identifier: MIT */
/* What went on while nothing was recorded, or while the process stood still. */
#include "analyzer/model/enqueue.h"
#include "analyzer/model/pace.h"
#include "analyzer/model/steps.h"
#include "collector/format/fields.h"

/* Steps of which all was given to the device and nothing was waited for. */
struct open_steps {
	uint64_t count, host_ns; /* in which the host has made their calls */
	double ns;               /* that their kernels take */
	uint16_t stream;         /* of the last one */
};

static struct open_steps find_open(const struct model *model)
{
	const struct device *device = model->device;
	const struct device_op *first = device_op(device, device->closed);
	struct open_steps open = {.count = 0};
	uint64_t step = 0, begin_ns = 0;
	for (uint64_t i = device->closed; i < device_until(device); i++) {
		const struct device_op *op = device_op(device, i);
		if (op->fixed || op->step == first->step || op->step >= model->steps.count)
			continue;
		begin_ns = begin_ns != 0 ? begin_ns : op->ready_ns;
		open.count += op->step != step;
		step = op->step;
		open.ns += device->estimates.items[op->estimate].ns;
		open.stream = op->stream;
		open.host_ns = op->ready_ns - begin_ns;
	}
	return open;
}

/* Steps that passed several times faster than others were other ones. */
#define UNSEEN_FASTER 4u

/*
 * The program went on while recording was off. A device that was behind before is given as much by
 * each step that nobody saw as by those before them; else their time would be that of later ones.
 */
static int give_unseen(struct model *model, const struct record *record, uint64_t steps)
{
	struct device *device = model->device;
	struct open_steps open = find_open(model);
	uint64_t off_ns = record->end - record->begin;
	if (steps == 0 || open.count == 0 || device_is_full(device) ||
		(double)open.host_ns / (double)open.count * (double)steps >
			UNSEEN_FASTER * (double)off_ns)
		return 0;
	uint64_t key = MODEL_KEY_OFF | device_until(device);
	double ns = open.ns / (double)open.count * (double)steps;
	const struct device_op op = {.ready_ns = record->begin,
		.step = model->steps.count,
		.class = DEVICE_CLASS_COMPUTE,
		.stream = open.stream,
		.estimate = estimate_find(&device->estimates, key, (float)ns),
		.silent = true};
	pace_note(&model->pace, &op);
	return device_enqueue(device, &op, record);
}

/* Nothing is known of what ran meanwhile unless the device tells. */
static int was_off(struct model *model, const struct record *record, uint64_t steps)
{
	if (model->measured > 0 || model->alone)
		return 0;
	model->unseen_from_ns = record->end;
	return give_unseen(model, record, steps);
}

int model_still(struct model *model, const struct record *record)
{
	bool off = record_MARK_what(record) == MARK_OFF;
	struct phases *phases = &model->steps.phases;
	phases_add(phases, phases_find(phases, off ? PHASE_OFF : PHASE_STOPPED, 0),
		model->steps.count, record->end - record->begin);
	const struct passed passed = {record_MARK_marks(record),
		record_MARK_optimizer_steps(record), record_MARK_loads(record),
		record_MARK_steps(record)};
	int err = off ? was_off(model, record, model_passed(model, &passed)) : 0;
	return err < 0 ? err : model_pass(model, &passed, record->end);
}
