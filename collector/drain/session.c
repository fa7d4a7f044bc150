/* SPDX-License-Identifier: MIT */
#include "collector/drain/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/base/err.h"
#include "collector/base/log.h"
#include "collector/buffer/define.h"
#include "collector/buffer/ring.h"
#include "collector/drain/drain.h"
#include "collector/drain/process.h"
#include "collector/format/suffix.h"
#include "collector/write/sink.h"

#define NAMES_LIMIT 10000u /* files of one host and pid: exec keeps the pid */

static struct {
	/* Two, because a thread may still ask the old one for a piece. */
	struct live lives[2];
	unsigned live_index;
	struct sink sink;
	bool complete; /* the file has its closing frame */
	char stem[PATH_MAX];
} session = {.sink = {.fd = -1}};

/* Beside it: a process that recorded nothing touches none of the rest. */
static bool has_file;

struct live *session_live(void)
{
	return &session.lives[__atomic_load_n(&session.live_index, __ATOMIC_ACQUIRE)];
}

/* The trace file under the first name that is free; session.stem is set. */
static int make_file(const char *folder)
{
	char host[64];
	process_host(host, sizeof(host));
	int code = -EEXIST;
	for (unsigned i = 1; i < NAMES_LIMIT && code == -EEXIST; i++) {
		char path[PATH_MAX], suffix[16] = "";
		if (i > 1)
			(void)snprintf(suffix, sizeof(suffix), "-%u", i);
		int length = snprintf(session.stem, sizeof(session.stem), "%s/%s-%d%s", folder,
			host, (int)getpid(), suffix);
		if (length < 0 || (size_t)length >= sizeof(session.stem) - 32)
			return -ENAMETOOLONG;
		(void)snprintf(path, sizeof(path), "%.*s" SUFFIX_TRACE, length, session.stem);
		code = sink_open(&session.sink, path, &sink_system_calls);
	}
	return code;
}

/* Files are made for their owner alone. */
static void share_files(const struct collector_options *options)
{
	if ((options->file_mode & ~0600u) == 0)
		return;
	(void)fchmod(session.sink.fd, options->file_mode);
	live_share(session_live(), options->file_mode);
}

static void define_calls(const struct collector_options *options)
{
	for (unsigned id = 1; id < options->call_count; id++) {
		struct collector_call call = options->call_of(id);
		char text[256];
		int length = snprintf(text, sizeof(text), "%s:%s",
			call.library != NULL ? call.library : "",
			call.name != NULL ? call.name : "");
		if (length > 0 && (size_t)length < sizeof(text))
			define_call(id, text, (size_t)length);
	}
}

/* A live file for session.stem with all that a reader of it needs. */
static int make_live(const struct collector_options *options, const struct clock_triple *first)
{
	unsigned index = session.live_index ^ 1u;
	struct live *live = &session.lives[index];
	int code = live_open(live, session.stem, options->rings_on_disk ? LIVE_BESIDE : LIVE_AUTO);
	if (code < 0)
		return code;
	if (!live->in_file)
		log_info("events of the last second are not safe from SIGKILL: no live file");
	struct clock_triple now;
	struct clock_scale scale;
	clock_read_triple(&now);
	clock_scale_from(first, &now, &scale);
	live->header->begin_realtime_ns = now.realtime_ns;
	live_set_scale(live, &scale);
	ring_adopt(live);
	unowned_adopt(live);
	define_publish(live);
	define_calls(options);
	__atomic_store_n(&session.live_index, index, __ATOMIC_RELEASE);
	return 0;
}

static int start_drain(const struct collector_options *options, const struct clock_triple *first,
	uint32_t sequence, void (*ended)(const char *reason))
{
	struct drain_options drain = {.live = session_live(),
		.sink = &session.sink,
		.options = options,
		.first = *first,
		.sequence = sequence,
		.ended = ended};
	int code = drain_start(&drain);
	if (code < 0) {
		define_withdraw();
		live_remove(session_live());
	}
	return code;
}

int session_begin(const struct collector_options *options, const struct clock_triple *first,
	void (*ended)(const char *reason))
{
	const char *reason = process_refuses();
	if (reason != NULL) {
		log_error("process %d is not recorded: %s", (int)getpid(), reason);
		return -EPERM;
	}
	int made = process_make_folder(options->out_dir, options->file_mode);
	int code = made < 0 ? made : make_file(options->out_dir);
	if (code == 0) {
		code = make_live(options, first);
		if (code == 0) {
			share_files(options);
			code = start_drain(options, first, 0, ended);
		}
		if (code < 0)
			sink_remove(&session.sink);
	}
	if (code < 0) {
		if (made > 0)
			(void)rmdir(options->out_dir);
		log_error("cannot record to %s: %s", options->out_dir, err_text(code));
		return code;
	}
	has_file = true;
	session.complete = false;
	return 0;
}

int session_end(const char *reason, unsigned timeout_ms)
{
	bool complete = false;
	int code = drain_stop(reason, timeout_ms, &complete);
	if (code == 0 && complete)
		define_withdraw();
	session.complete = complete;
	return code;
}

int session_resume(const struct collector_options *options, const struct clock_triple *first,
	void (*ended)(const char *reason))
{
	if (!has_file || !session.complete)
		return -ENOENT;
	uint64_t offset;
	uint32_t sequence;
	drain_closing(&offset, &sequence);
	int code = sink_cut(&session.sink, offset);
	if (code == 0)
		code = make_live(options, first);
	if (code == 0) {
		share_files(options);
		code = start_drain(options, first, sequence, ended);
	}
	if (code < 0)
		log_error("cannot go on recording to %s: %s", session.sink.path, err_text(code));
	else
		session.complete = false;
	return code;
}

void session_totals(struct session_totals *ret_totals)
{
	*ret_totals = (struct session_totals){0};
	if (!has_file)
		return;
	drain_totals(&ret_totals->events, &ret_totals->lost);
	ret_totals->bytes = session.sink.bytes;
	ret_totals->path = session.sink.path;
	ret_totals->gone = !sink_is_there(&session.sink);
}

void session_forget(void)
{
	sink_abandon(&session.sink);
	has_file = false;
	session.complete = false;
	define_withdraw();
	drain_forget();
	ring_forget();
	unowned_forget();
}
