/* SPDX-License-Identifier: MIT */
#include "analyzer/names/flops.h"

#include <stdlib.h>
#include <string.h>

#define INPUTS     3u
#define DIMENSIONS 8u

struct input {
	unsigned count; /* of sizes */
	uint64_t sizes[DIMENSIONS];
};

enum work {
	PRODUCT,  /* of two matrices, or batches of them */
	ADDITION, /* the same, with something added to it first */
	ELEMENTS,
};

/* Also with _ behind the name: in place. */
static const struct {
	const char *name;
	enum work work;
} operators[] = {
	{"aten::mm", PRODUCT},
	{"aten::bmm", PRODUCT},
	{"aten::dot", PRODUCT},
	{"aten::addmm", ADDITION},
	{"aten::addmv", ADDITION},
	{"aten::baddbmm", ADDITION},
	{"aten::add", ELEMENTS},
	{"aten::sub", ELEMENTS},
	{"aten::mul", ELEMENTS},
	{"aten::div", ELEMENTS},
};

/* A tensor of floating-point numbers, "float32[8, 64]", or none, "-"; what follows it, or NULL. */
static const char *read_input(const char *text, struct input *ret_input)
{
	struct input input = {.count = 0};
	*ret_input = input;
	if (text[0] == '-')
		return text + 1;
	if (strncmp(text, "float", 5) != 0 && strncmp(text, "bfloat", 6) != 0)
		return NULL;
	const char *at = strchr(text, '[');
	while (at != NULL && at[1] != ']') {
		char *end;
		if (input.count == DIMENSIONS)
			return NULL;
		input.sizes[input.count++] = strtoull(at + 1, &end, 10);
		if (end == at + 1 || (*end != ',' && *end != ']'))
			return NULL;
		at = *end == ',' ? end : end - 1;
	}
	*ret_input = input;
	return at != NULL ? at + 2 : NULL;
}

/* The first inputs, as many as there are; false: one is no plain tensor of such numbers. */
static bool read_inputs(const char *text, struct input *ret_inputs, unsigned *ret_count)
{
	unsigned count = 0;
	while (text[0] != '\0' && count < INPUTS) {
		char *end;
		const char *after = read_input(text, &ret_inputs[count]);
		if (after == NULL)
			return false;
		unsigned long times = 1;
		if (strncmp(after, " x ", 3) == 0) {
			times = strtoul(after + 3, &end, 10);
			after = end;
		}
		for (; times > 1 && count + 1 < INPUTS; times--, count++)
			ret_inputs[count + 1] = ret_inputs[count];
		count++;
		if (after[0] != '\0' && strncmp(after, ", ", 2) != 0)
			return false;
		text = after[0] == '\0' ? after : after + 2;
	}
	*ret_count = count;
	return true;
}

static bool multiply(uint64_t *product, uint64_t factor)
{
	return !__builtin_mul_overflow(*product, factor, product);
}

/* All sizes of the first, and of the second what neither is summed over nor a batch's. */
static bool of_product(const struct input *first, const struct input *second, uint64_t *ret_flops)
{
	unsigned batch = first->count == 3 ? 1 : 0;
	if (first->count == 0 || second->count < batch + 1 || second->count > batch + 2 ||
		first->sizes[first->count - 1] != second->sizes[batch])
		return false;
	uint64_t flops = 2;
	for (unsigned i = 0; i < first->count; i++)
		if (!multiply(&flops, first->sizes[i]))
			return false;
	*ret_flops = flops;
	return second->count == batch + 1 || multiply(ret_flops, second->sizes[batch + 1]);
}

/* Of a result that is as large as the larger one of both in each dimension. */
static bool of_elements(const struct input *first, const struct input *second, uint64_t *ret_flops)
{
	uint64_t flops = 1;
	unsigned count = first->count > second->count ? first->count : second->count;
	for (unsigned back = 1; back <= count; back++) {
		uint64_t one = back <= first->count ? first->sizes[first->count - back] : 1;
		uint64_t other = back <= second->count ? second->sizes[second->count - back] : 1;
		if (!multiply(&flops, one == 1 ? other : one))
			return false;
	}
	*ret_flops = flops;
	return true;
}

bool flops_of(const char *name, const char *shapes, uint64_t *ret_flops)
{
	struct input inputs[INPUTS] = {{0}};
	unsigned count = 0;
	size_t length = strlen(name), at = 0;
	if (length > 0 && name[length - 1] == '_')
		length--;
	while (at < sizeof(operators) / sizeof(operators[0]) &&
		(strncmp(operators[at].name, name, length) != 0 ||
			operators[at].name[length] != '\0'))
		at++;
	if (at == sizeof(operators) / sizeof(operators[0]) ||
		!read_inputs(shapes, inputs, &count) || count == 0)
		return false;
	switch (operators[at].work) {
	case PRODUCT:
		return of_product(&inputs[0], &inputs[1], ret_flops);
	case ADDITION:
		return of_product(&inputs[1], &inputs[2], ret_flops);
	default:
		return of_elements(&inputs[0], &inputs[1], ret_flops);
	}
}
