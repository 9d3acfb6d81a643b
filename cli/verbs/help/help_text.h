/* SPDX-License-Identifier: MIT */
/* help_text.h - what help says of the command as a whole; manual pages say the same. */
#ifndef CREDENCE_CLI_HELP_TEXT_H
#define CREDENCE_CLI_HELP_TEXT_H

/* What the command does, in one sentence. */
extern const char help_purpose[];
/* How it takes files and columns, how it takes lists, and how it ends; each one paragraph without line ends. */
extern const char help_operands[];
extern const char help_lists[];
extern const char help_endings[];

#endif
