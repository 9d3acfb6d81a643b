/* SPDX-License-Identifier: MIT */
/* html.h - writes text as HTML, escaped so that names in the data are never read as markup. */
#ifndef CREDENCE_CLI_HTML_H
#define CREDENCE_CLI_HTML_H

#include "core/string_buffer.h"

void html_add(string *out, crd_text text);

#endif
