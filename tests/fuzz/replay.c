/* SPDX-License-Identifier: MIT */
/* replay FOLDER: runs the harness on every file of the folder. A file that fails ends the program;
 * its name is the last that was printed. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz.h"

/* The bytes in memory of just their size: AddressSanitizer sees a byte read too many. */
static unsigned char *read_file(const char *path, size_t *length)
{
	struct stat status;
	FILE *file = fopen(path, "rb");

	if (!file || fstat(fileno(file), &status) != 0) {
		perror(path);
		exit(1);
	}
	*length = (size_t)status.st_size;
	unsigned char *bytes = malloc(*length ? *length : 1);
	if (!bytes || fread(bytes, 1, *length, file) != *length) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return bytes;
}

static void replay(const char *path)
{
	size_t length;

	printf("# %s\n", path);
	fflush(stdout);
	unsigned char *bytes = read_file(path, &length);
	LLVMFuzzerTestOneInput(bytes, length);
	free(bytes);
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int count = argc == 2 ? scandir(argv[1], &entries, NULL, alphasort) : -1;
	int replayed = 0;

	if (count < 0) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 1;
	}
	for (int i = 0; i < count; i++) {
		char path[4096];
		snprintf(path, sizeof(path), "%s/%s", argv[1], entries[i]->d_name);
		if (entries[i]->d_name[0] != '.') {
			replay(path);
			replayed++;
		}
		free(entries[i]);
	}
	free(entries);
	printf("%d files\n", replayed);
	return replayed == 0; /* an empty corpus proves nothing */
}
