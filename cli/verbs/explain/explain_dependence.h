/* SPDX-License-Identifier: MIT */
/* explain_dependence.h - which pairs of attributes break independence within a class, as the rows of --data show it. */
#ifndef CREDENCE_CLI_EXPLAIN_DEPENDENCE_H
#define CREDENCE_CLI_EXPLAIN_DEPENDENCE_H

#include "core/report.h"

#define OPTION_LABELLED                                                                                                \
    {                                                                                                                  \
        "data", 0, "FILE", .help = "rows with their classes, to tell which pairs of attributes are not independent",   \
                           .scope = SCOPE_NOT_NETWORKS, .file = OPTION_READS                                           \
    }

/* Reads the rows that --data names; NULL where it is not given. */
int dependence_read(const invocation *call, const crd_model *model, crd_dependence **out);

/* An object: "pairs", those that matter, of which people see the first few, or all; and what was looked at. */
int dependence_report(report *r, const crd_dependence *dependence, const crd_classifier *classifier, bool all);

#endif
