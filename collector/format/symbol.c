/* SPDX-License-Identifier: MIT */
#include "collector/format/symbol.h"

#include <string.h>

#define QUALIFIED_SIZE 1024u

/* A place in a mangled name, and the name that is put together. */
struct parse {
	const char *at;
	char *text;
	size_t length, size;
	size_t last; /* where the last component begins */
};

bool symbol_fits(const char *pattern, size_t length, const char *text)
{
	const char *end = pattern + length, *star = NULL, *from = NULL;
	while (*text != '\0') {
		if (pattern < end && *pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (pattern < end && (*pattern == '?' || *pattern == *text)) {
			pattern++;
			text++;
		} else if (star != NULL) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

bool symbol_fits_library(const char *pattern, size_t length, const char *file)
{
	if (symbol_fits(pattern, length, file))
		return true;
	const char *suffix = strstr(file, ".so");
	size_t stem = suffix == NULL ? 0 : (size_t)(suffix - file);
	char name[256];
	if (suffix == NULL || stem >= sizeof(name) || (suffix[3] != '\0' && suffix[3] != '.'))
		return false;
	memcpy(name, file, stem);
	name[stem] = '\0';
	return symbol_fits(pattern, length, name);
}

static void append(struct parse *parse, const char *text, size_t length)
{
	for (size_t i = 0; i < length && parse->length + 1 < parse->size; i++)
		parse->text[parse->length++] = text[i];
}

static void begin_component(struct parse *parse)
{
	if (parse->length > 0)
		append(parse, "::", 2);
	parse->last = parse->length;
}

/* <number><that many bytes> */
static bool take_source_name(struct parse *parse, bool keep)
{
	size_t length = 0;
	if (*parse->at < '1' || *parse->at > '9')
		return false;
	while (*parse->at >= '0' && *parse->at <= '9' && length < QUALIFIED_SIZE)
		length = 10 * length + (size_t)(*parse->at++ - '0');
	if (strnlen(parse->at, length) < length)
		return false;
	if (keep) {
		begin_component(parse);
		append(parse, parse->at, length);
	}
	parse->at += length;
	return true;
}

/* S_, S0_, T_, T1_ ...: up to the underscore. */
static bool skip_reference(struct parse *parse)
{
	do
		parse->at++;
	while ((*parse->at >= '0' && *parse->at <= '9') ||
		(*parse->at >= 'A' && *parse->at <= 'Z'));
	return *parse->at++ == '_';
}

/* From behind the I of template arguments to behind their E. */
static bool skip_arguments(struct parse *parse)
{
	for (unsigned depth = 1; depth > 0;) {
		char letter = *parse->at;
		bool is_substitution = letter == 'S' && (parse->at[1] < 'a' || parse->at[1] > 'z');
		if (letter == '\0')
			return false;
		if (letter >= '1' && letter <= '9') {
			if (!take_source_name(parse, false))
				return false;
			continue;
		}
		if (is_substitution || letter == 'T') {
			if (!skip_reference(parse))
				return false;
			continue;
		}
		if (letter == 'L') /* a literal: digits in it are its value */
			return false;
		if (letter == 'E')
			depth--;
		else if (strchr("NIXJF", letter) != NULL)
			depth++;
		parse->at += letter == 'S' || letter == 'D' ? 2 : 1;
	}
	return true;
}

/* C1, D0 ...: named as the class before it. */
static bool take_special(struct parse *parse)
{
	bool destructor = *parse->at == 'D';
	char name[128];
	size_t length = parse->length - parse->last;
	if (parse->at[1] < '0' || parse->at[1] > '5' || length == 0 || length > sizeof(name))
		return false;
	memcpy(name, parse->text + parse->last, length);
	begin_component(parse);
	append(parse, "~", destructor);
	append(parse, name, length);
	parse->at += 2;
	return true;
}

static bool take_component(struct parse *parse)
{
	if (parse->at[0] == 'S' && parse->at[1] == 't') {
		begin_component(parse);
		append(parse, "std", 3);
		parse->at += 2;
		return true;
	}
	if (*parse->at == 'I') {
		parse->at++;
		return skip_arguments(parse);
	}
	if (*parse->at == 'C' || *parse->at == 'D')
		return take_special(parse);
	parse->at += *parse->at == 'L'; /* internal linkage */
	return take_source_name(parse, true);
}

bool symbol_qualified(const char *mangled, char *ret_name, size_t size)
{
	struct parse parse = {.text = ret_name, .size = size};
	if (size == 0 || strncmp(mangled, "_Z", 2) != 0)
		return false;
	parse.at = mangled + 2;
	if (*parse.at != 'N') {
		bool is_std = strncmp(parse.at, "St", 2) == 0;
		if ((is_std && !take_component(&parse)) || !take_component(&parse))
			return false;
	} else {
		for (parse.at++; *parse.at != '\0' && strchr("rVKRO", *parse.at) != NULL;)
			parse.at++;
		while (*parse.at != 'E')
			if (!take_component(&parse))
				return false;
	}
	ret_name[parse.length] = '\0';
	return parse.length > 0;
}

bool symbol_fits_function(const char *pattern, size_t length, const char *mangled)
{
	char name[QUALIFIED_SIZE];
	return symbol_fits(pattern, length, mangled) ||
	       (symbol_qualified(mangled, name, sizeof(name)) &&
		       symbol_fits(pattern, length, name));
}

static bool begins_with_any(const char *text, const char *const *beginnings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

/* An argument of 32 or 64 bytes in a register: Dv8_f, Dv16_i ... */
static bool takes_vectors(const char *mangled)
{
	for (const char *at = strstr(mangled, "Dv"); at != NULL; at = strstr(at + 2, "Dv"))
		if (at[2] >= '0' && at[2] <= '9')
			return strncmp(mangled, "_Z", 2) == 0;
	if (strncmp(mangled, "Sleef_", 6) == 0)
		return true;
	return strncmp(mangled, "_ZGV", 4) == 0 && mangled[4] >= 'a' && mangled[4] <= 'e';
}

const char *symbol_refused(const char *file, const char *mangled)
{
	static const char *const own[] = {"ld-linux", "ld.so", "libc.so", "libc-", "libpthread",
		"libdl", "libgcc_s", "linux-vdso", "linux-gate", "libtrace.so"};
	static const char *const twice[] = {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp",
		"vfork", "getcontext", "swapcontext", "longjmp", "_longjmp", "siglongjmp"};
	static const char *const unwinding[] = {"_Unwind_", "__cxa_", "__gxx_personality",
		"__gcc_personality", "__tls_get_addr", "__asan_", "__tsan_", "__ubsan_"};
	if (begins_with_any(file, own, sizeof(own) / sizeof(own[0])))
		return "tracing stands on this library";
	for (unsigned i = 0; i < sizeof(twice) / sizeof(twice[0]); i++)
		if (strcmp(mangled, twice[i]) == 0)
			return "it does not return once";
	if (begins_with_any(mangled, unwinding, sizeof(unwinding) / sizeof(unwinding[0])))
		return "exceptions and sanitizers stand on it";
	return takes_vectors(mangled) ? "it takes vectors in registers" : NULL;
}
