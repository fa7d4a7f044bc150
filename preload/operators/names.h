/* SPDX-License-Identifier: MIT */
/*
 * Ids of operator and range names, from the pointers that a framework hands out.
 *
 * An operator's name lies at one address for ever; a range's lies in a string that dies
 * with it, so its address soon holds another name. Therefore two steps: the address leads
 * to the text it held last time, which is compared; if it differs, the text's own hash does.
 * A table belongs to one thread; zeroed memory is an empty one, and another thread's
 * old table is as good.
 */
#ifndef PRELOAD_OPERATORS_NAMES_H
#define PRELOAD_OPERATORS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "collector/base/hash.h"

#define OPERATOR_NAME_BITS     8
#define OPERATOR_NAME_COUNT    (1u << OPERATOR_NAME_BITS)
#define OPERATOR_ADDRESS_BITS  8
#define OPERATOR_ADDRESS_COUNT (1u << OPERATOR_ADDRESS_BITS)
#define OPERATOR_TEXT_BYTES    112
#define OPERATOR_NAME_OTHER    'T' /* what compilers make begins with it: looked at each time */

struct operator_name {
	uint32_t id;
	uint32_t kept; /* what the caller makes of this text; 0: nothing yet */
	char text[OPERATOR_TEXT_BYTES];
};

/* What was at an address the last time. */
struct operator_address {
	const char *address;
	uintptr_t quick; /* the address and 1 more, where text and mask tell it all; else 0 */
	uint64_t text[2], mask[2]; /* its first words, and which of their bits count */
	struct operator_name *name;
	uint32_t id;
};

struct operator_names {
	struct operator_address addresses[OPERATOR_ADDRESS_COUNT];
	struct operator_name names[OPERATOR_NAME_COUNT];
};

/*
 * There is a text at address that can be a name: only one of the program's own may begin with a
 * control character. By reads that cannot fault: for the first names.
 */
bool operator_name_is_sound(const char *address, bool is_users);

/*
 * The name at address. What does not fit into the table is interned each time, into *spare. Never
 * NULL; id is 0 for an empty name, for NULL, or when the collector has no room.
 */
struct operator_name *operator_name(
	struct operator_names *names, const char *address, struct operator_name *spare);

/* Its id alone. */
uint32_t operator_name_id(struct operator_names *names, const char *address);

/*
 * The same in few instructions, where the same short text was there the last time; false: it was
 * not, or the text is longer, or begins with OPERATOR_NAME_OTHER.
 */
static inline __attribute__((no_sanitize("address"))) bool operator_name_quick(
	struct operator_names *names, const char *address, uint32_t *ret_id)
{
	const struct operator_address *last =
		&names->addresses[hash_pointer_bits(address, OPERATOR_ADDRESS_BITS)];
	uint64_t here[2];
	if (__builtin_expect(last->quick != (uintptr_t)address + 1, 0))
		return false;
	/* By words: what is read behind its end lies on the same page. */
	memcpy(here, address, sizeof(here));
	*ret_id = last->id;
	return (((here[0] ^ last->text[0]) & last->mask[0]) |
		       ((here[1] ^ last->text[1]) & last->mask[1])) == 0;
}

#endif
