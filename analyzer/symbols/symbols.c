/* SPDX-License-Identifier: MIT */
#include "analyzer/symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/format/symbol.h"

struct library {
	Elf *elf;
	const char *file; /* its name without folder */
	const char *pattern;
	Elf_Scn *dynamic, *full; /* tables of symbols */
	uint8_t *inside;         /* of each of the dynamic ones: it has a slot */
	size_t count;            /* of the dynamic ones */
};

static bool fits(const struct library *library, const char *name)
{
	return library->pattern == NULL ||
	       symbol_fits_function(library->pattern, strlen(library->pattern), name);
}

/* The slots through which the library calls: by number of the symbol. */
static void note_slots(struct library *library, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count =
		data == NULL || header->sh_entsize == 0 ? 0 : header->sh_size / header->sh_entsize;
	for (size_t i = 0; i < count; i++) {
		GElf_Rela relocation;
		if (gelf_getrela(data, (int)i, &relocation) == NULL)
			return;
		size_t number = GELF_R_SYM(relocation.r_info);
		uint64_t type = GELF_R_TYPE(relocation.r_info);
		bool is_slot = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
			       type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT;
		if (is_slot && number < library->count)
			library->inside[number] = 1;
	}
}

static int find_tables(struct library *library)
{
	GElf_Shdr header;
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(library->elf, section)) != NULL) {
		if (gelf_getshdr(section, &header) == NULL)
			continue;
		if (header.sh_type == SHT_DYNSYM && header.sh_entsize > 0) {
			library->dynamic = section;
			library->count = header.sh_size / header.sh_entsize;
		} else if (header.sh_type == SHT_SYMTAB && header.sh_entsize > 0) {
			library->full = section;
		}
	}
	library->inside = calloc(library->count + 1, 1);
	if (library->inside == NULL)
		return -ENOMEM;
	section = NULL;
	while ((section = elf_nextscn(library->elf, section)) != NULL)
		if (gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_RELA)
			note_slots(library, section, &header);
	return 0;
}

static const char *why_not(const struct library *library, const GElf_Sym *symbol, const char *name)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	if (type == STT_GNU_IFUNC)
		return "which code it is, is chosen when it is loaded";
	return symbol_refused(library->file, name);
}

/* It is a function that is defined here. */
static bool is_function(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);
	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_value != 0;
}

static bool is_exported(const GElf_Sym *symbol)
{
	unsigned binding = GELF_ST_BIND(symbol->st_info);
	unsigned visibility = GELF_ST_VISIBILITY(symbol->st_other);
	return (binding == STB_GLOBAL || binding == STB_WEAK) &&
	       (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

/* The functions of one table; of the full one those that the other cannot have. */
static int visit_table(const struct library *library, Elf_Scn *section, bool exported,
	symbols_visit *visit, void *context)
{
	GElf_Shdr header;
	Elf_Data *data = section == NULL ? NULL : elf_getdata(section, NULL);
	if (data == NULL || gelf_getshdr(section, &header) == NULL)
		return 0;
	size_t count = header.sh_size / header.sh_entsize;
	int code = 0;
	for (size_t i = 1; i < count && code == 0; i++) {
		GElf_Sym symbol;
		if (gelf_getsym(data, (int)i, &symbol) == NULL || !is_function(&symbol) ||
			is_exported(&symbol) != exported)
			continue;
		const char *name = elf_strptr(library->elf, header.sh_link, symbol.st_name);
		if (name == NULL || !fits(library, name))
			continue;
		struct symbols_function function = {.name = name};
		function.refused = exported ? why_not(library, &symbol, name)
					    : "not exported: only its own library can call it";
		function.inside = exported && library->inside[i] != 0;
		code = visit(context, &function);
	}
	return code;
}

static int read_elf(
	struct library *library, symbols_visit *visit, void *context, const char **ret_reason)
{
	*ret_reason = "no shared library or program (ELF)";
	if (library->elf == NULL || elf_kind(library->elf) != ELF_K_ELF)
		return -ENOEXEC;
	GElf_Ehdr header;
	if (gelf_getehdr(library->elf, &header) == NULL || header.e_ident[EI_CLASS] != ELFCLASS64 ||
		(header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64)) {
		*ret_reason = "not for a processor that is known (x86-64, aarch64)";
		return -ENOEXEC;
	}
	int code = find_tables(library);
	if (code < 0)
		return code;
	*ret_reason = "it has no table of dynamic symbols: nothing calls it from outside";
	if (library->dynamic == NULL)
		return -ENOEXEC;
	code = visit_table(library, library->dynamic, true, visit, context);
	return code != 0 ? code : visit_table(library, library->full, false, visit, context);
}

int symbols_read(const char *path, const char *pattern, symbols_visit *visit, void *context,
	const char **ret_reason)
{
	const char *slash = strrchr(path, '/');
	struct library library = {.file = slash == NULL ? path : slash + 1, .pattern = pattern};
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int code = fstat(fd, &status) < 0 ? -errno : 0;
	if (code == 0 && S_ISDIR(status.st_mode))
		code = -EISDIR;
	if (code == 0) {
		(void)elf_version(EV_CURRENT);
		library.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
		code = read_elf(&library, visit, context, ret_reason);
		(void)elf_end(library.elf);
	}
	free(library.inside);
	(void)close(fd);
	return code;
}
