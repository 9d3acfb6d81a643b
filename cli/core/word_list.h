/* SPDX-License-Identifier: MIT */
/* word_list.h - reads the words of a file into the syntax of a list setting. */
#ifndef CREDENCE_CLI_WORD_LIST_H
#define CREDENCE_CLI_WORD_LIST_H

#include "core/string_buffer.h"

/* Appends the words of the file, separated by whitespace, each in quotes, with commas between them. Returns false if
 * the file cannot be read, and sets errno. */
bool word_list_read(const char *path, string *out);

#endif
