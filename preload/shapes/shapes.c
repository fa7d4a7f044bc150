/* SPDX-License-Identifier: MIT */
#include "preload/shapes/shapes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/hash.h"
#include "collector/describe.h"
#include "preload/shapes/proof.h"

#define KNOWN_BITS  14
#define KNOWN_MOST  12000u /* texts; others share one */
#define TEXT_BYTES  480u
#define INPUTS_MOST 4096u /* of an operator, or in a list: what has more is not believed */
#define MANY        "(one of more shapes than are kept)"
#define MORE        " ..."

/* What hashes differ by, beside sizes: the kind of an input, with its type and rank. */
#define WORD_LIST 0x100u
#define WORD_END  0x101u

bool shapes_wanted;

/* Texts by the hashes of what they say, of all threads. hash 0: free; id 0: not there yet. */
static struct known {
	uint64_t hash;
	uint32_t id;
} known[1u << KNOWN_BITS];
static uint32_t known_count;

/* The text on its way. */
struct shapes_text {
	char bytes[TEXT_BYTES + sizeof(MORE)];
	size_t length, end;       /* end: behind the last input that is a tensor */
	size_t last, last_length; /* the tensor of a list that is repeated */
	unsigned repeated;
	bool full;
};

void shapes_enable(bool on)
{
	shapes_wanted = on;
}

void shapes_refuse(const char *state, const char *reason)
{
	if (shapes_wanted)
		collector_source("shapes", state, reason);
	shapes_wanted = false;
}

void shapes_attach(const char *version)
{
	const char *reason = shapes_wanted ? proof_begin(version) : NULL;
	if (reason != NULL)
		shapes_refuse("failed", reason);
	else if (shapes_wanted)
		collector_source("shapes", "absent", "no operator had a tensor with dimensions");
}

/* Words that follow each other change all bits: the whole hash stands for what it is of. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = hash_mix(hash, word);
	return hash ^ hash >> 32;
}

static uint64_t hash_tensor(const struct tensor_layout *layout, const void *tensor, uint64_t hash)
{
	const struct tensor_shape shape = tensor_shape(layout, tensor);
	hash = mix(hash, shape.kind | (uint64_t)shape.type << 16 | (uint64_t)shape.rank << 32);
	for (uint32_t i = 0; i < shape.rank; i++)
		hash = mix(hash, (uint64_t)shape.dims[i]);
	return hash;
}

/* The tensors in it; nothing: it is none, or one of other things. */
static struct tensor_inputs tensors_of(const struct tensor_layout *layout, const void *record,
	size_t index, const struct tensor_input *input)
{
	struct tensor_inputs list = {NULL, 0};
	if (!proof_is_list(record, index, input->tag) || input->payload == NULL)
		return list;
	list = tensor_list(layout, input->payload);
	size_t i = 0;
	while (i < list.count && i < INPUTS_MOST && list.items[i].tag != INPUT_TENSOR)
		i++;
	if (i == list.count || list.count > INPUTS_MOST)
		list.count = 0;
	return list;
}

static uint64_t hash_inputs(
	const struct tensor_layout *layout, const void *record, const struct tensor_inputs *inputs)
{
	uint64_t hash = 1;
	for (size_t i = 0; i < inputs->count; i++) {
		const struct tensor_input *input = &inputs->items[i];
		if (input->tag == INPUT_TENSOR) {
			hash = hash_tensor(layout, input->payload, hash);
			continue;
		}
		const struct tensor_inputs list = tensors_of(layout, record, i, input);
		hash = mix(hash, list.count > 0 ? WORD_LIST : 0);
		for (size_t j = 0; j < list.count; j++)
			hash = list.items[j].tag == INPUT_TENSOR
				       ? hash_tensor(layout, list.items[j].payload, hash)
				       : mix(hash, 0);
		if (list.count > 0)
			hash = mix(hash, WORD_END);
	}
	return hash != 0 ? hash : 1;
}

static __attribute__((format(printf, 2, 3))) void add(
	struct shapes_text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length =
		vsnprintf(text->bytes + text->length, TEXT_BYTES - text->length, format, arguments);
	va_end(arguments);
	text->full |= length < 0 || text->length + (size_t)length >= TEXT_BYTES;
	if (!text->full)
		text->length += (size_t)length;
}

static void add_shape(struct shapes_text *text, const struct tensor_shape *shape)
{
	const char *type = proof_types() ? tensor_type_name(shape->type) : "";
	if (shape->kind != TENSOR_PLAIN) {
		add(text, "%s", shape->kind == TENSOR_ODD ? "?" : "-");
		return;
	}
	if (type != NULL)
		add(text, "%s[", type);
	else
		add(text, "type%u[", shape->type);
	for (uint32_t i = 0; i < shape->rank; i++)
		add(text, i == 0 ? "%lld" : ", %lld", (long long)shape->dims[i]);
	add(text, "]");
}

/* "float32[64] x 2" where the last one was the same. */
static void add_repeated(struct shapes_text *text)
{
	if (text->repeated > 1)
		add(text, " x %u", text->repeated);
	text->repeated = 0;
}

static void add_of_list(struct shapes_text *text, const struct tensor_shape *shape)
{
	struct shapes_text one = {.length = 0};
	add_shape(&one, shape);
	bool same = text->repeated > 0 && one.length == text->last_length &&
		    memcmp(one.bytes, text->bytes + text->last, one.length) == 0;
	if (!same) {
		bool first = text->bytes[text->length - 1] == '(';
		add_repeated(text);
		add(text, first ? "" : ", ");
		text->last = text->length;
		text->last_length = one.length;
		add(text, "%s", one.bytes);
	}
	text->repeated++;
}

static void add_list(struct shapes_text *text, const struct tensor_layout *layout,
	const struct tensor_inputs *list)
{
	add(text, "(");
	for (size_t i = 0; i < list->count && !text->full; i++) {
		struct tensor_shape shape = {.kind = TENSOR_NONE};
		if (list->items[i].tag == INPUT_TENSOR)
			shape = tensor_shape(layout, list->items[i].payload);
		add_of_list(text, &shape);
	}
	add_repeated(text);
	add(text, ")");
}

/* What is no tensor at the end is left out. */
static uint32_t name_inputs(
	const struct tensor_layout *layout, const void *record, const struct tensor_inputs *inputs)
{
	struct shapes_text text = {.length = 0};
	for (size_t i = 0; i < inputs->count && !text.full; i++) {
		const struct tensor_input *input = &inputs->items[i];
		struct tensor_shape shape = {.kind = TENSOR_NONE};
		struct tensor_inputs list = {NULL, 0};
		if (input->tag == INPUT_TENSOR)
			shape = tensor_shape(layout, input->payload);
		else
			list = tensors_of(layout, record, i, input);
		add(&text, i == 0 ? "" : ", ");
		if (list.count > 0)
			add_list(&text, layout, &list);
		else
			add_shape(&text, &shape);
		if (!text.full && (list.count > 0 || shape.kind != TENSOR_NONE))
			text.end = text.length;
	}
	if (text.full) {
		memcpy(text.bytes + text.length, MORE, sizeof(MORE));
		text.end = text.length + sizeof(MORE) - 1;
	}
	return text.end == 0 ? collector_name("-", 1) : collector_name(text.bytes, text.end);
}

/* The entry of a hash, new if need be. NULL: there is no room. */
static struct known *find(uint64_t hash)
{
	const uint64_t mask = (1u << KNOWN_BITS) - 1;
	for (uint64_t at = hash >> (64 - KNOWN_BITS);; at++) {
		struct known *entry = &known[at & mask];
		uint64_t there = __atomic_load_n(&entry->hash, __ATOMIC_RELAXED);
		if (__builtin_expect(there == hash, 1))
			return entry;
		if (there != 0)
			continue;
		if (__atomic_load_n(&known_count, __ATOMIC_RELAXED) >= KNOWN_MOST)
			return NULL;
		if (__atomic_compare_exchange_n(&entry->hash, &there, hash, false, __ATOMIC_RELAXED,
			    __ATOMIC_RELAXED)) {
			(void)__atomic_fetch_add(&known_count, 1, __ATOMIC_RELAXED);
			return entry;
		}
		if (there == hash)
			return entry;
	}
}

/* Where a list is met first, and what it is, depends on what PyTorch says; what is not told, is. */
static uint32_t read_inputs(const struct tensor_layout *layout, const void *record)
{
	const struct tensor_inputs *inputs = tensor_inputs_of(record);
	if (inputs->count > INPUTS_MOST)
		return 0;
	struct known *entry = find(hash_inputs(layout, record, inputs));
	if (entry == NULL)
		return collector_name(MANY, sizeof(MANY) - 1);
	uint32_t id = __atomic_load_n(&entry->id, __ATOMIC_RELAXED);
	if (__builtin_expect(id == 0, 0)) {
		id = name_inputs(layout, record, inputs);
		__atomic_store_n(&entry->id, id, __ATOMIC_RELAXED);
	}
	return id;
}

static __attribute__((noinline)) const struct tensor_layout *prove(const void *record)
{
	static int told;
	const struct tensor_layout *layout = proof_compare(record);
	enum proof_state state = __atomic_load_n(&proof_state, __ATOMIC_ACQUIRE);
	if (state == PROOF_NONE || __atomic_exchange_n(&told, 1, __ATOMIC_RELAXED) != 0)
		return layout;
	if (state == PROOF_WRONG)
		shapes_refuse("failed",
			"tensors are not laid out as is known: their sizes are not what PyTorch "
			"says");
	else
		collector_source("shapes", "active",
			proof_types() ? NULL : "types are not where they are expected");
	return layout;
}

uint32_t shapes_of(const void *record)
{
	static const struct tensor_layout *proved;
	const struct tensor_layout *layout = __atomic_load_n(&proved, __ATOMIC_ACQUIRE);
	if (__builtin_expect(layout == NULL, 0)) {
		layout = prove(record);
		if (layout != NULL &&
			__atomic_load_n(&proof_state, __ATOMIC_ACQUIRE) == PROOF_RIGHT)
			__atomic_store_n(&proved, layout, __ATOMIC_RELEASE);
	}
	return layout == NULL ? 0 : read_inputs(layout, record);
}
