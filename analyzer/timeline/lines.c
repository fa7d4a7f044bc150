/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/lines.h"

#include "analyzer/timeline/turns.h"

/* So many steps elsewhere make another thread the owner, where one has stepped for long. */
#define TRUST_LIMIT 8u
/* An owner that has been silent for so long may have ended. */
#define SILENT_NS 2000000000ull

void lines_init(struct lines *lines, uint64_t join_ns)
{
	*lines = (struct lines){.join_ns = join_ns};
	host_init(&lines->merged, join_ns, 0);
}

void lines_release(struct lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		host_release(&lines->items[i].host);
	host_release(&lines->merged);
	lines->count = 0;
}

/* The line that has been silent for longest, with nothing left to account for; or NULL. */
static struct line *most_silent(struct lines *lines)
{
	struct line *found = NULL;
	for (uint32_t i = 0; i < lines->count; i++) {
		struct line *line = &lines->items[i];
		bool idle = line->host.pieces.count == 0 && line->host.code_until_ns == 0;
		if (idle && line != lines->owner &&
			(found == NULL || line->last_ns < found->last_ns))
			found = line;
	}
	return found;
}

struct line *lines_take(struct lines *lines, struct line **holder, uint64_t floor_ns)
{
	struct line *line =
		lines->count < LINES_LIMIT ? &lines->items[lines->count++] : most_silent(lines);
	if (line == NULL)
		return NULL;
	if (line->holder != NULL)
		*line->holder = NULL;
	host_release(&line->host);
	*line = (struct line){.holder = holder, .last_ns = floor_ns};
	host_init(&line->host, lines->join_ns, floor_ns);
	return *holder = line;
}

void lines_step(struct lines *lines, struct line *line)
{
	line->steps = true;
	line->turns = false;
	if (line == lines->owner) {
		lines->trust += lines->trust < TRUST_LIMIT;
	} else if (lines->trust > 0) {
		lines->trust--;
	} else {
		lines->owner = line;
		lines->trust = 1;
	}
}

bool lines_is_aside(const struct lines *lines, const struct line *line)
{
	return lines->owner != NULL && line != NULL && line != lines->owner && !line->turns;
}

bool lines_is_told(const struct lines *lines, uint64_t ns, uint64_t now_ns)
{
	const struct line *owner = lines->owner;
	return owner == NULL || owner->last_ns >= ns || now_ns > owner->last_ns + SILENT_NS;
}

/* The first line from this one on that is not the owner's and has something to lay over it. */
static struct line *next_other(struct lines *lines, struct line *line, uint64_t ns)
{
	struct line *end = lines->items + lines->count;
	while (line < end && (line == lines->owner || !turns_is_heard(&line->host, ns)))
		line++;
	return line < end ? line : NULL;
}

const struct host *lines_until(struct lines *lines, uint64_t ns)
{
	static const struct host nobody;
	const struct host *owner = lines->owner != NULL ? &lines->owner->host : &nobody;
	for (uint32_t i = 0; i < lines->count; i++)
		if (host_settle(&lines->items[i].host) < 0)
			return owner;
	struct line *other = next_other(lines, lines->items, ns);
	if (lines->owner != NULL && other == NULL)
		return owner;
	if (turns_begin(&lines->merged, owner, ns) < 0)
		return owner;
	for (; other != NULL; other = next_other(lines, other + 1, ns)) {
		bool turns = lines->owner == NULL || other->turns;
		if (turns_lay(&lines->merged, &other->host, turns, ns) < 0)
			return owner;
	}
	return &lines->merged;
}

void lines_drop(struct lines *lines, uint64_t ns)
{
	for (uint32_t i = 0; i < lines->count; i++)
		host_drop(&lines->items[i].host, ns);
}

size_t lines_pieces(const struct lines *lines)
{
	size_t count = 0;
	for (uint32_t i = 0; i < lines->count; i++)
		count += lines->items[i].host.pieces.count;
	return count;
}
