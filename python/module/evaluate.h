/* SPDX-License-Identifier: MIT */
/* evaluate.h - what the files of evaluation share: evaluate.c assesses rows, evaluate_scores.c has what came of it as records,
 * evaluate_curve.c the thresholds of a class, evaluate_sequences.c sequences, evaluate_parts.c parts that others have judged. */
#ifndef CREDENCE_PYTHON_EVALUATE_H
#define CREDENCE_PYTHON_EVALUATE_H

#include "module.h"

/* Rows that were judged, one after the other. */
typedef struct row_list {
    core_block rows, decisions, actions, probabilities, credits, truth_probabilities, losses;
    core_block truth_ends, texts; /* where each truth ends among the texts, and a byte behind it */
} row_list;

typedef struct assessment_object {
    core_object head;
    crd_assessment *assessment;       /* NULL: of sequences */
    const crd_evaluation *evaluation; /* of rows or items, once they are judged; NULL: there are none */
    crd_sequence_evaluation *sequences;
    crd_evaluation *classes;   /* of whole sequences */
    core_block sequence_folds; /* the fold of each sequence, of int32; empty: they are in none */
    uint64_t unlabelled;       /* sequences */
    crd_row_source *source;    /* NULL: of a model */
    PyObject *reader;          /* which is busy as long as this lives */
    PyObject *model, *classifier, *rule;
    crd_scores *scores, *before;
    row_list list;
} assessment_object;

/* Several bytes objects, which are held as long as this. */
typedef struct byte_list {
    PyObject *owner;
    const unsigned char **bytes;
    size_t *lengths;
    size_t count;
} byte_list;

/* Of a sequence of bytes objects; -1 with an exception. */
int byte_list_of(PyObject *parts, byte_list *out);
void byte_list_free(byte_list *list);

/* A list of what `record_at` makes for each index below count. */
PyObject *list_of(size_t count, PyObject *(*record_at)(const void *user, size_t index), const void *user);
PyObject *totals_record(const crd_totals *totals);

/* Methods of an Assessment. */
PyObject *assessment_totals(PyObject *self, PyObject *is_uncalibrated);
PyObject *assessment_intervals(PyObject *self, PyObject *unused);
PyObject *assessment_per_class(PyObject *self, PyObject *unused);
PyObject *assessment_confusion(PyObject *self, PyObject *unused);
PyObject *assessment_confusions(PyObject *self, PyObject *most);
PyObject *assessment_calibration(PyObject *self, PyObject *is_uncalibrated);
PyObject *assessment_top_accuracy(PyObject *self, PyObject *k);
PyObject *assessment_fold_scores(PyObject *self, PyObject *unused);
PyObject *assessment_folds(PyObject *self, PyObject *unused);
PyObject *assessment_outcomes(PyObject *self, PyObject *unused);
PyObject *assessment_importance(PyObject *self, PyObject *unused);
PyObject *assessment_curve(PyObject *self, PyObject *class_index);
PyObject *assessment_sequences(PyObject *self, PyObject *unused);
PyObject *assessment_encode(PyObject *self, PyObject *unused);
/* Ends the call of an assessment of sequences: with the scores of items that have labels, or of sequences that have classes. */
PyObject *end_judging(assessment_object *self, core_call *call, crd_status status);
/* The assessment of an object that is none of sequences; NULL with an exception. */
crd_assessment *row_assessment(PyObject *object);

#endif
