/* SPDX-License-Identifier: MIT */
#include "analyzer/read/description.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Every text of meta.def, with the kind it belongs to: those of a run are among them. */
static const struct {
	enum meta_kind kind;
	size_t offset;
} texts[] = {
#define META_TEXT(kind, name) {META_##kind, offsetof(struct meta_##kind, name)},
#include "collector/format/meta.def"
};
#define TEXT_COUNT (sizeof(texts) / sizeof(texts[0]))

static const char **text_at(struct meta_RUN *run, size_t index)
{
	return (const char **)((char *)run + texts[index].offset);
}

void description_release(struct description *description)
{
	free(description->texts);
	*description = (struct description){0};
}

int description_set(struct description *description, const struct meta_RUN *run)
{
	struct meta_RUN copy = *run;
	size_t size = 0;
	for (size_t i = 0; i < TEXT_COUNT; i++)
		if (texts[i].kind == META_RUN)
			size += strlen(*text_at(&copy, i)) + 1;
	char *room = malloc(size);
	if (room == NULL)
		return -ENOMEM;
	description_release(description);
	*description = (struct description){.known = true, .texts = room};
	for (size_t i = 0; i < TEXT_COUNT; i++) {
		if (texts[i].kind != META_RUN)
			continue;
		const char **text = text_at(&copy, i);
		size_t length = strlen(*text) + 1;
		*text = memcpy(room, *text, length);
		room += length;
	}
	description->run = copy;
	return 0;
}
