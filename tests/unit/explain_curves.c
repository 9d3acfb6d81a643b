/* SPDX-License-Identifier: MIT */
/* Density curves and nomograms against the classifier's own answers: decisions at points of regions, integrals, sums of points. */
#include "model_support.h"

#include "counted_fixture.h"

static const char *const NO_SETTINGS[] = {NULL};

/* Class b has a density that is far narrower than the others', and inside that of a. */
static const char ROWS[] = "x,n,color,y\n"
                           "1,0,red,a\n9,1,red,a\n4,0,green,a\n6.5,2,red,a\n"
                           "5,3,green,b\n5.01,4,green,b\n4.99,3,blue,b\n5.005,6,green,b\n"
                           "12,9,blue,c\n13,7,blue,c\n11.5,12,red,c\n12.5,9,blue,c\n";

static int32_t decide(const crd_classifier *classifier, size_t attribute, double x) {
    crd_value row[3] = {missing_value(), missing_value(), missing_value()};
    double log_posterior[3];
    crd_answer answer;
    crd_error error;
    row[attribute] = number_value(x);
    assert_done(crd_classifier_posterior(classifier, row, log_posterior, NULL, &answer, &error), error);
    return answer.decision;
}

/* Inside each region, close to its ends and in its middle, the classifier decides so; regions are side by side. */
static void check_regions(const crd_classifier *classifier, size_t attribute, size_t least) {
    crd_density_curves *curves;
    crd_error error;
    assert_done(crd_density_curves_create(classifier, attribute, 61, &curves, &error), error);
    const crd_decision_region *regions = curves->regions;
    const size_t count = curves->region_count;
    assert_true(count >= least);
    assert_true(regions[0].from == curves->x[0] && regions[count - 1].to == curves->x[curves->count - 1]);
    for (size_t i = 0; i < count; i++) {
        double width = regions[i].to - regions[i].from, near = 1e-9 * width;
        bool is_discrete = curves->is_discrete != 0;
        assert_true(width > 0 && (i == 0 || regions[i].from == regions[i - 1].to));
        const double inside[] = {regions[i].from + near, regions[i].from + width / 2, regions[i].to - near};
        for (size_t k = 0; k < 3; k++) {
            double number = !is_discrete ? inside[k] : k == 2 ? floor(inside[k]) : ceil(inside[k]);
            if (number > regions[i].to) continue;
            assert_int_equal(decide(classifier, attribute, number), regions[i].class_index);
        }
    }
    crd_density_curves_destroy(curves);
}

static void regions_are_where_the_classifier_decides_so(void **state) {
    static const char *const FAMILIES[] = {"x=gaussian", "x=kernel",      "x=student", "x=lognormal",
                                           "x=mixture",  "x=exponential", "x=uniform", "x=histogram"};
    (void)state;
    crd_model *model = trained_keeping(context, ROWS, "y", "all,rows");
    for (size_t f = 0; f < sizeof FAMILIES / sizeof *FAMILIES; f++) {
        const char *pairs[] = {"family", FAMILIES[f], NULL};
        crd_classifier *classifier = classifier_with(model, context, pairs);
        check_regions(classifier, 0, 2);
        crd_classifier_destroy(classifier);
    }
    const char *discrete[] = {"family", "n=poisson", NULL}, *weighted[] = {"attribute-weights", "fitted", NULL};
    crd_classifier *counts = classifier_with(model, context, discrete);
    check_regions(counts, 1, 3);
    crd_classifier_destroy(counts);
    crd_classifier *fitted = classifier_with(model, context, weighted);
    check_regions(fitted, 0, 1);
    crd_classifier_destroy(fitted);
    crd_model_destroy(model);
}

/* Trapezoids over the points have nearly all of the probability, that of the narrow density too. */
static void densities_integrate_to_one(void **state) {
    (void)state;
    crd_model *model = trained(context, ROWS, "y");
    crd_classifier *classifier = classifier_with(model, context, NO_SETTINGS);
    crd_density_curves *curves;
    crd_error error;
    assert_done(crd_density_curves_create(classifier, 0, 61, &curves, &error), error);
    const double *x = curves->x;
    for (size_t c = 0; c < 3; c++) {
        const double *y = curves->densities + c * curves->count;
        double sum = 0;
        for (size_t i = 1; i < curves->count; i++) sum += (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2;
        assert_true(fabs(sum - 0.9973) < 0.01);
    }
    assert_int_equal(curves->class_count, 3);
    crd_density_curves_destroy(curves);
    assert_int_equal(crd_density_curves_create(classifier, 2, 61, &curves, &error), CRD_ERROR_COLUMN);
    assert_null(curves);
    assert_int_equal(crd_density_curves_create(classifier, 3, 61, &curves, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_density_curves_create(classifier, 0, 1, &curves, &error), CRD_ERROR_ARGUMENT);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

/* The value of a scale, and its points. */
static crd_value take(const crd_nomogram *nomogram, size_t attribute, size_t which, double *points) {
    for (size_t s = 0; s < nomogram->count; s++) {
        const crd_nomogram_scale *scale = &nomogram->scales[s];
        if (scale->attribute != attribute) continue;
        size_t i = which % (scale->count + 1);
        *points += i == scale->count ? scale->missing : scale->points[i];
        if (i == scale->count) return missing_value();
        if (scale->names == NULL) return number_value(scale->x[i]);
        return (crd_value){CRD_TYPE_CATEGORICAL, 0, scale->names[i]};
    }
    fail();
    return missing_value();
}

/* Of any row, the sum of its points has the probability of a where it is a or b. */
static void points_add_up_to_the_posterior(void **state) {
    (void)state;
    crd_model *model = trained_keeping(context, ROWS, "y", "cross-products,joint-counts");
    crd_classifier *classifier = classifier_with(model, context, NO_SETTINGS);
    crd_nomogram *nomogram;
    crd_error error;
    assert_done(crd_nomogram_create(classifier, 2, 0, 41, &nomogram, &error), error);
    assert_int_equal(nomogram->count, 3);
    for (size_t i = 0; i < 60; i++) {
        crd_value row[3];
        double points = 0, log_posterior[3];
        crd_answer answer;
        for (size_t a = 0; a < 3; a++) row[a] = take(nomogram, a, i * (3 + 4 * a) + i / 7, &points);
        assert_done(crd_classifier_posterior(classifier, row, log_posterior, NULL, &answer, &error), error);
        double log_odds = log_posterior[2] - log_posterior[0];
        double total = nomogram->base + nomogram->unit * points;
        assert_true(fabs(total - log_odds) < 1e-9 * (1 + fabs(log_odds)));
    }
    double total = nomogram->base + nomogram->unit * crd_nomogram_points(nomogram, 0.3);
    assert_true(fabs(1 / (1 + exp(-total)) - 0.3) < 1e-12);
    const crd_nomogram_scale first = nomogram->scales[0];
    double most = 0;
    for (size_t i = 0; i < first.count; i++) most = fmax(most, first.points[i]);
    assert_true(fabs(most - 100) < 1e-9);
    crd_nomogram_destroy(nomogram);
    assert_int_equal(crd_nomogram_create(classifier, 1, 1, 41, &nomogram, &error), CRD_ERROR_ARGUMENT);
    crd_classifier_destroy(classifier);
    classifier = classifier_with(model, context, WITH("method", "joint"));
    assert_int_equal(crd_nomogram_create(classifier, 0, 1, 41, &nomogram, &error), CRD_ERROR_COLUMN);
    assert_null(nomogram);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_where_the_classifier_decides_so),
        cmocka_unit_test(densities_integrate_to_one),
        cmocka_unit_test(points_add_up_to_the_posterior),
    };
    return cmocka_run_group_tests_name("explain_curves", tests, set_up, tear_down);
}
