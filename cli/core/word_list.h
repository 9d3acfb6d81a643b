/* SPDX-License-Identifier: MIT */
/* word_list.h - words of a file as a setting lists them. */
#ifndef CREDENCE_CLI_WORD_LIST_H
#define CREDENCE_CLI_WORD_LIST_H

#include "core/string_buffer.h"

/* Appends what stands between blanks and line ends, each in quotes, with commas between. false: the file cannot be read;
 * errno says why. */
bool word_list_read(const char *path, string *out);

#endif
