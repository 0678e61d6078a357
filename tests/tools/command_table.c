/* SPDX-License-Identifier: MIT */
/* Prints every command with what becomes of it, as the tables of docs/unrealcv-compatibility.md. */
#include <stdio.h>

#include "server/routes.h"

/* A column within a table would end at a bar. */
static void print_cell(const char *text)
{
	for (; *text; text++)
		printf(*text == '|' ? "\\|" : "%c", *text);
}

int main(void)
{
	const struct ph__route_table *table = NULL, *last = NULL;
	const struct ph__route *route;

	for (uint32_t i = 0; (route = ph__route_at(i, &table)); i++, last = table) {
		if (table != last)
			printf("%s### %s\n\n| command | here | |\n|---|---|---|\n", i > 0 ? "\n" : "",
			       table->title);
		printf("| `");
		print_cell(route->template_text);
		printf("` | %s | ", ph__route_kind_name(route->kind));
		print_cell(route->description);
		printf(" |\n");
	}
	return 0;
}
