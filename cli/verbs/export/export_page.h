/* SPDX-License-Identifier: MIT */
/* export_page.h - writes the web page with a model or a network inside. */
#ifndef CREDENCE_CLI_EXPORT_PAGE_H
#define CREDENCE_CLI_EXPORT_PAGE_H

#include "core/invocation.h"

#define OPTION_EXPORT_PAGE                                                                                             \
    {                                                                                                                  \
        "page", 0, "FILE", .help = "html: the web app built by scripts/web (default: the installed one)",              \
                           .file = OPTION_READS, .is_once = true                                                       \
    }

/* Writes the page for the first operand: a model, a table from which a model is trained, or a network file. */
int export_page(const invocation *call);

#endif
