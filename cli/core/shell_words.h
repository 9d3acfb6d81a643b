/* SPDX-License-Identifier: MIT */
/* shell_words.h - words of a command line as a shell takes them, for commands that are shown. */
#ifndef CREDENCE_CLI_SHELL_WORDS_H
#define CREDENCE_CLI_SHELL_WORDS_H

#include "core/string_buffer.h"

/* A word, quoted where it has to be. */
void shell_add_word(string *out, const char *word);
/* " --name value"; value NULL: " --name". */
void shell_add_option(string *out, const char *name, const char *value);

#endif
