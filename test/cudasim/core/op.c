/* SPDX-License-Identifier: MIT */
#include "op.h"

#include "call.h"
#include "clock.h"
#include "log.h"
#include "state.h"

void op_place(struct device *device, struct sim_op *op, uint64_t ready_ns)
{
	uint64_t now_ns = clock_now();
	uint64_t begin_ns = ready_ns > now_ns ? ready_ns : now_ns;
	uint64_t duration_ns = op->duration_ns;
	if (begin_ns + duration_ns < op->least_end_ns)
		duration_ns = op->least_end_ns - begin_ns;
	if (op->engine != ENGINE_NONE)
		begin_ns = engine_take(&device->engines[op->engine], begin_ns, duration_ns, now_ns);
	op->begin_ns = begin_ns;
	op->end_ns = begin_ns + duration_ns;
}

struct sim_point op_enqueue(CUstream stream, struct sim_op *op)
{
	stream_wait_queue(stream);
	state_lock();
	struct sim_point point = stream_ready_surely(stream);
	op_place(device_get(stream->context->device), op, point.end_ns);
	point.end_ns = op->end_ns;
	stream_advance(stream, point);
	stream_submit(stream, op->end_ns);
	state_unlock();
	return point;
}

void op_record(const struct sim_call *call, CUstream stream, struct sim_op *op,
	struct log_record *ret_record)
{
	const struct sim_call *api = call_api(call);
	static const char *const kinds[] = {"kernel", "memcpy", "memset", "host"};
	op->detail.stream = stream->id;
	op->detail.device = (uint32_t)stream->context->device;
	op->detail.set |= SIM_SET_STREAM | SIM_SET_DEVICE;
	op->detail.set &= ~(uint32_t)(SIM_SET_CAPTURED | SIM_SET_WAITS);
	/* all members, or they would be cleared first, which takes longer than to set them */
	*ret_record = (struct log_record){.type = LOG_OP,
		.layer = 0,
		.op = (uint8_t)op->kind,
		.what = kinds[op->kind],
		.computed = (uint8_t)op->computed,
		.result = 0,
		.tid = 0,
		.context = stream->context->id,
		.id = call_outermost(call)->id,
		.parent = call->id,
		.node = op->node,
		.begin_ns = op->begin_ns,
		.end_ns = op->end_ns,
		.detail = &op->detail,
		.api_call = api->id,
		.api_function = api->function};
}

void op_log(const struct sim_call *call, CUstream stream, struct sim_op *op)
{
	struct log_record record;
	if (!log_wanted())
		return;
	op_record(call, stream, op, &record);
	log_put(&record);
}
