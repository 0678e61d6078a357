/* SPDX-License-Identifier: MIT */
/* The subcommands of `pinhole`. Each reads its own arguments, argv[0] being its name, and returns
 * the exit status of the program. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

enum cli_exit {
	CLI_OK = 0,
	CLI_FAILED = 1,      /* the work was tried and failed: the server says no, a disk is full */
	CLI_USAGE = 2,       /* the arguments make no sense */
	CLI_UNREACHABLE = 3, /* there is no server to talk to */
};

int cli_demo(int argc, char **argv);
int cli_get(int argc, char **argv);
int cli_serve(int argc, char **argv);

#endif
