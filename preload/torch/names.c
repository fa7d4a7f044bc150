/* SPDX-License-Identifier: MIT */
#include "preload/torch/names.h"

#include <string.h>

#include "collector/describe.h"

#define LENGTH_LIMIT 1024

static const char loader_prefix[] = "enumerate(DataLoader)";

static uint64_t hash(const char *text, size_t length)
{
	uint64_t mixed = length;
	for (; length >= 8; text += 8, length -= 8) {
		uint64_t word;
		memcpy(&word, text, 8);
		mixed = (mixed ^ word) * 0x9e3779b97f4a7c15ull;
		mixed ^= mixed >> 29;
	}
	for (; length > 0; text++, length--)
		mixed = (mixed ^ (unsigned char)*text) * 0x100000001b3ull;
	return mixed * 0x9e3779b97f4a7c15ull;
}

/* Cut before the last character that would not be whole. */
static size_t bounded_length(const char *text)
{
	size_t length = strnlen(text, LENGTH_LIMIT);
	if (length == LENGTH_LIMIT) {
		while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
	}
	return length;
}

static void intern(struct torch_name *name, const char *text, size_t length)
{
	name->id = collector_name(text, length);
	name->is_loader = strncmp(text, loader_prefix, sizeof(loader_prefix) - 1) == 0;
}

static __attribute__((noinline)) const struct torch_name *name_of_text(
	struct torch_names *names, const char *address, unsigned slot, struct torch_name *spare)
{
	size_t length = address == NULL ? 0 : bounded_length(address);
	if (length == 0 || length >= TORCH_TEXT_BYTES) {
		intern(spare, length == 0 ? "" : address, length);
		return spare;
	}
	struct torch_name *name = &names->names[hash(address, length) >> 56];
	if (name->id == 0 || memcmp(name->text, address, length + 1) != 0) {
		intern(name, address, length);
		memcpy(name->text, address, length + 1);
	}
	names->addresses[slot].address = address;
	names->addresses[slot].name = name;
	return name;
}
_Static_assert(TORCH_NAME_COUNT == 1u << (64 - 56), "the hash gives an index");

const struct torch_name *torch_name(
	struct torch_names *names, const char *address, struct torch_name *spare)
{
	unsigned slot = (unsigned)((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15ull >> 56);
	const struct torch_name *name = names->addresses[slot].name;
	if (__builtin_expect(address != NULL && names->addresses[slot].address == address &&
				     name->id != 0 && strcmp(name->text, address) == 0,
		    1))
		return name;
	return name_of_text(names, address, slot, spare);
}
_Static_assert(TORCH_ADDRESS_COUNT == 1u << (64 - 56), "the hash gives an index");
