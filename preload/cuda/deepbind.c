/* SPDX-License-Identifier: MIT */
#include "preload/cuda/deepbind.h"

#include "preload/calls/calls.h"
#include "preload/cuda/driver.h"
#include "preload/cuda/real.h"
#include "preload/linker/linker.h"
#include "preload/process/process.h"
#include "preload/thread/late.h"
#include "preload/thread/thread.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define IS_CALL(type) ((type) == R_X86_64_JUMP_SLOT)
#define IS_SLOT(type) (IS_CALL(type) || (type) == R_X86_64_GLOB_DAT || (type) == R_X86_64_64)
#else
#define IS_CALL(type) ((type) == R_AARCH64_JUMP_SLOT)
#define IS_SLOT(type) (IS_CALL(type) || (type) == R_AARCH64_GLOB_DAT || (type) == R_AARCH64_ABS64)
#endif

/* Libraries that belong together: one that was opened, and what was loaded for it. */
#define FAMILY_LIMIT 64u

enum note_state {
	NOTE_FREE,
	NOTE_TAKEN,
	NOTE_READY,
};
static struct note {
	uint32_t state;     /* enum note_state */
	const void *thread; /* its thread_state */
	char path[DEEPBIND_PATH];
} notes[DEEPBIND_LIMIT];
static uint32_t working;
uint32_t deepbind_noted;

/* What is done for one library. Under the lock that "working" is. */
static struct work {
	void *handle;
	const char *first; /* name of the library, as the loader has it */
	bool reached;      /* it was met in the loader's list */
	const char *family[FAMILY_LIMIT];
	unsigned family_count;
	const void *was[HOOK_COUNT]; /* what the library finds under a row's name, if it is ours */
	bool global[HOOK_COUNT];     /* and everybody else finds the hook */
	const void *loader[2];       /* the true dlopen and dlsym */
} work;

/* An object's own tables. */
struct object {
	ElfW(Addr) base, begin, end; /* of its code and data */
	ElfW(Addr) read_only_end;    /* 0: all slots are writable */
	ElfW(Addr) read_only_begin;
	const ElfW(Sym) * symbols;
	const char *texts;
	const ElfW(Rela) * tables[2];
	size_t sizes[2];
	const ElfW(Dyn) * entries;
	const char *soname;
};

LATE void deepbind_begins(const char *path)
{
	size_t length = strlen(path);
	for (unsigned i = 0; length < DEEPBIND_PATH && i < DEEPBIND_LIMIT; i++) {
		uint32_t free = NOTE_FREE;
		if (!__atomic_compare_exchange_n(&notes[i].state, &free, NOTE_TAKEN, false,
			    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		memcpy(notes[i].path, path, length + 1);
		notes[i].thread = &thread_state;
		__atomic_store_n(&notes[i].state, NOTE_READY, __ATOMIC_RELEASE);
		(void)__atomic_fetch_add(&deepbind_noted, 1, __ATOMIC_RELEASE);
		/* until it was looked at: another dlsym before ours may keep us from that */
		(void)__atomic_fetch_add(&process_passed_by, 1, __ATOMIC_RELAXED);
		return;
	}
	(void)__atomic_fetch_add(&process_passed_by, 1, __ATOMIC_RELAXED);
}

static const void *at(const struct dl_phdr_info *info, ElfW(Addr) address)
{
	if (address < info->dlpi_addr) /* not relocated in place here */
		address += info->dlpi_addr;
	return (const void *)(uintptr_t)address;
}

static void read_entry(
	const struct dl_phdr_info *info, const ElfW(Dyn) * entry, struct object *object)
{
	switch (entry->d_tag) {
	case DT_SYMTAB:
		object->symbols = at(info, entry->d_un.d_ptr);
		break;
	case DT_STRTAB:
		object->texts = at(info, entry->d_un.d_ptr);
		break;
	case DT_JMPREL:
		object->tables[0] = at(info, entry->d_un.d_ptr);
		break;
	case DT_PLTRELSZ:
		object->sizes[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
		break;
	case DT_RELA:
		object->tables[1] = at(info, entry->d_un.d_ptr);
		break;
	case DT_RELASZ:
		object->sizes[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
		break;
	default:
		break;
	}
}

static bool read_object(const struct dl_phdr_info *info, struct object *object)
{
	ElfW(Addr) page = (ElfW(Addr))sysconf(_SC_PAGESIZE);
	object->base = info->dlpi_addr;
	object->begin = UINTPTR_MAX;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		ElfW(Addr) begin = info->dlpi_addr + header->p_vaddr;
		if (header->p_type == PT_LOAD && begin < object->begin)
			object->begin = begin;
		if (header->p_type == PT_LOAD && begin + header->p_memsz > object->end)
			object->end = begin + header->p_memsz;
		if (header->p_type == PT_DYNAMIC)
			object->entries = (const ElfW(Dyn) *)(uintptr_t)begin;
		if (header->p_type == PT_GNU_RELRO) {
			object->read_only_begin = begin & ~(page - 1);
			object->read_only_end = (begin + header->p_memsz) & ~(page - 1);
		}
	}
	if (object->entries == NULL)
		return false;
	const ElfW(Dyn) *entry = object->entries;
	for (; entry->d_tag != DT_NULL; entry++)
		read_entry(info, entry, object);
	for (entry = object->entries; object->texts != NULL && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_SONAME)
			object->soname = object->texts + entry->d_un.d_val;
	return object->symbols != NULL && object->texts != NULL;
}

static bool in_family(const char *name)
{
	for (unsigned i = 0; name != NULL && i < work.family_count; i++)
		if (strcmp(work.family[i], name) == 0)
			return true;
	return false;
}

/* The names that the library asks for belong to the family; what was loaded before it does not. */
static void join(const struct object *object)
{
	for (const ElfW(Dyn) *entry = object->entries; entry->d_tag != DT_NULL; entry++) {
		const char *name = object->texts + entry->d_un.d_val;
		if (entry->d_tag != DT_NEEDED || in_family(name))
			continue;
		if (work.family_count == FAMILY_LIMIT)
			(void)__atomic_fetch_add(&process_passed_by, 1, __ATOMIC_RELAXED);
		else
			work.family[work.family_count++] = name;
	}
}

static void change(const struct object *object, void **slot, void *hook)
{
	ElfW(Addr) where = (ElfW(Addr))(uintptr_t)slot;
	ElfW(Addr) page = (ElfW(Addr))sysconf(_SC_PAGESIZE);
	bool protected = where >= object->read_only_begin && where < object->read_only_end;
	void *begin = (void *)(uintptr_t)(where & ~(page - 1));
	if (protected && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) {
		(void)__atomic_fetch_add(&process_passed_by, 1, __ATOMIC_RELAXED);
		return;
	}
	__atomic_store_n(slot, hook, __ATOMIC_RELEASE);
	if (protected)
		(void)mprotect(begin, page, PROT_READ);
}

/* The hook for a name, and what a slot of it must lead to; NULL when it has none. */
static void *hook_of(const char *name, const void **ret_was, bool *ret_global)
{
	*ret_global = true;
	if (strcmp(name, "dlopen") == 0 || strcmp(name, "dlsym") == 0) {
		bool is_open = name[2] == 'o';
		*ret_was = work.loader[is_open ? 0 : 1];
		return is_open ? (void *)dlopen : (void *)dlsym;
	}
	enum hook_id id = calls_runtime_id(name);
	if (id == HOOK_NONE)
		id = calls_driver_id(name);
	*ret_was = work.was[id];
	*ret_global = work.global[id];
	return calls_wrapper(id);
}

static void look_at_slot(const struct object *object, const ElfW(Rela) * rela)
{
	unsigned type = (unsigned)ELF64_R_TYPE(rela->r_info);
	const ElfW(Sym) *symbol = &object->symbols[ELF64_R_SYM(rela->r_info)];
	if (!IS_SLOT(type) || symbol->st_shndx != SHN_UNDEF || rela->r_addend != 0)
		return;
	const void *was;
	bool is_global;
	void *hook = hook_of(object->texts + symbol->st_name, &was, &is_global);
	if (hook == NULL || was == NULL)
		return;
	void **slot = (void **)(uintptr_t)(object->base + rela->r_offset);
	ElfW(Addr) now = (ElfW(Addr))(uintptr_t)__atomic_load_n(slot, __ATOMIC_ACQUIRE);
	/* Not used yet: it leads to the object's own way into the loader. */
	bool is_lazy = IS_CALL(type) && now >= object->begin && now < object->end;
	if (now == (ElfW(Addr))(uintptr_t)was || (is_lazy && is_global))
		change(object, slot, hook);
}

/* The loader's list is in the order of loading, and does not change meanwhile. */
static int look_at_object(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct object object = {0};
	(void)size;
	(void)unused;
	bool is_first = !work.reached && strcmp(info->dlpi_name, work.first) == 0;
	work.reached = work.reached || is_first;
	if (!work.reached || !read_object(info, &object))
		return 0;
	const char *slash = strrchr(info->dlpi_name, '/');
	if (!is_first && !in_family(object.soname) &&
		!in_family(slash == NULL ? info->dlpi_name : slash + 1))
		return 0;
	join(&object);
	for (unsigned table = 0; table < 2; table++)
		for (size_t i = 0; object.tables[table] != NULL && i < object.sizes[table]; i++)
			look_at_slot(&object, &object.tables[table][i]);
	return 0;
}

/*
 * What the library finds under each name. Only where that is what the hook forwards to may the
 * hook take its place.
 */
static void find_rows(void)
{
	(void)real_resolve_cuda();
	(void)real_resolve_driver();
	for (unsigned id = 1; id < HOOK_COUNT; id++) {
		const char *name = calls_name(id);
		bool is_driver = calls_library[id] == CALLS_cuda;
		work.was[id] = NULL;
		work.global[id] = false;
		const void *forwards_to = real_address((enum hook_id)id);
		if (forwards_to == NULL || (is_driver && !driver_is_enabled()) ||
			linker_dlsym(work.handle, name) != forwards_to)
			continue;
		work.was[id] = forwards_to;
		work.global[id] = linker_dlsym(RTLD_DEFAULT, name) == calls_wrapper(id);
	}
	work.loader[0] = (const void *)linker_dlopen;
	work.loader[1] = (const void *)linker_dlsym;
}

/* A library that is not there any more, or never came, is none of our business. */
static void look_at(const char *path)
{
	struct link_map *map = NULL;
	work.handle = linker_open(path);
	if (work.handle == NULL)
		return;
	if (dlinfo(work.handle, RTLD_DI_LINKMAP, &map) == 0) {
		work.first = map->l_name;
		work.reached = false;
		work.family_count = 0;
		find_rows();
		(void)linker_each(look_at_object, NULL);
	}
	linker_close(work.handle);
}

void deepbind_attach(void)
{
	if (__builtin_expect(__atomic_load_n(&deepbind_noted, __ATOMIC_ACQUIRE) == 0, 1))
		return;
	if (linker_dlsym == NULL || linker_dlopen == NULL ||
		__atomic_exchange_n(&working, 1, __ATOMIC_ACQUIRE) != 0)
		return;
	for (unsigned i = 0; i < DEEPBIND_LIMIT; i++) {
		if (__atomic_load_n(&notes[i].state, __ATOMIC_ACQUIRE) != NOTE_READY ||
			notes[i].thread != &thread_state)
			continue;
		look_at(notes[i].path);
		(void)__atomic_fetch_sub(&deepbind_noted, 1, __ATOMIC_RELAXED);
		(void)__atomic_fetch_sub(&process_passed_by, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&notes[i].state, NOTE_FREE, __ATOMIC_RELEASE);
	}
	linker_forget_error();
	__atomic_store_n(&working, 0, __ATOMIC_RELEASE);
}

uint32_t deepbind_missed(void)
{
	return __atomic_load_n(&process_passed_by, __ATOMIC_RELAXED);
}
