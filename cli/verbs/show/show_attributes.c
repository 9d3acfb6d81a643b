/* SPDX-License-Identifier: MIT */
/* show_attributes.c - see show_attributes.h. */
#include "verbs/show/show_attributes.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "describe/term_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More than these are shown with --all only. */
enum { VALUES_SHOWN = 20, VALUES_RANKED = 6 };

void attribute_add_term(report_table *t, const crd_term *term) {
    string text = {0};
    term_text_add(&text, term);
    const char *fraction = report_take(t->report, &text);
    if (term_text_counts(term)) {
        cell_fraction(t, term->log_value, fraction);
        return;
    }
    cell_null(t);
    cell_show_as(t, fraction);
}

/* ---- Categories ---- */

typedef struct ranked_value {
    crd_text text;
    double probability;
} ranked_value;

static int by_probability(const void *a, const void *b) {
    const ranked_value *x = a, *y = b;
    if (x->probability != y->probability) return x->probability > y->probability ? -1 : 1;
    const size_t length = x->text.length < y->text.length ? x->text.length : y->text.length;
    const int order = memcmp(x->text.bytes, y->text.bytes, length);
    return order != 0 ? order : (x->text.length > y->text.length) - (x->text.length < y->text.length);
}

/* A line for each class, with its most probable values. */
static int report_most_probable(report *r, const attribute_view *v) {
    size_t count = crd_summary_value_count(v->summary, v->attribute);
    ranked_value *values = memory_resize(NULL, count, sizeof *values);
    char room[ROUNDED_ROOM];
    crd_error error;
    int ended = ENDED_WELL;
    report_table *t = report_add_table(r, NULL);
    column_add(t, NULL, "");
    column_add_left(t, NULL, report_format(r, "most probable of %zu values", count));
    for (size_t c = 0; c < crd_summary_class_count(v->summary) && ended == ENDED_WELL; c++) {
        string line = {0};
        for (size_t i = 0; i < count && ended == ENDED_WELL; i++) {
            crd_value value = {CRD_KIND_CATEGORY, 0, crd_summary_value(v->summary, v->attribute, i)};
            crd_term term = CRD_TERM_INIT;
            if (crd_classifier_term(v->classifier, v->attribute, c, &value, &term, &error) != CRD_OK)
                ended = message_error(&error);
            values[i] = (ranked_value){value.text, crd_exp(term.log_value)};
        }
        qsort(values, count, sizeof *values, by_probability);
        for (size_t i = 0; i < count && i < VALUES_RANKED; i++)
            string_format(&line, "%s%s %s", i == 0 ? "" : ", ", report_shown(r, values[i].text),
                          output_round(values[i].probability, room));
        cell_name(t, crd_summary_class(v->summary, c));
        cell_words(t, report_take(r, &line));
    }
    free(values);
    return ended;
}

static int report_values(report *r, const attribute_view *v) {
    size_t count = crd_summary_value_count(v->summary, v->attribute);
    report_table *t = report_add_table(r, "values");
    t->is_wrapped = true;
    if (!v->all) t->rows_shown = VALUES_SHOWN;
    bool ranks = v->ranks_values && count > t->rows_shown;
    t->is_hidden = ranks;
    column_add(t, "value", "");
    column_group(t, "probability");
    for (size_t c = 0; c < crd_summary_class_count(v->summary); c++)
        column_add_named(t, crd_summary_class(v->summary, c));
    for (size_t i = 0; i < count; i++) {
        crd_value value = {CRD_KIND_CATEGORY, 0, crd_summary_value(v->summary, v->attribute, i)};
        cell_name(t, value.text);
        for (size_t c = 0; c < crd_summary_class_count(v->summary); c++) {
            crd_term term = CRD_TERM_INIT;
            crd_error error;
            if (crd_classifier_term(v->classifier, v->attribute, c, &value, &term, &error) != CRD_OK)
                return message_error(&error);
            attribute_add_term(t, &term);
        }
    }
    if (ranks) return report_most_probable(r, v);
    if (count > t->rows_shown) report_remark(r, "and %zu more (--all)", count - t->rows_shown);
    return ENDED_WELL;
}

/* ---- Numbers ---- */

/* The families that auto chose from; nothing where the family was not chosen so. */
static void report_candidates(report *r, const attribute_view *v) {
    crd_candidate candidate = CRD_CANDIDATE_INIT;
    if (!crd_classifier_candidate(v->classifier, v->attribute, 0, &candidate)) return;
    report_table *t = report_add_table(r, "candidates");
    column_add(t, "family", "family");
    column_add_left(t, "left_out", NULL);
    column_add(t, "score", "score");
    column_add(t, "standard_error", "error");
    column_add_left(t, NULL, "");
    for (size_t i = 0; crd_classifier_candidate(v->classifier, v->attribute, i, &candidate); i++) {
        bool is_left_out = candidate.left_out != NULL;
        cell_words(t, candidate.family);
        if (is_left_out) {
            cell_words(t, candidate.left_out);
            cell_absent(t, "-");
            cell_absent(t, "-");
        } else {
            cell_absent(t, NULL);
            cell_number(t, candidate.score);
            cell_number(t, candidate.standard_error);
        }
        cell_words(t, is_left_out ? candidate.left_out : candidate.is_chosen ? "chosen" : "");
    }
}

/* The parameters of a class's density that are not its mean or deviation anyway. */
typedef struct parameters {
    crd_term_parameter items[CRD_TERM_PARAMETERS];
    size_t count;
    bool is_known;
    double mean, deviation;
} parameters;

static parameters read_parameters(const attribute_view *v, size_t class_index) {
    parameters p = {.count = 0};
    size_t count = 0;
    p.is_known =
        crd_classifier_moments(v->classifier, v->attribute, class_index, &p.mean, &p.deviation, NULL) == CRD_OK &&
        crd_classifier_parameters(v->classifier, v->attribute, class_index, p.items, &count, NULL) == CRD_OK;
    for (size_t i = 0; p.is_known && i < count; i++) {
        if (strcmp(p.items[i].name, "mean") == 0 || strcmp(p.items[i].name, "deviation") == 0) continue;
        p.items[p.count++] = p.items[i];
    }
    return p;
}

static const crd_term_parameter *find_parameter(const parameters *p, const char *name) {
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->items[i].name, name) == 0) return &p->items[i];
    return NULL;
}

/* Columns for whatever some class has. */
static void add_parameter_columns(report_table *t, const parameters *p) {
    for (size_t i = 0; i < p->count; i++) {
        bool is_there = false;
        for (size_t c = 0; c < t->column_count; c++)
            is_there = is_there || strcmp(t->columns[c].key, p->items[i].name) == 0;
        if (!is_there) column_add(t, p->items[i].name, p->items[i].name);
    }
}

/* Of a class without cells there is none. */
static void add_sample_number(report_table *t, double number) {
    if (isfinite(number)) cell_number(t, number);
    else cell_absent(t, "-");
}

/* Whether a density has other moments than the cells, since its parameters are smoothed or those of another family. */
static bool differs(double estimate, double of_sample) {
    return !(fabs(estimate - of_sample) <= 1e-12 * fabs(of_sample));
}

static void report_densities(report *r, const attribute_view *v) {
    enum { FIXED = 6 }; /* columns before the parameters */
    size_t classes = crd_summary_class_count(v->summary);
    parameters *all = memory_resize(NULL, classes, sizeof *all);
    report_table *t = report_add_table(r, "densities");
    t->is_wrapped = t->is_transposed = true;
    bool is_mean_smoothed = false, is_deviation_smoothed = false;
    /* Of other families than the normal the moments follow from other parameters. */
    crd_family family = CRD_FAMILY_INIT;
    bool is_normal =
        crd_classifier_family(v->classifier, v->attribute, &family) && strcmp(family.name, "gaussian") == 0;
    const char *label = is_normal ? "smoothed" : "estimate";
    for (size_t c = 0; c < classes; c++) {
        crd_moments cells = crd_summary_moments(v->summary, v->attribute, c);
        all[c] = read_parameters(v, c);
        if (!all[c].is_known) continue;
        is_mean_smoothed = is_mean_smoothed || differs(all[c].mean, cells.mean);
        is_deviation_smoothed = is_deviation_smoothed || (differs(all[c].deviation, sqrt(cells.variance)) &&
                                                          differs(all[c].deviation, sqrt(cells.sample_variance)));
    }
    column_add(t, "class", "");
    column_add(t, "rows", "rows");
    column_add(t, "mean", is_mean_smoothed ? report_format(r, "mean (%s)", label) : "mean");
    column_add(t, "deviation", is_deviation_smoothed ? report_format(r, "deviation (%s)", label) : "deviation");
    column_add(t, "sample_mean", is_mean_smoothed ? "sample mean" : NULL);
    column_add(t, "sample_deviation", is_deviation_smoothed ? "sample deviation" : NULL);
    for (size_t c = 0; c < classes; c++) add_parameter_columns(t, &all[c]);
    for (size_t c = 0; c < classes; c++) {
        char room[ROUNDED_ROOM];
        const parameters *p = &all[c];
        cell_name(t, crd_summary_class(v->summary, c));
        cell_count(t, crd_summary_present(v->summary, v->attribute, c));
        if (p->is_known) {
            cell_number(t, p->mean);
            cell_number(t, p->deviation);
        } else {
            /* No spread, so no density; where the cells are is known all the same. */
            cell_absent(t, output_round(crd_summary_moments(v->summary, v->attribute, c).mean, room));
            cell_absent(t, "-");
        }
        add_sample_number(t, crd_summary_moments(v->summary, v->attribute, c).mean);
        add_sample_number(t, sqrt(crd_summary_moments(v->summary, v->attribute, c).sample_variance));
        for (size_t i = FIXED; i < t->column_count; i++) {
            const crd_term_parameter *found = find_parameter(p, t->columns[i].key);
            if (found == NULL) cell_absent(t, "-");
            else cell_number(t, found->value);
        }
    }
    free(all);
}

/* ---- Curves ---- */

/* 0 where there is none. A discrete one is drawn by steps from number to number. */
static double density_at(void *user, size_t class_index, double x) {
    const attribute_view *v = user;
    crd_family family = CRD_FAMILY_INIT;
    bool is_discrete = crd_classifier_family(v->classifier, v->attribute, &family) && family.is_discrete;
    crd_value value = {CRD_KIND_NUMBER, is_discrete ? round(x) : x, {NULL, 0}};
    crd_term term = CRD_TERM_INIT;
    crd_status status = crd_classifier_term(v->classifier, v->attribute, class_index, &value, &term, NULL);
    return status == CRD_OK && term.form == CRD_TERM_DENSITY ? crd_exp(term.log_value) : 0;
}

static crd_text class_name(void *user, size_t class_index) {
    const attribute_view *v = user;
    return crd_classifier_class(v->classifier, class_index);
}

static void report_curves_of(report *r, const attribute_view *v) {
    /* How much of a density lies to either side of what is drawn: of a normal one what is further than 3 standard
     * deviations off. */
    static const double LEFT_OUT = 0.0013498980316300933;
    report_curves curves = {.from = INFINITY,
                            .to = -INFINITY,
                            .count = crd_classifier_class_count(v->classifier),
                            .is_always = v->plots,
                            .user = (void *)(uintptr_t)v,
                            .height = density_at,
                            .name = class_name};
    for (size_t c = 0; c < curves.count; c++) {
        double low = 0, high = 0;
        if (crd_classifier_quantile(v->classifier, v->attribute, c, LEFT_OUT, &low, NULL) != CRD_OK ||
            crd_classifier_quantile(v->classifier, v->attribute, c, 1 - LEFT_OUT, &high, NULL) != CRD_OK)
            continue;
        if (!isfinite(high - low)) continue;
        curves.from = fmin(curves.from, low);
        curves.to = fmax(curves.to, high);
    }
    if (curves.to > curves.from) report_add_curves(r, &curves);
}

/* ---- Cut points ---- */

/* All of them; *out is the caller's. */
static int find_cuts(const attribute_view *v, crd_cut_point **out, size_t *count) {
    crd_error error;
    size_t room = 0;
    *out = NULL;
    do {
        room = *count = room == 0 ? 16 : *count;
        *out = memory_resize(*out, room, sizeof **out);
        if (crd_classifier_cut_points(v->classifier, v->attribute, *out, room, count, &error) != CRD_OK) {
            free(*out);
            *out = NULL;
            return message_error(&error);
        }
    } while (*count > room);
    return ENDED_WELL;
}

/* The class decided for in each interval: for people a row more than there are points. */
static void report_intervals(report *r, const attribute_view *v, const crd_cut_point *cuts, size_t count) {
    char low[ROUNDED_ROOM], high[ROUNDED_ROOM];
    const char *name = report_shown(r, crd_classifier_attribute(v->classifier, v->attribute));
    report_heading(r, 2, report_format(r, "Decision by %s alone", name), "");
    if (count == 0) {
        report_remark(r, "the same class everywhere");
        return;
    }
    report_table *t = report_add_table(r, NULL);
    t->is_headed = false;
    column_add(t, NULL, "");
    column_add_left(t, NULL, "");
    for (size_t i = 0; i <= count; i++) {
        if (i == 0) cell_format(t, "below %s", output_round(cuts[i].at, high));
        else if (i == count) cell_format(t, "above %s", output_round(cuts[i - 1].at, low));
        else cell_format(t, "%s to %s", output_round(cuts[i - 1].at, low), output_round(cuts[i].at, high));
        cell_name(t, crd_classifier_class(v->classifier, i < count ? cuts[i].below : cuts[i - 1].above));
    }
}

/* Of families whose curves cross anywhere the points are not known, and there is nothing. */
static int report_cuts(report *r, const attribute_view *v) {
    crd_cut_point *cuts = NULL;
    size_t count = 0;
    if (crd_classifier_cut_points(v->classifier, v->attribute, NULL, 0, &count, NULL) == CRD_ERROR_COLUMN)
        return ENDED_WELL;
    int ended = find_cuts(v, &cuts, &count);
    if (ended != ENDED_WELL) return ended;
    report_table *t = report_add_table(r, "cuts");
    column_add(t, "at", NULL);
    column_add(t, "below", NULL);
    column_add(t, "above", NULL);
    for (size_t i = 0; i < count; i++) {
        cell_number(t, cuts[i].at);
        cell_name(t, crd_classifier_class(v->classifier, cuts[i].below));
        cell_name(t, crd_classifier_class(v->classifier, cuts[i].above));
    }
    if (v->is_single) report_intervals(r, v, cuts, count);
    free(cuts);
    return ENDED_WELL;
}

/* ---- The attribute ---- */

static const char *power(report *r, double weight) {
    char room[ROUNDED_ROOM];
    if (weight == 0) return ", weight 0: left out";
    return weight == 1 ? "" : report_format(r, ", weight %s", output_round(weight, room));
}

int attribute_report(report *r, const attribute_view *v) {
    crd_kind kind = crd_summary_kind(v->summary, v->attribute);
    crd_text name = crd_summary_attribute(v->summary, v->attribute);
    crd_family of = CRD_FAMILY_INIT;
    const char *family = crd_classifier_family(v->classifier, v->attribute, &of) ? of.name : "";
    double weight = crd_classifier_attribute_weight(v->classifier, v->attribute);
    bool is_alone = crd_classifier_is_joint(v->classifier, v->attribute) == 0;
    int ended = ENDED_WELL;
    const char *rest =
        report_format(r, " (%s%s%s", family, power(r, weight), is_alone ? ")" : " by itself): in a joint density");
    report_heading(r, 2, report_shown(r, name), kind == CRD_KIND_NONE ? ": no cell was ever present" : rest);
    report_object(r, NULL);
    report_text(r, "attribute", name);
    report_words(r, "family", family);
    if (weight != 1) report_number(r, "exponent", weight);
    if (kind == CRD_KIND_NUMBER) {
        bool has_candidates =
            crd_classifier_candidate(v->classifier, v->attribute, 0, &(crd_candidate)CRD_CANDIDATE_INIT);
        report_densities(r, v);
        if (has_candidates) report_empty_line(r);
        report_candidates(r, v);
        report_curves_of(r, v);
        ended = report_cuts(r, v);
    } else if (kind == CRD_KIND_CATEGORY && is_alone) {
        /* Of those taken together with others the terms alone are none of the classifier's. */
        ended = report_values(r, v);
    }
    report_end(r);
    return ended;
}
