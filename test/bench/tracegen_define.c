/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "test/bench/tracegen_parts.h"

unsigned tracegen_name_count(const struct tracegen *tracegen)
{
	return tracegen->options.names + OP_NAMES + FILE_NAMES + tracegen->options.device;
}

unsigned tracegen_place_count(const struct tracegen *tracegen)
{
	return tracegen->options.places;
}

unsigned tracegen_thread_count(const struct tracegen *tracegen)
{
	return tracegen->options.threads + FIXED_THREADS;
}

typedef void define_fn(void *context, const struct meta *meta);

static void define_names(const struct tracegen *tracegen, define_fn *define, void *context)
{
	static const char *const shapes[] = {
		"void at::native::vectorized_elementwise_kernel<4, f%u>", "ampere_sgemm_%ux64_nn",
		"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, %u>",
		"void (anonymous namespace)::softmax_warp_forward<float, %u>"};
	char text[128];
	struct meta meta = {.kind = META_NAME, .u.name.text = text};
	unsigned files = tracegen->options.names + OP_NAMES;
	for (unsigned i = 0; i < tracegen_name_count(tracegen); i++) {
		if (i < tracegen->options.names)
			(void)snprintf(text, sizeof(text), shapes[i % 4], i);
		else if (i < files)
			(void)snprintf(
				text, sizeof(text), "aten::op_%u", i - tracegen->options.names);
		else if (i == files + FILE_NAMES)
			(void)snprintf(text, sizeof(text), "activity");
		else
			(void)snprintf(
				text, sizeof(text), "/home/user/project/part_%u.py", i - files);
		meta.u.name.id = 1 + i;
		define(context, &meta);
	}
}

static void define_places(const struct tracegen *tracegen, define_fn *define, void *context)
{
	unsigned files = 1 + tracegen->options.names + OP_NAMES;
	for (unsigned i = 0; i < tracegen_place_count(tracegen); i++) {
		struct meta meta = {.kind = META_PLACE, .u.place.id = 1 + i};
		meta.u.place.language = "python";
		meta.u.place.file = meta.u.place.user_file = files + i % FILE_NAMES;
		meta.u.place.line = meta.u.place.user_line = 10 + i / FILE_NAMES;
		define(context, &meta);
	}
}

/* Two chains that share their outermost frame. */
static void define_stacks(define_fn *define, void *context)
{
	for (unsigned i = 0; i < STACKS; i++) {
		struct meta meta = {.kind = META_STACK, .u.stack.id = 1 + i};
		meta.u.stack.place = 1 + i;
		meta.u.stack.caller = i == 0 ? 0 : i <= 2 ? 1 : i - 1;
		define(context, &meta);
	}
}

static void define_threads(const struct tracegen *tracegen, define_fn *define, void *context)
{
	for (unsigned i = 0; i < tracegen_thread_count(tracegen); i++) {
		struct meta meta = {.kind = META_THREAD, .u.thread.id = 1 + i};
		meta.u.thread.tid = thread_tid(tracegen, i);
		meta.u.thread.name = i < tracegen->options.threads    ? "python3"
				     : i == tracegen->options.threads ? "loader"
								      : "device";
		define(context, &meta);
	}
}

static void define_run(const struct tracegen *tracegen, define_fn *define, void *context)
{
	struct meta run = {.kind = META_RUN};
	run.u.run.format_version = 1;
	run.u.run.tool_version = "tracegen";
	run.u.run.host = "host";
	run.u.run.pid = 1000 + 100 * tracegen->options.rank;
	run.u.run.role = "main";
	run.u.run.rank = tracegen->options.rank;
	run.u.run.world_size = -1;
	run.u.run.program = "train.py";
	run.u.run.command = "python3 train.py";
	run.u.run.begin_ns = START_NS;
	run.u.run.begin_realtime_ns = 1700000000 * 1000000000ull;
	run.u.run.clock = "monotonic";
	run.u.run.ring_memory = "file";
	define(context, &run);
	struct meta clock = {.kind = META_CLOCK};
	clock.u.clock.ns = clock.u.clock.monotonic_ns = START_NS;
	clock.u.clock.realtime_ns = run.u.run.begin_realtime_ns;
	define(context, &clock);
	define(context, &(struct meta){.kind = META_SOURCE,
				.u.source = {.name = "runtime", .state = "active"}});
	define(context, &(struct meta){.kind = META_SOURCE,
				.u.source = {.name = "activity", .state = "active"}});
	if (tracegen->options.budget)
		define(context, &(struct meta){.kind = META_SETTING,
					.u.setting = {.name = "LIBTRACE_BUDGET", .value = "3%"}});
}

void tracegen_define(const struct tracegen *tracegen, define_fn *define, void *context)
{
	static const char *const calls[CALL_COUNT] = {"", "cudaLaunchKernel", "cudaMemcpyAsync",
		"cudaStreamSynchronize", "cudaMalloc", "read"};
	define_run(tracegen, define, context);
	for (unsigned i = 1; i < CALL_COUNT; i++) {
		struct meta call = {.kind = META_CALL, .u.call.id = i, .u.call.name = calls[i]};
		call.u.call.library = i == CALL_READ ? "libc" : "cudart";
		define(context, &call);
	}
	define_threads(tracegen, define, context);
	define_names(tracegen, define, context);
	define_places(tracegen, define, context);
	if (tracegen->options.host)
		define_stacks(define, context);
}
