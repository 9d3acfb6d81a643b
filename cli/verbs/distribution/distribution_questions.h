/* SPDX-License-Identifier: MIT */
/* distribution_questions.h - the types and functions that the files of the verb distribution share. */
#ifndef CREDENCE_CLI_DISTRIBUTION_QUESTIONS_H
#define CREDENCE_CLI_DISTRIBUTION_QUESTIONS_H

#include "core/report.h"

/* Independent random variables. */
typedef struct random_variables {
    crd_text *names;
    crd_distribution **distributions;
    size_t count;
    bool is_unnamed; /* one variable, called X because the user did not name it */
} random_variables;

/* Computes the results that the options request, and writes them with the moments. */
int distribution_answer(const invocation *call, const random_variables *variables);
/* Adds the probability of each event of --of, given --given, to a table of results. */
int distribution_answer_events(const invocation *call, const random_variables *variables, crd_result_table *t);
/* Writes the number of draws that --draws gives. */
int distribution_draw(const invocation *call, const crd_distribution *d);

#endif
