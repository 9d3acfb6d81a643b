/* SPDX-License-Identifier: MIT */
/* pictures.h - the file that --plot names: the pictures of a report as SVG, or an HTML page that also contains its
 * tables. */
#ifndef CREDENCE_CLI_PICTURES_H
#define CREDENCE_CLI_PICTURES_H

#include "core/report.h"

#define OPTION_PLOT                                                                                                    \
    {                                                                                                                  \
        "plot", 0, "FILE.svg|FILE.html", .help = "draw the report; an .html file contains its tables too",             \
                                         .file = OPTION_WRITES, .is_once = true                                        \
    }
/* The option --plot for verbs that can also draw densities in characters. */
#define OPTION_PLOT_OR_CHARACTERS                                                                                      \
    {                                                                                                                  \
        "plot", 0, "[FILE.svg|FILE.html]",                                                                             \
            .help = "draw the report; an .html file contains its tables too; without FILE, draw densities in "         \
                    "characters even without a terminal",                                                              \
            .file = OPTION_WRITES, .is_once = true                                                                     \
    }

/* Returns the path of the picture file; NULL if there is none, also for --plot without a value. */
const char *pictures_path(const invocation *call);
/* Returns ENDED_USAGE if the path does not end in .svg or .html. Fails if the file cannot be written. */
int pictures_check(const invocation *call);
/* Returns ENDED_USAGE if a file is named but the report has no picture. */
int pictures_check_report(const crd_result *r, const invocation *call);
/* Returns ENDED_USAGE if a file is named, for a result that never has pictures. */
int pictures_refuse(const invocation *call);
/* Returns whether the file is an HTML page. */
bool pictures_are_page(const invocation *call);
/* Lists the pictures of a report. The caller frees the list, not the pictures. */
const char **pictures_list(const crd_result *r, size_t *count);

#endif
