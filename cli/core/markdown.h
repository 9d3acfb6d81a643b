/* SPDX-License-Identifier: MIT */
/* markdown.h - texts in Markdown: what names and numbers hold is shown as it is, never taken for markup. */
#ifndef CREDENCE_CLI_MARKDOWN_H
#define CREDENCE_CLI_MARKDOWN_H

#include "core/string_buffer.h"

/* Adds a text of one line, with a backslash before whatever Markdown would take for its own. */
void markdown_add(string *out, crd_text text);

#endif
