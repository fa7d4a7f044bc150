/* SPDX-License-Identifier: MIT */
#include "analyzer/page/pack.h"

#include <stdlib.h>
#include <zlib.h>

#define IN_BYTES  (64u << 10)
#define OUT_BYTES 3072u
#define LEVEL     6
#define OWN_BLOCK 1024u /* bytes that are worth a code of their own */

/* Two digits for 13 bits; base64 has two for 12. */
#define BASE      91u
#define PAIR_BITS 13u
#define MOST_TEXT (2 * (OUT_BYTES * 8 / PAIR_BITS + 2))

struct pack {
	struct out *out;
	z_stream stream;
	size_t used;
	uint32_t bits; /* that are no digits yet, the lowest came first */
	unsigned bit_count;
	uint8_t in[IN_BYTES];
	uint8_t packed[OUT_BYTES];
};

struct pack *pack_new(struct out *out)
{
	struct pack *pack = calloc(1, sizeof(*pack));
	if (pack == NULL)
		return NULL;
	pack->out = out;
	if (deflateInit2(&pack->stream, LEVEL, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) !=
		Z_OK) {
		free(pack);
		return NULL;
	}
	pack->stream.next_out = pack->packed;
	pack->stream.avail_out = OUT_BYTES;
	return pack;
}

void pack_free(struct pack *pack)
{
	if (pack == NULL)
		return;
	(void)deflateEnd(&pack->stream);
	free(pack);
}

/* Nothing of them means anything in a page; the one that opens a tag has another in its place. */
static char digit(uint32_t value)
{
	char character = (char)('#' + value);
	return character == '<' ? '!' : character;
}

static void put_text(struct pack *pack, size_t size)
{
	char text[MOST_TEXT], *cursor = text;
	for (size_t i = 0; i < size; i++) {
		pack->bits |= (uint32_t)pack->packed[i] << pack->bit_count;
		pack->bit_count += 8;
		if (pack->bit_count < PAIR_BITS)
			continue;
		uint32_t pair = pack->bits & ((1u << PAIR_BITS) - 1);
		*cursor++ = digit(pair % BASE);
		*cursor++ = digit(pair / BASE);
		pack->bits >>= PAIR_BITS;
		pack->bit_count -= PAIR_BITS;
	}
	out_bytes(pack->out, text, (size_t)(cursor - text));
}

/* Less than a byte more than there is; one digit stands for six bits. */
static void put_rest(struct pack *pack)
{
	const char text[] = {digit(pack->bits % BASE), digit(pack->bits / BASE)};
	if (pack->bit_count > 0)
		out_bytes(pack->out, text, pack->bit_count <= 6 ? 1 : 2);
}

/* Deflate what was collected. */
static void squeeze(struct pack *pack, int flush)
{
	z_stream *stream = &pack->stream;
	int state = Z_OK;
	bool full;
	stream->next_in = pack->in;
	stream->avail_in = (uInt)pack->used;
	pack->used = 0;
	do {
		state = deflate(stream, flush);
		full = stream->avail_out == 0;
		if (full || state == Z_STREAM_END) {
			put_text(pack, OUT_BYTES - stream->avail_out);
			stream->next_out = pack->packed;
			stream->avail_out = OUT_BYTES;
		}
	} while (state == Z_OK && (stream->avail_in > 0 || flush == Z_FINISH || full));
}

void pack_bytes(struct pack *pack, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;
	while (size > 0) {
		size_t room = IN_BYTES - pack->used;
		size_t part = size < room ? size : room;
		memcpy(pack->in + pack->used, from, part);
		pack->used += part;
		from += part;
		size -= part;
		if (pack->used == IN_BYTES)
			squeeze(pack, Z_NO_FLUSH);
	}
}

void pack_u32(struct pack *pack, uint32_t value)
{
	uint8_t bytes[4];
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	pack_bytes(pack, bytes, sizeof(bytes));
}

/*
 * Every plane has a block of its own: the low bytes of times are nearly noise and the high ones
 * nearly alike, and one code for both is good for neither.
 */
void pack_column(struct pack *pack, const uint64_t *values, size_t count)
{
	uint8_t bytes[256], planes = 0;
	uint64_t all = 0;
	bool own = count >= OWN_BLOCK;
	for (size_t i = 0; i < count; i++)
		all |= values[i];
	for (; all != 0; all >>= 8)
		planes++;
	pack_bytes(pack, &planes, 1);
	for (unsigned plane = 0; plane < planes; plane++) {
		if (own)
			squeeze(pack, Z_BLOCK);
		for (size_t first = 0; first < count; first += sizeof(bytes)) {
			size_t part = count - first < sizeof(bytes) ? count - first : sizeof(bytes);
			for (size_t i = 0; i < part; i++)
				bytes[i] = (uint8_t)(values[first + i] >> 8 * plane);
			pack_bytes(pack, bytes, part);
		}
	}
	if (own)
		squeeze(pack, Z_BLOCK);
}

void pack_finish(struct pack *pack)
{
	squeeze(pack, Z_FINISH);
	put_rest(pack);
}
