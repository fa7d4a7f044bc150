/* SPDX-License-Identifier: MIT */
#include "preload/shapes/shapes.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/describe.h"
#include "preload/shapes/proof.h"

#define RECORD_WORDS 64
#define SIZES        64 /* where they are in the second layout */

/* A RecordFunction and a TensorImpl as far as they are read. */
static uint64_t record[RECORD_WORDS];
static char class[64], undefined_class[64], other_class[64];

struct tensor {
	uint64_t words[TENSOR_BYTES / 8];
};
static struct tensor tensors[4];
static struct tensor_input inputs[4];
static size_t input_count;

/* What PyTorch says of them. */
static struct torch_vector told[4];
static int64_t told_dims[4][8];
static bool lies;
static unsigned asked;

static uint64_t count_inputs(const void *of)
{
	(void)of;
	return input_count;
}

static struct torch_vector tell_sizes(const void *of, bool flat)
{
	(void)of;
	cr_expect(not(flat));
	asked++;
	if (lies)
		told_dims[0][0]++;
	return (struct torch_vector){
		(const char *)told, (const char *)(told + input_count), (const char *)(told + 4)};
}

static struct torch_vector tell_types(const void *of)
{
	static struct {
		const char *text;
		size_t length;
		char more[16];
	} types[4];
	(void)of;
	for (size_t i = 0; i < input_count; i++) {
		types[i].text = inputs[i].tag == INPUT_TENSOR ? "float"
				: inputs[i].tag == 14         ? "GenericList"
							      : "";
		types[i].length = strlen(types[i].text);
	}
	return (struct torch_vector){
		(const char *)types, (const char *)(types + input_count), NULL};
}

static void set_up(void)
{
	frameworks.torch_input_count = count_inputs;
	frameworks.torch_input_sizes = tell_sizes;
	frameworks.torch_input_types = tell_types;
	frameworks.torch_tensor_class = class;
	frameworks.torch_undefined_class = undefined_class;
	shapes_enable(true);
	shapes_attach("2.9.1");
	cr_assert(shapes_wanted);
}

TestSuite(shapes, .init = set_up);

static uint64_t word(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/* The input at index is a tensor of the second layout, and PyTorch says so. */
static void put_tensor(size_t index, size_t rank, const int64_t *dims)
{
	struct tensor *tensor = &tensors[index];
	memset(tensor, 0, sizeof(*tensor));
	tensor->words[0] = word(class + VIRTUAL_AT);
	tensor->words[1] = 0x100000001;   /* counts of references */
	tensor->words[2] = word(tensors); /* storage */
	tensor->words[5] = word(inputs);  /* version, where the first layout has what is rare */
	tensor->words[SIZES / 8] = rank;
	memcpy(told_dims[index], dims, rank * sizeof(*dims));
	if (rank <= TENSOR_INLINE)
		memcpy(&tensor->words[SIZES / 8 + 1], dims, rank * sizeof(*dims));
	else
		tensor->words[SIZES / 8 + 1] = word(told_dims[index]);
	((char *)tensor)[SIZES + TENSOR_TYPE_AT] = 6;
	inputs[index] = (struct tensor_input){tensor, INPUT_TENSOR};
	told[index] = (struct torch_vector){
		(const char *)told_dims[index], (const char *)(told_dims[index] + rank), NULL};
}

static void put_other(size_t index, const void *payload, uint32_t tag)
{
	inputs[index] = (struct tensor_input){payload, tag};
	told[index] = (struct torch_vector){0};
}

static const char *shapes(size_t count)
{
	static char text[600];
	size_t length = 0;
	struct tensor_inputs given = {inputs, count};
	input_count = count;
	memcpy((char *)record + INPUTS_AT, &given, sizeof(given));
	const char *stored = collector_name_text(shapes_of(record), &length);
	(void)snprintf(text, sizeof(text), "%.*s", stored == NULL ? 1 : (int)length,
		stored == NULL ? "0" : stored);
	return text;
}

#define SHAPES_ARE(count, text) cr_expect(eq(str, (char *)shapes(count), (char *)(text)))

static void prove(void)
{
	const int64_t dims[] = {3, 4};
	put_tensor(0, 2, dims);
	for (unsigned i = 0; i < PROOF_COMPARED; i++)
		(void)shapes(1);
	cr_assert(eq(int, proof_state, PROOF_RIGHT));
}

Test(shapes, are_told_at_once_where_pytorch_says_the_same_and_it_is_asked_no_more_once_proved)
{
	const int64_t dims[] = {3, 4};
	put_tensor(0, 2, dims);
	for (unsigned i = 1; i <= PROOF_COMPARED; i++) {
		cr_expect(eq(int, proof_state, PROOF_NONE));
		SHAPES_ARE(1, "float32[3, 4]");
	}
	cr_expect(eq(int, proof_state, PROOF_RIGHT));
	cr_expect(eq(uint, asked, PROOF_COMPARED));
	SHAPES_ARE(1, "float32[3, 4]");
	cr_expect(eq(uint, asked, PROOF_COMPARED));
}

Test(shapes, other_sizes_than_pytorch_says_are_never_told)
{
	const int64_t dims[] = {3, 4};
	lies = true;
	for (unsigned i = 0; i < 20; i++) {
		put_tensor(0, 2, dims);
		SHAPES_ARE(1, "0");
	}
	cr_expect(eq(int, proof_state, PROOF_NONE), "the others were not compared");
	cr_expect(eq(uint, asked, 1));
}

Test(shapes, no_layout_that_is_left_is_a_failure)
{
	const int64_t dims[] = {3, 4};
	shapes_attach("1.13.1");
	lies = true;
	put_tensor(0, 2, dims);
	/* as the first layout has it */
	memmove(&tensors[0].words[3], &tensors[0].words[2], sizeof(tensors[0]) - 24);
	tensors[0].words[5] = 0;
	SHAPES_ARE(1, "0");
	cr_expect(eq(int, proof_state, PROOF_WRONG));
	cr_expect(not(shapes_wanted));
}

Test(shapes, nothing_is_read_where_memory_is_not_there)
{
	put_other(0, (const void *)8, INPUT_TENSOR);
	SHAPES_ARE(1, "0");
	struct tensor_inputs given = {(const void *)8, 2};
	memcpy((char *)record + INPUTS_AT, &given, sizeof(given));
	cr_expect(eq(u32, shapes_of(record), 0));
	cr_expect(eq(uint, asked, 0));
}

Test(shapes, many_dimensions_undefined_tensors_and_what_is_no_tensor)
{
	const int64_t many[] = {2, 1, 2, 1, 2, 1, 3}, none[] = {0};
	prove();
	put_tensor(0, 7, many);
	put_tensor(1, 0, none);
	put_tensor(2, 1, none);
	tensors[2].words[0] = word(undefined_class + VIRTUAL_AT);
	put_other(3, NULL, 5);
	SHAPES_ARE(4, "float32[2, 1, 2, 1, 2, 1, 3], float32[]");
	put_tensor(3, 1, none);
	SHAPES_ARE(4, "float32[2, 1, 2, 1, 2, 1, 3], float32[], -, float32[0]");
	put_other(0, (const void *)8, 5);
	SHAPES_ARE(1, "-");
	SHAPES_ARE(0, "-");
}

Test(shapes, sizes_that_are_not_plain_are_not_read)
{
	const int64_t dims[] = {3, 4};
	prove();
	put_tensor(0, 2, dims);
	tensors[0].words[0] = word(other_class);
	SHAPES_ARE(1, "?");
	put_tensor(0, 2, dims);
	tensors[0].words[4] = word(inputs); /* symbolic sizes */
	SHAPES_ARE(1, "?");
	put_tensor(0, 2, dims);
	((char *)&tensors[0])[SIZES + TENSOR_FLAGS_AT] = 2 << 2; /* another answers */
	SHAPES_ARE(1, "?");
	put_tensor(0, 2, dims);
	tensors[0].words[SIZES / 8] = TENSOR_RANK + 1;
	SHAPES_ARE(1, "?");
}

Test(shapes, lists_of_tensors_are_in_brackets_and_others_are_nothing)
{
	const int64_t dims[] = {3, 4};
	struct tensor_input items[300];
	uint64_t list[] = {0, 0, word(items), word(items + 4)};
	prove();
	put_tensor(1, 2, dims);
	for (unsigned i = 0; i < 300; i++)
		items[i] = (struct tensor_input){&tensors[i % 2], INPUT_TENSOR};
	items[2] = items[0];
	items[3] = (struct tensor_input){NULL, 0};
	const int64_t one[] = {7};
	put_tensor(0, 1, one);
	items[1] = items[0];
	put_other(2, list, 14);
	SHAPES_ARE(3, "float32[7], float32[3, 4], (float32[7] x 3, -)");
	items[0] = items[1] = items[2] = items[3]; /* of nothing: numbers, texts */
	SHAPES_ARE(3, "float32[7], float32[3, 4]");
	list[3] = word(items + 300);
	const char *text = shapes(3);
	cr_expect(eq(str, (char *)text + strlen(text) - 4, " ..."));
}
