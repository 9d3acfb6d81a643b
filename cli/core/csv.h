/* SPDX-License-Identifier: MIT */
/* csv.h - adds CSV fields to a text in memory. */
#ifndef CREDENCE_CLI_CSV_H
#define CREDENCE_CLI_CSV_H

#include "core/string_buffer.h"

/* Returns whether a reader treats the text as missing unless it is quoted. */
bool csv_means_missing(crd_text text);
/* Adds a value or a name. Quotes it if a reader would otherwise not get the same text back. */
void csv_add_text(string *line, crd_text text);
/* Adds a value copied from a file. A word for missing stays unquoted, so it still means missing. */
void csv_add_cell(string *line, crd_text text);
/* Adds the shortest decimal number that reads back to the same bits. Adds nothing if the value is not finite. */
void csv_add_number(string *line, double value);

#endif
