/* SPDX-License-Identifier: MIT */
/* show_curves.c - see show_curves.h. */
#include "verbs/show/show_curves.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>

static void report_list(crd_result *r, const char *key, const double *values, size_t count) {
    crd_result_begin(r, CRD_SHORT_ARRAY, key);
    for (size_t i = 0; i < count; i++) crd_result_number(r, NULL, values[i]);
    crd_result_end(r);
}

/* ---- Densities ---- */

/* Reports the cut points, and the class predicted in each region between them. */
static void report_regions(crd_result *r, const attribute_view *v, const crd_density_curves *curves) {
    const crd_decision_region *regions = curves->regions;
    crd_result_table *t = crd_result_add_table(r, "regions");
    t->is_short = true;
    crd_result_add_column(t, "from", NULL);
    crd_result_add_column(t, "to", NULL);
    crd_result_add_column(t, "class", NULL);
    for (size_t i = 0; i < curves->region_count; i++) {
        crd_cell_number(t, regions[i].from);
        crd_cell_number(t, regions[i].to);
        crd_cell_name(t, crd_classifier_class(v->classifier, regions[i].class_index));
    }
    crd_result_begin(r, CRD_SHORT_ARRAY, "cut_points");
    for (size_t i = 1; i < curves->region_count; i++) crd_result_number(r, NULL, regions[i].from);
    crd_result_end(r);
}

/* Reports the densities of a numeric attribute at CURVE_POINTS points of an axis, and the decision regions. */
int curves_report(crd_result *r, const attribute_view *v) {
    crd_density_curves *curves = NULL;
    crd_error error;
    crd_status status = crd_density_curves_create(v->classifier, v->attribute, CURVE_POINTS, &curves, &error);
    if (status == CRD_ERROR_EMPTY) return ENDED_WELL;
    if (status != CRD_OK) return message_error(&error);
    crd_result_begin(r, CRD_OBJECT, "curves");
    crd_result_boolean(r, "discrete", curves->is_discrete != 0);
    report_list(r, "x", curves->x, curves->count);
    crd_result_begin(r, CRD_OBJECT, "densities");
    for (size_t i = 0; i < v->class_count; i++) {
        const double *y = curves->densities + v->classes[i] * curves->count;
        crd_result_key(r, crd_classifier_class(v->classifier, v->classes[i]));
        crd_result_begin(r, CRD_ARRAY, NULL);
        for (size_t k = 0; k < curves->count; k++) crd_result_number(r, NULL, y[k]);
        crd_result_end(r);
    }
    crd_result_end(r);
    report_regions(r, v, curves);
    crd_result_end(r);
    crd_density_curves_destroy(curves);
    return ENDED_WELL;
}

/* ---- Nomograms ---- */

/* Reports the points of each value of a categorical attribute. */
static void report_categories(crd_result *r, const crd_classifier *classifier, const crd_nomogram_scale *scale,
                              size_t class_index, size_t against) {
    crd_result_table *t = crd_result_add_table(r, "values");
    t->is_short = true;
    crd_result_add_column(t, "value", NULL);
    crd_result_add_column(t, "weight", NULL);
    crd_result_add_column(t, "points", NULL);
    crd_result_add_column(t, "rules_out", NULL);
    for (size_t i = 0; i < scale->count; i++) {
        crd_cell_name(t, scale->names[i]);
        crd_cell_number(t, scale->weights[i]);
        crd_cell_number(t, scale->points[i]);
        if (isfinite(scale->weights[i])) crd_cell_absent(t, NULL);
        else crd_cell_name(t, crd_classifier_class(classifier, scale->weights[i] < 0 ? class_index : against));
    }
}

/* Reports the sums of points at which the probability is a round number. */
static void report_probabilities(crd_result *r, const crd_nomogram *nomogram) {
    static const double PROBABILITIES[] = {0.001, 0.01, 0.05, 0.1, 0.2,  0.3,  0.4,  0.5,
                                           0.6,   0.7,  0.8,  0.9, 0.95, 0.99, 0.999};
    crd_result_table *t = crd_result_add_table(r, "probabilities");
    t->is_short = true;
    crd_result_add_column(t, "probability", NULL);
    crd_result_add_column(t, "points", NULL);
    for (size_t i = 0; i < sizeof PROBABILITIES / sizeof *PROBABILITIES; i++) {
        crd_cell_number(t, PROBABILITIES[i]);
        crd_cell_number(t, crd_nomogram_points(nomogram, PROBABILITIES[i]));
    }
}

/* Reports the scale of each attribute in a nomogram. */
static void report_scales(crd_result *r, const crd_classifier *classifier, const crd_nomogram *nomogram,
                          size_t class_index, size_t against) {
    crd_result_begin(r, CRD_ARRAY, "scales");
    for (size_t i = 0; i < nomogram->count; i++) {
        const crd_nomogram_scale *scale = &nomogram->scales[i];
        crd_result_begin(r, CRD_OBJECT, NULL);
        crd_result_text(r, "attribute", crd_classifier_attribute(classifier, scale->attribute));
        crd_result_number(r, "missing", scale->missing);
        if (scale->names != NULL) {
            report_categories(r, classifier, scale, class_index, against);
        } else {
            report_list(r, "x", scale->x, scale->count);
            report_list(r, "weights", scale->weights, scale->count);
            report_list(r, "points", scale->points, scale->count);
        }
        crd_result_end(r);
    }
    crd_result_end(r);
}

static void report_nomogram(crd_result *r, const crd_classifier *classifier, const crd_nomogram *nomogram,
                            size_t class_index, size_t against) {
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_text(r, "class", crd_classifier_class(classifier, class_index));
    crd_result_text(r, "against", crd_classifier_class(classifier, against));
    crd_result_number(r, "prior_log_odds", nomogram->prior);
    crd_result_number(r, "log_odds_at_zero", nomogram->base);
    crd_result_number(r, "nats_per_point", nomogram->unit);
    crd_result_number(r, "most_points", nomogram->most);
    report_scales(r, classifier, nomogram, class_index, against);
    report_probabilities(r, nomogram);
    crd_result_end(r);
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
int nomograms_report(crd_result *r, const crd_classifier *classifier) {
    size_t against = nomogram_reference(classifier);
    crd_result_begin(r, CRD_ARRAY, "nomograms");
    for (size_t c = 0; c < crd_classifier_class_count(classifier); c++) {
        crd_nomogram *nomogram = NULL;
        crd_error error;
        if (c == against) continue;
        crd_status status = crd_nomogram_create(classifier, c, against, CURVE_POINTS, &nomogram, &error);
        if (status == CRD_ERROR_COLUMN) continue;
        if (status != CRD_OK) return message_error(&error);
        report_nomogram(r, classifier, nomogram, c, against);
        crd_nomogram_destroy(nomogram);
    }
    crd_result_end(r);
    return ENDED_WELL;
}
