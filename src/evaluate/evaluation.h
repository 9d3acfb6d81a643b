/* SPDX-License-Identifier: MIT */
/* evaluation.h - what an evaluation keeps of its rows, of which scores are made. */
#ifndef CRD_EVALUATE_EVALUATION_H
#define CRD_EVALUATE_EVALUATION_H

#include "base/dictionary.h"

#include <credence/evaluate.h>

/* A row as it was judged: all that scores are made of, beside its probabilities. */
typedef struct crd_i_judged {
    int32_t truth;    /* a class; class_count + i: the i-th of those that cannot be predicted */
    int32_t decision; /* -1: none */
    double weight;
    double credit;
    double loss;        /* -log P(truth); INFINITY where it was at zero */
    double probability; /* of the decision; 0 where there is none */
    double squares;     /* sum over classes of (P(class) - [it is true])^2 */
    uint32_t above;     /* classes more probable than the truth */
    uint32_t beside;    /* those that tie with it, itself included; 0 where it was at zero */
    uint32_t fold;      /* CRD_NO_FOLD: none */
} crd_i_judged;

struct crd_evaluation {
    crd_context *context;
    crd_i_dictionary *classes; /* that can be predicted: code = index */
    size_t class_count;
    crd_i_dictionary *others; /* that only rows had */

    bool is_weighted; /* some weight is not 1 */
    uint32_t fold;    /* of rows to come */
    crd_i_judged *rows;
    double *probabilities; /* rows x class_count, by which each class ranks rows */
    bool is_unranked;      /* these would be too many: they are those of the last row */
    size_t row_count, rows_capacity, probabilities_capacity;
};

/* The decision of log posteriors, without its probability, and what the truth, a class or -1, gets for it. */
crd_row_score crd_i_judge(const double *log_posterior, size_t class_count, int32_t truth);

/* Some rows of an evaluation. */
typedef struct crd_i_row_selection {
    const crd_evaluation *evaluation;
    const size_t *rows; /* their numbers; NULL: the first `count` */
    size_t count;
} crd_i_row_selection;

/* The i-th of them. */
static inline size_t crd_i_selected(const crd_i_row_selection *selection, size_t i) {
    return selection->rows == NULL ? i : selection->rows[i];
}

/* Rows in the order of the probability of one class. */
typedef struct crd_i_ranked {
    uint64_t key; /* the bits of the probability: in the same order, as none is below zero */
    uint64_t row; /* twice its number, and 1 if it is of the class */
} crd_i_ranked;

/* The least probable first; freed with crd_free. NULL: out of memory. The evaluation is not unranked. */
crd_i_ranked *crd_i_evaluation_rank(const crd_i_row_selection *selection, size_t class_index);
/* The area under the ROC curve of one class; NaN where all or none of the rows are of it, or the evaluation is unranked.
 * false: out of memory. */
CRD_MUST_USE bool crd_i_evaluation_auc(const crd_i_row_selection *selection, size_t class_index, double *auc);

/* The scores of some rows. */
CRD_MUST_USE crd_status crd_i_scores_create(const crd_i_row_selection *selection, crd_scores **out, crd_error *error);

#endif
