/* SPDX-License-Identifier: MIT */
/* csv.h - fields of CSV added to a text in memory. */
#ifndef CREDENCE_CLI_CSV_H
#define CREDENCE_CLI_CSV_H

#include "core/string_buffer.h"

/* Whether a reader takes a text for a missing cell unless it stands in quotes. */
bool csv_means_missing(crd_text text);
/* A value or a name, quoted where a reader would not get the same back. */
void csv_add_text(string *line, crd_text text);
/* The cell of a file, which may have meant that it is missing, and goes on to. */
void csv_add_cell(string *line, crd_text text);
/* Shortest that reads back to the same bits; empty where it is not finite. */
void csv_add_number(string *line, double value);

#endif
