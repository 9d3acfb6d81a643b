/* SPDX-License-Identifier: MIT */
/* compare_internal.h - what a comparison of settings is made of. See credence/compare.h.
 *
 *   compare.c             the rows: what the columns are, their folds, and one model a fold
 *   compare_candidates.c  the candidates, and which of them suit a table
 *   compare_budget.c      the work of each candidate, and which of them the budget allows
 *   compare_run.c         each candidate answers all rows
 *   compare_processes.c   several processes, of which each answers some folds of each candidate
 *   compare_recommend.c   log losses with their errors, and the candidate to take */
#ifndef CRD_EVALUATE_COMPARE_INTERNAL_H
#define CRD_EVALUATE_COMPARE_INTERNAL_H

#include "evaluate/cross_validation.h"
#include "evaluate/row_source.h"

#include <credence/compare.h>

/* ---- Candidates ---- */

enum { CRD_I_CANDIDATE_SETTINGS = 4 };

typedef struct crd_i_compare_candidate {
    const char *name;
    struct {
        const char *name, *value;
    } settings[CRD_I_CANDIDATE_SETTINGS]; /* NULL: no more */
    size_t numbers, categories, columns;  /* it makes sense where there are so many */
    const char *tally;                    /* of several columns, that it reads, or "stacked ensemble"; NULL: none */
} crd_i_compare_candidate;

/* What is known of a table before anything is compared. */
typedef struct crd_i_table_facts {
    uint64_t rows;
    size_t numbers, categories, texts, classes;
    double values;         /* of all categories together */
    double occurrences;    /* of words, in all texts */
    double combinations;   /* of all categories */
    double category_pairs; /* of values of two categories, under all classes */
    double pairs;          /* of values, which cells of numbers count as, under all classes */
} crd_i_table_facts;

/* All but `rows`. */
void crd_i_table_facts_read(const crd_summary *summary, crd_i_table_facts *out);

size_t crd_i_candidate_count(void);
const crd_i_compare_candidate *crd_i_candidate_at(size_t index);
/* Whether a candidate makes sense for the table. */
bool crd_i_candidate_suits(const crd_i_compare_candidate *candidate, const crd_i_table_facts *facts);
/* Whether what the candidate reads of several columns can be kept in every fold; else writes the reason. */
enum { CRD_I_REASON_ROOM = 160 };
bool crd_i_candidate_fits(const crd_i_compare_candidate *candidate, const crd_i_table_facts *facts,
                          char reason[CRD_I_REASON_ROOM]);
/* Whether the candidate has a setting of that index, which has an effect on the table. */
bool crd_i_candidate_sets(const crd_i_compare_candidate *candidate, const crd_i_table_facts *facts, size_t setting);

/* The candidate of which this is a calibrated form; NULL: of none. */
const crd_i_compare_candidate *crd_i_candidate_base(const crd_i_compare_candidate *candidate);

/* ---- Comparison ---- */

typedef struct crd_i_compared {
    const crd_i_compare_candidate *candidate;
    crd_comparison_result result;
    char message[sizeof((crd_error *)NULL)->message];
    double *losses; /* -log P(true class) of each row that is tested */
    double work;    /* operations that it is expected to take */

    /* Of several processes: */
    size_t item;              /* the same for a candidate and its calibrated forms */
    crd_evaluation *part;     /* of the rows that this process has answered, until all have */
    uint32_t parameters_fold; /* of the model whose parameters are counted */
    uint64_t left_out_at;     /* how soon one process would have met the reason */
} crd_i_compared;

/* ---- Work: compare_budget.c ---- */

/* Fills in the work of each candidate, and leaves out those that the budget does not allow. */
void crd_i_comparison_plan(crd_comparison *comparison);

/* Names all tallies that these candidates read, and that can be kept, for crd_cross_validation_keep. */
enum { CRD_I_TALLIES_ROOM = 80 };
void crd_i_candidate_tallies(const crd_i_compared *all, size_t count, const crd_i_table_facts *facts,
                             char tallies[CRD_I_TALLIES_ROOM]);

struct crd_comparison {
    crd_context *context;
    crd_row_source *source;
    crd_settings *settings; /* of all candidates */
    crd_comparison_options options;
    crd_i_table_facts facts;
    crd_summary *summary;
    crd_split *split;
    bool is_holdout; /* one part of the rows is tested */
    crd_cross_validation *validation;
    crd_posteriors *posteriors;
    crd_i_compared *all; /* in the order of the table of candidates */
    size_t count;
    double work, work_done; /* of the candidates within the budget; of those that are through */
    double larger;          /* a larger budget, */
    size_t more;            /* and how many more candidates it allows */
    double sufficient;      /* the budget that would allow every candidate: a power of 2; 0: this one does */

    /* Several processes have the same rows, and each answers some folds of each candidate. */
    bool is_shared;
    unsigned process, process_count; /* this one, of so many: 0 of 1 where it is alone */
    uint32_t *own_folds;             /* of each row, for the candidate at hand: CRD_NO_FOLD where it is another's */
    size_t own_fold_count;
    size_t tested_rows;
    size_t index; /* the first row of the frame at hand */

    /* Of each row that is tested, the same for every candidate: */
    double *weights;
    int32_t *truths; /* the class, in those of the validation */
    size_t rows, weights_capacity, truths_capacity;
    unsigned char *is_in_no_loss; /* of each row; made with the recommendation */
    double *baseline;             /* the loss of each row by the relative frequencies of the classes */
    crd_recommendation recommendation;
    crd_selection *selection; /* the results; NULL: it has not run */
};

/* An evaluation of no rows yet, by the classes of all. */
CRD_MUST_USE crd_status crd_i_comparison_evaluation(const crd_comparison *comparison, crd_evaluation **out,
                                                    crd_error *error);
/* The scores of a candidate, of which all rows were answered. */
CRD_MUST_USE crd_status crd_i_comparison_score(crd_i_compared *one, const crd_evaluation *evaluation, crd_error *error);
void crd_i_comparison_leave_out(crd_comparison *comparison, crd_i_compared *one, crd_candidate_status status,
                                const char *message);

/* ---- Several processes: compare_processes.c ---- */

void crd_i_comparison_number_items(crd_comparison *comparison);
/* Behind the last candidate that is tried before results are shared. */
size_t crd_i_comparison_round_end(const crd_comparison *comparison, size_t begin);
/* Fills in own_folds and own_fold_count for a candidate, where there are several processes. */
CRD_MUST_USE crd_status crd_i_comparison_choose_folds(crd_comparison *comparison, const crd_i_compared *one,
                                                      crd_error *error);
/* All processes have answered their folds, or left the candidate out: process 0 has what came of it then. */
CRD_MUST_USE crd_status crd_i_comparison_share(crd_comparison *comparison, crd_i_compared *one, crd_status status,
                                               crd_error *error);
/* All have the results and the recommendation of process 0. */
CRD_MUST_USE crd_status crd_i_comparison_share_results(crd_comparison *comparison, crd_error *error);
/* Nothing is left of candidates that not all processes have brought to their end. */
void crd_i_comparison_forget(crd_comparison *comparison);

/* ---- Recommendation ---- */

/* The weighted mean of numbers[row] - minus[row], over the rows that are in log losses, with its standard error; minus
 * may be NULL. Infinite where one is. */
void crd_i_comparison_difference(const crd_comparison *comparison, const double *numbers, const double *minus,
                                 double *mean, double *error);
/* Fills in log losses and the recommendation, from the candidates that have losses. False: out of memory. */
CRD_MUST_USE bool crd_i_comparison_recommend(crd_comparison *comparison);
/* Lists results and the recommendation for crd_comparison_selection. */
CRD_MUST_USE crd_status crd_i_comparison_list(crd_comparison *comparison, crd_error *error);

#endif
