/* SPDX-License-Identifier: MIT */
/* Where shared libraries are, found without loading one. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/doctor/check.h"

#define CACHE_LIMIT   (16u << 20)
#define SECTION_LIMIT 4096u
#define TABLE_LIMIT   (64u << 20)

static const char *const usual_folders[] = {"/usr/local/cuda/lib64",
	"/usr/local/cuda/extras/CUPTI/lib64", "/usr/lib/x86_64-linux-gnu",
	"/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/nvidia/lib64",
	"/usr/local/lib"};

/* The whole of a small file, terminated; NULL when it cannot be read or is larger than limit. */
static char *load(const char *path, size_t limit, size_t *ret_size)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *bytes = NULL;
	if (fd >= 0 && fstat(fd, &status) == 0 && (uint64_t)status.st_size <= limit)
		bytes = malloc((size_t)status.st_size + 1);
	ssize_t size = bytes == NULL ? -1 : read(fd, bytes, (size_t)status.st_size);
	if (fd >= 0)
		(void)close(fd);
	if (size < 0) {
		free(bytes);
		return NULL;
	}
	bytes[size] = '\0';
	*ret_size = (size_t)size;
	return bytes;
}

static bool begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The last of the files that fit: the highest version where only the number differs. */
static bool match(const char *pattern, char *ret_path, size_t capacity)
{
	glob_t found = {0};
	bool any = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0;
	if (any)
		snprintf(ret_path, capacity, "%s", found.gl_pathv[found.gl_pathc - 1]);
	globfree(&found);
	return any;
}

static bool find_in_folder(const char *folder, const char *prefix, char *ret_path, size_t capacity)
{
	char pattern[2048];
	if (folder[0] == '\0')
		return false;
	snprintf(pattern, sizeof(pattern), "%s/%s*", folder, prefix);
	return match(pattern, ret_path, capacity);
}

static bool find_in_list(const char *list, const char *prefix, char *ret_path, size_t capacity)
{
	while (list != NULL && *list != '\0') {
		char folder[512];
		size_t length = strcspn(list, ":");
		snprintf(folder, sizeof(folder), "%.*s", (int)length, list);
		if (find_in_folder(folder, prefix, ret_path, capacity))
			return true;
		list += length + (list[length] == ':');
	}
	return false;
}

/* The loader's cache holds the paths as terminated texts; their order is the loader's. */
static bool find_in_cache(const char *prefix, char *ret_path, size_t capacity)
{
	size_t size;
	char *cache = load("/etc/ld.so.cache", CACHE_LIMIT, &size);
	bool found = false;
	for (size_t at = 0; cache != NULL && at < size && !found; at += strlen(cache + at) + 1) {
		const char *name = strrchr(cache + at, '/');
		found = cache[at] == '/' && name != NULL && begins_with(name + 1, prefix);
		if (found)
			snprintf(ret_path, capacity, "%s", cache + at);
	}
	free(cache);
	return found;
}

/* The wheels of the vendor's libraries, and those that carry them in their own folder. */
static bool find_in_packages(const char *prefix, char *ret_path, size_t capacity)
{
	static const char *const folders[] = {
		"nvidia/*/lib", "torch/lib", "paddle/libs", "nvidia/*/*/lib"};
	const char *packages = doctor_python_packages();
	for (size_t i = 0; packages[0] != '\0' && i < sizeof(folders) / sizeof(folders[0]); i++) {
		char folder[1024];
		snprintf(folder, sizeof(folder), "%s/%s", packages, folders[i]);
		if (find_in_folder(folder, prefix, ret_path, capacity))
			return true;
	}
	return false;
}

bool doctor_find_library(const char *prefix, char *ret_path, size_t capacity)
{
	char path[PATH_MAX];
	bool found = find_in_list(getenv("LD_LIBRARY_PATH"), prefix, path, sizeof(path)) ||
		     find_in_cache(prefix, path, sizeof(path));
	for (size_t i = 0; !found && i < sizeof(usual_folders) / sizeof(usual_folders[0]); i++)
		found = find_in_folder(usual_folders[i], prefix, path, sizeof(path));
	if (!found)
		found = find_in_packages(prefix, path, sizeof(path));
	if (!found)
		return false;
	/* the file's own name has the whole version */
	char *real = realpath(path, NULL);
	snprintf(ret_path, capacity, "%s", real != NULL ? real : path);
	free(real);
	return true;
}

static void *read_part(int fd, uint64_t offset, uint64_t size)
{
	void *bytes = size > 0 && size <= TABLE_LIMIT ? malloc(size) : NULL;
	if (bytes != NULL && pread(fd, bytes, size, (off_t)offset) != (ssize_t)size) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

static int count_symbols(
	const Elf64_Sym *symbols, size_t count, const char *names, size_t size, const char *prefix)
{
	int found = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t name = symbols[i].st_name;
		found += symbols[i].st_shndx != SHN_UNDEF && name < size &&
			 ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
			 memchr(names + name, '\0', size - name) != NULL &&
			 begins_with(names + name, prefix);
	}
	return found;
}

static int count_in_file(int fd, const char *prefix)
{
	Elf64_Ehdr header;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
		header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shnum > SECTION_LIMIT)
		return -ENOEXEC;
	Elf64_Shdr *sections =
		read_part(fd, header.e_shoff, (uint64_t)header.e_shnum * sizeof(*sections));
	int found = -ENOEXEC;
	for (unsigned i = 0; sections != NULL && i < header.e_shnum; i++) {
		if (sections[i].sh_type != SHT_DYNSYM || sections[i].sh_link >= header.e_shnum)
			continue;
		const Elf64_Shdr *texts = &sections[sections[i].sh_link];
		Elf64_Sym *symbols = read_part(fd, sections[i].sh_offset, sections[i].sh_size);
		char *names = read_part(fd, texts->sh_offset, texts->sh_size);
		if (symbols != NULL && names != NULL)
			found = count_symbols(symbols, sections[i].sh_size / sizeof(*symbols),
				names, texts->sh_size, prefix);
		free(symbols);
		free(names);
	}
	free(sections);
	return found;
}

int doctor_count_exports(const char *path, const char *prefix)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int found = count_in_file(fd, prefix);
	(void)close(fd);
	return found;
}
