/* SPDX-License-Identifier: MIT */
#include "analyzer/text/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/memory/memory.h"

#define STATUS_NO_MEMORY (-1) /* of the demangler, which returns NULL then */

typedef char *(*demangler)(const char *mangled, char *buffer, size_t *length, int *status);

enum demangle_how demangle_from_name(const char *word)
{
	if (strcmp(word, "full") == 0)
		return DEMANGLE_FULL;
	return strcmp(word, "mangled") == 0 ? DEMANGLE_NOT : DEMANGLE_SHORT;
}

static demangler find_demangler(void)
{
	static demangler found;
	static bool looked;
	if (!looked) {
		errno = 0;
		void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
		if (library == NULL && errno == ENOMEM)
			memory_note();
		if (library != NULL)
			found = (demangler)dlsym(library, "__cxa_demangle");
		looked = true;
	}
	return found;
}

char *demangle_full(const char *mangled)
{
	int status = 0;
	if (strncmp(mangled, "_Z", 2) != 0 || find_demangler() == NULL)
		return NULL;
	char *text = find_demangler()(mangled, NULL, NULL, &status);
	if (status == STATUS_NO_MEMORY)
		memory_note();
	return text;
}

/* Characters of an operator's name at text, which brackets must not be counted in; 0: none. */
static size_t operator_length(const char *text)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;
	if (strncmp(text, word, length) != 0 || isalnum((unsigned char)text[length]) ||
		text[length] == '_')
		return 0;
	if (strncmp(text + length, "()", 2) == 0)
		return length + 2;
	return length + strspn(text + length, "<>=-+*/%^&|~!,[]");
}

/* Length of "(anonymous namespace)" at text, 0: not there. */
static size_t anonymous_length(const char *text)
{
	static const char word[] = "(anonymous namespace)";
	return strncmp(text, word, sizeof(word) - 1) == 0 ? sizeof(word) - 1 : 0;
}

void demangle_shorten(char *declaration)
{
	char *out = declaration;
	int angles = 0, braces = 0;
	bool in_operator = false;
	for (const char *at = declaration; *at != '\0';) {
		bool outside = angles == 0 && braces == 0;
		bool word_begins =
			at == declaration || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
		size_t length = outside && word_begins ? operator_length(at) : 0;
		/* "operator bool": the blank behind it ends no return type */
		if (length > 0 && isalnum((unsigned char)at[length - 1]))
			in_operator = true;
		else if (length == 0 && outside)
			length = anonymous_length(at);
		if (length > 0) {
			memmove(out, at, length);
			out += length;
			at += length;
			at += at[0] == ' ' && at[1] == '<'; /* "operator< <int>" */
			continue;
		}
		if (outside && *at == '(')
			break; /* the parameters: all is there */
		braces += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
		if (braces == 0 && *at == '<')
			angles++;
		else if (braces == 0 && *at == '>' && angles > 0)
			angles--;
		else if (outside && *at == ' ' && !in_operator)
			out = declaration; /* what was there is the return type */
		else if (angles == 0)
			*out++ = *at;
		at++;
	}
	if (out > declaration)
		*out = '\0';
}

void demangle_cache_release(struct demangle_cache *cache)
{
	for (size_t i = 0; i < cache->texts.capacity; i++)
		free(cache->texts.entries[i].value);
	idmap_release(&cache->texts);
}

const char *demangle_text(struct demangle_cache *cache, const struct reader *reader, uint32_t id)
{
	const char *text = reader_text(reader, id);
	if (cache->how == DEMANGLE_NOT || text[0] != '_' || text[1] != 'Z')
		return text;
	char *shown = idmap_get(&cache->texts, id);
	if (shown != NULL)
		return shown;
	shown = demangle_full(text);
	if (shown == NULL)
		shown = strdup(text);
	else if (cache->how == DEMANGLE_SHORT)
		demangle_shorten(shown);
	if (shown == NULL || idmap_set(&cache->texts, id, shown) < 0) {
		free(shown);
		return text;
	}
	return shown;
}
