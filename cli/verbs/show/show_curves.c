/* SPDX-License-Identifier: MIT */
/* show_curves.c - see show_curves.h. */
#include "verbs/show/show_curves.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>

static void report_list(report *r, const char *key, const double *values, size_t count) {
    report_short_array(r, key);
    for (size_t i = 0; i < count; i++) report_number(r, NULL, values[i]);
    report_end(r);
}

/* ---- Densities ---- */

/* Reports the cut points, and the class predicted in each region between them. */
static void report_regions(report *r, const attribute_view *v, const crd_density_curves *curves) {
    size_t count = 0;
    const crd_decision_region *regions = crd_density_curves_regions(curves, &count);
    report_table *t = report_add_table(r, "regions");
    t->is_short = true;
    column_add(t, "from", NULL);
    column_add(t, "to", NULL);
    column_add(t, "class", NULL);
    for (size_t i = 0; i < count; i++) {
        cell_number(t, regions[i].from);
        cell_number(t, regions[i].to);
        cell_name(t, crd_classifier_class(v->classifier, regions[i].class_index));
    }
    report_short_array(r, "cut_points");
    for (size_t i = 1; i < count; i++) report_number(r, NULL, regions[i].from);
    report_end(r);
}

/* Reports the densities of a numeric attribute at CURVE_POINTS points of an axis, and the decision regions. */
int curves_report(report *r, const attribute_view *v) {
    crd_density_curves *curves = NULL;
    crd_error error;
    size_t count = 0;
    crd_status status = crd_density_curves_create(v->classifier, v->attribute, CURVE_POINTS, &curves, &error);
    if (status == CRD_ERROR_EMPTY) return ENDED_WELL;
    if (status != CRD_OK) return message_error(&error);
    const double *x = crd_density_curves_x(curves, &count);
    report_object(r, "curves");
    report_boolean(r, "discrete", crd_density_curves_is_discrete(curves) != 0);
    report_list(r, "x", x, count);
    report_object(r, "densities");
    for (size_t i = 0; i < v->class_count; i++) {
        const double *y = crd_density_curves_of(curves, v->classes[i]);
        report_array_named(r, crd_classifier_class(v->classifier, v->classes[i]));
        for (size_t k = 0; k < count; k++) report_number(r, NULL, y[k]);
        report_end(r);
    }
    report_end(r);
    report_regions(r, v, curves);
    report_end(r);
    crd_density_curves_destroy(curves);
    return ENDED_WELL;
}

/* ---- Nomograms ---- */

/* Reports the points of each value of a categorical attribute. */
static void report_categories(report *r, const crd_classifier *classifier, const crd_nomogram_scale *scale,
                              size_t class_index, size_t against) {
    report_table *t = report_add_table(r, "values");
    t->is_short = true;
    column_add(t, "value", NULL);
    column_add(t, "weight", NULL);
    column_add(t, "points", NULL);
    column_add(t, "rules_out", NULL);
    for (size_t i = 0; i < scale->count; i++) {
        cell_name(t, scale->names[i]);
        cell_number(t, scale->weights[i]);
        cell_number(t, scale->points[i]);
        if (isfinite(scale->weights[i])) cell_absent(t, NULL);
        else cell_name(t, crd_classifier_class(classifier, scale->weights[i] < 0 ? class_index : against));
    }
}

/* Reports the sums of points at which the probability is a round number. */
static void report_probabilities(report *r, const crd_nomogram *nomogram) {
    static const double PROBABILITIES[] = {0.001, 0.01, 0.05, 0.1, 0.2,  0.3,  0.4,  0.5,
                                           0.6,   0.7,  0.8,  0.9, 0.95, 0.99, 0.999};
    report_table *t = report_add_table(r, "probabilities");
    t->is_short = true;
    column_add(t, "probability", NULL);
    column_add(t, "points", NULL);
    for (size_t i = 0; i < sizeof PROBABILITIES / sizeof *PROBABILITIES; i++) {
        cell_number(t, PROBABILITIES[i]);
        cell_number(t, crd_nomogram_points(nomogram, PROBABILITIES[i]));
    }
}

/* Reports the scale of each attribute in a nomogram. */
static int report_scales(report *r, const crd_classifier *classifier, const crd_nomogram *nomogram, size_t class_index,
                         size_t against) {
    report_array(r, "scales");
    for (size_t i = 0; i < crd_nomogram_count(nomogram); i++) {
        crd_nomogram_scale scale = CRD_NOMOGRAM_SCALE_INIT;
        crd_error error;
        if (crd_nomogram_scale_at(nomogram, i, &scale, &error) != CRD_OK) return message_error(&error);
        report_object(r, NULL);
        report_text(r, "attribute", crd_classifier_attribute(classifier, scale.attribute));
        report_number(r, "missing", scale.missing);
        if (scale.names != NULL) {
            report_categories(r, classifier, &scale, class_index, against);
        } else {
            report_list(r, "x", scale.x, scale.count);
            report_list(r, "weights", scale.weights, scale.count);
            report_list(r, "points", scale.points, scale.count);
        }
        report_end(r);
    }
    report_end(r);
    return ENDED_WELL;
}

static int report_nomogram(report *r, const crd_classifier *classifier, const crd_nomogram *nomogram,
                           size_t class_index, size_t against) {
    report_object(r, NULL);
    report_text(r, "class", crd_classifier_class(classifier, class_index));
    report_text(r, "against", crd_classifier_class(classifier, against));
    report_number(r, "prior_log_odds", crd_nomogram_prior(nomogram));
    report_number(r, "log_odds_at_zero", crd_nomogram_base(nomogram));
    report_number(r, "nats_per_point", crd_nomogram_unit(nomogram));
    report_number(r, "most_points", crd_nomogram_most(nomogram));
    int ended = report_scales(r, classifier, nomogram, class_index, against);
    if (ended == ENDED_WELL) report_probabilities(r, nomogram);
    report_end(r);
    return ended;
}

size_t nomogram_reference(const crd_classifier *classifier) {
    size_t classes = crd_classifier_class_count(classifier), best = 0;
    double most = -INFINITY;
    if (classes == 2) return 0;
    for (size_t c = 0; c < classes; c++) {
        crd_term prior = CRD_TERM_INIT;
        if (crd_classifier_prior(classifier, c, &prior, NULL) != CRD_OK || !(prior.log_value > most)) continue;
        best = c;
        most = prior.log_value;
    }
    return best;
}

/* Reports a nomogram for each class except the reference class. Classes without a nomogram are skipped. */
int nomograms_report(report *r, const crd_classifier *classifier) {
    size_t against = nomogram_reference(classifier);
    int ended = ENDED_WELL;
    report_array(r, "nomograms");
    for (size_t c = 0; c < crd_classifier_class_count(classifier) && ended == ENDED_WELL; c++) {
        crd_nomogram *nomogram = NULL;
        crd_error error;
        if (c == against) continue;
        crd_status status = crd_nomogram_create(classifier, c, against, CURVE_POINTS, &nomogram, &error);
        if (status == CRD_ERROR_COLUMN) continue;
        if (status != CRD_OK) return message_error(&error);
        ended = report_nomogram(r, classifier, nomogram, c, against);
        crd_nomogram_destroy(nomogram);
    }
    report_end(r);
    return ended;
}
