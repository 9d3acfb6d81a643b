/* SPDX-License-Identifier: MIT */
/* query_network_numbers.h - reports the posteriors of continuous nodes: mean, standard deviation, interval and
 * mixture. */
#ifndef CREDENCE_CLI_QUERY_NETWORK_NUMBERS_H
#define CREDENCE_CLI_QUERY_NETWORK_NUMBERS_H

#include "verbs/query/query_network.h"

/* A text table with one line per continuous node. */
typedef struct numbers_table {
    crd_result_table *table;
} numbers_table;

/* Begins the table, with its heading. */
numbers_table numbers_table_begin(network_question *q);
/* Adds a line: mean, standard deviation, and the 2.5 % and 97.5 % quantiles. */
void numbers_table_add(numbers_table *t, crd_text name, const crd_normal_mixture *mixture);

/* Reports one node under its name, only in JSON if is_hidden. Plots its density. */
int numbers_report(network_question *q, size_t node, const crd_normal_mixture *mixture, bool is_hidden);

/* Reports several nodes jointly: means, standard deviations, correlations and covariances. */
void numbers_report_together(network_question *q, const size_t *nodes, size_t count, const double *means,
                             const double *covariance);

#endif
