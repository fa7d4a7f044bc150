/* SPDX-License-Identifier: MIT */
/*
 * reduce_kernel<..., ReduceOp<in, operations, index, out, ...>>: one struct by value holding the
 * operations' own state, the neutral element, a configuration, two offset calculators and the
 * pointers. The first two differ in size, everything after them is at a fixed distance.
 */
#include <fnmatch.h>
#include <math.h>

#include "elementwise.h"
#include "kernel.h"
#include "name.h"

enum reduce_kind {
	REDUCE_SUM,
	REDUCE_PRODUCT,
	REDUCE_MEAN,
	REDUCE_MAX,
	REDUCE_MIN,
	REDUCE_ARGMAX,
	REDUCE_ARGMIN,
	REDUCE_MAX_AT, /* value and place */
	REDUCE_MIN_AT,
	REDUCE_MIN_MAX,
	REDUCE_AND,
	REDUCE_OR,
	REDUCE_NORM1,
	REDUCE_NORM2,
	REDUCE_NORM_MAX,
	REDUCE_NORM,
	REDUCE_VARIANCE
};

/* How large the state and the neutral element are. */
enum reduce_state {
	STATE_NONE,   /* an empty functor, then a value of the calculating type */
	STATE_SAME,   /* the same with a value of the output type */
	STATE_FACTOR, /* one number of the calculating type, then another */
	STATE_TWO,    /* an empty functor, then {value, value} */
	STATE_PAIR,   /* an empty functor, then {value, int64 index} */
	STATE_WELFORD /* {correction, bool root}, then {mean, m2, int n, nf} */
};

static const struct reduction {
	const char *pattern;
	enum reduce_kind kind;
	enum reduce_state state;
} reductions[] = {
	{"func_wrapper_t<*sum_functor<*", REDUCE_SUM, STATE_NONE},
	{"func_wrapper_t<*ReductionAddOp<*", REDUCE_SUM, STATE_NONE},
	{"func_wrapper_t<*ReductionMulOp<*", REDUCE_PRODUCT, STATE_NONE},
	{"func_wrapper_t<*prod_functor<*", REDUCE_PRODUCT, STATE_NONE},
	{"func_wrapper_t<*MaxNanFunctor<*", REDUCE_MAX, STATE_SAME},
	{"func_wrapper_t<*MinNanFunctor<*", REDUCE_MIN, STATE_SAME},
	{"func_wrapper_t<bool, and_kernel_cuda(*", REDUCE_AND, STATE_SAME},
	{"func_wrapper_t<bool, or_kernel_cuda(*", REDUCE_OR, STATE_SAME},
	{"MeanOps<*", REDUCE_MEAN, STATE_FACTOR},
	{"MinMaxOps<*", REDUCE_MIN_MAX, STATE_TWO},
	{"MaxOps<*", REDUCE_MAX_AT, STATE_PAIR},
	{"MinOps<*", REDUCE_MIN_AT, STATE_PAIR},
	{"ArgMaxOps<*", REDUCE_ARGMAX, STATE_PAIR},
	{"ArgMinOps<*", REDUCE_ARGMIN, STATE_PAIR},
	{"NormOneOps<*", REDUCE_NORM1, STATE_NONE},
	{"NormTwoOps<*", REDUCE_NORM2, STATE_NONE},
	{"AbsMaxOps<*", REDUCE_NORM_MAX, STATE_NONE},
	{"NormOps<*", REDUCE_NORM, STATE_FACTOR},
	{"WelfordOps<*", REDUCE_VARIANCE, STATE_WELFORD},
};

/* The parts of a launch that do not depend on the operation. */
struct reduction_view {
	int32_t inputs; /* for each output */
	int32_t outputs;
	const char *input_calculator;
	const char *output_calculator;
	const char *source;
	char *target[2];
	int32_t targets;
	int64_t base;
};

struct accumulator {
	union value value;
	double mean; /* of a variance; value.f is the sum of squared distances */
	union value other;
	int64_t count;
	int64_t at;
	int real;
};

static size_t config_offset(const struct reduction *reduction, enum type in, enum type out)
{
	size_t acc = type_size(type_opmath(in)), same = type_size(out);

	switch (reduction->state) {
	case STATE_NONE:
		if (acc < type_size(type_opmath(out))) /* sums of small integers */
			acc = type_size(type_opmath(out));
		return ALIGN_UP(2 * acc, 4);
	case STATE_SAME:
		return ALIGN_UP(2 * same, 4);
	case STATE_FACTOR:
		return 2 * acc;
	case STATE_TWO:
		return ALIGN_UP(3 * same, 4);
	case STATE_PAIR:
		return 24;
	case STATE_WELFORD:
		break;
	}
	return acc == 8 ? 48 : 24;
}

/* Type of the neutral element: the output's, or what the lambda of all() and any() takes. */
static enum type result_type(const struct kernel *kernel, const char *operations, size_t i)
{
	enum type types[2];

	if ((reductions[i].kind == REDUCE_AND || reductions[i].kind == REDUCE_OR) &&
		name_lambda_types(operations, types, 2))
		return types[0];
	return kernel->types[1];
}

/* {reduce_kernel<threads, width, ReduceOp<in, operations, index, out, ...>>} */
int reduce_bind(struct kernel *kernel)
{
	char whole[2048], operations[1024];

	if (!name_argument(kernel->name, 2, whole, sizeof(whole)) ||
		!name_argument(whole, 1, operations, sizeof(operations)))
		return 0;
	kernel->types[0] = name_type(whole, 0);
	kernel->types[1] = name_type(whole, 3);
	if (kernel->types[0] == TYPE_NONE || kernel->types[1] == TYPE_NONE)
		return 0;
	for (size_t i = 0; i < sizeof(reductions) / sizeof(*reductions); i++) {
		if (fnmatch(reductions[i].pattern, operations, 0))
			continue;
		kernel->op = &reductions[i];
		kernel->offset = config_offset(
			&reductions[i], kernel->types[0], result_type(kernel, operations, i));
		kernel->flags =
			strstr(operations, ", false>") != NULL; /* a norm without its root */
		kernel->params = "#";
		kernel->sizes[0] = ALIGN_UP(kernel->offset + 972, 8) + 64;
		return 1;
	}
	return 0;
}

static struct reduction_view view_of(const char *reduction, size_t config)
{
	const char *pointers = reduction + ALIGN_UP(config + 972, 8);

	return (struct reduction_view){
		.inputs = FIELD_AT(reduction, config + 4, int32_t),
		.outputs = FIELD_AT(reduction, config + 8, int32_t),
		.input_calculator = reduction + config + 64,
		.output_calculator = reduction + config + 468,
		.source = FIELD_AT(pointers, 0, const char *),
		.target = {FIELD_AT(pointers, 8, char *), FIELD_AT(pointers, 16, char *)},
		.base = FIELD_AT(pointers, 48, int64_t),
		.targets = FIELD_AT(pointers, 60, int32_t),
	};
}

static int better(const struct accumulator *acc, union value value, int largest)
{
	if (!acc->count)
		return 1;
	if (!acc->real)
		return largest ? value.i > acc->value.i : value.i < acc->value.i;
	if (isnan(acc->value.f))
		return 0;
	return isnan(value.f) || (largest ? value.f > acc->value.f : value.f < acc->value.f);
}

static void keep_best(struct accumulator *acc, union value value, int64_t at, int largest)
{
	if (!better(acc, value, largest))
		return;
	acc->value = value;
	acc->at = at;
}

/* The smallest in value, the largest in other. */
static void keep_range(struct accumulator *acc, union value value, int64_t at)
{
	struct accumulator largest = *acc;

	largest.value = acc->other;
	keep_best(&largest, value, at, 1);
	acc->other = largest.value;
	keep_best(acc, value, at, 0);
}

static void add_to_variance(struct accumulator *acc, double value)
{
	double delta = value - acc->mean;

	acc->mean += delta / (double)(acc->count + 1);
	acc->value.f += delta * (value - acc->mean);
}

static void add(enum reduce_kind kind, struct accumulator *acc, union value value, int64_t at)
{
	switch (kind) {
	case REDUCE_SUM:
	case REDUCE_MEAN:
		if (acc->real)
			acc->value.f += value.f;
		else
			acc->value.i += value.i;
		break;
	case REDUCE_PRODUCT:
		if (acc->real)
			acc->value.f = acc->count ? acc->value.f * value.f : value.f;
		else
			acc->value.i = acc->count ? acc->value.i * value.i : value.i;
		break;
	case REDUCE_MAX:
	case REDUCE_ARGMAX:
	case REDUCE_MAX_AT:
		keep_best(acc, value, at, 1);
		break;
	case REDUCE_MIN:
	case REDUCE_ARGMIN:
	case REDUCE_MIN_AT:
		keep_best(acc, value, at, 0);
		break;
	case REDUCE_MIN_MAX:
		keep_range(acc, value, at);
		break;
	case REDUCE_AND:
		acc->value.f = (acc->count ? acc->value.f : 1) && value.f;
		break;
	case REDUCE_OR:
		acc->value.f = acc->value.f || value.f;
		break;
	case REDUCE_NORM1:
		acc->value.f += fabs(value.f);
		break;
	case REDUCE_NORM2:
		acc->value.f += value.f * value.f;
		break;
	case REDUCE_NORM_MAX:
		value.f = fabs(value.f);
		keep_best(acc, value, at, 1);
		break;
	case REDUCE_NORM: /* the exponent waits in mean */
		acc->value.f += pow(fabs(value.f), acc->mean);
		break;
	case REDUCE_VARIANCE:
		add_to_variance(acc, value.f);
		break;
	}
	acc->count++;
}

/* Turns the accumulator into the result; state is the operations' own. */
static void finish(const struct kernel *kernel, struct accumulator *acc, const char *state)
{
	const struct reduction *reduction = kernel->op;
	enum type acc_type = type_opmath(kernel->types[0]);
	double number;

	switch (reduction->kind) {
	case REDUCE_MEAN:
		acc->value.f *= type_get(acc_type, state, 0);
		break;
	case REDUCE_NORM2:
		if (!kernel->flags)
			acc->value.f = sqrt(acc->value.f);
		break;
	case REDUCE_NORM:
		acc->value.f = pow(acc->value.f, 1 / acc->mean);
		break;
	case REDUCE_AND:
		if (!acc->count)
			acc->value.f = 1;
		break;
	case REDUCE_VARIANCE:
		number = (double)acc->count - type_get(acc_type, state, 0);
		acc->value.f /= number > 0 ? number : 0;
		if (state[type_size(acc_type)])
			acc->value.f = sqrt(acc->value.f);
		break;
	default:
		break;
	}
}

static void store(const struct kernel *kernel, const struct reduction_view *view,
	const struct accumulator *acc, uint32_t offset)
{
	const struct reduction *reduction = kernel->op;
	enum type out = kernel->types[1];
	union value place = {.i = acc->at}, mean = {.f = acc->mean};
	size_t index = offset / type_size(out);

	if (reduction->kind == REDUCE_ARGMAX || reduction->kind == REDUCE_ARGMIN)
		type_store(out, view->target[0] + offset, place, 0);
	else
		type_store(out, view->target[0] + offset, acc->value, acc->real);
	if (view->targets < 2)
		return;
	if (reduction->state == STATE_PAIR)
		type_store(TYPE_INT64, view->target[1] + 8 * index, place, 0);
	else if (reduction->kind == REDUCE_VARIANCE)
		type_store(out, view->target[1] + offset, mean, 1);
	else if (reduction->kind == REDUCE_MIN_MAX)
		type_store(out, view->target[1] + offset, acc->other, acc->real);
}

/* Sums of floats by lines: the bulk of all reductions. */
static int sum_floats(const struct kernel *kernel, const struct reduction_view *view,
	const char *source, struct accumulator *acc)
{
	const struct reduction *reduction = kernel->op;
	struct walk walk;
	int64_t count, step;
	double sum = 0;

	if ((reduction->kind != REDUCE_SUM && reduction->kind != REDUCE_MEAN) ||
		kernel->types[0] != TYPE_FLOAT)
		return 0;
	walk_begin(view->input_calculator, 1, &walk);
	count = walk_line(&walk, (uint32_t)view->inputs);
	step = walk_step(&walk, 0) / (int64_t)sizeof(float);
	for (int64_t n = 0; n < view->inputs; n += count, walk_next_line(&walk)) {
		const float *line = (const float *)(source + walk.offsets[0]);

		for (int64_t i = 0; i < count; i++)
			sum += line[i * step];
	}
	acc->value.f = sum;
	acc->count = view->inputs;
	return 1;
}

static void reduce_inputs(const struct kernel *kernel, const struct reduction_view *view,
	const char *source, struct accumulator *acc)
{
	const struct reduction *reduction = kernel->op;
	struct walk walk;

	walk_begin(view->input_calculator, 1, &walk);
	for (int32_t i = 0; i < view->inputs; i++, walk_next(&walk))
		add(reduction->kind, acc,
			type_load(kernel->types[0], source + walk.offsets[0], acc->real),
			view->base + i);
}

void reduce_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	const struct reduction *reduction = kernel->op;
	const char *state = launch->args[0];
	struct reduction_view view = view_of(state, kernel->offset);
	int real = type_is_float(kernel->types[0]) || type_is_float(kernel->types[1]) ||
		   reduction->kind == REDUCE_AND || reduction->kind == REDUCE_OR;

	for (int32_t output = 0; output < view.outputs; output++) {
		struct accumulator acc = {.real = real};
		uint32_t out[2];

		if (reduction->kind == REDUCE_NORM)
			acc.mean = type_get(type_opmath(kernel->types[0]), state, 0);
		offsets_of(view.output_calculator, 2, (uint32_t)output, out);
		if (!sum_floats(kernel, &view, view.source + out[1], &acc))
			reduce_inputs(kernel, &view, view.source + out[1], &acc);
		finish(kernel, &acc, state);
		store(kernel, &view, &acc, out[0]);
	}
}
