/* SPDX-License-Identifier: MIT */
/*
 * Backend descriptors: each is a bag of attributes; one may refer to others and keeps them alive.
 * A graph of one convolution is understood, everything else is refused when it is finalised.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cudnn.h"

enum descriptor_type {
	CONVOLUTION = 1,
	ENGINE_CONFIG = 3,
	HEURISTICS = 4,
	PLAN = 5,
	CONV_FORWARD_OPERATION = 10,
	CONV_FILTER_OPERATION = 11,
	CONV_DATA_OPERATION = 12,
	GRAPH = 15,
};

enum attribute_name {
	CONVOLUTION_MODE = 101,
	CONVOLUTION_DILATIONS = 102,
	CONVOLUTION_STRIDES = 103,
	CONVOLUTION_PAD_AFTER = 104,
	CONVOLUTION_PAD_BEFORE = 105,
	HEURISTICS_GRAPH = 201,
	HEURISTICS_RESULTS = 202,
	CONFIG_ENGINE = 300,
	PLAN_CONFIG = 401,
	PLAN_WORKSPACE = 402,
	FORWARD_ALPHA = 700, /* then beta, convolution, w, x, y */
	BACK_DATA_ALPHA = 706,
	BACK_FILTER_ALPHA = 712,
	GRAPH_OPERATIONS = 801,
	TENSOR_TYPE = 901,
	TENSOR_SIZES = 902,
	TENSOR_STRIDES = 903,
	TENSOR_ID = 906,
	PACK_IDS = 1000,
	PACK_POINTERS = 1001,
	ENGINE_GRAPH = 1300,
};

enum value_type {
	VALUE_DATA_TYPE = 1,
	VALUE_BOOLEAN = 2,
	VALUE_INT64 = 3,
	VALUE_FLOAT = 4,
	VALUE_DOUBLE = 5,
	VALUE_DESCRIPTOR = 15,
	VALUE_FRACTION = 26,
};

enum {
	CROSS_CORRELATION = 1
};

struct attribute {
	struct attribute *next;
	int name;
	int type;
	int64_t count;
	char data[] __attribute__((aligned(16)));
};

struct descriptor {
	int type;
	atomic_int references;
	struct attribute *attributes;
};

static void release(struct descriptor *descriptor);

static size_t value_size(int type)
{
	switch (type) {
	case VALUE_BOOLEAN:
	case 24: /* characters */
		return 1;
	case 0: /* handles and pointers */
	case 6:
	case VALUE_INT64:
	case VALUE_DOUBLE:
	case VALUE_DESCRIPTOR:
	case VALUE_FRACTION:
		return 8;
	default:
		return 4;
	}
}

static void attribute_free(struct attribute *attribute)
{
	struct descriptor **children = (struct descriptor **)attribute->data;

	for (int64_t i = 0; attribute->type == VALUE_DESCRIPTOR && i < attribute->count; i++)
		release(children[i]);
	free(attribute);
}

static void release(struct descriptor *descriptor)
{
	if (!descriptor || atomic_fetch_sub(&descriptor->references, 1) > 1)
		return;
	while (descriptor->attributes) {
		struct attribute *next = descriptor->attributes->next;

		attribute_free(descriptor->attributes);
		descriptor->attributes = next;
	}
	free(descriptor);
}

static const struct attribute *find(const struct descriptor *descriptor, int name)
{
	const struct attribute *attribute = descriptor ? descriptor->attributes : NULL;

	while (attribute && attribute->name != name)
		attribute = attribute->next;
	return attribute;
}

/* The first descriptor that the attribute refers to, or NULL. */
static struct descriptor *child(const struct descriptor *descriptor, int name)
{
	const struct attribute *attribute = find(descriptor, name);

	if (!attribute || attribute->type != VALUE_DESCRIPTOR || !attribute->count)
		return NULL;
	return *(struct descriptor *const *)attribute->data;
}

CUDNN_API(cudnnBackendCreateDescriptor, int type, struct descriptor **ret_descriptor)
{
	*ret_descriptor = calloc(1, sizeof(**ret_descriptor));
	if (!*ret_descriptor)
		return CUDNN_ALLOC_FAILED;
	(*ret_descriptor)->type = type;
	atomic_init(&(*ret_descriptor)->references, 1);
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnBackendDestroyDescriptor, struct descriptor *descriptor)
{
	release(descriptor);
	return CUDNN_SUCCESS;
}

CUDNN_API(cudnnBackendSetAttribute, struct descriptor *descriptor, int name, int type,
	int64_t count, const void *values)
{
	size_t size = value_size(type) * (size_t)(count > 0 ? count : 0);
	struct attribute *attribute = calloc(1, sizeof(*attribute) + size + 1);
	struct attribute **at = &descriptor->attributes, *old;

	if (!attribute)
		return CUDNN_ALLOC_FAILED;
	attribute->name = name;
	attribute->type = type;
	attribute->count = count;
	if (size)
		memcpy(attribute->data, values, size);
	for (int64_t i = 0; type == VALUE_DESCRIPTOR && i < count; i++) {
		struct descriptor *one = ((struct descriptor **)attribute->data)[i];

		if (one)
			atomic_fetch_add(&one->references, 1);
	}
	while (*at && (*at)->name != name)
		at = &(*at)->next;
	old = *at;
	attribute->next = old ? old->next : NULL;
	*at = attribute;
	if (old)
		attribute_free(old);
	return CUDNN_SUCCESS;
}

static int read_tensor(const struct descriptor *descriptor, struct cudnn_tensor *ret)
{
	const struct attribute *type = find(descriptor, TENSOR_TYPE);
	const struct attribute *sizes = find(descriptor, TENSOR_SIZES);
	const struct attribute *strides = find(descriptor, TENSOR_STRIDES);

	if (!type || !sizes || !strides || sizes->count != strides->count ||
		sizes->count > CUDNN_SPACE + 2 || sizes->count < 3)
		return 0;
	ret->type = cudnn_type(*(const int *)type->data);
	ret->dims = (int)sizes->count;
	memcpy(ret->sizes, sizes->data, 8 * (size_t)sizes->count);
	memcpy(ret->strides, strides->data, 8 * (size_t)strides->count);
	return ret->type != TYPE_NONE;
}

static int read_space(const struct descriptor *descriptor, int name, int64_t *ret, int count)
{
	const struct attribute *attribute = find(descriptor, name);

	if (!attribute || attribute->count != count)
		return 0;
	memcpy(ret, attribute->data, 8 * (size_t)count);
	return 1;
}

static double read_scalar(const struct descriptor *descriptor, int name, double missing)
{
	const struct attribute *attribute = find(descriptor, name);

	if (!attribute || !attribute->count)
		return missing;
	if (attribute->type == VALUE_DOUBLE)
		return *(const double *)attribute->data;
	return *(const float *)attribute->data;
}

/* Which attribute begins the operation's: alpha, beta, convolution, then three tensors. */
static int first_attribute(const struct descriptor *operation)
{
	switch (operation ? operation->type : 0) {
	case CONV_FORWARD_OPERATION:
		return FORWARD_ALPHA;
	case CONV_DATA_OPERATION:
		return BACK_DATA_ALPHA;
	case CONV_FILTER_OPERATION:
		return BACK_FILTER_ALPHA;
	default:
		return 0;
	}
}

/* Attributes come as w, x, y; for the filter's gradient as dw, x, dy. */
static int read_convolution(const struct descriptor *operation, struct conv *ret)
{
	int first = first_attribute(operation);
	const struct descriptor *shape = child(operation, first + 2);
	const struct attribute *mode = find(shape, CONVOLUTION_MODE);

	if (!first || !mode || *(const int *)mode->data != CROSS_CORRELATION)
		return 0;
	memset(ret, 0, sizeof(*ret));
	ret->direction = first == FORWARD_ALPHA     ? CONV_FORWARD
			 : first == BACK_DATA_ALPHA ? CONV_BACK_DATA
						    : CONV_BACK_FILTER;
	ret->alpha = read_scalar(operation, first, 1);
	ret->beta = read_scalar(operation, first + 1, 0);
	if (!read_tensor(child(operation, first + 3), &ret->w) ||
		!read_tensor(child(operation, first + 4), &ret->x) ||
		!read_tensor(child(operation, first + 5), &ret->y))
		return 0;
	ret->space = ret->x.dims - 2;
	return ret->w.dims == ret->x.dims && ret->y.dims == ret->x.dims &&
	       read_space(shape, CONVOLUTION_PAD_BEFORE, ret->pad, ret->space) &&
	       read_space(shape, CONVOLUTION_STRIDES, ret->stride, ret->space) &&
	       read_space(shape, CONVOLUTION_DILATIONS, ret->dilation, ret->space);
}

static const struct descriptor *only_operation(const struct descriptor *graph)
{
	const struct attribute *operations = find(graph, GRAPH_OPERATIONS);

	return operations && operations->count == 1 ? child(graph, GRAPH_OPERATIONS) : NULL;
}

CUDNN_API(cudnnBackendFinalize, struct descriptor *descriptor)
{
	struct conv conv;

	if (descriptor->type == GRAPH && !read_convolution(only_operation(descriptor), &conv))
		return CUDNN_NOT_SUPPORTED;
	return CUDNN_SUCCESS;
}

/* Heuristics answer with one configuration, which remembers the graph as its engine would. */
static void fill_results(const struct descriptor *heuristics, struct descriptor **configs)
{
	struct descriptor *graph = child(heuristics, HEURISTICS_GRAPH);

	if (configs && configs[0] && graph)
		(void)cudnnBackendSetAttribute(
			configs[0], ENGINE_GRAPH, VALUE_DESCRIPTOR, 1, &graph);
}

CUDNN_API(cudnnBackendGetAttribute, const struct descriptor *descriptor, int name, int type,
	int64_t wanted, int64_t *ret_count, void *ret_values)
{
	int64_t count = 0;

	(void)type;
	if (name == HEURISTICS_RESULTS) {
		count = 1;
		if (wanted > 0)
			fill_results(descriptor, ret_values);
	} else if (name == PLAN_WORKSPACE) {
		count = 1;
		if (ret_values && wanted > 0)
			*(int64_t *)ret_values = 0;
	}
	if (ret_count)
		*ret_count = count;
	return CUDNN_SUCCESS;
}

static const struct descriptor *graph_of(const struct descriptor *plan)
{
	const struct descriptor *config = child(plan, PLAN_CONFIG);
	const struct descriptor *engine = child(config, CONFIG_ENGINE);

	return engine ? child(engine, ENGINE_GRAPH) : child(config, ENGINE_GRAPH);
}

/* The pointer that the pack has for the tensor, NULL if none. */
static void *pointer_for(const struct descriptor *pack, const struct descriptor *tensor)
{
	const struct attribute *id = find(tensor, TENSOR_ID), *ids = find(pack, PACK_IDS);
	const struct attribute *pointers = find(pack, PACK_POINTERS);

	if (!id || !ids || !pointers || ids->count != pointers->count)
		return NULL;
	for (int64_t i = 0; i < ids->count; i++)
		if (((const int64_t *)ids->data)[i] == *(const int64_t *)id->data)
			return ((void *const *)pointers->data)[i];
	return NULL;
}

CUDNN_API(cudnnBackendExecute, struct cudnn *handle, const struct descriptor *plan,
	const struct descriptor *pack)
{
	const struct descriptor *operation = only_operation(graph_of(plan));
	int first = first_attribute(operation);
	struct conv conv;

	if (!handle || !operation || !read_convolution(operation, &conv))
		return CUDNN_BAD_PARAM;
	conv.w_data = pointer_for(pack, child(operation, first + 3));
	conv.x_data = pointer_for(pack, child(operation, first + 4));
	conv.y_data = pointer_for(pack, child(operation, first + 5));
	if (!conv.w_data || !conv.x_data || !conv.y_data)
		return CUDNN_BAD_PARAM;
	return conv_launch(&conv, handle->stream);
}
