/* SPDX-License-Identifier: MIT */
/* The interpreter on PATH and the frameworks that it would import, asked without importing them. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyzer/doctor/check.h"

#define ANSWER_TIMEOUT_MS 5000

extern char **environ;

/*
 * Version, packages, one line per framework. The interpreter is isolated, so that no module of the
 * current folder is run; what it does not look at then is added, but for what counts from there.
 */
static const char question[] =
	"import os, site, sys, sysconfig\n"
	"print('%d.%d.%d' % sys.version_info[:3], sys.implementation.name, sys.executable)\n"
	"print(sysconfig.get_paths()['platlib'])\n"
	"from importlib import metadata\n"
	"own = [p for p in os.environ.get('PYTHONPATH', '').split(':') if p.startswith('/')]\n"
	"sys.path[:0] = [p for p in own if os.path.realpath(p) != os.getcwd()]\n"
	"site.addsitedir(site.getusersitepackages())\n"
	"for name in ('torch', 'paddlepaddle', 'paddlepaddle-gpu', 'mindspore', 'jax',\n"
	"             'onnxruntime'):\n"
	"    try: print(name, metadata.version(name))\n"
	"    except metadata.PackageNotFoundError: pass\n";

static struct answer {
	bool asked;
	bool came;
	int major, minor;
	char text[2048];
	char *version, *packages, *frameworks; /* in text; "" when missing */
} answer;

/* What the child says, until it ends or the time is up. */
static size_t read_answer(int fd, char *text, size_t capacity)
{
	size_t size = 0;
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	while (size + 1 < capacity && poll(&wait, 1, ANSWER_TIMEOUT_MS) > 0) {
		ssize_t count = read(fd, text + size, capacity - 1 - size);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			break;
		size += (size_t)count;
	}
	text[size] = '\0';
	return size;
}

/* The first of that name on PATH that does not count from the current folder; false: none. */
static bool find(const char *name, char *ret_path, size_t size)
{
	const char *folder = getenv("PATH");
	while (folder != NULL && *folder != '\0') {
		int length = (int)strcspn(folder, ":");
		int written = snprintf(ret_path, size, "%.*s/%s", length, folder, name);
		if (*folder == '/' && written > 0 && (size_t)written < size &&
			access(ret_path, X_OK) == 0)
			return true;
		folder += length;
		folder += *folder == ':';
	}
	return false;
}

static void ask_interpreter(const char *name)
{
	char path[PATH_MAX];
	int pipes[2];
	pid_t child;
	posix_spawn_file_actions_t actions;
	char *const words[] = {(char *)name, (char *)"-I", (char *)"-c", (char *)question, NULL};
	if (!find(name, path, sizeof(path)) || pipe(pipes) < 0)
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
	posix_spawn_file_actions_addclose(&actions, pipes[0]);
	posix_spawn_file_actions_addclose(&actions, pipes[1]);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1 /* O_WRONLY */, 0);
	int err = posix_spawn(&child, path, &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	(void)close(pipes[1]);
	if (err == 0) {
		answer.came = read_answer(pipes[0], answer.text, sizeof(answer.text)) > 0;
		(void)kill(child, SIGKILL);
		(void)waitpid(child, NULL, 0);
	}
	(void)close(pipes[0]);
}

static char *next_line(char **rest)
{
	char *line = *rest;
	size_t length = strcspn(line, "\n");
	*rest = line + length + (line[length] == '\n');
	line[length] = '\0';
	return line;
}

static const struct answer *ask(void)
{
	if (answer.asked)
		return &answer;
	answer.asked = true;
	ask_interpreter("python3");
	if (!answer.came)
		ask_interpreter("python");
	char *rest = answer.text;
	answer.version = next_line(&rest);
	answer.packages = next_line(&rest);
	answer.frameworks = rest;
	for (char *at = rest; *at != '\0'; at++)
		if (*at == '\n')
			*at = at[1] == '\0' ? '\0' : ',';
	char *end;
	answer.major = (int)strtol(answer.version, &end, 10);
	answer.minor = *end == '.' ? (int)strtol(end + 1, NULL, 10) : 0;
	return &answer;
}

const char *doctor_python_packages(void)
{
	return ask()->packages;
}

void doctor_python(struct doctor_finding *ret_finding)
{
	const struct answer *python = ask();
	if (!python->came)
		doctor_set(ret_finding, DOCTOR_NOTE, "put the interpreter that trains on PATH",
			"no python3 on PATH");
	else if (python->major != 3 || python->minor < 8 ||
		 strstr(python->version, " cpython ") == NULL)
		doctor_set(ret_finding, DOCTOR_NOTE,
			"use CPython 3.8 or newer; with others no lines are found", "%.300s",
			python->version);
	else
		doctor_set(ret_finding, DOCTOR_OK, "", "%.300s", python->version);
}

void doctor_frameworks(struct doctor_finding *ret_finding)
{
	const struct answer *python = ask();
	if (python->came && python->frameworks[0] != '\0')
		doctor_set(ret_finding, DOCTOR_OK, "", "%.300s", python->frameworks);
	else
		doctor_set(ret_finding, DOCTOR_NOTE,
			"activate the environment that trains, then ask again",
			"none of torch, paddlepaddle, mindspore, jax, onnxruntime");
}
