/* SPDX-License-Identifier: MIT */
#include "call.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cuda_abi.h"
#include "clock.h"
#include "context.h"
#include "fault.h"
#include "settings.h"
#include "state.h"

static __thread struct sim_call *current;
static __thread uint32_t thread_id;
static uint64_t last_id;
static sim_watch *watch;
static int watch_calls;

uint32_t call_thread_id(void)
{
	if (thread_id == 0)
		thread_id = (uint32_t)syscall(SYS_gettid);
	return thread_id;
}

void call_fork_child(void)
{
	thread_id = 0;
	current = NULL;
	watch = NULL;
	watch_calls = 0;
}

void call_set_watch(sim_watch *new_watch, int calls)
{
	__atomic_store_n(&watch, new_watch, __ATOMIC_RELEASE);
	__atomic_store_n(&watch_calls, calls, __ATOMIC_RELEASE);
}

/* Of a call: with the thread's context. */
static void tell(enum sim_moment moment, struct sim_call *call, int result)
{
	if (!__atomic_load_n(&watch_calls, __ATOMIC_ACQUIRE))
		return;
	sim_watch *give = __atomic_load_n(&watch, __ATOMIC_ACQUIRE);
	clock_spin(call->busy_until_ns); /* whoever is told of the end reads a clock, too */
	if (give)
		give(moment, call, result, context_current(), NULL);
}

void call_tell(enum sim_moment moment, struct sim_call *call, CUcontext context, CUstream stream)
{
	sim_watch *give = __atomic_load_n(&watch, __ATOMIC_ACQUIRE);
	if (give)
		give(moment, call, 0, context, stream);
}

static int refuse(unsigned flags)
{
	if (flags & (SIM_CALL_INIT | SIM_CALL_CONTEXT)) {
		int error = state_check();
		if (error)
			return error;
	}
	if (flags & SIM_CALL_CONTEXT) {
		if (state_sticky())
			return state_sticky();
		if (!context_current())
			return cudaErrorDeviceUninitialized;
	}
	return 0;
}

int call_begin(struct sim_call *call, const char *function, int layer, unsigned flags)
{
	call->function = function;
	call->parent = current;
	call->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	call->layer = (uint8_t)layer;
	call->per_thread = (flags & SIM_CALL_PER_THREAD) != 0;
	memset(&call->detail, 0, sizeof(call->detail));
	current = call;
	call->begin_ns = clock_now();
	call->busy_until_ns = 0;
	call->watched = 0;
	tell(SIM_ENTER, call, 0);
	int error = refuse(flags);
	if (error == 0)
		error = fault_check(function);
	if (error)
		state_note_error(error);
	return error;
}

/* Gives the parent what it does not know yet. */
static void inherit(struct sim_detail *parent, const struct sim_detail *detail)
{
	uint32_t news = detail->set & ~parent->set & ~(uint32_t)SIM_SET_TEXT;
	parent->set |= news;
	if (news & SIM_SET_STREAM)
		parent->stream = detail->stream;
	if (news & SIM_SET_DEVICE)
		parent->device = detail->device;
	if (news & SIM_SET_FLAGS)
		parent->flags = detail->flags;
	if (news & SIM_SET_EVENT)
		parent->event = detail->event;
	if (news & SIM_SET_GRAPH)
		parent->graph = detail->graph;
	if (news & SIM_SET_BYTES)
		parent->bytes = detail->bytes;
	if (news & SIM_SET_ADDRESS)
		parent->address = detail->address;
	if (news & SIM_SET_KIND)
		parent->kind = detail->kind;
	if (news & SIM_SET_MEMORY) {
		parent->source = detail->source;
		parent->target = detail->target;
		parent->arrays = detail->arrays;
	}
	if (news & SIM_SET_PEER) {
		parent->source_device = detail->source_device;
		parent->target_device = detail->target_device;
	}
	if (news & SIM_SET_KERNEL) {
		parent->name = detail->name;
		memcpy(parent->grid, detail->grid, sizeof(parent->grid));
		memcpy(parent->block, detail->block, sizeof(parent->block));
		parent->shared_bytes = detail->shared_bytes;
	}
}

const struct sim_call *call_api(const struct sim_call *call)
{
	const struct sim_call *api = call;
	for (; call; call = call->parent) {
		if (call->layer != SIM_LIBRARY)
			api = call;
	}
	return api;
}

static void record(const struct sim_call *call, const struct sim_call *api, int result)
{
	CUcontext context = context_current();
	uint64_t end_ns = clock_now();
	/* all members: see op_record() */
	struct log_record record = {.type = LOG_CALL,
		.op = 0,
		.computed = 0,
		.node = 0,
		.context = context ? context->id : 0,
		.api_call = api->id,
		.api_function = api->function,
		.layer = call->layer,
		.result = result,
		.tid = call_thread_id(),
		.what = call->function,
		.id = call->id,
		.parent = current ? current->id : 0,
		.begin_ns = call->begin_ns,
		.end_ns = end_ns > call->busy_until_ns ? end_ns : call->busy_until_ns,
		.detail = &call->detail};
	log_put(&record);
}

int call_end(struct sim_call *call, int result)
{
	tell(SIM_EXIT, call, result);
	current = call->parent;
	if (current)
		inherit(&current->detail, &call->detail);
	const struct sim_call *api = call_api(call);
	if (log_wants_call(call->function, call->layer, api != call))
		record(call, api, result);
	if (call->busy_until_ns)
		clock_spin(call->busy_until_ns);
	return result;
}

void call_spend(struct sim_call *call)
{
	struct sim_call *api = (struct sim_call *)call_api(call); /* as much the caller's as call */
	api->busy_until_ns = call_outermost(call)->begin_ns + settings_get()->launch_ns;
}

const struct sim_call *call_outermost(const struct sim_call *call)
{
	while (call->parent)
		call = call->parent;
	return call;
}
