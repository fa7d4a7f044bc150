/* SPDX-License-Identifier: MIT */
/* Kernels that move whole elements: selecting rows, joining, rolling, triangles, ranges. */
#include "kernel.h"
#include "name.h"
#include "tensor.h"

/* indexSelect{Small,Large}Index<type, index, number, ...>(to, from, indices, dim, dim, ...) */
int select_rows_bind(struct kernel *kernel)
{
	kernel->types[0] = name_type(kernel->name, 0);
	kernel->types[1] = name_type(kernel->name, 1);
	kernel->types[2] = name_type(kernel->name, 2);
	kernel->flags = kernel->types[2] == TYPE_UINT64;
	kernel->count = strstr(kernel->name, "LargeIndex<") ? 6 : 5; /* argument: inner size */
	return kernel->types[0] != TYPE_NONE && kernel->types[1] != TYPE_NONE &&
	       (kernel->flags || kernel->types[2] == TYPE_UINT32);
}

void select_rows_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct tensor to = tensor_view(launch->args[0], kernel->flags);
	struct tensor from = tensor_view(launch->args[1], kernel->flags);
	struct tensor indices = tensor_view(launch->args[2], kernel->flags);
	int to_dim = ARG(launch, 3, int32_t), from_dim = ARG(launch, 4, int32_t);
	int64_t inner = type_get_int(kernel->types[2], launch->args[kernel->count], 0);
	size_t size = type_size(kernel->types[0]);

	for (int64_t row = 0; row < tensor_count(&indices); row++) {
		int64_t index =
			type_get_int(kernel->types[1], indices.data, tensor_offset(&indices, row));

		for (int64_t i = 0; i < inner; i++) {
			int64_t a = tensor_offset(&to, i) + row * to.strides[to_dim];
			int64_t b = tensor_offset(&from, i) + index * from.strides[from_dim];

			memcpy((char *)to.data + a * (int64_t)size,
				(char *)from.data + b * (int64_t)size, size);
		}
	}
}

/* indexFunc{Small,Large}Index<..., ReduceAdd>: the same, adding; alpha comes last */
int add_rows_bind(struct kernel *kernel)
{
	char operation[64];

	return select_rows_bind(kernel) &&
	       name_argument(
		       kernel->name, 6 + (kernel->count == 6), operation, sizeof(operation)) &&
	       !strcmp(operation, "ReduceAdd");
}

void add_rows_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct tensor to = tensor_view(launch->args[0], kernel->flags);
	struct tensor from = tensor_view(launch->args[1], kernel->flags);
	struct tensor indices = tensor_view(launch->args[2], kernel->flags);
	int to_dim = ARG(launch, 3, int32_t), from_dim = ARG(launch, 4, int32_t);
	int64_t inner = type_get_int(kernel->types[2], launch->args[kernel->count], 0);
	double alpha = type_get(type_opmath(kernel->types[0]), launch->args[kernel->count + 4], 0);
	enum type type = kernel->types[0];

	for (int64_t n = 0; n < tensor_count(&indices) * inner; n++) {
		int64_t row = n / inner, i = n % inner;
		int64_t index =
			type_get_int(kernel->types[1], indices.data, tensor_offset(&indices, row));
		int64_t a = tensor_offset(&to, i) + index * to.strides[to_dim];
		int64_t b = tensor_offset(&from, i) + row * from.strides[from_dim];

		type_put(type, to.data, a,
			type_get(type, to.data, a) + alpha * type_get(type, from.data, b));
	}
}

/*
 * CatArrayBatchedCopy*<type, unsigned, dims, batch, strides[, alignment, width]>(out, inputs,
 * {sizes[4], strides[4]}, dim, dim stride or trailing size). The struct of inputs:
 * {pointers, offsets, sizes, counts, contiguous, {sizes, strides}[strides]}, all by batch.
 */
int cat_bind(struct kernel *kernel)
{
	char text[5][32];

	for (int i = 0; i < 3; i++)
		if (!name_argument(kernel->name, i + 2, text[i], sizeof(text[i])))
			return 0;
	kernel->types[0] = name_type(kernel->name, 0);
	kernel->sizes[1] = (size_t)(text[0][0] - '0');   /* dimensions */
	kernel->sizes[2] = text[1][0] == '6' ? 64 : 128; /* batch */
	kernel->sizes[3] = text[2][0] == '1' ? 1 : 64;   /* strides */
	kernel->flags = strstr(kernel->name, "_vectorized<") != NULL;
	kernel->count = 1; /* elements that move together */
	if (kernel->flags) {
		if (!name_argument(kernel->name, 6, text[3], sizeof(text[3])))
			return 0;
		kernel->count =
			text[3][1] ? 10 * (text[3][0] - '0') + text[3][1] - '0' : text[3][0] - '0';
	}
	return kernel->types[0] != TYPE_NONE && name_type(kernel->name, 1) == TYPE_UINT32 &&
	       kernel->sizes[1] >= 1 && kernel->sizes[1] <= 4;
}

static int64_t cat_offset(
	const uint32_t *sizes, const uint32_t *strides, int dims, int dim, int64_t size, int64_t n)
{
	int64_t offset = 0;

	for (int i = dims - 1; i >= 1; i--) {
		int64_t here = i == dim ? size : sizes[i];

		offset += n % here * strides[i];
		n /= here;
	}
	return offset + n * strides[0];
}

static void cat_input(
	const struct kernel *kernel, const struct compute_launch *launch, size_t input)
{
	size_t batch = kernel->sizes[2], size = type_size(kernel->types[0]);
	const char *inputs = launch->args[1];
	const uint32_t *offsets = (const uint32_t *)(inputs + 8 * batch);
	const uint32_t *sizes = offsets + batch, *counts = sizes + batch;
	const char *contiguous = (const char *)(counts + batch);
	const uint32_t *own = (const uint32_t *)(contiguous + batch) + 8 * input;
	const uint32_t *out = launch->args[2];
	int dim = ARG(launch, 3, int32_t), dims = (int)kernel->sizes[1];
	int64_t step = ARG(launch, 4, uint32_t), along = sizes[input];
	int64_t begin = (int64_t)offsets[input] * step / kernel->count;
	int strided = kernel->sizes[3] > 1 && !contiguous[input];

	size *= (size_t)kernel->count;
	if (kernel->flags)
		along = along * step / kernel->count;
	for (int64_t n = 0; n < counts[input] / (uint32_t)kernel->count; n++) {
		int64_t to = begin + cat_offset(out, out + 4, dims, dim, along, n);
		int64_t from = strided ? cat_offset(own, own + 4, dims, dim, along, n) : n;

		memcpy((char *)POINTER(launch, 0) + to * (int64_t)size,
			FIELD_AT(inputs, 8 * input, char *) + from * (int64_t)size, size);
	}
}

void cat_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	for (uint32_t input = 0; input < launch->grid[1]; input++)
		cat_input(kernel, launch, input);
}

/* roll_cuda_kernel(in, out, count, dim, start, size, stride, dims) */
void roll_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	size_t bytes = type_size(kernel->types[0]);
	int64_t start = kernel_int(kernel, launch, 4), size = kernel_int(kernel, launch, 5);
	int64_t stride = kernel_int(kernel, launch, 6);

	for (int64_t i = 0; i < kernel_int(kernel, launch, 2); i++) {
		int64_t at = i % (stride * size) / stride, from;

		from = i + (at >= size - start ? start - size : start) * stride;
		memcpy((char *)POINTER(launch, 1) + i * (int64_t)bytes,
			(char *)POINTER(launch, 0) + from * (int64_t)bytes, bytes);
	}
}

/* triu_tril_kernel<type, number, upper, ...>(to, from, diagonal, ...) */
int triangle_bind(struct kernel *kernel)
{
	char upper[16];

	if (!name_argument(kernel->name, 2, upper, sizeof(upper)))
		return 0;
	kernel->types[0] = name_type(kernel->name, 0);
	kernel->flags = !strcmp(upper, "true");
	kernel->count = name_type(kernel->name, 1) == TYPE_INT64;
	return kernel->types[0] != TYPE_NONE;
}

void triangle_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	struct tensor to = tensor_view(launch->args[0], kernel->count);
	struct tensor from = tensor_view(launch->args[1], kernel->count);
	size_t size = type_size(kernel->types[0]);
	int64_t diagonal = ARG(launch, 2, int64_t);

	for (int64_t i = 0; to.dims >= 2 && i < tensor_count(&to); i++) {
		int64_t column = i % to.sizes[to.dims - 1];
		int64_t row = i / to.sizes[to.dims - 1] % to.sizes[to.dims - 2];
		int kept = kernel->flags ? column - row >= diagonal : column - row <= diagonal;
		char *at = (char *)to.data + tensor_offset(&to, i) * (int64_t)size;

		if (kept)
			memmove(at, (char *)from.data + tensor_offset(&from, i) * (int64_t)size,
				size);
		else
			memset(at, 0, size);
	}
}

/* The type of number N in the list that PyTorch dispatches over. */
static enum type dispatched_type(const char *name, int first_float)
{
	static const enum type all[] = {
		TYPE_UINT8, TYPE_INT8, TYPE_INT32, TYPE_INT64, TYPE_INT16, TYPE_DOUBLE, TYPE_FLOAT};
	int number = name[0] - '1';

	number += first_float ? 5 : 0;
	return number >= 0 && number < 7 && name[1] == '}' ? all[number] : TYPE_NONE;
}

/* elementwise_kernel_with_index<index, arange or linspace lambda>(count, lambda, out) */
int range_bind(struct kernel *kernel)
{
	const char *arange = strstr(kernel->name, "arange_cuda_out(");
	const char *linspace = strstr(kernel->name, "linspace_cuda_out(");

	if (arange && (arange = strstr(arange, "{lambda()#1}::{lambda()#"))) {
		kernel->types[0] = dispatched_type(arange + 24, 0);
		kernel->sizes[0] = 2 * type_size(kernel->types[0]);
		if (kernel->sizes[0] < 16 && !type_is_float(kernel->types[0]))
			kernel->sizes[0] = 16;
	} else if (linspace && (linspace = strstr(linspace, "{lambda()#2}::{lambda()#"))) {
		kernel->flags = 1;
		kernel->types[0] = dispatched_type(linspace + 24, 1);
		kernel->sizes[0] = 40;
	} else {
		return 0;
	}
	kernel->types[1] = name_type(kernel->name, 0);
	kernel->params = kernel->types[1] == TYPE_INT64 ? "p#p" : "i#p";
	return kernel->types[0] != TYPE_NONE;
}

/* {start, step}; integers are calculated as int64 */
static double arange_value(const struct kernel *kernel, const void *lambda, int64_t i)
{
	enum type type = type_is_float(kernel->types[0]) ? kernel->types[0] : TYPE_INT64;

	return type_get(type, lambda, 0) + type_get(type, lambda, 1) * (double)i;
}

/* {start, end, int64 steps, step, int64 half} */
static double linspace_value(const struct kernel *kernel, const void *lambda, int64_t i)
{
	enum type type = kernel->types[0];
	size_t at = 2 * type_size(type);
	int64_t steps = FIELD_AT(lambda, at, int64_t);
	double step = type_get(type, (const char *)lambda + at + 8, 0);

	if (i < steps / 2)
		return type_get(type, lambda, 0) + step * (double)i;
	return type_get(type, lambda, 1) - step * (double)(steps - i - 1);
}

void range_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t count = type_get_int(kernel->types[1], launch->args[0], 0);

	for (int64_t i = 0; i < count; i++)
		type_put(kernel->types[0], POINTER(launch, 2), i,
			kernel->flags ? linspace_value(kernel, launch->args[1], i)
				      : arange_value(kernel, launch->args[1], i));
}

/* fill_reverse_indices_kernel(out, count, {divisor, ...}) */
int reverse_bind(struct kernel *kernel)
{
	kernel->params = "pi#";
	kernel->sizes[0] = 12;
	return 1;
}

void reverse_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	uint32_t divisor = FIELD_AT(launch->args[2], 0, uint32_t);

	(void)kernel;
	for (int32_t i = 0; i < ARG(launch, 1, int32_t); i++)
		((int64_t *)POINTER(launch, 0))[i] = i % (int64_t)divisor;
}
