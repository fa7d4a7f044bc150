/* SPDX-License-Identifier: MIT */
#include "preload/start/rundir.h"

#include "collector/base/err.h"
#include "preload/start/environment.h"
#include "preload/start/settings.h"
#include "preload/start/text.h"
#include "preload/thread/arena.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RUN_DIR "LIBTRACE_RUN_DIR"
#define RUN_PID "LIBTRACE_RUN_PID"
#define RUN_ID  "LIBTRACE_RUN_ID"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

/* The script or module that an interpreter was started with, else NULL. */
static const char *python_target(int argc, char *const *argv)
{
	for (int i = 1; i < argc && argv[i] != NULL; i++) {
		const char *argument = argv[i];
		if (argument[0] != '-')
			return base_name(argument);
		if (strcmp(argument, "-m") == 0)
			return i + 1 < argc ? argv[i + 1] : NULL;
		if (strcmp(argument, "-c") == 0 || strcmp(argument, "-") == 0)
			return NULL;
		if (strcmp(argument, "-X") == 0 || strcmp(argument, "-W") == 0)
			i++;
	}
	return NULL;
}

void rundir_program(int argc, char *const *argv, char *ret_name, size_t size)
{
	const char *name = argc > 0 && argv[0] != NULL ? base_name(argv[0]) : "program";
	if (strncmp(name, "python", 6) == 0 && python_target(argc, argv) != NULL)
		name = python_target(argc, argv);
	size_t length = strnlen(name, size - 1);
	if (length > 3 && strcmp(name + length - 3, ".py") == 0)
		length -= 3;
	if (length > 64)
		length = 64;
	for (size_t i = 0; i < length; i++) {
		unsigned char letter = (unsigned char)name[i];
		ret_name[i] = isalnum(letter) || strchr("._-", letter) != NULL ? (char)letter : '_';
	}
	if (length == 0)
		ret_name[length++] = '_';
	ret_name[length] = '\0';
}

/* Days since 1970 to a date, after Howard Hinnant's civil_from_days. */
void rundir_stamp(int64_t seconds, char ret_stamp[16])
{
	int64_t days = seconds / 86400, rest = seconds % 86400;
	int64_t shifted = days + 719468;
	int64_t era = shifted / 146097;
	int64_t day_of_era = shifted - era * 146097;
	int64_t year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int64_t day_of_year =
		day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int64_t month_index = (5 * day_of_year + 2) / 153;
	unsigned day = (unsigned)(day_of_year - (153 * month_index + 2) / 5 + 1);
	unsigned month = (unsigned)(month_index < 10 ? month_index + 3 : month_index - 9);
	unsigned year = (unsigned)(year_of_era + era * 400 + (month <= 2));
	struct text text = {ret_stamp, 16, 0};
	text_put_number(&text, year % 10000, 4);
	text_put_number(&text, month % 100, 2);
	text_put_number(&text, day % 100, 2);
	text_put(&text, "-");
	text_put_number(&text, (uint64_t)rest / 3600, 2);
	text_put_number(&text, (uint64_t)rest / 60 % 60, 2);
	text_put_number(&text, (uint64_t)rest % 60, 2);
}

static int make_absolute(const char *path, char *ret_path, size_t size)
{
	size_t at = 0;
	if (path[0] != '/') {
		if (getcwd(ret_path, size) == NULL)
			return -errno;
		at = strlen(ret_path);
		if (at + 1 < size && (at == 0 || ret_path[at - 1] != '/'))
			ret_path[at++] = '/';
	}
	size_t length = strlen(path);
	if (at + length >= size)
		return -ERR_TOO_LARGE;
	memcpy(ret_path + at, path, length + 1);
	return 0;
}

/* Not time(), which is another page of libc. */
static int64_t seconds_now(void)
{
	struct timespec now;
	return clock_gettime(CLOCK_REALTIME, &now) == 0 ? now.tv_sec : 0;
}

static int default_folder(int argc, char *const *argv, int pid, char *ret_path, size_t size)
{
	char program[68], stamp[16], name[128];
	rundir_program(argc, argv, program, sizeof(program));
	rundir_stamp(seconds_now(), stamp);
	struct text text = {name, sizeof(name), 0};
	text_put(&text, "trace-");
	text_put(&text, program);
	text_put(&text, "-");
	text_put(&text, stamp);
	text_put(&text, "-");
	text_put_number(&text, (uint64_t)pid, 1);
	return make_absolute(name, ret_path, size);
}

static int keep(const char *path, const char **ret_path)
{
	char *kept = arena_take(strlen(path) + 1);
	if (kept == NULL)
		return -ENOMEM;
	*ret_path = memcpy(kept, path, strlen(path) + 1);
	return 0;
}

/* Letters of a file name only: it is typed and printed later. */
static void set_id(struct rundir *rundir, const char *prefix, const char *first, const char *second)
{
	struct text text = {rundir->id, sizeof(rundir->id), 0};
	text_put(&text, prefix);
	text_put(&text, first);
	text_put(&text, second != NULL ? "." : "");
	text_put(&text, second != NULL ? second : "");
	for (char *at = rundir->id; *at != '\0'; at++)
		if (!isalnum((unsigned char)*at) && strchr("._-", *at) == NULL)
			*at = '_';
}

/* Of the environment, of the launcher that has begun this process, or a new one. */
static void choose_id(char *const *environment, struct rundir *ret_rundir)
{
	const char *inherited = settings_get(environment, RUN_ID);
	const char *job = settings_get(environment, "SLURM_JOB_ID");
	const char *step = settings_get(environment, "SLURM_STEP_ID");
	const char *space = settings_get(environment, "PMIX_NAMESPACE");
	char stamp[16];
	if (inherited != NULL && *inherited != '\0') {
		set_id(ret_rundir, "", inherited, NULL);
	} else if (job != NULL && step != NULL && settings_get(environment, "SLURM_PROCID")) {
		set_id(ret_rundir, "slurm-", job, step);
	} else if (space != NULL && *space != '\0') {
		set_id(ret_rundir, "mpi-", space, NULL);
	} else {
		rundir_stamp(seconds_now(), stamp);
		struct text text = {ret_rundir->id, sizeof(ret_rundir->id), 0};
		text_put(&text, stamp);
		text_put(&text, "-");
		text_put_number(&text, (uint64_t)ret_rundir->pid, 1);
	}
}

int rundir_choose(const char *pattern, int argc, char *const *argv, char *const *environment,
	int64_t rank, struct rundir *ret_rundir)
{
	const char *inherited = settings_get(environment, RUN_DIR);
	const char *first[] = {RUN_PID, NULL};
	char path[PATH_MAX];
	int code = 0;
	ret_rundir->pid = (int)getpid();
	choose_id(environment, ret_rundir);
	ret_rundir->path = "";
	ret_rundir->is_default = true;
	ret_rundir->is_first =
		inherited == NULL || settings_first_number(environment, first) == ret_rundir->pid;
	if (*pattern != '\0') {
		char host[64] = "host", text[PATH_MAX];
		(void)gethostname(host, sizeof(host) - 1);
		code = settings_expand(pattern, ret_rundir->pid, host, rank, text, sizeof(text));
		if (code == 0)
			code = make_absolute(text, path, sizeof(path));
		ret_rundir->is_default = code < 0;
	}
	int made = 0;
	if (ret_rundir->is_default)
		made = inherited != NULL && *inherited != '\0'
			       ? make_absolute(inherited, path, sizeof(path))
			       : default_folder(argc, argv, ret_rundir->pid, path, sizeof(path));
	if (made == 0)
		made = keep(path, &ret_rundir->path);
	return code < 0 ? code : made;
}

void rundir_export(const struct rundir *rundir, const char *pattern)
{
	char text[PATH_MAX];
	environment_set(RUN_DIR, rundir->path);
	environment_set(RUN_ID, rundir->id);
	if (rundir->is_first) {
		struct text pid = {text, sizeof(text), 0};
		text_put_number(&pid, (uint64_t)rundir->pid, 1);
		environment_set(RUN_PID, text);
	}
	if (*pattern != '\0' && *pattern != '/' && !rundir->is_default &&
		make_absolute(pattern, text, sizeof(text)) == 0)
		environment_set("LIBTRACE_OUT", text);
}
