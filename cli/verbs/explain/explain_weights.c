/* SPDX-License-Identifier: MIT */
/* explain_weights.c - see explain_weights.h. */
#include "verbs/explain/explain_weights.h"

#include "core/messages.h"

#include <math.h>
#include <stdlib.h>

/* How many attributes with missing cells are named without --all. The others are counted. */
enum { MISSING_NAMED = 3 };

/* The weight of evidence of one line, in nats. NaN if both classes have probability 0. */
typedef struct weight {
    double nats;
    double scale;      /* magnitude of the two logarithms, for the rounding error of their difference */
    bool is_elsewhere; /* an attribute that a joint part includes, so it has no line of its own */
    bool is_missing;
} weight;

static weight weight_between(double a, double b) {
    bool finite = isfinite(a) && isfinite(b);
    weight between = {.scale = finite ? fmax(1, fmax(fabs(a), fabs(b))) : 0};
    between.nats = crd_weight_of_evidence(a, b);
    return between;
}

/* Computes the weight of a line for the first class of the pair against the second. */
static int explain_weights_weight(const reasons *r, const parts *p, size_t line, weight *out) {
    size_t attributes = crd_classifier_attribute_count(r->classifier);
    size_t pair[2] = {r->paired ? r->pair[0] : 0, r->paired ? r->pair[1] : 0};
    crd_term a, b;
    if (line > attributes) {
        const double *values = p->items[line - attributes - 1].log_values;
        *out = weight_between(values[pair[0]], values[pair[1]]);
        return ENDED_WELL;
    }
    int ended = line == 0 ? explain_prior(r, pair[0], &a) : explain_term(r, line - 1, pair[0], &a);
    if (ended == ENDED_WELL) ended = line == 0 ? explain_prior(r, pair[1], &b) : explain_term(r, line - 1, pair[1], &b);
    if (ended != ENDED_WELL) return ended;
    *out = weight_between(a.log_value, b.log_value);
    out->is_elsewhere = line > 0 && a.form == CRD_TERM_JOINT;
    out->is_missing = line > 0 && a.form == CRD_TERM_MISSING;
    return ENDED_WELL;
}

/* ---- Order ---- */

typedef struct ranked_term {
    size_t line;
    double size;
} ranked_term;

static int explain_weights_compare_terms(const void *a, const void *b) {
    const ranked_term *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Orders the terms by absolute weight. Terms with probability 0 in a class come first. */
static void explain_weights_rank_terms(weights *w) {
    ranked_term *rank = memory_resize(NULL, w->line_count, sizeof *rank);
    for (size_t i = 1; i < w->line_count; i++) {
        const weight *line = &w->lines[i];
        if (line->is_missing) w->missing[w->missing_count++] = i - 1;
        if (line->is_missing || line->is_elsewhere) continue;
        rank[w->term_count++] = (ranked_term){i, isfinite(line->nats) ? fabs(line->nats) : INFINITY};
    }
    qsort(rank, w->term_count, sizeof *rank, explain_weights_compare_terms);
    for (size_t i = 0; i < w->term_count; i++) w->order[i] = rank[i].line;
    free(rank);
}

int weights_read(const reasons *r, const parts *p, weights *out) {
    size_t attributes = crd_classifier_attribute_count(r->classifier), lines = attributes + 1 + p->count;
    int ended = ENDED_WELL;
    *out = (weights){.line_count = lines,
                     .lines = memory_resize(NULL, lines, sizeof *out->lines),
                     .order = memory_resize(NULL, lines, sizeof *out->order),
                     .missing = memory_resize(NULL, lines, sizeof *out->missing)};
    for (size_t i = 0; i < lines; i++) out->lines[i] = (weight){0};
    for (size_t i = 0; i < lines && ended == ENDED_WELL; i++) ended = explain_weights_weight(r, p, i, &out->lines[i]);
    if (ended != ENDED_WELL) return ended;
    explain_weights_rank_terms(out);
    out->listed = r->top < out->term_count ? r->top : out->term_count;
    return ENDED_WELL;
}

void weights_free(weights *w) {
    free(w->lines);
    free(w->order);
    free(w->missing);
}

/* ---- The table ---- */

/* Adds a weight such as "+1.2", "-∞" or "-" for NaN. */
static void explain_weights_add_nats(crd_result_table *t, double nats) {
    char buffer[CRD_NUMBER_ROOM];
    if (isinf(nats)) crd_cell_words(t, nats > 0 ? "+∞" : "-∞");
    else crd_cell_format(t, "%s%s", nats > 0 ? "+" : "", crd_number_round(nats, buffer));
}

static void explain_weights_add_factor(crd_result_table *t, double nats) {
    string factor = {0};
    string_format(&factor, "×");
    output_add_exponential(&factor, nats);
    crd_cell_words(t, report_take(t->result, &factor));
}

static void add_what(string *out, const reasons *r, const parts *p, size_t line) {
    size_t attributes = crd_classifier_attribute_count(r->classifier);
    if (line == 0) {
        string_format(out, "prior");
    } else if (line > attributes) {
        string_add(out, p->items[line - attributes - 1].string.bytes, p->items[line - attributes - 1].string.length);
    } else {
        string_add_shown(out, crd_classifier_attribute(r->classifier, line - 1));
        string_add_char(out, '=');
        explain_add_value(out, &r->values[line - 1]);
    }
}

static void explain_weights_add_line(crd_result_table *t, const reasons *r, const parts *p, size_t line, double nats,
                                     double largest) {
    string given_string = {0};
    add_what(&given_string, r, p, line);
    crd_cell_words(t, report_take(t->result, &given_string));
    explain_weights_add_nats(t, nats);
    crd_cell_bar(t, nats == 0 || isinf(nats) ? nats : nats / largest);
    if (isfinite(nats)) explain_weights_add_factor(t, nats);
    else crd_cell_words(t, isnan(nats) ? "both at zero" : "a zero decides");
}

/* Adds a line for a sum. It has no bar, because it may exceed every line's bar. */
static void explain_weights_add_sum(crd_result_table *t, const char *description, double nats) {
    crd_cell_words(t, description);
    explain_weights_add_nats(t, nats);
    crd_cell_null(t);
    if (isfinite(nats)) explain_weights_add_factor(t, nats);
    else crd_cell_null(t);
}

/* Adds the prior, the listed terms, the sum of the others and the total. */
static void explain_weights_fill_table(crd_result_table *t, const reasons *r, const parts *p, const weights *w) {
    double largest = 0, sum = 0, scale = 0, remainder = 0, rest_scale = 0;
    size_t others = w->term_count - w->listed;
    for (size_t i = 0; i < w->line_count; i++) {
        sum += w->lines[i].nats;
        scale += w->lines[i].scale;
        if (isfinite(w->lines[i].nats)) largest = fmax(largest, fabs(w->lines[i].nats));
    }
    explain_weights_add_line(t, r, p, 0, w->lines[0].nats, largest);
    for (size_t i = 0; i < w->listed; i++)
        explain_weights_add_line(t, r, p, w->order[i], w->lines[w->order[i]].nats, largest);
    for (size_t i = w->listed; i < w->term_count; i++) {
        remainder += w->lines[w->order[i]].nats;
        rest_scale += w->lines[w->order[i]].scale;
    }
    if (others > 0)
        explain_weights_add_sum(t, crd_result_format(t->result, "%zu other%s", others, others == 1 ? "" : "s"),
                                crd_weight_settle(remainder, rest_scale));
    explain_weights_add_sum(t, "total", crd_weight_settle(sum, scale));
}

/* ---- JSON ---- */

/* Adds a weight. JSON has no infinite numbers, so "rules_out" names the class that an infinite weight excludes. */
static void report_nats(crd_result *out, const char *key, const reasons *r, double nats) {
    crd_result_number(out, key, nats);
    if (isinf(nats)) crd_result_text(out, "rules_out", crd_classifier_class(r->classifier, r->pair[nats > 0]));
}

/* Adds the object of a term: an attribute, or a part with several attributes. */
static void report_term(crd_result *out, const reasons *r, const parts *p, const weights *w, size_t line) {
    string given_string = {0};
    add_what(&given_string, r, p, line);
    crd_result_begin(out, CRD_SHORT_OBJECT, NULL);
    crd_result_words(out, "term", report_take(out, &given_string));
    if (line <= crd_classifier_attribute_count(r->classifier))
        crd_result_text(out, "attribute", crd_classifier_attribute(r->classifier, line - 1));
    report_nats(out, "weight", r, w->lines[line].nats);
    crd_result_end(out);
}

/* Adds all terms, or with --top the listed terms and the sum of the others. */
static void report_object_of_weights(crd_result *out, const reasons *r, const parts *p, const weights *w) {
    size_t count = r->only_top ? w->listed : w->term_count;
    double sum = 0, scale = 0, remainder = 0, rest_scale = 0;
    for (size_t i = 0; i < w->line_count; i++) {
        sum += w->lines[i].nats;
        scale += w->lines[i].scale;
    }
    crd_result_begin(out, CRD_OBJECT, "weights");
    crd_result_text(out, "for", crd_classifier_class(r->classifier, r->pair[0]));
    crd_result_text(out, "against", crd_classifier_class(r->classifier, r->pair[1]));
    report_nats(out, "prior", r, w->lines[0].nats);
    crd_result_begin(out, CRD_ARRAY, "terms");
    for (size_t i = 0; i < count; i++) report_term(out, r, p, w, w->order[i]);
    crd_result_end(out);
    for (size_t i = count; i < w->term_count; i++) {
        remainder += w->lines[w->order[i]].nats;
        rest_scale += w->lines[w->order[i]].scale;
    }
    if (count < w->term_count) crd_result_number(out, "others", crd_weight_settle(remainder, rest_scale));
    crd_result_number(out, "total", crd_weight_settle(sum, scale));
    crd_result_end(out);
}

void weights_report(crd_result *out, const reasons *r, const parts *p, const weights *w) {
    report_object_of_weights(out, r, p, w);
    crd_result_heading(out, 3,
                       crd_result_format(out, "Weight of evidence for %s against %s",
                                         crd_result_show(out, crd_classifier_class(r->classifier, r->pair[0])),
                                         crd_result_show(out, crd_classifier_class(r->classifier, r->pair[1]))),
                       explain_is_calibrated(r) ? ", in nats and as a factor, before calibration"
                                                : ", in nats and as a factor");
    crd_result_table *t = crd_result_add_table(out, NULL);
    t->is_headed = false;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "");
    column_add_bar(t);
    crd_result_add_column(t, NULL, "")->is_left = true;
    explain_weights_fill_table(t, r, p, w);
}

/* Draws the weights as bars, with the values of the attributes. */
int weights_draw(crd_result *out, const reasons *r, const parts *p, const weights *w) {
    size_t attributes = crd_classifier_attribute_count(r->classifier);
    double sum = 0, scale = 0;
    if (!crd_result_is_for(out, CRD_FOR_PICTURES)) return ENDED_WELL;
    crd_plot_bar *bars = memory_resize(NULL, w->term_count, sizeof *bars);
    for (size_t i = 0; i < w->line_count; i++) {
        sum += w->lines[i].nats;
        scale += w->lines[i].scale;
    }
    for (size_t i = 0; i < w->term_count; i++) {
        size_t line = w->order[i];
        string value = {0};
        bars[i] = (crd_plot_bar){.value = w->lines[line].nats};
        if (line > attributes) {
            bars[i].name = crd_text_of(string_text(&p->items[line - attributes - 1].string));
            continue;
        }
        explain_add_value(&value, &r->values[line - 1]);
        bars[i].name = crd_classifier_attribute(r->classifier, line - 1);
        bars[i].note = crd_text_of(report_take(out, &value));
    }
    crd_plot_evidence evidence = CRD_PLOT_EVIDENCE_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_error error;
    evidence.bars = bars;
    evidence.count = w->term_count;
    evidence.prior = w->lines[0].nats;
    evidence.total = crd_weight_settle(sum, scale);
    evidence.unit = crd_text_of("nats");
    evidence.positive = crd_classifier_class(r->classifier, r->pair[0]);
    evidence.negative = crd_classifier_class(r->classifier, r->pair[1]);
    evidence.most = w->listed > 0 ? w->listed : 1;
    options.title =
        crd_text_of(explain_is_calibrated(r) ? "Weight of evidence, before calibration" : "Weight of evidence");
    crd_status status = crd_plot_draw_evidence(crd_result_context(out), &evidence, &options, &svg, &error);
    free(bars);
    return report_add_picture(out, status, &svg, &error);
}

void weights_report_missing(crd_result *out, const reasons *r, const weights *w) {
    size_t named = r->all || w->missing_count < MISSING_NAMED ? w->missing_count : MISSING_NAMED;
    size_t others = w->missing_count - named;
    string names = {0};
    if (w->missing_count == 0) return;
    for (size_t i = 0; i < named; i++) {
        string_format(&names, i == 0 ? "" : ", ");
        string_add_shown(&names, crd_classifier_attribute(r->classifier, w->missing[i]));
    }
    if (others > 0) string_format(&names, " and %zu other%s", others, others == 1 ? "" : "s");
    /* In trees, a missing value takes part: its side of a split was learned. */
    crd_result_line(out, CRD_REMARK, parts_have_trees(r->classifier) ? "missing: %s" : "missing, ignored: %s",
                    string_text(&names));
    string_free(&names);
}
