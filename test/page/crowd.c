/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace that is hard to show: crowd FILE THREADS. Each thread has nested operators, two
 * that overlap without being nested, one without length; names would end a script, begin a comment
 * in one, turn the direction of writing, or are very long. RANK in the environment is the rank.
 */
#include "collector/format/fields.h"
#include "test/unit/analyzer/trace_maker.h"

#define LONG_NAME 10000

static const char *const names[] = {"</script><script>window.hurt = 1</script>", "<!-- <script> ",
	"\xe2\x80\xae"
	"txet",
	"<img src=x onerror=\"window.hurt = 2\">", NULL};

static void define(struct maker *maker, uint32_t threads)
{
	static char text[LONG_NAME + 1];
	const char *rank = getenv("RANK");
	memset(text, 'n', LONG_NAME);
	maker_meta(maker, (struct meta){.kind = META_RUN,
				  .u.run = {.format_version = 1,
					  .pid = maker->pid,
					  .rank = rank != NULL ? atol(rank) : -1,
					  .world_size = rank != NULL ? 200 : -1,
					  .host = "host",
					  .program = names[0],
					  .begin_ns = MAKER_BEGIN}});
	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		maker_meta(maker, (struct meta){.kind = META_NAME,
					  .u.name = {i + 1, names[i] != NULL ? names[i] : text}});
	for (uint32_t i = 1; i <= threads; i++)
		maker_meta(maker, (struct meta){.kind = META_THREAD,
					  .u.thread = {i, 1000 + i, names[i % 4]}});
}

/* In the order of their ends, as a thread commits them. */
static void add_thread(struct maker *maker, uint32_t thread)
{
	const uint64_t at = MAKER_BEGIN + thread * 1000;
	const uint64_t times[][2] = {{10, 20}, {30, 30}, {25, 60}, {50, 80}, {0, 100}};
	struct record records[5];
	for (uint32_t i = 0; i < 5; i++)
		records[i] = (struct record){.kind = RECORD_OP,
			.begin = at + times[i][0],
			.end = at + times[i][1],
			.name = 1 + i};
	MAKER_CHECK(encoder_add_events(maker->encoder, thread, 0, records, 5) == 0);
	maker->event += 5;
}

int main(int argc, char **argv)
{
	MAKER_CHECK(argc == 3);
	struct maker *maker = maker_new();
	uint32_t threads = (uint32_t)atol(argv[2]);
	define(maker, threads);
	for (uint32_t thread = 1; thread <= threads; thread++) {
		add_thread(maker, thread);
		if (thread % 200 == 0)
			maker_frame(maker);
	}
	maker_end(maker);
	maker_frame(maker);
	FILE *file = fopen(argv[1], "wb");
	MAKER_CHECK(file != NULL);
	MAKER_CHECK(fwrite(maker->bytes, 1, maker->size, file) == maker->size && fclose(file) == 0);
	maker_free(maker);
	return 0;
}
