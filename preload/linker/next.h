/* SPDX-License-Identifier: MIT */
/*
 * What stands behind a hook, for many names at once: the answer of dlsym(RTLD_NEXT), at a tenth of
 * its price. A program pays for all of libc's rows when it starts, whatever it does later.
 *
 * Any thread, also before our constructor; calls nothing of libc, takes no lock, allocates nothing.
 * No library may be loaded or closed meanwhile. errno is kept.
 */
#ifndef PRELOAD_LINKER_NEXT_H
#define PRELOAD_LINKER_NEXT_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#define NEXT_LIMIT 64u

/* The libraries behind this one, in the order in which names are looked up. Points into them. */
struct next {
	unsigned count; /* 0: not known */
	struct next_object {
		ElfW(Addr) base;
		const ElfW(Sym) * symbols;
		const char *texts;
		const ElfW(Half) * versions; /* NULL: it has none */
		const uint32_t *hashes;
		const char *soname; /* NULL: it has none */
	} objects[NEXT_LIMIT];
};

/* A child in which this was begun has the list as it was then: some may be gone from memory. */
extern bool next_is_half_closed;

/*
 * Among the first so many that the loader has; those that a process began with may be looked at
 * whatever is loaded or closed meanwhile (initial.h). ret_next->count is 0 where there are more
 * than NEXT_LIMIT, or one without a GNU hash table.
 */
void next_begin(struct next *ret_next, unsigned among);

/*
 * The function that a look-up of name without a version finds. NULL where none has it, or where the
 * true dlsym has to tell, as of an indirect function. Neither may be NULL.
 */
void *next_function(const struct next *next, const char *name);

/*
 * The library that calls itself soname, among all that are loaded. False: there is none, or it has
 * no GNU hash table.
 */
bool next_library(const char *soname, struct next_object *ret_object);

/*
 * The function that a look-up of name in this library alone finds, an indirect one as its resolver
 * chooses. NULL where it has none, or where the true dlsym has to tell. From our constructor on:
 * a resolver may only be called when its library is complete.
 */
void *next_chosen(const struct next_object *object, const char *name);

/*
 * False: none of the loaded libraries, nor the program, has that name for others to find. A look-up
 * that fails leaves a message, and takes memory for it.
 */
bool next_may_be_anywhere(const char *name);

#endif
