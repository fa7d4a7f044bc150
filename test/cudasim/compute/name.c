/* SPDX-License-Identifier: MIT */
#include "name.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_fn(const char *mangled, char *buffer, size_t *length, int *ret_status);

static demangle_fn *demangler;
static pthread_once_t demangler_once = PTHREAD_ONCE_INIT;

static const char *const noise[] = {
	"at::native::",
	"(anonymous namespace)::",
	"c10::",
	"binary_internal::",
	"::operator()() const",
	"::operator()(at::TensorIterator&)",
	"at::",
	"at_cuda_detail::",
	"cub::",
	"detail::",
};

static void find_demangler(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

	if (library)
		demangler = (demangle_fn *)dlsym(library, "__cxa_demangle");
}

/* Length of the noise word at text, 0 if there is none. Words must not be tails of others. */
static size_t noise_length(const char *text, const char *start)
{
	if (text > start && (text[-1] == '_' || (text[-1] >= 'a' && text[-1] <= 'z')))
		return 0;
	if (!strncmp(text, "_INTERNAL_", 10) && strstr(text, "::"))
		return (size_t)(strstr(text, "::") + 2 - text); /* a unit's own namespace */
	for (size_t i = 0; i < sizeof(noise) / sizeof(*noise); i++) {
		size_t length = strlen(noise[i]);

		if (!strncmp(text, noise[i], length))
			return length;
	}
	return 0;
}

char *name_simplify(const char *mangled)
{
	int status;
	char *name, *to;

	pthread_once(&demangler_once, find_demangler);
	if (!demangler)
		return NULL;
	name = demangler(mangled, NULL, NULL, &status);
	if (!name)
		return strdup(mangled);
	to = name;
	for (const char *from = name; *from;) {
		size_t skip = noise_length(from, name);

		if (skip)
			from += skip;
		else
			*to++ = *from++;
	}
	*to = '\0';
	return name;
}

int name_argument(const char *text, int index, char *ret_argument, size_t size)
{
	const char *at = strchr(text, '<'), *begin;
	int depth = 0;

	if (!at)
		return 0;
	for (begin = ++at; *at; at++) {
		if (strchr("<({[", *at))
			depth++;
		else if (depth && strchr(">)}]", *at))
			depth--;
		else if (!depth && (*at == ',' || *at == '>') && index-- == 0)
			break;
		else if (!depth && *at == ',')
			begin = at + 2; /* ", " */
		else if (!depth && *at == '>')
			return 0;
	}
	if (!*at || (size_t)(at - begin) >= size)
		return 0;
	memcpy(ret_argument, begin, (size_t)(at - begin));
	ret_argument[at - begin] = '\0';
	return 1;
}

enum type name_type(const char *text, int index)
{
	char argument[256];

	if (!name_argument(text, index, argument, sizeof(argument)))
		return TYPE_NONE;
	return type_parse(argument);
}

int name_lambda_types(const char *text, enum type *ret_types, int limit)
{
	const char *lambda = NULL, *at = text;
	int count = 0;

	while ((at = strstr(at, "{lambda(")))
		lambda = at++;
	if (!lambda)
		return 0;
	for (at = lambda + strlen("{lambda("); *at != ')' && count < limit; count++) {
		ret_types[count] = type_parse(at);
		if (ret_types[count] == TYPE_NONE)
			return 0;
		at += strcspn(at, ",)");
		if (*at == ',')
			at += 2;
	}
	return count;
}

static char letter_of(const char *begin, const char *end)
{
	char text[64];
	size_t length = (size_t)(end - begin);

	if (end[-1] == '*')
		return 'p';
	if (length >= sizeof(text))
		return '#';
	memcpy(text, begin, length);
	memcpy(text + length, ",", 2); /* as in a list of types */
	switch (type_size(type_parse(text))) {
	case 1:
		return 'b';
	case 2:
		return 'h';
	case 4:
		return 'i';
	case 8:
		return 'p';
	default:
		return '#';
	}
}

int name_signature(const char *name, char *ret_letters, size_t size)
{
	const char *end = strrchr(name, ')'), *begin = end, *at;
	int depth = 0;
	size_t count = 0;

	if (!end)
		return -1;
	for (; begin > name; begin--) { /* back to the parenthesis that opens the list */
		depth += strchr(")>}]", *begin) != NULL;
		depth -= strchr("(<{[", *begin) != NULL;
		if (!depth)
			break;
	}
	for (at = ++begin; at <= end && begin < end; at++) {
		if (at < end && strchr("(<{[", *at))
			depth++;
		else if (at < end && strchr(")>}]", *at))
			depth--;
		if (at < end && (depth || *at != ','))
			continue;
		if (count + 1 >= size)
			return -1;
		ret_letters[count++] = letter_of(begin, at);
		begin = at + 2;
	}
	ret_letters[count] = '\0';
	return (int)count;
}
