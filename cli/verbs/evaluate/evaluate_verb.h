/* SPDX-License-Identifier: MIT */
/* evaluate_verb.h - the types and functions that the files of the verb evaluate share:
 *
 *   verb_evaluate.c            the verb: its options, and the choice of the evaluation
 *   evaluate_ways.c            a model on other rows, cross-validation, holdout, leave-one-out
 *   evaluate_split.c           the options that split rows into folds, and the file of folds
 *   evaluate_rows.c            the rows of DATA, for several passes
 *   evaluate_judge.c           runs an assessment, lists rows and reports scores
 *   evaluate_report.c          the report of the scores
 *   evaluate_classes.c         scores by class, and the confusion matrix
 *   evaluate_sweep.c           a class against the rest at every threshold
 *   evaluate_importance.c      permutation importance of columns
 *   evaluate_pictures.c        pictures: curves, calibration, confusion and importance
 *   evaluate_run.c             files, options and settings of the run, for JSON
 *   evaluate_decisions.c       the results of decisions by a rule
 *   evaluate_labeling.c       comparison of classes with a known labeling
 *   evaluate_sequences.c       hidden Markov models
 *   evaluate_sequence_classes.c  sequence classification
 *   evaluate_sequence_states.c   comparison of hidden states with a known labeling
 *   evaluate_sequences_report.c  the part of the report about sequences and spans
 *   evaluate_compare.c         candidates on the same folds
 *   evaluate_compare_report.c  the scores of candidates, and the recommended one */
#ifndef CREDENCE_CLI_EVALUATE_H
#define CREDENCE_CLI_EVALUATE_H

#include "core/report.h"
#include "core/row_stream.h"
#include "source/data_input.h"
#include "source/rule_options.h"

/* ---- What was run ---- */

typedef struct ran {
    const invocation *call;
    crd_text target;
    const crd_settings *settings; /* the settings of the predictions; NULL: each candidate has its own */
    const crd_split *split;       /* NULL: the rows are not in folds */
    const crd_split_options *split_options;
} ran;

/* Reports in JSON how to repeat the evaluation. */
void evaluate_report_run(crd_result *r, const ran *source_ran, uint64_t row_count);

/* ---- Sweep ---- */

/* A goal of --choose-threshold, by which a threshold is best. */
typedef struct sweep_goal {
    crd_curve_goal goal;
    double wanted;
    string text; /* as given on the command line */
} sweep_goal;

typedef struct sweep {
    bool is_asked, has_goals;
    size_t most_points;
    sweep_goal *goals;
    size_t goal_count;
    size_t positive; /* index of the positive class */
    bool has_costs;
    crd_curve_costs costs;
    crd_curve *curve; /* NULL before sweep_run */
} sweep;

/* Reads --threshold-curves and --choose-threshold. Free the sweep with sweep_free. */
int sweep_read(const invocation *call, sweep *s);
/* Finds the class of --positive after the classes are known, and sets the costs of the rule. May be called again. */
int sweep_choose(const invocation *call, sweep *s, const crd_text *classes, size_t count, const crd_rule *rule);
int sweep_run(sweep *s, const crd_evaluation *evaluation);
void sweep_report(crd_result *r, sweep *s, crd_text class_name, bool is_of_two);
void sweep_free(sweep *s);

/* ---- Importance of columns ---- */

typedef struct columns_importance {
    bool is_asked;
    crd_importance_options options;
    crd_importance *importance; /* collects the rows; NULL: not requested */
} columns_importance;

/* Reads --importance. */
int importance_read(const invocation *call, columns_importance *importance);
/* Permutes the columns. Sets *is_interrupted to true after an interrupt; then the finished columns are reported. */
int importance_run(const invocation *call, columns_importance *columns, bool *is_interrupted);
void importance_report(crd_result *r, crd_result_table *lines, const columns_importance *columns);

/* ---- Judge ---- */

/* Runs an assessment and reports its scores. `heading` is the heading and describes how rows were predicted. split
 * NULL: the rows are not in folds; model NULL: several models predict. */
int evaluate_judge(const invocation *call, crd_assessment *assessment, const crd_split_options *split,
                   const crd_model *model, const char *heading);

/* ---- Report ---- */

/* The share of rows whose true class is among the k most probable. */
typedef struct top_accuracy {
    size_t k;
    double accuracy;
    bool is_shown; /* in the table for people */
} top_accuracy;

/* The results of an evaluation. */
typedef struct evaluated {
    const char *heading; /* heading: how rows were predicted */
    bool all_classes, is_interrupted;
    const crd_scores *scores;
    const crd_totals *totals;     /* the totals of `scores` */
    const crd_fold_scores *folds; /* NULL: the rows are not in folds */
    const ran *ran;
    const top_accuracy *tops;
    size_t top_count;
    const crd_scores *before;     /* scores without calibration; NULL: predictions are not calibrated */
    bool with_weights;            /* rows count by their weights */
    const crd_rule *rule;         /* NULL: none */
    const crd_outcomes *outcomes; /* of the rule's decisions */
    sweep *sweep;
    const columns_importance *importance;
    const crd_sequence_evaluation *sequences; /* the sequences whose items are the rows; NULL: the rows are not items */
} evaluated;

void evaluate_report(crd_result *r, const evaluated *e);
/* Draws the pictures that the evaluation has: curves, calibration, confusion, importance. */
int evaluate_draw(crd_result *r, const evaluated *e, const crd_evaluation *evaluation);
/* Report parts of an evaluation: classes, confusion and decisions. */
void evaluate_report_classes(crd_result *r, crd_result_table *lines, const evaluated *e);
void evaluate_report_confusion(crd_result *r, crd_result_table *lines, const evaluated *e, bool undecided);
void evaluate_report_decisions(crd_result *r, crd_result_table *lines, const evaluated *e);
/* Reports sequences and their spans. */
void evaluate_report_sequences(crd_result *r, crd_result_table *lines, const evaluated *e);
/* Returns for each of `count` classes whether people see it. All are shown if they are few or if `all` is set, else
 * the ones with the largest weights. Sets *hidden to the number of other classes. The caller frees the array. */
bool *evaluate_find_shown(size_t count, bool all, double (*weight)(const void *user, size_t index), const void *user,
                          size_t *hidden);

/* Adds the CSV table. It has one line per number: the measure, the class it is about, the predicted class or action,
 * and the value. */
crd_result_table *evaluate_add_lines(crd_result *r);
void evaluate_add_line(crd_result_table *lines, const char *measure, crd_text view, crd_text named, double value);
/* Adds the table for people with numbers about all rows, each with its name and a remark. */
crd_result_table *evaluate_add_totals(crd_result *r);

/* ---- Rows that are read several times ---- */

typedef struct rows {
    data d;
    crd_row_source *source;
    size_t fold_column; /* the column of --folds; SIZE_MAX: not given */
} rows;

int rows_open(const invocation *call, rows *r);
void rows_close(rows *r);

/* ---- Split ---- */

/* Reads --cross-validate, --holdout and --seed. */
int split_read(const invocation *call, crd_split_options *options);
/* Appends a description of the split, which is the heading of the report. */
void split_describe(string *string_options, const crd_split_options *options, const crd_split *split);
/* Prints a note with the number of folds without rows, if there are any. */
void split_note_empty(const crd_split_options *options, const crd_split *split);
/* Writes the fold of each row to the file of --write-folds, if it is given. */
int split_write(const invocation *call, const crd_split_options *options, const crd_split *split);

/* ---- Sequences ---- */

/* Rejects the options that sequences do not support. */
int evaluate_refuse_row_options(const invocation *call);
/* Writes the report of items and of the sequences that contain them. `sequences` may be NULL. */
int evaluate_write_items(const ran *source_ran, const crd_evaluation *items, const crd_sequence_evaluation *sequences,
                         bool has_folds, const char *heading);
/* Writes the fold of each whole sequence to the file of --write-folds, if it is given. */
int evaluate_write_folds(const invocation *call, const crd_split_options *split, const crd_sequences *sequences,
                         const uint32_t *folds);

/* ---- Labelings ---- */

/* The comparison of assigned classes with the labels of a column. */
typedef struct labeling_report {
    const invocation *call;
    const crd_model *model;
    crd_text target;              /* the target, which has the classes */
    const crd_settings *settings; /* the settings of the predictions */
    crd_text *classes;            /* all classes, in the model's order */
    size_t class_count;
    crd_labeling *labeling;
    size_t column; /* index of the column of labels */
    crd_text name; /* name of the column of labels */
    uint64_t unlabeled;
} labeling_report;

/* Finds the column of --true-labels. */
int labeling_find_column(labeling_report *c, const crd_reader *reader);
/* Starts over from the first row. */
crd_status labeling_begin(labeling_report *c, crd_error *error);
int labeling_write(const labeling_report *c);

/* ---- Ways ---- */

int evaluate_model(const invocation *call);
int evaluate_sequence_model(const invocation *call, const crd_model *model);
int evaluate_sequence_folds(const invocation *call);
int evaluate_sequence_classes(const invocation *call, const crd_model *model);
int evaluate_sequence_class_folds(const invocation *call, const crd_sequences *sequences, const crd_settings *settings,
                                  unsigned threads, const crd_split_options *split, const char *heading);
int evaluate_sequence_labeling(const invocation *call, const crd_model *model);
int evaluate_labeling(const invocation *call);
int evaluate_folds(const invocation *call);
int evaluate_leaving_out(const invocation *call);
int evaluate_compare(const invocation *call);
/* Creates settings from the options. The caller destroys them. */
int evaluate_settings(const invocation *call, crd_settings **out);

/* Writes the report of a comparison, which may have only some of the candidates. `heading` is the heading and describes
 * how the rows were split. */
int comparison_report(const ran *source_ran, const crd_comparison *comparison, const char *heading,
                      bool is_interrupted);

#endif
