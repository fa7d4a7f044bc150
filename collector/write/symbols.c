/* SPDX-License-Identifier: MIT */
#include "collector/write/symbols.h"

#include "collector/base/err.h"
#include "collector/own/descriptor.h"
#include "collector/own/loading.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAPS_BYTES 8192u

/* libelf's functions, by the names and types of its header. */
#define ELF_FUNCTIONS(FUNCTION)                                                                    \
	FUNCTION(elf_version)                                                                      \
	FUNCTION(elf_begin)                                                                        \
	FUNCTION(elf_end)                                                                          \
	FUNCTION(elf_nextscn)                                                                      \
	FUNCTION(elf_getdata)                                                                      \
	FUNCTION(elf_getphdrnum)                                                                   \
	FUNCTION(elf_strptr)                                                                       \
	FUNCTION(gelf_getshdr)                                                                     \
	FUNCTION(gelf_getphdr)                                                                     \
	FUNCTION(gelf_getsym)                                                                      \
	FUNCTION(gelf_getnote)

static struct {
#define FUNCTION(name) __typeof__(&name) name;
	ELF_FUNCTIONS(FUNCTION)
#undef FUNCTION
} lib;

/* The mapping that holds an address. */
struct mapping {
	uint64_t begin, end;
	uint64_t offset; /* of begin in the file */
	const char *path;
};

static bool load(void)
{
	void *handle = dlopen("libelf.so.1", RTLD_NOW | RTLD_LOCAL);
	bool complete = handle != NULL;
#define FUNCTION(name)                                                                             \
	lib.name = complete ? (__typeof__(lib.name))dlsym(handle, #name) : NULL;                   \
	complete = lib.name != NULL;
	ELF_FUNCTIONS(FUNCTION)
#undef FUNCTION
	return complete && lib.elf_version(EV_CURRENT) != EV_NONE;
}

static bool open_library(void)
{
	static int state; /* 0: not tried, 1: there, -1: not there */
	if (state == 0) {
		descriptor_hold();
		bool may_load = loading_begin(); /* a child finds it tried or not */
		state = may_load && load() ? 1 : -1;
		if (may_load)
			loading_end();
		descriptor_release();
	}
	return state > 0;
}

/* A line of maps: "begin-end perms offset dev inode   path". False when it names no file. */
static bool parse_mapping(char *line, struct mapping *ret_mapping)
{
	unsigned long begin, end, offset;
	int path = 0;
	if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &begin, &end, &offset, &path) < 3 ||
		path == 0 || line[path] != '/')
		return false;
	*ret_mapping = (struct mapping){begin, end, offset, line + path};
	return true;
}

/* Go through the lines of maps until one holds address; buffer keeps that line. */
static int find_mapping(uint64_t address, char *buffer, struct mapping *ret_mapping)
{
	int fd = descriptor_open("/proc/self/maps", O_RDONLY, 0);
	if (fd < 0)
		return -errno;
	size_t held = 0;
	int code = -ERR_UNKNOWN_NAME;
	for (;;) {
		ssize_t got = descriptor_read(fd, buffer + held, MAPS_BYTES - 1 - held);
		if (got <= 0)
			break;
		held += (size_t)got;
		buffer[held] = '\0';
		char *line = buffer, *end;
		while ((end = strchr(line, '\n')) != NULL) {
			*end = '\0';
			if (parse_mapping(line, ret_mapping) && address >= ret_mapping->begin &&
				address < ret_mapping->end) {
				code = 0;
				goto out;
			}
			line = end + 1;
		}
		held -= (size_t)(line - buffer);
		memmove(buffer, line, held);
		if (held >= MAPS_BYTES - 1)
			held = 0; /* longer than any path can be */
	}
out:
	descriptor_close(fd);
	return code;
}

/* A place in the file as the address that its program headers give it. */
static uint64_t file_to_address(Elf *elf, uint64_t offset)
{
	size_t count = 0;
	if (lib.elf_getphdrnum(elf, &count) != 0)
		return offset;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (lib.gelf_getphdr(elf, (int)i, &header) == NULL || header.p_type != PT_LOAD)
			continue;
		/*
		 * Mappings are made of whole pages, so they begin before the segment and end
		 * after it.
		 */
		uint64_t begin = header.p_offset & ~(uint64_t)4095;
		if (offset >= begin && offset < header.p_offset + header.p_filesz)
			return offset - header.p_offset + header.p_vaddr;
	}
	return offset;
}

static void read_build_id(Elf_Data *data, struct symbols_place *place)
{
	GElf_Nhdr note;
	size_t name, text, at = 0, next;
	while ((next = lib.gelf_getnote(data, at, &note, &name, &text)) > 0) {
		const unsigned char *bytes = (const unsigned char *)data->d_buf + text;
		const char *owner = (const char *)data->d_buf + name;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			memcmp(owner, "GNU", 4) == 0) {
			for (unsigned i = 0; i < note.n_descsz && i < 20; i++)
				(void)snprintf(place->build_id + 2 * i, 3, "%02x", bytes[i]);
			return;
		}
		at = next;
	}
}

/* Name the function of a table that holds address, if there is one. */
static void read_function(Elf *elf, const GElf_Shdr *header, Elf_Data *data, uint64_t address,
	struct symbols_place *place)
{
	int count = header->sh_entsize == 0 ? 0 : (int)(header->sh_size / header->sh_entsize);
	for (int i = 0; i < count; i++) {
		GElf_Sym symbol;
		if (lib.gelf_getsym(data, i, &symbol) == NULL)
			return;
		int type = GELF_ST_TYPE(symbol.st_info);
		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF ||
			address < symbol.st_value || address - symbol.st_value >= symbol.st_size)
			continue;
		const char *name = lib.elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name != NULL)
			(void)snprintf(place->function, sizeof(place->function), "%s", name);
		return;
	}
}

static void read_sections(Elf *elf, struct symbols_place *place)
{
	for (Elf_Scn *section = NULL; (section = lib.elf_nextscn(elf, section)) != NULL;) {
		GElf_Shdr header;
		if (lib.gelf_getshdr(section, &header) == NULL)
			continue;
		bool is_table = header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM;
		if (header.sh_type != SHT_NOTE && !(is_table && place->function[0] == '\0'))
			continue;
		Elf_Data *data = lib.elf_getdata(section, NULL);
		if (data == NULL)
			continue;
		if (is_table)
			read_function(elf, &header, data, place->offset - 1, place);
		else if (place->build_id[0] == '\0')
			read_build_id(data, place);
	}
}

int symbols_resolve(uint64_t address, struct symbols_place *ret_place)
{
	char buffer[MAPS_BYTES];
	struct mapping mapping = {.path = ""};
	if (address == 0)
		return -ERR_UNKNOWN_NAME;
	int code = find_mapping(address - 1, buffer, &mapping);
	if (code < 0)
		return code;
	(void)snprintf(ret_place->module, sizeof(ret_place->module), "%s", mapping.path);
	ret_place->offset = address - mapping.begin + mapping.offset;
	ret_place->build_id[0] = '\0';
	ret_place->function[0] = '\0';
	int fd = open_library() ? descriptor_open(mapping.path, O_RDONLY, 0) : -1;
	if (fd < 0)
		return 0;
	Elf *elf = lib.elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf != NULL) {
		ret_place->offset = file_to_address(elf, ret_place->offset - 1) + 1;
		read_sections(elf, ret_place);
		(void)lib.elf_end(elf);
	}
	descriptor_close(fd);
	return 0;
}
