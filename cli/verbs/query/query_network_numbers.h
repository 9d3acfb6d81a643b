/* SPDX-License-Identifier: MIT */
/* query_network_numbers.h - posteriors of continuous nodes: mean, standard deviation, an interval, and the mixture. */
#ifndef CREDENCE_CLI_QUERY_NETWORK_NUMBERS_H
#define CREDENCE_CLI_QUERY_NETWORK_NUMBERS_H

#include "verbs/query/query_network.h"

/* Several continuous nodes in one table for people. */
typedef struct numbers_table {
    report_table *table;
} numbers_table;

numbers_table numbers_table_begin(network_question *q);
void numbers_table_add(numbers_table *t, crd_text name, const crd_normal_mixture *mixture);

/* One node, under its name; for machines alone where is_hidden. */
int numbers_report(network_question *q, size_t node, const crd_normal_mixture *mixture, bool is_hidden);

/* Several nodes together: means, deviations, and how they vary together. */
void numbers_report_together(network_question *q, const size_t *nodes, size_t count, const double *means,
                             const double *covariance);

#endif
