/* explain_worksheet.c - see explain_worksheet.h. */
#include "verbs/explain/explain_worksheet.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/plot.h"
#include "core/text_table.h"
#include "describe/term_text.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Products below this show their logarithm as well; the sum of so many products is written out. */
static const double TINY = 1e-6;
enum { CLASSES_WRITTEN_OUT = 3 };

static int term_of(const reasons *r, size_t attribute, size_t class_index, crd_term *term) {
    crd_error error;
    *term = (crd_term)CRD_TERM_INIT;
    if (crd_classifier_term(r->classifier, attribute, class_index, &r->values[attribute], term, &error) != CRD_OK) {
        return message_error(&error);
    }
    return ENDED_WELL;
}

static int prior_of(const reasons *r, size_t class_index, crd_term *term) {
    crd_error error;
    *term = (crd_term)CRD_TERM_INIT;
    if (crd_classifier_prior(r->classifier, class_index, term, &error) != CRD_OK) return message_error(&error);
    return ENDED_WELL;
}

int worksheet_log_joint(const reasons *r, const parts *p, size_t class_index, double *out) {
    crd_term term;
    int ended = prior_of(r, class_index, &term);
    double sum = term.log_value;
    for (size_t a = 0; ended == ENDED_WELL && a < crd_classifier_attribute_count(r->classifier); a++) {
        ended = term_of(r, a, class_index, &term);
        sum += term.log_value;
    }
    *out = parts_add(p, class_index, sum);
    return ended;
}

static void add_product(string *out, double log_value) {
    char room[ROUNDED_ROOM];
    bool is_number = output_add_exponential(out, log_value);
    if (is_number && log_value < crd_log(TINY) && log_value > -INFINITY) {
        string_format(out, " (log %s)", output_round(log_value, room));
    }
}

/* A line of a class's block: what, how, and the value. */
static void add_line(table *t, const char *what, const crd_term *term) {
    string working = {0}, value = {0};
    term_text_add(&working, term);
    if (term_text_counts(term)) add_product(&value, term->log_value);
    table_add(t, what);
    table_add(t, string_text(&working));
    table_add(t, string_text(&value));
    string_free(&working);
    string_free(&value);
}

static void add_label(string *out, const reasons *r, size_t attribute, crd_text class_name, bool density) {
    string_format(out, density ? "p(" : "P(");
    string_add_shown(out, crd_classifier_attribute(r->classifier, attribute));
    string_add_char(out, '=');
    explain_add_value(out, &r->values[attribute]);
    string_format(out, " | ");
    string_add_shown(out, class_name);
    string_add_char(out, ')');
}

/* Several attributes together: as the line of one. */
static void add_part_line(table *t, const part *p, crd_text class_name, size_t class_index) {
    string text = {0};
    if (p->is_density) string_format(&text, p->is_powered ? "P(" : "p(");
    string_add(&text, p->what.bytes, p->what.length);
    if (p->is_density) {
        string_format(&text, " | ");
        string_add_shown(&text, class_name);
        string_add_char(&text, ')');
    }
    table_add(t, string_text(&text));
    string_clear(&text);
    if (p->is_powered && p->exponent > 0) {
        output_add_exponential(&text, p->log_values[class_index] / p->exponent);
        string_format(&text, ", ");
    }
    string_add(&text, p->working.bytes, p->working.length);
    table_add(t, string_text(&text));
    string_clear(&text);
    add_product(&text, p->log_values[class_index]);
    table_add(t, string_text(&text));
    string_free(&text);
}

static int print_class(output *out, const reasons *r, const parts *p, size_t class_index, double log_joint) {
    crd_text name = crd_classifier_class(r->classifier, class_index);
    crd_term term;
    string text = {0};
    table *t = table_create_for(out, 3);
    table_omit_heading(t);
    table_align_left(t, 1);
    table_align_left(t, 2);
    int ended = prior_of(r, class_index, &term);
    if (ended == ENDED_WELL) {
        string_format(&text, "P(");
        string_add_shown(&text, name);
        string_add_char(&text, ')');
        add_line(t, string_text(&text), &term);
    }
    for (size_t a = 0; ended == ENDED_WELL && a < crd_classifier_attribute_count(r->classifier); a++) {
        ended = term_of(r, a, class_index, &term);
        if (p->replaces_attributes && term.form == CRD_TERM_JOINT) continue;
        string_clear(&text);
        add_label(&text, r, a, name, term.form == CRD_TERM_DENSITY);
        if (ended == ENDED_WELL) add_line(t, string_text(&text), &term);
    }
    for (size_t i = 0; ended == ENDED_WELL && i < p->count; i++) add_part_line(t, &p->items[i], name, class_index);
    if (ended == ENDED_WELL) {
        table_add(t, "product");
        table_add(t, "");
        string_clear(&text);
        add_product(&text, log_joint);
        table_add(t, string_text(&text));
        string_clear(&text);
        string_format(&text, "Class ");
        string_add_shown(&text, name);
        output_heading(out, 3, string_text(&text), "");
        table_print(t, out->stream, 2, 0);
    }
    table_destroy(t);
    string_free(&text);
    return ended;
}

static void print_evidence(output *out, const reasons *r, const double *log_joints) {
    size_t classes = crd_classifier_class_count(r->classifier);
    string line = {0};
    for (size_t c = 0; c < classes && classes > 1 && classes <= CLASSES_WRITTEN_OUT; c++) {
        string_format(&line, "%s", c == 0 ? "" : " + ");
        output_add_exponential(&line, log_joints[c]);
    }
    if (line.length > 0) string_format(&line, " = ");
    add_product(&line, r->answer->log_evidence);
    output_paragraph(out, "Evidence, the sum of the products: %s", string_text(&line));
    string_free(&line);
}

static bool is_calibrated(const reasons *r) {
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    return crd_classifier_calibration(r->classifier, &calibration) != 0;
}

/* Each probability and what is put in its place; without calibration, where members have answered, each alone. */
static void print_outcome(output *out, const reasons *r) {
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    bool calibrated = crd_classifier_calibration(r->classifier, &calibration) != 0;
    char room[ROUNDED_ROOM];
    string rest = {0};
    table *t = table_create_for(out, calibrated ? 3 : 2);
    table_omit_heading(t);
    table_align_left(t, 1);
    if (calibrated) table_align_left(t, 2);
    for (size_t c = 0; c < crd_classifier_class_count(r->classifier); c++) {
        string text = {0};
        string_format(&text, "P(");
        string_add_shown(&text, crd_classifier_class(r->classifier, c));
        table_format(t, "%s | x)", string_text(&text));
        if (calibrated) table_format(t, "%s →", output_round(r->found[c], room));
        table_add(t, output_round(r->probabilities[c], room));
        string_free(&text);
    }
    if (calibrated) string_format(&rest, ", calibrated (%s)", calibration.rule);
    output_heading(out, 3, "Posterior", string_text(&rest));
    table_print(t, out->stream, 2, 0);
    table_destroy(t);
    string_free(&rest);
}

static void print_posterior(output *out, const reasons *r, const double *log_joints) {
    char room[ROUNDED_ROOM];
    table *t = table_create_for(out, 3);
    table_omit_heading(t);
    table_align_left(t, 1);
    table_align_left(t, 2);
    for (size_t c = 0; c < crd_classifier_class_count(r->classifier); c++) {
        string text = {0};
        string_format(&text, "P(");
        string_add_shown(&text, crd_classifier_class(r->classifier, c));
        table_format(t, "%s | x)", string_text(&text));
        string_clear(&text);
        if (isinf(r->answer->log_evidence)) {
            string_format(&text, r->found[c] > 0 ? "the only class" : "none of it");
        } else {
            output_add_exponential(&text, log_joints[c]);
            string_format(&text, " / ");
            output_add_exponential(&text, r->answer->log_evidence);
        }
        table_add(t, string_text(&text));
        table_add(t, output_round(r->found[c], room));
        string_free(&text);
    }
    output_heading(out, 3, "Posterior", is_calibrated(r) ? ", before calibration" : "");
    table_print(t, out->stream, 2, 0);
    table_destroy(t);
}

void worksheet_print_decision(output *out, const reasons *r) {
    string name = {0}, tie = {0};
    if (r->answer->decision < 0) {
        output_paragraph(out, "Prediction: none, for every class is at zero");
        return;
    }
    string_add_shown(&name, crd_classifier_class(r->classifier, (size_t)r->answer->decision));
    if (r->answer->tied > 1) {
        string_format(&tie, ", the first of %lu classes that tie", (unsigned long)r->answer->tied);
    }
    output_paragraph(out, "Prediction: %s%s%s%s", output_style_code(out, STYLE_HEADING), string_text(&name),
                     output_style_code(out, STYLE_PLAIN), string_text(&tie));
    string_free(&name);
    string_free(&tie);
}

/* ---- Weights of evidence ---- */

/* What one line weighs, in nats; NaN where both classes are at zero there. */
typedef struct weight {
    double nats;
    double scale;      /* of the numbers of which it is a difference */
    bool is_elsewhere; /* an attribute that a part has taken together with others: without a line of its own */
} weight;

/* A difference as people are to see it: what rounding alone can have left of equal numbers is nothing. Each logarithm
 * is within a few units in the last place of itself, or of 1 where the quotient it is of was rounded. */
static double settled(double difference, double scale) {
    static const double UNITS = 8;
    return fabs(difference) <= UNITS * DBL_EPSILON * scale ? 0 : difference;
}

static weight weight_between(double a, double b) {
    bool finite = isfinite(a) && isfinite(b);
    weight between = {.scale = finite ? fmax(1, fmax(fabs(a), fabs(b))) : 0};
    between.nats = finite ? settled(a - b, between.scale) : a - b;
    return between;
}

/* Lines are the prior, the attributes, then the parts. */
static int weight_of(const reasons *r, const parts *p, size_t line, weight *out) {
    size_t attributes = crd_classifier_attribute_count(r->classifier);
    crd_term a, b;
    if (line > attributes) {
        const double *values = p->items[line - attributes - 1].log_values;
        *out = weight_between(values[r->pair[0]], values[r->pair[1]]);
        return ENDED_WELL;
    }
    int ended = line == 0 ? prior_of(r, r->pair[0], &a) : term_of(r, line - 1, r->pair[0], &a);
    if (ended == ENDED_WELL) ended = line == 0 ? prior_of(r, r->pair[1], &b) : term_of(r, line - 1, r->pair[1], &b);
    if (ended == ENDED_WELL) *out = weight_between(a.log_value, b.log_value);
    out->is_elsewhere = ended == ENDED_WELL && line > 0 && a.form == CRD_TERM_JOINT;
    return ended;
}

/* "+1.2", "-∞", "-" */
static void add_nats(table *t, double nats) {
    char room[ROUNDED_ROOM];
    if (isinf(nats)) {
        table_add(t, nats > 0 ? "+∞" : "-∞");
    } else {
        table_format(t, "%s%s", nats > 0 ? "+" : "", output_round(nats, room));
    }
}

static void add_factor(table *t, double nats) {
    string factor = {0};
    string_format(&factor, "×");
    output_add_exponential(&factor, nats);
    table_add(t, string_text(&factor));
    string_free(&factor);
}

/* Infinities fill their side of the bar. */
static void add_bar(table *t, const output *out, double nats, double largest, size_t half) {
    string bar = {0};
    plot_bar(&bar, isnan(nats) || nats == 0 ? 0 : isinf(nats) ? nats : nats / largest, half);
    if (nats > 0 || nats < 0) {
        table_format(t, "%s%s%s", output_style_code(out, nats > 0 ? STYLE_FOR : STYLE_AGAINST), string_text(&bar),
                     output_style_code(out, STYLE_PLAIN));
    } else {
        table_add(t, string_text(&bar));
    }
    string_free(&bar);
}

static void add_what(string *out, const reasons *r, const parts *p, size_t line) {
    size_t attributes = crd_classifier_attribute_count(r->classifier);
    if (line == 0) {
        string_format(out, "prior");
    } else if (line > attributes) {
        string_add(out, p->items[line - attributes - 1].what.bytes, p->items[line - attributes - 1].what.length);
    } else {
        string_add_shown(out, crd_classifier_attribute(r->classifier, line - 1));
        string_add_char(out, '=');
        explain_add_value(out, &r->values[line - 1]);
    }
}

/* half 0: without bars. */
static void fill_weights(table *t, const output *out, const reasons *r, const parts *p, const weight *weights,
                         size_t lines, size_t half) {
    double largest = 0, sum = 0, scale = 0;
    for (size_t i = 0; i < lines; i++) {
        sum += weights[i].nats;
        scale += weights[i].scale;
        if (isfinite(weights[i].nats) && fabs(weights[i].nats) > largest) largest = fabs(weights[i].nats);
    }
    for (size_t i = 0; i < lines; i++) {
        double nats = weights[i].nats;
        string what = {0};
        if (weights[i].is_elsewhere) continue;
        add_what(&what, r, p, i);
        table_add(t, string_text(&what));
        add_nats(t, nats);
        if (half > 0) add_bar(t, out, nats, largest, half);
        if (isfinite(nats)) {
            add_factor(t, nats);
        } else {
            table_add(t, isnan(nats) ? "both at zero" : "a zero decides");
        }
        string_free(&what);
    }
    sum = isfinite(sum) ? settled(sum, scale) : sum;
    table_add(t, "all together");
    add_nats(t, sum);
    if (half > 0) table_add(t, "");
    if (isfinite(sum)) {
        add_factor(t, sum);
    } else {
        table_add(t, "");
    }
}

/* How far a bar reaches to either side; 0 in Markdown, where blanks before it would not be kept. */
static size_t half_of_bars(const output *out) {
    enum { LEAST_HALF = 4, MOST_HALF = 20, USUAL_WIDTH = 80, BESIDE_BAR = 45 };
    size_t width = out->width == 0 ? USUAL_WIDTH : out->width;
    size_t half = width < BESIDE_BAR + 2 * LEAST_HALF ? LEAST_HALF : (width - BESIDE_BAR) / 2;
    if (out->format == FORMAT_MARKDOWN) return 0;
    return half > MOST_HALF ? MOST_HALF : half;
}

static int print_weights(output *out, const reasons *r, const parts *p) {
    size_t lines = crd_classifier_attribute_count(r->classifier) + 1 + p->count, half = half_of_bars(out);
    weight *weights = memory_resize(NULL, lines, sizeof *weights);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < lines && ended == ENDED_WELL; i++) {
        weights[i] = (weight){0};
        ended = weight_of(r, p, i, &weights[i]);
    }
    if (ended == ENDED_WELL) {
        string heading = {0};
        table *t = table_create_for(out, half > 0 ? 4 : 3);
        table_omit_heading(t);
        table_align_left(t, 2);
        if (half > 0) table_align_left(t, 3);
        fill_weights(t, out, r, p, weights, lines, half);
        string_format(&heading, "Weight of evidence for ");
        string_add_shown(&heading, crd_classifier_class(r->classifier, r->pair[0]));
        string_format(&heading, " against ");
        string_add_shown(&heading, crd_classifier_class(r->classifier, r->pair[1]));
        output_heading(out, 3, string_text(&heading),
                       is_calibrated(r) ? ", in nats and as a factor, before calibration"
                                        : ", in nats and as a factor");
        table_print(t, out->stream, 2, 0);
        table_destroy(t);
        string_free(&heading);
    }
    free(weights);
    return ended;
}

/* Where members answer, what they say; there are no terms to be added up. */
static int print_pooled(output *out, const reasons *r) {
    int ended = parts_print_members(out, r);
    if (ended != ENDED_WELL) return ended;
    if (r->answer->decision >= 0) print_outcome(out, r);
    worksheet_print_decision(out, r);
    return ENDED_WELL;
}

static int print_summed(output *out, const reasons *r, const parts *p, double *log_joints) {
    size_t classes = crd_classifier_class_count(r->classifier);
    for (size_t c = 0; c < classes; c++) {
        int ended = worksheet_log_joint(r, p, c, &log_joints[c]);
        if (ended == ENDED_WELL) ended = print_class(out, r, p, c, log_joints[c]);
        if (ended != ENDED_WELL) return ended;
    }
    print_evidence(out, r, log_joints);
    if (r->answer->decision >= 0) print_posterior(out, r, log_joints);
    if (r->answer->decision >= 0 && is_calibrated(r)) print_outcome(out, r);
    worksheet_print_decision(out, r);
    return r->paired ? print_weights(out, r, p) : ENDED_WELL;
}

int worksheet_print(output *out, const reasons *r) {
    if (crd_classifier_ensemble_rule(r->classifier) != NULL) return print_pooled(out, r);
    double *log_joints = memory_resize(NULL, crd_classifier_class_count(r->classifier), sizeof *log_joints);
    parts p;
    int ended = parts_read(r, &p);
    if (ended == ENDED_WELL) ended = print_summed(out, r, &p, log_joints);
    parts_free(&p);
    free(log_joints);
    return ended;
}
