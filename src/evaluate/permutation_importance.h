/* SPDX-License-Identifier: MIT */
/* permutation_importance.h - the state of a permutation importance: stored rows, which are permuted and may be
 * divided among several processes. The public interface is in credence/evaluate.h. */
#ifndef CRD_EVALUATE_PERMUTATION_IMPORTANCE_H
#define CRD_EVALUATE_PERMUTATION_IMPORTANCE_H

#include "base/dictionary.h"
#include "math/random.h"

#include <credence/evaluate.h>

enum { CRD_I_CELL_IS_NUMBER = -1, CRD_I_CELL_IS_MISSING = -2 };
typedef struct crd_i_kept_cell {
    double number;
    int32_t code; /* code of a category or text in the column's dictionary, or one of the constants above */
} crd_i_kept_cell;

typedef struct crd_i_kept_row {
    unsigned owner;                   /* rank of the process that classifies the row; UINT_MAX: not known yet */
    const crd_classifier *classifier; /* NULL if another process classifies the row */
    int32_t truth; /* index of the true class in the classifier; -1: the classifier does not have it */
    double weight;
    double loss, credit; /* before any permutation */
} crd_i_kept_row;

struct crd_importance {
    crd_context *context;
    crd_importance_options options;
    crd_i_dictionary *names;   /* columns: the attributes of the classifiers */
    crd_i_dictionary **values; /* dictionary of each column: its categories or texts */
    size_t columns, most_rows; /* valid after the first row */
    crd_i_kept_row *rows;
    size_t row_count, rows_capacity;
    crd_i_kept_cell *cells; /* one row after the other */
    size_t cells_capacity;
    uint64_t rows_added, zero_rows;
    crd_i_random sampling;
    /* Sorted after the run is concluded. Before that, one entry per column; its size is 0 if the column is not
     * finished. */
    crd_column_importance *results;
    size_t result_count;
    crd_i_group *group; /* the processes that have the same rows, of which each classifies its own; NULL: none */
    bool has_run;
};

/* ---- Rows ---- */

/* Stores a row at a place for which memory was reserved. Returns CRD_ERROR_ARGUMENT if the classifier has other
 * attributes than the first one. */
CRD_MUST_USE crd_status crd_i_importance_put(crd_importance *importance, size_t place, const crd_classifier *classifier,
                                             const crd_frame *frame, size_t row, crd_text truth, double weight,
                                             crd_error *error);

/* ---- Several processes ---- */

/* A chosen row: its number among the rows judged by all processes, and the place where it is stored. */
typedef struct crd_i_chosen_row {
    uint64_t number;
    size_t place;
} crd_i_chosen_row;

/* Chooses the rows that one process would store if it judged all rows of all processes. Collective.
 * `judged` is the number of rows that this process has judged. `first` is the classifier of the first of all rows;
 * pass NULL if another process judged that row. Sets *before to the number of rows of the processes of lower rank.
 * Sets *chosen to the chosen rows, sorted by number; the caller frees it with crd_free. */
CRD_MUST_USE crd_status crd_i_importance_choose(crd_importance *importance, uint64_t judged,
                                                const crd_classifier *first, uint64_t *before,
                                                crd_i_chosen_row **chosen, crd_error *error);
/* Exchanges the chosen rows, after each process has stored its own. Afterwards every process has all of them. Collective.
 * Returns CRD_ERROR_SCHEMA_DIFFERS if a row is missing. */
CRD_MUST_USE crd_status crd_i_importance_share_rows(crd_importance *importance, crd_error *error);

/* Creates an importance without rows. `options` may be NULL. The caller destroys *out. */
CRD_MUST_USE crd_status crd_i_importance_create(crd_context *context, const crd_importance_options *options,
                                                crd_importance **out, crd_error *error);

/* Frees an importance. NULL is allowed. */
void crd_i_importance_destroy(crd_importance *importance);

/* Adds a row of a frame with its true class and its weight > 0. `classifier` predicts the row and must live until the
 * run has ended. All classifiers must have the same attributes. */
CRD_MUST_USE crd_status crd_i_importance_add(crd_importance *importance, const crd_classifier *classifier,
                                             const crd_frame *frame, size_t row, crd_text truth, double weight,
                                             crd_error *error);

/* Discards all rows. */
void crd_i_importance_clear(crd_importance *importance);

#endif
