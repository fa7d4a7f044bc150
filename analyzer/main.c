/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/cli.h"

int main(int argc, char **argv)
{
	return cli_run(argc, argv);
}
