/* SPDX-License-Identifier: MIT */
/* shell_words.h - writes words with shell quoting, for displayed commands. */
#ifndef CREDENCE_CLI_SHELL_WORDS_H
#define CREDENCE_CLI_SHELL_WORDS_H

#include "core/string_buffer.h"

/* Adds a word, quoted if necessary. */
void shell_add_word(string *out, const char *word);
/* Adds " --name value"; value NULL: " --name". */
void shell_add_option(string *out, const char *name, const char *value);

#endif
