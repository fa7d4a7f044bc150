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
#include <stdint.h>

#define OPERATOR_NAME_BITS     8
#define OPERATOR_NAME_COUNT    (1u << OPERATOR_NAME_BITS)
#define OPERATOR_ADDRESS_BITS  8
#define OPERATOR_ADDRESS_COUNT (1u << OPERATOR_ADDRESS_BITS)
#define OPERATOR_TEXT_BYTES    112

struct operator_name {
	uint32_t id;
	char text[OPERATOR_TEXT_BYTES];
};

struct operator_names {
	struct {
		const char *address;
		struct operator_name *name;
	} addresses[OPERATOR_ADDRESS_COUNT];
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
const struct operator_name *operator_name(
	struct operator_names *names, const char *address, struct operator_name *spare);

#endif
