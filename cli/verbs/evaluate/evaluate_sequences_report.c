/* SPDX-License-Identifier: MIT */
/* evaluate_sequences_report.c - the part of the report about sequences: how many are entirely correct, their
 * log-likelihood, items with unseen values, and spans. */
#include "verbs/evaluate/evaluate_verb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const crd_text nothing = {"", 0};

static double sequences_report_share(uint64_t part, uint64_t whole) {
    return whole > 0 ? (double)part / (double)whole : NAN;
}

/* ---- Sequences ---- */

/* Adds a number about all sequences: under its key in JSON and CSV, and in the table for people if it has a title. */
static void sequences_report_add_number(report_table *t, report_table *lines, const char *key, const char *title,
                                        double value, const char *remark) {
    report_number(t->report, key, value);
    evaluate_add_line(lines, report_format(t->report, "sequence_%s", key), nothing, nothing, value);
    if (title == NULL) return;
    cell_words(t, title);
    if (value == floor(value) && fabs(value) < 0x1p53) cell_count(t, value);
    else cell_number(t, value);
    cell_words(t, remark);
}

static void sequences_report_add_unseen(report_table *t, report_table *lines, const crd_sequence_totals *totals) {
    bool is_shown = totals->unseen_items > 0;
    sequences_report_add_number(t, lines, "seen_items", NULL, (double)totals->seen_items, "");
    sequences_report_add_number(t, lines, "seen_accuracy", is_shown ? "accuracy, values seen" : NULL,
                                sequences_report_share(totals->seen_correct, totals->seen_items),
                                report_format(t->report, "%llu items", (unsigned long long)totals->seen_items));
    sequences_report_add_number(t, lines, "unseen_items", NULL, (double)totals->unseen_items, "");
    sequences_report_add_number(t, lines, "unseen_accuracy", is_shown ? "accuracy, values never seen" : NULL,
                                sequences_report_share(totals->unseen_correct, totals->unseen_items),
                                report_format(t->report, "%llu items", (unsigned long long)totals->unseen_items));
}

/* Reports the number of sequences, their accuracy and their log-likelihood. */
static void report_sequence_totals(report *r, report_table *lines, const crd_sequence_totals *totals) {
    bool are_labeled = totals->labeled > 0;
    if (are_labeled) report_heading(r, 2, "Sequences", "");
    report_object(r, "sequences");
    report_table *t = evaluate_add_totals(r);
    sequences_report_add_number(t, lines, "count", "sequences", (double)totals->sequences, "");
    sequences_report_add_number(t, lines, "items", are_labeled ? NULL : "items", (double)totals->items, "");
    sequences_report_add_number(t, lines, "labeled", NULL, (double)totals->labeled, "");
    sequences_report_add_number(t, lines, "correct", are_labeled ? "entirely correct" : NULL, (double)totals->correct,
                                "");
    sequences_report_add_number(t, lines, "accuracy", are_labeled ? "share of them" : NULL,
                                sequences_report_share(totals->correct, totals->labeled), "");
    sequences_report_add_number(t, lines, "log_likelihood", "log-likelihood", totals->log_likelihood, "");
    sequences_report_add_number(
        t, lines, "log_likelihood_per_item", "per item",
        totals->possible_items > 0 ? totals->log_likelihood / (double)totals->possible_items : NAN, "");
    sequences_report_add_number(t, lines, "impossible", totals->impossible > 0 ? "impossible" : NULL,
                                (double)totals->impossible, "sequences of probability zero, not in the log-likelihood");
    if (are_labeled) sequences_report_add_unseen(t, lines, totals);
    report_end(r);
}

/* ---- Spans ---- */

static int by_type(const void *a, const void *b) {
    const crd_text x = ((const crd_span_scores *)a)->type, y = ((const crd_span_scores *)b)->type;
    const int order = memcmp(x.bytes, y.bytes, x.length < y.length ? x.length : y.length);
    return order != 0 ? order : (x.length > y.length) - (x.length < y.length);
}

static double truths_of(const void *user, size_t type) {
    return (double)((const crd_span_scores *)user)[type].truths;
}

enum { SPAN_MEASURES = 6, FIRST_SPAN_COUNT = 3 };

static void add_span_cells(report_table *t, report_table *lines, const crd_span_scores *scores) {
    static const char *const keys[SPAN_MEASURES] = {"span_precision", "span_recall", "span_f1",
                                                    "span_true",      "span_named",  "span_correct"};
    const double values[SPAN_MEASURES] = {scores->precision,      scores->recall,        scores->f1,
                                          (double)scores->truths, (double)scores->named, (double)scores->correct};
    for (size_t i = 0; i < SPAN_MEASURES; i++) {
        evaluate_add_line(lines, keys[i], scores->type, nothing, values[i]);
        if (i < FIRST_SPAN_COUNT) cell_number(t, values[i]);
        else cell_count(t, values[i]);
    }
}

/* Reports precision, recall and F1 of the spans of each type. The table for people has the most frequent types,
 * unless all_types is set. */
static void report_types(report *r, report_table *lines, const crd_spans *spans, bool all_types) {
    static const char *const columns[SPAN_MEASURES][2] = {
        {"precision", "precision"}, {"recall", "recall"}, {"f1", "F1"},
        {"true", "true"},           {"named", "named"},   {"correct", "correct"}};
    size_t count = crd_spans_type_count(spans), hidden;
    crd_span_scores *types = memory_resize(NULL, count, sizeof *types), all = CRD_SPAN_SCORES_INIT;
    for (size_t i = 0; i < count; i++) {
        types[i] = (crd_span_scores)CRD_SPAN_SCORES_INIT;
        crd_spans_type(spans, i, &types[i]);
    }
    qsort(types, count, sizeof *types, by_type);
    bool *shown = evaluate_find_shown(count, all_types, truths_of, types, &hidden);
    report_table *t = report_add_table(r, "types");
    t->is_short = true;
    column_add(t, "type", "type");
    for (size_t i = 0; i < SPAN_MEASURES; i++) column_add(t, columns[i][0], columns[i][1]);
    for (size_t i = 0; i < count; i++) {
        row_begin(t, shown[i] ? FOR_ALL : FOR_JSON | FOR_CSV);
        cell_name(t, types[i].type);
        add_span_cells(t, lines, &types[i]);
    }
    crd_spans_totals(spans, &all);
    row_begin(t, FOR_PEOPLE);
    cell_words(t, "all spans");
    add_span_cells(t, lines, &all);
    if (hidden > 0) report_remark(r, "%zu types with fewer spans are not shown; use --all-classes", hidden);
    free(shown);
    free(types);
}

/* Reports the scores of all spans, and of each type. */
static void report_spans(report *r, report_table *lines, const crd_spans *spans, bool all_types) {
    crd_span_scores all = CRD_SPAN_SCORES_INIT;
    bool are_tags = crd_spans_scheme(spans) == CRD_SPANS_TAGS;
    crd_spans_totals(spans, &all);
    report_heading(r, 2, "Spans", are_tags ? ", by the tags of labels" : ": maximal runs of a label");
    report_object(r, "spans");
    report_words(r, "scheme", are_tags ? "tags" : "runs");
    report_number(r, "precision", all.precision);
    report_number(r, "recall", all.recall);
    report_number(r, "f1", all.f1);
    report_number(r, "true", (double)all.truths);
    report_number(r, "named", (double)all.named);
    report_number(r, "correct", (double)all.correct);
    report_types(r, lines, spans, all_types);
    report_end(r);
}

void evaluate_report_sequences(report *r, report_table *lines, const evaluated *e) {
    crd_sequence_totals totals = CRD_SEQUENCE_TOTALS_INIT;
    crd_sequence_evaluation_totals(e->sequences, &totals);
    report_sequence_totals(r, lines, &totals);
    if (totals.labeled > 0) report_spans(r, lines, crd_sequence_evaluation_spans(e->sequences), e->all_classes);
}
