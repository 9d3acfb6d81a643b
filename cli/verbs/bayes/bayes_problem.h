/* SPDX-License-Identifier: MIT */
/* bayes_problem.h - a problem for Bayes' rule: what is stated of it, and what was observed. */
#ifndef CREDENCE_CLI_BAYES_PROBLEM_H
#define CREDENCE_CLI_BAYES_PROBLEM_H

#include "core/invocation.h"

/* One observation and what it did: for each hypothesis its weight before, the product, its weight after. */
typedef struct step {
    char *outcome;
    double evidence;
    double *before, *joint, *after;
} step;

typedef struct problem {
    crd_bayes *bayes;
    step *steps;
    size_t step_count;
    double accuracy; /* of a guess by one outcome, before anything was observed */
} problem;

/* bayes_problem.c: states what the options and their files say, in the order in which they are given, so that
 * hypotheses come in the order in which they are named. */
int bayes_state(const invocation *call, problem *p);

#endif
