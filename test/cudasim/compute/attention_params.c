/* SPDX-License-Identifier: MIT */
/*
 * Parameters of PyTorch's attention kernels: the memory efficient ones (fmha_cutlass...) and the
 * flash ones. Each takes one struct by value. The state of a random generator in it is longer from
 * CUDA 13's release on, and two members were added there, which moves what is behind; the offsets
 * were found by launching with sizes that are all different.
 *
 * The backward pass of flash attention is three kernels; the second one does all here, the sums
 * that the first one prepares and the third one rounds are not needed.
 */
#include <string.h>

#include "attention.h"
#include "kernel.h"
#include "layout.h"

enum {
	LSE_ALIGN = 32,
	CAUSAL_FROM_START = 1,
	CAUSAL_FROM_END = 2,
};

static enum type type_in(const char *name)
{
	if (strstr(name, "bf16") || strstr(name, "bfloat16"))
		return TYPE_BFLOAT16;
	return strstr(name, "f16") || strstr(name, "half_t") ? TYPE_HALF : TYPE_FLOAT;
}

static int bind(struct kernel *kernel, const char *letter)
{
	kernel->types[0] = type_in(kernel->name);
	kernel->params = letter;
	return 1;
}

int attention_bind_lean(struct kernel *kernel)
{
	return bind(kernel, "m");
}

int attention_bind_lean_backward(struct kernel *kernel)
{
	return bind(kernel, "M");
}

int attention_bind_flash(struct kernel *kernel)
{
	return bind(kernel, "f");
}

int attention_bind_flash_backward(struct kernel *kernel)
{
	return bind(kernel, "F");
}

static int shift_of(const struct compute_launch *launch)
{
	return (int)layout_for(launch->cudart)->attention_shift;
}

static void *pointer_at(const char *params, int offset)
{
	return FIELD_AT(params, offset, void *);
}

static int int_at(const char *params, int offset)
{
	return FIELD_AT(params, offset, int32_t);
}

static int64_t long_at(const char *params, int offset)
{
	return FIELD_AT(params, offset, int64_t);
}

static void set_mask(struct attention *a, int mask, int window)
{
	a->left = window > 0 ? window - 1 : INT32_MAX;
	a->right = mask ? 0 : INT32_MAX;
	a->from_end = mask == CAUSAL_FROM_END;
}

static void set_dropout(struct attention *a, const char *params, int drop_at, int state_at,
	const struct compute_launch *launch)
{
	a->drop = (double)FIELD_AT(params, drop_at, float);
	a->random = random_of(params + state_at, launch->cudart);
}

void attention_run_lean(const struct kernel *kernel, const struct compute_launch *launch)
{
	const char *p = launch->args[0];
	int s = shift_of(launch), aligned;
	struct attention a = {.type = kernel->types[0],
		.width = int_at(p, 96),
		.value_width = int_at(p, 100),
		.queries = int_at(p, 104),
		.keys = int_at(p, 108),
		.scale = (double)FIELD_AT(p, 92, float),
		.batches = int_at(p, 192),
		.heads = int_at(p, 196 + s),
		.heads_per_key = s ? int_at(p, 208) : 1,
		.query_starts = pointer_at(p, 32),
		.key_starts = pointer_at(p, 40),
		.lse = pointer_at(p, 80),
		.q = {pointer_at(p, 0), long_at(p, 160), int_at(p, 120), int_at(p, 140)},
		.k = {pointer_at(p, 8), long_at(p, 168), int_at(p, 124), int_at(p, 144)},
		.v = {pointer_at(p, 16), long_at(p, 176), int_at(p, 128), int_at(p, 148)},
		.bias = {pointer_at(p, 24), long_at(p, 184), int_at(p, 132), long_at(p, 152)}};

	if (a.heads_per_key < 1)
		a.heads_per_key = 1;
	a.out = (struct attention_view){pointer_at(p, 64), (int64_t)a.queries * int_at(p, 136),
		int_at(p, 136), a.value_width};
	if (a.query_starts)
		a.q.batch = a.k.batch = a.v.batch = a.out.batch = 0;
	aligned = (a.queries + LSE_ALIGN - 1) / LSE_ALIGN * LSE_ALIGN;
	a.lse_head = aligned;
	a.lse_batch = (int64_t)aligned * a.heads;
	set_mask(&a, FIELD_AT(p, 116, uint8_t), int_at(p, 88));
	if (FIELD_AT(p, 200 + s + s / 2, uint8_t)) {
		set_dropout(&a, p, 216 + s, 224 + s, launch);
		/* for the way back */
		if (pointer_at(p, 248 + 2 * s))
			*(int64_t *)pointer_at(p, 248 + 2 * s) = (int64_t)a.random.offset;
		if (pointer_at(p, 256 + 2 * s))
			*(int64_t *)pointer_at(p, 256 + 2 * s) = (int64_t)a.random.seed;
	}
	attention_forward(&a);
}

void attention_run_lean_backward(const struct kernel *kernel, const struct compute_launch *launch)
{
	const char *p = launch->args[0];
	int s = shift_of(launch), t = 2 * s; /* before and behind the random state */
	struct attention a = {.type = kernel->types[0],
		.width = int_at(p, 144),
		.value_width = int_at(p, 148),
		.queries = int_at(p, 152),
		.keys = int_at(p, 156),
		.heads = int_at(p, 160),
		.heads_per_key = s ? int_at(p, 164) : 1,
		.scale = (double)FIELD_AT(p, 140, float),
		.batches = int_at(p, 368 + t),
		.query_starts = pointer_at(p, 64),
		.key_starts = pointer_at(p, 72),
		.q = {pointer_at(p, 0), long_at(p, 304 + t), long_at(p, 168 + s),
			int_at(p, 272 + t)},
		.k = {pointer_at(p, 8), long_at(p, 312 + t), long_at(p, 176 + s),
			int_at(p, 276 + t)},
		.v = {pointer_at(p, 16), long_at(p, 320 + t), long_at(p, 184 + s),
			int_at(p, 280 + t)},
		.bias = {pointer_at(p, 24), long_at(p, 328 + t), long_at(p, 192 + s),
			long_at(p, 288 + t)},
		.out = {pointer_at(p, 40), long_at(p, 296 + t), 0, long_at(p, 264 + t)},
		.out_slope = {pointer_at(p, 48), long_at(p, 376 + 3 * s), long_at(p, 200 + s),
			long_at(p, 416 + 3 * s)},
		.q_slope = {pointer_at(p, 80), long_at(p, 384 + 3 * s), 0, long_at(p, 424 + 3 * s)},
		.k_slope = {pointer_at(p, 88), long_at(p, 392 + 3 * s), 0, long_at(p, 432 + 3 * s)},
		.v_slope = {pointer_at(p, 96), long_at(p, 400 + 3 * s), 0, long_at(p, 440 + 3 * s)},
		.bias_slope = {pointer_at(p, 104), long_at(p, 408 + 3 * s), long_at(p, 208 + s),
			long_at(p, 448 + 3 * s)}};
	int64_t packed = FIELD_AT(p, 216 + s, int8_t) * (int64_t)a.heads;

	if (a.heads_per_key < 1)
		a.heads_per_key = 1;
	a.out.row = (int64_t)a.value_width * a.heads;
	a.q_slope.row = a.k_slope.row = packed * a.width;
	a.v_slope.row = packed * a.value_width;
	if (a.query_starts)
		a.q.batch = a.k.batch = a.v.batch = a.out.batch = a.out_slope.batch =
			a.q_slope.batch = a.k_slope.batch = a.v_slope.batch = 0;
	set_mask(&a, FIELD_AT(p, 164 + s / 2, uint8_t), int_at(p, 136));
	set_dropout(&a, p, 256 + t, 224 + s, launch);
	attention_backward(&a);
}

static struct attention flash_of(const struct kernel *kernel, const struct compute_launch *launch)
{
	const char *p = launch->args[0];
	struct attention a = {.type = kernel->types[0],
		.batches = int_at(p, 176),
		.queries = int_at(p, 180),
		.keys = int_at(p, 184),
		.width = int_at(p, 192),
		.value_width = int_at(p, 192),
		.heads = int_at(p, 96),
		.heads_per_key = int_at(p, 104),
		.query_starts = pointer_at(p, 224),
		.key_starts = pointer_at(p, 232),
		.scale = (double)FIELD_AT(p, 216, float),
		.left = int_at(p, 388) < 0 ? INT32_MAX : int_at(p, 388),
		.right = int_at(p, 392) < 0 ? INT32_MAX : int_at(p, 392),
		.from_end = 1,
		.drop = 1 - (double)FIELD_AT(p, 372, float),
		.q = {pointer_at(p, 0), long_at(p, 24), long_at(p, 48), long_at(p, 72)},
		.k = {pointer_at(p, 8), long_at(p, 32), long_at(p, 56), long_at(p, 80)},
		.v = {pointer_at(p, 16), long_at(p, 40), long_at(p, 64), long_at(p, 88)},
		.out = {pointer_at(p, 112), long_at(p, 128), long_at(p, 136), long_at(p, 144)}};

	if (a.query_starts)
		a.q.batch = a.k.batch = a.v.batch = a.out.batch = 0;
	return a;
}

void attention_run_flash(const struct kernel *kernel, const struct compute_launch *launch)
{
	const char *p = launch->args[0];
	struct attention a = flash_of(kernel, launch);
	uint64_t *state = pointer_at(p, 424 + shift_of(launch));

	if (a.drop > 0) {
		a.random = random_of(p + 400, launch->cudart);
		if (state) {
			state[0] = a.random.seed;
			state[1] = a.random.offset;
		}
	}
	if (!a.query_starts)
		a.lse = pointer_at(p, 160);
	a.lse_head = a.queries;
	a.lse_batch = (int64_t)a.queries * a.heads;
	attention_forward(&a);
}

void attention_run_flash_backward(const struct kernel *kernel, const struct compute_launch *launch)
{
	const char *p = launch->args[0];
	int s = shift_of(launch);
	struct attention a = flash_of(kernel, launch);
	const uint64_t *state = pointer_at(p, 424 + s);

	if (a.drop > 0 && state)
		a.random = (struct random){state[0], state[1]};
	a.out_slope = (struct attention_view){pointer_at(p, 464 + s), long_at(p, 520 + s),
		long_at(p, 528 + s), long_at(p, 536 + s)};
	a.q_slope = (struct attention_view){pointer_at(p, 472 + s), long_at(p, 544 + s),
		long_at(p, 568 + s), long_at(p, 592 + s)};
	a.k_slope = (struct attention_view){pointer_at(p, 480 + s), long_at(p, 552 + s),
		long_at(p, 576 + s), long_at(p, 600 + s)};
	a.v_slope = (struct attention_view){pointer_at(p, 488 + s), long_at(p, 560 + s),
		long_at(p, 584 + s), long_at(p, 608 + s)};
	if (a.query_starts)
		a.out_slope.batch = a.q_slope.batch = a.k_slope.batch = a.v_slope.batch = 0;
	attention_backward(&a);
}
