/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include <pinhole/base.h>

int main(void)
{
	printf("pinhole %s\n", ph_version());
	return 0;
}
