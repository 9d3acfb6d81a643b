/* SPDX-License-Identifier: MIT */
/* evaluation.h - the judged rows of an evaluation, from which scores are computed. */
#ifndef CRD_EVALUATE_EVALUATION_H
#define CRD_EVALUATE_EVALUATION_H

#include "base/dictionary.h"

#include <credence/evaluate.h>

/* A judged row: everything that scores need, except its probabilities. */
typedef struct crd_i_judged {
    int32_t truth;    /* index of the true class; class_count + i: the i-th class that cannot be predicted */
    int32_t decision; /* index of the predicted class; -1: none */
    double weight;
    double credit;
    double loss;        /* -log P(true class); INFINITY if the probability is 0 */
    double probability; /* probability of the decision; 0 if there is none */
    double squares;     /* Brier score: the sum over classes of (P(class) - [class is true])^2 */
    uint32_t above;     /* number of classes more probable than the true class */
    uint32_t beside; /* number of classes that tie with the true class, including itself; 0 if its probability is 0 */
    uint32_t fold;   /* CRD_NO_FOLD: none */
} crd_i_judged;

struct crd_evaluation {
    crd_context *context;
    crd_i_dictionary *classes; /* classes that can be predicted; the code is the index */
    size_t class_count;
    crd_i_dictionary *others; /* classes that only occur as true classes */

    bool is_weighted; /* at least one weight is not 1 */
    uint32_t fold;    /* fold of the rows that are added next */
    crd_i_judged *rows;
    double *probabilities; /* rows x class_count; used to rank the rows for each class */
    bool is_unranked;      /* there are too many probabilities: only the last row's are stored */
    size_t row_count, rows_capacity, probabilities_capacity;
};

/* Returns the decision for a log posterior and its credit: 1 / (number of tied classes) if the true class is among
 * them, else 0. `truth` is a class index or -1. The probability of the decision is not set. */
crd_row_score crd_i_judge(const double *log_posterior, size_t class_count, int32_t truth);

/* A selection of rows of an evaluation. */
typedef struct crd_i_row_selection {
    const crd_evaluation *evaluation;
    const size_t *rows; /* row numbers; NULL: the first `count` rows */
    size_t count;
} crd_i_row_selection;

/* Returns the number of the i-th selected row. */
static inline size_t crd_i_selected(const crd_i_row_selection *selection, size_t i) {
    return selection->rows == NULL ? i : selection->rows[i];
}

/* A row in the order of its probability of one class. */
typedef struct crd_i_ranked {
    uint64_t key; /* bits of the probability; they sort like the probability, which is not negative */
    uint64_t row; /* twice the row number, plus 1 if the row belongs to the class */
} crd_i_ranked;

/* Sorts the selected rows by their probability of a class, lowest first. The caller frees the result with crd_free.
 * Returns NULL if memory runs out. The evaluation must not be unranked. */
crd_i_ranked *crd_i_evaluation_rank(const crd_i_row_selection *selection, size_t class_index);
/* Computes the area under the ROC curve of a class against all others. It is NaN if all or none of the rows belong
 * to the class, or if the evaluation is unranked. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_evaluation_auc(const crd_i_row_selection *selection, size_t class_index, double *auc);

/* Computes the scores of the selected rows. The caller destroys them with crd_scores_destroy. */
CRD_MUST_USE crd_status crd_i_scores_create(const crd_i_row_selection *selection, crd_scores **out, crd_error *error);

#endif
