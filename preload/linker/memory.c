/* SPDX-License-Identifier: MIT */
#include "preload/linker/memory.h"

#include "preload/linker/linker.h"
#include "preload/linker/next.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define LIBC "libc.so.6"

/* A loop must stay a loop: the compiler knows what it is, and would call the function itself. */
#define LOOP static __attribute__((optimize("no-tree-loop-distribute-patterns")))

LOOP void *plain_memcpy(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = ((const char *)from)[i];
	return to;
}

LOOP void *plain_memmove(void *to, const void *from, size_t size)
{
	if ((const char *)to < (const char *)from)
		return plain_memcpy(to, from, size);
	for (size_t i = size; i > 0; i--)
		((char *)to)[i - 1] = ((const char *)from)[i - 1];
	return to;
}

LOOP void *plain_memset(void *to, int byte, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = (char)byte;
	return to;
}

LOOP int plain_memcmp(const void *one, const void *other, size_t size)
{
	const unsigned char *left = one, *right = other;
	for (size_t i = 0; i < size; i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

LOOP void *plain_memchr(const void *bytes, int byte, size_t size)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < size; i++)
		if (at[i] == (unsigned char)byte)
			return (void *)(uintptr_t)(at + i);
	return NULL;
}

LOOP size_t plain_strnlen(const char *text, size_t limit)
{
	size_t length = 0;
	while (length < limit && text[length] != '\0')
		length++;
	return length;
}

LOOP size_t plain_strlen(const char *text)
{
	return plain_strnlen(text, (size_t)-1);
}

LOOP int plain_strncmp(const char *one, const char *other, size_t limit)
{
	for (size_t i = 0; i < limit; i++) {
		unsigned char left = (unsigned char)one[i], right = (unsigned char)other[i];
		if (left != right || left == '\0')
			return left - right;
	}
	return 0;
}

LOOP int plain_strcmp(const char *one, const char *other)
{
	return plain_strncmp(one, other, (size_t)-1);
}

/* clang-format off */
#define FUNCTIONS(F) \
	F(void *, memcpy, (void *to, const void *from, size_t size), (to, from, size)) \
	F(void *, memmove, (void *to, const void *from, size_t size), (to, from, size)) \
	F(void *, memset, (void *to, int byte, size_t size), (to, byte, size)) \
	F(int, memcmp, (const void *one, const void *other, size_t size), (one, other, size)) \
	F(void *, memchr, (const void *bytes, int byte, size_t size), (bytes, byte, size)) \
	F(size_t, strnlen, (const char *text, size_t limit), (text, limit)) \
	F(size_t, strlen, (const char *text), (text)) \
	F(int, strncmp, (const char *one, const char *other, size_t limit), (one, other, limit)) \
	F(int, strcmp, (const char *one, const char *other), (one, other))

#define BEHIND(type, name, params, args)                                                           \
	static type(*next_##name) params = plain_##name;                                           \
	type name params                                                                           \
	{                                                                                          \
		return next_##name args;                                                           \
	}
FUNCTIONS(BEHIND)
/* clang-format on */

char *strchr(const char *text, int byte)
{
	for (;; text++) {
		if (*text == (char)byte)
			return (char *)(uintptr_t)text;
		if (*text == '\0')
			return NULL;
	}
}

void *memrchr(const void *bytes, int byte, size_t size)
{
	const unsigned char *at = bytes;
	while (size-- > 0)
		if (at[size] == (unsigned char)byte)
			return (void *)(uintptr_t)(at + size);
	return NULL;
}

char *strrchr(const char *text, int byte)
{
	return memrchr(text, byte, strlen(text) + 1);
}

void *memmem(const void *bytes, size_t size, const void *piece, size_t piece_size)
{
	const char *at = bytes;
	for (; size >= piece_size; at++, size--)
		if (memcmp(at, piece, piece_size) == 0)
			return (void *)(uintptr_t)at;
	return NULL;
}

char *strstr(const char *text, const char *piece)
{
	return memmem(text, strlen(text), piece, strlen(piece));
}

size_t strspn(const char *text, const char *bytes)
{
	size_t length = 0;
	while (text[length] != '\0' && strchr(bytes, text[length]) != NULL)
		length++;
	return length;
}

size_t strcspn(const char *text, const char *bytes)
{
	size_t length = 0;
	while (strchr(bytes, text[length]) == NULL)
		length++;
	return length;
}

char *strpbrk(const char *text, const char *bytes)
{
	text += strcspn(text, bytes);
	return *text == '\0' ? NULL : (char *)(uintptr_t)text;
}

#define TAKE(type, name, params, args)                                                             \
	found = next_chosen(&libc, #name);                                                         \
	if (found == NULL)                                                                         \
		found = asked(#name, &handle);                                                     \
	if (found != NULL)                                                                         \
		__atomic_store_n((slot *)&next_##name, found, __ATOMIC_RELEASE);

typedef void *__attribute__((may_alias)) slot;

/* Of the loader: its first handle of a library takes memory of the heap, so this is for few. */
static void *asked(const char *name, void **handle)
{
	if (*handle == NULL)
		*handle = linker_dlopen(LIBC, RTLD_LAZY | RTLD_NOLOAD);
	void *found = *handle == NULL ? NULL : linker_dlsym(*handle, name);
	if (found == NULL)
		linker_forget_error();
	return found;
}

void memory_init(void)
{
	struct next_object libc;
	void *handle = NULL, *found;
	linker_init();
	if (linker_dlsym != NULL && linker_dlopen != NULL && next_library(LIBC, &libc)) {
		FUNCTIONS(TAKE)
	}
}
