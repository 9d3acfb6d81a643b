/* SPDX-License-Identifier: MIT */
/* evaluate_report.c - the scores as a report: tables with a reliability plot for people, JSON, and CSV with a line for
 * each number. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/plot.h"

#include <math.h>

enum { PLOT_WIDTH = 20 };

static const crd_text nothing = {"", 0};

/* ---- Numbers ---- */

report_table *evaluate_add_lines(report *r) {
    report_table *lines = report_add_table(r, NULL);
    lines->is_main = true;
    column_add(lines, "measure", NULL);
    column_add(lines, "class", NULL);
    column_add(lines, "named", NULL);
    column_add(lines, "value", NULL);
    return lines;
}

void evaluate_add_line(report_table *lines, const char *measure, crd_text of, crd_text named, double value) {
    cell_words(lines, measure);
    cell_name(lines, of);
    cell_name(lines, named);
    cell_number(lines, value);
}

report_table *evaluate_add_totals(report *r) {
    report_table *t = report_add_table(r, NULL);
    t->is_headed = false;
    column_add(t, NULL, "");
    column_add(t, NULL, "");
    column_add_left(t, NULL, "");
    return t;
}

/* One number of all rows: a row of the table for people where it has a title, a value in JSON and a line in CSV. */
static void add_total(report_table *totals, report_table *lines, const char *key, const char *title, double value,
                      const char *remark) {
    report_number(totals->report, key, value);
    evaluate_add_line(lines, key, nothing, nothing, value);
    if (title == NULL) return;
    cell_words(totals, title);
    cell_number(totals, value);
    cell_words(totals, remark);
}

/* ---- Remarks ---- */

static crd_class_scores scores_of(const crd_scores *scores, size_t k) {
    crd_class_scores of = CRD_CLASS_SCORES_INIT;
    crd_scores_class(scores, k, &of);
    return of;
}

/* "the true class was at zero: No (2 rows), Yes (1 row)" */
static const char *remark_on_zeros(report *r, const crd_scores *scores) {
    char room[ROWS_ROOM];
    string remark = {0};
    for (size_t k = 0; k < crd_scores_class_count(scores); k++) {
        crd_class_scores of = scores_of(scores, k);
        if (of.zero_rows == 0) continue;
        string_format(&remark, "%s%s (%s)", remark.length == 0 ? "the true class was at zero: " : ", ",
                      report_shown(r, crd_scores_class_name(scores, k)), output_rows(of.zero_rows, room));
    }
    return report_take(r, &remark);
}

/* "without No, Yes: nothing to rank" */
static const char *remark_on_auc(report *r, const crd_scores *scores) {
    string remark = {0};
    for (size_t k = 0; k < crd_scores_class_count(scores); k++) {
        if (!isnan(scores_of(scores, k).auc)) continue;
        string_format(&remark, "%s%s", remark.length == 0 ? "without " : ", ",
                      report_shown(r, crd_scores_class_name(scores, k)));
    }
    if (remark.length > 0) string_format(&remark, ": nothing to rank");
    return report_take(r, &remark);
}

static const char *remark_on_baseline(report *r, const crd_scores *scores) {
    size_t most = 0;
    double greatest = 0;
    for (size_t k = 0; k < crd_scores_class_count(scores); k++) {
        double weight = scores_of(scores, k).support_weight;
        if (weight > greatest) most = k, greatest = weight;
    }
    return report_format(r, "always naming %s", report_shown(r, crd_scores_class_name(scores, most)));
}

/* ---- All rows ---- */

/* The measures that calibration may change, of the same rows before and after it. */
enum { CALIBRATED = 4 };
static const char *const calibrated_keys[CALIBRATED] = {"accuracy", "log_loss", "brier", "ece"};
static const char *const calibrated_titles[CALIBRATED] = {"accuracy", "log loss", "Brier", "ECE"};

static void find_calibrated(const crd_scores *scores, double values[CALIBRATED]) {
    crd_totals totals = CRD_TOTALS_INIT;
    crd_scores_totals(scores, &totals);
    values[0] = totals.accuracy;
    values[1] = totals.log_loss;
    values[2] = totals.brier;
    values[3] = totals.ece;
}

static void report_totals(report *r, report_table *lines, const evaluated *e, const crd_totals *totals) {
    report_table *t = evaluate_add_totals(r);
    report_number(r, "rows", (double)totals->rows);
    evaluate_add_line(lines, "rows", nothing, nothing, (double)totals->rows);
    cell_words(t, "rows");
    cell_format(t, "%llu", (unsigned long long)totals->rows);
    cell_words(t, "");
    if (e->with_weights) {
        add_total(t, lines, "weight", "weight", totals->weight, "by which each row counts below");
    }
    add_total(t, lines, "accuracy", "accuracy", totals->accuracy, "");
    add_total(t, lines, "baseline", "baseline", totals->baseline, remark_on_baseline(r, e->scores));
    add_total(t, lines, "log_loss", "log loss", totals->log_loss, remark_on_zeros(r, e->scores));
    add_total(t, lines, "zero_rows", NULL, (double)totals->zero_rows, "");
    add_total(t, lines, "brier", "Brier", totals->brier, "");
    add_total(t, lines, "auc", "AUC", totals->auc, remark_on_auc(r, e->scores));
    /* JSON has it behind the bins that it is made of. */
    evaluate_add_line(lines, "ece", nothing, nothing, totals->ece);
    cell_words(t, "ECE");
    cell_number(t, totals->ece);
    cell_words(t, "");
}

/* ---- Classes ---- */

static void report_classes(report *r, report_table *lines, const crd_scores *scores) {
    static const char *const keys[] = {"precision", "recall", "f1", "auc", "support", "zero_rows"};
    static const char *const titles[] = {"precision", "recall", "F1", "AUC", "support", NULL};
    enum { MEASURES = sizeof keys / sizeof *keys, FIRST_COUNT = 4 };
    size_t classes = crd_scores_class_count(scores);
    report_short_array(r, "classes");
    for (size_t k = 0; k < classes; k++) report_text(r, NULL, crd_scores_class_name(scores, k));
    report_end(r);
    report_heading(r, 2, "Classes", "");
    report_table *t = report_add_table(r, "per_class");
    t->is_wrapped = t->is_short = true;
    column_add(t, "class", "class");
    for (size_t i = 0; i < MEASURES; i++) column_add(t, keys[i], titles[i]);
    for (size_t k = 0; k < classes; k++) {
        crd_class_scores of = scores_of(scores, k);
        const double values[] = {of.precision, of.recall, of.f1, of.auc, of.support_weight, (double)of.zero_rows};
        crd_text name = crd_scores_class_name(scores, k);
        cell_name(t, name);
        for (size_t i = 0; i < MEASURES; i++) {
            evaluate_add_line(lines, keys[i], name, nothing, values[i]);
            if (i < FIRST_COUNT) cell_number(t, values[i]);
            else cell_count(t, values[i]);
        }
    }
}

/* Columns for the classes that can be predicted, and one for rows without an answer where there are some. */
static void show_confusion(report *r, const crd_scores *scores, bool undecided) {
    size_t classes = crd_scores_class_count(scores), named = 0;
    report_table *t = report_add_table(r, NULL);
    t->is_wrapped = true;
    column_add(t, NULL, "");
    for (size_t k = 0; k < classes; k++) {
        if (!scores_of(scores, k).can_be_predicted) continue;
        column_add(t, NULL, report_shown(r, crd_scores_class_name(scores, k)));
        named++;
    }
    if (undecided) column_add(t, NULL, "(none)");
    for (size_t truth = 0; truth < classes; truth++) {
        double support = scores_of(scores, truth).support_weight, left = support;
        cell_name(t, crd_scores_class_name(scores, truth));
        for (size_t k = 0; k < named; k++) {
            double weight = crd_scores_confusion_weight(scores, truth, k);
            cell_count(t, weight);
            left -= weight;
        }
        /* Sums of weights are rounded, and their differences show it. */
        if (undecided) cell_count(t, left > support * 1e-12 ? left : 0);
    }
}

/* A larger matrix takes more memory than rows and model, and nobody reads it. */
enum { MOST_CONFUSION_CLASSES = 1000 };

static void report_confusion(report *r, report_table *lines, const crd_scores *scores, bool undecided) {
    size_t classes = crd_scores_class_count(scores);
    if (classes > MOST_CONFUSION_CLASSES) {
        report_heading(r, 2, "Confusion", "");
        report_line(r, "left out: it is reported of up to %d classes", MOST_CONFUSION_CLASSES);
        report_null(r, "confusion");
        return;
    }
    report_heading(r, 2, "Confusion", ": a row for each true class, a column for each that was named");
    show_confusion(r, scores, undecided);
    report_array(r, "confusion");
    for (size_t truth = 0; truth < classes; truth++) {
        report_short_array(r, NULL);
        for (size_t k = 0; k < classes; k++) {
            double weight = crd_scores_confusion_weight(scores, truth, k);
            report_number(r, NULL, weight);
            evaluate_add_line(lines, "confusion", crd_scores_class_name(scores, truth),
                              crd_scores_class_name(scores, k), weight);
        }
        report_end(r);
    }
    report_end(r);
}

/* ---- Calibration ---- */

/* heading NULL: for JSON alone; key NULL: for people alone. */
static void report_bins(report *r, const crd_scores *scores, const char *heading, const char *key) {
    bool is_seen = heading != NULL;
    if (is_seen) report_heading(r, 2, heading, ": █ accuracy of the rows, ┃ the probability they were given");
    report_table *t = report_add_table(r, key);
    t->is_short = true;
    column_add(t, NULL, is_seen ? "probability" : NULL);
    column_add(t, "from", NULL);
    column_add(t, "to", NULL);
    column_add(t, "rows", is_seen ? "rows" : NULL);
    column_add(t, "probability", is_seen ? "mean" : NULL);
    column_add(t, "accuracy", is_seen ? "accuracy" : NULL);
    column_add_left(t, NULL, is_seen ? "0                  1" : NULL);
    for (size_t i = 0; i < CRD_CALIBRATION_BINS; i++) {
        crd_calibration_bin bin = crd_scores_calibration(scores, i);
        double from = (double)i / CRD_CALIBRATION_BINS, to = (double)(i + 1) / CRD_CALIBRATION_BINS;
        string picture = {0};
        if (bin.rows > 0) plot_reliability(&picture, bin.accuracy, bin.probability, PLOT_WIDTH);
        row_begin(t, bin.rows == 0 ? FOR_JSON : FOR_ALL);
        cell_format(t, "%.1f to %.1f", from, to);
        cell_number(t, from);
        cell_number(t, to);
        cell_count(t, bin.weight);
        cell_number(t, bin.probability);
        cell_number(t, bin.accuracy);
        cell_words(t, report_take(r, &picture));
    }
}

/* What calibration has changed. */
static void show_before_and_after(report *r, const evaluated *e) {
    double before[CALIBRATED], after[CALIBRATED];
    find_calibrated(e->before, before);
    find_calibrated(e->scores, after);
    report_heading(r, 2, "Before and after calibration", "");
    report_table *t = report_add_table(r, NULL);
    column_add(t, NULL, "");
    column_add(t, NULL, "before");
    column_add(t, NULL, "after");
    for (size_t i = 0; i < CALIBRATED; i++) {
        cell_words(t, calibrated_titles[i]);
        cell_number(t, before[i]);
        cell_number(t, after[i]);
    }
}

/* The same members as the whole has, without calibration. */
static void report_before(report *r, const crd_scores *before) {
    double values[CALIBRATED];
    find_calibrated(before, values);
    report_object(r, "before_calibration");
    for (size_t i = 0; i < CALIBRATED; i++) {
        if (i + 1 == CALIBRATED) report_bins(r, before, NULL, "calibration");
        report_number(r, calibrated_keys[i], values[i]);
    }
    report_end(r);
}

static void add_lines_before(report *r, report_table *lines, const crd_scores *before) {
    double values[CALIBRATED];
    find_calibrated(before, values);
    for (size_t i = 0; i < CALIBRATED; i++) {
        const char *measure = report_format(r, "%s_before_calibration", calibrated_keys[i]);
        evaluate_add_line(lines, measure, nothing, nothing, values[i]);
    }
}

void evaluate_report(report *r, const evaluated *e) {
    crd_totals totals = CRD_TOTALS_INIT;
    crd_scores_totals(e->scores, &totals);
    report_top_heading(r, e->how);
    report_object(r, NULL);
    report_table *lines = evaluate_add_lines(r);
    report_totals(r, lines, e, &totals);
    if (e->before != NULL) add_lines_before(r, lines, e->before);
    report_classes(r, lines, e->scores);
    report_confusion(r, lines, e->scores, totals.undecided > 0);
    if (e->before != NULL) {
        show_before_and_after(r, e);
        report_bins(r, e->before, "Before calibration", NULL);
    }
    report_bins(r, e->scores, e->before == NULL ? "Calibration" : "After calibration", "calibration");
    report_number(r, "ece", totals.ece);
    if (e->before != NULL) report_before(r, e->before);
    if (e->rule != NULL) evaluate_report_decisions(r, lines, e->rule, e->outcomes);
    report_end(r);
}
