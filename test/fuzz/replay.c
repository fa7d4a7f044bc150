/* SPDX-License-Identifier: MIT */
/* Feeds the files named on the command line to a fuzzing entry point, without a fuzzer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file) {
		perror(path);
		return 1;
	}
	static uint8_t bytes[1 << 20];
	size_t size = fread(bytes, 1, sizeof(bytes), file);
	(void)fclose(file);
	/* A copy of exactly that size, so that a read past its end is seen. */
	uint8_t *exact = malloc(size ? size : 1);
	if (!exact)
		return 1;
	for (size_t i = 0; i < size; i++)
		exact[i] = bytes[i];
	(void)LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 0;
}

int main(int argc, char **argv)
{
	int failures = 0;
	for (int i = 1; i < argc; i++)
		failures += replay(argv[i]);
	(void)printf("%d inputs replayed, %d unreadable\n", argc - 1 - failures, failures);
	return argc < 2 || failures != 0;
}
