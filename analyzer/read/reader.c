/* SPDX-License-Identifier: MIT */
#include "analyzer/read/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/read/ahead.h"
#include "analyzer/read/definitions.h"
#include "analyzer/read/live.h"
#include "analyzer/read/name.h"
#include "analyzer/read/outgoing.h"
#include "analyzer/read/tally.h"
#include "analyzer/read/walk.h"

#define LIVE_TRIES 16

enum stage {
	STAGE_FILE,
	STAGE_PENDING,
	STAGE_RINGS,
	STAGE_DONE
};

struct reader {
	char *path;
	struct walk walk;
	struct decoder *decoder;
	struct ahead *ahead; /* both of them, as long as the file has frames */
	struct definitions definitions;
	struct reader_live live;
	struct tally tally;
	enum stage stage;
	bool in_frame; /* the decoder has more */
	bool live_tried;
	unsigned live_tries;      /* to catch up with a recorder that runs on */
	struct ahead_frame frame; /* that was read last */
	uint64_t frame_events;    /* delivered or filtered out of it */
	uint64_t refused_definitions;
	struct outgoing outgoing;
};

static bool outside_window(const struct frame_info *info, const void *data)
{
	const struct reader *reader = data;
	if ((info->content & (FRAME_HAS_DEFINITIONS | FRAME_HAS_STATE)) != 0)
		return false;
	return info->first_ns > reader->outgoing.to_ns || info->last_ns < reader->outgoing.from_ns;
}

static int open_live(struct reader *reader)
{
	reader->live_tried = true;
	int err = reader_live_open(&reader->live, reader->path, reader->tally.pid);
	reader->tally.health.gone = reader->live.gone;
	if (err == 0 && reader->live.recover != NULL)
		err = recover_definitions(reader->live.recover, &reader->definitions);
	return err;
}

static int open_file(struct reader *reader, struct err_at *reterr)
{
	int err;
	size_t stem;
	if (name_parse(reader->path, &stem) == NAME_LIVE) {
		err = walk_open_empty(&reader->walk);
		if (err == 0)
			err = open_live(reader);
		if (err == 0 && reader->live.recover == NULL)
			err = -ERR_NOT_A_TRACE;
		return err_place(reterr, err, 0, "live file");
	}
	err = walk_open(&reader->walk, reader->path);
	if (err < 0)
		return err_place(reterr, err, 0, NULL);
	err = walk_check_start(&reader->walk, reterr);
	if (err != -ERR_TRUNCATED)
		return err;
	/* killed before the first frame was whole: all there is may be in the live file */
	if (open_live(reader) == 0 && reader->live.recover != NULL)
		return 0;
	return reader->live.gone ? err_place(reterr, err, 0, READER_LIVE_GONE) : err;
}

int reader_open(const char *path, struct reader **ret_reader, struct err_at *reterr)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return err_place(reterr, -ENOMEM, 0, NULL);
	reader->walk.fd = -1;
	outgoing_init(&reader->outgoing);
	reader->path = strdup(path);
	reader->decoder = decoder_new();
	reader->ahead = ahead_new(&reader->walk, reader->decoder);
	bool whole = reader->path != NULL && reader->decoder != NULL && reader->ahead != NULL;
	int err = whole ? open_file(reader, reterr) : -ENOMEM;
	if (err < 0)
		reader_close(reader);
	else
		*ret_reader = reader;
	return err;
}

void reader_close(struct reader *reader)
{
	if (reader == NULL)
		return;
	ahead_free(reader->ahead);
	walk_close(&reader->walk);
	decoder_free(reader->decoder);
	definitions_release(&reader->definitions);
	tally_release(&reader->tally);
	reader_live_close(&reader->live);
	outgoing_release(&reader->outgoing);
	free(reader->path);
	free(reader);
}

void reader_set_window(struct reader *reader, uint64_t from_ns, uint64_t to_ns)
{
	reader->outgoing.from_ns = from_ns;
	reader->outgoing.to_ns = to_ns;
	ahead_allow(reader->ahead, false);
}

int reader_set_root(struct reader *reader, const char *folder)
{
	return definitions_set_root(&reader->definitions, folder);
}

void reader_tell_changes(struct reader *reader, void (*changing)(void *context), void *context)
{
	reader->definitions.changing = changing;
	reader->definitions.context = context;
}

void reader_read_ahead(struct reader *reader)
{
	ahead_allow(reader->ahead, !outgoing_has_window(&reader->outgoing));
}

/* One step of the walk. 1: in a frame, or look again; 0: the file ends here; negative: failed. */
static int step_file(struct reader *reader)
{
	const struct walk *walk = &reader->walk;
	int result = ahead_frame(reader->ahead, outside_window, reader, &reader->frame), accepted;
	reader->frame_events = 0;
	switch (result) {
	case WALK_FRAME:
	case WALK_SKIPPED:
		accepted = tally_frame(&reader->tally, &reader->frame.info);
		reader->in_frame = accepted == 1 && result == WALK_FRAME;
		return accepted < 0 ? accepted : 1;
	case WALK_BAD:
	case WALK_NEWER:
	case WALK_DAMAGE:
		reader->tally.health.newer |= result == WALK_NEWER;
		if (result != WALK_NEWER)
			tally_damage(&reader->tally, walk->begin, walk->bytes_lost);
		accepted = result != WALK_DAMAGE ? tally_missed(&reader->tally, &walk->info) : 1;
		return accepted < 0 ? accepted : 1;
	default:
		return result;
	}
}

/* The file has no more. Its tail counts as cut off unless the live file makes up for it. */
static int leave_file(struct reader *reader)
{
	struct walk *walk = &reader->walk;
	if (!reader->live_tried && !reader->tally.health.clean_end) {
		int err = open_live(reader);
		/* the writer may have finished meanwhile: the file again, then the live file */
		walk_extend(walk);
		return err < 0 ? err : 1;
	}
	reader->stage = reader->tally.health.clean_end ? STAGE_DONE : STAGE_PENDING;
	reader->tally.health.truncated = walk->tail_bytes > 0;
	if (walk->tail_bytes > 0 && reader->tally.health.damaged_frames == 0)
		reader->tally.health.first_damage_offset = walk->begin;
	return walk->tail_has_info ? tally_missed(&reader->tally, &walk->info) : 0;
}

/* Take the pending frame, unless the recorder has gone on: then the file has grown. */
static int step_pending(struct reader *reader)
{
	struct recover *recover = reader->live.recover;
	reader->stage = STAGE_RINGS;
	for (; recover != NULL && reader->live_tries < LIVE_TRIES; reader->live_tries++) {
		const void *bytes;
		size_t size;
		uint32_t sequence = recover_sequence(recover);
		if (ledger_has(&reader->tally.ledger.good, sequence))
			return 0;
		if (sequence > ledger_until(&reader->tally.ledger.good) &&
			walk_size(&reader->walk) > reader->walk.offset + reader->walk.tail_bytes) {
			walk_extend(&reader->walk);
			reader->live_tries++;
			reader->stage = STAGE_FILE;
			return 0;
		}
		int err = recover_pending(recover, sequence, &bytes, &size);
		if (err == -EAGAIN)
			continue;
		if (err < 0 || size == 0)
			return err;
		struct frame_info info = {.sequence = sequence, .pid = recover_pid(recover)};
		/* the file may end inside this very frame, and say how many events it has */
		if (reader->walk.tail_has_info && reader->walk.info.sequence == sequence)
			info.events = reader->walk.info.events;
		err = tally_frame(&reader->tally, &info);
		reader->in_frame = err == 1;
		reader->frame.info = info;
		decoder_feed(reader->decoder, bytes, size);
		return err < 0 ? err : 0;
	}
	return 0;
}

static int take_meta(struct reader *reader, const struct meta *meta)
{
	tally_meta(&reader->tally, meta);
	int err = definitions_add(&reader->definitions, meta);
	if (meta->kind == META_RUN)
		return definitions_set_run(&reader->definitions, &meta->u.run);
	reader->refused_definitions += err == -ERR_TOO_LARGE;
	return err == -ERR_TOO_LARGE ? 0 : err;
}

/* An item on its way out. 1: give it to the caller, 0: nothing of it is left. */
static int take_item(struct reader *reader, struct item *item)
{
	if (item->type == ITEM_META) {
		int err = take_meta(reader, &item->meta);
		return err < 0 ? err : 1;
	}
	int err = tally_events(&reader->tally, item);
	reader->frame_events += item->count;
	if (err == 0)
		err = outgoing_take(&reader->outgoing, item);
	if (err < 0)
		return err;
	reader->tally.health.events += item->count;
	if (reader->stage != STAGE_FILE)
		reader->tally.health.recovered += item->count;
	return item->count > 0;
}

/* Next item of the frame that the decoder is in; 0 when it has no more. */
static int step_frame(struct reader *reader, struct item *ret_item)
{
	int err = ahead_item(reader->ahead, ret_item);
	if (err == 0 && ret_item->type != ITEM_END)
		return take_item(reader, ret_item);
	reader->in_frame = false;
	if (err < 0) {
		uint64_t events = reader->frame.info.events;
		tally_damage(&reader->tally, reader->frame.begin, 0);
		if (events > reader->frame_events)
			reader->tally.header_missing += events - reader->frame_events;
	}
	return 0;
}

static int finish(struct reader *reader)
{
	bool windowed = outgoing_has_window(&reader->outgoing);
	if (!windowed)
		tally_left_out(&reader->tally, reader->outgoing.unknown);
	reader->outgoing.unknown = 0;
	tally_finish(&reader->tally, windowed);
	reader->tally.health.skipped_items =
		ahead_skipped(reader->ahead) + reader->refused_definitions;
	return 0;
}

/* What can be done without giving anything out. 1: something was, 0: all is read. */
static int advance(struct reader *reader, struct item *ret_item)
{
	int err;
	switch (reader->stage) {
	case STAGE_FILE:
		err = step_file(reader);
		if (err == WALK_END)
			err = leave_file(reader);
		return err < 0 ? err : 1;
	case STAGE_PENDING:
		err = step_pending(reader);
		return err < 0 ? err : 1;
	case STAGE_RINGS:
		reader_live_next(
			&reader->live, &reader->tally.ledger, &reader->definitions, ret_item);
		if (ret_item->type != ITEM_END)
			return 1;
		reader->tally.health.damaged_frames += recover_take_damage(reader->live.recover);
		reader->stage = STAGE_DONE;
		return 0;
	default:
		return 0;
	}
}

int reader_next(struct reader *reader, struct item *ret_item, struct err_at *reterr)
{
	for (;;) {
		int err = 0;
		ret_item->type = ITEM_END;
		if (reader->in_frame) {
			err = step_frame(reader, ret_item);
		} else {
			err = advance(reader, ret_item);
			if (err == 0)
				return finish(reader);
			if (err > 0)
				err = ret_item->type == ITEM_END ? 0 : take_item(reader, ret_item);
		}
		if (err < 0)
			return err_place(reterr, err, reader->frame.begin, NULL);
		if (err > 0)
			return 0;
	}
}

const char *reader_text(const struct reader *reader, uint32_t id)
{
	const char *text = definitions_name(&reader->definitions, id);
	return text == NULL ? "" : text;
}

const struct meta_PLACE *reader_place(const struct reader *reader, uint32_t id)
{
	return definitions_place(&reader->definitions, id);
}

const char *reader_call(const struct reader *reader, uint16_t id)
{
	const struct meta_CALL *call = definitions_call(&reader->definitions, id);
	return call == NULL ? "" : call->name;
}

const struct meta_THREAD *reader_thread(const struct reader *reader, uint32_t id)
{
	return definitions_thread(&reader->definitions, id);
}

const struct meta_STACK *reader_stack(const struct reader *reader, uint32_t id)
{
	return definitions_stack(&reader->definitions, id);
}

const struct meta_RUN *reader_run(const struct reader *reader)
{
	return reader->definitions.has_run ? &reader->definitions.run : NULL;
}

const struct sources *reader_sources(const struct reader *reader)
{
	return &reader->definitions.sources;
}

const char *reader_path(const struct reader *reader)
{
	return reader->path;
}

const struct reader_health *reader_health(const struct reader *reader)
{
	return &reader->tally.health;
}

uint64_t reader_position(const struct reader *reader)
{
	return reader->frame.offset;
}

uint64_t reader_size(const struct reader *reader)
{
	return walk_size(&reader->walk);
}
