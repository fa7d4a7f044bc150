/* SPDX-License-Identifier: MIT */
#include "collector/write/excerpt.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/base/hash.h"
#include "collector/buffer/define.h"
#include "collector/own/descriptor.h"

#define PLACES_PER_TURN 64u
#define LINE_LIMIT      (1u << 24) /* no file of EXCERPT_FILE_BYTES has more */

/* The file that was read last; its bytes are given back when the turn ends. */
struct source {
	uint32_t file; /* name; 0: none yet */
	char path[PATH_MAX];
	char *bytes;
	size_t size; /* 0: cannot be read, or is no text of a program */
	uint64_t file_bytes, changed_ns;
	/* where the line that was looked for last begins, so that the next need not begin anew */
	uint32_t line;
	size_t at;
};

void excerpt_begin(struct excerpt *excerpt, const struct collector_options *options)
{
	memset(excerpt, 0, sizeof(*excerpt));
	excerpt->folder = options->source_folder;
	excerpt->bytes_left = options->source_bytes;
	excerpt->installed_bytes_left = options->source_bytes / 2;
}

static bool is_installed(uint32_t file)
{
	static const char *const folders[] = {"/site-packages/", "/dist-packages/", "/lib/python"};
	size_t length;
	const char *name = define_name_text(file, &length);
	for (size_t i = 0; name != NULL && i < sizeof(folders) / sizeof(folders[0]); i++)
		if (memmem(name, length, folders[i], strlen(folders[i])) != NULL)
			return true;
	return false;
}

/* False: the trace has the group, or there is no room to know. */
static bool note_group(struct excerpt *excerpt, uint32_t file, uint32_t group, bool installed)
{
	uint64_t key = (uint64_t)file << 32 | group;
	uint32_t slot = (uint32_t)(hash_word(key) >> 32);
	if (excerpt->count >= EXCERPT_GROUPS / 2 ||
		(installed && excerpt->installed_count >= EXCERPT_GROUPS / 4))
		return false;
	for (;; slot++) {
		uint64_t *there = &excerpt->groups[slot & (EXCERPT_GROUPS - 1)];
		if (*there == key)
			return false;
		if (*there == 0) {
			*there = key;
			excerpt->count++;
			excerpt->installed_count += installed;
			return true;
		}
	}
}

/* The path to open into full. False: it names no file ("<stdin>"), or is too long. */
static bool find_path(const struct excerpt *excerpt, struct source *source, char *full)
{
	size_t length;
	const char *name = define_name_text(source->file, &length);
	if (name == NULL || length == 0 || length >= sizeof(source->path) || name[0] == '<' ||
		memchr(name, '\0', length) != NULL)
		return false;
	memcpy(source->path, name, length);
	source->path[length] = '\0';
	bool whole = name[0] == '/' || excerpt->folder == NULL;
	int printed = snprintf(full, PATH_MAX, "%s%s%s", whole ? "" : excerpt->folder,
		whole ? "" : "/", source->path);
	return printed > 0 && printed < PATH_MAX && (whole ? name[0] == '/' : true);
}

static size_t read_all(int fd, char *bytes, size_t limit)
{
	size_t size = 0;
	while (size < limit) {
		ssize_t got = descriptor_read(fd, bytes + size, limit - size);
		if (got <= 0)
			return got < 0 ? 0 : size;
		size += (size_t)got;
	}
	return size;
}

static void read_file(struct source *source, const char *path)
{
	struct stat status;
	/* a pipe or a terminal of that name must not keep this thread */
	int fd = descriptor_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return;
	if (descriptor_stat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
		status.st_size <= (off_t)EXCERPT_FILE_BYTES) {
		source->size = read_all(fd, source->bytes, EXCERPT_FILE_BYTES);
		source->file_bytes = (uint64_t)status.st_size;
		source->changed_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000u +
				     (uint64_t)status.st_mtim.tv_nsec;
	}
	descriptor_close(fd);
}

static void load(const struct excerpt *excerpt, struct source *source, uint32_t file)
{
	char path[PATH_MAX];
	source->file = file;
	source->size = 0;
	source->line = 1;
	source->at = 0;
	if (source->bytes == NULL) {
		void *memory = mmap(NULL, EXCERPT_FILE_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory == MAP_FAILED)
			return;
		source->bytes = memory;
	}
	if (find_path(excerpt, source, path))
		read_file(source, path);
}

/* Bytes of the line at the offset, and *ret_next where the one after it begins. */
static size_t line_bytes(const struct source *source, size_t at, size_t *ret_next)
{
	size_t end = at;
	while (end < source->size && source->bytes[end] != '\n' && source->bytes[end] != '\r')
		end++;
	bool both = end + 1 < source->size && source->bytes[end] == '\r' &&
		    source->bytes[end + 1] == '\n';
	*ret_next = end < source->size ? end + 1 + both : end;
	return end - at;
}

static bool seek_line(struct source *source, uint32_t line)
{
	if (line < source->line) {
		source->line = 1;
		source->at = 0;
	}
	for (; source->line < line && source->at < source->size; source->line++)
		(void)line_bytes(source, source->at, &source->at);
	return source->line == line && source->at < source->size;
}

/* The lines from there on into text; the number of its bytes. */
static size_t copy_lines(const struct source *source, char *text)
{
	size_t used = 0, at = source->at;
	for (unsigned i = 0; i < EXCERPT_LINES && at < source->size; i++) {
		const char *line = source->bytes + at;
		size_t size = line_bytes(source, at, &at);
		if (size > EXCERPT_LINE_BYTES)
			size = EXCERPT_LINE_BYTES;
		for (size_t k = 0; k < size; k++)
			text[used++] = line[k] != '\0' ? line[k] : ' ';
		text[used++] = '\n';
	}
	text[used] = '\0';
	return used;
}

static void write_group(struct excerpt *excerpt, struct source *source, uint32_t group,
	bool installed, struct writer *writer, uint64_t now_ns)
{
	char text[EXCERPT_LINES * (EXCERPT_LINE_BYTES + 1) + 1];
	uint32_t first = group * EXCERPT_LINES + 1;
	if (!seek_line(source, first))
		return;
	size_t size = copy_lines(source, text);
	uint32_t *left = installed ? &excerpt->installed_bytes_left : &excerpt->bytes_left;
	if (size > *left || size > excerpt->bytes_left) {
		*left = 0;
		return;
	}
	excerpt->bytes_left -= (uint32_t)size;
	excerpt->installed_bytes_left -= installed ? (uint32_t)size : 0;
	struct meta meta = {.kind = META_LINES,
		.u.lines = {.path = source->path,
			.first = first,
			.text = text,
			.file_bytes = source->file_bytes,
			.file_changed_ns = source->changed_ns}};
	(void)writer_meta(writer, &meta, now_ns);
}

/* What a package does when it is imported: hundreds of its lines, and none that a step comes to. */
static bool is_import(uint32_t function)
{
	static const char module[] = "<module>";
	size_t length;
	const char *name = define_name_text(function, &length);
	return name != NULL && length == sizeof(module) - 1 && memcmp(name, module, length) == 0;
}

static void take_line(struct excerpt *excerpt, struct source *source, uint32_t file,
	uint32_t function, uint32_t line, struct writer *writer, uint64_t now_ns)
{
	if (file == 0 || line == 0 || line > LINE_LIMIT)
		return;
	bool installed = is_installed(file);
	if (installed && (excerpt->installed_bytes_left == 0 || is_import(function)))
		return;
	uint32_t around = installed ? EXCERPT_INSTALLED : EXCERPT_AROUND;
	uint32_t first = line > around ? line - 1 - around : 0;
	uint32_t last = line - 1 + around;
	for (uint32_t group = first / EXCERPT_LINES; group <= last / EXCERPT_LINES; group++) {
		if (excerpt->bytes_left == 0 || !note_group(excerpt, file, group, installed))
			continue;
		if (source->file != file)
			load(excerpt, source, file);
		if (source->size > 0)
			write_group(excerpt, source, group, installed, writer, now_ns);
	}
}

void excerpt_write(struct excerpt *excerpt, struct writer *writer, uint64_t now_ns, bool all)
{
	struct source source = {0};
	uint32_t last = define_last_place();
	if (!all && last > excerpt->place + PLACES_PER_TURN)
		last = excerpt->place + PLACES_PER_TURN;
	for (; excerpt->place < last && excerpt->bytes_left > 0; excerpt->place++) {
		const struct live_place *place = define_place_at(excerpt->place + 1);
		if (place == NULL || place->address != 0)
			continue;
		if (place->user_file != 0)
			take_line(excerpt, &source, place->user_file, place->user_function,
				place->user_line, writer, now_ns);
		else
			take_line(excerpt, &source, place->file, place->function, place->line,
				writer, now_ns);
		take_line(excerpt, &source, place->library_file, place->library_function,
			place->library_line, writer, now_ns);
	}
	if (source.bytes != NULL)
		(void)munmap(source.bytes, EXCERPT_FILE_BYTES);
}
