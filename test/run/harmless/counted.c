/* SPDX-License-Identifier: MIT */
/* Looks up how many threads it has, as Python does when it forks: with the library as without. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef FILE *opener(const char *path, const char *mode);

int cudaMalloc(void **pointer, size_t size);

/* Of the text: number and how many words there are. */
static void tell(const char *what, const char *text)
{
	const char *at = strrchr(text, ')');
	long threads = 0;
	int words = 0;
	for (; at != NULL && *at != '\0'; at++)
		if (*at == ' ' && ++words == 18)
			threads = strtol(at, NULL, 10);
	printf("%s: %ld of %d words, ends with a line: %d\n", what, threads, words,
		text[0] != '\0' && text[strlen(text) - 1] == '\n');
}

/*
 * The recorder's thread has a number too while it reads a file, for some microseconds: the lowest
 * is the program's again at the latest when this gives up.
 */
static FILE *open_at(int lowest, opener *open_it, const char *path, const char *mode)
{
	for (int tries = 1;; tries++) {
		errno = 77;
		FILE *file = open_it(path, mode);
		if (file == NULL || fileno(file) == lowest || tries == 100)
			return file;
		(void)fclose(file);
		(void)usleep(1000);
	}
}

/* Read twice; between, the process does what a recorder begins with. */
static void look(int lowest, opener *open_it, const char *path, const char *mode)
{
	char text[4096];
	void *pointer;
	FILE *file = open_at(lowest, open_it, path, mode);
	if (file == NULL) {
		printf("%s: %s\n", mode, strerror(errno));
		return;
	}
	printf("%d, to be closed: %d, errno %d\n", fileno(file), fcntl(fileno(file), F_GETFD),
		errno);
	for (int i = 0; i < 2; i++) {
		size_t got = fread(text, 1, sizeof(text) - 1, file);
		text[got] = '\0';
		tell(path, text);
		rewind(file);
		(void)cudaMalloc(&pointer, 64);
	}
	(void)fclose(file);
}

int main(void)
{
	void *pointer;
	(void)setvbuf(stdout, NULL, _IONBF, 0);
	for (int i = 0; i < 5; i++)
		if (cudaMalloc(&pointer, 64) != 0)
			return 3;
	look(3, fopen, "/proc/self/stat", "r");
	look(3, fopen64, "/proc/self/stat", "re");
	look(3, fopen, "/proc/version", "r");
	look(3, fopen, "/proc/self/stat", "w+x");
	look(3, fopen, NULL, "r");
	look(3, fopen, (const char *)8, "r");
	if (close(0) != 0)
		return 4;
	look(0, fopen, "/proc/self/stat", "r");
	pid_t child = fork();
	if (child != 0)
		return waitpid(child, NULL, 0) != child;
	look(0, fopen, "/proc/self/stat", "r");
	return 0;
}
