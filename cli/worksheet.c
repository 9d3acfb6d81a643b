/* worksheet.c - see worksheet.h. */
#include "worksheet.h"

#include "plot.h"
#include "report.h"
#include "table.h"
#include "working.h"

#include <math.h>
#include <stdlib.h>

/* Products below this show their logarithm as well; the sum of so many products is written out. */
static const double TINY = 1e-6;
enum { CLASSES_WRITTEN_OUT = 3 };

static int term_of(const reasons *r, size_t attribute, size_t class_index, crd_term *term) {
    crd_error error;
    *term = (crd_term)CRD_TERM_INIT;
    if (crd_classifier_term(r->classifier, attribute, class_index, &r->values[attribute], term, &error) != CRD_OK) {
        return report_error(&error);
    }
    return ENDED_WELL;
}

static int prior_of(const reasons *r, size_t class_index, crd_term *term) {
    crd_error error;
    *term = (crd_term)CRD_TERM_INIT;
    if (crd_classifier_prior(r->classifier, class_index, term, &error) != CRD_OK) return report_error(&error);
    return ENDED_WELL;
}

int worksheet_log_joint(const reasons *r, size_t class_index, double *out) {
    crd_term term;
    int ended = prior_of(r, class_index, &term);
    double sum = term.log_value;
    for (size_t a = 0; ended == ENDED_WELL && a < crd_classifier_attribute_count(r->classifier); a++) {
        ended = term_of(r, a, class_index, &term);
        sum += term.log_value;
    }
    *out = sum;
    return ended;
}

void worksheet_add_value(string *out, const crd_value *value) {
    char room[CRD_NUMBER_ROOM];
    if (value->kind == CRD_KIND_CATEGORY) {
        string_add_shown(out, value->text);
    } else if (value->kind == CRD_KIND_NUMBER && !isnan(value->number)) {
        string_add(out, room, crd_number_format(value->number, room));
    } else {
        string_add_char(out, '?');
    }
}

static void add_product(string *out, double log_value) {
    char room[ROUNDED_ROOM];
    bool is_number = working_add_exponential(out, log_value);
    if (is_number && log_value < crd_log(TINY) && log_value > -INFINITY) {
        string_format(out, " (log %s)", output_round(log_value, room));
    }
}

/* A line of a class's block: what, how, and the value. */
static void add_line(table *t, const char *what, const crd_term *term) {
    string working = {0}, value = {0};
    working_add(&working, term);
    if (working_counts(term)) add_product(&value, term->log_value);
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
    worksheet_add_value(out, &r->values[attribute]);
    string_format(out, " | ");
    string_add_shown(out, class_name);
    string_add_char(out, ')');
}

static int print_class(output *out, const reasons *r, size_t class_index, double log_joint) {
    crd_text name = crd_classifier_class(r->classifier, class_index);
    crd_term term;
    string text = {0};
    table *t = table_create(3);
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
        string_clear(&text);
        add_label(&text, r, a, name, term.form == CRD_TERM_DENSITY);
        if (ended == ENDED_WELL) add_line(t, string_text(&text), &term);
    }
    if (ended == ENDED_WELL) {
        table_add(t, "product");
        table_add(t, "");
        string_clear(&text);
        add_product(&text, log_joint);
        table_add(t, string_text(&text));
        string_clear(&text);
        string_add_shown(&text, name);
        fprintf(out->stream, "\n%sClass %s%s\n", output_style_code(out, STYLE_HEADING), string_text(&text),
                output_style_code(out, STYLE_PLAIN));
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
        working_add_exponential(&line, log_joints[c]);
    }
    if (line.length > 0) string_format(&line, " = ");
    add_product(&line, r->answer->log_evidence);
    fprintf(out->stream, "\nEvidence, the sum of the products: %s\n", string_text(&line));
    string_free(&line);
}

static void print_posterior(output *out, const reasons *r, const double *log_joints) {
    char room[ROUNDED_ROOM];
    table *t = table_create(3);
    table_align_left(t, 1);
    table_align_left(t, 2);
    for (size_t c = 0; c < crd_classifier_class_count(r->classifier); c++) {
        string text = {0};
        string_format(&text, "P(");
        string_add_shown(&text, crd_classifier_class(r->classifier, c));
        table_format(t, "%s | x)", string_text(&text));
        string_clear(&text);
        working_add_exponential(&text, log_joints[c]);
        string_format(&text, " / ");
        working_add_exponential(&text, r->answer->log_evidence);
        table_add(t, string_text(&text));
        table_add(t, output_round(crd_exp(r->log_posterior[c]), room));
        string_free(&text);
    }
    fprintf(out->stream, "\n%sPosterior%s\n", output_style_code(out, STYLE_HEADING),
            output_style_code(out, STYLE_PLAIN));
    table_print(t, out->stream, 2, 0);
    table_destroy(t);
}

static void print_decision(output *out, const reasons *r) {
    string name = {0};
    if (r->answer->decision < 0) {
        fputs("\nPrediction: none, for every class is at zero\n", out->stream);
        return;
    }
    string_add_shown(&name, crd_classifier_class(r->classifier, (size_t)r->answer->decision));
    fprintf(out->stream, "\nPrediction: %s%s%s", output_style_code(out, STYLE_HEADING), string_text(&name),
            output_style_code(out, STYLE_PLAIN));
    if (r->answer->tied > 1) {
        fprintf(out->stream, ", the first of %lu classes that tie", (unsigned long)r->answer->tied);
    }
    fputc('\n', out->stream);
    string_free(&name);
}

/* ---- Weights of evidence ---- */

/* log P(x|A) - log P(x|B); NaN where both are at zero. */
static int weight_of(const reasons *r, size_t line, double *weight) {
    crd_term a, b;
    int ended = line == 0 ? prior_of(r, r->pair[0], &a) : term_of(r, line - 1, r->pair[0], &a);
    if (ended == ENDED_WELL) ended = line == 0 ? prior_of(r, r->pair[1], &b) : term_of(r, line - 1, r->pair[1], &b);
    if (ended != ENDED_WELL) return ended;
    *weight = a.log_value == -INFINITY && b.log_value == -INFINITY ? NAN : a.log_value - b.log_value;
    return ENDED_WELL;
}

static void add_weight(table *t, const output *out, const char *what, double weight, double largest, size_t half) {
    char room[ROUNDED_ROOM];
    string bar = {0}, factor = {0};
    table_add(t, what);
    if (isnan(weight)) {
        table_add(t, "-");
        string_format(&factor, "both at zero");
    } else if (isinf(weight)) {
        table_add(t, weight > 0 ? "+∞" : "-∞");
        string_format(&factor, "a zero decides");
    } else {
        table_format(t, "%s%s", weight > 0 ? "+" : "", output_round(weight, room));
        string_format(&factor, "×");
        working_add_exponential(&factor, weight);
    }
    plot_bar(&bar, isnan(weight) || weight == 0 ? 0 : isinf(weight) ? weight : weight / largest, half);
    bool in_favour = weight > 0;
    table_format(t, "%s%s%s", output_style_code(out, in_favour ? STYLE_FOR : STYLE_AGAINST), string_text(&bar),
                 output_style_code(out, STYLE_PLAIN));
    table_add(t, string_text(&factor));
    string_free(&bar);
    string_free(&factor);
}

static void fill_weights(table *t, const output *out, const reasons *r, const double *weights, size_t lines,
                         size_t half) {
    double largest = 0, sum = 0;
    for (size_t i = 0; i < lines; i++) {
        sum += weights[i];
        if (isfinite(weights[i]) && fabs(weights[i]) > largest) largest = fabs(weights[i]);
    }
    for (size_t i = 0; i < lines; i++) {
        string what = {0};
        if (i == 0) {
            string_format(&what, "prior");
        } else {
            string_add_shown(&what, crd_classifier_attribute(r->classifier, i - 1));
            string_add_char(&what, '=');
            worksheet_add_value(&what, &r->values[i - 1]);
        }
        add_weight(t, out, string_text(&what), weights[i], largest, half);
        string_free(&what);
    }
    if (fabs(sum) > largest && isfinite(sum)) largest = fabs(sum);
    table_add(t, "all together");
    char room[ROUNDED_ROOM];
    table_format(t, "%s%s", sum > 0 ? "+" : "", isinf(sum) ? "∞" : output_round(sum, room));
    table_add(t, "");
    string factor = {0};
    if (isfinite(sum)) {
        string_format(&factor, "×");
        working_add_exponential(&factor, sum);
    }
    table_add(t, string_text(&factor));
    string_free(&factor);
}

static int print_weights(output *out, const reasons *r) {
    enum { LEAST_HALF = 4, MOST_HALF = 20, USUAL_WIDTH = 80, BESIDE_BAR = 45 };
    size_t lines = crd_classifier_attribute_count(r->classifier) + 1;
    size_t width = out->width == 0 ? USUAL_WIDTH : out->width;
    size_t half = width < BESIDE_BAR + 2 * LEAST_HALF ? LEAST_HALF : (width - BESIDE_BAR) / 2;
    if (half > MOST_HALF) half = MOST_HALF;
    double *weights = memory_resize(NULL, lines, sizeof *weights);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < lines && ended == ENDED_WELL; i++) ended = weight_of(r, i, &weights[i]);
    if (ended == ENDED_WELL) {
        string a = {0}, b = {0};
        table *t = table_create(4);
        table_align_left(t, 2);
        table_align_left(t, 3);
        fill_weights(t, out, r, weights, lines, half);
        string_add_shown(&a, crd_classifier_class(r->classifier, r->pair[0]));
        string_add_shown(&b, crd_classifier_class(r->classifier, r->pair[1]));
        fprintf(out->stream, "\n%sWeight of evidence for %s against %s%s, in nats and as a factor\n",
                output_style_code(out, STYLE_HEADING), string_text(&a), string_text(&b),
                output_style_code(out, STYLE_PLAIN));
        table_print(t, out->stream, 2, 0);
        table_destroy(t);
        string_free(&a);
        string_free(&b);
    }
    free(weights);
    return ended;
}

int worksheet_print(output *out, const reasons *r) {
    size_t classes = crd_classifier_class_count(r->classifier);
    double *log_joints = memory_resize(NULL, classes, sizeof *log_joints);
    int ended = ENDED_WELL;
    for (size_t c = 0; c < classes && ended == ENDED_WELL; c++) {
        ended = worksheet_log_joint(r, c, &log_joints[c]);
        if (ended == ENDED_WELL) ended = print_class(out, r, c, log_joints[c]);
    }
    if (ended == ENDED_WELL) {
        print_evidence(out, r, log_joints);
        if (r->answer->decision >= 0) print_posterior(out, r, log_joints);
        print_decision(out, r);
        if (r->paired) ended = print_weights(out, r);
    }
    free(log_joints);
    return ended;
}
