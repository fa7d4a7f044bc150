/* SPDX-License-Identifier: MIT */
#include "collector/drain/secret.h"

#include <string.h>
#include <strings.h>

#define MASK "***"

/* Longer than any word below, with room for the separators in it. */
#define NAME_LIMIT 96u

/* Of the shortest token that is known by its beginning. */
#define TOKEN_BYTES 16u

/* A piece of the arguments. */
struct piece {
	const char *at, *end;
};

struct line {
	char *at, *end;
};

static void put(struct line *line, const char *text, size_t length)
{
	size_t room = (size_t)(line->end - line->at);
	if (length > room)
		length = room;
	memcpy(line->at, text, length);
	line->at += length;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_of_name(char c)
{
	return is_letter(c) || c == '_' || c == '-' || c == '.';
}

static bool ends_in(const char *name, size_t length, const char *word)
{
	size_t bytes = strlen(word);
	return length >= bytes && memcmp(name + length - bytes, word, bytes) == 0;
}

/* The last word of a name is one of those that are too short to be looked for inside of words. */
static bool is_short_word(struct piece name)
{
	static const char *const words[] = {"auth", "pass", "pwd", "pw", "sas", "dsn", "pin"};
	const char *at = name.end;
	while (at > name.at && is_letter(at[-1]))
		at--;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if ((size_t)(name.end - at) == strlen(words[i]) &&
			strncasecmp(at, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

/* The value of a name like this one is nobody else's business. */
static bool is_secret_name(struct piece name)
{
	static const char *const inside[] = {"password", "passwd", "passphrase", "secret",
		"credential", "authorization", "bearer", "cookie"};
	static const char *const last[] = {"token", "jwt", "apikey", "accesskey", "privatekey",
		"authkey", "accountkey", "sharedkey", "signingkey", "encryptionkey", "licensekey"};
	char plain[NAME_LIMIT];
	size_t length = 0;
	/* The end of a name says what it is: of a longer one the beginning is left out. */
	if (name.end - name.at > (ptrdiff_t)sizeof(plain) - 1)
		name.at = name.end - (sizeof(plain) - 1);
	for (const char *at = name.at; at < name.end; at++)
		if (is_letter(*at))
			plain[length++] = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
	plain[length] = '\0';
	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
		if (strstr(plain, inside[i]) != NULL)
			return true;
	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
		if (ends_in(plain, length, last[i]))
			return true;
	return is_short_word(name);
}

/* The name that ends before at, with quotes, brackets and blanks between them ("token"] = X). */
static struct piece name_before(const char *begin, const char *at)
{
	while (at > begin && strchr("\"'])} \t\\", at[-1]) != NULL)
		at--;
	struct piece name = {.at = at, .end = at};
	while (name.at > begin && is_of_name(name.at[-1]))
		name.at--;
	return name;
}

/* Tokens of well-known services, wherever they stand: their beginning, then letters. */
static bool is_known_token(struct piece rest, bool is_cut)
{
	static const char *const prefixes[] = {"hf_", "ghp_", "gho_", "ghu_", "ghs_", "github_pat_",
		"glpat-", "sk-", "xoxb-", "xoxp-", "AKIA", "ASIA", "eyJ", "nvapi-", "AIza",
		"pypi-"};
	size_t bytes = (size_t)(rest.end - rest.at);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t length = strlen(prefixes[i]);
		if (bytes < length || memcmp(rest.at, prefixes[i], length) != 0)
			continue;
		while (length < bytes && is_of_name(rest.at[length]))
			length++;
		if (length >= TOKEN_BYTES || (is_cut && length == bytes))
			return true;
	}
	return false;
}

static bool is_port(const char *at, const char *end)
{
	const char *from = at;
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at > from && (at == end || strchr("/?#", *at) != NULL);
}

/*
 * Where the host of a URL begins if user or password stand before it, else NULL; rest is what
 * follows "://". A password may have a slash in it that should have been escaped.
 */
static const char *host_of(struct piece rest, bool is_cut)
{
	const char *colon = NULL, *slash = NULL, *host = NULL;
	for (const char *at = rest.at; at < rest.end && strchr(" \t\"'", *at) == NULL; at++) {
		if (*at == '@')
			host = slash == NULL || colon != NULL ? at : host;
		else if (*at == ':' && slash == NULL && !is_port(at + 1, rest.end))
			colon = at;
		else if (strchr("/?#", *at) != NULL && slash == NULL)
			slash = at;
	}
	if (host == NULL && is_cut && slash == NULL)
		return rest.end;
	return host;
}

static void put_argument(struct line *line, struct piece argument, bool is_cut)
{
	const char *plain = argument.at;
	for (const char *at = argument.at; at < argument.end; at++) {
		struct piece rest = {at, argument.end};
		bool at_word = at == argument.at || !is_of_name(at[-1]);
		if (at_word && is_known_token(rest, is_cut)) {
			put(line, plain, (size_t)(at - plain));
			put(line, MASK, strlen(MASK));
			return;
		}
		if (rest.end - at > 3 && memcmp(at, "://", 3) == 0) {
			rest.at += 3;
			const char *host = host_of(rest, is_cut);
			if (host != NULL) {
				put(line, plain, (size_t)(rest.at - plain));
				put(line, MASK, strlen(MASK));
				plain = at = host;
			}
			continue;
		}
		if ((*at == '=' || *at == ':') && at + 1 < argument.end &&
			is_secret_name(name_before(argument.at, at))) {
			put(line, plain, (size_t)(at + 1 - plain));
			put(line, MASK, strlen(MASK));
			return;
		}
	}
	put(line, plain, (size_t)(argument.end - plain));
}

/* An option whose value is the next argument. */
static bool announces_secret(struct piece argument)
{
	if (argument.end - argument.at < 3 || argument.at[0] != '-')
		return false;
	return memchr(argument.at, '=', (size_t)(argument.end - argument.at)) == NULL &&
	       is_secret_name(argument);
}

void secret_mask(const char *arguments, size_t length, bool is_cut, char *ret_text, size_t size)
{
	struct line line = {.at = ret_text, .end = ret_text + size - 1};
	const char *end = arguments + length;
	bool announced = false;
	for (const char *at = arguments; at < end;) {
		struct piece argument = {.at = at, .end = at + strnlen(at, (size_t)(end - at))};
		if (at > arguments)
			put(&line, " ", 1);
		if (announced && *at != '-')
			put(&line, MASK, strlen(MASK));
		else
			put_argument(&line, argument, is_cut && argument.end == end);
		announced = announces_secret(argument);
		at = argument.end + 1;
	}
	*line.at = '\0';
}
