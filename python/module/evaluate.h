/* SPDX-License-Identifier: MIT */
/* evaluate.h - declarations that the evaluation files share. evaluate.c assesses rows, evaluate_scores.c returns the results as records,
 * evaluate_curve.c computes threshold curves, evaluate_sequences.c assesses sequences, evaluate_parts.c merges parts from other processes. */
#ifndef CREDENCE_PYTHON_EVALUATE_H
#define CREDENCE_PYTHON_EVALUATE_H

#include "module.h"

/* The listed rows, with their predictions. */
typedef struct row_list {
    core_block rows, decisions, actions, probabilities, credits, truth_probabilities, losses;
    core_block truth_ends, texts; /* the end of each true class in the texts, including a separator byte */
} row_list;

typedef struct assessment_object {
    core_object head;
    crd_assessment *assessment;       /* NULL: the assessment is of sequences */
    const crd_evaluation *evaluation; /* evaluation of rows or items after the run; NULL: no rows */
    crd_sequence_evaluation *sequences;
    crd_evaluation *classes;   /* evaluation of whole sequences */
    core_block sequence_folds; /* the fold of each sequence, as int32; empty: there are no folds */
    uint64_t unlabeled;        /* number of sequences without a label */
    crd_row_source *source;    /* NULL: the assessment is of a model */
    PyObject *reader;          /* busy as long as the assessment lives */
    PyObject *model, *classifier, *rule;
    crd_scores *scores, *before;
    row_list list;
} assessment_object;

/* Several bytes objects, which are held until the list is released. */
typedef struct byte_list {
    PyObject *owner;
    const unsigned char **bytes;
    size_t *lengths;
    size_t count;
} byte_list;

/* Makes a list from a sequence of bytes objects. Returns -1 with an exception on failure. */
int byte_list_of(PyObject *parts, byte_list *out);
void byte_list_free(byte_list *list);

/* Returns a list of the results of `record_at` for each index below `count`. */
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
/* Ends the call that assesses sequences. Computes the scores of items with labels, or of sequences with classes. */
PyObject *end_judging(assessment_object *self, core_call *call, crd_status status);
/* Returns the row assessment of an object; NULL with an exception if the object assesses sequences. */
crd_assessment *row_assessment(PyObject *object);

#endif
