/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "elementwise.h"
#include "kernel.h"
#include "name.h"

static enum type scalar_type(const struct op_use *use, char letter)
{
	switch (letter) {
	case 'T':
		return use->in[0];
	case 'O':
		return type_opmath(use->in[0]);
	case 'b':
		return TYPE_BOOL;
	case 'f':
		return TYPE_FLOAT;
	case 'd':
		return TYPE_DOUBLE;
	default:
		return TYPE_INT32;
	}
}

/* Parameters of the functor, when it is not wrapped: from its lambda or its template. */
static int bind_inputs(const char *functor, struct op_use *use)
{
	static const struct {
		const char *prefix;
		int inputs;
	} classes[] = {
		{"FillFunctor<", 0},
		{"CUDAFunctorOn", 1},
		{"CUDAFunctor_add<", 2},
		{"AbsFunctor<", 1},
		{"Compare", 2},
	};

	use->inputs = name_lambda_types(functor, use->in, OP_INPUTS);
	if (use->inputs)
		return 1;
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		if (strncmp(functor, classes[i].prefix, strlen(classes[i].prefix)))
			continue;
		use->in[0] = use->in[1] = name_type(functor, 0);
		use->inputs = classes[i].inputs;
		return use->in[0] != TYPE_NONE;
	}
	return 0;
}

/* Size of the functor's own scalars, and the largest alignment among them. */
static size_t scalars_size(const struct op_use *use, size_t *ret_align)
{
	size_t at = 0, align = 1;

	for (const char *letter = use->op->scalars; *letter; letter++) {
		size_t size = type_size(scalar_type(use, *letter));

		at = ALIGN_UP(at, size) + size;
		align = size > align ? size : align;
	}
	*ret_align = align;
	return at ? ALIGN_UP(at, align) : 1; /* an empty C++ class has one byte */
}

/* AUnaryFunctor, BUnaryFunctor, BinaryFunctor<first, second, result, functor>. */
static int bind_wrapped(const char *functor, struct op_use *use)
{
	char inner[2048];
	enum type lambda[2];
	size_t size, align;

	if (!name_argument(functor, 3, inner, sizeof(inner)))
		return 0;
	use->op = op_find(inner);
	for (int i = 0; i < 2; i++)
		use->in[i] = name_type(functor, i);
	use->out = name_type(functor, 2);
	use->inputs = 2;
	if (!use->op || use->in[0] == TYPE_NONE || use->out == TYPE_NONE)
		return 0;
	use->size = scalars_size(use, &align);
	if (functor[1] == 'i') /* BinaryFunctor carries both as parameters */
		return 1;
	use->fixed = functor[0] == 'B';
	use->scalar = name_type(inner, 0);
	if (name_lambda_types(inner, lambda, 2) == 2)
		use->scalar = lambda[use->fixed];
	if (use->scalar == TYPE_NONE)
		return 0;
	size = type_size(use->scalar);
	use->fixed_at = ALIGN_UP(use->size, size);
	align = size > align ? size : align;
	use->size = ALIGN_UP(use->fixed_at + size, align);
	return 1;
}

static enum type result_type(const char *functor, const struct op_use *use)
{
	switch (use->op->result) {
	case OP_LAST:
		return use->in[use->inputs - 1];
	case OP_BOOL:
		return TYPE_BOOL;
	case OP_FLOAT:
		return TYPE_FLOAT;
	case OP_HALF:
		return TYPE_HALF;
	case OP_BFLOAT16:
		return TYPE_BFLOAT16;
	case OP_SECOND_ARGUMENT:
		return name_type(functor, 1);
	case OP_FIRST:
		break;
	}
	return use->in[0];
}

int op_bind(const char *functor, struct op_use *ret_use)
{
	struct op_use use = {.fixed = -1};
	size_t align;

	if (!strncmp(functor, "AUnaryFunctor<", 14) || !strncmp(functor, "BUnaryFunctor<", 14) ||
		!strncmp(functor, "BinaryFunctor<", 14)) {
		if (!bind_wrapped(functor, &use))
			return 0;
	} else {
		use.op = op_find(functor);
		if (!use.op || !bind_inputs(functor, &use))
			return 0;
		use.size = scalars_size(&use, &align);
		use.out = result_type(functor, &use);
	}
	use.real = type_is_float(use.out);
	for (int i = 0; i < use.inputs; i++)
		use.real |= type_is_float(use.in[i]);
	*ret_use = use;
	return use.out != TYPE_NONE;
}

void op_scalars(const struct op_use *use, const void *functor, union value *ret_scalars)
{
	size_t at = 0;
	int count = 0;

	for (const char *letter = use->op->scalars; *letter; letter++) {
		enum type type = scalar_type(use, *letter);
		int real = use->real && *letter != 'e' && *letter != 'b';

		at = ALIGN_UP(at, type_size(type));
		ret_scalars[count++] = type_load(type, (const char *)functor + at, real);
		at += type_size(type);
	}
	if (use->fixed >= 0)
		ret_scalars[OP_SCALARS] =
			type_load(use->scalar, (const char *)functor + use->fixed_at, use->real);
}

size_t offsets_size(int operands)
{
	return 4 + OFFSET_DIMS * (12 + 4 * (size_t)(operands ? operands : 1));
}

void offsets_of(const void *calculator, int operands, uint32_t index, uint32_t *ret_offsets)
{
	int dims = FIELD_AT(calculator, 0, int32_t);
	const char *sizes = (const char *)calculator + 4; /* {divisor, magic, shift} each */
	const uint32_t *strides = (const uint32_t *)(sizes + OFFSET_DIMS * 12);

	for (int i = 0; i < operands; i++)
		ret_offsets[i] = 0;
	for (int dim = 0; dim < dims; dim++) {
		uint32_t size = FIELD_AT(sizes, 12 * dim, uint32_t);
		uint32_t rest = dim + 1 < dims ? index % size : index;

		if (dim + 1 < dims)
			index /= size;
		for (int i = 0; i < operands; i++)
			ret_offsets[i] += rest * strides[dim * operands + i];
	}
}

void walk_begin(const void *calculator, int operands, struct walk *ret_walk)
{
	memset(ret_walk, 0, sizeof(*ret_walk));
	ret_walk->calculator = calculator;
	ret_walk->operands = operands;
	ret_walk->dims = FIELD_AT(calculator, 0, int32_t);
}

/* To the next element of that dimension, and of those behind it. */
static void advance(struct walk *walk, int dim)
{
	const char *sizes = (const char *)walk->calculator + 4;
	const uint32_t *strides = (const uint32_t *)(sizes + OFFSET_DIMS * 12);

	for (; dim < walk->dims; dim++) {
		const uint32_t *steps = strides + dim * walk->operands;
		uint32_t size = FIELD_AT(sizes, 12 * dim, uint32_t);

		if (++walk->at[dim] < size) {
			for (int i = 0; i < walk->operands; i++)
				walk->offsets[i] += steps[i];
			return;
		}
		walk->at[dim] = 0;
		for (int i = 0; i < walk->operands; i++)
			walk->offsets[i] -= (size - 1) * steps[i];
	}
}

void walk_next(struct walk *walk)
{
	advance(walk, 0);
}

int64_t walk_line(const struct walk *walk, uint32_t count)
{
	/* The last dimension is as long as the count says. */
	return walk->dims > 1 ? FIELD_AT(walk->calculator, 4, uint32_t) : count;
}

int64_t walk_step(const struct walk *walk, int operand)
{
	const char *strides = (const char *)walk->calculator + 4 + OFFSET_DIMS * 12;

	return walk->dims ? FIELD_AT(strides, 4 * operand, int32_t) : 0;
}

void walk_next_line(struct walk *walk)
{
	advance(walk, 1);
}
