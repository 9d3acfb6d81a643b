/* SPDX-License-Identifier: MIT */
/* study_explain.c - the section that explains three rows: a confident correct prediction, the least confident
 * prediction, and a wrong one.
 *
 * A row is explained by the model that predicted it, which was not trained on it. The weight of a value is its
 * contribution to the log odds of two classes. In naive Bayes, the weight is a term of a sum, log P(x | a) - log P(x |
 * b). For other methods it is the change of the log odds when the value is added to all other values. */
#include "base/error.h"
#include "base/memory.h"
#include "report/study.h"
#include "report/study_frames.h"
#include "report/study_row.h"

static const struct {
    const char *title, *none;
} cases[CRD_I_STUDY_ROWS] = {
    [CRD_I_STUDY_SURE] = {"A sure prediction", "No row was predicted correctly."},
    [CRD_I_STUDY_UNSURE] = {"An unsure prediction",
                            "No row was predicted with less confidence than the rows shown here."},
    [CRD_I_STUDY_WRONG] = {"A wrong prediction", "No row was predicted wrongly."}};

typedef struct explain_explaining {
    crd_i_study *study;
    crd_cross_validation *validation; /* NULL: a given model explains all rows */
    const crd_split *split;
    crd_i_html *parts; /* one per case */
} explain_explaining;

/* Trains the model that predicted a row and creates its classifier; the caller destroys both. They are NULL if the
 * given model explains all rows. */
static crd_status study_explain_open_model(const explain_explaining *e, uint64_t row, crd_model **model,
                                           crd_classifier **classifier, crd_error *error) {
    *model = NULL;
    *classifier = NULL;
    if (e->validation == NULL) return CRD_OK;
    crd_status status = crd_cross_validation_model(e->validation, crd_split_tested(e->split)[row - 1], model, error);
    if (status == CRD_OK) status = crd_classifier_create(*model, e->study->settings, classifier, error);
    return status;
}

/* Writes the explanation of one of the three rows, with a heading. */
static crd_status study_explain_row(const explain_explaining *e, size_t which, const crd_frame *frame, size_t index,
                                    crd_error *error) {
    crd_i_study *study = e->study;
    crd_i_html *out = &e->parts[which];
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    uint64_t row = study->picked[which].row;
    crd_status status = study_explain_open_model(e, row, &model, &classifier, error);
    crd_i_html_add(out, "<div class=\"row\"><h3>%s: row %u</h3>\n", cases[which].title,
                   crd_i_study_row_number(study, row));
    if (status == CRD_OK) {
        const crd_i_row_reasons reasons = {.study = study,
                                           .out = out,
                                           .model = model != NULL ? model : study->model,
                                           .classifier = classifier != NULL ? classifier : study->classifier};
        status = crd_i_study_explain_row(&reasons, frame, index, error);
    }
    crd_i_html_add(out, "</div>\n");
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    return status;
}

static crd_status study_explain_take_frame(void *user, const crd_frame *frame, uint64_t before, crd_error *error) {
    const explain_explaining *e = user;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < CRD_I_STUDY_ROWS; i++) {
        uint64_t row = e->study->picked[i].row;
        if (row > before && row <= before + crd_frame_rows(frame))
            status = study_explain_row(e, i, frame, (size_t)(row - 1 - before), error);
    }
    return status;
}

/* Learns the folds again, so that models without one fold can be created. */
static crd_status study_explain_learn_folds(crd_i_study *study, crd_split **split, crd_cross_validation **validation,
                                            crd_error *error) {
    crd_status status = crd_split_create(study->page.context, &study->split, split, error);
    if (status == CRD_OK)
        status = crd_cross_validation_create(study->page.context, crd_row_source_target(study->source), study->settings,
                                             validation, error);
    if (status == CRD_OK) status = crd_row_source_rewind(study->source, error);
    if (status == CRD_OK) status = crd_cross_validation_learn_all(*validation, study->source, *split, error);
    return status;
}

crd_status crd_i_study_explain(crd_i_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    crd_i_html parts[CRD_I_STUDY_ROWS] = {{.has_failed = false}};
    crd_split *split = NULL;
    explain_explaining e = {.study = study, .parts = parts};
    crd_status status = CRD_OK;
    if (study->assessment == NULL) return CRD_OK;
    for (size_t i = 0; i < CRD_I_STUDY_ROWS; i++) parts[i].bytes.context = page->context;
    if (study->source != NULL) status = study_explain_learn_folds(study, &split, &e.validation, error);
    e.split = split;
    if (status == CRD_OK) status = crd_i_study_each_frame(study, study_explain_take_frame, &e, error);
    crd_i_page_open_section(page, "rows", "Three rows explained");
    crd_i_html_add(&page->body, study->source != NULL
                                    ? "<p>Each row is explained by the model that predicted it, which was not trained "
                                      "on it. Bars to the right favor "
                                      "the first class, bars to the left the second.</p>\n"
                                    : "<p>Bars to the right favor the first class, bars to the left the second.</p>\n");
    for (size_t i = 0; i < CRD_I_STUDY_ROWS; i++) {
        page->body.has_failed = page->body.has_failed || parts[i].has_failed;
        if (study->picked[i].row == 0)
            crd_i_html_add(&page->body, "<h3>%s</h3>\n<p>%s</p>\n", cases[i].title, cases[i].none);
        else crd_i_html_join(&page->body, parts[i].bytes.bytes, parts[i].bytes.length);
        crd_i_html_clear(&parts[i]);
    }
    status = crd_i_page_excuse(page, "explanations", status, error);
    crd_i_page_close_section(page);
    crd_cross_validation_destroy(e.validation);
    crd_split_destroy(split);
    return status;
}
