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
static void sequences_report_add_number(crd_result_table *t, crd_result_table *lines, const char *key,
                                        const char *title, double value, const char *remark) {
    crd_result_number(t->result, key, value);
    evaluate_add_line(lines, crd_result_format(t->result, "sequence_%s", key), nothing, nothing, value);
    if (title == NULL) return;
    crd_cell_words(t, title);
    if (value == floor(value) && fabs(value) < 0x1p53) crd_cell_count(t, value);
    else crd_cell_number(t, value);
    crd_cell_words(t, remark);
}

static void sequences_report_add_unseen(crd_result_table *t, crd_result_table *lines,
                                        const crd_sequence_totals *totals) {
    bool is_shown = totals->unseen_items > 0;
    sequences_report_add_number(t, lines, "seen_items", NULL, (double)totals->seen_items, "");
    sequences_report_add_number(t, lines, "seen_accuracy", is_shown ? "accuracy, values seen" : NULL,
                                sequences_report_share(totals->seen_correct, totals->seen_items),
                                crd_result_format(t->result, "%llu items", (unsigned long long)totals->seen_items));
    sequences_report_add_number(t, lines, "unseen_items", NULL, (double)totals->unseen_items, "");
    sequences_report_add_number(t, lines, "unseen_accuracy", is_shown ? "accuracy, values never seen" : NULL,
                                sequences_report_share(totals->unseen_correct, totals->unseen_items),
                                crd_result_format(t->result, "%llu items", (unsigned long long)totals->unseen_items));
}

/* Reports the number of sequences, their accuracy and their log-likelihood. */
static void report_sequence_totals(crd_result *r, crd_result_table *lines, const crd_sequence_totals *totals) {
    bool are_labeled = totals->labeled > 0;
    if (are_labeled) crd_result_heading(r, 2, "Sequences", "");
    crd_result_begin(r, CRD_OBJECT, "sequences");
    crd_result_table *t = evaluate_add_totals(r);
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
    crd_result_end(r);
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

static void add_span_cells(crd_result_table *t, crd_result_table *lines, const crd_span_scores *scores) {
    static const char *const keys[SPAN_MEASURES] = {"span_precision", "span_recall", "span_f1",
                                                    "span_true",      "span_named",  "span_correct"};
    const double values[SPAN_MEASURES] = {scores->precision,      scores->recall,        scores->f1,
                                          (double)scores->truths, (double)scores->named, (double)scores->correct};
    for (size_t i = 0; i < SPAN_MEASURES; i++) {
        evaluate_add_line(lines, keys[i], scores->type, nothing, values[i]);
        if (i < FIRST_SPAN_COUNT) crd_cell_number(t, values[i]);
        else crd_cell_count(t, values[i]);
    }
}

/* Reports precision, recall and F1 of the spans of each type. The table for people has the most frequent types,
 * unless all_types is set. */
static void report_types(crd_result *r, crd_result_table *lines, const crd_spans *spans, bool all_types) {
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
    crd_result_table *t = crd_result_add_table(r, "types");
    t->is_short = true;
    crd_result_add_column(t, "type", "type");
    for (size_t i = 0; i < SPAN_MEASURES; i++) crd_result_add_column(t, columns[i][0], columns[i][1]);
    for (size_t i = 0; i < count; i++) {
        t->audience = shown[i] ? CRD_FOR_ALL : CRD_FOR_JSON | CRD_FOR_CSV;
        crd_cell_name(t, types[i].type);
        add_span_cells(t, lines, &types[i]);
    }
    crd_spans_totals(spans, &all);
    t->audience = CRD_FOR_PEOPLE;
    crd_cell_words(t, "all spans");
    add_span_cells(t, lines, &all);
    if (hidden > 0)
        crd_result_line(r, CRD_REMARK, "%zu types with fewer spans are not shown; use --all-classes", hidden);
    free(shown);
    free(types);
}

/* Reports the scores of all spans, and of each type. */
static void report_spans(crd_result *r, crd_result_table *lines, const crd_spans *spans, bool all_types) {
    crd_span_scores all = CRD_SPAN_SCORES_INIT;
    bool are_tags = crd_spans_scheme(spans) == CRD_SPANS_TAGS;
    crd_spans_totals(spans, &all);
    crd_result_heading(r, 2, "Spans", are_tags ? ", by the tags of labels" : ": maximal runs of a label");
    crd_result_begin(r, CRD_OBJECT, "spans");
    crd_result_words(r, "scheme", are_tags ? "tags" : "runs");
    crd_result_number(r, "precision", all.precision);
    crd_result_number(r, "recall", all.recall);
    crd_result_number(r, "f1", all.f1);
    crd_result_number(r, "true", (double)all.truths);
    crd_result_number(r, "named", (double)all.named);
    crd_result_number(r, "correct", (double)all.correct);
    report_types(r, lines, spans, all_types);
    crd_result_end(r);
}

void evaluate_report_sequences(crd_result *r, crd_result_table *lines, const evaluated *e) {
    crd_sequence_totals totals = CRD_SEQUENCE_TOTALS_INIT;
    crd_sequence_evaluation_totals(e->sequences, &totals);
    report_sequence_totals(r, lines, &totals);
    if (totals.labeled > 0) report_spans(r, lines, crd_sequence_evaluation_spans(e->sequences), e->all_classes);
}
