/* SPDX-License-Identifier: MIT */
/*
 * Buffered output of a command: stdout or the file of --output. All results go
 * through here, so that a full disk or a closed pipe is noticed once, at
 * out_close(), and no caller has to check every write. Numbers are formatted by
 * hand because the exporters write hundreds of millions of them.
 *
 * After the first failed write the rest is thrown away and the error kept. Not
 * thread-safe; one user per struct out. Texts may be NULL, which writes nothing.
 */
#ifndef ANALYZER_OUT_H
#define ANALYZER_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OUT_BUFFER_BYTES (256u << 10)
/* out_room() promises at most this much. */
#define OUT_ROOM_LIMIT 4096u

struct out {
	char *buffer;
	size_t used;
	const char *path; /* as given to out_open(); NULL: standard output, or memory */
	int fd;
	void *gzip; /* where fd is written through; NULL: not compressed */
	int error;  /* 0 or the first failure as -errno */
	bool own_fd;
	bool in_memory; /* keeps everything instead of writing */
	size_t capacity;
	uint64_t written; /* bytes that left the buffer */
};

/* Write to path, NULL or "-" is stdout; compressed when it ends in ".gz". 0 or -errno. */
int out_open(struct out *out, const char *path);

/* Collect in memory instead; out->buffer and out->used are the result. 0 or -ENOMEM. */
int out_open_memory(struct out *out);

/* Flush, close, release. 0 or the first error of the whole life; a second call is harmless. */
int out_close(struct out *out);

/* Push the buffer to the file now. */
void out_flush(struct out *out);

void out_bytes(struct out *out, const char *bytes, size_t size);
void out_text(struct out *out, const char *text);
void out_char(struct out *out, char c);
void out_u64(struct out *out, uint64_t value);
void out_i64(struct out *out, int64_t value);
void out_hex(struct out *out, uint64_t value);

/* value / 10^digits with exactly that many decimals, digits at most 9: (1234567, 3) is 1234.567. */
void out_decimal(struct out *out, uint64_t value, unsigned digits);

/* Like printf, for lines that are not many. Longer than 1 KiB is cut. */
void out_format(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Text from a trace, made harmless for a terminal: what out_control() names and broken UTF-8 become
 * \xNN; after limit columns (0: no limit) it ends in "...". Other outputs: safe.h.
 */
void out_printable(struct out *out, const char *text, size_t limit);

/* Bytes of the UTF-8 character at text (terminated), 0 when it is not one. "" counts as 1. */
size_t out_utf8_length(const char *text);

/*
 * Bytes of the character at text if it acts on a terminal or on the text around it instead of being
 * seen: a control character, a line or paragraph separator, a mark that changes direction; else 0.
 */
size_t out_control(const char *text);

/* A place for size bytes (at most OUT_ROOM_LIMIT), for callers that format by themselves. */
static inline char *out_room(struct out *out, size_t size)
{
	if (__builtin_expect(out->capacity - out->used < size, 0))
		out_flush(out);
	return out->buffer + out->used;
}

/* Keep what was formatted at out_room(), up to end. */
static inline void out_advance(struct out *out, const char *end)
{
	out->used = (size_t)(end - out->buffer);
}

/* Bytes at cursor; returns the new end, like all of these. */
static inline char *out_put_bytes(char *cursor, const char *bytes, size_t size)
{
	memcpy(cursor, bytes, size);
	return cursor + size;
}
#define OUT_PUT(cursor, literal) out_put_bytes(cursor, literal, sizeof(literal) - 1)

/* Decimal digits of value at cursor (20 bytes at most); returns the new end. No terminator. */
char *out_put_u64(char *cursor, uint64_t value);

/* The digits of 00 to 99, one after the other. */
extern const char out_digit_pairs[];

/* Below 1000, three digits. */
static inline char *out_put_three(char *cursor, uint32_t value)
{
	uint32_t hundreds = value / 100;
	cursor[0] = (char)('0' + hundreds);
	memcpy(cursor + 1, out_digit_pairs + 2 * (value - 100 * hundreds), 2);
	return cursor + 3;
}

/* As out_decimal(), at cursor (22 bytes at most). */
char *out_put_decimal(char *cursor, uint64_t value, unsigned digits);

#endif
