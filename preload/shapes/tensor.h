/* SPDX-License-Identifier: MIT */
/*
 * Where PyTorch keeps what an operator is called with: the same from 1.13 on but for the room that
 * counts of references and the owner in Python take before a tensor's sizes.
 *
 * Pure but for memory that is read: the caller knows that it is there.
 */
#ifndef PRELOAD_TENSOR_H
#define PRELOAD_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/frameworks/frameworks.h"

#define INPUTS_AT 0xd0u /* of an at::RecordFunction: c10::ArrayRef<const IValue> */

/* c10::IValue */
struct tensor_input {
	const void *payload;
	uint32_t tag;
};
_Static_assert(sizeof(struct tensor_input) == 16, "as c10::IValue");
#define INPUT_TENSOR 1u

struct tensor_inputs {
	const struct tensor_input *items;
	size_t count;
};

static inline const struct tensor_inputs *tensor_inputs_of(const void *record)
{
	return (const struct tensor_inputs *)(const void *)((const char *)record + INPUTS_AT);
}

/* Of a c10::TensorImpl. */
struct tensor_layout {
	uint8_t counts; /* bytes of counts of references */
	uint8_t sizes_at;
};
/* From the sizes on. */
#define TENSOR_DIMS_AT  8u    /* the sizes themselves, or where they are */
#define TENSOR_INLINE   5u    /* so many are there */
#define TENSOR_TYPE_AT  0x68u /* caffe2::TypeMeta: a number */
#define TENSOR_FLAGS_AT 0x6eu /* bits 2 to 4: who answers, and whether sizes are symbolic */
#define TENSOR_BYTES    0xc0u /* of a c10::TensorImpl, what is read of it is within */
#define TENSOR_RANK     64u   /* dimensions, at most */
#define VIRTUAL_AT      16u   /* of a table of virtual functions: the first one */

enum tensor_kind {
	TENSOR_NONE, /* an undefined one, too */
	TENSOR_PLAIN,
	TENSOR_ODD /* its sizes are not known */
};

struct tensor_shape {
	enum tensor_kind kind;
	uint32_t type, rank;
	const int64_t *dims;
};

static inline const void *tensor_word(const char *bytes, size_t at)
{
	return *(const void *const *)(const void *)(bytes + at);
}

/* Of the tensor whose bytes these are, which has the layout. */
static inline struct tensor_shape tensor_shape(
	const struct tensor_layout *layout, const char *bytes)
{
	const char *sizes = bytes + layout->sizes_at;
	const char *class = tensor_word(bytes, 0);
	struct tensor_shape shape = {.kind = TENSOR_ODD};
	if (class != frameworks.torch_tensor_class + VIRTUAL_AT) {
		if (class == frameworks.torch_undefined_class + VIRTUAL_AT)
			shape.kind = TENSOR_NONE;
		return shape;
	}
	/* behind the counts: storage, autograd's, then what few have: symbolic sizes, names */
	uint64_t rank = *(const uint64_t *)(const void *)sizes;
	if (tensor_word(bytes, 8 + layout->counts + 16) != NULL || rank > TENSOR_RANK ||
		((uint8_t)sizes[TENSOR_FLAGS_AT] >> 2 & 7) != 0)
		return shape;
	shape.kind = TENSOR_PLAIN;
	shape.type = *(const uint16_t *)(const void *)(sizes + TENSOR_TYPE_AT);
	shape.rank = (uint32_t)rank;
	shape.dims = rank <= TENSOR_INLINE ? (const int64_t *)(const void *)(sizes + TENSOR_DIMS_AT)
					   : tensor_word(sizes, TENSOR_DIMS_AT);
	return shape;
}

/* The items of a list (c10::detail::ListImpl), behind its counts of references. */
static inline struct tensor_inputs tensor_list(const struct tensor_layout *layout, const void *list)
{
	const char *begin = tensor_word(list, 8u + layout->counts);
	const char *end = tensor_word(list, 16u + layout->counts);
	struct tensor_inputs inputs = {(const void *)begin, 0};
	if (begin != NULL && end > begin)
		inputs.count = (size_t)(end - begin) / sizeof(struct tensor_input);
	return inputs;
}

/* The torch.dtype of a number of a type; NULL: none that is known. */
const char *tensor_type_name(uint32_t type);

/* Whether text is what C++ calls it; true also where that is not known. */
bool tensor_type_is(uint32_t type, const char *text, size_t length);

#endif
