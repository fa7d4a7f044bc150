/* SPDX-License-Identifier: MIT */
#include "preload/python/line.h"

#include <string.h>

#define INDUCTOR_NAME 55u /* c, 51 letters of base 32, .py */

/* Pairs (bytes of code, signed lines); a line holds from its pair on. */
static int line_of_lnotab(const struct python_lines *lines, int offset)
{
	int line = lines->first;
	int address = 0;
	for (size_t i = 0; i + 1 < lines->size; i += 2) {
		address += lines->table[i];
		if (address > offset)
			break;
		line += (int8_t)lines->table[i + 1];
	}
	return line;
}

/* Pairs (bytes of code, signed lines) where the change holds for those bytes; -128 is "no line". */
static int line_of_linetable(const struct python_lines *lines, int offset)
{
	int line = lines->first;
	int end = 0;
	for (size_t i = 0; i + 1 < lines->size; i += 2) {
		int8_t change = (int8_t)lines->table[i + 1];
		end += lines->table[i];
		if (change != -128)
			line += change;
		if (offset < end)
			return change == -128 ? -1 : line;
	}
	return -1;
}

/* Six bits per byte, low ones first, bit 6 continues; then the lowest bit is the sign. */
static int read_signed(const uint8_t *at, const uint8_t *end)
{
	unsigned value = 0;
	unsigned shift = 0;
	while (at < end && shift < 30) {
		value |= (*at & 63u) << shift;
		shift += 6;
		if ((*at++ & 64) == 0)
			break;
	}
	return (value & 1) != 0 ? -(int)(value >> 1) : (int)(value >> 1);
}

enum location {
	LOCATION_ONE_LINE_0 = 10, /* 10, 11, 12: the change of line is the code minus 10 */
	LOCATION_NO_COLUMNS = 13,
	LOCATION_LONG = 14,
	LOCATION_NONE = 15,
};

static int line_of_locations(const struct python_lines *lines, int offset)
{
	const uint8_t *at = lines->table;
	const uint8_t *end = lines->table + lines->size;
	unsigned line =
		(unsigned)lines->first; /* wraps: a table that is none adds up to anything */
	int covered = 0;
	while (at < end) {
		unsigned code = *at >> 3 & 15;
		covered += ((*at & 7) + 1) * 2;
		at++;
		if (code == LOCATION_NO_COLUMNS || code == LOCATION_LONG)
			line += (unsigned)read_signed(at, end);
		else if (code >= LOCATION_ONE_LINE_0 && code < LOCATION_NO_COLUMNS)
			line += code - LOCATION_ONE_LINE_0;
		if (offset < covered)
			return code == LOCATION_NONE ? -1 : (int)line;
		while (at < end && (*at & 0x80) == 0)
			at++;
	}
	return -1;
}

int python_line(const struct python_lines *lines, int offset)
{
	if (offset < 0)
		offset = 0;
	if (lines->kind == PYTHON_LNOTAB)
		return line_of_lnotab(lines, offset);
	if (lines->kind == PYTHON_LINETABLE)
		return line_of_linetable(lines, offset);
	return line_of_locations(lines, offset);
}

static size_t encode(uint32_t c, char out[4])
{
	if ((c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		c = 0xfffd;
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = length - 1; i > 0; i--, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(0xf00 >> length | c);
	return length;
}

static uint32_t character(const char *data, unsigned width, size_t i)
{
	if (width == 1)
		return ((const uint8_t *)data)[i];
	if (width == 2)
		return ((const uint16_t *)(const void *)data)[i];
	return ((const uint32_t *)(const void *)data)[i];
}

/* How the characters of a str lie; false for what is no compact str. */
static bool text_form(const struct python_layout *layout, const char *base, size_t *ret_length,
	unsigned *ret_width, size_t *ret_at)
{
	int64_t length;
	uint32_t state;
	memcpy(&length, base + layout->text_length, sizeof(length));
	memcpy(&state, base + layout->text_state, sizeof(state));
	state >>= 2;
	/* "interned" is two bits wide, in some releases of 3.14 sixteen. */
	if ((state & 0x3fff) == 0)
		state >>= 14;
	unsigned width = state & 7;
	bool compact = (state >> 3 & 1) != 0, ascii = (state >> 4 & 1) != 0;
	if (!compact || (width != 1 && width != 2 && width != 4) || length < 0)
		return false;
	*ret_length = (size_t)length;
	*ret_width = width;
	*ret_at = ascii ? layout->text_ascii : layout->text_compact;
	return true;
}

size_t python_text_bytes(const struct python_layout *layout, const void *header)
{
	size_t length, at;
	unsigned width;
	if (!text_form(layout, header, &length, &width, &at) || length > SIZE_MAX / 8)
		return 0;
	return at + length * width;
}

size_t python_text(const struct python_layout *layout, const void *object, char *text, size_t size)
{
	const char *base = object;
	size_t length, at, used = 0;
	unsigned width;
	if (base == NULL || !text_form(layout, base, &length, &width, &at))
		return 0;
	const char *data = base + at;
	if (at == layout->text_ascii && width == 1) {
		used = length < size ? length : size;
		memcpy(text, data, used);
		return used;
	}
	for (size_t i = 0; i < length; i++) {
		char bytes[4];
		size_t more = encode(character(data, width, i), bytes);
		if (used + more > size)
			break;
		memcpy(text + used, bytes, more);
		used += more;
	}
	return used;
}

static bool holds(const char *file, size_t length, const char *part)
{
	return memmem(file, length, part, strlen(part)) != NULL;
}

/* ".../lib/python3.11/...", also lib64 and a zipped library, python311.zip. */
static bool is_standard(const char *file, size_t length)
{
	static const char mark[] = "/python3";
	const char *end = file + length;
	const char *at = file;
	while ((at = memmem(at, (size_t)(end - at), mark, sizeof(mark) - 1)) != NULL) {
		bool in_lib = (at - file >= 3 && memcmp(at - 3, "lib", 3) == 0) ||
			      (at - file >= 5 && memcmp(at - 5, "lib64", 5) == 0);
		at += sizeof(mark) - 1;
		const char *rest = at;
		while (rest < end && (*rest == '.' || (*rest >= '0' && *rest <= '9')))
			rest++;
		if (in_lib && rest < end && (*rest == '/' || *rest == 'z') && rest > at)
			return true;
	}
	return false;
}

static bool is_installed(const char *file, size_t length)
{
	static const char marks[] = "/libtrace.py"; /* the module of this library */
	size_t tail = sizeof(marks) - 1;
	return holds(file, length, "/site-packages/") || holds(file, length, "/dist-packages/") ||
	       (length >= tail && memcmp(file + length - tail, marks, tail) == 0);
}

/*
 * What torch.compile writes: "/tmp/torchinductor_user/ab/cab....py", in a folder of any name when
 * that was set, after the hash of its content. What PyTorch Geometric does, in a folder for
 * temporary files: "/tmp/torch_geometric.nn.conv.gcn_conv_GCNConv_propagate_x1y2z3.py".
 */
static bool is_generated(const char *file, size_t length)
{
	const char *name = file + length - INDUCTOR_NAME;
	if (holds(file, length, "/torchinductor_") || holds(file, length, "/.triton/cache/") ||
		holds(file, length, "/torch_geometric."))
		return true;
	if (length <= INDUCTOR_NAME + 3 || name[0] != 'c' || memcmp(name + 52, ".py", 3) != 0)
		return false;
	for (size_t i = 1; i < 52; i++)
		if ((name[i] < 'a' || name[i] > 'z') && (name[i] < '2' || name[i] > '7'))
			return false;
	return name[-1] == '/' && name[-2] == name[2] && name[-3] == name[1];
}

bool python_is_user(const char *file, size_t length, const char *function, size_t function_length)
{
	static const char string[] = "<string>", module[] = "<module>";
	static const char stdin_file[] = "<stdin>", notebook[] = "<ipython-input";
	if (length == 0)
		return false;
	if (file[0] == '<') {
		if (length == sizeof(string) - 1 && memcmp(file, string, length) == 0)
			return function_length == sizeof(module) - 1 &&
			       memcmp(function, module, function_length) == 0;
		return (length >= sizeof(stdin_file) - 1 &&
			       memcmp(file, stdin_file, sizeof(stdin_file) - 1) == 0) ||
		       (length >= sizeof(notebook) - 1 &&
			       memcmp(file, notebook, sizeof(notebook) - 1) == 0);
	}
	return !is_installed(file, length) && !is_standard(file, length) &&
	       !is_generated(file, length);
}

bool python_is_core(const char *file, size_t length)
{
	if (length == 0 || file[0] == '<' || is_generated(file, length))
		return true;
	if (!is_installed(file, length))
		return is_standard(file, length);
	return holds(file, length, "-packages/torch/");
}
