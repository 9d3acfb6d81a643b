/* SPDX-License-Identifier: MIT */
/* markdown.h - writes texts in Markdown. Names and numbers are shown literally, never as markup. */
#ifndef CREDENCE_CLI_MARKDOWN_H
#define CREDENCE_CLI_MARKDOWN_H

#include "core/string_buffer.h"

/* Adds a text of one line, with a backslash before each character that Markdown would interpret. */
void markdown_add(string *out, crd_text text);

#endif
