/* SPDX-License-Identifier: MIT */
#include "analyzer/text/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyzer/text/gzip.h"

const char out_digit_pairs[] = "00010203040506070809"
			       "10111213141516171819"
			       "20212223242526272829"
			       "30313233343536373839"
			       "40414243444546474849"
			       "50515253545556575859"
			       "60616263646566676869"
			       "70717273747576777879"
			       "80818283848586878889"
			       "90919293949596979899";

static const uint64_t powers_of_ten[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

static int allocate(struct out *out)
{
	*out = (struct out){.fd = -1, .capacity = OUT_BUFFER_BYTES};
	out->buffer = malloc(out->capacity);
	if (out->buffer == NULL)
		out->capacity = 0;
	return out->buffer == NULL ? -ENOMEM : 0;
}

static bool ends_in_gz(const char *path)
{
	size_t size = strlen(path);
	return size > 3 && strcmp(path + size - 3, ".gz") == 0;
}

int out_open(struct out *out, const char *path)
{
	int err = allocate(out);
	if (err < 0)
		return err;
	out->fd = STDOUT_FILENO;
	if (path == NULL || strcmp(path, "-") == 0)
		return 0;
	out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	out->own_fd = out->fd >= 0;
	out->path = path;
	err = out->fd < 0 ? -errno : 0;
	if (err == 0 && ends_in_gz(path))
		err = gzip_open(out->fd, &out->gzip);
	if (err == 0)
		return 0;
	(void)out_close(out);
	return err;
}

int out_open_memory(struct out *out)
{
	int err = allocate(out);
	out->in_memory = true;
	return err;
}

int out_close(struct out *out)
{
	if (!out->in_memory && out->fd >= 0)
		out_flush(out);
	int err = out->gzip != NULL ? gzip_close(out->gzip) : 0;
	if (out->error == 0)
		out->error = err;
	if (out->own_fd && close(out->fd) < 0 && out->error == 0)
		out->error = -errno;
	free(out->buffer);
	*out = (struct out){.fd = -1, .error = out->error};
	return out->error;
}

static void grow(struct out *out)
{
	char *larger = realloc(out->buffer, out->capacity * 2);
	if (larger == NULL) {
		out->error = -ENOMEM;
		out->used = 0;
		return;
	}
	out->buffer = larger;
	out->capacity *= 2;
}

/* Bytes written, or -errno. */
static ssize_t write_some(struct out *out, const char *bytes, size_t size)
{
	if (out->gzip != NULL)
		return gzip_write(out->gzip, bytes, size);
	ssize_t count = write(out->fd, bytes, size);
	return count < 0 ? -errno : count;
}

void out_flush(struct out *out)
{
	if (out->in_memory) {
		grow(out);
		return;
	}
	size_t done = 0;
	while (done < out->used && out->error == 0) {
		ssize_t count = write_some(out, out->buffer + done, out->used - done);
		if (count == -EINTR)
			continue;
		if (count < 0)
			out->error = (int)count;
		else
			done += (size_t)count;
	}
	out->written += done;
	out->used = 0;
}

void out_bytes(struct out *out, const char *bytes, size_t size)
{
	while (size > 0) {
		if (out->used == out->capacity)
			out_flush(out);
		size_t part = out->capacity - out->used;
		if (part > size)
			part = size;
		if (part == 0)
			return;
		memcpy(out->buffer + out->used, bytes, part);
		out->used += part;
		bytes += part;
		size -= part;
	}
}

void out_text(struct out *out, const char *text)
{
	if (text != NULL)
		out_bytes(out, text, strlen(text));
}

void out_char(struct out *out, char c)
{
	char *cursor = out_room(out, 1);
	*cursor = c;
	out_advance(out, cursor + 1);
}

static inline char *put_pair(char *cursor, uint32_t value)
{
	return out_put_bytes(cursor, out_digit_pairs + 2 * value, 2);
}

/* Below 100, as long as it is. */
static inline char *put_short(char *cursor, uint32_t value)
{
	if (value >= 10)
		return put_pair(cursor, value);
	*cursor = (char)('0' + value);
	return cursor + 1;
}

/* Below 10000, four digits. */
static inline char *put_four(char *cursor, uint32_t value)
{
	return put_pair(put_pair(cursor, value / 100), value % 100);
}

/* Below 10^8, as long as it is. */
static inline char *put_u32(char *cursor, uint32_t value)
{
	if (value >= 1000000)
		return put_four(put_pair(put_short(cursor, value / 1000000), value / 10000 % 100),
			value % 10000);
	if (value >= 10000)
		return put_four(put_short(cursor, value / 10000), value % 10000);
	return value >= 100 ? put_pair(put_short(cursor, value / 100), value % 100)
			    : put_short(cursor, value);
}

char *out_put_u64(char *cursor, uint64_t value)
{
	const uint32_t part = 100000000;
	if (value < part)
		return put_u32(cursor, (uint32_t)value);
	uint32_t rest = (uint32_t)(value % part);
	value /= part;
	cursor = value < part ? put_u32(cursor, (uint32_t)value) : out_put_u64(cursor, value);
	return put_four(put_four(cursor, rest / 10000), rest % 10000);
}

char *out_put_decimal(char *cursor, uint64_t value, unsigned digits)
{
	cursor = out_put_u64(cursor, value / powers_of_ten[digits]);
	if (digits == 0)
		return cursor;
	uint64_t rest = value % powers_of_ten[digits];
	*cursor = '.';
	for (unsigned at = digits; at > 0; at--) {
		cursor[at] = (char)('0' + rest % 10);
		rest /= 10;
	}
	return cursor + digits + 1;
}

void out_u64(struct out *out, uint64_t value)
{
	out_advance(out, out_put_u64(out_room(out, 20), value));
}

void out_i64(struct out *out, int64_t value)
{
	if (value < 0)
		out_char(out, '-');
	out_u64(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void out_hex(struct out *out, uint64_t value)
{
	char text[16];
	size_t at = sizeof(text);
	do {
		text[--at] = "0123456789abcdef"[value & 15];
		value >>= 4;
	} while (value != 0);
	out_text(out, "0x");
	out_bytes(out, text + at, sizeof(text) - at);
}

void out_decimal(struct out *out, uint64_t value, unsigned digits)
{
	out_advance(out, out_put_decimal(out_room(out, 32), value, digits));
}

void out_format(struct out *out, const char *format, ...)
{
	char line[1024];
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (length > 0)
		out_bytes(out, line,
			(size_t)length < sizeof(line) ? (size_t)length : sizeof(line) - 1);
}

size_t out_utf8_length(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;
	if (byte[0] < 0x80)
		return 1;
	size_t length = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
	if (byte[0] < 0xc2 || byte[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xf0 && byte[1] < 0x90);
	bool surrogate = byte[0] == 0xed && byte[1] > 0x9f;
	bool too_large = byte[0] == 0xf4 && byte[1] > 0x8f;
	return overlong || surrogate || too_large ? 0 : length;
}

size_t out_control(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;
	if (byte[0] < 0x80)
		return (byte[0] < 0x20 && byte[0] != '\0') || byte[0] == 0x7f;
	if (byte[0] == 0xc2) /* U+0080 to U+009F */
		return byte[1] >= 0x80 && byte[1] < 0xa0 ? 2 : 0;
	if (byte[0] == 0xd8) /* U+061C */
		return byte[1] == 0x9c ? 2 : 0;
	if (byte[0] == 0xe2 && byte[1] == 0x80) /* U+200E, U+200F, U+2028 to U+202E */
		return byte[2] == 0x8e || byte[2] == 0x8f || (byte[2] >= 0xa8 && byte[2] <= 0xae)
			       ? 3
			       : 0;
	if (byte[0] == 0xe2 && byte[1] == 0x81) /* U+2066 to U+2069 */
		return byte[2] >= 0xa6 && byte[2] <= 0xa9 ? 3 : 0;
	return byte[0] == 0xef && byte[1] == 0xbb && byte[2] == 0xbf ? 3 : 0; /* U+FEFF */
}

void out_printable(struct out *out, const char *text, size_t limit)
{
	size_t columns = 0;
	for (const char *at = text; at != NULL && *at != '\0'; columns++) {
		if (limit != 0 && columns >= limit) {
			out_text(out, "...");
			return;
		}
		unsigned char byte = (unsigned char)*at;
		size_t length = out_utf8_length(at);
		if (length == 0 || out_control(at) != 0) {
			out_format(out, "\\x%02x", byte);
			at++;
		} else {
			out_bytes(out, at, length);
			at += length;
		}
	}
}
