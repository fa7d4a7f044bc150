/* SPDX-License-Identifier: MIT */
#include "collector/write/writer.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/base/log.h"
#include "collector/codec/crc32c.h"
#include "collector/own/fault.h"

#define FIRST_PAUSE_NS 100000000ull
#define LAST_PAUSE_NS  5000000000ull
/* What the closing frame may need at most under max_bytes. */
#define CLOSING_BYTES (64u << 10)

void ring_gap_add(struct ring_gap *gap, uint64_t count, uint64_t first_ns, uint64_t last_ns)
{
	if (count == 0)
		return;
	if (gap->count == 0 || first_ns < gap->first_ns)
		gap->first_ns = first_ns;
	if (gap->count == 0 || last_ns > gap->last_ns)
		gap->last_ns = last_ns;
	gap->count += count;
}

void writer_count_refused(
	struct ring_gap *gaps, const struct record *records, unsigned count, int code)
{
	enum loss_cause cause = LOSS_DISK_FULL;
	if (code == -ERR_TOO_LARGE)
		cause = LOSS_SIZE_LIMIT;
	else if (code != -EAGAIN)
		cause = LOSS_NO_MEMORY;
	ring_gap_add(&gaps[cause], count, records[0].begin, records[count - 1].end);
}

void writer_forget(struct writer *writer)
{
	void *packed = writer->packed;
	struct announce announce = writer->announce;
	struct recent *recent = writer->recent;
	memset(writer, 0, sizeof(*writer));
	writer->packed = packed;
	writer->announce = announce;
	writer->recent = recent;
}

static void gap_move(struct ring_gap *to, struct ring_gap *from)
{
	ring_gap_add(to, from->count, from->first_ns, from->last_ns);
	*from = (struct ring_gap){0};
}

int writer_init(struct writer *writer, struct live *live, struct sink *sink,
	const struct writer_options *options)
{
	writer->live = live;
	writer->sink = sink;
	writer->max_bytes = options->max_bytes;
	if (writer->packed == NULL) {
		size_t bytes = frame_bound(CODEC_FRAME_LIMIT);
		void *packed = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (packed == MAP_FAILED)
			return -ENOMEM;
		writer->packed = packed;
	}
	if (writer->recent == NULL)
		writer->recent = recent_new();
	if (writer->recent == NULL)
		return -ENOMEM;
	recent_clear(writer->recent);
	writer->notes_calls = false;
	/* Of an earlier session of this process, if there was one. */
	encoder_free(writer->encoder);
	writer->encoder = encoder_new(live->pending, CODEC_FRAME_LIMIT);
	if (writer->compressor == NULL)
		writer->compressor = frame_compressor_new(options->compression);
	if (writer->encoder == NULL || writer->compressor == NULL)
		return -ENOMEM;
	writer->frame_begin_ns = 0;
	writer->check = 0;
	writer->failure = 0;
	writer->retry_ns = 0;
	writer->pause_ns = 0;
	writer->over_limit = false;
	writer->without_memory = false;
	live->header->pending_sequence = writer->sequence;
	return announce_init(
		&writer->announce, writer->encoder, options->call_of, options->call_count);
}

void writer_publish(struct writer *writer)
{
	uint64_t *bytes = &writer->live->header->pending_bytes;
	uint64_t size = encoder_size(writer->encoder), before = *bytes;
	/* An idle process must not dirty a page of the file. */
	if (before >= size)
		return;
	/* What is published stays as it is, so the sum goes on from there. */
	writer->check =
		crc32c(writer->check, (const char *)writer->live->pending + before, size - before);
	__atomic_store_n(
		&writer->live->header->pending_check, size << 32 | writer->check, __ATOMIC_RELEASE);
	__atomic_store_n(bytes, size, __ATOMIC_RELEASE);
}

/* An empty frame; readers must not see the old content under the new number. */
static void begin_frame(struct writer *writer, bool written)
{
	struct live_header *header = writer->live->header;
	__atomic_store_n(&header->pending_bytes, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&header->pending_check, 0, __ATOMIC_RELEASE);
	writer->check = 0;
	if (written)
		writer->sequence++;
	__atomic_store_n(&header->pending_sequence, writer->sequence, __ATOMIC_RELEASE);
	encoder_reset(writer->encoder);
	announce_next_frame(&writer->announce);
	writer->lost_in_frame = 0;
	writer->frame_begin_ns = 0;
}

static void forget_pending(struct writer *writer)
{
	for (unsigned i = 0; i < ring_count(); i++)
		ring_at(i)->pending = (struct ring_gap){0};
	writer->unowned_pending = (struct ring_gap){0};
}

/* The events of the pending frame will never be written. */
static void drop_pending(struct writer *writer, enum loss_cause cause)
{
	for (unsigned i = 0; i < ring_count(); i++)
		gap_move(&ring_at(i)->gaps[cause], &ring_at(i)->pending);
	gap_move(&writer->unowned[cause], &writer->unowned_pending);
	recent_clear(writer->recent);
	/* What this frame told of losses was not heard: say so as a loss of nobody. */
	bool has_events = encoder_events(writer->encoder) > 0;
	ring_gap_add(&writer->unowned[cause], writer->lost_in_frame,
		has_events ? encoder_first_ns(writer->encoder) : writer->frame_begin_ns,
		has_events ? encoder_last_ns(writer->encoder) : writer->frame_begin_ns);
	writer->lost -= writer->lost_in_frame;
	begin_frame(writer, false);
}

static int write_frame(struct writer *writer, unsigned flags)
{
	struct frame_info info = {
		.version = FRAME_FORMAT_VERSION,
		.content = (uint16_t)encoder_content(writer->encoder),
		.sequence = writer->sequence,
		.events = (uint32_t)encoder_events(writer->encoder),
		.lost = writer->lost_in_frame,
		.first_ns = encoder_first_ns(writer->encoder),
		.last_ns = encoder_last_ns(writer->encoder),
		.pid = (uint32_t)getpid(),
	};
	size_t raw = encoder_size(writer->encoder);
	size_t bytes;
	int code = frame_pack(writer->compressor, &info, writer->live->pending, raw, writer->packed,
		frame_bound(CODEC_FRAME_LIMIT), &bytes);
	/* What was packed may be other than what was put there. */
	if (code == 0 && !writer->without_memory && fault_has_taken())
		code = -EFAULT;
	if (code < 0)
		return code;
	if (!(flags & SINK_LAST) && writer->max_bytes != 0 &&
		writer->sink->bytes + bytes + CLOSING_BYTES > writer->max_bytes) {
		writer->over_limit = true;
		return -ERR_TOO_LARGE;
	}
	code = sink_write(writer->sink, writer->packed, bytes, flags);
	if (code < 0)
		return code;
	writer->events += info.events;
	begin_frame(writer, true);
	forget_pending(writer);
	return 0;
}

int writer_flush(struct writer *writer, uint64_t now_ns)
{
	if (encoder_size(writer->encoder) == 0)
		return 0;
	if (writer->over_limit)
		return -ERR_TOO_LARGE;
	if (writer->failure != 0 && now_ns < writer->retry_ns)
		return -EAGAIN;
	writer_publish(writer);
	int code = write_frame(writer, 0);
	if (code == -ERR_TOO_LARGE || code == -EFAULT)
		return code;
	writer->failure = code;
	if (code == 0) {
		writer->pause_ns = 0;
		return 0;
	}
	log_error("cannot write %s: %s", writer->sink->path, err_text(code));
	writer->pause_ns = writer->pause_ns == 0 ? FIRST_PAUSE_NS : 2 * writer->pause_ns;
	if (writer->pause_ns > LAST_PAUSE_NS)
		writer->pause_ns = LAST_PAUSE_NS;
	writer->retry_ns = now_ns + writer->pause_ns;
	return -EAGAIN;
}

static void note_content(struct writer *writer, uint64_t now_ns)
{
	if (writer->frame_begin_ns == 0)
		writer->frame_begin_ns = now_ns;
}

int writer_meta(struct writer *writer, const struct meta *meta, uint64_t now_ns)
{
	int code = encoder_add_meta(writer->encoder, meta);
	if (code == -ENOSPC) {
		code = writer_flush(writer, now_ns);
		if (code == 0)
			code = encoder_add_meta(writer->encoder, meta);
	}
	if (code == 0)
		note_content(writer, now_ns);
	return code;
}

static int append_block(struct writer *writer, unsigned index, uint64_t first,
	const struct record *records, unsigned count)
{
	const struct ring *ring = ring_at(index);
	int code = announce_thread(&writer->announce, ring, index);
	/* matched ones refer to nothing that has to be defined */
	if (code == 0 && codec_is_matched(&records[0]))
		return encoder_add_matched(writer->encoder, ring->thread, first, records, count);
	for (unsigned i = 0; i < count && code == 0; i++)
		if (!announce_is_done(&writer->announce, &records[i]))
			code = announce_record(&writer->announce, &records[i]);
	if (code == 0)
		code = encoder_add_events(writer->encoder, ring->thread, first, records, count);
	if (code == 0 && writer->notes_calls)
		recent_note(writer->recent, ring->thread, ring->shared->tid, first, records, count);
	return code;
}

int writer_events(struct writer *writer, unsigned index, uint64_t first,
	const struct record *records, unsigned count, uint64_t now_ns)
{
	int code = append_block(writer, index, first, records, count);
	if (code == -ENOSPC) {
		code = writer_flush(writer, now_ns);
		if (code == 0)
			code = append_block(writer, index, first, records, count);
	}
	if (code == 0) {
		note_content(writer, now_ns);
		ring_gap_add(
			&ring_at(index)->pending, count, records[0].begin, records[count - 1].end);
		return (int)count;
	}
	/* Too much for a whole frame: thousands of definitions that are new to it. */
	if (code != -ENOSPC || count == 1)
		return code;
	unsigned half = count / 2;
	int taken = writer_events(writer, index, first, records, half, now_ns);
	if (taken < (int)half)
		return taken;
	code = writer_events(writer, index, first + half, records + half, count - half, now_ns);
	return code < 0 ? taken : taken + code;
}

static void tell_gap(struct writer *writer, uint32_t thread, enum loss_cause cause,
	struct ring_gap *gap, uint64_t now_ns)
{
	if (gap->count == 0)
		return;
	struct meta meta = {.kind = META_LOST,
		.u.lost = {.thread = thread,
			.count = gap->count,
			.cause = loss_text(cause),
			.first_ns = gap->first_ns,
			.last_ns = gap->last_ns}};
	if (writer_meta(writer, &meta, now_ns) < 0)
		return;
	writer->lost += gap->count;
	writer->lost_in_frame += (uint32_t)gap->count;
	*gap = (struct ring_gap){0};
}

void writer_tell_losses(struct writer *writer, uint64_t now_ns)
{
	for (unsigned i = 0; i < ring_count(); i++) {
		struct ring *ring = ring_at(i);
		for (unsigned cause = 0; cause < LOSS_CAUSE_COUNT; cause++)
			tell_gap(writer, ring->thread, (enum loss_cause)cause, &ring->gaps[cause],
				now_ns);
	}
	for (unsigned cause = 0; cause < LOSS_CAUSE_COUNT; cause++)
		tell_gap(writer, 0, (enum loss_cause)cause, &writer->unowned[cause], now_ns);
	/* A kill in between has them told twice, but never not at all. */
	writer_publish(writer);
	for (unsigned i = 0; i < ring_count(); i++) {
		struct ring *ring = ring_at(i);
		if (ring->thread != 0 && ring->gaps[LOSS_RING_FULL].count == 0)
			__atomic_store_n(
				&ring->shared->lost_taken, ring->lost_told, __ATOMIC_RELEASE);
	}
	if (writer->unowned[LOSS_NO_MEMORY].count == 0)
		unowned_tell();
}

void writer_disown(struct writer *writer, struct ring *ring)
{
	gap_move(&writer->unowned_pending, &ring->pending);
	for (unsigned cause = 0; cause < LOSS_CAUSE_COUNT; cause++)
		gap_move(&writer->unowned[cause], &ring->gaps[cause]);
}

static int add_end(struct writer *writer, const char *reason, uint64_t now_ns)
{
	struct meta meta = {.kind = META_END,
		.u.end = {.reason = reason,
			.end_ns = now_ns,
			.events = writer->events + encoder_events(writer->encoder),
			.lost = writer->lost,
			.frames = writer->sequence + 1}};
	return encoder_add_meta(writer->encoder, &meta);
}

int writer_finish(struct writer *writer, const char *reason, uint64_t now_ns,
	void (*say_states)(struct writer *writer, uint64_t now_ns))
{
	/* No pause any more: this is the last chance. */
	writer->retry_ns = 0;
	int code = fault_has_taken() ? -EFAULT : writer_flush(writer, now_ns);
	if (code == -EFAULT)
		drop_pending(writer, LOSS_NO_MEMORY);
	else if (code < 0)
		drop_pending(writer, code == -ERR_TOO_LARGE ? LOSS_SIZE_LIMIT : LOSS_DISK_FULL);
	writer->without_memory = code == -EFAULT;
	writer->over_limit = false;
	writer_tell_losses(writer, now_ns);
	say_states(writer, now_ns);
	code = add_end(writer, reason, now_ns);
	if (code == 0) {
		writer_publish(writer);
		writer->closing_offset = writer->sink->bytes;
		code = write_frame(writer, SINK_LAST);
	}
	return code;
}
