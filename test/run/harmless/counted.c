/* SPDX-License-Identifier: MIT */
/* Looks up how many threads it has, as Python does when it forks: with the library as without. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void look(FILE *(*open_it)(const char *, const char *), const char *path, const char *mode)
{
	char text[4096];
	errno = 77;
	FILE *file = open_it(path, mode);
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
	look(fopen, "/proc/self/stat", "r");
	look(fopen64, "/proc/self/stat", "re");
	look(fopen, "/proc/version", "r");
	look(fopen, "/proc/self/stat", "w+x");
	look(fopen, NULL, "r");
	look(fopen, (const char *)8, "r");
	if (close(0) != 0)
		return 4;
	look(fopen, "/proc/self/stat", "r");
	pid_t child = fork();
	if (child != 0)
		return waitpid(child, NULL, 0) != child;
	look(fopen, "/proc/self/stat", "r");
	return 0;
}
