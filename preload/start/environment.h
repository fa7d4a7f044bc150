/* SPDX-License-Identifier: MIT */
/*
 * What the library changes in the environment, for the program's children.
 *
 * A variable that is there is exchanged in its place in the array: so main() sees the new value in
 * its third argument too, a thread that is reading sees the old one or the new one, and shells that
 * bring their own setenv() take it over. The old text stays where it was.
 *
 * From the constructor only.
 */
#ifndef PRELOAD_ENVIRONMENT_H
#define PRELOAD_ENVIRONMENT_H

#include <stddef.h>

/* The current folder, valid for ever; NULL when it cannot be told. */
const char *environment_folder(void);

/* Set a variable to a copy of value. When memory is out it stays as it was. */
void environment_set(const char *name, const char *value);

/*
 * Where LD_PRELOAD names this library by a path that counts from the current folder, make that path
 * absolute: a child in another folder would not find it, and say so. All other entries and
 * the separators stay. Left as it is when the path has what an entry cannot have: a blank, a
 * colon, a dollar sign.
 */
void environment_fix_preload(void);

/*
 * The same for a text: list is the value of LD_PRELOAD, own the path of the library as the loader
 * has it, folder the current one. Returns the length of *ret_list, 0 when there is nothing to
 * change or it has no room.
 */
size_t environment_absolute_list(
	const char *list, const char *own, const char *folder, char *ret_list, size_t size);

#endif
