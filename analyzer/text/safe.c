/* SPDX-License-Identifier: MIT */
#include "analyzer/text/safe.h"

#define REPLACEMENT "\xef\xbf\xbd"

/*
 * The next character: its bytes, and what stands for them if it is control or broken. Returns what
 * to write; *text moves on.
 */
static const char *next_character(const char **text, const char *control, size_t *ret_length)
{
	const char *at = *text;
	size_t length = out_utf8_length(at), acting = out_control(at);
	*text += acting > 0 ? acting : length > 0 ? length : 1;
	const char *stands = acting > 0 ? control : length > 0 ? at : REPLACEMENT;
	*ret_length = stands == at ? length : strlen(stands);
	return stands;
}

static bool is_plain_cell(const char *text)
{
	bool plain = strpbrk(text, ",\"'\r\n") == NULL;
	for (; *text != '\0' && plain; text++)
		plain = out_utf8_length(text) == 1 && out_control(text) == 0;
	return plain;
}

void safe_csv(struct out *out, const char *text)
{
	bool computed = text[0] != '\0' && strchr("=+-@", text[0]) != NULL;
	if (!computed && is_plain_cell(text)) {
		out_text(out, text);
		return;
	}
	out_text(out, computed ? "\"'" : "\"");
	while (*text != '\0') {
		size_t length;
		const char *bytes = next_character(&text, " ", &length);
		out_bytes(out, bytes, length);
		if (*bytes == '"')
			out_char(out, '"');
	}
	out_char(out, '"');
}

void safe_markdown(struct out *out, const char *text)
{
	while (*text != '\0') {
		size_t length;
		const char *bytes = next_character(&text, " ", &length);
		if (strchr("|\\`*_<>[]&~$#!", *bytes) != NULL)
			out_char(out, '\\');
		out_bytes(out, bytes, length);
	}
}

void safe_xml(struct out *out, const char *text)
{
	while (*text != '\0') {
		size_t length;
		/* XML has no character U+FFFE or U+FFFF */
		bool none = strncmp(text, "\xef\xbf\xbe", 3) == 0 ||
			    strncmp(text, "\xef\xbf\xbf", 3) == 0;
		const char *bytes = next_character(&text, "?", &length);
		if (none)
			out_char(out, '?');
		else if (strchr("<>&\"'", *bytes) != NULL)
			out_format(out, "&#%d;", *bytes);
		else
			out_bytes(out, bytes, length);
	}
}

void safe_frame(struct out *out, const char *text)
{
	while (*text != '\0') {
		size_t length;
		const char *bytes = next_character(&text, " ", &length);
		if (*bytes == ';')
			out_char(out, ':');
		else
			out_bytes(out, bytes, length);
	}
}

size_t safe_utf8(const char *text, char *ret_copy, size_t size)
{
	size_t used = 0;
	while (*text != '\0') {
		size_t length = out_utf8_length(text);
		const char *bytes = length > 0 ? text : REPLACEMENT;
		size_t taken = length > 0 ? length : strlen(REPLACEMENT);
		if (used + taken >= size)
			break;
		memcpy(ret_copy + used, bytes, taken);
		used += taken;
		text += length > 0 ? length : 1;
	}
	ret_copy[used] = '\0';
	return used;
}
