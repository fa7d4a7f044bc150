/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "analyzer/export/forms/forms.h"
#include "analyzer/export/forms/perfetto_names.h"
#include "analyzer/export/forms/sqlite_library.h"
#include "analyzer/text/safe.h"
#include "collector/format/fields.h"

/* docs/sqlite.md says what each column means. */
static const char schema[] =
	"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
	"CREATE TABLE process (id INTEGER PRIMARY KEY, pid INTEGER, name TEXT);"
	"CREATE TABLE track (id INTEGER PRIMARY KEY, process INTEGER, tid INTEGER, name TEXT);"
	"CREATE TABLE event (id INTEGER PRIMARY KEY, process INTEGER, track INTEGER, kind TEXT,"
	" name TEXT, begin_ns INTEGER, end_ns INTEGER, asked_by INTEGER, result INTEGER, file TEXT,"
	" line INTEGER, function TEXT, finding TEXT, device INTEGER, stream INTEGER, bytes INTEGER,"
	" direction TEXT, graph INTEGER, correlation INTEGER);"
	"CREATE TABLE step (process INTEGER, name TEXT, begin_ns INTEGER, end_ns INTEGER);"
	"CREATE TABLE finding (process INTEGER, title TEXT, evidence TEXT, advice TEXT);"
	"CREATE TABLE counter (process INTEGER, name TEXT, unit TEXT, ns INTEGER, value REAL);"
	"CREATE TABLE lost (process INTEGER, what TEXT, cause TEXT, ns INTEGER);";

static const char finish_sql[] = "CREATE INDEX event_by_kind ON event (kind, begin_ns);"
				 "CREATE INDEX event_by_track ON event (track, begin_ns);"
				 "CREATE INDEX event_by_call ON event (asked_by); COMMIT;";

enum statement {
	PUT_PROCESS,
	PUT_TRACK,
	PUT_EVENT,
	PUT_STEP,
	PUT_FINDING,
	PUT_COUNTER,
	PUT_LOST,
	STATEMENT_COUNT
};

static const char *const statements[STATEMENT_COUNT] = {
	[PUT_PROCESS] = "INSERT INTO process VALUES (?, ?, ?)",
	[PUT_TRACK] = "INSERT OR REPLACE INTO track VALUES (?, ?, ?, ?)",
	[PUT_EVENT] = "INSERT INTO event VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[PUT_STEP] = "INSERT INTO step VALUES (?, ?, ?, ?)",
	[PUT_FINDING] = "INSERT INTO finding VALUES (?, ?, ?, ?)",
	[PUT_COUNTER] = "INSERT INTO counter VALUES (?, ?, ?, ?, ?)",
	[PUT_LOST] = "INSERT INTO lost VALUES (?, ?, ?, ?)"};

/* Calls whose events are known by their flow: those of the last so many. Power of two. */
#define FLOWS (1u << 17)

struct sqlite {
	const struct sqlite_library *library;
	struct out *out;
	void *database;
	void *put[STATEMENT_COUNT];
	struct body *body; /* for titles and places alone */
	struct field_names names;
	struct body_source source;
	uint64_t process, begin_ns, events;
	struct {
		uint64_t flow, event;
	} * flows;
};

/* The first failure is the output's; SQLite says no more than this. */
static void note(struct sqlite *sqlite, int result)
{
	if (result != 0 && result != SQLITE_DONE && sqlite->out->error == 0)
		sqlite->out->error = result == SQLITE_FULL    ? -ENOSPC
				     : result == SQLITE_NOMEM ? -ENOMEM
							      : -EIO;
}

static void run(struct sqlite *sqlite, const char *sql)
{
	note(sqlite, sqlite->library->exec(sqlite->database, sql, NULL, NULL, NULL));
}

static void finish_row(struct sqlite *sqlite, enum statement statement)
{
	if (sqlite->out->error == 0)
		note(sqlite, sqlite->library->step(sqlite->put[statement]));
	(void)sqlite->library->reset(sqlite->put[statement]);
}

static void put_number(struct sqlite *sqlite, enum statement statement, int index, uint64_t value)
{
	(void)sqlite->library->bind_int64(sqlite->put[statement], index, (int64_t)value);
}

/* NULL or an empty text: it is not known. */
static void put_text(struct sqlite *sqlite, enum statement statement, int index, const char *text)
{
	char copy[PERFETTO_TEXT_LIMIT];
	if (text == NULL || text[0] == '\0') {
		(void)sqlite->library->bind_null(sqlite->put[statement], index);
		return;
	}
	size_t size = safe_utf8(text, copy, sizeof(copy));
	note(sqlite, sqlite->library->bind_text(
			     sqlite->put[statement], index, copy, (int)size, SQLITE_COPY));
}

static void put_nothing(struct sqlite *sqlite, enum statement statement, int from, int to)
{
	for (int index = from; index <= to; index++)
		(void)sqlite->library->bind_null(sqlite->put[statement], index);
}

static void sqlite_free(void *writer)
{
	struct sqlite *sqlite = writer;
	if (sqlite == NULL)
		return;
	for (unsigned i = 0; i < STATEMENT_COUNT; i++)
		if (sqlite->put[i] != NULL)
			(void)sqlite->library->finalize(sqlite->put[i]);
	if (sqlite->database != NULL)
		(void)sqlite->library->close(sqlite->database);
	body_free(sqlite->body);
	demangle_cache_release(&sqlite->names.cache);
	free(sqlite->flows);
	free(sqlite);
}

static void make_nothing(const struct body_source *source, struct out *out,
	const struct record *record, bool on_device)
{
	(void)source, (void)out, (void)record, (void)on_device;
}

static void *sqlite_new(struct out *out, uint64_t begin_ns, enum demangle_how how)
{
	struct sqlite *sqlite = calloc(1, sizeof(*sqlite));
	if (sqlite == NULL)
		return NULL;
	sqlite->library = sqlite_library();
	sqlite->out = out;
	sqlite->begin_ns = begin_ns;
	sqlite->names.cache.how = how;
	sqlite->source.names = &sqlite->names;
	sqlite->body = body_new(how, make_nothing, NULL);
	sqlite->flows = calloc(FLOWS, sizeof(*sqlite->flows));
	if (sqlite->library == NULL || sqlite->body == NULL || sqlite->flows == NULL ||
		sqlite->library->open(out->path, &sqlite->database) != 0) {
		sqlite_free(sqlite);
		return NULL;
	}
	run(sqlite, schema);
	for (unsigned i = 0; i < STATEMENT_COUNT; i++)
		note(sqlite, sqlite->library->prepare(
				     sqlite->database, statements[i], -1, &sqlite->put[i], NULL));
	return sqlite;
}

static void sqlite_begin_file(void *writer, struct reader *reader, const struct remarks *remarks)
{
	struct sqlite *sqlite = writer;
	sqlite->names.reader = reader;
	sqlite->source.remarks = remarks;
	body_begin_file(sqlite->body, reader, remarks);
}

static void sqlite_end_file(void *writer)
{
	struct sqlite *sqlite = writer;
	body_end_file(sqlite->body);
	demangle_cache_release(&sqlite->names.cache);
	sqlite->names.reader = NULL;
}

static void sqlite_process(void *writer, const struct timeline_process *process)
{
	struct sqlite *sqlite = writer;
	sqlite->process = process->number;
	put_number(sqlite, PUT_PROCESS, 1, process->number);
	put_number(sqlite, PUT_PROCESS, 2, process->pid);
	put_text(sqlite, PUT_PROCESS, 3, process->name);
	finish_row(sqlite, PUT_PROCESS);
}

static void sqlite_track(void *writer, const struct timeline_track *track)
{
	struct sqlite *sqlite = writer;
	put_number(sqlite, PUT_TRACK, 1, track->number);
	put_number(sqlite, PUT_TRACK, 2, sqlite->process);
	if (track->is_thread)
		put_number(sqlite, PUT_TRACK, 3, track->tid);
	else
		put_nothing(sqlite, PUT_TRACK, 3, 3);
	put_text(sqlite, PUT_TRACK, 4, track->name);
	finish_row(sqlite, PUT_TRACK);
}

/* result, file, line, function, finding: columns 9 to 13. */
static void put_place(struct sqlite *sqlite, const struct record *record)
{
	const struct reader *reader = sqlite->names.reader;
	const struct meta_PLACE *place = reader_place(reader, record->place);
	put_number(sqlite, PUT_EVENT, 9, (uint64_t)(int64_t)(int32_t)record->result);
	if (place == NULL)
		return;
	bool user = place->user_file != 0;
	const char *file = reader_text(reader, (uint32_t)(user ? place->user_file : place->file));
	uint64_t line = user ? place->user_line : place->line;
	const struct remarks_finding *finding = remarks_at(sqlite->source.remarks, file, line);
	put_text(sqlite, PUT_EVENT, 10, file);
	if (line != 0)
		put_number(sqlite, PUT_EVENT, 11, line);
	put_text(sqlite, PUT_EVENT, 12,
		reader_text(reader, (uint32_t)(user ? place->user_function : place->function)));
	put_text(sqlite, PUT_EVENT, 13, finding != NULL ? finding->title : NULL);
}

/* What several kinds have: columns 14 to 19. */
static void put_fields(struct sqlite *sqlite, const struct record *record)
{
	static const char *const columns[] = {
		"device", "stream", "bytes", "direction", "graph", "correlation"};
	const struct record_kind_info *info = &record_kinds[record->kind];
	for (unsigned i = 0; i < info->field_count; i++) {
		const struct record_field *field = &info->fields[i];
		for (int k = 0; k < 6; k++) {
			if (strcmp(columns[k], field->name) != 0)
				continue;
			uint64_t value = record_get(record, field);
			const char *word = field_value_name(record->kind, field->name, value);
			if (word != NULL)
				put_text(sqlite, PUT_EVENT, 14 + k, word);
			else
				put_number(sqlite, PUT_EVENT, 14 + k, value);
		}
	}
}

static void sqlite_slice(void *writer, const struct timeline_slice *slice)
{
	struct sqlite *sqlite = writer;
	const struct record *record = slice->record;
	const struct timeline_origin *origin = slice->origin;
	char title[BODY_TITLE_BYTES];
	uint64_t id = ++sqlite->events;
	put_number(sqlite, PUT_EVENT, 1, id);
	put_number(sqlite, PUT_EVENT, 2, sqlite->process);
	put_number(sqlite, PUT_EVENT, 3, slice->track->number);
	put_text(sqlite, PUT_EVENT, 4, record_kinds[record->kind].name);
	put_text(sqlite, PUT_EVENT, 5, body_title(&sqlite->source, record, title));
	put_number(sqlite, PUT_EVENT, 6, record->begin - sqlite->begin_ns);
	put_number(sqlite, PUT_EVENT, 7,
		(record->end > record->begin ? record->end : record->begin) - sqlite->begin_ns);
	put_nothing(sqlite, PUT_EVENT, 8, 19);
	if (origin != NULL && sqlite->flows[origin->flow & (FLOWS - 1)].flow == origin->flow)
		put_number(sqlite, PUT_EVENT, 8, sqlite->flows[origin->flow & (FLOWS - 1)].event);
	if (!slice->on_device)
		put_place(sqlite, record);
	put_fields(sqlite, record);
	finish_row(sqlite, PUT_EVENT);
	if (slice->flow != 0) {
		sqlite->flows[slice->flow & (FLOWS - 1)].flow = slice->flow;
		sqlite->flows[slice->flow & (FLOWS - 1)].event = id;
	}
}

static void sqlite_span(void *writer, const struct timeline_span *span)
{
	struct sqlite *sqlite = writer;
	bool is_step = strcmp(span->category, "step") == 0;
	bool is_finding = strcmp(span->category, "finding") == 0;
	enum statement statement = is_step ? PUT_STEP : is_finding ? PUT_FINDING : PUT_LOST;
	put_number(sqlite, statement, 1, sqlite->process);
	put_text(sqlite, statement, 2, span->name);
	if (is_step) {
		put_number(sqlite, statement, 3, span->begin_ns - sqlite->begin_ns);
		put_number(sqlite, statement, 4, span->end_ns - sqlite->begin_ns);
	} else {
		put_text(sqlite, statement, 3, span->texts[0].text);
		put_text(sqlite, statement, 4, span->texts[1].text);
	}
	if (!is_step && !is_finding)
		put_number(sqlite, statement, 4, span->begin_ns - sqlite->begin_ns);
	finish_row(sqlite, statement);
}

static void sqlite_counter(void *writer, const struct timeline_counter *counter)
{
	struct sqlite *sqlite = writer;
	put_number(sqlite, PUT_COUNTER, 1, sqlite->process);
	put_text(sqlite, PUT_COUNTER, 2, counter->name);
	put_text(sqlite, PUT_COUNTER, 3, counter->unit);
	put_number(sqlite, PUT_COUNTER, 4, counter->ns - sqlite->begin_ns);
	(void)sqlite->library->bind_double(sqlite->put[PUT_COUNTER], 5, counter->value);
	finish_row(sqlite, PUT_COUNTER);
}

static void sqlite_finish(void *writer)
{
	struct sqlite *sqlite = writer;
	run(sqlite, finish_sql);
}

static const struct body *sqlite_body(const void *writer)
{
	const struct sqlite *sqlite = writer;
	return sqlite->body;
}

const struct timeline_writer writer_sqlite = {.name = "sqlite",
	.new = sqlite_new,
	.free = sqlite_free,
	.begin_file = sqlite_begin_file,
	.end_file = sqlite_end_file,
	.process = sqlite_process,
	.track = sqlite_track,
	.slice = sqlite_slice,
	.span = sqlite_span,
	.counter = sqlite_counter,
	.finish = sqlite_finish,
	.body = sqlite_body};
