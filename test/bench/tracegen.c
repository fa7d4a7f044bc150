/* SPDX-License-Identifier: MIT */
#include "test/bench/tracegen.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/codec/frame.h"

/* A trace file on its way. Any failure ends the program: this is test equipment. */
struct writer {
	FILE *file;
	struct encoder *encoder;
	struct frame_compressor *compressor;
	uint8_t *raw, *packed;
	struct frame_info info;
	uint64_t events;
};

static const char usage[] =
	"usage: tracegen --out FILE|FOLDER [--events N] [--seed N] [--launches N] [--names N]\n"
	"       [--places N] [--threads N] [--sync-every N] [--loss PERMILLE] [--rank N]\n"
	"       [--level N] [--frame-kb N] [--no-end] [--device] [--host] [--budget]\n"
	"       [--ids N] [--totals FILE]\n"
	"Write the trace of a model of a training process; the same options give the same bytes.\n";

struct settings {
	struct tracegen_options model;
	const char *out, *totals;
	int level;
	size_t frame_bytes;
	bool no_end;
};

static void fail(const char *what, int error)
{
	fprintf(stderr, "tracegen: %s: %s\n", what, err_text(error));
	exit(4);
}

static void flush_frame(struct writer *writer)
{
	size_t bytes;
	if (encoder_size(writer->encoder) == 0)
		return;
	writer->info.content = (uint16_t)encoder_content(writer->encoder);
	writer->info.events = (uint32_t)encoder_events(writer->encoder);
	writer->info.first_ns = encoder_first_ns(writer->encoder);
	writer->info.last_ns = encoder_last_ns(writer->encoder);
	int error = frame_pack(writer->compressor, &writer->info, writer->raw,
		encoder_size(writer->encoder), writer->packed, frame_bound(CODEC_FRAME_LIMIT),
		&bytes);
	if (error != 0)
		fail("frame", error);
	if (fwrite(writer->packed, 1, bytes, writer->file) != bytes)
		fail("write", -errno);
	writer->info.sequence++;
	writer->info.lost = 0;
	encoder_reset(writer->encoder);
}

static void write_meta(void *context, const struct meta *meta)
{
	struct writer *writer = context;
	int error = encoder_add_meta(writer->encoder, meta);
	if (error == -ENOSPC) {
		flush_frame(writer);
		error = encoder_add_meta(writer->encoder, meta);
	}
	if (error != 0)
		fail("definition", error);
}

/* A small frame may need the block in pieces. */
static void write_events(struct writer *writer, const struct tracegen_block *block)
{
	unsigned done = 0, count = block->count;
	while (done < block->count) {
		count = count < block->count - done ? count : block->count - done;
		int error = encoder_add_events(writer->encoder, block->thread,
			block->first_sequence + done, block->records + done, count);
		if (error == 0)
			done += count;
		else if (error != -ENOSPC || count == 1)
			fail("events", error);
		else if (encoder_size(writer->encoder) == 0)
			count = (count + 1) / 2;
		else
			flush_frame(writer);
	}
}

static void write_block(struct writer *writer, const struct tracegen_block *block)
{
	write_events(writer, block);
	writer->events += block->count;
	if (block->lost == 0)
		return;
	struct meta lost = {.kind = META_LOST};
	lost.u.lost.thread = block->thread;
	lost.u.lost.count = block->lost;
	lost.u.lost.cause = "ring full";
	lost.u.lost.first_ns = block->lost_first_ns;
	lost.u.lost.last_ns = block->lost_last_ns;
	write_meta(writer, &lost);
	writer->info.lost += (uint32_t)block->lost;
}

static void write_end(struct writer *writer, const struct tracegen_totals *totals)
{
	struct meta end = {.kind = META_END};
	end.u.end.reason = "exit";
	end.u.end.events = writer->events;
	end.u.end.lost = totals->lost;
	end.u.end.frames = writer->info.sequence + 1;
	write_meta(writer, &end);
}

static void open_writer(struct writer *writer, const struct settings *settings)
{
	char path[4096];
	struct stat status;
	const char *name = settings->out;
	if (stat(name, &status) == 0 && S_ISDIR(status.st_mode)) {
		(void)snprintf(path, sizeof(path), "%s/host-%u.msgpack.zst", name,
			1000 + 100 * settings->model.rank);
		name = path;
	}
	*writer = (struct writer){
		.file = fopen(name, "wb"),
		.compressor = frame_compressor_new(settings->level),
		.raw = malloc(settings->frame_bytes),
		.packed = malloc(frame_bound(CODEC_FRAME_LIMIT)),
		.info = {.version = FRAME_FORMAT_VERSION, .pid = 1000 + 100 * settings->model.rank},
	};
	if (writer->file == NULL)
		fail(name, -errno);
	writer->encoder = encoder_new(writer->raw, settings->frame_bytes);
	if (!writer->compressor || !writer->raw || !writer->packed || !writer->encoder)
		fail("memory", -ENOMEM);
}

static void close_writer(struct writer *writer)
{
	if (fclose(writer->file) != 0)
		fail("write", -errno);
	encoder_free(writer->encoder);
	frame_compressor_free(writer->compressor);
	free(writer->raw);
	free(writer->packed);
}

/* One JSON object "name": value, ... over the kinds that occur. */
static void print_kinds(FILE *file, const char *key, const uint64_t *values, const uint64_t *events)
{
	const char *separator = "";
	fprintf(file, "  \"%s\": {", key);
	for (unsigned kind = 0; kind < RECORD_KIND_LIMIT; kind++) {
		if (events[kind] == 0)
			continue;
		fprintf(file, "%s\"%s\": %llu", separator, record_kinds[kind].name,
			(unsigned long long)values[kind]);
		separator = ", ";
	}
	fprintf(file, "},\n");
}

static void write_totals(
	const struct settings *settings, struct tracegen *tracegen, uint32_t frames)
{
	const struct tracegen_totals *totals = tracegen_totals(tracegen);
	uint64_t copies[RECORD_KIND_LIMIT] = {0};
	copies[RECORD_COPY] = totals->events[RECORD_COPY];
	copies[RECORD_DEVICE_COPY] = totals->events[RECORD_DEVICE_COPY];
	FILE *file = fopen(settings->totals, "w");
	if (file == NULL)
		fail(settings->totals, -errno);
	fprintf(file, "{\n");
	print_kinds(file, "events", totals->events, totals->events);
	print_kinds(file, "duration_ns", totals->duration_ns, totals->events);
	print_kinds(file, "copy_bytes", totals->bytes, copies);
	fprintf(file, "  \"names\": %u,\n  \"places\": %u,\n  \"threads\": %u,\n",
		tracegen_name_count(tracegen), tracegen_place_count(tracegen),
		tracegen_thread_count(tracegen));
	fprintf(file, "  \"frames\": %u,\n  \"lost\": %llu,\n  \"clean_end\": %s\n}\n", frames,
		(unsigned long long)totals->lost, settings->no_end ? "false" : "true");
	if (fclose(file) != 0)
		fail(settings->totals, -errno);
}

static uint64_t number(const char *text)
{
	char *end;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || *text == '-') {
		fprintf(stderr, "tracegen: %s: not a number\n%s", text, usage);
		exit(2);
	}
	return value;
}

static void set_option(struct settings *settings, int option, const char *value)
{
	struct tracegen_options *model = &settings->model;
	switch (option) {
	case 'o':
		settings->out = value;
		break;
	case 't':
		settings->totals = value;
		break;
	case 'a':
		model->device = true;
		break;
	case 'h':
		model->host = true;
		break;
	case 'x':
		settings->no_end = true;
		break;
	case 'l':
		settings->level = (int)strtol(value, NULL, 10);
		break;
	case 'i':
		model->ids = (unsigned)number(value);
		break;
	case 'f':
		settings->frame_bytes = (size_t)number(value) << 10;
		break;
	case 'e':
		model->events = number(value);
		break;
	case 's':
		model->seed = number(value);
		break;
	case 'u':
		model->launches = (unsigned)number(value);
		break;
	case 'n':
		model->names = (unsigned)number(value);
		break;
	case 'p':
		model->places = (unsigned)number(value);
		break;
	case 'j':
		model->threads = (unsigned)number(value);
		break;
	case 'y':
		model->sync_every = (unsigned)number(value);
		break;
	case 'd':
		model->loss_permille = (unsigned)number(value);
		break;
	case 'r':
		model->rank = (unsigned)number(value);
		break;
	default:
		fputs(usage, stderr);
		exit(2);
	}
}

static void read_arguments(int argc, char **argv, struct settings *settings)
{
	static const struct option options[] = {{"out", 1, NULL, 'o'}, {"totals", 1, NULL, 't'},
		{"no-end", 0, NULL, 'x'}, {"level", 1, NULL, 'l'}, {"events", 1, NULL, 'e'},
		{"seed", 1, NULL, 's'}, {"launches", 1, NULL, 'u'}, {"names", 1, NULL, 'n'},
		{"places", 1, NULL, 'p'}, {"threads", 1, NULL, 'j'}, {"sync-every", 1, NULL, 'y'},
		{"loss", 1, NULL, 'd'}, {"rank", 1, NULL, 'r'}, {"frame-kb", 1, NULL, 'f'},
		{"device", 0, NULL, 'a'}, {"host", 0, NULL, 'h'}, {"ids", 1, NULL, 'i'},
		{"budget", 0, NULL, 'b'}, {0}};
	*settings = (struct settings){
		.model = tracegen_defaults(100000), .level = 1, .frame_bytes = CODEC_FRAME_LIMIT};
	for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
		if (option == 'b')
			settings->model.budget = true;
		else
			set_option(settings, option, optarg);
	const struct tracegen_options *model = &settings->model;
	if (settings->out == NULL || optind != argc || model->launches == 0 || model->names == 0 ||
		model->places < (model->host ? 8u : 1u) || settings->frame_bytes < 65536 ||
		settings->frame_bytes > CODEC_FRAME_LIMIT || model->threads == 0 ||
		model->threads > 100000) {
		fputs(usage, stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct settings settings;
	struct writer writer;
	struct tracegen_block block;
	read_arguments(argc, argv, &settings);
	struct tracegen *tracegen = tracegen_new(&settings.model);
	if (tracegen == NULL)
		fail("memory", -ENOMEM);
	open_writer(&writer, &settings);
	tracegen_define(tracegen, write_meta, &writer);
	while (tracegen_next(tracegen, &block))
		write_block(&writer, &block);
	if (!settings.no_end)
		write_end(&writer, tracegen_totals(tracegen));
	flush_frame(&writer);
	if (settings.totals != NULL)
		write_totals(&settings, tracegen, writer.info.sequence);
	close_writer(&writer);
	tracegen_free(tracegen);
	return 0;
}
