/* SPDX-License-Identifier: MIT */
#include "test/cli/training_trace.h"

#include <stdbool.h>
#include <string.h>

#define TRAINING_STEPS 40u

enum training_name {
	TRAINING_KERNEL = 1,
	TRAINING_OPTIMIZER = 6,
	TRAINING_ACTIVITY
};

struct training {
	struct record host[16], device[16];
	unsigned host_count, device_count;
	uint32_t correlation;
	uint64_t begin_ns; /* of the step */
	bool whole, silent, matched;
};

static void training_define(struct maker *maker, const char *state, const char *reason)
{
	maker_definitions(maker);
	maker_meta(maker, (struct meta){.kind = META_NAME,
				  .u.name = {TRAINING_OPTIMIZER, "Optimizer.step#SGD.step"}});
	maker_meta(
		maker, (struct meta){.kind = META_NAME, .u.name = {TRAINING_ACTIVITY, "activity"}});
	maker_meta(
		maker, (struct meta){.kind = META_SOURCE, .u.source = {"activity", state, reason}});
	maker_meta(maker,
		(struct meta){.kind = META_CALL, .u.call = {2, "cudaMemcpyAsync", "cudart"}});
	maker_meta(maker,
		(struct meta){.kind = META_CALL, .u.call = {3, "cudaStreamSynchronize", "cudart"}});
}

/* A call from us to until_us of the step. */
static void training_call(
	struct training *training, uint64_t us, uint64_t until_us, struct record call)
{
	call.begin = training->begin_ns + us * 1000;
	call.end = training->begin_ns + until_us * 1000;
	training->host[training->host_count++] = call;
}

/* What the device says about the call before and its operation. */
static void training_operation(
	struct training *training, uint64_t us, uint64_t until_us, struct record operation)
{
	const struct record *call = &training->host[training->host_count - 1];
	training->correlation++;
	if (training->silent)
		return;
	training->device[training->device_count++] = (struct record){.kind = RECORD_DEVICE_API,
		.begin = call->begin + 1000,
		.end = call->end - 1000,
		.a = 101,
		.c = 211,
		.d = DEVICE_API_RUNTIME,
		.place = training->correlation};
	if (training->matched && training->begin_ns != MAKER_BEGIN)
		codec_match(&training->device[training->device_count - 1], 1,
			5 * ((training->begin_ns - MAKER_BEGIN) / 1000000) + training->host_count -
				1);
	operation.begin = training->begin_ns + us * 1000;
	operation.end = training->begin_ns + until_us * 1000;
	operation.stream |= 7;
	operation.place = training->correlation;
	training->device[training->device_count++] = operation;
}

static void training_kernel(struct training *training, uint64_t us, uint64_t from_us, uint32_t name)
{
	struct record call = {
		.kind = RECORD_LAUNCH, .call = 1, .place = 1, .name = name, .stream = 7, .a = 1};
	struct record kernel = {.kind = RECORD_DEVICE_KERNEL,
		.name = name,
		.a = 64 | 1ull << 32 | 1ull << 48,
		.b = 256 | 1ull << 16 | 1ull << 32,
		.c = 1024,
		.result = 32};
	if (training->whole) {
		call = (struct record){.kind = RECORD_GRAPH,
			.call = 1,
			.place = 1,
			.stream = 7,
			.b = 0x1234,
			.c = 50,
			.d = RECORD_LAUNCH_GRAPH};
		kernel = (struct record){.kind = RECORD_DEVICE_KERNEL, .stream = 9ull << 32};
	}
	training_call(training, us, us + 10, call);
	training_operation(training, from_us, from_us + 200, kernel);
}

static void training_step(struct training *training)
{
	const uint64_t pinned = COPY_HOST_TO_DEVICE | MEMORY_PINNED << 8 | MEMORY_DEVICE << 16;
	struct record copy = {.kind = RECORD_COPY,
		.call = 2,
		.place = 2,
		.stream = 7,
		.a = 4 << 20,
		.b = pinned,
		.d = RECORD_ASYNC};
	training->host_count = training->device_count = 0;
	training_kernel(training, 0, 30, TRAINING_KERNEL);
	training_call(training, 20, 30, copy);
	training_operation(training, 240, 640,
		(struct record){.kind = RECORD_DEVICE_COPY, .a = 4 << 20, .b = pinned});
	training_kernel(training, 40, 650, TRAINING_KERNEL + 1);
	training_call(training, 60, 860,
		(struct record){
			.kind = RECORD_SYNC, .call = 3, .place = 1, .stream = 7, .b = SYNC_STREAM});
	training_call(training, 0, 900,
		(struct record){.kind = RECORD_OP, .name = TRAINING_OPTIMIZER, .c = OP_USER_SCOPE});
}

static struct record training_state(const struct training *training, enum source_state state)
{
	return (struct record){.kind = RECORD_SOURCE_STATE,
		.begin = training->begin_ns,
		.end = training->begin_ns,
		.name = TRAINING_ACTIVITY,
		.c = (uint32_t)state};
}

static void training_send(struct maker *maker, const struct training *training, uint64_t sent)
{
	for (unsigned i = 0; i < training->device_count; i++) {
		const struct record *record = &training->device[i];
		int (*add)(struct encoder *, uint32_t, uint64_t, const struct record *, unsigned) =
			codec_is_matched(record) ? encoder_add_matched : encoder_add_events;
		MAKER_CHECK(add(maker->encoder, 2, sent + i, record, 1) == 0);
	}
}

void training_make(struct maker *maker, const char *what)
{
	bool yields = strcmp(what, "yielded") == 0, fails = strcmp(what, "failed") == 0;
	struct training training = {
		.whole = strcmp(what, "whole") == 0, .matched = strcmp(what, "matched") == 0};
	bool loses = strcmp(what, "lost") == 0;
	uint64_t sent = 0;
	training_define(maker, fails ? "failed" : "active", fails ? "out of memory" : "");
	unsigned steps = strcmp(what, "one") == 0 ? 1 : TRAINING_STEPS;
	for (unsigned i = 0; i < steps; i++) {
		training.begin_ns = MAKER_BEGIN + i * 1000000ull;
		training.silent = (yields && i >= 15 && i < 25) || (fails && i >= 15) ||
				  (loses && i % 4 == 3);
		struct record state = training_state(&training, SOURCE_ACTIVE);
		if (i == 15)
			state.c = yields ? SOURCE_YIELDED : SOURCE_FAILED;
		training_step(&training);
		if (i == 0 || (yields && (i == 15 || i == 25)) || (fails && i == 15))
			training.device[training.device_count++] = state;
		MAKER_CHECK(encoder_add_events(maker->encoder, 1, 5ull * i, training.host,
				    training.host_count) == 0);
		training_send(maker, &training, sent);
		sent += training.device_count;
		maker->event += training.host_count + training.device_count;
		if (i % 8 == 7)
			maker_frame(maker);
	}
	if (loses)
		maker_meta(maker, (struct meta){.kind = META_LOST,
					  .u.lost = {2, 60, "device buffers", MAKER_BEGIN,
						  MAKER_BEGIN + 40000000}});
}
