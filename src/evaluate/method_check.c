/* SPDX-License-Identifier: MIT */
/* method_check.c - checks whether another method or a calibration would clearly improve on naive Bayes with default
 * settings. See crd_method_check in credence/compare.h.
 *
 * A few cheap candidates are cross-validated on a sample of the rows. The number of values in the sample is limited,
 * so the check takes only a small part of the training time for large tables. The check is skipped if a sample of
 * that size is not informative. */
#include "evaluate/compare_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* Minimum and maximum number of sample rows, maximum number of its values, and the rows from which it is taken. A
 * small table is sampled from all rows. A large table is sampled from its first 1/PART_READ, at least LEAST_READ
 * rows, which must be similar to the whole. For 200 MB of numbers, the check takes 2 % of the training time. */
enum { FEWEST_ROWS = 60, MOST_ROWS = 1000, MOST_CELLS = 1 << 21, LEAST_READ = 10000, PART_READ = 200 };
enum { FOLDS = 3 };
/* Maximum number of category counts (values times classes). Identifier columns and very many classes would take too
 * long. */
static const double MOST_COUNTS = 0x1p16;
/* Tables up to SMALL_TABLE rows train quickly, so further methods are tried besides calibrations. The other limits
 * are the maximum columns for joint numbers and for pair counts. */
enum { SMALL_TABLE = 50000, MOST_NUMBERS_TOGETHER = 30, MOST_COLUMNS_PAIRED = 20 };

/* An improvement is clear if it exceeds this many standard errors, this fraction of the log loss, and this many
 * nats. */
static const double CERTAIN = 2, USEFUL_PART = 0.05, USEFUL = 0.01;

/* Tolerance between the share of a class in the sample and in the model: standard errors, plus a share. */
static const double LIKE_ERRORS = 4, LIKE_SHARE = 0.02;

/* ---- The sample ---- */

/* Returns whether the class shares of the sample are similar to the class shares of the model. */
static bool is_like_model(const crd_summary *sample, const crd_summary *model) {
    double rows = sample->rows, all = model->rows;
    for (size_t k = 0; k < model->class_count; k++) {
        double share = model->classes[k].rows / all, result = 0;
        for (size_t i = 0; i < sample->class_count; i++)
            if (crd_text_equal(sample->classes[i].name, model->classes[k].name))
                result = sample->classes[i].rows / rows;
        if (fabs(result - share) > LIKE_ERRORS * sqrt(share * (1 - share) / rows) + LIKE_SHARE) return false;
    }
    return true;
}

/* Returns the size of the sample; 0 if the table cannot be checked. */
static size_t rows_to_take(const crd_summary *model) {
    size_t columns = model->attribute_count + 1, rows = MOST_CELLS / columns;
    size_t classes = model->class_count;
    double counts = (double)classes;
    /* such a small sample is not informative for words */
    for (size_t i = 0; i + 1 < columns; i++)
        if (model->attributes[i].type == CRD_TYPE_TEXT) return 0;
        else if (model->attributes[i].type == CRD_TYPE_CATEGORICAL)
            counts += (double)model->attributes[i].value_count * (double)classes;
    if (counts > MOST_COUNTS || classes < 2 || rows < FEWEST_ROWS || model->rows < FEWEST_ROWS) return 0;
    if (model->weight.bytes != NULL) return 0;
    return rows < MOST_ROWS ? rows : MOST_ROWS;
}

/* ---- The candidates ---- */

/* Compares the candidates on the sample. */
static crd_status method_check_compare(crd_row_source *source, const crd_summary *model, const crd_settings *settings,
                                       crd_comparison **out, crd_error *error) {
    const char *names[6] = {"naive", "naive, platt", "naive, isotonic"};
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    size_t count = 3, numbers = 0, columns = model->attribute_count;
    for (size_t i = 0; i < columns; i++) numbers += model->attributes[i].type == CRD_TYPE_NUMERIC;
    bool is_small = model->rows <= SMALL_TABLE;
    /* Tables with categorical columns are excluded, because attribute weights would be fitted. */
    if (is_small && numbers == columns && numbers <= MOST_NUMBERS_TOGETHER) names[count++] = "joint numbers, tied";
    if (is_small && columns <= MOST_COLUMNS_PAIRED) names[count++] = "aode";
    split.folds = FOLDS;
    options.split = &split;
    options.settings = settings;
    options.candidates = names;
    options.candidate_count = count;
    crd_status status = crd_comparison_create(source, &options, out, error);
    return status == CRD_OK ? crd_comparison_run(*out, error) : status;
}

/* Stores the name, the loss and the settings of the better candidate. */
static void report_better(const crd_comparison *c, size_t candidate, crd_method_check *method) {
    const crd_i_compared *one = &c->all[candidate];
    method->better = one->candidate->name;
    method->better_log_loss = one->result.log_loss;
    for (size_t i = 0; i < CRD_METHOD_CHECK_SETTINGS; i++) {
        if (!crd_comparison_setting(c, candidate, i, &method->settings[i].name, &method->settings[i].value)) break;
    }
}

/* Finds the best candidate that is clearly better than the first one, which is naive Bayes. */
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

/* Returns without a check if the model has settings that the candidates choose. */
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
    double rows = summary->rows, read = rows / PART_READ;
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
