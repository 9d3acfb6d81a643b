/* SPDX-License-Identifier: MIT */
/* what_if.h - a row whose cells are tried with other values. */
#ifndef CRD_EXPLAIN_WHAT_IF_H
#define CRD_EXPLAIN_WHAT_IF_H

#include <credence/explain.h>

#include <stdbool.h>

struct crd_what_if {
    crd_context *context;
    const crd_classifier *classifier;
    crd_summary *summary; /* of the model: values, their counts, moments */
    size_t class_count, attribute_count;
    double *deviations; /* of each attribute: what its changes are measured in; 0 where it has no two values */
    double *means;      /* of numbers, over all rows */
    double *relevances; /* of each attribute, as crd_i_relevance has it */
};

/* A copy of a row, what the classifier says of it, and room for saying so. */
typedef struct crd_i_trial {
    const crd_what_if *what_if;
    crd_value *values;
    double *log_posterior, *probabilities;
    crd_answer answer;
} crd_i_trial;

CRD_MUST_USE crd_status crd_i_trial_open(const crd_what_if *what_if, const crd_value *values, crd_i_trial *out,
                                         crd_error *error);
void crd_i_trial_close(crd_i_trial *trial);
/* How many terms an answer takes, about: a class and an attribute each, and where attributes are taken together, as
 * many as there are pairs of them. */
double crd_i_trial_cost(const crd_what_if *what_if);
/* Asks about the values as they are now. */
CRD_MUST_USE crd_status crd_i_trial_ask(crd_i_trial *trial, crd_error *error);

/* Whether the attribute's family has probabilities of whole numbers. */
bool crd_i_what_if_is_discrete(const crd_what_if *what_if, size_t attribute);

/* Whether there is a cell. */
bool crd_i_value_is_present(const crd_value *value);
/* A cell that holds this number. */
crd_value crd_i_value_of(double number);
crd_value crd_i_value_missing(void);

#endif
