/* SPDX-License-Identifier: MIT */
/* method_check.c - whether another method, or a calibration, would clearly do better than naive Bayes as it is: see
 * crd_method_check in credence/compare.h.
 *
 * A sample of the rows is cross-validated by the few candidates that cost little. Its cells are bounded, so that on
 * large tables the check takes a small part of the time of training, and none where a sample of so few rows tells
 * nothing. */
#include "evaluate/compare_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* Rows of the sample; cells that it may have; and rows that it is taken from: all of a small table, of a large one the
 * first ones, which have to be like the whole. Of 200 MB of numbers, that is two hundredths of training. */
enum { FEWEST_ROWS = 60, MOST_ROWS = 1000, MOST_CELLS = 1 << 21, LEAST_READ = 10000, PART_READ = 200 };
enum { FOLDS = 3 };
/* Values of all categories under all classes: those of an identifier, or of very many classes, take their time. */
static const double MOST_COUNTS = 0x1p16;
/* Rows of tables that are trained in a moment, so that more than calibrations are tried, and columns up to which
 * numbers are taken together, and pairs of values are counted. */
enum { SMALL_TABLE = 50000, MOST_NUMBERS_TOGETHER = 30, MOST_COLUMNS_PAIRED = 20 };

/* Clearly better: by more than so many standard errors, so much of the log loss, and so many nats. */
static const double CERTAIN = 2, USEFUL_PART = 0.05, USEFUL = 0.01;

/* How far the share of a class in the sample may be from that in the model: standard errors, and a share. */
static const double LIKE_ERRORS = 4, LIKE_SHARE = 0.02;

/* ---- The sample ---- */

static bool is_like_model(const crd_summary *sample, const crd_summary *model) {
    double rows = crd_summary_rows(sample), all = crd_summary_rows(model);
    for (size_t k = 0; k < crd_summary_class_count(model); k++) {
        double share = crd_summary_class_rows(model, k) / all, result = 0;
        for (size_t i = 0; i < crd_summary_class_count(sample); i++)
            if (crd_text_equal(crd_summary_class(sample, i), crd_summary_class(model, k)))
                result = crd_summary_class_rows(sample, i) / rows;
        if (fabs(result - share) > LIKE_ERRORS * sqrt(share * (1 - share) / rows) + LIKE_SHARE) return false;
    }
    return true;
}

/* 0: the table is not one to check. */
static size_t rows_to_take(const crd_summary *model) {
    size_t columns = crd_summary_attribute_count(model) + 1, rows = MOST_CELLS / columns;
    size_t classes = crd_summary_class_count(model);
    double counts = (double)classes;
    for (size_t i = 0; i + 1 < columns; i++)
        if (crd_summary_kind(model, i) == CRD_KIND_TEXT) return 0; /* so many rows tell nothing of words */
        else if (crd_summary_kind(model, i) == CRD_KIND_CATEGORY)
            counts += (double)crd_summary_value_count(model, i) * (double)classes;
    if (counts > MOST_COUNTS || classes < 2 || rows < FEWEST_ROWS || crd_summary_rows(model) < FEWEST_ROWS) return 0;
    if (crd_summary_weight(model).bytes != NULL) return 0;
    return rows < MOST_ROWS ? rows : MOST_ROWS;
}

/* ---- The candidates ---- */

static crd_status method_check_compare(crd_row_source *source, const crd_summary *model, const crd_settings *settings,
                                       crd_comparison **out, crd_error *error) {
    const char *names[6] = {"naive", "naive, scaled", "naive, isotonic"};
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    size_t count = 3, numbers = 0, columns = crd_summary_attribute_count(model);
    for (size_t i = 0; i < columns; i++) numbers += crd_summary_kind(model, i) == CRD_KIND_NUMBER;
    bool is_small = crd_summary_rows(model) <= SMALL_TABLE;
    /* Beside categories it would have attribute weights fitted. */
    if (is_small && numbers == columns && numbers <= MOST_NUMBERS_TOGETHER) names[count++] = "joint numbers, shared";
    if (is_small && columns <= MOST_COLUMNS_PAIRED) names[count++] = "a1de";
    split.folds = FOLDS;
    options.split = &split;
    options.settings = settings;
    options.candidates = names;
    options.candidate_count = count;
    crd_status status = crd_comparison_create(source, &options, out, error);
    return status == CRD_OK ? crd_comparison_run(*out, error) : status;
}

static void report_better(const crd_comparison *c, size_t candidate, crd_method_check *method) {
    const crd_i_compared *one = &c->all[candidate];
    method->better = one->candidate->name;
    method->better_log_loss = one->result.log_loss;
    for (size_t i = 0; i < CRD_METHOD_CHECK_SETTINGS; i++) {
        if (!crd_comparison_setting(c, candidate, i, &method->settings[i].name, &method->settings[i].value)) break;
    }
}

/* The best of those that are clearly better than the first, which is naive Bayes. */
static void method_check_conclude(const crd_comparison *c, crd_method_check *method) {
    const crd_i_compared *naive = &c->all[0];
    if (naive->losses == NULL) return;
    method->rows = c->rows;
    method->log_loss = naive->result.log_loss;
    method->baseline_log_loss = c->recommendation.baseline_log_loss;
    crd_i_comparison_difference(c, naive->losses, c->baseline, &method->excess, &method->excess_error);
    for (size_t i = 1; i < c->count; i++) {
        const crd_i_compared *one = &c->all[i];
        double gain, error;
        if (one->losses == NULL || !isfinite(one->result.log_loss) || !isfinite(naive->result.log_loss)) continue;
        crd_i_comparison_difference(c, naive->losses, one->losses, &gain, &error);
        bool is_clear = one->result.log_loss < method->baseline_log_loss && gain > CERTAIN * error &&
                        gain > USEFUL_PART * naive->result.log_loss && gain > USEFUL;
        if (!is_clear || (method->better != NULL && gain <= method->gain)) continue;
        method->gain = gain;
        method->gain_error = error;
        report_better(c, i, method);
    }
}

crd_status crd_method_check_run(crd_reader *reader, const crd_model *model, crd_method_check *out, crd_error *error) {
    crd_method_check method = CRD_METHOD_CHECK_INIT;
    crd_summary *summary = NULL;
    crd_row_source *source = NULL;
    crd_comparison *comparison = NULL;
    method.log_loss = method.baseline_log_loss = method.excess = method.excess_error = NAN;
    method.better_log_loss = method.gain = method.gain_error = NAN;
    crd_i_copy_out(&method, sizeof method, out);
    for (size_t i = 0; i < crd_setting_count(); i++)
        if (crd_comparison_chooses(crd_setting_at(i)->name) &&
            !crd_i_settings_is_default(crd_model_settings(model), crd_setting_at(i)->name))
            return CRD_OK;
    crd_status status = crd_summary_create(model, &summary, error);
    if (status != CRD_OK) return status;
    size_t most = rows_to_take(summary);
    double rows = crd_summary_rows(summary), read = rows / PART_READ;
    if (most > 0) {
        size_t among = read > LEAST_READ ? (size_t)read : LEAST_READ;
        status = crd_i_row_source_sample(reader, most, rows < (double)among ? (size_t)rows : among, &source, error);
        if (status == CRD_OK && source != NULL)
            status = method_check_compare(source, summary, crd_model_settings(model), &comparison, error);
        if (status == CRD_OK && comparison != NULL && is_like_model(crd_comparison_summary(comparison), summary))
            method_check_conclude(comparison, &method);
    }
    crd_comparison_destroy(comparison);
    crd_row_source_destroy(source);
    crd_summary_destroy(summary);
    if (status == CRD_OK) crd_i_copy_out(&method, sizeof method, out);
    return status;
}
