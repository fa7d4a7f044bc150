/* SPDX-License-Identifier: MIT */
#include "work.h"

#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "clock.h"
#include "computed.h"
#include "hostfn.h"
#include "late.h"
#include "log.h"
#include "settings.h"
#include "state.h"

int work_is_late(const struct work *work)
{
	const struct cudasim_kernel *description =
		work->type == WORK_KERNEL ? work->kernel->description : NULL;
	return description && description->meeting;
}

static int run_kernel(struct work *work)
{
	const struct cudasim_kernel *description = work->kernel->description;
	int computed = 0;
	if (description && description->effect && settings_get()->compute) {
		description->effect(&work->launch);
		return 1;
	}
	if (work->captured)
		computed = computed_replay(work->captured);
	else if (!work->args)
		computed = computed_kernel(work->kernel->name, &work->launch);
	if (!computed)
		kernel_not_computed(work->kernel);
	return computed;
}

static void run_copy(const struct work_copy *copy)
{
	for (size_t z = 0; z < copy->depth; z++) {
		for (size_t y = 0; y < copy->height; y++)
			memmove(copy->target + z * copy->target_slice + y * copy->target_pitch,
				copy->source + z * copy->source_slice + y * copy->source_pitch,
				copy->width);
	}
}

static void set_row(char *target, const struct work_set *set)
{
	if (set->element == 1) {
		memset(target, (int)set->value, set->width);
		return;
	}
	for (size_t x = 0; x < set->width; x++)
		memcpy(target + x * set->element, &set->value, set->element);
}

void work_effect(struct work *work, struct sim_op *op)
{
	op->computed = 1;
	if (work->type == WORK_KERNEL)
		op->computed = run_kernel(work);
	else if (work->type == WORK_COPY)
		run_copy(&work->copy);
	else if (work->type == WORK_SET) {
		for (size_t y = 0; y < work->set.height; y++)
			set_row(work->set.target + y * work->set.pitch, &work->set);
	}
}

uint64_t work_queue_function(
	const struct sim_call *call, CUstream stream, const struct work *work, struct sim_op *op)
{
	struct hostfn hostfn = {.function = work->function,
		.callback = work->callback,
		.user_data = work->user_data,
		.stream = work->stream,
		.resolved = stream,
		.begin_ns = op->begin_ns};
	op_record(call, stream, op, &hostfn.record);
	hostfn.detail = op->detail;
	return hostfn_add(&hostfn);
}

static int submit_function(
	struct sim_call *call, CUstream stream, struct work *work, struct sim_point *point)
{
	*point = op_enqueue(stream, &work->op);
	state_lock();
	uint64_t number = work_queue_function(call, stream, work, &work->op);
	point->callback = number;
	stream_advance(stream, *point);
	state_unlock();
	return number ? 0 : cudaErrorMemoryAllocation;
}

/* A kernel that waits for others begins when they have come, which may be now. */
static struct sim_point submit_late(struct sim_call *call, CUstream stream, struct work *work)
{
	stream_wait_queue(stream);
	state_lock();
	struct sim_point point = stream_ready_surely(stream);
	state_unlock();
	uint64_t now_ns = clock_now();
	if (point.end_ns < now_ns)
		point.end_ns = now_ns;
	point.late = late_start(call, stream, work, &work->op, point.end_ns);
	state_lock();
	stream_advance(stream, point);
	state_unlock();
	(void)late_done(point.late);
	return point;
}

int work_submit(
	struct sim_call *call, CUstream stream, struct work *work, struct sim_point *ret_point)
{
	struct sim_point point = {0};
	int result = 0;
	if (stream->capture) {
		call->detail.set |= SIM_SET_CAPTURED;
		return capture_add(stream, work);
	}
	result = capture_check_legacy(stream);
	if (result)
		return result;
	if (work->type == WORK_HOST) {
		result = submit_function(call, stream, work, &point);
	} else if (work_is_late(work)) {
		point = submit_late(call, stream, work);
	} else {
		point = op_enqueue(stream, &work->op);
		work_effect(work, &work->op);
		op_log(call, stream, &work->op);
	}
	if (ret_point)
		*ret_point = point;
	return result;
}

/* Copies the values of the arguments whose sizes the image tells. */
static int keep_arguments(struct work *kept, void **args)
{
	const struct cudasim_kernel *description = kept->kernel->description;
	uint32_t count = description->param_count;
	size_t bytes = count * sizeof(void *), used = bytes;
	for (uint32_t i = 0; i < count; i++)
		bytes += (description->param_sizes[i] + 15) & ~(size_t)15;
	kept->args = malloc(bytes + 1);
	if (!kept->args)
		return -1;
	void **pointers = (void **)(void *)kept->args;
	for (uint32_t i = 0; i < count; i++) {
		pointers[i] = kept->args + used;
		memcpy(pointers[i], args[i], description->param_sizes[i]);
		used += (description->param_sizes[i] + 15) & ~(size_t)15;
	}
	kept->launch.args = pointers;
	return 0;
}

struct work *work_keep(const struct work *work)
{
	struct work *kept = malloc(sizeof(*kept));
	if (!kept)
		return NULL;
	*kept = *work;
	if (work->type != WORK_KERNEL)
		return kept;
	kept->launch.args = NULL;
	if (work->kernel->description) {
		if (keep_arguments(kept, work->launch.args)) {
			free(kept);
			return NULL;
		}
		return kept;
	}
	struct compute_launch launch = work->launch;
	kept->captured = computed_capture(work->kernel->name, &launch);
	kept->args =
		malloc(1); /* marks the launch as kept: there are no arguments to compute with */
	return kept;
}

void work_free(struct work *work)
{
	if (!work)
		return;
	computed_release(work->captured);
	free(work->args);
	free(work);
}
