/* SPDX-License-Identifier: MIT */
/* compare_internal.h - data structures of the comparison of settings. The public interface is in credence/compare.h.
 *
 *   compare.c      the candidates, the budget, the rows (column types, folds, one model per fold), and the
 *                  recommended candidate with log losses and their standard errors
 *   compare_run.c  the evaluation of each candidate; several processes evaluate some folds of each candidate */
#ifndef CRD_EVALUATE_COMPARE_INTERNAL_H
#define CRD_EVALUATE_COMPARE_INTERNAL_H

#include "evaluate/cross_validation.h"

#include <credence/compare.h>

/* ---- Candidates ---- */

enum { CRD_I_CANDIDATE_SETTINGS = 4 };

typedef struct crd_i_compare_candidate {
    const char *name;
    struct {
        const char *name, *value;
    } settings[CRD_I_CANDIDATE_SETTINGS]; /* name is NULL after the last setting */
    /* minimum numbers of numeric, categorical and all columns of a suitable table */
    size_t numbers, categories, columns;
    /* statistic of several columns that it needs, or "committee" for a stacked ensemble; NULL: none */
    const char *tally;
} crd_i_compare_candidate;

/* Facts about a table, which are known before the comparison. */
typedef struct crd_i_table_facts {
    uint64_t rows;
    size_t numbers, categories, texts, classes;
    double values;         /* number of values of all categorical columns */
    double occurrences;    /* number of words in all text columns */
    double combinations;   /* number of combinations of all categories */
    double category_pairs; /* number of pairs of values of two categorical columns, times the number of classes */
    double pairs; /* pairs of values of any two columns, times classes; a numeric column counts as several bins */
} crd_i_table_facts;

/* Returns whether the statistic that the candidate needs is small enough to be stored for every fold. If not, writes
 * the reason. */
enum { CRD_I_REASON_ROOM = 160 };
bool crd_i_candidate_fits(const crd_i_compare_candidate *candidate, const crd_i_table_facts *facts,
                          char reason[CRD_I_REASON_ROOM]);

/* Returns the candidate without the calibration; NULL if the candidate is not calibrated. */
const crd_i_compare_candidate *crd_i_candidate_base(const crd_i_compare_candidate *candidate);

/* ---- Comparison ---- */

typedef struct crd_i_compared {
    const crd_i_compare_candidate *candidate;
    crd_comparison_result result;
    char message[sizeof((crd_error *)NULL)->message];
    double *losses; /* -log P(true class) of each tested row */
    double work;    /* expected number of operations */

    /* Only for several processes: */
    size_t item;              /* equal for a candidate and its calibrated forms */
    crd_evaluation *part;     /* evaluation of the rows of this process, until the results are shared */
    uint32_t parameters_fold; /* fold of the model whose parameters were counted */
    uint64_t left_out_at; /* position of the failure in the order of one process: first frame first, then first fold */
} crd_i_compared;

struct crd_comparison {
    crd_context *context;
    crd_row_source *source;
    crd_settings *settings; /* settings of all candidates */
    crd_comparison_options options;
    crd_i_table_facts facts;
    crd_summary *summary;
    crd_split *split;
    bool is_holdout; /* only one part of the rows is tested */
    crd_i_cross_validation *validation;
    crd_posteriors *posteriors;
    crd_i_compared *all; /* in the order of the candidate table */
    size_t count;
    double work, work_done; /* work of the candidates within the budget, and of those that are finished */
    double larger;          /* a larger budget ... */
    size_t more;            /* ... and how many more candidates it would allow */
    double sufficient;      /* power of 2 that is a sufficient budget for all candidates; 0: the current one is */

    crd_i_group *group; /* the processes that each evaluate some folds of each candidate; NULL: none */
    /* fold of each row for the current candidate; CRD_NO_FOLD: the row belongs to another process; NULL without a group */
    uint32_t *own_folds;
    size_t own_fold_count;
    size_t tested_rows;
    size_t index; /* number of the first row of the current frame */

    /* For each tested row, the same for every candidate: */
    double *weights;
    int32_t *truths; /* class indices of the validation */
    size_t rows, weights_capacity, truths_capacity;
    /* for each tested row, whether it is excluded from log losses; computed with the recommendation */
    unsigned char *is_in_no_loss;
    double *baseline; /* for each tested row, the loss of predicting the relative class frequencies */
    crd_recommendation recommendation;
    crd_selection *selection; /* the results; NULL before the comparison has run */
};

/* Excludes a candidate: sets its status and message, and frees its losses. */
void crd_i_comparison_leave_out(crd_comparison *comparison, crd_i_compared *one, crd_candidate_status status,
                                const char *message);

/* ---- Several processes ---- */

/* Numbers the work items: a candidate and its calibrated forms are one item. */
void crd_i_comparison_number_items(crd_comparison *comparison);

/* ---- Recommendation ---- */

/* Computes the weighted mean of numbers[row] - minus[row] and its standard error, over the rows that are not
 * excluded from log losses. `minus` may be NULL. The mean is infinite if a number is infinite; the error is then
 * NaN. */
void crd_i_comparison_difference(const crd_comparison *comparison, const double *numbers, const double *minus,
                                 double *mean, double *error);
/* Computes the log losses and the recommendation from the candidates that have losses. Returns false if memory runs
 * out. */
CRD_MUST_USE bool crd_i_comparison_recommend(crd_comparison *comparison);
/* Fills the selection that crd_comparison_selection returns. */
CRD_MUST_USE crd_status crd_i_comparison_list(crd_comparison *comparison, crd_error *error);

#endif
