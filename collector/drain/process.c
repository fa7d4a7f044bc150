/* SPDX-License-Identifier: MIT */
#include "collector/drain/process.h"

#include "collector/own/descriptor.h"
#include "collector/own/loading.h"
#include "collector/own/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/drain/secret.h"

static struct {
	char host[64];
	char program[256];
	char arguments[PROCESS_COMMAND_BYTES + 1];
	char command[PROCESS_COMMAND_BYTES + 1];
	char executable[PATH_MAX];
	char directory[PATH_MAX];
} texts;

static size_t read_file(const char *path, char *to, size_t size)
{
	int fd = descriptor_open(path, O_RDONLY, 0);
	if (fd < 0)
		return 0;
	size_t have = 0;
	while (have < size) {
		ssize_t got = descriptor_read(fd, to + have, size - have);
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	descriptor_close(fd);
	return have;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '-' || c == '_';
}

void process_host(char *ret_name, size_t size)
{
	char name[64] = "";
	if (gethostname(name, sizeof(name) - 1) < 0 || name[0] == '\0')
		memcpy(name, "host", 5);
	size_t i = 0;
	for (; name[i] != '\0' && i + 1 < size; i++)
		ret_name[i] = is_plain(name[i]) && !(i == 0 && name[i] == '.') ? name[i] : '_';
	ret_name[i] = '\0';
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* The argument after at, or NULL at the end. */
static const char *next_argument(const char *at, const char *end)
{
	at += strnlen(at, (size_t)(end - at)) + 1;
	return at < end ? at : NULL;
}

/* What an interpreter was told to run: after its options a script, or -m MODULE. */
static const char *script_of(const char *arguments, const char *end)
{
	const char *at = next_argument(arguments, end);
	while (at != NULL && at[0] == '-' && at[1] != '\0') {
		if (at[1] == 'c')
			return NULL;
		if (at[1] == 'm')
			return at[2] != '\0' ? at + 2 : next_argument(at, end);
		if ((at[1] == 'W' || at[1] == 'X') && at[2] == '\0')
			at = next_argument(at, end);
		if (at != NULL)
			at = next_argument(at, end);
	}
	return at;
}

void process_program(const char *arguments, size_t length, char *ret_name, size_t size)
{
	const char *name = length > 0 ? base_name(arguments) : "unknown";
	if (length > 0 && strncmp(name, "python", 6) == 0) {
		const char *script = script_of(arguments, arguments + length);
		if (script != NULL && script[0] != '\0')
			name = base_name(script);
	}
	(void)snprintf(ret_name, size, "%s", name);
}

static unsigned processors(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 0;
}

/*
 * Who asked for this process. Python's fork server makes processes for the one that has started it:
 * they have its arguments, and so it has theirs.
 */
static uint64_t find_parent(const char *arguments, size_t length)
{
	static const char server[] = "from multiprocessing.forkserver import main";
	char path[32], text[512];
	unsigned asked = 0;
	uint64_t parent = (uint64_t)getppid();
	if (memmem(arguments, length, server, sizeof(server) - 1) == NULL)
		return parent;
	(void)snprintf(path, sizeof(path), "/proc/%u/cmdline", (unsigned)parent);
	size_t got = read_file(path, text, sizeof(text));
	if (memmem(text, got, server, sizeof(server) - 1) == NULL)
		return parent; /* is the server itself, or it has ended */
	(void)snprintf(path, sizeof(path), "/proc/%u/stat", (unsigned)parent);
	got = read_file(path, text, sizeof(text) - 1);
	text[got] = '\0';
	const char *name_end = strrchr(text, ')');
	return name_end != NULL && sscanf(name_end, ") %*c %u", &asked) == 1 && asked > 1 ? asked
											  : parent;
}

/* What Python's multiprocessing starts anew runs the program of the process that asked for it. */
static void name_after(uint64_t parent)
{
	static const char started[] = "from multiprocessing.";
	char path[32], text[1024];
	if (memmem(texts.arguments, sizeof(texts.arguments), started, sizeof(started) - 1) == NULL)
		return;
	(void)snprintf(path, sizeof(path), "/proc/%u/cmdline", (unsigned)parent);
	size_t length = read_file(path, text, sizeof(text) - 1);
	text[length] = '\0';
	if (length > 0 && memmem(text, length, started, sizeof(started) - 1) == NULL)
		process_program(text, length, texts.program, sizeof(texts.program));
}

const char *process_refuses(void)
{
	/* The program may have set a filter of system calls since it began. */
	if (!sandbox_permits())
		return "seccomp ends what makes system calls that it needs";
	if (loading_is_lost())
		return "it was forked while another thread loaded or closed a library";
	return NULL;
}

void process_describe(bool with_command, struct meta_RUN *ret_run)
{
	memset(&texts, 0, sizeof(texts));
	process_host(texts.host, sizeof(texts.host));
	size_t length = read_file("/proc/self/cmdline", texts.arguments, PROCESS_COMMAND_BYTES);
	process_program(texts.arguments, length, texts.program, sizeof(texts.program));
	if (with_command)
		secret_mask(texts.arguments, length, length == PROCESS_COMMAND_BYTES, texts.command,
			sizeof(texts.command));
	if (readlink("/proc/self/exe", texts.executable, sizeof(texts.executable) - 1) < 0)
		texts.executable[0] = '\0';
	if (getcwd(texts.directory, sizeof(texts.directory)) == NULL)
		texts.directory[0] = '\0';
	ret_run->host = texts.host;
	ret_run->pid = (uint64_t)getpid();
	ret_run->parent_pid = find_parent(texts.arguments, length);
	name_after(ret_run->parent_pid);
	ret_run->program = texts.program;
	ret_run->command = texts.command;
	ret_run->executable = texts.executable;
	ret_run->directory = texts.directory;
	ret_run->processors = processors();
}

int process_absolute(const char *path, char *ret_path, size_t size)
{
	size_t before = 0, length = strlen(path);
	if (path[0] != '/') {
		if (getcwd(ret_path, size) == NULL)
			return errno == ERANGE ? -ENAMETOOLONG : -errno;
		before = strlen(ret_path);
		if (before + 1 < size)
			ret_path[before++] = '/';
	}
	if (before + length >= size)
		return -ENAMETOOLONG;
	memcpy(ret_path + before, path, length + 1);
	return 0;
}

int process_make_folder(const char *path, unsigned file_mode)
{
	/* Who may read or write a file may do so with the folder, and enter it. */
	mode_t mode = (file_mode | 0600) | ((file_mode | 0600) & 0444) >> 2;
	char part[PATH_MAX];
	int made = 0;
	size_t length = strnlen(path, sizeof(part));
	if (length >= sizeof(part))
		return -ENAMETOOLONG;
	for (size_t i = 1; i <= length; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0700) == 0) {
			made++;
			if (mode != 0700 && chmod(part, mode) < 0)
				return -errno;
		} else if (errno != EEXIST && i == length) {
			return -errno;
		}
	}
	/* Something else of that name, or a parent that could not be made. */
	struct stat status;
	if (stat(path, &status) < 0)
		return -errno;
	return S_ISDIR(status.st_mode) ? made : -ENOTDIR;
}
