/* SPDX-License-Identifier: MIT */
/* distribution_questions.h - what the files of the verb distribution share. */
#ifndef CREDENCE_CLI_DISTRIBUTION_QUESTIONS_H
#define CREDENCE_CLI_DISTRIBUTION_QUESTIONS_H

#include "core/report.h"

/* Independent random variables. */
typedef struct random_variables {
    crd_text *names;
    crd_distribution **distributions;
    size_t count;
    bool is_unnamed; /* one, which is called X because the user did not name it */
} random_variables;

/* Answers each question among the options, and writes the moments with it. */
int distribution_answer(const invocation *call, const random_variables *variables);
/* Adds the probability of each event of --of, given --given, to a table of answers. */
int distribution_answer_events(const invocation *call, const random_variables *variables, report_table *t);
/* Writes as many draws as --sample says. */
int distribution_draw(const invocation *call, const crd_distribution *d);

#endif
