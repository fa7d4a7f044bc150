/* SPDX-License-Identifier: MIT */
#include "preload/operators/names.h"

#include <string.h>

#include "collector/base/hash.h"
#include "collector/describe.h"
#include "preload/thread/peek.h"

#define LENGTH_LIMIT 1024
#define PROBE_BYTES  64
#define PAGE_BYTES   4096u /* at least */

bool operator_name_is_sound(const char *address, bool is_users)
{
	char text[PROBE_BYTES];
	return peek_text(address, text, sizeof(text)) && (is_users || text[0] >= ' ');
}

/* The index of a text. */
static unsigned hash(const char *text, size_t length)
{
	uint64_t mixed = length, word;
	for (; length >= sizeof(word); text += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		mixed = hash_mix(mixed, word);
		mixed ^= mixed >> 29;
	}
	word = 0;
	memcpy(&word, text, length);
	return hash_bits(mixed ^ word, OPERATOR_NAME_BITS);
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

static void note(struct operator_address *last, const char *address, struct operator_name *name,
	size_t length)
{
	bool is_on_page = (uintptr_t)address % PAGE_BYTES <= PAGE_BYTES - sizeof(last->text);
	bool is_quick = name->id != 0 && length < sizeof(last->text) && is_on_page &&
			address[0] != OPERATOR_NAME_OTHER;
	uint64_t mask = UINT64_MAX >> (7 - length % 8) * 8; /* lowest bytes come first */
	last->address = address;
	last->name = name;
	last->id = name->id;
	last->mask[0] = length < 8 ? mask : UINT64_MAX;
	last->mask[1] = length < 8 ? 0 : mask;
	memcpy(last->text, name->text, sizeof(last->text));
	last->quick = is_quick ? (uintptr_t)address + 1 : 0;
}

static struct operator_name *find(struct operator_names *names, const char *address,
	struct operator_address *last, struct operator_name *spare)
{
	size_t length = address == NULL ? 0 : bounded_length(address);
	if (length == 0 || length >= OPERATOR_TEXT_BYTES) {
		spare->id = collector_name(length == 0 ? "" : address, length);
		spare->kept = 0;
		return spare;
	}
	struct operator_name *name = &names->names[hash(address, length)];
	if (name->id == 0 || memcmp(name->text, address, length + 1) != 0) {
		name->id = collector_name(address, length);
		name->kept = 0;
		memcpy(name->text, address, length + 1);
	}
	note(last, address, name, length);
	return name;
}

struct operator_name *operator_name(
	struct operator_names *names, const char *address, struct operator_name *spare)
{
	struct operator_address *last =
		&names->addresses[hash_pointer_bits(address, OPERATOR_ADDRESS_BITS)];
	struct operator_name *name = last->name;
	if (__builtin_expect(address != NULL && last->address == address && name->id != 0 &&
				     strcmp(name->text, address) == 0,
		    1))
		return name;
	return find(names, address, last, spare);
}

uint32_t operator_name_id(struct operator_names *names, const char *address)
{
	struct operator_name spare;
	return operator_name(names, address, &spare)->id;
}
