/* SPDX-License-Identifier: MIT */
#include "foreach.h"

#include <math.h>

#include "name.h"

enum {
	CHUNK = 65536 /* elements of a tensor that one block works on */
};

/* What the functor around the operator does; r are the tensors it reads, s the scalar. */
enum foreach_shape {
	SHAPE_UNARY,         /* op(r0) */
	SHAPE_SCALAR,        /* op(r0, s) */
	SHAPE_SCALAR_LIST,   /* op(r0, s of the tensor) */
	SHAPE_LIST,          /* op(r0, s * r1) */
	SHAPE_SCALAR_TENSOR, /* op(r0, s * value on the device) */
	SHAPE_POINT,         /* r0 + s * op(r1, r2) */
	SHAPE_POINT_LIST,    /* r0 + s of the tensor * op(r1, r2) */
	SHAPE_TERNARY,       /* op(r0, r1, r2) */
	SHAPE_TERNARY_SCALAR,
	SHAPE_TERNARY_LIST,
	SHAPE_ZERO,
	SHAPE_COPY
};

static const struct {
	const char *name;
	enum foreach_shape shape;
} shapes[] = {
	{"UnaryOpFunctor<", SHAPE_UNARY},
	{"BinaryOpScalarFunctor<", SHAPE_SCALAR},
	{"BinaryOpScalarListFunctor<", SHAPE_SCALAR_LIST},
	{"BinaryOpListAlphaFunctor<", SHAPE_LIST},
	{"BinaryOpScalarTensorFunctor<", SHAPE_SCALAR_TENSOR},
	{"PointwiseOpScalarFunctor<", SHAPE_POINT},
	{"PointwiseOpScalarListFunctor<", SHAPE_POINT_LIST},
	{"TernaryOpListFunctor<", SHAPE_TERNARY},
	{"TernaryOpScalarFunctor<", SHAPE_TERNARY_SCALAR},
	{"TernaryOpScalarListFunctor<", SHAPE_TERNARY_LIST},
	{"ZeroFunctor<", SHAPE_ZERO},
	{"CopyFunctor<", SHAPE_COPY},
};

typedef double operator_fn(double a, double b, double c);

#define A a
#define B b
#define C c
#define OPERATOR(id, name, value)                                                                  \
	static double id##_value(double a, double b, double c)                                     \
	{                                                                                          \
		(void)a;                                                                           \
		(void)b;                                                                           \
		(void)c;                                                                           \
		return value;                                                                      \
	}
#include "foreach.def"
#undef OPERATOR

/* The usual case, floats: each element becomes base + scale * op(a, factor * b, c). */
struct foreach_line {
	int64_t count;
	const float *a, *b, *c, *base; /* base NULL: none, and no scale */
	int b_step, c_step;            /* 1, or 0 for a scalar */
	double factor, scale;
	float *out;
};

#define OPERATOR(id, name, value)                                                                  \
	static void id##_floats(const struct foreach_line *line)                                   \
	{                                                                                          \
		for (int64_t i = 0; i < line->count; i++) {                                        \
			double result =                                                            \
				id##_value(line->a[i], line->factor * line->b[i * line->b_step],   \
					line->c[i * line->c_step]);                                \
                                                                                                   \
			line->out[i] = (float)(line->base ? line->base[i] + line->scale * result   \
							  : result);                               \
		}                                                                                  \
	}
#include "foreach.def"
#undef OPERATOR

#define OPERATOR(id, name, value) {name, id##_value, id##_floats},
static const struct operator_row {
	const char *name;
	operator_fn *value;
	void (*floats)(const struct foreach_line *line);
} operators[] = {
#include "foreach.def"
};
#undef OPERATOR

static enum layout_extra extra_of(const char *name)
{
	if (strstr(name, "<TensorListScalarListMetadata<"))
		return LAYOUT_SCALARS;
	if (strstr(name, "<FusedOptimizerTensorListMetadata<"))
		return LAYOUT_STEPS;
	return LAYOUT_PLAIN;
}

size_t foreach_lists_size(const struct kernel *kernel, int cudart)
{
	void *args[1] = {NULL};
	struct compute_launch launch = {.cudart = cudart, .args = args};

	return foreach_begin(kernel, &launch).size;
}

/* kernel->count: number of lists; flags: what each tensor has; types[0]: of the scalars. */
int foreach_bind(struct kernel *kernel)
{
	char lists[256], number[16];
	enum layout_extra extra = extra_of(kernel->name);

	if (!name_argument(kernel->name, 0, lists, sizeof(lists)) ||
		!name_argument(lists, extra == LAYOUT_SCALARS, number, sizeof(number)))
		return 0;
	kernel->count = number[0] - '0';
	if (kernel->count < 1 || kernel->count > FOREACH_LISTS || number[1])
		return 0;
	kernel->flags = extra;
	if (extra == LAYOUT_SCALARS)
		kernel->types[0] = name_type(lists, 0);
	return kernel->types[0] != TYPE_NONE;
}

struct foreach_lists foreach_begin(const struct kernel *kernel, const struct compute_launch *launch)
{
	const struct layout *layout = layout_for(launch->cudart);
	struct foreach_lists lists = {.data = launch->args[0], .lists = kernel->count};
	size_t at;

	lists.block_index_size = layout->block_index_size;
	lists.tensors = layout->tensors[kernel->count - 1];
	if (kernel->flags == LAYOUT_SCALARS)
		lists.tensors = layout->tensors_with_scalar[kernel->count - 1];
	lists.counts_at = 8 * (size_t)(lists.lists * lists.tensors);
	at = lists.counts_at + 8 * (size_t)lists.tensors;
	lists.extra_at = at;
	if (kernel->flags == LAYOUT_SCALARS)
		at += type_size(kernel->types[0]) * (size_t)lists.tensors;
	else if (kernel->flags == LAYOUT_STEPS)
		at += 8 * (size_t)lists.tensors;
	lists.tensor_of_block_at = at;
	at += lists.block_index_size * (size_t)layout->blocks;
	lists.chunk_of_block_at = ALIGN_UP(at, 4);
	lists.start_at = lists.chunk_of_block_at + 4 * (size_t)layout->blocks;
	lists.size = ALIGN_UP(lists.start_at + 4 * (kernel->flags != LAYOUT_SCALARS), 8);
	return lists;
}

struct foreach_chunk foreach_chunk(const struct foreach_lists *lists, uint32_t block)
{
	const char *entry = lists->data + lists->tensor_of_block_at;
	struct foreach_chunk chunk;
	int64_t count;

	chunk.tensor = lists->block_index_size == 1 ? FIELD_AT(entry, block, uint8_t)
						    : FIELD_AT(entry, 2 * block, uint16_t);
	chunk.chunk = FIELD_AT(lists->data, lists->chunk_of_block_at + 4 * block, int32_t);
	for (int i = 0; i < lists->lists; i++)
		chunk.data[i] = FIELD_AT(
			lists->data, 8 * (size_t)(i * lists->tensors + chunk.tensor), void *);
	count = FIELD_AT(lists->data, lists->counts_at + 8 * (size_t)chunk.tensor, int64_t);
	chunk.begin = (int64_t)chunk.chunk * CHUNK;
	chunk.end = chunk.begin + CHUNK < count ? chunk.begin + CHUNK : count;
	return chunk;
}

/* types[1]: elements; types[2]: of a copy's source; offset: shape; types[3]: list of the result. */
static int bind_functor(struct kernel *kernel, const char *functor)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		char number[16];
		int result = shapes[i].shape == SHAPE_COPY ? 4 : 3;

		if (strncmp(functor, shapes[i].name, strlen(shapes[i].name)))
			continue;
		if (!name_argument(functor, result, number, sizeof(number)))
			return 0;
		kernel->offset = shapes[i].shape;
		kernel->types[1] = name_type(functor, 0);
		kernel->types[2] =
			shapes[i].shape == SHAPE_COPY ? name_type(functor, 1) : kernel->types[1];
		kernel->types[3] = number[0] - '0';
		return kernel->types[1] != TYPE_NONE && kernel->types[2] != TYPE_NONE &&
		       number[0] - '0' < kernel->count;
	}
	return 0;
}

/* multi_tensor_apply_kernel<lists, functor, operator, ...>(lists, functor, operator, ...) */
int foreach_bind_operator(struct kernel *kernel)
{
	char functor[256], name[1024];

	if (!foreach_bind(kernel) || !name_argument(kernel->name, 1, functor, sizeof(functor)) ||
		!bind_functor(kernel, functor))
		return 0;
	kernel->params = "Lb";
	if (kernel->offset == SHAPE_ZERO)
		return 1;
	kernel->params = "Lbb";
	if (kernel->offset == SHAPE_SCALAR || kernel->offset == SHAPE_LIST ||
		kernel->offset == SHAPE_POINT || kernel->offset == SHAPE_TERNARY_SCALAR) {
		kernel->params = "Lbb#";
		kernel->sizes[0] = type_size(type_opmath(kernel->types[1]));
	} else if (kernel->offset == SHAPE_SCALAR_TENSOR) {
		kernel->params = "Lbbp#";
		kernel->sizes[0] = type_size(type_opmath(kernel->types[1]));
	}
	if (!name_argument(kernel->name, 2, name, sizeof(name)))
		return 0;
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		if (strncmp(name, operators[i].name, strlen(operators[i].name)))
			continue;
		kernel->op = &operators[i];
		return 1;
	}
	return 0;
}

/* The scalar of this launch, or of this tensor. */
static double scalar_of(const struct kernel *kernel, const struct compute_launch *launch,
	const struct foreach_lists *lists, int tensor)
{
	enum type math = type_opmath(kernel->types[1]);

	switch (kernel->offset) {
	case SHAPE_SCALAR:
	case SHAPE_LIST:
	case SHAPE_POINT:
	case SHAPE_TERNARY_SCALAR:
		return type_get(math, launch->args[3], 0);
	case SHAPE_SCALAR_LIST:
	case SHAPE_POINT_LIST:
	case SHAPE_TERNARY_LIST:
		return type_get(kernel->types[0], lists->data + lists->extra_at, tensor);
	case SHAPE_SCALAR_TENSOR:
		return type_get(kernel->types[1], ARG(launch, 3, void *), 0) *
		       type_get(math, launch->args[4], 0);
	default:
		return 0;
	}
}

static double value_of(enum foreach_shape shape, operator_fn *value, const double *r, double s)
{
	switch (shape) {
	case SHAPE_UNARY:
	case SHAPE_COPY:
		return value(r[0], 0, 0);
	case SHAPE_SCALAR:
	case SHAPE_SCALAR_LIST:
	case SHAPE_SCALAR_TENSOR:
		return value(r[0], s, 0);
	case SHAPE_LIST:
		return value(r[0], s * r[1], 0);
	case SHAPE_POINT:
	case SHAPE_POINT_LIST:
		return r[0] + s * value(r[1], r[2], 0);
	case SHAPE_TERNARY:
		return value(r[0], r[1], r[2]);
	case SHAPE_TERNARY_SCALAR:
	case SHAPE_TERNARY_LIST:
		return value(r[0], r[1], s);
	case SHAPE_ZERO:
		break;
	}
	return 0;
}

/* 0: it has to be done element by element. */
static int run_floats(const struct kernel *kernel, const struct foreach_chunk *chunk, double s)
{
	const struct operator_row *row = kernel->op;
	const float *r[FOREACH_LISTS] = {NULL}, scalar = (float)s;
	struct foreach_line line = {.count = chunk->end - chunk->begin, .factor = 1};

	if (!row || kernel->types[1] != TYPE_FLOAT || kernel->types[2] != TYPE_FLOAT || scalar != s)
		return 0;
	for (int list = 0; list < kernel->count; list++)
		r[list] = (const float *)chunk->data[list] + chunk->begin;
	line.out = (float *)chunk->data[kernel->types[3]] + chunk->begin;
	line.a = r[0];
	line.b = line.c = &scalar;
	switch (kernel->offset) {
	case SHAPE_LIST:
		line.factor = s;
		line.b = r[1];
		line.b_step = 1;
		break;
	case SHAPE_POINT:
	case SHAPE_POINT_LIST:
		line.base = r[0];
		line.scale = s;
		line.a = r[1];
		line.b = r[2];
		line.b_step = 1;
		break;
	case SHAPE_TERNARY:
	case SHAPE_TERNARY_SCALAR:
	case SHAPE_TERNARY_LIST:
		line.b = r[1];
		line.b_step = 1;
		if (kernel->offset == SHAPE_TERNARY) {
			line.c = r[2];
			line.c_step = 1;
		}
		break;
	default: /* op(r0, s) or op(r0) */
		break;
	}
	row->floats(&line);
	return 1;
}

void foreach_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct foreach_lists lists = foreach_begin(kernel, launch);
	const struct operator_row *row = kernel->op;
	int result = (int)kernel->types[3];

	for (uint32_t block = 0; block < launch->grid[0]; block++) {
		struct foreach_chunk chunk = foreach_chunk(&lists, block);
		double s = scalar_of(kernel, launch, &lists, chunk.tensor);
		double r[FOREACH_LISTS];

		if (run_floats(kernel, &chunk, s))
			continue;
		for (int64_t i = chunk.begin; i < chunk.end; i++) {
			for (int list = 0; list < lists.lists; list++)
				r[list] = list == result && list
						  ? 0
						  : type_get(kernel->types[2], chunk.data[list], i);
			type_put(kernel->types[1], chunk.data[result], i,
				value_of(kernel->offset, row ? row->value : NULL, r, s));
		}
	}
}
