/* SPDX-License-Identifier: MIT */
/* html_report.c - reports about rows and about models; see credence/html_report.h. */
#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/cross_validation.h"
#include "io/page_source.h"
#include "model/model_internal.h"
#include "report/study.h"
#include "table/read/reader.h"

#include <credence/hmm.h>

#include <math.h>
#include <string.h>

/* Maximum number of rows that are predicted. It is lower if rows x attributes x classes would exceed MOST_CELLS, but at
 * least LEAST_ROWS. With more than MANY_ROWS rows, there are 5 folds instead of 10. */
enum { MOST_ROWS = 10000, MOST_TEXTS = 4000, LEAST_ROWS = 1000, MANY_ROWS = 5000 };
static const double MOST_CELLS = 4e6;

static crd_status html_report_begin(crd_i_study *study, crd_context *context, const crd_report_options *options,
                                    crd_error *error) {
    *study = (crd_i_study){.stride = 1,
                           .chosen = CRD_NONE,
                           .split = CRD_SPLIT_OPTIONS_INIT,
                           .totals = CRD_TOTALS_INIT,
                           .recommendation = CRD_RECOMMENDATION_INIT};
    crd_status status = crd_i_page_begin(&study->page, context, options, error);
    study->split.seed = study->page.options.seed;
    return status;
}

static void html_report_clear(crd_i_study *study) {
    crd_i_page_clear(&study->page);
    crd_scores_destroy(study->scores);
    crd_assessment_destroy(study->assessment);
    crd_comparison_destroy(study->comparison);
    crd_row_source_destroy(study->source);
    crd_profile_destroy(study->profile);
    crd_classifier_destroy(study->classifier);
    crd_summary_destroy(study->summary);
    crd_model_destroy(study->trained);
    crd_settings_destroy(study->settings);
}

static crd_status html_report_finish(crd_i_study *study, char **html, crd_error *error) {
    crd_i_html title = {.bytes = {.context = study->page.context}};
    crd_text target = study->summary->target;
    if (target.length > 0) crd_i_html_add(&title, "Predicting %w", target);
    else crd_i_html_add(&title, "Hidden states of sequences");
    crd_i_study_summarize(study);
    crd_status status = crd_i_page_finish(
        &study->page, &title, study->source != NULL ? "A report on the rows" : "A report on the model", html, error);
    crd_i_html_clear(&title);
    return status;
}

/* ---- Input that can only be read once ---- */

/* Rows that are stored in memory, and a reader of them. */
typedef struct kept_rows {
    crd_row_source *source;
    crd_reader *reader;
} kept_rows;

static void drop_rows(kept_rows *kept) {
    crd_reader_close(kept->reader);
    crd_row_source_destroy(kept->source);
}

/* Stores the rows in memory and sets *reader to a reader of them. Leaves *reader unchanged if it can be read again. */
static crd_status html_report_keep_rows(crd_context *context, crd_reader **reader, bool has_target, kept_rows *kept,
                                        crd_error *error) {
    crd_i_reader_keep_pipes(*reader, true);
    if (crd_i_reader_can_reread(*reader)) return CRD_OK;
    crd_status status = has_target ? crd_row_source_create(*reader, &kept->source, error)
                                   : crd_row_source_create_unlabeled(*reader, &kept->source, error);
    const crd_frame *frame = NULL;
    if (status == CRD_OK) do
            status = crd_i_row_source_take(kept->source, &frame, error);
        while (status == CRD_OK && frame != NULL);
    if (status != CRD_OK) return status;
    if (kept->source->kept_count == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "the table has no rows");
    status = crd_reader_open_frames(context, kept->source->kept, kept->source->kept_count, crd_reader_place(*reader),
                                    NULL, &kept->reader, error);
    crd_text names[2] = {crd_row_source_target(kept->source), crd_row_source_weight(kept->source)};
    for (size_t i = 0; status == CRD_OK && i < crd_reader_column_count(kept->reader); i++) {
        crd_text name = crd_reader_column_name(kept->reader, i);
        if (names[0].bytes != NULL && crd_text_equal(name, names[0]))
            status = crd_reader_set_target(kept->reader, i, error);
        if (names[1].bytes != NULL && crd_text_equal(name, names[1]))
            status = crd_reader_set_weight(kept->reader, i, error);
    }
    if (status == CRD_OK) *reader = kept->reader;
    return status;
}

/* ---- Rows ---- */

/* Returns the maximum number of rows that are predicted. */
static size_t html_report_most_rows(const crd_i_study *study, crd_text target) {
    double cells = 1, classes = 1;
    bool has_texts = false;
    if (study->page.options.most_rows > 0) return study->page.options.most_rows;
    for (size_t i = 0; i < crd_profile_column_count(study->profile); i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(study->profile, i, &facts);
        if (crd_text_equal(facts.name, target)) classes = fmax(1, (double)facts.distinct);
        else cells++;
        has_texts = has_texts || facts.type == CRD_TYPE_TEXT;
    }
    double most = fmax(LEAST_ROWS, MOST_CELLS / (cells * classes));
    return (size_t)fmin(most, has_texts ? MOST_TEXTS : MOST_ROWS);
}

static crd_status read_profile(crd_i_study *study, crd_error *error) {
    crd_status status = crd_profile_create(study->page.context, study->reader, 0, &study->profile, error);
    if (status != CRD_OK) return status;
    study->rows = crd_profile_rows(study->profile);
    if (study->rows == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "the table has no rows");
    return CRD_OK;
}

static crd_status html_report_take_sample(crd_i_study *study, crd_error *error) {
    crd_row_source *names = NULL;
    crd_status status = crd_row_source_create(study->reader, &names, error);
    if (status != CRD_OK) return status;
    size_t most = html_report_most_rows(study, crd_row_source_target(names));
    crd_row_source_destroy(names);
    study->stride = (size_t)(study->rows / most + (study->rows % most > 0));
    status = crd_i_row_source_sample(study->reader, most, (size_t)study->rows, &study->source, error);
    size_t judged = (size_t)(study->rows / study->stride);
    study->split.folds = study->page.options.folds;
    if (study->split.folds == 0) study->split.folds = judged > MANY_ROWS ? 5 : 10;
    return status;
}

/* Trains the model on all rows with the study's settings. */
static crd_status html_report_train(crd_i_study *study, crd_error *error) {
    crd_status status = crd_reader_begin_again(study->reader, error);
    if (status == CRD_OK)
        status = crd_model_train(study->page.context, study->reader, study->settings, &study->trained, NULL, error);
    study->model = study->trained;
    if (status == CRD_OK) status = crd_summary_create(study->model, &study->summary, error);
    if (status == CRD_OK) status = crd_classifier_create(study->model, study->settings, &study->classifier, error);
    if (status == CRD_OK && crd_summary_target_is_quantity(study->summary)) {
        crd_i_html_add(
            crd_i_page_begin_warning(&study->page),
            "The target has %u distinct numbers: it is a quantity rather than a class. Divide it into intervals.",
            (uint64_t)study->summary->class_count);
        crd_i_page_end_warning(&study->page);
    }
    return status;
}

static crd_status assess_folds(crd_i_study *study, crd_error *error) {
    crd_status status = crd_row_source_rewind(study->source, error);
    if (status == CRD_OK)
        status =
            crd_assessment_of_folds(study->source, study->settings, &study->split, NULL, &study->assessment, error);
    if (status == CRD_OK) return crd_i_study_assess(study, error);
    crd_i_page_open_section(&study->page, "scores", "How good predictions are");
    status = crd_i_page_excuse(&study->page, "scores", status, error);
    crd_i_page_close_section(&study->page);
    return status;
}

/* Runs all steps of a report about rows, with progress. */
static crd_status study_rows(crd_i_study *study, crd_error *error) {
    enum { STEPS = 8 };
    crd_i_stage stage;
    const crd_settings *given = study->page.options.settings;
    crd_i_stage_begin(&stage, "report", STEPS);
    crd_status status = given == NULL ? crd_settings_create(study->page.context, &study->settings, error)
                                      : crd_settings_clone(given, &study->settings, error);
    if (status == CRD_OK) status = read_profile(study, error);
    crd_i_stage_add(&stage, 1);
    if (status == CRD_OK) status = html_report_take_sample(study, error);
    if (status == CRD_OK) status = crd_i_study_profile(study, error);
    crd_i_stage_add(&stage, 1);
    if (status == CRD_OK) status = crd_i_study_compare(study, error);
    crd_i_stage_add(&stage, 1);
    if (status == CRD_OK) status = html_report_train(study, error);
    crd_i_stage_add(&stage, 1);
    if (status == CRD_OK) status = assess_folds(study, error);
    crd_i_stage_add(&stage, 1);
    if (status == CRD_OK) status = crd_i_study_attributes(study, error);
    crd_i_stage_add(&stage, 1);
    if (status == CRD_OK) status = crd_i_study_pairs(study, error);
    crd_i_stage_add(&stage, 1);
    if (status == CRD_OK) status = crd_i_study_explain(study, error);
    if (status == CRD_OK) status = crd_i_study_repeat(study, error);
    crd_i_stage_end(&stage);
    return status;
}

crd_status crd_report_rows(crd_context *context, crd_reader *reader, const crd_report_options *options, char **html,
                           crd_error *error) {
    crd_i_study study;
    kept_rows kept = {NULL, NULL};
    *html = NULL;
    crd_status status = html_report_begin(&study, context, options, error);
    if (status == CRD_OK) status = html_report_keep_rows(context, &reader, true, &kept, error);
    study.reader = reader;
    if (status == CRD_OK) status = study_rows(&study, error);
    if (status == CRD_OK) status = html_report_finish(&study, html, error);
    html_report_clear(&study);
    drop_rows(&kept);
    return status;
}

/* ---- Models ---- */

static crd_status open_classifier(crd_i_study *study, crd_error *error) {
    const crd_settings *given = study->page.options.settings;
    crd_status status =
        crd_settings_clone(given != NULL ? given : crd_model_settings(study->model), &study->settings, error);
    if (status == CRD_OK) status = crd_summary_create(study->model, &study->summary, error);
    if (status == CRD_OK) status = crd_classifier_create(study->model, study->settings, &study->classifier, error);
    return status;
}

/* Assesses a given model on rows. The assessment binds the reader first, so the profile covers only the model's
 * columns. */
static crd_status judge_model(crd_i_study *study, crd_error *error) {
    crd_status status =
        crd_assessment_of_model(study->model, study->classifier, study->reader, 0, &study->assessment, error);
    if (status == CRD_OK) status = read_profile(study, error);
    if (status == CRD_OK) status = crd_i_study_profile(study, error);
    if (status == CRD_OK) status = crd_reader_begin_again(study->reader, error);
    if (status == CRD_OK) status = crd_i_study_assess(study, error);
    return status;
}

static crd_status study_model(crd_i_study *study, crd_error *error) {
    if (crd_model_is_sequence(study->model)) {
        crd_status done = crd_i_sequence_study(study, error);
        return done == CRD_OK ? crd_i_study_repeat(study, error) : done;
    }
    crd_status status = open_classifier(study, error);
    if (status == CRD_OK && study->reader != NULL) status = judge_model(study, error);
    if (status == CRD_OK) status = crd_i_study_attributes(study, error);
    if (status == CRD_OK && study->assessment != NULL) status = crd_i_study_pairs(study, error);
    if (status == CRD_OK) status = crd_i_study_explain(study, error);
    if (status == CRD_OK) status = crd_i_study_repeat(study, error);
    return status;
}

crd_status crd_report_model(const crd_model *model, crd_reader *reader, const crd_report_options *options, char **html,
                            crd_error *error) {
    crd_i_study study;
    kept_rows kept = {NULL, NULL};
    *html = NULL;
    crd_context *context = model->context;
    crd_status status = html_report_begin(&study, context, options, error);
    study.model = model;
    if (status == CRD_OK && reader != NULL) status = html_report_keep_rows(context, &reader, false, &kept, error);
    study.reader = reader;
    if (status == CRD_OK) status = study_model(&study, error);
    if (status == CRD_OK) status = html_report_finish(&study, html, error);
    html_report_clear(&study);
    drop_rows(&kept);
    return status;
}

/* ---- Files ---- */
