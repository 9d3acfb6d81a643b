/* SPDX-License-Identifier: MIT */
/* bayes_problem.h - a problem for Bayes' rule: the stated priors and likelihoods, and the observations. */
#ifndef CREDENCE_CLI_BAYES_PROBLEM_H
#define CREDENCE_CLI_BAYES_PROBLEM_H

#include "core/invocation.h"

/* One observation and its effect. For each hypothesis: the weight before, the product with the likelihood, and the
 * weight after. */
typedef struct step {
    char *outcome;
    double evidence;
    double *before, *joint, *after;
} step;

typedef struct problem {
    crd_bayes *bayes;
    step *steps;
    size_t step_count;
    double accuracy; /* the best accuracy of a guess from one outcome, before any observation */
} problem;

/* Reads the statements of the options and their files, in the given order, so hypotheses keep the order in which
 * they are first named. Returns an exit code. */
int bayes_state(const invocation *call, problem *p);

#endif
