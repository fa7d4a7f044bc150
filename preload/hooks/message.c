/* SPDX-License-Identifier: MIT */
#include "preload/hooks/queue.h"

#include "preload/thread/peek.h"

#include <string.h>

/* Of the protocols of pickle that multiprocessing uses since Python 3.8: 4 and 5. */
#define PROTOCOL 0x80
#define FRAME    0x95 /* and eight bytes: how long it is */
#define BYTE     'K'
#define SHORT    'M'
#define INT      'J'
#define PAIR     0x86
#define MEMOIZE  0x94
#define STOP     '.'

#define LENGTH_BYTES 4u
#define FRAME_BYTES  8u
#define HEAD_BYTES   24u
#define TAIL_BYTES   3u
#define LEAST        7u

static uint32_t big_endian(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static int64_t first_number(const uint8_t *bytes)
{
	if (bytes[0] != PROTOCOL || bytes[1] < 4 || bytes[1] > 5)
		return -1;
	bytes += bytes[2] == FRAME ? 3 + FRAME_BYTES : 2;
	switch (bytes[0]) {
	case BYTE:
		return bytes[1];
	case SHORT:
		return bytes[1] | bytes[2] << 8;
	case INT:
		return (int32_t)(bytes[1] | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3] << 16 |
				 (uint32_t)bytes[4] << 24);
	default:
		return -1;
	}
}

/* (a, b) by itself: nothing comes behind it. */
static bool ends_as_pair(const uint8_t *bytes)
{
	return bytes[0] == PAIR && bytes[1] == MEMOIZE && bytes[2] == STOP;
}

int64_t queue_number(const void *buffer, size_t size)
{
	uint8_t bytes[HEAD_BYTES + TAIL_BYTES] = {0};
	if (size < LEAST)
		return -1;
	size_t head = size < HEAD_BYTES ? size : HEAD_BYTES;
	const struct peek_piece pieces[] = {
		{buffer, head}, {(const uint8_t *)buffer + size - TAIL_BYTES, TAIL_BYTES}};
	uint8_t tail[TAIL_BYTES];
	if (peek_pieces(pieces, 2, bytes) != 2)
		return -1;
	memcpy(tail, bytes + head, TAIL_BYTES);
	memset(bytes + head, 0, sizeof(bytes) - head);
	if (!ends_as_pair(tail))
		return -1;
	int64_t number = first_number(
		big_endian(bytes) == size - LENGTH_BYTES ? bytes + LENGTH_BYTES : bytes);
	return number >= 0 ? number : -1;
}
