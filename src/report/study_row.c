/* SPDX-License-Identifier: MIT */
/* study_row.c - see study_row.h. */
#include "report/study_row.h"

#include "base/error.h"
#include "base/memory.h"

#include <credence/explain.h>
#include <credence/number.h>
#include <credence/text_words.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of classes and values in pictures, of words of a text, and of counterfactuals; size of a value's text
 * in bytes. */
enum { CLASSES = 8, CELLS = 14, WORDS = 14, CHANGES = 3, NOTE = 64 };

typedef struct row {
    const crd_i_row_reasons *r;
    crd_value *values; /* one per attribute */
    double *log_posterior, *probabilities, *other;
    size_t attributes, classes;
    crd_answer answer;
    crd_value truth;
    size_t pair[2]; /* the two classes that are compared */
    char *notes;    /* for each attribute, its value as text */
} row;

/* ---- Cells ---- */

static size_t study_row_find_column(const crd_frame *frame, crd_text name) {
    for (size_t i = 0; i < crd_frame_column_count(frame); i++)
        if (crd_text_equal(crd_frame_column_name(frame, i), name)) return i;
    return SIZE_MAX;
}

static crd_status study_row_read_cells(row *w, const crd_frame *frame, size_t index, crd_error *error) {
    const crd_classifier *classifier = w->r->classifier;
    for (size_t a = 0; a < w->attributes; a++) {
        size_t column = study_row_find_column(frame, crd_classifier_attribute(classifier, a));
        if (column != SIZE_MAX) w->values[a] = crd_frame_value(frame, index, column);
    }
    size_t column = study_row_find_column(frame, crd_model_target(w->r->model));
    if (column != SIZE_MAX) w->truth = crd_frame_value(frame, index, column);
    return crd_classifier_probabilities(classifier, w->values, w->log_posterior, w->probabilities, &w->answer, error);
}

static crd_text note_of(row *w, size_t attribute) {
    char *note = w->notes + attribute * NOTE;
    const crd_value *value = &w->values[attribute];
    if (value->kind == CRD_KIND_NUMBER) return (crd_text){note, crd_number_format(value->number, note)};
    if (value->kind == CRD_KIND_TEXT) return crd_text_of("(text)");
    return value->text;
}

/* Chooses the two classes to compare: the predicted class, and the true class. If the prediction is right, the second
 * is the next most probable class. */
static bool study_row_choose_pair(row *w) {
    size_t second = SIZE_MAX;
    if (w->answer.decision < 0 || w->classes < 2) return false;
    w->pair[0] = (size_t)w->answer.decision;
    for (size_t k = 0; k < w->classes; k++) {
        if (k == w->pair[0]) continue;
        bool is_true = w->truth.kind == CRD_KIND_CATEGORY &&
                       crd_text_equal(w->truth.text, crd_classifier_class(w->r->classifier, k));
        if (is_true) {
            w->pair[1] = k;
            return true;
        }
        if (second == SIZE_MAX || w->log_posterior[k] > w->log_posterior[second]) second = k;
    }
    w->pair[1] = second;
    return true;
}

/* ---- Posterior ---- */

static int study_row_by_value(const void *left, const void *right) {
    const crd_plot_bar *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? 1 : -1;
    int order = memcmp(a->name.bytes, b->name.bytes, a->name.length < b->name.length ? a->name.length : b->name.length);
    return order != 0 ? order : (a->name.length > b->name.length) - (a->name.length < b->name.length);
}

static void study_row_add_picture(const row *w, crd_status status, char *svg, const char *caption) {
    if (status == CRD_OK) crd_i_html_picture(w->r->out, svg, caption);
}

/* Draws the posterior probabilities of the most probable classes, and marks the true class. */
static crd_status study_row_draw_posterior(const row *w, crd_error *error) {
    crd_context *context = w->r->study->page.context;
    crd_plot_bar *bars = crd_i_alloc(context, w->classes, sizeof *bars);
    crd_plot_bars plot = CRD_PLOT_BARS_INIT;
    crd_plot_options options = crd_i_page_plot("Posterior", CRD_I_PAGE_HALF);
    char *svg = NULL;
    if (bars == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < w->classes; k++) {
        crd_text name = crd_classifier_class(w->r->classifier, k);
        bool is_true = w->truth.kind == CRD_KIND_CATEGORY && crd_text_equal(w->truth.text, name);
        bars[k] = (crd_plot_bar){name, is_true ? crd_text_of("true class") : (crd_text){NULL, 0}, w->probabilities[k]};
    }
    qsort(bars, w->classes, sizeof *bars, study_row_by_value);
    plot.bars = bars;
    plot.count = w->classes < CLASSES ? w->classes : CLASSES;
    plot.are_probabilities = 1;
    crd_status status = crd_plot_draw_bars(context, &plot, &options, &svg, error);
    crd_free(context, bars);
    study_row_add_picture(w, status, svg,
                          w->classes > CLASSES ? "The most probable classes." : "The probability of each class.");
    return status;
}

/* ---- Weights ---- */

static bool study_row_is_naive(const crd_classifier *classifier) {
    return crd_classifier_joint_count(classifier) == 0 && crd_classifier_pair_count(classifier) == 0 &&
           crd_classifier_member_count(classifier) == 0;
}

/* Computes the weight of evidence of a value in naive Bayes: log P(x | a) - log P(x | b). */
static crd_status weigh_term(const row *w, size_t attribute, double *weight, crd_error *error) {
    crd_term terms[2] = {CRD_TERM_INIT, CRD_TERM_INIT};
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < 2; i++)
        status = crd_classifier_term(w->r->classifier, attribute, w->pair[i], &w->values[attribute], &terms[i], error);
    if (status == CRD_OK) *weight = crd_weight_of_evidence(terms[0].log_value, terms[1].log_value);
    return status;
}

/* Computes the weight of a value for other methods: the change of the log odds when the value is removed from the
 * row. */
static crd_status weigh_without(const row *w, size_t attribute, double *weight, crd_error *error) {
    crd_answer answer;
    const crd_value kept = w->values[attribute];
    w->values[attribute] = (crd_value){CRD_KIND_NONE, 0, {NULL, 0}};
    crd_status status = crd_classifier_posterior(w->r->classifier, w->values, w->other, &answer, error);
    w->values[attribute] = kept;
    if (status == CRD_OK)
        *weight = (w->log_posterior[w->pair[0]] - w->log_posterior[w->pair[1]]) -
                  (w->other[w->pair[0]] - w->other[w->pair[1]]);
    return status;
}

static int study_row_by_size(const void *left, const void *right) {
    const crd_plot_bar *a = left, *b = right;
    double x = fabs(a->value), y = fabs(b->value);
    if (x != y) return x < y ? 1 : -1;
    int order = memcmp(a->name.bytes, b->name.bytes, a->name.length < b->name.length ? a->name.length : b->name.length);
    return order != 0 ? order : (a->name.length > b->name.length) - (a->name.length < b->name.length);
}

/* Computes the weights of all present values, largest first. */
static crd_status weigh_cells(row *w, bool naive, crd_plot_bar *bars, size_t *count, crd_error *error) {
    crd_status status = CRD_OK;
    *count = 0;
    for (size_t a = 0; status == CRD_OK && a < w->attributes; a++) {
        double weight = NAN;
        if (w->values[a].kind == CRD_KIND_NONE || (w->values[a].kind == CRD_KIND_NUMBER && isnan(w->values[a].number)))
            continue;
        status = naive ? weigh_term(w, a, &weight, error) : weigh_without(w, a, &weight, error);
        if (isnan(weight)) continue;
        bars[(*count)++] = (crd_plot_bar){crd_classifier_attribute(w->r->classifier, a), note_of(w, a), weight};
    }
    qsort(bars, *count, sizeof *bars, study_row_by_size);
    return status;
}

/* Draws the weights of evidence. In naive Bayes, they and the prior sum to the log odds. */
static crd_status draw_weights(row *w, crd_error *error) {
    crd_context *context = w->r->study->page.context;
    bool naive = study_row_is_naive(w->r->classifier),
         is_calibrated = crd_classifier_calibration(w->r->classifier, &(crd_calibration)CRD_CALIBRATION_INIT) != 0;
    crd_plot_bar *bars = crd_i_alloc(context, w->attributes, sizeof *bars);
    crd_plot_evidence evidence = CRD_PLOT_EVIDENCE_INIT;
    crd_plot_options options = crd_i_page_plot("Weight of evidence", CRD_I_PAGE_WIDE);
    char *svg = NULL;
    if (bars == NULL) return crd_i_fail_memory(error);
    crd_status status = weigh_cells(w, naive, bars, &evidence.count, error);
    if (status == CRD_OK && naive) {
        crd_term a = CRD_TERM_INIT, b = CRD_TERM_INIT;
        status = crd_classifier_prior(w->r->classifier, w->pair[0], &a, error);
        if (status == CRD_OK) status = crd_classifier_prior(w->r->classifier, w->pair[1], &b, error);
        evidence.prior = crd_weight_of_evidence(a.log_value, b.log_value);
        evidence.total = evidence.prior;
        for (size_t i = 0; i < evidence.count; i++) evidence.total += bars[i].value;
    } else {
        evidence.total = w->log_posterior[w->pair[0]] - w->log_posterior[w->pair[1]];
    }
    evidence.bars = bars;
    evidence.unit = crd_text_of("nats");
    evidence.positive = crd_classifier_class(w->r->classifier, w->pair[0]);
    evidence.negative = crd_classifier_class(w->r->classifier, w->pair[1]);
    evidence.most = CELLS;
    if (status == CRD_OK) status = crd_plot_draw_evidence(context, &evidence, &options, &svg, error);
    crd_free(context, bars);
    const char *naive_caption =
        is_calibrated ? "Log likelihood ratios of the values, before calibration."
                      : "Log likelihood ratios of the values. Together with the prior, they sum to the log odds.";
    study_row_add_picture(
        w, status, svg,
        naive ? naive_caption
              : "The change of the log odds by each value, given all others. These need not sum to the total.");
    return status;
}

/* ---- Words ---- */

/* Draws the weights of evidence of a text's words. */
static crd_status study_row_draw_words(const row *w, size_t attribute, crd_error *error) {
    crd_context *context = w->r->study->page.context;
    crd_text_words *words = NULL;
    crd_plot_evidence evidence = CRD_PLOT_EVIDENCE_INIT;
    crd_plot_options options = crd_i_page_plot("Words", CRD_I_PAGE_WIDE);
    crd_plot_bar *bars = NULL;
    char *svg = NULL;
    crd_status status = crd_text_words_create(w->r->classifier, attribute, w->values[attribute].text, &words, error);
    if (status != CRD_OK) return status == CRD_ERROR_EMPTY || status == CRD_ERROR_COLUMN ? CRD_OK : status;
    size_t count = crd_text_words_count(words);
    bars = crd_i_alloc(context, count, sizeof *bars);
    if (bars == NULL) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        crd_text_word word = CRD_TEXT_WORD_INIT;
        crd_text_words_at(words, i, &word);
        if (!word.counts) continue;
        double weight = crd_weight_of_evidence(word.values[w->pair[0]], word.values[w->pair[1]]);
        if (!isnan(weight)) bars[evidence.count++] = (crd_plot_bar){word.term, {NULL, 0}, weight};
    }
    if (status == CRD_OK) qsort(bars, evidence.count, sizeof *bars, study_row_by_size);
    evidence.bars = bars;
    evidence.unit = crd_text_of("nats");
    evidence.positive = crd_classifier_class(w->r->classifier, w->pair[0]);
    evidence.negative = crd_classifier_class(w->r->classifier, w->pair[1]);
    evidence.most = WORDS;
    if (status == CRD_OK && evidence.count > 0)
        status = crd_plot_draw_evidence(context, &evidence, &options, &svg, error);
    crd_free(context, bars);
    crd_text_words_destroy(words);
    if (svg != NULL) study_row_add_picture(w, status, svg, "The words of the text with the largest weights.");
    return status;
}

static crd_status study_row_add_texts(const row *w, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t a = 0; status == CRD_OK && a < w->attributes; a++) {
        if (w->values[a].kind != CRD_KIND_TEXT) continue;
        crd_i_html_add(w->r->out, "<p><b>%t</b>: %t</p>\n", crd_classifier_attribute(w->r->classifier, a),
                       w->values[a].text);
        status = study_row_draw_words(w, a, error);
    }
    return status;
}

/* ---- Counterfactuals ---- */

static void study_row_add_value(crd_i_html *out, const crd_value *value) {
    if (value->kind == CRD_KIND_NUMBER) crd_i_html_add(out, "%n", value->number);
    else crd_i_html_add(out, "%t", value->text);
}

/* Lists the smallest changes of a single value that would change the prediction. */
static crd_status add_changes(const row *w, crd_error *error) {
    crd_context *context = w->r->study->page.context;
    crd_what_if *what_if = NULL;
    crd_counterfactual_search search = CRD_COUNTERFACTUAL_SEARCH_INIT;
    crd_counterfactual *changes = crd_i_alloc_zeroed(context, w->attributes + 1, sizeof *changes);
    size_t count = 0;
    if (changes == NULL) return crd_i_fail_memory(error);
    changes[0].size = sizeof *changes;
    crd_status status = crd_what_if_create(w->r->model, w->r->classifier, &what_if, error);
    if (status == CRD_OK) status = crd_what_if_counterfactuals(what_if, w->values, &search, changes, &count, error);
    if (status == CRD_OK) {
        crd_i_html *out = w->r->out;
        if (count == 0) crd_i_html_add(out, "<p>No change of a single value would change the prediction.</p>\n");
        else
            crd_i_html_add(out,
                           "<p>The smallest changes of a single value that would change the prediction:</p><ul>\n");
        for (size_t i = 0; i < count && i < CHANGES; i++) {
            crd_i_html_add(out, "<li><b>%t</b> ", crd_classifier_attribute(w->r->classifier, changes[i].attribute));
            study_row_add_value(out, &changes[i].value);
            crd_i_html_add(out, " instead of ");
            study_row_add_value(out, &w->values[changes[i].attribute]);
            crd_i_html_add(out, ": %t with a probability of %p</li>\n",
                           crd_classifier_class(w->r->classifier, (size_t)changes[i].decision), changes[i].probability);
        }
        if (count > 0) crd_i_html_add(out, "</ul>\n");
    }
    crd_what_if_destroy(what_if);
    crd_free(context, changes);
    return status;
}

/* ---- The row ---- */

static void study_row_introduce(const row *w) {
    crd_i_html *out = w->r->out;
    if (w->answer.decision < 0) {
        crd_i_html_add(out, "<p>Every class has probability 0.</p>\n");
        return;
    }
    size_t decision = (size_t)w->answer.decision;
    crd_text name = crd_classifier_class(w->r->classifier, decision);
    bool is_right = crd_text_equal(w->truth.text, name) != 0;
    crd_i_html_add(out, "<p>Predicted: <b>%t</b>, with a probability of %p. ", name, w->probabilities[decision]);
    if (w->truth.kind != CRD_KIND_CATEGORY) crd_i_html_add(out, "</p>\n");
    else if (is_right) crd_i_html_add(out, "The row has this class.</p>\n");
    else crd_i_html_add(out, "The row has class <b>%t</b>.</p>\n", w->truth.text);
}

static crd_status study_row_explain(row *w, crd_error *error) {
    study_row_introduce(w);
    crd_status status = study_row_draw_posterior(w, error);
    if (status != CRD_OK || !study_row_choose_pair(w)) return status;
    status = draw_weights(w, error);
    if (status == CRD_OK) status = study_row_add_texts(w, error);
    if (status == CRD_OK) status = add_changes(w, error);
    return status;
}

crd_status crd_i_study_explain_row(const crd_i_row_reasons *reasons, const crd_frame *frame, size_t index,
                                   crd_error *error) {
    crd_context *context = reasons->study->page.context;
    row w = {.r = reasons,
             .attributes = crd_classifier_attribute_count(reasons->classifier),
             .classes = crd_classifier_class_count(reasons->classifier)};
    w.values = crd_i_alloc_zeroed(context, w.attributes, sizeof *w.values);
    w.notes = crd_i_alloc_zeroed(context, w.attributes, NOTE);
    w.log_posterior = crd_i_alloc(context, w.classes * 3, sizeof *w.log_posterior);
    w.probabilities = w.log_posterior + w.classes;
    w.other = w.probabilities + w.classes;
    crd_status status = w.values == NULL || w.notes == NULL || w.log_posterior == NULL
                            ? crd_i_fail_memory(error)
                            : study_row_read_cells(&w, frame, index, error);
    if (status == CRD_OK) status = study_row_explain(&w, error);
    crd_free(context, w.values);
    crd_free(context, w.notes);
    crd_free(context, w.log_posterior);
    return status;
}
