/* SPDX-License-Identifier: MIT */
/* evaluate_report.c - the report of the scores: tables and a reliability plot for people, JSON, and CSV with one
 * line per number. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/character_plot.h"

#include <math.h>

enum { PLOT_WIDTH = 20 };

static const crd_text nothing = {"", 0};

/* ---- Numbers ---- */

crd_result_table *evaluate_add_lines(crd_result *r) {
    crd_result_table *lines = crd_result_add_table(r, NULL);
    lines->is_main = true;
    crd_result_add_column(lines, "measure", NULL);
    crd_result_add_column(lines, "class", NULL);
    crd_result_add_column(lines, "named", NULL);
    crd_result_add_column(lines, "value", NULL);
    return lines;
}

void evaluate_add_line(crd_result_table *lines, const char *measure, crd_text view, crd_text named, double value) {
    crd_cell_words(lines, measure);
    crd_cell_name(lines, view);
    crd_cell_name(lines, named);
    crd_cell_number(lines, value);
}

crd_result_table *evaluate_add_totals(crd_result *r) {
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_headed = false;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "")->is_left = true;
    return t;
}

/* Adds one number about all rows: a value in JSON and a line in CSV. If it has a title, it is also a row of the
 * table for people. */
static void add_total(crd_result_table *totals, crd_result_table *lines, const char *key, const char *title,
                      double value, const char *remark) {
    crd_result_number(totals->result, key, value);
    evaluate_add_line(lines, key, nothing, nothing, value);
    if (title == NULL) return;
    crd_cell_words(totals, title);
    crd_cell_number(totals, value);
    crd_cell_words(totals, remark);
}

/* ---- Remarks ---- */

static crd_class_scores evaluate_report_scores(const crd_scores *scores, size_t k) {
    const crd_class_scores class = scores->classes[k];
    return class;
}

/* The maximum number of classes that a remark names. If there are more, their number is given. */
enum { MOST_NAMED = 3 };

static void add_unnamed(string *remark, size_t count) {
    if (count > MOST_NAMED) string_format(remark, " and %zu more", count - MOST_NAMED);
}

/* Returns a remark such as "the true class had probability 0: No (2 rows), Yes (1 row)", or "". */
static const char *remark_on_zeros(crd_result *r, const crd_scores *scores) {
    char buffer[ROWS_ROOM];
    string remark = {0};
    size_t count = 0;
    for (size_t k = 0; k < scores->class_count; k++) {
        crd_class_scores class = evaluate_report_scores(scores, k);
        if (class.zero_rows == 0 || ++count > MOST_NAMED) continue;
        string_format(&remark, "%s%s (%s)", count == 1 ? "the true class had probability 0: " : ", ",
                      crd_result_show(r, scores->classes[k].name), output_rows(class.zero_rows, buffer));
    }
    add_unnamed(&remark, count);
    return report_take(r, &remark);
}

/* Returns a remark about classes without an AUC, such as "without No, Yes: nothing to rank", or "". */
static const char *remark_on_auc(crd_result *r, const crd_scores *scores, const crd_totals *totals) {
    string remark = {0};
    size_t count = 0;
    if (totals->is_unranked) return "too many rows and classes to rank";
    for (size_t k = 0; k < scores->class_count; k++) {
        if (!isnan(evaluate_report_scores(scores, k).auc) || ++count > MOST_NAMED) continue;
        string_format(&remark, "%s%s", count == 1 ? "without " : ", ", crd_result_show(r, scores->classes[k].name));
    }
    add_unnamed(&remark, count);
    if (remark.length > 0) string_format(&remark, ": nothing to rank");
    return report_take(r, &remark);
}

static const char *remark_on_baseline(crd_result *r, const crd_scores *scores) {
    size_t most = 0;
    double greatest = 0;
    for (size_t k = 0; k < scores->class_count; k++) {
        double weight = evaluate_report_scores(scores, k).support_weight;
        if (weight > greatest) most = k, greatest = weight;
    }
    return crd_result_format(r, "always predicting %s", crd_result_show(r, scores->classes[most].name));
}

/* ---- All rows ---- */

/* The measures that calibration may change. They are computed for the same rows before and after calibration. */
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

/* Returns a remark such as "mean 0.95, SD 0.05 over 10 folds", followed by `remark`. */
static const char *remark_on_folds(crd_result *r, const evaluated *e, crd_measure measure, const char *remark) {
    char mean[CRD_NUMBER_ROOM], deviation[CRD_NUMBER_ROOM];
    if (e->folds == NULL) return remark;
    crd_spread spread = e->folds->spreads[measure];
    size_t all = e->folds->count;
    if (spread.folds < 2 || !isfinite(spread.mean)) return remark;
    const char *some = spread.folds < all ? crd_result_format(r, "%zu of ", (size_t)spread.folds) : "";
    return crd_result_format(r, "mean %s, SD %s over %s%zu folds%s%s", crd_number_round(spread.mean, mean),
                             crd_number_round(spread.deviation, deviation), some, all, remark[0] == '\0' ? "" : "; ",
                             remark);
}

static const char *evaluate_report_title(crd_measure measure) {
    static const char *const titles[CRD_MEASURE_COUNT] = {
        "accuracy", "log loss", "Brier", "AUC", "ECE", "balanced accuracy", "macro F1", "weighted F1", "MCC", "kappa"};
    return titles[measure];
}

static void evaluate_report_add_measure(crd_result_table *totals, crd_result_table *lines, const evaluated *e,
                                        crd_measure measure, const char *remark) {
    add_total(totals, lines, crd_measure_name(measure), evaluate_report_title(measure),
              crd_totals_measure(e->totals, measure), remark_on_folds(totals->result, e, measure, remark));
}

/* Reports the measures of all rows, with remarks, and the top-k accuracies. */
static void report_totals(crd_result *r, crd_result_table *lines, const evaluated *e) {
    const crd_totals *totals = e->totals;
    crd_result_table *t = evaluate_add_totals(r);
    crd_result_number(r, "rows", (double)totals->rows);
    evaluate_add_line(lines, "rows", nothing, nothing, (double)totals->rows);
    crd_cell_words(t, "rows");
    crd_cell_format(t, "%llu", (unsigned long long)totals->rows);
    crd_cell_words(t, "");
    if (e->with_weights) {
        add_total(t, lines, "weight", "weight", totals->weight, "sum of weights; each row counts by its weight below");
    }
    evaluate_report_add_measure(t, lines, e, CRD_MEASURE_ACCURACY, "");
    add_total(t, lines, "baseline", "baseline", totals->baseline, remark_on_baseline(r, e->scores));
    evaluate_report_add_measure(t, lines, e, CRD_MEASURE_LOG_LOSS, remark_on_zeros(r, e->scores));
    add_total(t, lines, "zero_rows", NULL, (double)totals->zero_rows, "");
    evaluate_report_add_measure(t, lines, e, CRD_MEASURE_BRIER, "");
    evaluate_report_add_measure(t, lines, e, CRD_MEASURE_AUC, remark_on_auc(r, e->scores, totals));
    /* JSON contains the ECE after the calibration bins from which it is computed. */
    evaluate_add_line(lines, "ece", nothing, nothing, totals->ece);
    crd_cell_words(t, evaluate_report_title(CRD_MEASURE_ECE));
    crd_cell_number(t, totals->ece);
    crd_cell_words(t, remark_on_folds(r, e, CRD_MEASURE_ECE, ""));
    for (crd_measure m = CRD_MEASURE_BALANCED_ACCURACY; m <= CRD_MEASURE_KAPPA; m++)
        evaluate_report_add_measure(t, lines, e, m, "");
    crd_result_begin(r, CRD_OBJECT, "top_k_accuracy");
    for (size_t i = 0; i < e->top_count; i++) {
        const top_accuracy *top = &e->tops[i];
        const char *k = crd_result_format(r, "%zu", top->k);
        crd_result_number(r, k, top->accuracy);
        evaluate_add_line(lines, "top_k_accuracy", nothing, crd_text_of(k), top->accuracy);
        if (!top->is_shown) continue;
        crd_cell_format(t, "top-%zu accuracy", top->k);
        crd_cell_number(t, top->accuracy);
        crd_cell_words(t, "");
    }
    crd_result_end(r);
}

/* Reports the 95 % confidence intervals of the measures that have one, in JSON. */
static void evaluate_report_intervals(crd_result *r, const crd_scores *scores) {
    double bounds[2];
    crd_result_begin(r, CRD_OBJECT, "intervals");
    for (crd_measure m = 0; m < CRD_MEASURE_COUNT; m++) {
        if (!crd_scores_interval(scores, m, &bounds[0], &bounds[1])) continue;
        crd_result_begin(r, CRD_SHORT_ARRAY, crd_measure_name(m));
        for (size_t i = 0; i < 2; i++) crd_result_number(r, NULL, bounds[i]);
        crd_result_end(r);
    }
    crd_result_end(r);
}

/* ---- Folds ---- */

/* Reports the scores of each fold, their means and standard deviations, in JSON and CSV. */
static void report_folds(crd_result *r, crd_result_table *lines, const evaluated *e) {
    if (e->folds == NULL || e->folds->count < 2) return;
    crd_result_table *t = crd_result_add_table(r, "folds");
    t->is_short = true;
    crd_result_add_column(t, "fold", NULL);
    crd_result_add_column(t, "rows", NULL);
    for (crd_measure m = 0; m < CRD_MEASURE_COUNT; m++) crd_result_add_column(t, crd_measure_name(m), NULL);
    for (size_t i = 0; i < e->folds->count; i++) {
        uint32_t fold = e->folds->folds[i];
        crd_text name = e->ran->split == NULL ? nothing : crd_split_fold_name(e->ran->split, fold);
        crd_totals totals;
        totals = e->folds->totals[i];
        if (e->ran->split != NULL && name.bytes != NULL) crd_cell_name(t, name);
        else crd_cell_count(t, (double)fold + 1);
        crd_cell_count(t, (double)totals.rows);
        for (crd_measure m = 0; m < CRD_MEASURE_COUNT; m++) crd_cell_number(t, crd_totals_measure(&totals, m));
    }
    static const char *const keys[] = {"fold_mean", "fold_sd"};
    for (size_t i = 0; i < 2; i++) {
        crd_result_begin(r, CRD_OBJECT, keys[i]);
        for (crd_measure m = 0; m < CRD_MEASURE_COUNT; m++) {
            crd_spread spread = e->folds->spreads[m];
            double value = i == 0 ? spread.mean : spread.deviation;
            crd_result_number(r, crd_measure_name(m), value);
            evaluate_add_line(lines, crd_result_format(r, "%s_%s", crd_measure_name(m), keys[i]), nothing, nothing,
                              value);
        }
        crd_result_end(r);
    }
}

/* ---- Calibration ---- */

/* Reports the calibration bins: rows, mean probability, accuracy and its interval. heading NULL: only in JSON; key
 * NULL: only for people. */
static void report_bins(crd_result *r, const crd_scores *scores, const char *heading, const char *key) {
    bool is_seen = heading != NULL;
    if (is_seen)
        crd_result_prose(r, CRD_HEADING_DRAWING, 2, "", heading,
                         ": █ accuracy of the rows, ┃ their mean predicted probability");
    crd_result_table *t = crd_result_add_table(r, key);
    t->is_short = true;
    crd_result_add_column(t, NULL, is_seen ? "probability" : NULL);
    crd_result_add_column(t, "from", NULL);
    crd_result_add_column(t, "to", NULL);
    crd_result_add_column(t, "rows", is_seen ? "rows" : NULL);
    crd_result_add_column(t, "probability", is_seen ? "mean" : NULL);
    crd_result_add_column(t, "accuracy", is_seen ? "accuracy" : NULL);
    crd_result_add_column(t, "low", NULL);
    crd_result_add_column(t, "high", NULL);
    crd_result_column *drawing = crd_result_add_column(t, NULL, is_seen ? "0                  1" : NULL);
    drawing->is_left = drawing->is_drawing = true;
    for (size_t i = 0; i < CRD_CALIBRATION_BINS; i++) {
        crd_calibration_bin bin = scores->bins[i];
        double low, high, start = (double)i / CRD_CALIBRATION_BINS, upper = (double)(i + 1) / CRD_CALIBRATION_BINS;
        string picture = {0};
        crd_frequency_interval(bin.accuracy, bin.weight, &low, &high);
        if (bin.rows > 0) plot_reliability(&picture, bin.accuracy, bin.probability, PLOT_WIDTH);
        t->audience = bin.rows == 0 ? CRD_FOR_JSON : CRD_FOR_ALL;
        crd_cell_format(t, "%.1f to %.1f", start, upper);
        crd_cell_number(t, start);
        crd_cell_number(t, upper);
        crd_cell_count(t, bin.weight);
        crd_cell_number(t, bin.probability);
        crd_cell_number(t, bin.accuracy);
        crd_cell_number(t, low);
        crd_cell_number(t, high);
        crd_cell_words(t, report_take(r, &picture));
    }
}

/* Shows the measures before and after calibration. */
static void show_before_and_after(crd_result *r, const evaluated *e) {
    double before[CALIBRATED], after[CALIBRATED];
    find_calibrated(e->before, before);
    find_calibrated(e->scores, after);
    crd_result_heading(r, 2, "Before and after calibration", "");
    crd_result_table *t = crd_result_add_table(r, NULL);
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "before");
    crd_result_add_column(t, NULL, "after");
    for (size_t i = 0; i < CALIBRATED; i++) {
        crd_cell_words(t, calibrated_titles[i]);
        crd_cell_number(t, before[i]);
        crd_cell_number(t, after[i]);
    }
}

/* Reports the scores without calibration in JSON, under the same member names as the calibrated scores. */
static void report_before(crd_result *r, const crd_scores *before) {
    double values[CALIBRATED];
    find_calibrated(before, values);
    crd_result_begin(r, CRD_OBJECT, "before_calibration");
    for (size_t i = 0; i < CALIBRATED; i++) {
        if (i + 1 == CALIBRATED) report_bins(r, before, NULL, "calibration");
        crd_result_number(r, calibrated_keys[i], values[i]);
    }
    crd_result_end(r);
}

static void add_lines_before(crd_result *r, crd_result_table *lines, const crd_scores *before) {
    double values[CALIBRATED];
    find_calibrated(before, values);
    for (size_t i = 0; i < CALIBRATED; i++) {
        const char *measure = crd_result_format(r, "%s_before_calibration", calibrated_keys[i]);
        evaluate_add_line(lines, measure, nothing, nothing, values[i]);
    }
}

/* Reports all parts of an evaluation in order. The caller adds the pictures. */
void evaluate_report(crd_result *r, const evaluated *e) {
    crd_result_prose(r, CRD_TOP_HEADING, 1, "", "", e->heading);
    crd_result_begin(r, CRD_OBJECT, NULL);
    if (e->is_interrupted) {
        crd_result_line(r, CRD_LINE, "Interrupted: these are the results until then.");
        crd_result_prose(r, CRD_EMPTY_LINE, 0, "", "", "");
        crd_result_boolean(r, "interrupted", true);
    }
    crd_result_table *lines = evaluate_add_lines(r);
    if (e->is_interrupted) evaluate_add_line(lines, "interrupted", nothing, nothing, 1);
    report_totals(r, lines, e);
    evaluate_report_intervals(r, e->scores);
    report_folds(r, lines, e);
    if (e->sequences != NULL) evaluate_report_sequences(r, lines, e);
    if (e->before != NULL) add_lines_before(r, lines, e->before);
    evaluate_report_classes(r, lines, e);
    evaluate_report_confusion(r, lines, e, e->totals->undecided > 0);
    if (e->before != NULL) {
        show_before_and_after(r, e);
        report_bins(r, e->before, "Before calibration", NULL);
    }
    report_bins(r, e->scores, e->before == NULL ? "Calibration" : "After calibration", "calibration");
    crd_result_number(r, "ece", e->totals->ece);
    if (e->before != NULL) report_before(r, e->before);
    if (e->rule != NULL) evaluate_report_decisions(r, lines, e);
    if (e->sweep->curve != NULL) {
        lines->is_main = false; /* CSV contains the points of the sweep instead */
        sweep_report(r, e->sweep, e->scores->classes[e->sweep->positive].name, e->scores->class_count == 2);
    }
    importance_report(r, lines, e->importance);
    evaluate_report_run(r, e->ran, e->totals->rows);
    crd_result_end(r);
}
