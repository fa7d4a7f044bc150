/* SPDX-License-Identifier: MIT */
#include "preload/probe/module.h"

#include <string.h>

#if defined(__x86_64__)
#define RELOCATION_CALL R_X86_64_JUMP_SLOT
#define RELOCATION_DATA R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define RELOCATION_CALL R_AARCH64_JUMP_SLOT
#define RELOCATION_DATA R_AARCH64_GLOB_DAT
#endif

/* Of DT_GNU_HASH. */
struct hash_table {
	uint32_t bucket_count, first, bloom_size, bloom_shift;
	ElfW(Addr) bloom[];
};

static uint32_t count_hashed(const struct hash_table *table)
{
	const uint32_t *buckets = (const uint32_t *)(table->bloom + table->bloom_size);
	const uint32_t *chains = buckets + table->bucket_count;
	uint32_t last = 0;
	for (uint32_t i = 0; i < table->bucket_count; i++)
		if (buckets[i] > last)
			last = buckets[i];
	if (last < table->first)
		return table->first;
	while ((chains[last - table->first] & 1) == 0)
		last++;
	return last + 1;
}

/* The dynamic linker has added the base where the section can be written. */
static const void *pointer(const struct module *module, ElfW(Addr) value)
{
	return (const void *)(value < module->base ? value + module->base : value);
}

static void read_dynamic(struct module *module, const ElfW(Dyn) * entry)
{
	size_t call_bytes = 0, other_bytes = 0;
	bool is_rela = true;
	for (; entry->d_tag != DT_NULL; entry++) {
		const void *there = pointer(module, entry->d_un.d_ptr);
		switch (entry->d_tag) {
		case DT_SYMTAB:
			module->symbols = there;
			break;
		case DT_STRTAB:
			module->texts = there;
			break;
		case DT_GNU_HASH:
			module->symbol_count = count_hashed(there);
			break;
		case DT_HASH:
			if (module->symbol_count == 0)
				module->symbol_count = ((const uint32_t *)there)[1];
			break;
		case DT_JMPREL:
			module->calls = there;
			break;
		case DT_PLTRELSZ:
			call_bytes = entry->d_un.d_val;
			break;
		case DT_PLTREL:
			is_rela = entry->d_un.d_val == DT_RELA;
			break;
		case DT_RELA:
			module->others = there;
			break;
		case DT_RELASZ:
			other_bytes = entry->d_un.d_val;
			break;
		}
	}
	module->call_count =
		module->calls != NULL && is_rela ? call_bytes / sizeof(*module->calls) : 0;
	module->other_count = module->others != NULL ? other_bytes / sizeof(*module->others) : 0;
}

bool module_read(const struct dl_phdr_info *info, struct module *ret_module)
{
	const ElfW(Dyn) *dynamic = NULL;
	struct module module = {.base = info->dlpi_addr, .begin = UINTPTR_MAX};
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t begin = module.base + part->p_vaddr, end = begin + part->p_memsz;
		if (part->p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)begin;
		if (part->p_type == PT_GNU_RELRO) {
			module.relro = (struct slots_relro){begin, end};
		}
		if (part->p_type != PT_LOAD)
			continue;
		module.begin = begin < module.begin ? begin : module.begin;
		module.end = end > module.end ? end : module.end;
	}
	if (dynamic == NULL)
		return false;
	module.path = info->dlpi_name != NULL ? info->dlpi_name : "";
	const char *slash = strrchr(module.path, '/');
	module.file = slash != NULL ? slash + 1 : module.path;
	read_dynamic(&module, dynamic);
	*ret_module = module;
	return module.symbols != NULL && module.texts != NULL;
}

void module_each_function(const struct module *module, module_function *tell, void *context)
{
	for (uint32_t i = 1; i < module->symbol_count; i++) {
		const ElfW(Sym) *symbol = &module->symbols[i];
		unsigned binding = symbol->st_info >> 4;
		if ((symbol->st_info & 15) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
			symbol->st_value != 0 && (binding == STB_GLOBAL || binding == STB_WEAK))
			tell(context, module->texts + symbol->st_name,
				(const void *)(module->base + symbol->st_value));
	}
}

static void each_slot(const struct module *module, const ElfW(Rela) * relocations, size_t count,
	module_slot *tell, void *context)
{
	for (size_t i = 0; i < count; i++) {
		const ElfW(Rela) *one = &relocations[i];
		unsigned type = (unsigned)ELF64_R_TYPE(one->r_info);
		uint64_t number = ELF64_R_SYM(one->r_info);
		if ((type == RELOCATION_CALL || type == RELOCATION_DATA) && number != 0)
			tell(context, module->texts + module->symbols[number].st_name,
				(uintptr_t *)(module->base + one->r_offset));
	}
}

void module_each_slot(const struct module *module, module_slot *tell, void *context)
{
	each_slot(module, module->calls, module->call_count, tell, context);
	each_slot(module, module->others, module->other_count, tell, context);
}
