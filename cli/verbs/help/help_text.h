/* SPDX-License-Identifier: MIT */
/* help_text.h - the texts about the whole command, which help and the manual pages share. */
#ifndef CREDENCE_CLI_HELP_TEXT_H
#define CREDENCE_CLI_HELP_TEXT_H

/* The purpose of the command in one sentence. */
extern const char help_purpose[];
/* Three paragraphs without line ends: files and columns, lists, and exit codes. */
extern const char help_operands[];
extern const char help_lists[];
extern const char help_endings[];

#endif
