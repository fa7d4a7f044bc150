/* SPDX-License-Identifier: MIT */
/*
 * Element-wise operations: which functor does what, and the layouts that its kernels share.
 *
 * ops.def has one row per operation: a pattern over the functor's shortened name, how the result
 * type follows from the parameters, the scalars that the functor carries (their types in order,
 * naturally aligned) and the value as an expression. op_bind() turns a functor's name into a
 * struct op_use, which is everything that a loop over elements needs. Everything here is
 * immutable after binding; any thread may call.
 *
 * PyTorch's OffsetCalculator, which strided kernels carry, maps an element number to one byte or
 * element offset per operand; offsets_of() reads it in place.
 */
#ifndef CUDASIM_COMPUTE_ELEMENTWISE_H
#define CUDASIM_COMPUTE_ELEMENTWISE_H

#include "types.h"

enum op_limit {
	OP_INPUTS = 6,
	OP_SCALARS = 4,
	OP_LINE_INPUTS = 3, /* no expression has more */
	OFFSET_DIMS = 25
};

enum op_result {
	OP_FIRST, /* type of the first parameter */
	OP_LAST,  /* type of the last parameter */
	OP_BOOL,
	OP_FLOAT,
	OP_HALF,
	OP_BFLOAT16,
	OP_SECOND_ARGUMENT, /* the second template argument */
};

/* Floats at equal distances: in has OP_LINE_INPUTS readable pointers, unused ones with step 0. */
struct op_line {
	int64_t count;
	const float *in[OP_LINE_INPUTS];
	int64_t step[OP_LINE_INPUTS];
	float *out;
	int64_t out_step;
};

struct op {
	const char *pattern; /* fnmatch() over the beginning of the functor's name */
	enum op_result result;
	/* 'T' parameter type, 'O' its calculating type, 'e' int, 'b' bool, 'f' float, 'd' double */
	const char *scalars;
	double (*real)(const union value *in, const union value *s);
	int64_t (*whole)(const union value *in, const union value *s);
	void (*floats)(const struct op_line *line, const union value *s);
};

/* A functor bound to its operation. */
struct op_use {
	const struct op *op;
	int inputs;
	enum type in[OP_INPUTS];
	enum type out;
	int real;         /* calculate in double, otherwise in 64-bit integers */
	int fixed;        /* parameter that the functor carries (0, 1), -1 if none */
	enum type scalar; /* type of that parameter */
	size_t fixed_at;  /* and its offset */
	size_t size;      /* of the functor */
};

/* The operation of that functor, NULL if there is none. */
const struct op *op_find(const char *functor);

/* Fills *ret_use for the functor with that shortened name. 1, or 0 if it is not known. */
int op_bind(const char *functor, struct op_use *ret_use);

/*
 * Applies the operation to one element. in has use->inputs values (of the element, as double or
 * integer after use->real); scalars are those of op_scalars().
 */
static inline union value op_apply(
	const struct op_use *use, const union value *in, const union value *scalars)
{
	union value both[2], result;

	if (use->fixed >= 0) {
		both[use->fixed] = scalars[OP_SCALARS];
		both[!use->fixed] = in[0];
		in = both;
	}
	if (use->real)
		result.f = use->op->real(in, scalars);
	else
		result.i = use->op->whole(in, scalars);
	return result;
}

/* Reads what the functor carries. A fixed parameter comes at [OP_SCALARS]. */
void op_scalars(const struct op_use *use, const void *functor, union value *ret_scalars);

/* Size of an OffsetCalculator for that many operands. */
size_t offsets_size(int operands);

/* Offsets of element index, one for each operand. */
void offsets_of(const void *calculator, int operands, uint32_t index, uint32_t *ret_offsets);

/* Visits the elements in order without dividing: offsets are those of the current one. */
struct walk {
	const void *calculator;
	int operands;
	int dims;
	uint32_t at[OFFSET_DIMS];
	uint32_t offsets[OP_INPUTS + 1];
};

void walk_begin(const void *calculator, int operands, struct walk *ret_walk);
void walk_next(struct walk *walk);

/* The same by lines, the elements along the first dimension: how many each has (a whole divisor of
 * count), the distance of an operand's elements in bytes, and on to the next one. */
int64_t walk_line(const struct walk *walk, uint32_t count);
int64_t walk_step(const struct walk *walk, int operand);
void walk_next_line(struct walk *walk);

#endif
