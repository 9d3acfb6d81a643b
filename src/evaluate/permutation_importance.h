/* SPDX-License-Identifier: MIT */
/* permutation_importance.h - what permutation importance is made of: rows that are kept and permuted (permutation_importance.c), and rows of
 * which several processes answer some each (importance_processes.c). See credence/evaluate.h. */
#ifndef CRD_EVALUATE_PERMUTATION_IMPORTANCE_H
#define CRD_EVALUATE_PERMUTATION_IMPORTANCE_H

#include "base/dictionary.h"
#include "math/random.h"

#include <credence/evaluate.h>

enum { CRD_I_CELL_IS_NUMBER = -1, CRD_I_CELL_IS_MISSING = -2 };
typedef struct crd_i_kept_cell {
    double number;
    int32_t code; /* of a category or a text in the column's dictionary; or one of those above */
} crd_i_kept_cell;

typedef struct crd_i_kept_row {
    unsigned process;                 /* that answers it; UINT_MAX: none has it yet */
    const crd_classifier *classifier; /* NULL where that is another process */
    int32_t truth;                    /* among its classes; -1: none of them */
    double weight;
    double loss, credit; /* with no column permuted */
} crd_i_kept_row;

struct crd_importance {
    crd_context *context;
    crd_importance_options options;
    crd_i_dictionary *names;   /* of the columns: the attributes of the classifiers */
    crd_i_dictionary **values; /* of each column: its categories, or texts */
    size_t columns, most_rows; /* once there is a row */
    crd_i_kept_row *rows;
    size_t row_count, rows_capacity;
    crd_i_kept_cell *cells; /* row by row */
    size_t cells_capacity;
    uint64_t rows_added, zero_rows;
    crd_i_random sampling;
    crd_column_importance *results; /* until the run is concluded of all columns, of size 0 where one is not done */
    size_t result_count;
    bool is_shared;   /* all processes of a group have the same rows, and each answers its own */
    unsigned process; /* this one, of them; else 0 */
    bool has_run;
};

/* ---- Rows: permutation_importance.c ---- */

/* The columns, which are taken over, also on failure, and how many rows are kept where the first one is answered by a classifier of so many classes. */
CRD_MUST_USE bool crd_i_importance_begin(crd_importance *importance, crd_i_dictionary *names, size_t classes);
/* Where the next row is kept; SIZE_MAX: nowhere. Behind the last row is where there is room. */
size_t crd_i_importance_next_place(crd_importance *importance);
CRD_MUST_USE bool crd_i_importance_reserve(crd_importance *importance, size_t rows);
/* Keeps a row at a place that there is room for. */
CRD_MUST_USE crd_status crd_i_importance_put(crd_importance *importance, size_t place, const crd_classifier *classifier,
                                             const crd_frame *frame, size_t row, crd_text truth, double weight,
                                             crd_error *error);

/* ---- Several processes: importance_processes.c ---- */

/* A row that is kept, of those that all processes have judged, in the order of rows. */
typedef struct crd_i_chosen_row {
    uint64_t number;
    size_t place;
} crd_i_chosen_row;

/* Which rows one process would keep that adds all rows of all processes, of which this one has judged so many; the rows chosen, in their order,
 * are freed with crd_free. *before: rows of the processes of lower rank. first: the classifier of the first of all rows, NULL where this process
 * does not have it; some process does, where there are rows. */
CRD_MUST_USE crd_status crd_i_importance_choose(crd_importance *importance, uint64_t judged,
                                                const crd_classifier *first, uint64_t *before,
                                                crd_i_chosen_row **chosen, crd_error *error);
/* Every process has put those of its rows that were chosen: now all have all of them. */
CRD_MUST_USE crd_status crd_i_importance_share_rows(crd_importance *importance, crd_status status, crd_error *error);
/* Arrays of a number for each row, behind each other, in which each process has those of the rows that it answers. */
CRD_MUST_USE crd_status crd_i_importance_share_numbers(const crd_importance *importance, crd_status status,
                                                       double *numbers, size_t arrays, crd_error *error);

#endif
