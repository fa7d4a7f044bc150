/* SPDX-License-Identifier: MIT */
/*
 * Counting and selecting: the CUB kernels behind nonzero, masks and unique. What a kernel of a
 * sequence leaves for the next one (tile states) is not reproduced; the counts and elements that
 * PyTorch reads are written by the kernel that would write them last.
 */
#include "kernel.h"
#include "name.h"

/* Offset of the pointer in an iterator that applies an (empty) functor to what it points at. */
static size_t iterator_offset(const char *iterator)
{
	return strstr(iterator, "TransformInputIterator<") ? 8 : 0;
}

/* Type of the elements that an iterator reads; TYPE_NONE if it is not one of ours. */
static enum type iterator_type(const char *iterator, int *ret_is_flag)
{
	const char *flag = strstr(iterator, "NonZeroOp<");

	*ret_is_flag = flag != NULL;
	if (flag)
		return name_type(flag, 0);
	if (strstr(iterator, " const*") || !strchr(iterator, '<'))
		return type_parse(iterator);
	return TYPE_NONE;
}

static enum type pointer_type(const char *name, int argument)
{
	char text[256];
	size_t length;

	if (!name_argument(name, argument, text, sizeof(text)))
		return TYPE_NONE;
	length = strlen(text);
	if (!length || text[length - 1] != '*')
		return TYPE_NONE;
	text[length - 1] = ' ';
	return type_parse(text);
}

/* DeviceReduce[SingleTile]Kernel<policy, iterator, ...>: only sums. flags: count what is not 0 */
int count_bind(struct kernel *kernel)
{
	char iterator[512], operation[256];
	int single = strstr(kernel->name, "SingleTile") != NULL;

	if (!name_argument(kernel->name, 1, iterator, sizeof(iterator)) ||
		!name_argument(kernel->name, single ? 4 : 3, operation, sizeof(operation)) ||
		!strstr(operation, "plus<"))
		return 0;
	if (iterator[strlen(iterator) - 1] == '*')
		iterator[strlen(iterator) - 1] = ' ';
	kernel->types[0] = iterator_type(iterator, &kernel->flags);
	kernel->types[1] = single ? pointer_type(kernel->name, 2) : name_type(kernel->name, 4);
	kernel->types[2] = name_type(kernel->name, single ? 3 : 2); /* of the number of elements */
	kernel->offset = iterator_offset(iterator);
	return kernel->types[0] != TYPE_NONE && kernel->types[1] != TYPE_NONE &&
	       kernel->types[2] != TYPE_NONE;
}

static int64_t sum(const struct kernel *kernel, const struct compute_launch *launch)
{
	const void *from = FIELD_AT(launch->args[0], kernel->offset, void *);
	int64_t count = type_get_int(kernel->types[2], launch->args[2], 0), total = 0;

	for (int64_t i = 0; i < count; i++) {
		if (kernel->flags)
			total += type_get(kernel->types[0], from, i) != 0;
		else
			total += type_get_int(kernel->types[0], from, i);
	}
	return total;
}

void count_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	type_put(kernel->types[1], POINTER(launch, 1), 0, (double)sum(kernel, launch));
}

/* Each block leaves its part for a second kernel; all of it goes into the first. */
void count_blocks_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	count_run(kernel, launch);
	for (uint32_t block = 1; block < launch->grid[0]; block++)
		type_put(kernel->types[1], POINTER(launch, 1), block, 0);
}

/* DeviceCompactInitKernel<state, count*>(state, int, count *selected) */
int compact_bind(struct kernel *kernel)
{
	kernel->types[0] = pointer_type(kernel->name, 1);
	return kernel->types[0] != TYPE_NONE;
}

void compact_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	type_put(kernel->types[0], POINTER(launch, 2), 0, 0);
}

/* <policy, counting iterator, flag iterator, out*, count*, state, select, equal, index, ...> */
int select_bind_flagged(struct kernel *kernel)
{
	char numbers[512], flags[512];
	int is_flag;

	if (!name_argument(kernel->name, 1, numbers, sizeof(numbers)) ||
		!name_argument(kernel->name, 2, flags, sizeof(flags)) ||
		(strncmp(numbers, "CountingInputIterator<long", 26) &&
			!strstr(numbers, "counting_iterator<long")))
		return 0;
	kernel->types[0] = iterator_type(flags, &is_flag);
	kernel->types[1] = pointer_type(kernel->name, 3);
	kernel->types[2] = pointer_type(kernel->name, 4);
	kernel->types[3] = name_type(kernel->name, 8);
	kernel->offset = iterator_offset(flags);
	return kernel->types[0] != TYPE_NONE && kernel->types[1] == TYPE_INT64 &&
	       kernel->types[2] != TYPE_NONE && kernel->types[3] != TYPE_NONE;
}

void select_flagged_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t first = ARG(launch, 0, int64_t), selected = 0;
	const void *flags = FIELD_AT(launch->args[1], kernel->offset, void *);
	int64_t *out = POINTER(launch, 2);
	int64_t count = type_get_int(kernel->types[3], launch->args[7], 0);

	for (int64_t i = 0; i < count; i++)
		if (type_get(kernel->types[0], flags, i) != 0)
			out[selected++] = first + i;
	type_put(kernel->types[2], POINTER(launch, 3), 0, (double)selected);
}

/* <policy, in const*, NullType*, out*, count*, state, NullType, equal_to, index, ...> */
int select_bind_unique(struct kernel *kernel)
{
	char in[256], equal[256];
	int is_flag;

	if (!name_argument(kernel->name, 1, in, sizeof(in)) ||
		!name_argument(kernel->name, 7, equal, sizeof(equal)) || !strstr(equal, "equal_to"))
		return 0;
	kernel->types[0] = iterator_type(in, &is_flag);
	kernel->types[1] = pointer_type(kernel->name, 4);
	kernel->types[2] = name_type(kernel->name, 8);
	return kernel->types[0] != TYPE_NONE && kernel->types[1] != TYPE_NONE &&
	       kernel->types[2] != TYPE_NONE;
}

void select_unique_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	size_t size = type_size(kernel->types[0]);
	const char *in = POINTER(launch, 0);
	char *out = POINTER(launch, 2);
	int64_t count = type_get_int(kernel->types[2], launch->args[7], 0), kept = 0;

	for (int64_t i = 0; i < count; i++) {
		if (i && type_get(kernel->types[0], in, i) == type_get(kernel->types[0], in, i - 1))
			continue;
		memmove(out + (size_t)kept++ * size, in + (size_t)i * size, size);
	}
	type_put(kernel->types[1], POINTER(launch, 3), 0, (double)kept);
}

/*
 * Run lengths: <policy, keys const*, unique*, constant iterator, lengths*, runs*, state, equal,
 * plus, index, ...>(keys, unique, ones, lengths, runs, state, start, equal, plus, count, ...)
 */
int runs_bind(struct kernel *kernel)
{
	char keys[256], ones[512], index[64];
	int is_flag;

	if (!name_argument(kernel->name, 1, keys, sizeof(keys)) ||
		!name_argument(kernel->name, 3, ones, sizeof(ones)) ||
		!name_argument(kernel->name, 9, index, sizeof(index)) ||
		(!strstr(ones, "onstant_iterator<") && !strstr(ones, "ConstantInputIterator<")))
		return 0;
	kernel->types[0] = iterator_type(keys, &is_flag);
	kernel->types[1] = pointer_type(kernel->name, 4);
	kernel->types[2] = pointer_type(kernel->name, 5);
	kernel->types[3] = type_parse(index);
	return kernel->types[0] != TYPE_NONE && kernel->types[1] != TYPE_NONE &&
	       kernel->types[2] != TYPE_NONE && kernel->types[3] != TYPE_NONE;
}

void runs_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	size_t size = type_size(kernel->types[0]);
	const char *keys = POINTER(launch, 0);
	int64_t count = type_get_int(kernel->types[3], launch->args[9], 0), runs = 0, begin = 0;

	for (int64_t i = 1; i <= count; i++) {
		if (i < count && type_get(kernel->types[0], keys, i) ==
					 type_get(kernel->types[0], keys, begin))
			continue;
		memmove((char *)POINTER(launch, 1) + (size_t)runs * size,
			keys + (size_t)begin * size, size);
		type_put(kernel->types[1], POINTER(launch, 3), runs++, (double)(i - begin));
		begin = i;
	}
	type_put(kernel->types[2], POINTER(launch, 4), 0, (double)runs);
}

/* write_indices<index>(inp, dims[16], dimensions, count[, total, fill]) */
int indices_bind(struct kernel *kernel)
{
	kernel->types[0] = name_type(kernel->name, 0);
	return type_size(kernel->types[0]) >= 4;
}

/* Flat positions become one row of coordinates for each dimension, in place. */
void indices_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	int64_t *positions = POINTER(launch, 0);
	int dimensions = ARG(launch, 2, int32_t);
	int64_t count = type_get_int(kernel->types[0], launch->args[3], 0);

	for (int64_t i = 0; i < count; i++) {
		int64_t position = positions[i];

		for (int dimension = dimensions - 1; dimension >= 0; dimension--) {
			int64_t size = type_get_int(kernel->types[0], launch->args[1], dimension);

			positions[i + dimension * count] = position % size;
			position /= size;
		}
	}
}

/* compute_cuda_kernel(repeats, running sums of them, to, long count, long results) */
void repeat_run(const struct kernel *kernel, const struct compute_launch *launch)
{
	enum type type = kernel->types[0];
	const int64_t *ends = POINTER(launch, 1);
	int64_t results = kernel_int(kernel, launch, 4);

	for (int64_t n = 0; n < kernel_int(kernel, launch, 3); n++) {
		int64_t begin = ends[n] - type_get_int(type, POINTER(launch, 0), n);

		for (int64_t i = begin < 0 ? 0 : begin; i < ends[n] && i < results; i++)
			type_put(type, POINTER(launch, 2), i, (double)n);
	}
}
