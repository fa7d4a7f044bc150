/* SPDX-License-Identifier: MIT */
#include "copy.h"

#include "call.h"
#include "capture.h"
#include "clock.h"
#include "memory.h"
#include "settings.h"
#include "state.h"

/* What a copy is by its addresses. */
struct route {
	enum sim_memory source, target;
	int kind; /* enum cuda_copy_kind, never default */
	int engine;
	enum copy_rate rate;
	int pageable;
	int source_device, target_device; /* of copies on devices, else both 0 */
};

struct copy_request copy_range(
	void *target, const void *source, size_t bytes, int kind, int synchronous)
{
	return (struct copy_request){.box = {.target = target,
					     .source = source,
					     .width = bytes,
					     .height = 1,
					     .depth = 1},
		.kind = kind,
		.synchronous = synchronous};
}

static int is_host(enum sim_memory memory)
{
	return memory == SIM_PAGEABLE || memory == SIM_PINNED;
}

/* Managed memory is wherever it is used: as good as on the first device. */
static int number_of(const struct device *device)
{
	return device ? device->number : 0;
}

static struct route find_route(const struct work_copy *box)
{
	struct route route = {
		.source = memory_kind(box->source), .target = memory_kind(box->target)};
	int from_host = is_host(route.source), to_host = is_host(route.target);
	if (from_host && to_host) {
		route.kind = CUDA_H2H;
		route.engine = ENGINE_NONE;
		route.rate = RATE_PAGEABLE;
	} else if (from_host) {
		route.kind = CUDA_H2D;
		route.engine = ENGINE_H2D;
		route.rate = RATE_H2D;
	} else if (to_host) {
		route.kind = CUDA_D2H;
		route.engine = ENGINE_D2H;
		route.rate = RATE_D2H;
	} else {
		route.kind = CUDA_D2D;
		route.engine = ENGINE_D2D;
		route.rate = RATE_D2D;
		route.source_device = number_of(device_of_address(box->source));
		route.target_device = number_of(device_of_address(box->target));
	}
	route.pageable = route.source == SIM_PAGEABLE || route.target == SIM_PAGEABLE;
	return route;
}

/* A direction that names pageable memory as the device's is refused, as is a range outside. */
static int check(const struct copy_request *request, const struct route *route)
{
	const struct work_copy *box = &request->box;
	int kind = request->kind;
	if (kind < CUDA_H2H || kind > CUDA_COPY_DEFAULT)
		return cudaErrorInvalidMemcpyDirection;
	if ((kind == CUDA_H2D || kind == CUDA_D2D) && route->target == SIM_PAGEABLE)
		return cudaErrorInvalidValue;
	if ((kind == CUDA_D2H || kind == CUDA_D2D) && route->source == SIM_PAGEABLE)
		return cudaErrorInvalidValue;
	size_t rows = box->height - 1, slices = box->depth - 1;
	if (!memory_is_range(box->target,
		    slices * box->target_slice + rows * box->target_pitch + box->width) ||
		!memory_is_range(box->source,
			slices * box->source_slice + rows * box->source_pitch + box->width))
		return cudaErrorInvalidValue;
	return 0;
}

/* Waits, after the copy was enqueued, as the rules above say. */
static void wait_after(struct sim_call *call, const struct copy_request *request,
	const struct route *route, struct sim_point point, uint64_t staged_ns)
{
	if (route->kind == CUDA_D2D)
		return;
	if (route->kind == CUDA_H2D && route->pageable) {
		clock_wait(staged_ns);
		return;
	}
	if (request->synchronous || route->pageable || route->kind == CUDA_H2H)
		point_wait(call, point);
}

static struct sim_point ready_point(CUstream stream)
{
	state_lock();
	struct sim_point point = stream_ready(stream);
	state_unlock();
	return point;
}

static void describe(
	struct sim_detail *detail, const struct route *route, uint64_t bytes, uint8_t arrays)
{
	detail->set |= SIM_SET_BYTES | SIM_SET_KIND | SIM_SET_MEMORY;
	detail->bytes = bytes;
	detail->kind = (uint8_t)route->kind;
	detail->source = (uint8_t)route->source;
	detail->target = (uint8_t)route->target;
	detail->arrays = arrays;
	if (route->source_device == route->target_device)
		return;
	detail->set |= SIM_SET_PEER;
	detail->source_device = (uint8_t)route->source_device;
	detail->target_device = (uint8_t)route->target_device;
}

int copy_submit(struct sim_call *call, CUstream stream, const struct copy_request *request)
{
	struct route route = find_route(&request->box);
	uint64_t bytes = (uint64_t)request->box.width * request->box.height * request->box.depth;
	describe(&call->detail, &route, bytes, request->box.arrays);
	int result = bytes ? check(request, &route) : 0;
	if (result || bytes == 0)
		return result;
	if (request->synchronous) {
		result = stream->capture ? capture_forbid(stream) : capture_check_unsafe();
		if (result)
			return result;
		if (route.kind == CUDA_H2D && route.pageable)
			point_wait(call, ready_point(stream));
	}
	uint64_t latency_ns = settings_get()->copy_latency_ns;
	uint64_t staged_ns = 0;
	if (route.kind != CUDA_D2D && route.pageable)
		staged_ns = clock_now() + settings_copy_ns(RATE_PAGEABLE, bytes);
	struct work work = {.type = WORK_COPY, .copy = request->box};
	work.op = (struct sim_op){.kind = OP_MEMCPY,
		.engine = route.engine,
		.duration_ns = latency_ns + settings_copy_ns(route.rate, bytes)};
	if (route.kind == CUDA_H2D && staged_ns)
		work.op.least_end_ns = staged_ns + latency_ns;
	else if (staged_ns)
		work.op.duration_ns = latency_ns + settings_copy_ns(RATE_PAGEABLE, bytes);
	describe(&work.op.detail, &route, bytes, request->box.arrays);
	struct sim_point point = {0};
	result = work_submit(call, stream, &work, &point);
	if (result || stream->capture)
		return result;
	wait_after(call, request, &route, point, staged_ns);
	call_spend(call);
	return 0;
}

int set_submit(struct sim_call *call, CUstream stream, const struct work_set *set, int synchronous)
{
	uint64_t bytes = (uint64_t)set->width * set->height * set->element;
	enum sim_memory target = memory_kind(set->target);
	call->detail.set |= SIM_SET_BYTES | SIM_SET_MEMORY;
	call->detail.bytes = bytes;
	call->detail.source = call->detail.target = (uint8_t)target;
	if (bytes == 0)
		return 0;
	if (target == SIM_PAGEABLE ||
		!memory_is_range(
			set->target, (set->height - 1) * set->pitch + set->width * set->element))
		return cudaErrorInvalidValue;
	if (synchronous) {
		int result = stream->capture ? capture_forbid(stream) : capture_check_unsafe();
		if (result)
			return result;
	}
	struct work work = {.type = WORK_SET, .set = *set};
	work.op = (struct sim_op){.kind = OP_MEMSET,
		.engine = ENGINE_NONE,
		.duration_ns = settings_get()->copy_latency_ns + settings_copy_ns(RATE_D2D, bytes),
		.detail = {.set = SIM_SET_BYTES,
			.bytes = bytes,
			.value = set->value,
			.target = (uint8_t)target}};
	struct sim_point point = {0};
	int result = work_submit(call, stream, &work, &point);
	if (result || stream->capture)
		return result;
	if (synchronous && target != SIM_DEVICE)
		point_wait(call, point);
	call_spend(call);
	return 0;
}
