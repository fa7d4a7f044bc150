/* SPDX-License-Identifier: MIT */
#include "collector/codec/pack.h"

#include <msgpack/pack.h>

#include "collector/base/banned.h"

/* Magnitudes of up to 7 bits (5 when negative) are one byte; then 1, 2, 4, 8 bytes of payload. */
/* clang-format off */
#define FIX           {0, 0xff, 0, 0}
#define PAYLOAD_1(at) {at, 0, 1, 56}
#define PAYLOAD_2(at) {at, 0, 2, 48}
#define PAYLOAD_4(at) {at, 0, 4, 32}
#define PAYLOAD_8(at) {at, 0, 8, 0}
#define TIMES_4(...)  __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define TIMES_8(...)  TIMES_4(__VA_ARGS__), TIMES_4(__VA_ARGS__)
const struct pack_form pack_forms[2][64] = {
	{
		TIMES_8(FIX),
		PAYLOAD_1(0xcc),
		TIMES_8(PAYLOAD_2(0xcd)),
		TIMES_8(PAYLOAD_4(0xce)), TIMES_8(PAYLOAD_4(0xce)),
		TIMES_8(PAYLOAD_8(0xcf)), TIMES_8(PAYLOAD_8(0xcf)), TIMES_8(PAYLOAD_8(0xcf)),
		PAYLOAD_8(0xcf), PAYLOAD_8(0xcf), PAYLOAD_8(0xcf), PAYLOAD_8(0xcf), PAYLOAD_8(0xcf),
		PAYLOAD_8(0xcf), PAYLOAD_8(0xcf),
	},
	{
		FIX, FIX, FIX, FIX, FIX, FIX,
		PAYLOAD_1(0xd0), PAYLOAD_1(0xd0),
		TIMES_8(PAYLOAD_2(0xd1)),
		TIMES_8(PAYLOAD_4(0xd2)), TIMES_8(PAYLOAD_4(0xd2)),
		TIMES_8(PAYLOAD_8(0xd3)), TIMES_8(PAYLOAD_8(0xd3)),
		TIMES_8(PAYLOAD_8(0xd3)), TIMES_8(PAYLOAD_8(0xd3)),
	},
};
/* clang-format on */

void pack_init(struct pack *pack, void *bytes, size_t capacity)
{
	pack->next = bytes;
	pack->end = pack->next + capacity;
	pack->full = false;
}

void pack_raw(struct pack *pack, const void *bytes, size_t size)
{
	if (pack->full || size > (size_t)(pack->end - pack->next)) {
		pack->full = true;
		return;
	}
	if (size > 0)
		memcpy(pack->next, bytes, size);
	pack->next += size;
}

static int write_packed(void *data, const char *bytes, size_t size)
{
	pack_raw(data, bytes, size);
	return 0;
}

static msgpack_packer packer_of(struct pack *pack)
{
	return (msgpack_packer){.data = pack, .callback = write_packed};
}

void pack_map(struct pack *pack, unsigned count)
{
	msgpack_packer packer = packer_of(pack);
	(void)msgpack_pack_map(&packer, count);
}

void pack_array(struct pack *pack, size_t count)
{
	msgpack_packer packer = packer_of(pack);
	(void)msgpack_pack_array(&packer, count);
}

void pack_uint(struct pack *pack, uint64_t value)
{
	msgpack_packer packer = packer_of(pack);
	(void)msgpack_pack_uint64(&packer, value);
}

void pack_int(struct pack *pack, int64_t value)
{
	msgpack_packer packer = packer_of(pack);
	(void)msgpack_pack_int64(&packer, value);
}

void pack_text(struct pack *pack, const char *text, size_t limit)
{
	size_t size = text != NULL ? strnlen(text, limit + 1) : 0;
	if (size > limit) {
		size = limit;
		while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
			size--;
	}
	msgpack_packer packer = packer_of(pack);
	(void)msgpack_pack_str(&packer, size);
	(void)msgpack_pack_str_body(&packer, text, size);
}
