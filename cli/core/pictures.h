/* SPDX-License-Identifier: MIT */
/* pictures.h - the file that --plot names: the pictures of a report as SVG, or a page of HTML with its tables too. */
#ifndef CREDENCE_CLI_PICTURES_H
#define CREDENCE_CLI_PICTURES_H

#include "core/report.h"

#define OPTION_PLOT                                                                                                    \
    {                                                                                                                  \
        "plot", 0, "FILE.svg|FILE.html", .help = "draw what the report holds; an .html page has its tables, too",      \
                                         .file = OPTION_WRITES, .is_once = true                                        \
    }
/* The same where densities can be drawn in characters, too. */
#define OPTION_PLOT_OR_CHARACTERS                                                                                      \
    {                                                                                                                  \
        "plot", 0, "[FILE.svg|FILE.html]",                                                                             \
            .help = "draw what the report holds; an .html page has its tables, too; without FILE, densities in "       \
                    "characters even where there is no terminal",                                                      \
            .file = OPTION_WRITES, .is_once = true                                                                     \
    }

/* The file; NULL where there is none, as with --plot alone. */
const char *pictures_path(const invocation *call);
/* ENDED_USAGE where its name ends in something else than .svg or .html; fails where it cannot be written. */
int pictures_check(const arguments *given);
/* ENDED_USAGE where a file is named, and the report has no picture. */
int pictures_check_report(const report *r, const invocation *call);
/* The same of an answer of which there is none in any case. */
int pictures_refuse(const invocation *call);
/* Whether the file is a page of HTML. */
bool pictures_are_page(const invocation *call);
/* The pictures of a report; the list is the caller's. */
const char **pictures_list(const report *r, size_t *count);

#endif
