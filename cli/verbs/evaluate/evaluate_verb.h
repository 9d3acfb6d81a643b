/* SPDX-License-Identifier: MIT */
/* evaluate_verb.h - what the files of the verb evaluate share:
 *
 *   verb_evaluate.c            the verb: its options, and which way to go
 *   evaluate_ways.c            the ways: a model on other rows, cross-validation, holdout, leave one out
 *   evaluate_split.c           the options that split rows into folds, and the file of folds
 *   evaluate_rows.c            the rows of DATA, for several passes
 *   evaluate_judge.c           rows are judged, listed and reported
 *   evaluate_report.c          the scores as a report
 *   evaluate_classes.c         the part about single classes and their confusion
 *   evaluate_sweep.c           a class against the rest at every threshold
 *   evaluate_importance.c      what each column is worth
 *   evaluate_pictures.c        curves, calibration, confusion and importance, drawn
 *   evaluate_run.c             what was run, for JSON
 *   evaluate_decisions.c       what decisions by a rule came to
 *   evaluate_labelling.c       classes beside a known labelling
 *   evaluate_sequences.c       models of sequences
 *   evaluate_sequence_classes.c  classes of whole sequences
 *   evaluate_sequence_states.c   hidden states beside a known labelling
 *   evaluate_sequences_report.c  the part of the report about sequences and spans
 *   evaluate_compare.c         candidates on the same folds
 *   evaluate_compare_report.c  their scores, and which to take */
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
    const crd_settings *settings; /* that rows are answered by; NULL: each candidate has its own */
    const crd_split *split;       /* NULL: rows are in no folds */
    const crd_split_options *split_options;
} ran;

/* For JSON: how to run it again. */
void evaluate_report_run(report *r, const ran *source_ran, uint64_t row_count);

/* ---- Sweep ---- */

/* What the best threshold is to be best by: --best. */
typedef struct sweep_goal {
    crd_curve_goal goal;
    double wanted;
    string text; /* as it was typed */
} sweep_goal;

typedef struct sweep {
    bool is_asked, has_goals;
    size_t most_points;
    sweep_goal *goals;
    size_t goal_count;
    size_t positive; /* the class */
    bool has_costs;
    crd_curve_costs costs;
    crd_curve *curve; /* NULL until it is run */
} sweep;

/* What --sweep and --best ask for. */
int sweep_read(const invocation *call, sweep *s);
/* The class of --positive, once the classes are known, and the costs of the rule. May be called again. */
int sweep_choose(const invocation *call, sweep *s, const crd_text *classes, size_t count, const crd_rule *rule);
int sweep_run(sweep *s, const crd_evaluation *evaluation);
void sweep_report(report *r, sweep *s, crd_text class_name, bool is_of_two);
void sweep_free(sweep *s);

/* ---- Importance of columns ---- */

typedef struct columns_importance {
    bool is_asked;
    crd_importance_options options;
    crd_importance *importance; /* filled with rows; NULL: it is not asked for */
} columns_importance;

/* What --importance asks for. */
int importance_read(const invocation *call, columns_importance *importance);
/* *is_interrupted becomes true where somebody has: then the columns that are done are reported. */
int importance_run(const invocation *call, columns_importance *columns, bool *is_interrupted);
void importance_report(report *r, report_table *lines, const columns_importance *columns);

/* ---- Judge ---- */

/* Runs an assessment and reports its scores; `how` is how rows were answered. split NULL: they are in no folds; model NULL: several
 * answer. */
int evaluate_judge(const invocation *call, crd_assessment *assessment, const crd_split_options *split,
                   const crd_model *model, const char *how);

/* ---- Report ---- */

/* The share of rows whose true class is among the k most probable. */
typedef struct top_accuracy {
    size_t k;
    double accuracy;
    bool is_shown; /* to people */
} top_accuracy;

/* What an evaluation came to. */
typedef struct evaluated {
    const char *how; /* rows were answered */
    bool all_classes, is_interrupted;
    const crd_scores *scores;
    const crd_totals *totals;     /* of these */
    const crd_fold_scores *folds; /* NULL: there are none */
    const ran *ran;
    const top_accuracy *tops;
    size_t top_count;
    const crd_scores *before;     /* without calibration; NULL: there is none */
    bool with_weights;            /* rows count by their weights */
    const crd_rule *rule;         /* NULL: none */
    const crd_outcomes *outcomes; /* of its decisions */
    sweep *sweep;
    const columns_importance *importance;
    const crd_sequence_evaluation *sequences; /* that the rows are items of; NULL: they are of none */
} evaluated;

void evaluate_report(report *r, const evaluated *e);
/* Its pictures, where it has some: curves, calibration, confusion, importance. */
int evaluate_draw(report *r, const evaluated *e, const crd_evaluation *evaluation);
/* Its parts: classes, confusion and decisions. */
void evaluate_report_classes(report *r, report_table *lines, const evaluated *e);
void evaluate_report_confusion(report *r, report_table *lines, const evaluated *e, bool undecided);
void evaluate_report_decisions(report *r, report_table *lines, const evaluated *e);
/* Sequences and their spans. */
void evaluate_report_sequences(report *r, report_table *lines, const evaluated *e);
/* Which of `count` classes people see: all where they are few, or `all` of them are asked for, else those of the
 * greatest weights. The caller frees it. */
bool *evaluate_find_shown(size_t count, bool all, double (*weight)(const void *user, size_t index), const void *user,
                          size_t *hidden);

/* CSV: a line for each number, with what it is, of which class, and which class or action was named. */
report_table *evaluate_add_lines(report *r);
void evaluate_add_line(report_table *lines, const char *measure, crd_text view, crd_text named, double value);
/* For people: numbers of all rows, each with its name and a remark. */
report_table *evaluate_add_totals(report *r);

/* ---- Rows that are read several times ---- */

typedef struct rows {
    data d;
    crd_row_source *source;
    size_t fold_column; /* that --folds selects; SIZE_MAX: none */
} rows;

int rows_open(const invocation *call, rows *r);
void rows_close(rows *r);

/* ---- Split ---- */

/* What --cross-validate, --holdout and --seed ask for. */
int split_read(const invocation *call, crd_split_options *options);
/* As a heading. */
void split_describe(string *string_options, const crd_split_options *options, const crd_split *split);
/* Says how many folds have no row, where some have none. */
void split_note_empty(const crd_split_options *options, const crd_split *split);
/* What --write-folds asks for. */
int split_write(const invocation *call, const crd_split_options *options, const crd_split *split);

/* ---- Sequences ---- */

/* Options that are for rows alone. */
int evaluate_refuse_row_options(const invocation *call);
/* The report of items, and of the sequences that they are of, unless these are NULL. */
int evaluate_write_items(const ran *source_ran, const crd_evaluation *items, const crd_sequence_evaluation *sequences,
                         bool has_folds, const char *how);
/* What --write-folds asks for, of whole sequences. */
int evaluate_write_folds(const invocation *call, const crd_split_options *split, const crd_sequences *sequences,
                         const uint32_t *folds);

/* ---- Labellings ---- */

/* Classes beside the labels of a column. */
typedef struct labelling_report {
    const invocation *call;
    const crd_model *model;
    crd_text target;              /* what the classes are of */
    const crd_settings *settings; /* that they were assigned under */
    crd_text *classes;            /* all there are, in order */
    size_t class_count;
    crd_labelling *labelling;
    size_t column; /* of the labels */
    crd_text name; /* of it */
    uint64_t unlabelled;
} labelling_report;

/* The column of --against. */
int labelling_find_column(labelling_report *c, const crd_reader *reader);
/* From the first row on. */
crd_status labelling_begin(labelling_report *c, crd_error *error);
int labelling_write(const labelling_report *c);

/* ---- Ways ---- */

int evaluate_model(const invocation *call);
int evaluate_sequence_model(const invocation *call, const crd_model *model);
int evaluate_sequence_folds(const invocation *call);
int evaluate_sequence_classes(const invocation *call, const crd_model *model);
int evaluate_sequence_class_folds(const invocation *call, const crd_sequences *sequences, const crd_settings *settings,
                                  unsigned threads, const crd_split_options *split, const char *how);
int evaluate_sequence_labelling(const invocation *call, const crd_model *model);
int evaluate_labelling(const invocation *call);
int evaluate_folds(const invocation *call);
int evaluate_leaving_out(const invocation *call);
int evaluate_compare(const invocation *call);
/* The settings among the options. */
int evaluate_settings(const invocation *call, crd_settings **out);

/* What came of a comparison, perhaps of some candidates only; `how` is how the rows were split. */
int comparison_report(const ran *source_ran, const crd_comparison *comparison, const char *how, bool is_interrupted);

#endif
