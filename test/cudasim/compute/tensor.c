/* SPDX-License-Identifier: MIT */
#include "tensor.h"

#include "kernel.h"

struct tensor tensor_view(const void *info, int wide)
{
	size_t size = wide ? 8 : 4, strides = 8 + TENSOR_DIMS * size;
	struct tensor tensor = {.data = FIELD_AT(info, 0, void *)};

	tensor.dims = FIELD_AT(info, 8 + 2 * TENSOR_DIMS * size, int32_t);
	if (tensor.dims < 0 || tensor.dims > TENSOR_DIMS)
		tensor.dims = 0;
	for (int i = 0; i < tensor.dims; i++) {
		size_t at = (size_t)i * size;

		tensor.sizes[i] =
			wide ? FIELD_AT(info, 8 + at, int64_t) : FIELD_AT(info, 8 + at, uint32_t);
		tensor.strides[i] = wide ? FIELD_AT(info, strides + at, int64_t)
					 : FIELD_AT(info, strides + at, uint32_t);
	}
	return tensor;
}

int64_t tensor_count(const struct tensor *tensor)
{
	int64_t count = 1;

	for (int i = 0; i < tensor->dims; i++)
		count *= tensor->sizes[i];
	return count;
}

int64_t tensor_offset(const struct tensor *tensor, int64_t index)
{
	int64_t offset = 0;

	for (int i = tensor->dims - 1; i >= 0; i--) {
		offset += index % tensor->sizes[i] * tensor->strides[i];
		index /= tensor->sizes[i];
	}
	return offset;
}

size_t tensor_info_size(int wide)
{
	return ALIGN_UP(8 + 2 * TENSOR_DIMS * (wide ? 8u : 4u) + 4, 8);
}
