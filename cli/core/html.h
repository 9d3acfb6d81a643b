/* SPDX-License-Identifier: MIT */
/* html.h - text as HTML: names of the data are never taken for markup. */
#ifndef CREDENCE_CLI_HTML_H
#define CREDENCE_CLI_HTML_H

#include "core/string_buffer.h"

void html_add(string *out, crd_text text);

#endif
