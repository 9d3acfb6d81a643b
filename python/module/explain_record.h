/* SPDX-License-Identifier: MIT */
/* explain_record.h - one row and its answer, as a record that has the keys of the command's explanations. */
#ifndef CREDENCE_PYTHON_EXPLAIN_RECORD_H
#define CREDENCE_PYTHON_EXPLAIN_RECORD_H

#include "module.h"

/* What a classifier answers to one row, part by part; computed without the GIL. */
typedef struct explained_row {
    const crd_classifier *classifier;
    const crd_value *values; /* of each attribute */
    size_t classes, attributes, joints, pairs, members;
    crd_answer answer;
    double *numbers; /* the memory of all that follow */
    double *log_posterior, *probabilities;
    double *found_log_posterior, *found; /* before calibration */
    double *joint_terms, *pair_terms;    /* joints, and pairs, x classes */
    double *member_logs;                 /* members x classes */
} explained_row;

/* Room for the answers; 0, or -1 without memory. */
int explained_row_create(const crd_classifier *classifier, const crd_value *values, explained_row *out);
crd_status explained_row_compute(explained_row *row, crd_error *error);
void explained_row_free(explained_row *row);

/* A str key and a value, which are released. */
int put_named(PyObject *dict, crd_text key, PyObject *value);
/* Appends and releases; -1 with an exception. */
int append(PyObject *list, PyObject *value);
/* A number, a category or a text; None. */
PyObject *value_record(const crd_value *value);

/* explain_terms.c: members of the record: "classes", and of a pooled ensemble "pool" and "members" before. */
int put_members(PyObject *record, module_state *state, const explained_row *row);
PyObject *classes_record(module_state *state, const explained_row *row);

/* explain_words.c: a list of the texts of the row, each with its words; NULL with an exception. */
PyObject *texts_record(module_state *state, const explained_row *row);
/* A list of doubles. */
PyObject *doubles_record(const double *values, size_t count);

/* query.c: what is given, a value for each column of a query, the target among them (None: not given); the classifier is
 * of the same model. given_end after given_begin has returned 0. */
typedef struct core_given {
    core_row row;
    crd_value *values;
    size_t count;
} core_given;
int given_begin(const crd_query *query, classifier_object *classifier, PyObject *given, PyObject *class_argument,
                core_given *out);
void given_end(core_given *given);

#endif
