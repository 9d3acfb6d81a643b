/* SPDX-License-Identifier: MIT */
/* show_attributes.c - see show_attributes.h. */
#include "verbs/show/show_attributes.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "verbs/show/show_curves.h"
#include "verbs/show/show_pictures.h"
#include "verbs/show/show_texts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers ---- */

/* Reports the families from which --family auto chose, with their scores. Reports nothing if the family was not
 * chosen by auto. */
static void show_attributes_report_candidates(crd_result *r, const attribute_view *v) {
    crd_candidate candidate = CRD_CANDIDATE_INIT;
    if (!crd_classifier_candidate(v->classifier, v->attribute, 0, &candidate)) return;
    crd_result_table *t = crd_result_add_table(r, "candidates");
    crd_result_add_column(t, "family", "family");
    crd_result_add_column(t, "left_out", NULL)->is_left = true;
    crd_result_add_column(t, "score", "score");
    crd_result_add_column(t, "standard_error", "error");
    crd_result_add_column(t, NULL, "")->is_left = true;
    for (size_t i = 0; crd_classifier_candidate(v->classifier, v->attribute, i, &candidate); i++) {
        bool is_left_out = candidate.left_out != NULL;
        crd_cell_words(t, candidate.family);
        if (is_left_out) {
            crd_cell_words(t, candidate.left_out);
            crd_cell_absent(t, "-");
            crd_cell_absent(t, "-");
        } else {
            crd_cell_absent(t, NULL);
            crd_cell_number(t, candidate.score);
            crd_cell_number(t, candidate.standard_error);
        }
        crd_cell_words(t, is_left_out ? candidate.left_out : candidate.is_chosen ? "chosen" : "");
    }
}

/* The parameters of a class's density other than its mean and standard deviation. */
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
        if (strcmp(p.items[i].name, "mean") == 0 || strcmp(p.items[i].name, "sd") == 0) continue;
        p.items[p.count++] = p.items[i];
    }
    return p;
}

static const crd_term_parameter *show_attributes_find_parameter(const parameters *p, const char *name) {
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->items[i].name, name) == 0) return &p->items[i];
    return NULL;
}

/* Adds a column for each parameter that some class has. */
static void add_parameter_columns(crd_result_table *t, const parameters *p) {
    for (size_t i = 0; i < p->count; i++) {
        bool is_there = false;
        for (size_t c = 0; c < t->column_count; c++)
            is_there = is_there || strcmp(t->columns[c].key, p->items[i].name) == 0;
        if (!is_there) crd_result_add_column(t, p->items[i].name, p->items[i].name);
    }
}

/* Adds a number about the training values of a class. It is absent if the class has no values. */
static void add_sample_number(crd_result_table *t, double number) {
    if (isfinite(number)) crd_cell_number(t, number);
    else crd_cell_absent(t, "-");
}

/* Returns whether a moment of the density differs from the moment of the values. It does if parameters are smoothed,
 * or if the family has other parameters. */
static bool show_attributes_differs(double estimate, double of_sample) {
    return !(fabs(estimate - of_sample) <= 1e-12 * fabs(of_sample));
}

/* Reports the density of each class: mean, standard deviation, parameters, and the moments of the values if they
 * differ. */
static void report_densities(crd_result *r, const attribute_view *v) {
    enum { FIXED = 6 }; /* number of columns before the parameters */
    size_t classes = v->class_count;
    parameters *all = memory_resize(NULL, classes, sizeof *all);
    crd_result_table *t = crd_result_add_table(r, "densities");
    t->is_wrapped = t->is_transposed = true;
    bool is_mean_smoothed = false, is_deviation_smoothed = false;
    /* In families other than the normal, the moments follow from other parameters. */
    crd_family family = CRD_FAMILY_INIT;
    bool is_normal =
        crd_classifier_family(v->classifier, v->attribute, &family) && strcmp(family.name, "gaussian") == 0;
    /* Without smoothing, a normal density still differs from its class if variances are pooled or bounded. */
    const bool is_smoothed = strcmp(crd_settings_get(crd_classifier_settings(v->classifier), "smoothing"), "none") != 0;
    const char *label = is_normal && is_smoothed ? "smoothed" : "estimate";
    for (size_t c = 0; c < classes; c++) {
        crd_moments cells = crd_summary_moments(v->summary, v->attribute, v->classes[c]);
        all[c] = read_parameters(v, v->classes[c]);
        if (!all[c].is_known) continue;
        is_mean_smoothed = is_mean_smoothed || show_attributes_differs(all[c].mean, cells.mean);
        is_deviation_smoothed =
            is_deviation_smoothed || (show_attributes_differs(all[c].deviation, sqrt(cells.variance)) &&
                                      show_attributes_differs(all[c].deviation, sqrt(cells.sample_variance)));
    }
    crd_result_add_column(t, "class", "");
    crd_result_add_column(t, "rows", "rows");
    crd_result_add_column(t, "mean", is_mean_smoothed ? crd_result_format(r, "mean (%s)", label) : "mean");
    crd_result_add_column(t, "sd", is_deviation_smoothed ? crd_result_format(r, "sd (%s)", label) : "sd");
    crd_result_add_column(t, "sample_mean", is_mean_smoothed ? "sample mean" : NULL);
    crd_result_add_column(t, "sample_sd", is_deviation_smoothed ? "sample sd" : NULL);
    for (size_t c = 0; c < classes; c++) add_parameter_columns(t, &all[c]);
    for (size_t c = 0; c < classes; c++) {
        char buffer[CRD_NUMBER_ROOM];
        const parameters *p = &all[c];
        crd_moments cells = crd_summary_moments(v->summary, v->attribute, v->classes[c]);
        crd_cell_name(t, v->summary->classes[v->classes[c]].name);
        crd_cell_count(t, crd_summary_present(v->summary, v->attribute, v->classes[c]));
        if (p->is_known) {
            crd_cell_number(t, p->mean);
            crd_cell_number(t, p->deviation);
        } else {
            /* A class without spread has no density, but the place of its values is known. */
            crd_cell_absent(t, crd_number_round(cells.mean, buffer));
            crd_cell_absent(t, "-");
        }
        add_sample_number(t, cells.mean);
        add_sample_number(t, sqrt(cells.sample_variance));
        for (size_t i = FIXED; i < t->column_count; i++) {
            const crd_term_parameter *parameter = show_attributes_find_parameter(p, t->columns[i].key);
            if (parameter == NULL) crd_cell_absent(t, "-");
            else crd_cell_number(t, parameter->value);
        }
    }
    free(all);
}

/* ---- Curves ---- */

/* Returns the density at x, or 0 if the class has none. A discrete density is drawn in steps from number to number. */
static double show_attributes_density(void *user, size_t line, double x) {
    const attribute_view *v = user;
    crd_family family = CRD_FAMILY_INIT;
    bool is_discrete = crd_classifier_family(v->classifier, v->attribute, &family) && family.is_discrete;
    crd_value value = {CRD_TYPE_NUMERIC, is_discrete ? round(x) : x, {NULL, 0}};
    crd_term term = CRD_TERM_INIT;
    crd_status status = crd_classifier_term(v->classifier, v->attribute, v->classes[line], &value, &term, NULL);
    return status == CRD_OK && term.form == CRD_TERM_DENSITY ? crd_exp(term.log_value) : 0;
}

static crd_text class_name(void *user, size_t line) {
    const attribute_view *v = user;
    return crd_classifier_class(v->classifier, v->classes[line]);
}

/* Reports the bins of a histogram, or the components of a mixture, of each class. The report for people has them
 * only for a single attribute, if there is space. */
static void show_attributes_report_components(crd_result *r, const attribute_view *v) {
    crd_density_component part = CRD_DENSITY_COMPONENT_INIT;
    if (!crd_classifier_component(v->classifier, v->attribute, v->classes[0], 0, &part)) return;
    const bool is_bin = !isnan(part.from);
    crd_result_hide(r, !v->is_single);
    crd_result_heading(r, 3, is_bin ? "Bins" : "Components", "");
    crd_result_table *t = crd_result_add_table(r, is_bin ? "bins" : "components");
    crd_result_add_column(t, "class", "class")->is_left = true;
    crd_result_add_column(t, is_bin ? "from" : "weight", is_bin ? "from" : "weight");
    crd_result_add_column(t, is_bin ? "to" : "mean", is_bin ? "to" : "mean");
    crd_result_add_column(t, is_bin ? "probability" : "sd", is_bin ? "probability" : "sd");
    if (is_bin) crd_result_add_column(t, "density", "density");
    for (size_t c = 0; c < v->class_count; c++)
        for (size_t i = 0; crd_classifier_component(v->classifier, v->attribute, v->classes[c], i, &part); i++) {
            crd_cell_name(t, v->summary->classes[v->classes[c]].name);
            crd_cell_number(t, is_bin ? part.from : part.weight);
            crd_cell_number(t, is_bin ? part.to : part.mean);
            crd_cell_number(t, is_bin ? part.weight : part.sd);
            if (is_bin)
                crd_cell_number(t, show_attributes_density((void *)(uintptr_t)v, c, part.from / 2 + part.to / 2));
        }
    crd_result_hide(r, false);
}

/* Draws the densities of all classes in characters, over the range that contains nearly all of each. */
static void report_curves_of(crd_result *r, const attribute_view *v) {
    /* The probability on either side of the drawn range. For a normal density this is the probability beyond 3
     * standard deviations. */
    static const double LEFT_OUT = 0.0013498980316300933;
    crd_result_curves curves = {.lower = INFINITY,
                                .upper = -INFINITY,
                                .count = v->class_count,
                                .is_always = v->plots,
                                .user = (void *)(uintptr_t)v,
                                .height = show_attributes_density,
                                .name = class_name};
    for (size_t c = 0; c < curves.count; c++) {
        double low = 0, high = 0;
        if (crd_classifier_quantile(v->classifier, v->attribute, v->classes[c], LEFT_OUT, &low, NULL) != CRD_OK ||
            crd_classifier_quantile(v->classifier, v->attribute, v->classes[c], 1 - LEFT_OUT, &high, NULL) != CRD_OK)
            continue;
        if (!isfinite(high - low)) continue;
        curves.lower = fmin(curves.lower, low);
        curves.upper = fmax(curves.upper, high);
    }
    if (curves.upper > curves.lower) crd_result_add_curves(r, &curves);
}

/* ---- Cut points ---- */

/* Finds all cut points of the attribute. The caller frees *out. */
static int find_cuts(const attribute_view *v, crd_cut_point **out, size_t *count) {
    crd_error error;
    size_t capacity = 0;
    *out = NULL;
    do {
        capacity = *count = capacity == 0 ? 16 : *count;
        *out = memory_resize(*out, capacity, sizeof **out);
        if (crd_classifier_cut_points(v->classifier, v->attribute, *out, capacity, count, &error) != CRD_OK) {
            free(*out);
            *out = NULL;
            return message_error(&error);
        }
    } while (*count > capacity);
    return ENDED_WELL;
}

/* Reports the predicted class of each interval between cut points. There is one interval more than there are points. */
static void show_attributes_report_intervals(crd_result *r, const attribute_view *v, const crd_cut_point *cuts,
                                             size_t count) {
    char low[CRD_NUMBER_ROOM], high[CRD_NUMBER_ROOM];
    const char *name = crd_result_show(r, crd_classifier_attribute(v->classifier, v->attribute));
    crd_result_heading(r, 2, crd_result_format(r, "Decision by %s only", name), "");
    if (count == 0) {
        crd_result_line(r, CRD_REMARK, "the same class everywhere");
        return;
    }
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_headed = false;
    crd_result_add_column(t, NULL, "");
    crd_result_add_column(t, NULL, "")->is_left = true;
    for (size_t i = 0; i <= count; i++) {
        if (i == 0) crd_cell_format(t, "below %s", crd_number_round(cuts[i].at, high));
        else if (i == count) crd_cell_format(t, "above %s", crd_number_round(cuts[i - 1].at, low));
        else crd_cell_format(t, "%s to %s", crd_number_round(cuts[i - 1].at, low), crd_number_round(cuts[i].at, high));
        crd_cell_name(t, crd_classifier_class(v->classifier, i < count ? cuts[i].below : cuts[i - 1].above));
    }
}

/* Reports the cut points, at which the decision by this attribute only changes. Reports nothing for families whose
 * curves may cross anywhere, because their cut points are unknown. */
static int report_cuts(crd_result *r, const attribute_view *v) {
    crd_cut_point *cuts = NULL;
    size_t count = 0;
    if (crd_classifier_cut_points(v->classifier, v->attribute, NULL, 0, &count, NULL) == CRD_ERROR_COLUMN)
        return ENDED_WELL;
    int ended = find_cuts(v, &cuts, &count);
    if (ended != ENDED_WELL) return ended;
    crd_result_table *t = crd_result_add_table(r, "cuts");
    crd_result_add_column(t, "at", NULL);
    crd_result_add_column(t, "below", NULL);
    crd_result_add_column(t, "above", NULL);
    for (size_t i = 0; i < count; i++) {
        crd_cell_number(t, cuts[i].at);
        crd_cell_name(t, crd_classifier_class(v->classifier, cuts[i].below));
        crd_cell_name(t, crd_classifier_class(v->classifier, cuts[i].above));
    }
    if (v->is_single) show_attributes_report_intervals(r, v, cuts, count);
    free(cuts);
    return ENDED_WELL;
}

/* ---- The attribute ---- */

static const char *show_attributes_power(crd_result *r, double weight) {
    char buffer[CRD_NUMBER_ROOM];
    if (weight == 0) return ", weight 0: not used";
    return weight == 1 ? "" : crd_result_format(r, ", weight %s", crd_number_round(weight, buffer));
}

/* Reports an attribute by its type: a text, a category or a number. For an attribute without values only the heading
 * is reported. */
int attribute_report(crd_result *r, const attribute_view *v) {
    crd_column_type type = v->summary->attributes[v->attribute].type;
    crd_text name = v->summary->attributes[v->attribute].name;
    crd_family source_family = CRD_FAMILY_INIT;
    const char *family = crd_classifier_family(v->classifier, v->attribute, &source_family) ? source_family.name : "";
    double weight = crd_classifier_attribute_weight(v->classifier, v->attribute);
    bool is_alone = crd_classifier_is_joint(v->classifier, v->attribute) == 0;
    int ended = ENDED_WELL;
    const char *remainder = crd_result_format(r, " (%s%s%s", family, show_attributes_power(r, weight),
                                              is_alone ? ")" : ", marginal): part of a joint density");
    crd_result_heading(r, 2, crd_result_show(r, name), type == CRD_TYPE_NONE ? ": it has no values" : remainder);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_text(r, "attribute", name);
    crd_result_words(r, "family", family);
    if (weight != 1) crd_result_number(r, "attribute_weight", weight);
    if (type == CRD_TYPE_NUMERIC) {
        bool has_candidates =
            crd_classifier_candidate(v->classifier, v->attribute, 0, &(crd_candidate)CRD_CANDIDATE_INIT);
        report_densities(r, v);
        show_attributes_report_components(r, v);
        if (has_candidates) crd_result_prose(r, CRD_EMPTY_LINE, 0, "", "", "");
        show_attributes_report_candidates(r, v);
        report_curves_of(r, v);
        ended = report_cuts(r, v);
        if (ended == ENDED_WELL && v->curves) ended = curves_report(r, v);
    } else if (type == CRD_TYPE_CATEGORICAL && is_alone) {
        /* If attributes are combined, their separate terms are not terms of the classifier. */
        ended = values_report(r, v);
    } else if (type == CRD_TYPE_TEXT) {
        ended = texts_report(r, v);
    }
    if (ended == ENDED_WELL && (type == CRD_TYPE_NUMERIC || is_alone)) ended = picture_attribute(r, v);
    crd_result_end(r);
    return ended;
}
