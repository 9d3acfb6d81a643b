/* SPDX-License-Identifier: MIT */
/* credence/assess.h - model assessment: rows are answered by a model that has not learned them, and the answers judged.
 *
 *   a model on other rows        crd_assessment_of_model
 *   cross-validation, holdout    crd_assessment_of_folds
 *   leave one out                crd_assessment_leaving_one_out
 *
 * Each learns what there is to learn, so that the classes are known; crd_assessment_run then answers and judges the rows:
 * their scores (credence/evaluate.h), the outcomes of decisions by a rule (credence/decide.h), and rows for permutation
 * importance. All of it is a function of the rows and the options, whatever the number of threads.
 *
 * Of several processes (credence/communicator.h) each judges its part of the rows, by a model or by that of all other rows of all parts, and the first has the
 * results of all rows. For folds every process has all rows, learns them and tests some of the folds. */
#ifndef CREDENCE_ASSESS_H
#define CREDENCE_ASSESS_H

#include <credence/compare.h>
#include <credence/decide.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_assessment crd_assessment;

/* A model on the rows of a fresh reader, which is bound to it. Where the model has a weight, rows count by it if they have that
 * column too, else once each; is_strict: then they must have it, and the target. The model, the classifier, which is of it, and
 * the reader must outlive the assessment. reader NULL: the rows are those of parts (crd_assessment_run_parts). */
CRD_API CRD_MUST_USE crd_status crd_assessment_of_model(const crd_model *model, const crd_classifier *classifier,
                                                        crd_reader *reader, int is_strict, crd_assessment **out,
                                                        crd_error *error);
/* Each row by the model without its fold, all of which are learned here. settings, split and unlabelled may be NULL: the
 * defaults, and rows without a label left out; they need not outlive the call, but for folds that are given. The source, which is
 * at its first row, must outlive the assessment. */
CRD_API CRD_MUST_USE crd_status crd_assessment_of_folds(crd_row_source *source, const crd_settings *settings,
                                                        const crd_split_options *split,
                                                        const crd_unlabelled_options *unlabelled, crd_assessment **out,
                                                        crd_error *error);
/* Each row by the model of all others, which is learned here. Rows with weights are CRD_ERROR_WEIGHT: one of weight 3 stands for
 * three to leave out. */
CRD_API CRD_MUST_USE crd_status crd_assessment_leaving_one_out(crd_row_source *source, const crd_settings *settings,
                                                               crd_assessment **out, crd_error *error);
CRD_API void crd_assessment_destroy(crd_assessment *assessment);

/* Classes in the order in which posteriors list them, as a rule takes them. */
CRD_API size_t crd_assessment_class_count(const crd_assessment *assessment);
CRD_API const crd_text *crd_assessment_classes(const crd_assessment *assessment);
/* The target's name, and the settings that answer. */
CRD_API crd_text crd_assessment_target(const crd_assessment *assessment);
/* Experimental: a summary of all rows that were learned; of a model on other rows, of that model. *out is the caller's. */
CRD_API CRD_MUST_USE crd_status crd_assessment_summary(const crd_assessment *assessment, crd_summary **out,
                                                       crd_error *error);
CRD_API const crd_settings *crd_assessment_settings(const crd_assessment *assessment);
/* The folds of the rows; NULL where they are in none. */
CRD_API const crd_split *crd_assessment_split(const crd_assessment *assessment);
/* A classifier that answers rows: the only one, or that of the first fold once it has answered; else NULL. */
CRD_API const crd_classifier *crd_assessment_classifier(const crd_assessment *assessment);

/* ---- Running it ---- */

typedef struct crd_assessed_row {
    size_t size;
    uint64_t row; /* of all rows from 1, those without a true class included */
    crd_text truth;
    const crd_row_score *score;
    const crd_decision *decision; /* NULL without a rule */
} crd_assessed_row;

typedef struct crd_assessment_options {
    size_t size;
    const crd_rule *rule; /* decisions by it are judged too; it must outlive the assessment. NULL: none */
    const crd_importance_options *importance; /* rows are kept for it. NULL: none. Not of rows left out one by one */
    /* Called for each row that is judged, in their order, once. Non-zero ends the run with CRD_ERROR_CANCELLED. May be NULL. */
    int (*each)(void *user, const crd_assessed_row *row);
    void *user;
    int is_part; /* the rows are a part of others, to be encoded: there may be none */
} crd_assessment_options;

#define CRD_ASSESSMENT_OPTIONS_INIT                                                                                    \
    { sizeof(crd_assessment_options), 0, 0, 0, 0, 0 }

/* Once. Rows without a true class, and rows of weight 0, are left out; CRD_ERROR_EMPTY: no other is there. After CRD_ERROR_CANCELLED what was judged before can be read
 * below. options may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_assessment_run(crd_assessment *assessment, const crd_assessment_options *options,
                                                   crd_error *error);

/* ---- Rows in parts, which other processes judge ----
 *
 * Each part is an assessment of the same model, under the same settings and rule, which was run and encoded; the parts in the order
 * of their rows are the assessment of all rows, to the bit. */

/* After the run, of a model and without permutations; freed with crd_free. Read by the version of the library that wrote it. */
CRD_API CRD_MUST_USE crd_status crd_assessment_encode(const crd_assessment *assessment, unsigned char **bytes,
                                                      size_t *length, crd_error *error);
/* In place of crd_assessment_run: the rows of parts, in their order. CRD_ERROR_SCHEMA_DIFFERS: some have weights and others lack them. */
CRD_API CRD_MUST_USE crd_status crd_assessment_run_parts(crd_assessment *assessment,
                                                         const crd_assessment_options *options,
                                                         const unsigned char *const *parts, const size_t *lengths,
                                                         size_t count, crd_error *error);

/* ---- Results, which live as long as the assessment ---- */

CRD_API const crd_evaluation *crd_assessment_evaluation(const crd_assessment *assessment);
/* The same without calibration; NULL where there is none. */
CRD_API const crd_evaluation *crd_assessment_uncalibrated(const crd_assessment *assessment);
/* NULL without a rule. */
CRD_API const crd_outcomes *crd_assessment_outcomes(const crd_assessment *assessment);
/* Filled with rows, to be run by the caller (crd_importance_run); NULL where it was not asked for. */
CRD_API crd_importance *crd_assessment_importance(crd_assessment *assessment);

typedef struct crd_assessment_facts {
    size_t size;
    uint64_t rows; /* that were read, whatever became of them */
    uint64_t judged;
    uint64_t unlabelled; /* without a true class */
    uint64_t weightless; /* of weight 0 */
    uint64_t unseen;     /* cells with values never seen in training, which count for nothing */
    uint64_t rows_with_unseen;
    int has_weights;    /* rows count by their weights */
    int lacks_weight;   /* the model has a weight that these rows do not have */
    int is_learned;     /* these are the very rows that the model has learned: it will do worse on others */
    size_t empty_folds; /* folds without a row */
} crd_assessment_facts;

#define CRD_ASSESSMENT_FACTS_INIT                                                                                      \
    { sizeof(crd_assessment_facts), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

CRD_API void crd_assessment_facts_of(const crd_assessment *assessment, crd_assessment_facts *out);

/* ---- What follows from results ---- */

/* Whether log loss is worse than that of the class prior, beyond chance: by more than a tenth of it, and over all rows by more
 * than 10 nats. Answers are too sure then: calibration helps, or another method. 0 for an infinite one, which single rows make. */
CRD_API int crd_totals_is_overconfident(const crd_totals *totals);
/* What a rule of costs for two classes charges for the outcomes of a threshold: an action that is called as a class is is its
 * decision, else the one that costs least for it. CRD_ERROR_ARGUMENT where it has no costs, or other than two classes. */
CRD_API CRD_MUST_USE crd_status crd_rule_curve_costs(const crd_rule *rule, size_t positive, crd_curve_costs *out,
                                                     crd_error *error);
/* Sets folds and held_out so that this share of the rows is held out, 0 < share < 1, in steps of a thousandth: the least number
 * of folds with which that is possible. CRD_ERROR_NUMBER: it is no such share. */
CRD_API CRD_MUST_USE crd_status crd_split_hold_out(crd_split_options *options, double share, crd_error *error);

/* ---- Classes beside a known labelling ---- */

/* The rows of a fresh reader that keeps texts, which is bound to the model: the class that the classifier names for each, beside
 * its cell in a column of the reader. Rows without an answer are left out; *unlabelled is how many have no cell there. */
CRD_API CRD_MUST_USE crd_status crd_labelling_of_model(const crd_model *model, const crd_classifier *classifier,
                                                       crd_reader *reader, size_t column, crd_labelling **out,
                                                       uint64_t *unlabelled, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
