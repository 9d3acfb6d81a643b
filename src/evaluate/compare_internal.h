/* SPDX-License-Identifier: MIT */
/* compare_internal.h - what a comparison of settings is made of. See credence/compare.h.
 *
 *   compare.c             the rows: what the columns are, their folds, and one model a fold
 *   compare_candidates.c  the candidates, and which of them suit a table
 *   compare_run.c         each candidate answers all rows, as far as there is time
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
    double combinations; /* of all categories */
    double pairs;        /* of values, which cells of numbers count as, under all classes */
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
} crd_i_compared;

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
    crd_cross_validation *validation;
    crd_posteriors *posteriors;
    crd_i_compared *all; /* in the order of the table of candidates */
    size_t count;

    /* Of each row that is tested, the same for every candidate: */
    double *weights;
    int32_t *truths; /* the class, in those of the validation */
    size_t rows, weights_capacity, truths_capacity;
    unsigned char *is_in_no_loss; /* of each row; made with the recommendation */
    double *baseline;             /* the loss of each row by the relative frequencies of the classes */
    crd_recommendation recommendation;
};

/* The weighted mean of numbers[row] - minus[row], over the rows that are in log losses, with its standard error; minus
 * may be NULL. Infinite where one is. */
void crd_i_comparison_difference(const crd_comparison *comparison, const double *numbers, const double *minus,
                                 double *mean, double *error);
/* Fills in log losses and the recommendation, from the candidates that have losses. False: out of memory. */
CRD_MUST_USE bool crd_i_comparison_recommend(crd_comparison *comparison);

#endif
