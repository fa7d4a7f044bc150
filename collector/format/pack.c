/* SPDX-License-Identifier: MIT */
#include "collector/format/pack.h"

#include <msgpack/pack.h>

/* Magnitudes of up to 7 bits (5 when negative) are one byte; then 1, 2, 4, 8 bytes of payload. */
#define REPEAT_8(form)  form, form, form, form, form, form, form, form
#define REPEAT_16(form) REPEAT_8(form), REPEAT_8(form)
#define REPEAT_31(form) REPEAT_16(form), REPEAT_8(form), form, form, form, form, form, form, form
/* clang-format off */
const struct pack_form pack_forms[2][64] = {
	{
		REPEAT_8(((struct pack_form){0, 0})),
		{0xcc, 1},
		REPEAT_8(((struct pack_form){0xcd, 2})),
		REPEAT_16(((struct pack_form){0xce, 4})),
		REPEAT_31(((struct pack_form){0xcf, 8})),
	},
	{
		{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0},
		{0xd0, 1}, {0xd0, 1},
		REPEAT_8(((struct pack_form){0xd1, 2})),
		REPEAT_16(((struct pack_form){0xd2, 4})),
		REPEAT_31(((struct pack_form){0xd3, 8})), {0xd3, 8},
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
