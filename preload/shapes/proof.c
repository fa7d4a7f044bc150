/* SPDX-License-Identifier: MIT */
#include "preload/shapes/proof.h"

#include <stdlib.h>
#include <string.h>

#include "preload/thread/peek.h"

#define INPUTS 32u /* of an operator that is compared, at most */
#define TAGS   32u
#define LIST   "GenericList"

/* std::string; the text of a short one lies in it. */
struct spelled {
	const char *text;
	size_t length;
	char more[16];
};
_Static_assert(sizeof(struct spelled) == 32, "as std::string");

/* A copy of an input, if it is a tensor, as one layout reads it. */
struct copied {
	struct tensor_shape shape;
	char bytes[TENSOR_BYTES];
	int64_t dims[TENSOR_RANK];
};

static struct candidate {
	struct tensor_layout layout;
	unsigned right;
	bool wrong;
} candidates[] = {
	{{.counts = 16, .sizes_at = 72}, 0, false}, /* 1.13 */
	{{.counts = 8, .sizes_at = 64}, 0, false},  /* 2.9.1 */
	{{.counts = 8, .sizes_at = 56}, 0, false},  /* 2.15 */
};
#define CANDIDATES (sizeof(candidates) / sizeof(candidates[0]))

enum proof_state proof_state;
static const struct tensor_layout *proved;
static bool types_wrong;
static uint32_t lists, others; /* bit per tag */
static int busy;

const char *proof_begin(const char *version)
{
	if (frameworks.torch_input_count == NULL || frameworks.torch_input_sizes == NULL ||
		frameworks.torch_input_types == NULL || frameworks.torch_tensor_class == NULL ||
		frameworks.torch_undefined_class == NULL)
		return "this PyTorch does not tell sizes, to compare with";
	for (size_t i = 0; i < CANDIDATES; i++)
		candidates[i].wrong =
			strtoul(version, NULL, 10) < 2 && candidates[i].layout.counts != 16;
	return NULL;
}

bool proof_types(void)
{
	return !__atomic_load_n(&types_wrong, __ATOMIC_RELAXED);
}

/* False: it cannot be read, or is none of which sizes are known. */
static bool copy_tensor(
	const struct tensor_layout *layout, const void *tensor, struct copied *ret_copied)
{
	struct copied *copied = ret_copied;
	if (!peek(tensor, copied->bytes, sizeof(copied->bytes)))
		return false;
	copied->shape = tensor_shape(layout, copied->bytes);
	if (copied->shape.kind != TENSOR_PLAIN)
		return copied->shape.kind == TENSOR_NONE;
	size_t bytes = copied->shape.rank * sizeof(int64_t);
	if (copied->shape.rank <= TENSOR_INLINE)
		return true;
	bool there = peek(copied->shape.dims, copied->dims, bytes);
	copied->shape.dims = copied->dims;
	return there;
}

/* What PyTorch says of one of them; NULL: not all that it must have said is there. */
static const struct torch_vector *told_at(const struct torch_vector *told, size_t index)
{
	const struct torch_vector *one = (const void *)told->begin;
	return (size_t)(told->end - told->begin) / sizeof(*one) > index ? &one[index] : NULL;
}

static bool is_told(const struct tensor_shape *shape, const struct torch_vector *one)
{
	size_t bytes = (size_t)(one->end - one->begin);
	if (shape->kind != TENSOR_PLAIN)
		return bytes == 0;
	return bytes == shape->rank * sizeof(int64_t) &&
	       (bytes == 0 || memcmp(one->begin, shape->dims, bytes) == 0);
}

/* All of the tensors are plain, and one at least has dimensions. */
static bool can_compare(const struct candidate *candidate, const struct tensor_input *items,
	size_t count, struct copied *copied)
{
	bool some = false;
	for (size_t i = 0; i < count; i++) {
		copied->shape = (struct tensor_shape){.kind = TENSOR_NONE};
		if (items[i].tag != INPUT_TENSOR)
			continue;
		if (!copy_tensor(&candidate->layout, items[i].payload, copied))
			return false;
		some |= copied->shape.kind == TENSOR_PLAIN && copied->shape.rank > 0;
	}
	return some;
}

static bool is_right(const struct candidate *candidate, const struct tensor_input *items,
	size_t count, const struct torch_vector *sizes, struct copied *copied)
{
	for (size_t i = 0; i < count; i++) {
		const struct torch_vector *one = told_at(sizes, i);
		copied->shape = (struct tensor_shape){.kind = TENSOR_NONE};
		if (one == NULL ||
			(items[i].tag == INPUT_TENSOR &&
				!copy_tensor(&candidate->layout, items[i].payload, copied)) ||
			!is_told(&copied->shape, one))
			return false;
	}
	return true;
}

static void compare_types(const struct candidate *candidate, const void *record,
	const struct tensor_input *items, size_t count, struct copied *copied)
{
	const struct torch_vector types = frameworks.torch_input_types(record);
	const struct spelled *spelled = (const void *)types.begin;
	if ((size_t)(types.end - types.begin) != count * sizeof(*spelled)) {
		__atomic_store_n(&types_wrong, true, __ATOMIC_RELAXED);
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (items[i].tag == INPUT_TENSOR &&
			copy_tensor(&candidate->layout, items[i].payload, copied) &&
			copied->shape.kind == TENSOR_PLAIN &&
			!tensor_type_is(copied->shape.type, spelled[i].text, spelled[i].length))
			__atomic_store_n(&types_wrong, true, __ATOMIC_RELAXED);
}

/* What PyTorch tells is asked for once, and only when somebody could be right. */
static const struct tensor_layout *compare(
	const void *record, const struct tensor_input *items, size_t count)
{
	const struct tensor_layout *found = NULL;
	struct torch_vector sizes = {0};
	struct copied copied;
	unsigned left = 0;
	for (size_t i = 0; i < CANDIDATES; i++) {
		struct candidate *candidate = &candidates[i];
		if (candidate->wrong || !can_compare(candidate, items, count, &copied)) {
			left += !candidate->wrong;
			continue;
		}
		if (sizes.begin == NULL)
			sizes = frameworks.torch_input_sizes(record, false);
		candidate->wrong = !is_right(candidate, items, count, &sizes, &copied);
		left += !candidate->wrong;
		if (candidate->wrong)
			continue;
		found = &candidate->layout;
		compare_types(candidate, record, items, count, &copied);
		if (++candidate->right == PROOF_COMPARED) {
			__atomic_store_n(&proved, found, __ATOMIC_RELEASE);
			__atomic_store_n(&proof_state, PROOF_RIGHT, __ATOMIC_RELEASE);
			return found;
		}
	}
	if (left == 0)
		__atomic_store_n(&proof_state, PROOF_WRONG, __ATOMIC_RELEASE);
	return found;
}

const struct tensor_layout *proof_compare(const void *record)
{
	struct tensor_inputs inputs;
	struct tensor_input items[INPUTS];
	if (__atomic_load_n(&proof_state, __ATOMIC_ACQUIRE) == PROOF_RIGHT)
		return __atomic_load_n(&proved, __ATOMIC_ACQUIRE);
	if (!peek(tensor_inputs_of(record), &inputs, sizeof(inputs)) || inputs.count == 0 ||
		inputs.count > INPUTS || frameworks.torch_input_count(record) != inputs.count ||
		!peek(inputs.items, items, inputs.count * sizeof(*items)) ||
		__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE) != 0)
		return NULL;
	const struct tensor_layout *found =
		proof_state == PROOF_NONE ? compare(record, items, inputs.count) : NULL;
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	return found;
}

/* An operator of which the types cannot be told is asked for again with the next one. */
static __attribute__((noinline)) bool ask_list(const void *record, size_t index, uint32_t tag)
{
	const struct torch_vector types = frameworks.torch_input_types(record);
	const struct spelled *spelled = (const void *)types.begin;
	if ((size_t)(types.end - types.begin) <= index * sizeof(*spelled))
		return false;
	bool list = spelled[index].length == sizeof(LIST) - 1 &&
		    memcmp(spelled[index].text, LIST, sizeof(LIST) - 1) == 0;
	(void)__atomic_fetch_or(list ? &lists : &others, 1u << tag, __ATOMIC_RELAXED);
	return list;
}

bool proof_is_list(const void *record, size_t index, uint32_t tag)
{
	if (tag >= TAGS || (__atomic_load_n(&others, __ATOMIC_RELAXED) >> tag & 1) != 0)
		return false;
	return (__atomic_load_n(&lists, __ATOMIC_RELAXED) >> tag & 1) != 0 ||
	       ask_list(record, index, tag);
}
