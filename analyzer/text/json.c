/* SPDX-License-Identifier: MIT */
#include "analyzer/text/json.h"

#include <math.h>

void json_init(struct json *json, struct out *out, bool indented)
{
	*json = (struct json){.out = out, .indented = indented};
}

void json_finish(struct json *json)
{
	out_char(json->out, '\n');
	json->filled = 0;
	json->after_key = false;
}

static void break_line(struct json *json)
{
	if (!json->indented)
		return;
	out_char(json->out, '\n');
	for (unsigned i = 0; i < json->depth; i++)
		out_text(json->out, "  ");
}

/* What has to stand before the next key, or before a value that has none. */
static void separate(struct json *json)
{
	if (json->after_key) {
		json->after_key = false;
		return;
	}
	uint64_t bit = 1ull << json->depth;
	if (json->depth > 0) {
		if (json->filled & bit)
			out_char(json->out, ',');
		if ((json->filled & bit) && !json->indented && !json->dense)
			out_char(json->out, ' ');
		break_line(json);
	}
	json->filled |= bit;
}

static void open_level(struct json *json, char bracket)
{
	separate(json);
	out_char(json->out, bracket);
	if (json->depth < JSON_DEPTH_LIMIT)
		json->depth++;
	json->filled &= ~(1ull << json->depth);
}

static void close_level(struct json *json, char bracket)
{
	bool filled = json->filled >> json->depth & 1;
	if (json->depth > 0)
		json->depth--;
	if (filled)
		break_line(json);
	out_char(json->out, bracket);
}

void json_object(struct json *json)
{
	open_level(json, '{');
}

void json_object_end(struct json *json)
{
	close_level(json, '}');
}

void json_array(struct json *json)
{
	open_level(json, '[');
}

void json_array_end(struct json *json)
{
	close_level(json, ']');
}

void json_key(struct json *json, const char *key)
{
	separate(json);
	json_quote(json->out, key);
	out_text(json->out, json->dense ? ":" : ": ");
	json->after_key = true;
}

static void put_code(struct out *out, unsigned code)
{
	static const char digits[] = "0123456789abcdef";
	out_text(out, "\\u");
	for (int shift = 12; shift >= 0; shift -= 4)
		out_char(out, digits[code >> shift & 15]);
}

/* The two or three bytes of a character that a terminal would act on. */
static void put_wide_escape(struct out *out, const char *text, size_t length)
{
	const unsigned char *byte = (const unsigned char *)text;
	put_code(out, length == 2 ? (byte[0] & 31u) << 6 | (byte[1] & 63u)
				  : (byte[0] & 15u) << 12 | (byte[1] & 63u) << 6 | (byte[2] & 63u));
}

static void put_escape(struct out *out, unsigned char byte)
{
	static const char named[] = "\b\t\n\f\r\"\\";
	static const char letters[] = "btnfr\"\\";
	const char *found = byte == 0 ? NULL : strchr(named, byte);
	if (found != NULL) {
		out_char(out, '\\');
		out_char(out, letters[found - named]);
	} else {
		put_code(out, byte);
	}
}

/* What stands for itself, whatever is behind it. */
static inline bool is_plain(char c)
{
	static const bool plain[256] = {[' '] = true,
		['!'] = true,
		['#' ... ';'] = true,
		['=' ... '['] = true,
		[']' ... '~'] = true};
	return plain[(unsigned char)c];
}

void json_quote(struct out *out, const char *text)
{
	out_char(out, '"');
	const char *plain = text;
	const char *at = text;
	for (;;) {
		while (is_plain(*at))
			at++;
		if (*at == '\0')
			break;
		unsigned char byte = (unsigned char)*at;
		size_t length = out_utf8_length(at);
		bool escaped = byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\';
		bool closing = byte == '<' && at[1] == '/';
		bool acting = length > 1 && out_control(at) != 0;
		if (length != 0 && !escaped && !closing && !acting) {
			at += length;
			continue;
		}
		out_bytes(out, plain, (size_t)(at - plain));
		if (acting)
			put_wide_escape(out, at, length);
		else if (closing)
			out_text(out, "<\\");
		else if (escaped)
			put_escape(out, byte);
		else
			out_text(out, "\xef\xbf\xbd");
		at += acting ? length : 1;
		plain = at;
	}
	out_bytes(out, plain, (size_t)(at - plain));
	out_char(out, '"');
}

void json_text(struct json *json, const char *text)
{
	separate(json);
	if (text == NULL)
		out_text(json->out, "null");
	else
		json_quote(json->out, text);
}

void json_verbatim(struct json *json, const char *bytes, size_t size)
{
	separate(json);
	out_bytes(json->out, bytes, size);
}

void json_u64(struct json *json, uint64_t value)
{
	separate(json);
	out_u64(json->out, value);
}

void json_i64(struct json *json, int64_t value)
{
	separate(json);
	out_i64(json->out, value);
}

void json_bool(struct json *json, bool value)
{
	separate(json);
	out_text(json->out, value ? "true" : "false");
}

void json_null(struct json *json)
{
	separate(json);
	out_text(json->out, "null");
}

void json_tenths(struct json *json, double value)
{
	separate(json);
	double tenths = round(fabs(value) * 10);
	if (!(tenths < 1e18)) {
		out_text(json->out, "null");
		return;
	}
	if (value < 0 && tenths > 0)
		out_char(json->out, '-');
	out_decimal(json->out, (uint64_t)tenths, 1);
}

void json_decimal(struct json *json, uint64_t value, unsigned digits)
{
	separate(json);
	out_decimal(json->out, value, digits);
}

void json_add_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	json_text(json, text);
}

void json_add_u64(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_u64(json, value);
}

void json_add_i64(struct json *json, const char *key, int64_t value)
{
	json_key(json, key);
	json_i64(json, value);
}

void json_add_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	json_bool(json, value);
}

void json_add_null(struct json *json, const char *key)
{
	json_key(json, key);
	json_null(json);
}

void json_add_tenths(struct json *json, const char *key, double value)
{
	json_key(json, key);
	json_tenths(json, value);
}

void json_add_object(struct json *json, const char *key)
{
	json_key(json, key);
	json_object(json);
}

void json_add_array(struct json *json, const char *key)
{
	json_key(json, key);
	json_array(json);
}
