/* SPDX-License-Identifier: MIT */
/* explain_dependence.h - reports which pairs of attributes are dependent within a class, measured on the rows of
 * --data. */
#ifndef CREDENCE_CLI_EXPLAIN_DEPENDENCE_H
#define CREDENCE_CLI_EXPLAIN_DEPENDENCE_H

#include "core/report.h"

#define OPTION_LABELED                                                                                                 \
    {                                                                                                                  \
        "data", 0, "FILE", .help = "rows with their classes, to find pairs of attributes that are not independent",    \
                           .scope = SCOPE_NOT_NETWORKS, .file = OPTION_READS                                           \
    }

/* Reads the rows of --data. Sets *out to NULL if the option is not given. Destroy *out with crd_dependence_destroy. */
int dependence_read(const invocation *call, const crd_model *model, crd_dependence **out);

/* Adds an object with "pairs", the pairs that matter, and what was measured. The text report lists only the first
 * pairs
 * unless `all`. */
int dependence_report(crd_result *r, const crd_dependence *dependence, const crd_classifier *classifier, bool all);

#endif
