/* SPDX-License-Identifier: MIT */
/* help_text.h - texts about the whole command, which help and the manual pages share, and how help lays out text. */
#ifndef CREDENCE_CLI_HELP_TEXT_H
#define CREDENCE_CLI_HELP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The purpose of the command in one sentence. */
extern const char help_purpose[];
/* Three paragraphs without line ends: files and columns, lists, and exit codes. */
extern const char help_operands[];
extern const char help_lists[];
extern const char help_endings[];

/* Prints words in lines of at most 80 columns, each indented. The first word is at column `used`. */
void help_print_words(FILE *stream, const char *words, size_t indent, size_t used);
/* Prints name and value on the left and the help on the right, or below if the left part is long. */
void help_print_entry(FILE *stream, const char *left, const char *help);
/* Prints the name of a group and the names of its members, which spaces separate. */
void help_print_names(FILE *stream, const char *group, const char *names);
/* Prints paragraphs, which empty lines separate, or only the first of them. Each begins with an empty line. */
void help_print_paragraphs(const char *text, FILE *stream, bool is_whole);

#endif
