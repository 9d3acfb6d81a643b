/* SPDX-License-Identifier: MIT */
/* export_page.h - the page with a model or a network inside. */
#ifndef CREDENCE_CLI_EXPORT_PAGE_H
#define CREDENCE_CLI_EXPORT_PAGE_H

#include "core/invocation.h"

#define OPTION_EXPORT_PAGE                                                                                             \
    {                                                                                                                  \
        "page", 0, "FILE", .help = "html: the page, as scripts/web builds it (the installed one)",                     \
                           .file = OPTION_READS, .is_once = true                                                       \
    }

/* The first operand, a model, a table that makes one, or a network's file. */
int export_page(const invocation *call);

#endif
