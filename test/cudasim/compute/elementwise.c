/* SPDX-License-Identifier: MIT */
#include "elementwise.h"

#include <stdlib.h>

#include "kernel.h"
#include "name.h"

/* Where the operands of one launch are. */
struct operands {
	uint32_t count; /* of elements */
	const void *functor;
	char *const *data;      /* output first */
	const void *calculator; /* NULL: contiguous */
	const int8_t *out_type; /* NULL: as the functor says */
	const int8_t *in_types;
};

/* A parameter of the functor: converted to bool first where that is its type. */
static union value load_parameter(enum type stored, enum type wanted, const void *from, int real)
{
	union value value;

	if (wanted != TYPE_BOOL || stored == TYPE_BOOL)
		return type_load(stored, from, real);
	value = type_load(stored, from, 1);
	if (real)
		value.f = value.f != 0;
	else
		value.i = value.f != 0;
	return value;
}

/* The usual case, without conversions: everything float, lines of elements at equal distances. */
static void run_floats(const struct op_use *use, const struct operands *operands, int inputs,
	const union value *scalars)
{
	static const float unused;
	const float fixed = (float)scalars[OP_SCALARS].f;
	struct op_line line = {.in = {&unused, &unused, &unused}, .out_step = 1};
	int first = use->fixed == 0;
	struct walk walk = {.offsets = {0}};

	if (use->fixed >= 0)
		line.in[use->fixed] = &fixed;
	line.count = operands->count;
	if (operands->calculator) {
		walk_begin(operands->calculator, inputs + 1, &walk);
		line.count = walk_line(&walk, operands->count);
		line.out_step = walk_step(&walk, 0) / (int64_t)sizeof(float);
	}
	for (int i = 0; i < inputs; i++)
		line.step[first + i] =
			operands->calculator ? walk_step(&walk, i + 1) / (int64_t)sizeof(float) : 1;
	for (int64_t n = 0; n < operands->count; n += line.count) {
		line.out = (float *)(operands->data[0] + walk.offsets[0]);
		for (int i = 0; i < inputs; i++)
			line.in[first + i] =
				(const float *)(operands->data[i + 1] + walk.offsets[i + 1]);
		use->op->floats(&line, scalars);
		if (operands->calculator)
			walk_next_line(&walk);
	}
}

static int all_floats(const struct op_use *use, enum type out, const enum type *in, int inputs)
{
	if (use->inputs > OP_LINE_INPUTS || (use->fixed >= 0 && use->scalar != TYPE_FLOAT))
		return 0;
	for (int i = 0; i < inputs; i++)
		if (in[i] != TYPE_FLOAT)
			return 0;
	return out == TYPE_FLOAT;
}

static void run(const struct op_use *use, const struct operands *operands)
{
	int inputs = use->inputs - (use->fixed >= 0);
	enum type out = use->out, in[OP_INPUTS], wanted[OP_INPUTS];
	union value scalars[OP_SCALARS + 1], values[OP_INPUTS];
	struct walk walk;

	op_scalars(use, operands->functor, scalars);
	if (operands->out_type)
		out = *operands->out_type;
	for (int i = 0; i < inputs; i++) {
		wanted[i] = use->in[use->fixed == 0 ? 1 : i];
		in[i] = operands->in_types ? (enum type)operands->in_types[i] : wanted[i];
	}
	if (operands->count && all_floats(use, out, in, inputs)) {
		run_floats(use, operands, inputs, scalars);
		return;
	}
	if (operands->calculator)
		walk_begin(operands->calculator, inputs + 1, &walk);
	for (uint32_t n = 0; n < operands->count; n++) {
		for (int i = 0; i < inputs; i++) {
			size_t at =
				operands->calculator ? walk.offsets[i + 1] : n * type_size(in[i]);

			values[i] = load_parameter(
				in[i], wanted[i], operands->data[i + 1] + at, use->real);
		}
		type_store(out,
			operands->data[0] +
				(operands->calculator ? walk.offsets[0] : n * type_size(out)),
			op_apply(use, values, scalars), use->real);
		if (operands->calculator)
			walk_next(&walk);
	}
}

static int bind_functor(struct kernel *kernel, const char *functor)
{
	struct op_use *use = malloc(sizeof(*use));

	if (!use)
		return 0;
	if (!op_bind(functor, use)) {
		free(use);
		return 0;
	}
	kernel->op = use;
	kernel->count = use->inputs - (use->fixed >= 0) + 1; /* operands */
	return 1;
}

/* vectorized_elementwise_kernel<width, functor, ...>(int n, functor, char *data[]) */
int elementwise_bind_vectorized(struct kernel *kernel)
{
	char functor[2048];

	if (!name_argument(kernel->name, 1, functor, sizeof(functor)) ||
		!bind_functor(kernel, functor))
		return 0;
	kernel->params = "i##";
	kernel->sizes[0] = ((const struct op_use *)kernel->op)->size;
	kernel->sizes[1] = 8 * (size_t)kernel->count;
	return 1;
}

/* unrolled_elementwise_kernel<functor, ...>(n, functor, data, in, out, loader, storer) */
int elementwise_bind_unrolled(struct kernel *kernel)
{
	char functor[2048];
	size_t inputs;

	if (!name_argument(kernel->name, 0, functor, sizeof(functor)) ||
		!bind_functor(kernel, functor))
		return 0;
	inputs = kernel->count > 1 ? (size_t)kernel->count - 1 : 1;
	kernel->flags = strstr(kernel->name, "LoadWithCast") != NULL;
	kernel->params = "i##bb##";
	kernel->sizes[0] = ((const struct op_use *)kernel->op)->size;
	kernel->sizes[1] = 8 * (size_t)kernel->count;
	kernel->sizes[2] = kernel->flags ? ALIGN_UP(inputs, 4) + 4 * inputs : 1;
	kernel->sizes[3] = kernel->flags ? 8 : 1;
	return 1;
}

void elementwise_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct operands operands = {
		.count = ARG(launch, 0, uint32_t),
		.functor = launch->args[1],
		.data = launch->args[2],
	};

	if (kernel->flags) { /* both begin with the run-time types */
		operands.in_types = launch->args[5];
		operands.out_type = launch->args[6];
	}
	run(kernel->op, &operands);
}

/*
 * elementwise_kernel<threads, items, gpu_kernel_impl[_nocast]<functor>(...)::{lambda(int)#1}>:
 * the lambda holds the offset calculator, the data pointers, the functor and, when types are
 * converted, the run-time types.
 */
int elementwise_bind_strided(struct kernel *kernel)
{
	char lambda[4096], functor[2048];
	size_t size;

	if (!name_argument(kernel->name, 2, lambda, sizeof(lambda)) ||
		strncmp(lambda, "gpu_kernel_impl", 15) ||
		!name_argument(lambda, 0, functor, sizeof(functor)) ||
		!bind_functor(kernel, functor))
		return 0;
	size = ((const struct op_use *)kernel->op)->size;
	kernel->offset = ALIGN_UP(offsets_size(kernel->count), 8); /* of the data pointers */
	kernel->flags = strncmp(lambda, "gpu_kernel_impl_nocast", 22) != 0;
	kernel->params = "i#";
	kernel->sizes[0] = ALIGN_UP(kernel->offset + 8 * (size_t)kernel->count + size +
					    (kernel->flags ? (size_t)kernel->count : 0),
		8);
	return 1;
}

void elementwise_run_strided(const struct kernel *kernel, const struct compute_launch *launch)
{
	const struct op_use *use = kernel->op;
	const char *lambda = launch->args[1];
	const char *functor = lambda + kernel->offset + 8 * kernel->count;
	struct operands operands = {
		.count = ARG(launch, 0, uint32_t),
		.functor = functor,
		.data = (char *const *)(lambda + kernel->offset),
		.calculator = lambda,
	};

	if (kernel->flags) {
		operands.out_type = (const int8_t *)functor + use->size;
		operands.in_types = operands.out_type + 1;
	}
	run(use, &operands);
}
