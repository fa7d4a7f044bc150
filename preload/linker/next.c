/* SPDX-License-Identifier: MIT */
#include "preload/linker/next.h"

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/thread/peek.h"

#define WORD_BITS      (sizeof(ElfW(Addr)) * 8)
#define VERSION_HIDDEN 0x8000u

/* The loader relocates these entries in place, but not where the section cannot be written to. */
static const void *at_address(const struct link_map *map, ElfW(Addr) address)
{
	return (const void *)(uintptr_t)(address < map->l_addr ? address + map->l_addr : address);
}

bool next_is_half_closed;

/* A library is taken out of memory as a whole. */
static const ElfW(Dyn) * table_of(const struct link_map *map)
{
	ElfW(Dyn) entry;
	return next_is_half_closed && !peek(map->l_ld, &entry, sizeof(entry)) ? NULL : map->l_ld;
}

static struct next_object object_of(const struct link_map *map)
{
	struct next_object object = {.base = map->l_addr};
	ElfW(Addr) soname = 0;
	for (const ElfW(Dyn) *at = table_of(map); at != NULL && at->d_tag != DT_NULL; at++) {
		const void *where = at_address(map, at->d_un.d_ptr);
		if (at->d_tag == DT_SYMTAB)
			object.symbols = where;
		else if (at->d_tag == DT_STRTAB)
			object.texts = where;
		else if (at->d_tag == DT_VERSYM)
			object.versions = where;
		else if (at->d_tag == DT_GNU_HASH)
			object.hashes = where;
		else if (at->d_tag == DT_SONAME)
			soname = at->d_un.d_val;
	}
	object.soname = soname == 0 || object.texts == NULL ? NULL : object.texts + soname;
	return object;
}

void next_begin(struct next *ret_next, unsigned among)
{
	const struct link_map *map = _r_debug.r_map;
	ret_next->count = 0;
	for (; map != NULL && map->l_ld != _DYNAMIC && among > 0; among--)
		map = map->l_next;
	unsigned count = 0;
	for (map = map != NULL ? map->l_next : NULL; map != NULL && among > 1; among--) {
		struct next_object object = object_of(map);
		if (count == NEXT_LIMIT || object.hashes == NULL || object.symbols == NULL ||
			object.texts == NULL)
			return;
		ret_next->objects[count++] = object;
		map = map->l_next;
	}
	ret_next->count = count;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;
	for (; *name != '\0'; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* Of several versions the default one is found, which is not hidden. */
static bool is_found(const struct next_object *object, uint32_t index, const char *name)
{
	const ElfW(Sym) *symbol = &object->symbols[index];
	return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
	       (object->versions == NULL || (object->versions[index] & VERSION_HIDDEN) == 0) &&
	       strcmp(object->texts + symbol->st_name, name) == 0;
}

/* Its number among the symbols, 0: not there, by a table as GNU's linker lays it out. */
static uint32_t find(const struct next_object *object, const char *name, uint32_t hash)
{
	uint32_t bucket_count = object->hashes[0], first = object->hashes[1];
	uint32_t word_count = object->hashes[2], shift = object->hashes[3];
	const ElfW(Addr) *filter = (const void *)&object->hashes[4];
	const uint32_t *buckets = (const void *)&filter[word_count];
	const uint32_t *chain = &buckets[bucket_count];
	ElfW(Addr) word = filter[hash / WORD_BITS & (word_count - 1)];
	if ((word >> hash % WORD_BITS & word >> (hash >> shift) % WORD_BITS & 1) == 0)
		return 0;
	uint32_t index = bucket_count == 0 ? 0 : buckets[hash % bucket_count];
	for (; index >= first && index != 0; index++) {
		uint32_t seen = chain[index - first];
		if (((seen ^ hash) >> 1) == 0 && is_found(object, index, name))
			return index;
		if ((seen & 1) != 0)
			return 0;
	}
	return 0;
}

bool next_may_be_anywhere(const char *name)
{
	uint32_t hash = hash_of(name);
	for (const struct link_map *map = _r_debug.r_map; map != NULL; map = map->l_next) {
		struct next_object object = object_of(map);
		if (object.hashes == NULL || object.symbols == NULL || object.texts == NULL ||
			find(&object, name, hash) != 0)
			return true;
	}
	return false;
}

bool next_library(const char *soname, struct next_object *ret_object)
{
	for (const struct link_map *map = _r_debug.r_map; map != NULL; map = map->l_next) {
		struct next_object object = object_of(map);
		if (object.soname == NULL || strcmp(object.soname, soname) != 0)
			continue;
		*ret_object = object;
		return object.hashes != NULL && object.symbols != NULL;
	}
	return false;
}

void *next_chosen(const struct next_object *object, const char *name)
{
	uint32_t index = find(object, name, hash_of(name));
	const ElfW(Sym) *symbol = &object->symbols[index];
	uintptr_t address = object->base + symbol->st_value;
	if (index != 0 && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
		return (void *)address;
#if defined(__x86_64__) /* elsewhere a resolver is told what the processor can do */
	typedef void *resolver(void);
	if (index != 0 && ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
		return ((resolver *)address)();
#endif
	return NULL;
}

void *next_function(const struct next *next, const char *name)
{
	uint32_t hash = hash_of(name);
	for (unsigned i = 0; i < next->count; i++) {
		const struct next_object *object = &next->objects[i];
		uint32_t index = find(object, name, hash);
		if (index == 0)
			continue;
		const ElfW(Sym) *symbol = &object->symbols[index];
		if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
			return NULL;
		return (void *)(uintptr_t)(object->base + symbol->st_value);
	}
	return NULL;
}
