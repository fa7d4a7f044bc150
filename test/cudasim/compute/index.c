/* SPDX-License-Identifier: MIT */
/*
 * Indexing with tensors: kernels that run a lambda once for each element. The lambda holds an
 * offset calculator and then what it captured, in the order of first use.
 */
#include "elementwise.h"
#include "kernel.h"
#include "name.h"

enum index_limit {
	INDEX_DIMS = 25 /* lengths of the arrays that the lambda captured */
};

/* Size in bytes of the OpaqueType that a name mentions after the given word; 0 if none. */
static size_t opaque_size(const char *name, const char *word)
{
	const char *at = strstr(name, word);
	const char *opaque = at ? strstr(at, "OpaqueType<") : NULL;

	return opaque ? type_size(type_parse(opaque)) : 0;
}

/* index_elementwise_kernel<..., gpu_index_kernel<index[_put]_kernel_impl<OpaqueType<N>>>> */
int index_bind(struct kernel *kernel)
{
	kernel->flags = strstr(kernel->name, "gpu_index_kernel<index_put_kernel_impl<") != NULL;
	if (!kernel->flags && !strstr(kernel->name, "gpu_index_kernel<index_kernel_impl<"))
		return 0;
	kernel->offset = opaque_size(kernel->name, "gpu_index_kernel<");
	kernel->params = "p#";
	kernel->sizes[0] = ALIGN_UP(offsets_size(3), 8) + 24 + 3 * INDEX_DIMS * 8 + 8;
	return kernel->offset != 0;
}

/* {calculator, out, in, how many, indices[], sizes[], strides[]} */
void index_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	const char *lambda = launch->args[1], *rest = lambda + ALIGN_UP(offsets_size(3), 8);
	char *out = FIELD_AT(rest, 0, char *);
	const char *in = FIELD_AT(rest, 8, const char *);
	size_t count = FIELD_AT(rest, 16, size_t);
	char *const *indices = (char *const *)(rest + 24);
	const int64_t *sizes = (const int64_t *)(indices + INDEX_DIMS);
	const int64_t *strides = sizes + INDEX_DIMS;

	for (int64_t n = 0; n < ARG(launch, 0, int64_t); n++) {
		uint32_t offsets[3];
		int64_t offset = 0;

		offsets_of(lambda, 3, (uint32_t)n, offsets);
		for (size_t i = 0; i < count && i < INDEX_DIMS; i++) {
			int64_t index = FIELD_AT(indices[i], offsets[2], int64_t);

			offset += (index < 0 ? index + sizes[i] : index) * strides[i];
		}
		if (kernel->flags)
			memcpy(out + offsets[0] + offset, in + offsets[1], kernel->offset);
		else
			memcpy(out + offsets[0], in + offsets[1] + offset, kernel->offset);
	}
}

int index_bind_fill(struct kernel *kernel)
{
	kernel->offset = opaque_size(kernel->name, "index_fill_kernel_impl<");
	kernel->params = "p#";
	kernel->sizes[0] = ALIGN_UP(offsets_size(2), 8) + 32 + ALIGN_UP(kernel->offset, 8);
	return kernel->offset != 0;
}

/* {calculator, self, index, size, stride, value} */
void index_run_fill(const struct kernel *kernel, const struct compute_launch *launch)
{
	const char *lambda = launch->args[1], *rest = lambda + ALIGN_UP(offsets_size(2), 8);
	int64_t size = FIELD_AT(rest, 16, int64_t), stride = FIELD_AT(rest, 24, int64_t);

	for (int64_t n = 0; n < ARG(launch, 0, int64_t); n++) {
		uint32_t offsets[2];
		int64_t index;

		offsets_of(lambda, 2, (uint32_t)n, offsets);
		index = FIELD_AT(FIELD_AT(rest, 8, const char *), offsets[1], int64_t);
		index = index < 0 ? index + size : index;
		memcpy(FIELD_AT(rest, 0, char *) + offsets[0] +
				index * stride * (int64_t)kernel->offset,
			rest + 32, kernel->offset);
	}
}

/* index_elementwise_kernel<..., flip_kernel_impl<OpaqueType<N>>>: {calculator, out, in} */
int index_bind_flip(struct kernel *kernel)
{
	kernel->offset = opaque_size(kernel->name, "flip_kernel_impl<");
	kernel->params = "p#";
	kernel->sizes[0] = ALIGN_UP(offsets_size(2), 8) + 16;
	return kernel->offset != 0;
}

void index_run_flip(const struct kernel *kernel, const struct compute_launch *launch)
{
	const char *lambda = launch->args[1], *rest = lambda + ALIGN_UP(offsets_size(2), 8);

	for (int64_t n = 0; n < ARG(launch, 0, int64_t); n++) {
		uint32_t offsets[2];

		offsets_of(lambda, 2, (uint32_t)n, offsets); /* negative ones wrapped around */
		memcpy(FIELD_AT(rest, 0, char *) + (int32_t)offsets[0],
			FIELD_AT(rest, 8, const char *) + (int32_t)offsets[1], kernel->offset);
	}
}

/* Adds or assigns one element. */
static void scatter_value(const struct kernel *kernel, char *to, const char *from)
{
	enum type type = kernel->types[0];

	if (kernel->flags)
		type_put(type, to, 0, type_get(type, to, 0) + type_get(type, from, 0));
	else
		memcpy(to, from, type_size(type));
}

/* flags: add instead of assigning; types[1]: of the indices; count: scatter, not gather */
static int bind_scatter(struct kernel *kernel, const char *word, int first)
{
	const char *inner = strstr(kernel->name, word);

	if (!inner)
		return 0;
	kernel->flags = strstr(inner, "ReduceAdd>") != NULL;
	if (!kernel->flags && !strstr(inner, "TensorAssign>"))
		return 0;
	kernel->count = !strncmp(inner + strlen(word), "true", 4);
	kernel->types[0] = name_type(inner, first);
	kernel->types[1] = name_type(inner, first + 1);
	if (kernel->types[1] == TYPE_NONE) /* earlier releases have no parameter for it */
		kernel->types[1] = TYPE_INT64;
	kernel->params = "i#";
	return kernel->types[0] != TYPE_NONE;
}

/* _scatter_gather_elementwise_kernel<..., _cuda_scatter_gather_internal_kernel<scatter, type>> */
int scatter_bind(struct kernel *kernel)
{
	kernel->sizes[0] = ALIGN_UP(offsets_size(3), 8) + 56;
	return bind_scatter(kernel, "_cuda_scatter_gather_internal_kernel<", 1);
}

/* {calculator, index, size, functor, self, stride, count, source} */
void scatter_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	const char *lambda = launch->args[1], *rest = lambda + ALIGN_UP(offsets_size(3), 8);
	int64_t stride = FIELD_AT(rest, 32, int64_t) * (int64_t)type_size(kernel->types[0]);

	for (uint32_t n = 0; n < ARG(launch, 0, uint32_t); n++) {
		uint32_t offsets[3];
		int64_t index;

		offsets_of(lambda, 3, n, offsets);
		index = type_get_int(
			kernel->types[1], FIELD_AT(rest, 0, const char *) + offsets[2], 0);
		scatter_value(kernel,
			FIELD_AT(rest, 24, char *) + offsets[0] +
				(kernel->count ? index * stride : 0),
			FIELD_AT(rest, 48, char *) + offsets[1] +
				(kernel->count ? 0 : index * stride));
	}
}

int scatter_bind_fill(struct kernel *kernel)
{
	kernel->sizes[0] = ALIGN_UP(offsets_size(2), 8) + 56;
	return bind_scatter(kernel, "_cuda_scatter_fill_internal_kernel<", 0);
}

/* {calculator, index, size, functor, self, stride, count, value} */
void scatter_run_fill(const struct kernel *kernel, const struct compute_launch *launch)
{
	const char *lambda = launch->args[1], *rest = lambda + ALIGN_UP(offsets_size(2), 8);
	int64_t stride = FIELD_AT(rest, 32, int64_t) * (int64_t)type_size(kernel->types[0]);

	for (uint32_t n = 0; n < ARG(launch, 0, uint32_t); n++) {
		uint32_t offsets[2];
		int64_t index;

		offsets_of(lambda, 2, n, offsets);
		index = type_get_int(
			kernel->types[1], FIELD_AT(rest, 0, const char *) + offsets[1], 0);
		scatter_value(kernel, FIELD_AT(rest, 24, char *) + offsets[0] + index * stride,
			rest + 48);
	}
}

/* vectorized_gather_kernel<bytes, index>(out, in, index, count, slice, size, from, to, wrap) */
int gather_bind(struct kernel *kernel)
{
	if (!kernel_bind_simple(kernel))
		return 0;
	kernel->types[0] = name_type(kernel->name, 1);
	return kernel->types[0] != TYPE_NONE && strlen(kernel->params) >= 9;
}

void gather_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t slice = kernel_int(kernel, launch, 4), size = kernel_int(kernel, launch, 5);

	for (int64_t i = 0; i < kernel_int(kernel, launch, 3); i++) {
		int64_t index = type_get_int(kernel->types[0], POINTER(launch, 2), i);

		index = index < 0 ? index + size : index;
		memcpy((char *)POINTER(launch, 0) + i * kernel_int(kernel, launch, 7),
			(char *)POINTER(launch, 1) + index * kernel_int(kernel, launch, 6),
			(size_t)slice);
	}
}

/*
 * Gradient of indexing, indices already sorted: (sorted, order, gradient, to, count, stride,
 * stride before, outer, accumulate); stride_1 kernels leave nothing out.
 */
int index_bind_backward(struct kernel *kernel)
{
	return kernel_bind_simple(kernel) && strlen(kernel->params) == 9 &&
	       kernel->types[0] != TYPE_NONE && !strstr(kernel->name, "quantized");
}

void index_run_backward(const struct kernel *kernel, const struct compute_launch *launch)
{
	const int64_t *sorted = POINTER(launch, 0), *order = POINTER(launch, 1);
	int64_t count = kernel_int(kernel, launch, 4), stride = kernel_int(kernel, launch, 5);
	int64_t before = kernel_int(kernel, launch, 6), outer = kernel_int(kernel, launch, 7);
	enum type type = kernel->types[0];

	for (int64_t n = 0; n < outer * count * stride; n++) {
		int64_t z = n / (count * stride), i = n / stride % count, feature = n % stride;
		int64_t to = sorted[i] * stride + z * before + feature;
		int64_t from = (order[i] + z * count) * stride + feature;
		double value = type_get(type, POINTER(launch, 2), from);

		if (kernel_int(kernel, launch, 8))
			value += type_get(type, POINTER(launch, 3), to);
		type_put(type, POINTER(launch, 3), to, value);
	}
}

/* embedding_backward_feature_kernel(index, gradient, to, int count, long stride, int padding) */
void embedding_run_backward(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0], index_type = kernel->types[2];
	int64_t stride = kernel_int(kernel, launch, 4);

	for (int64_t n = 0; n < kernel_int(kernel, launch, 3) * stride; n++) {
		int64_t row = type_get_int(index_type, POINTER(launch, 0), n / stride);
		int64_t to = row * stride + n % stride;

		if (row != kernel_int(kernel, launch, 5))
			type_put(type, POINTER(launch, 2), to,
				type_get(type, POINTER(launch, 2), to) +
					type_get(type, POINTER(launch, 1), n));
	}
}

/* _elementwise_kernel<..., unpack_pivots_cuda_kernel's lambda>: {calculator, order, pivots, n} */
int index_bind_pivots(struct kernel *kernel)
{
	return strstr(kernel->name, "unpack_pivots_cuda_kernel(") != NULL;
}

/* Rows that were exchanged one after another, as an order. */
void index_run_pivots(const struct kernel *kernel, const struct compute_launch *launch)
{
	const char *lambda = launch->args[1], *rest = lambda + ALIGN_UP(offsets_size(2), 8);

	(void)kernel;
	for (int32_t n = 0; n < ARG(launch, 0, int32_t); n++) {
		uint32_t offsets[2];
		int64_t *order;
		const int32_t *pivots;

		offsets_of(lambda, 2, (uint32_t)n, offsets);
		order = (int64_t *)(FIELD_AT(rest, 0, char *) + offsets[0]);
		pivots = (const int32_t *)(FIELD_AT(rest, 8, const char *) + offsets[1]);
		for (int64_t i = 0; i < FIELD_AT(rest, 16, int64_t); i++) {
			int64_t kept = order[i];

			order[i] = order[pivots[i] - 1];
			order[pivots[i] - 1] = kept;
		}
	}
}
