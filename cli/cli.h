/* SPDX-License-Identifier: MIT */
/* The subcommands of `pinhole`. Each gets its own name as argv[0] and gives the exit code. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

enum {
	CLI_FAILED = 1, /* the work was tried and failed */
	CLI_USAGE = 2,  /* the arguments make no sense */
	CLI_NOBODY = 3  /* there is no server at that address */
};

int cli_demo(int argc, char **argv);
int cli_get(int argc, char **argv);
int cli_serve(int argc, char **argv);

#endif
