/* SPDX-License-Identifier: MIT */
/* explain_record.h - a row and its prediction as a record with the keys of the command's explanations. */
#ifndef CREDENCE_PYTHON_EXPLAIN_RECORD_H
#define CREDENCE_PYTHON_EXPLAIN_RECORD_H

#include "module.h"

/* The parts of a classifier's prediction for one row. They are computed without the GIL. */
typedef struct explained_row {
    const crd_classifier *classifier;
    const crd_value *values; /* the value of each attribute */
    size_t classes, attributes, joints, pairs, members;
    crd_answer answer;
    double *numbers; /* the memory of all arrays below */
    double *log_posterior, *probabilities;
    double *found_log_posterior, *raw_posterior; /* before calibration */
    double *joint_terms, *pair_terms;            /* joints, and pairs, x classes */
    double *member_logs;                         /* members x classes */
} explained_row;

/* Allocates the arrays. Returns 0, or -1 if there is no memory. */
int explained_row_create(const crd_classifier *classifier, const crd_value *values, explained_row *out);
crd_status explained_row_compute(explained_row *row, crd_error *error);
void explained_row_free(explained_row *row);

/* Returns a number, a category or a text as a Python object; None if the value is missing. */
PyObject *value_record(const crd_value *value);

/* Adds the fields "classes" and, before it for a pooled ensemble, "pool" and "members". In explain_terms.c. */
int put_members(PyObject *record, module_state *state, const explained_row *row);
PyObject *classes_record(module_state *state, const explained_row *row);

/* Returns a list of the texts of the row, each with its words; NULL with an exception. In explain_words.c. */
PyObject *texts_record(module_state *state, const explained_row *row);
/* Returns a list of floats. */
PyObject *doubles_record(const double *values, size_t count);

/* The evidence of a query: a value for each column, including the target (None: not given). The classifier must be of the same model.
 * Call given_end after given_begin has returned 0. In query.c. */
typedef struct core_given {
    core_row row;
    crd_value *values;
    size_t count;
} core_given;
int given_begin(const crd_query *query, classifier_object *classifier, PyObject *given, PyObject *class_argument,
                core_given *out);
void given_end(core_given *given);

#endif
