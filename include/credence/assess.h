/* SPDX-License-Identifier: MIT */
/* credence/assess.h - model assessment: predicts rows by a model that was not trained on them, and scores the
 * predictions.
 *
 *   a model on other rows        crd_assessment_of_model
 *   cross-validation, holdout    crd_assessment_of_folds
 *   leave one out                crd_assessment_leaving_one_out
 *
 * Each of these calls learns the rows that it needs, so the classes are known. Then crd_assessment_run predicts the
 * rows and computes their scores (credence/evaluate.h) and the outcomes of decisions by a rule (credence/decide.h). It
 * also collects rows for permutation importance. Results depend only on the rows and the options, not on the number of
 * threads.
 *
 * Several processes can share the work (credence/communicator.h). With a model or leave one out, each process scores
 * its part of the rows, and the first process gets the results of all rows. With folds, every process has and learns
 * all rows, and tests some of the folds. */
#ifndef CREDENCE_ASSESS_H
#define CREDENCE_ASSESS_H

#ifndef CRD_EXPERIMENTAL
#error "credence/assess.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/decide.h>
#include <credence/evaluate.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a leave-one-out assessment, and learns all rows. Each row is predicted by the model of all other rows. The
 * source must be at its first row and outlive the assessment. The caller destroys *out. CRD_ERROR_WEIGHT: rows have
 * weights. A row of weight 3 would represent three rows to leave out. */
CRD_API CRD_MUST_USE crd_status crd_assessment_leaving_one_out(crd_row_source *source, const crd_settings *settings,
                                                               crd_assessment **out, crd_error *error);

/* Creates a summary of all learned rows; for a model on other rows, a summary of the model. The caller destroys *out.
 * Experimental. */
CRD_API CRD_MUST_USE crd_status crd_assessment_summary(const crd_assessment *assessment, crd_summary **out,
                                                       crd_error *error);
/* Returns the settings that are used for predictions. They live as long as the assessment. */
CRD_API const crd_settings *crd_assessment_settings(const crd_assessment *assessment);
/* Returns a classifier that predicts rows: the only one, or the first fold's classifier after it has predicted.
 * Otherwise returns NULL. */
CRD_API const crd_classifier *crd_assessment_classifier(const crd_assessment *assessment);

/* ---- Run ---- */

/* A scored row. */
typedef struct crd_assessed_row {
    size_t size;
    uint64_t row; /* from 1, counting all rows, including rows without a true class */
    crd_text truth;
    const crd_row_score *score;
    const crd_decision *decision; /* NULL without a rule */
} crd_assessed_row;

/* Options of an assessment run. */
typedef struct crd_assessment_options {
    size_t size;
    const crd_rule *rule; /* its decisions are scored too; it must outlive the assessment. NULL: none */
    const crd_importance_options *importance; /* collect rows for it; not for leave one out. NULL: none */
    /* Called once for each scored row, in order. A non-zero result ends the run with CRD_ERROR_CANCELLED. May be NULL. */
    int (*each)(void *user, const crd_assessed_row *row);
    void *user;
    int is_part; /* non-zero: the rows are one part, to be encoded; the part may be empty */
} crd_assessment_options;

#define CRD_ASSESSMENT_OPTIONS_INIT                                                                                    \
    { sizeof(crd_assessment_options), 0, 0, 0, 0, 0 }

/* ---- Parts that other processes score ----
 *
 * Each part is an assessment of the same model, under the same settings and rule, that was run and encoded. Parts in
 * the order of their rows give results that are bit-identical to an assessment of all rows. */

/* Serializes an assessment of a model after its run, without permutation importance. The caller frees *bytes with
 * crd_free. Only the library version that wrote the bytes can read them. */
CRD_API CRD_MUST_USE crd_status crd_assessment_encode(const crd_assessment *assessment, unsigned char **bytes,
                                                      size_t *length, crd_error *error);
/* Combines the rows of `count` encoded parts, in their order. Call it instead of crd_assessment_run.
 * CRD_ERROR_SCHEMA_DIFFERS: some parts have weights and others do not. */
CRD_API CRD_MUST_USE crd_status crd_assessment_run_parts(crd_assessment *assessment,
                                                         const crd_assessment_options *options,
                                                         const unsigned char *const *parts, const size_t *lengths,
                                                         size_t count, crd_error *error);

/* ---- Results, which live as long as the assessment ---- */

/* Counts, properties and parts of an assessment. Read-only; pointers live as long as the assessment. */
typedef struct crd_assessment_facts {
    uint64_t rows;       /* that were read, including skipped rows */
    uint64_t judged;     /* rows that were scored */
    uint64_t unlabeled;  /* rows without a true class */
    uint64_t weightless; /* rows of weight 0 */
    uint64_t unseen;     /* values that training has never seen; they are ignored */
    uint64_t rows_with_unseen;
    int has_weights;    /* rows are weighted */
    int lacks_weight;   /* the model has a weight column that these rows lack */
    int is_learned;     /* these are the same rows that the model was trained on; scores on new rows will be worse */
    size_t empty_folds; /* folds without a row */
    crd_text target;    /* name of the target column */
    size_t class_count;
    crd_text *classes; /* the classes that are predicted, in the order of the classifier or of the whole table */
    crd_split *split;  /* the folds of the rows; NULL unless rows are in folds */
    /* The evaluation of predictions without calibration; NULL if no row had one. */
    crd_evaluation *uncalibrated;
    crd_outcomes *outcomes;     /* outcomes of decisions; NULL without a rule */
    crd_importance *importance; /* importance of attributes; NULL unless the options ask for it */
} crd_assessment_facts;

/* Returns the counts, properties and parts of an assessment. Counts grow until the assessment has run. */
CRD_API const crd_assessment_facts *crd_assessment_facts_of(const crd_assessment *assessment);

/* ---- Conclusions from results ---- */

/* Returns whether the log loss is worse than the log loss of the class prior, beyond chance: by more than a tenth of
 * it, and by more than 10 nats over all rows. Predictions are then overconfident, and calibration or another method
 * helps. Returns 0 for an infinite log loss, which a single row can cause. */
CRD_API int crd_totals_is_overconfident(const crd_totals *totals);
/* Gets the costs of a threshold's four outcomes from a cost rule with two classes. `positive` is the index of the
 * positive class. An action with the name of a class is the decision for that class; otherwise the decision is the
 * action with the smallest cost for the class. CRD_ERROR_ARGUMENT: the rule has no costs, or does not have two
 * classes. */
CRD_API CRD_MUST_USE crd_status crd_rule_curve_costs(const crd_rule *rule, size_t positive, crd_curve_costs *out,
                                                     crd_error *error);
/* Sets `folds` and `held_out` so that a share of the rows is held out, 0 < share < 1, in steps of a thousandth. It
 * chooses the smallest possible number of folds. CRD_ERROR_NUMBER: the share is out of range. */
CRD_API CRD_MUST_USE crd_status crd_split_hold_out(crd_split_options *options, double share, crd_error *error);

/* ---- Predicted classes compared with known labels ---- */

/* Compares the class that the classifier predicts for each row of a new reader with the row's value in a column.
 * `column` is the number of the reader's column. The call binds the reader, which must keep texts, to the model. Rows
 * without a prediction are skipped. *unlabeled is the number of rows without a value in the column. The caller
 * destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_labeling_of_model(const crd_model *model, const crd_classifier *classifier,
                                                      crd_reader *reader, size_t column, crd_labeling **out,
                                                      uint64_t *unlabeled, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
