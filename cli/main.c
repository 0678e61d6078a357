/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <pinhole/base.h>

#include "cli.h"

static int print_version(int argc, char **argv);
static int print_help(int argc, char **argv);

static const struct command {
	const char *name, *help;
	int (*run)(int argc, char **argv);
} commands[] = {
	{"serve",   "run the camera server",                                        cli_serve},
	{"demo",    "fetch pictures by TCP and by shared memory, and compare them", cli_demo},
	{"get",     "send one command to a camera server, show or keep its answer", cli_get},
	{"version", "print the version",                                            print_version},
	{"help",    "print this",                                                   print_help},
};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

static int print_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("pinhole %s\n", ph_version());
	return CLI_OK;
}

static void list_commands(FILE *to)
{
	fprintf(to, "usage: pinhole COMMAND ...\n\n");
	for (int i = 0; i < COMMAND_COUNT; i++)
		fprintf(to, "  %-8s  %s\n", commands[i].name, commands[i].help);
	fprintf(to, "\n`pinhole COMMAND --help` says more about each.\n");
}

static int print_help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("Camera frames between processes on one machine at the speed of memory.\n\n");
	list_commands(stdout);
	return CLI_OK;
}

/* "--help" is as good as "help", and the short forms are what people try. */
static const char *spelled_out(const char *name)
{
	if (strcmp(name, "-h") == 0)
		return "help";
	if (strcmp(name, "-V") == 0)
		return "version";
	return strncmp(name, "--", 2) == 0 ? name + 2 : name;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		list_commands(stderr);
		return CLI_USAGE;
	}
	for (int i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(spelled_out(argv[1]), commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	fprintf(stderr, "pinhole: there is no command '%s'; see pinhole help\n", argv[1]);
	return CLI_USAGE;
}
