/* SPDX-License-Identifier: MIT */
/* pinhole: one program, a subcommand for each job. */
#include <stdio.h>
#include <string.h>

#include <pinhole/base.h>

#include "cli.h"

static const struct subcommand {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
} subcommands[] = {
	{"serve", "run the camera server", cli_serve},
	{"demo", "fetch pictures by TCP and through shared memory, and compare", cli_demo},
};
enum { SUBCOMMAND_COUNT = sizeof(subcommands) / sizeof(subcommands[0]) };

static int print_help(FILE *to)
{
	fprintf(to, "Usage: pinhole SUBCOMMAND [ARGUMENTS]\n\n");
	for (int i = 0; i < SUBCOMMAND_COUNT; i++)
		fprintf(to, "  %-8s %s\n", subcommands[i].name, subcommands[i].help);
	fprintf(to, "  %-8s %s\n", "version", "print the version");
	fprintf(to, "\npinhole SUBCOMMAND --help says more.\n");
	return to == stdout ? 0 : CLI_USAGE;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return print_help(stderr);
	if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0)
		return print_help(stdout);
	if (strcmp(argv[1], "version") == 0 || strcmp(argv[1], "--version") == 0)
		return printf("pinhole %s\n", ph_version()) < 0;
	for (int i = 0; i < SUBCOMMAND_COUNT; i++)
		if (strcmp(argv[1], subcommands[i].name) == 0)
			return subcommands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "pinhole: there is no subcommand '%s'; see pinhole help\n", argv[1]);
	return CLI_USAGE;
}
