/* SPDX-License-Identifier: MIT */
/* explain_worksheet.c - see explain_worksheet.h. */
#include "verbs/explain/explain_worksheet.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "describe/term_text.h"
#include "verbs/explain/explain_weights.h"
#include "verbs/explain/explain_words.h"

#include <math.h>
#include <stdlib.h>

/* Products below TINY are shown with their logarithm. The evidence is written out as a sum for at most
 * CLASSES_WRITTEN_OUT classes. */
static const double TINY = 1e-6;
enum { CLASSES_WRITTEN_OUT = 3 };

/* Computes the log joint probability of a class: prior, terms and parts, added in the classifier's order. */
static int log_joint_of(const reasons *r, const parts *p, size_t class_index, double *out) {
    crd_term term;
    int ended = explain_prior(r, class_index, &term);
    double sum = term.log_value;
    for (size_t a = 0; ended == ENDED_WELL && a < crd_classifier_attribute_count(r->classifier); a++) {
        ended = explain_term(r, a, class_index, &term);
        sum += term.log_value;
    }
    *out = parts_add(p, class_index, sum);
    return ended;
}

static void add_product(string *out, double log_value) {
    char buffer[CRD_NUMBER_ROOM];
    bool is_number = output_add_exponential(out, log_value);
    if (is_number && log_value < crd_log(TINY) && log_value > -INFINITY) {
        string_format(out, " (log %s)", crd_number_round(log_value, buffer));
    }
}

/* Adds a line to the table of a class: term, computation, value. */
static void explain_worksheet_add_line(crd_result_table *t, const char *description, const crd_term *term) {
    string working = {0}, value = {0};
    term_text_add(&working, term);
    if (term_text_counts(term)) add_product(&value, term->log_value);
    crd_cell_words(t, description);
    crd_cell_words(t, report_take(t->result, &working));
    crd_cell_words(t, report_take(t->result, &value));
}

/* Returns a label such as "P(Outlook=Sunny | Yes)". The report owns the text. */
static const char *explain_worksheet_label(crd_result *out, const reasons *r, size_t attribute, const char *class_name,
                                           bool density) {
    string value = {0};
    explain_add_value(&value, &r->values[attribute]);
    return crd_result_format(out, "%s(%s=%s | %s)", density ? "p" : "P",
                             crd_result_show(out, crd_classifier_attribute(r->classifier, attribute)),
                             report_take(out, &value), class_name);
}

/* Adds the line of a part, which includes several attributes. */
static void add_part_line(crd_result_table *t, const part *p, const char *class_name, size_t class_index) {
    string working = {0}, value = {0};
    const char *description = string_text(&p->string);
    if (p->is_powered && p->exponent > 0) {
        output_add_exponential(&working, p->log_values[class_index] / p->exponent);
        string_format(&working, ", ");
    }
    string_add(&working, p->working.bytes, p->working.length);
    add_product(&value, p->log_values[class_index]);
    if (p->is_density) crd_cell_format(t, "%s(%s | %s)", p->is_powered ? "P" : "p", description, class_name);
    else crd_cell_words(t, description);
    crd_cell_words(t, report_take(t->result, &working));
    crd_cell_words(t, report_take(t->result, &value));
}

static void report_value(crd_result *out, const crd_value *value) {
    if (value->type == CRD_TYPE_NUMERIC) crd_result_number(out, "value", value->number);
    else if (value->type == CRD_TYPE_CATEGORICAL) crd_result_text(out, "value", value->text);
    else crd_result_number(out, "value", NAN);
}

/* Reports an attribute as an element of "terms". Adds a line, unless the cell is missing or belongs to a part. */
static int report_attribute(crd_result_table *t, const reasons *r, const parts *p, size_t attribute,
                            size_t class_index) {
    crd_result *out = t->result;
    crd_term term;
    int ended = explain_term(r, attribute, class_index, &term);
    if (ended != ENDED_WELL) return ended;
    if (term.form == CRD_TERM_DENSITY && crd_classifier_attribute_type(r->classifier, attribute) == CRD_TYPE_TEXT) {
        words_report_term(t, r, attribute, class_index, &term);
        return ENDED_WELL;
    }
    crd_result_begin(out, CRD_OBJECT, NULL);
    crd_result_text(out, "attribute", crd_classifier_attribute(r->classifier, attribute));
    report_value(out, &r->values[attribute]);
    term_text_report(out, &term);
    crd_result_end(out);
    if (term.form == CRD_TERM_MISSING || (p->replaces_attributes && term.form == CRD_TERM_JOINT)) return ENDED_WELL;
    const char *name = crd_result_show(out, crd_classifier_class(r->classifier, class_index));
    explain_worksheet_add_line(t, explain_worksheet_label(out, r, attribute, name, term.form == CRD_TERM_DENSITY),
                               &term);
    return ENDED_WELL;
}

/* With at most TERMS_ALL_WORKED terms, the worksheet of a class lists all of them; otherwise those with the largest
 * weights. */
enum { TERMS_ALL_WORKED = 40, TERMS_WORKED = 10 };

/* Returns whether the text report lists only some of the terms although --top is not given. */
static bool is_shortened(const reasons *r, const weights *w) {
    return !r->only_top && r->top != SIZE_MAX && w->term_count > TERMS_ALL_WORKED;
}

/* Reports the product of the terms after the first `listed` terms by weight, in one line. With --top also adds a JSON
 * object, which includes only attributes, because JSON always lists all parts. */
static int report_others(crd_result_table *t, const reasons *r, const parts *p, const weights *w, size_t listed,
                         size_t class_index) {
    size_t attributes = crd_classifier_attribute_count(r->classifier), left_out = attributes;
    double sum = 0, sum_of_attributes = 0;
    for (size_t i = 0; i < listed; i++) left_out -= w->order[i] <= attributes;
    for (size_t i = listed; i < w->term_count; i++) {
        size_t line = w->order[i];
        crd_term term;
        if (line > attributes) {
            sum += p->items[line - attributes - 1].log_values[class_index];
            continue;
        }
        int ended = explain_term(r, line - 1, class_index, &term);
        if (ended != ENDED_WELL) return ended;
        sum += term.log_value;
        sum_of_attributes += term.log_value;
    }
    if (r->only_top) {
        crd_result_begin(t->result, CRD_OBJECT, "others");
        crd_result_number(t->result, "count", (double)left_out);
        crd_result_number(t->result, "log_value", sum_of_attributes);
        crd_result_end(t->result);
    }
    size_t others = w->term_count - listed;
    if (others == 0) return ENDED_WELL;
    string product = {0};
    add_product(&product, sum);
    t->audience = CRD_FOR_ALL;
    crd_cell_format(t, "%zu other%s%s", others, others == 1 ? "" : "s", r->only_top ? "" : " (--all)");
    crd_cell_null(t);
    crd_cell_words(t, report_take(t->result, &product));
    return ENDED_WELL;
}

/* Returns for each line who sees it: terms of smaller weight are only in JSON if the worksheet is shortened. The
 * caller frees
 * the list. */
static unsigned char *find_audiences(const reasons *r, const weights *w) {
    unsigned char *audiences = memory_resize(NULL, w->line_count, 1);
    const bool is_short = is_shortened(r, w);
    for (size_t i = 0; i < w->line_count; i++) audiences[i] = is_short ? CRD_FOR_MACHINES : CRD_FOR_ALL;
    for (size_t i = 0; is_short && i < TERMS_WORKED; i++) audiences[w->order[i]] = CRD_FOR_ALL;
    return audiences;
}

/* Reports all terms in the order of the columns, then the parts; with --top the listed terms by weight. The product
 * of the
 * unlisted terms follows. */
static int explain_worksheet_report_lines(crd_result_table *t, const reasons *r, const parts *p, const weights *w,
                                          size_t class_index) {
    size_t attributes = crd_classifier_attribute_count(r->classifier);
    size_t count = r->only_top ? w->listed : w->line_count - 1;
    const char *name = crd_result_show(t->result, crd_classifier_class(r->classifier, class_index));
    unsigned char *audiences = find_audiences(r, w);
    int ended = ENDED_WELL;
    crd_result_begin(t->result, CRD_ARRAY, "terms");
    for (size_t i = 0; i < count && ended == ENDED_WELL; i++) {
        size_t line = r->only_top ? w->order[i] : i + 1;
        t->audience = audiences[line];
        if (line > attributes) add_part_line(t, &p->items[line - attributes - 1], name, class_index);
        else ended = report_attribute(t, r, p, line - 1, class_index);
    }
    crd_result_end(t->result);
    t->audience = CRD_FOR_ALL;
    free(audiences);
    if (ended == ENDED_WELL && (r->only_top || is_shortened(r, w)))
        ended = report_others(t, r, p, w, r->only_top ? w->listed : TERMS_WORKED, class_index);
    return ended;
}

/* Reports the prior and the terms, whose logarithms add up to log_joint. */
static int explain_worksheet_report_terms(crd_result *out, const reasons *r, const parts *p, const weights *w,
                                          size_t class_index, double log_joint) {
    const char *name = crd_result_show(out, crd_classifier_class(r->classifier, class_index));
    crd_term term;
    string product = {0};
    int ended = explain_prior(r, class_index, &term);
    if (ended != ENDED_WELL) return ended;
    crd_result_heading(out, 3, crd_result_format(out, "Class %s", name), "");
    crd_result_table *t = crd_result_add_table(out, NULL);
    t->is_headed = false;
    for (size_t i = 0; i < 3; i++) crd_result_add_column(t, NULL, "")->is_left = true;
    explain_worksheet_add_line(t, crd_result_format(out, "P(%s)", name), &term);
    crd_result_number(out, "log_prior", term.log_value);
    crd_result_begin(out, CRD_OBJECT, "prior");
    term_text_report(out, &term);
    crd_result_end(out);
    ended = explain_worksheet_report_lines(t, r, p, w, class_index);
    add_product(&product, log_joint);
    crd_cell_words(t, "product");
    crd_cell_null(t);
    crd_cell_words(t, report_take(out, &product));
    if (ended == ENDED_WELL) ended = parts_report(out, r, p, class_index);
    crd_result_number(out, "log_joint", log_joint);
    crd_result_number(out, "joint", crd_exp(log_joint));
    return ended;
}

/* Reports the evidence P(x), as a sum over the classes if there are few. */
static void report_evidence(crd_result *out, const reasons *r, const double *log_joints) {
    size_t classes = crd_classifier_class_count(r->classifier);
    string line = {0};
    for (size_t c = 0; c < classes && classes > 1 && classes <= CLASSES_WRITTEN_OUT; c++) {
        string_format(&line, "%s", c == 0 ? "" : " + ");
        output_add_exponential(&line, log_joints[c]);
    }
    if (line.length > 0) string_format(&line, " = ");
    add_product(&line, r->answer->log_evidence);
    crd_result_line(out, CRD_PARAGRAPH, "Evidence, the sum of the products: %s", string_text(&line));
    string_free(&line);
}

/* ---- Which classes the text report shows ---- */

/* With at most CLASSES_ALL_SHOWN classes all are shown; otherwise the CLASSES_SHOWN most probable ones. */
enum { CLASSES_ALL_SHOWN = 50, CLASSES_SHOWN = 10 };

/* Returns for each class whether it is shown, or NULL if all are. The caller frees the list. */
static bool *find_shown(const reasons *r) {
    size_t classes = crd_classifier_class_count(r->classifier);
    if (r->all || classes <= CLASSES_ALL_SHOWN) return NULL;
    bool *shown = memory_resize(NULL, classes, sizeof *shown);
    for (size_t c = 0; c < classes; c++) shown[c] = r->paired && (c == r->pair[0] || c == r->pair[1]);
    for (size_t count = 0; count < CLASSES_SHOWN; count++) {
        size_t best = SIZE_MAX;
        for (size_t c = 0; c < classes; c++)
            if (!shown[c] && (best == SIZE_MAX || r->log_posterior[c] > r->log_posterior[best])) best = c;
        shown[best] = true;
    }
    return shown;
}

static bool explain_worksheet_is_shown(const bool *shown, size_t class_index) {
    return shown == NULL || shown[class_index];
}

static crd_result_table *add_posterior_table(crd_result *out, const char *remainder, size_t columns) {
    crd_result_heading(out, 3, "Posterior", remainder);
    crd_result_table *t = crd_result_add_table(out, NULL);
    t->is_headed = false;
    for (size_t i = 0; i < columns; i++) crd_result_add_column(t, NULL, "")->is_left = true;
    return t;
}

static void add_class_cell(crd_result_table *t, const reasons *r, size_t class_index) {
    crd_cell_format(t, "P(%s | x)", crd_result_show(t->result, crd_classifier_class(r->classifier, class_index)));
}

/* Reports the final probability of each class. With calibration, the uncalibrated probability precedes it. */
static void report_outcome(crd_result *out, const reasons *r, const bool *shown) {
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    bool calibrated = crd_classifier_calibration(r->classifier, &calibration) != 0;
    char buffer[CRD_NUMBER_ROOM];
    crd_result_table *t = add_posterior_table(
        out, calibrated ? crd_result_format(out, ", calibrated (%s)", calibration.rule) : "", calibrated ? 3 : 2);
    for (size_t c = 0; c < crd_classifier_class_count(r->classifier); c++) {
        if (!explain_worksheet_is_shown(shown, c)) continue;
        add_class_cell(t, r, c);
        if (calibrated) crd_cell_format(t, "%s →", crd_number_round(r->result[c], buffer));
        crd_cell_number(t, r->probabilities[c]);
    }
}

/* Reports the posterior of each class as joint probability / evidence. */
static void explain_worksheet_report_posterior(crd_result *out, const reasons *r, const double *log_joints,
                                               const bool *shown) {
    crd_result_table *t = add_posterior_table(out, explain_is_calibrated(r) ? ", before calibration" : "", 3);
    for (size_t c = 0; c < crd_classifier_class_count(r->classifier); c++) {
        if (!explain_worksheet_is_shown(shown, c)) continue;
        string quotient = {0};
        if (isinf(r->answer->log_evidence)) {
            string_format(&quotient, r->result[c] > 0 ? "the only class" : "zero");
        } else {
            output_add_exponential(&quotient, log_joints[c]);
            string_format(&quotient, " / ");
            output_add_exponential(&quotient, r->answer->log_evidence);
        }
        add_class_cell(t, r, c);
        crd_cell_words(t, report_take(out, &quotient));
        crd_cell_number(t, r->result[c]);
    }
}

void worksheet_report_decision(crd_result *out, const reasons *r) {
    if (r->answer->decision < 0) {
        crd_result_line(out, CRD_PARAGRAPH, "Prediction: none, because every class has probability 0");
        return;
    }
    size_t tied = r->answer->tied;
    crd_result_prose(out, CRD_PARAGRAPH, 0, "Prediction: ",
                     crd_result_show(out, crd_classifier_class(r->classifier, (size_t)r->answer->decision)),
                     tied > 1 ? crd_result_format(out, ", the first of %zu tied classes", tied) : "");
}

/* ---- The worksheet ---- */

/* Reports the terms, log joint probability and posterior of a class. `p` is NULL for an ensemble. */
static int report_class(crd_result *out, const reasons *r, const parts *p, const weights *w, size_t class_index,
                        double *log_joint) {
    bool is_pooled = p == NULL, is_decided = r->answer->decision >= 0;
    crd_result_begin(out, CRD_OBJECT, NULL);
    crd_result_text(out, "class", crd_classifier_class(r->classifier, class_index));
    int ended = is_pooled ? ENDED_WELL : log_joint_of(r, p, class_index, log_joint);
    if (ended == ENDED_WELL && !is_pooled)
        ended = explain_worksheet_report_terms(out, r, p, w, class_index, *log_joint);
    double log_factor = crd_classifier_ensemble_factor(r->classifier, class_index);
    if (log_factor != 0) crd_result_number(out, "log_factor", log_factor);
    if (explain_is_calibrated(r)) {
        crd_result_begin(out, CRD_OBJECT, "before_calibration");
        crd_result_number(out, "log_posterior", r->found_log_posterior[class_index]);
        crd_result_number(out, "posterior", is_decided ? r->result[class_index] : NAN);
        crd_result_end(out);
    }
    crd_result_number(out, "log_posterior", r->log_posterior[class_index]);
    crd_result_number(out, "posterior", is_decided ? r->probabilities[class_index] : NAN);
    crd_result_end(out);
    return ended;
}

int worksheet_report(crd_result *out, const reasons *r) {
    size_t classes = crd_classifier_class_count(r->classifier);
    bool is_pooled = crd_classifier_ensemble_rule(r->classifier) != NULL, is_decided = r->answer->decision >= 0;
    double *log_joints = memory_resize(NULL, classes, sizeof *log_joints);
    bool *shown = find_shown(r);
    parts p = {0};
    weights w = {0};
    term_text_report_settings(out, crd_classifier_settings(r->classifier));
    /* Ensembles pool the posteriors of their members, so they have no terms. */
    int ended = is_pooled ? parts_report_members(out, r) : parts_read(r, &p);
    if (ended == ENDED_WELL && !is_pooled) ended = weights_read(r, &p, &w);
    crd_result_begin(out, CRD_ARRAY, "classes");
    /* A shortened worksheet shows only the two classes that are compared. */
    const bool is_of_pair = r->paired && classes > 2 && is_shortened(r, &w);
    for (size_t c = 0; c < classes && ended == ENDED_WELL; c++) {
        crd_result_hide(out,
                        !explain_worksheet_is_shown(shown, c) || (is_of_pair && c != r->pair[0] && c != r->pair[1]));
        ended = report_class(out, r, is_pooled ? NULL : &p, &w, c, &log_joints[c]);
    }
    crd_result_hide(out, false);
    crd_result_end(out);
    if (is_of_pair)
        crd_result_line(out, CRD_PARAGRAPH, "Only 2 of %zu classes are shown: the two compared below (--all shows all)",
                        classes);
    else if (shown != NULL)
        crd_result_line(out, CRD_PARAGRAPH, "Only the most probable of %zu classes are shown (--all shows all)",
                        classes);
    if (!r->paired) weights_report_missing(out, r, &w);
    crd_result_number(out, "log_evidence", r->answer->log_evidence);
    if (is_decided)
        crd_result_text(out, "prediction", crd_classifier_class(r->classifier, (size_t)r->answer->decision));
    else crd_result_number(out, "prediction", NAN);
    crd_result_number(out, "unseen", r->answer->unseen);
    if (ended == ENDED_WELL && !is_pooled) report_evidence(out, r, log_joints);
    if (ended == ENDED_WELL && !is_pooled && is_decided) explain_worksheet_report_posterior(out, r, log_joints, shown);
    if (ended == ENDED_WELL && is_decided && (is_pooled || explain_is_calibrated(r))) report_outcome(out, r, shown);
    worksheet_report_decision(out, r);
    if (ended == ENDED_WELL && !is_pooled && r->paired) {
        weights_report(out, r, &p, &w);
        weights_report_missing(out, r, &w);
        ended = weights_draw(out, r, &p, &w);
    }
    if (ended == ENDED_WELL && !is_pooled) ended = words_report(out, r);
    weights_free(&w);
    parts_free(&p);
    free(shown);
    free(log_joints);
    return ended;
}
