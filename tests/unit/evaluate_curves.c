/* SPDX-License-Identifier: MIT */
/* Threshold curves: against scikit-learn's on the same scores, their best points, and what they refuse. */
#include "evaluate/evaluation.h"
#include "model_support.h"

#include "counted_fixture.h"

static const double probabilities[15][3] = {{.7, .2, .1}, {.5, .3, .2},   {.2, .6, .2},   {.1, .6, .3}, {.2, .2, .6},
                                            {.3, .3, .4}, {.05, .05, .9}, {.6, .3, .1},   {.2, .5, .3}, {.7, .1, .2},
                                            {.1, .8, .1}, {.3, .1, .6},   {.25, .15, .6}, {.5, .2, .3}, {.05, .7, .25}};
static const int truths[15] = {0, 0, 1, 0, 2, 1, 2, 1, 1, 0, 1, 2, 0, 2, 1};
static const double weights[15] = {1, 2, .5, 3, 1, 1, .25, 2, 1, 1, 4, 1, 1.5, 1, 2};
static const char *const names[3] = {"a", "b", "c"};

static crd_evaluation *evaluation_of(bool is_weighted) {
    crd_text classes[3];
    crd_evaluation *evaluation;
    crd_error error;
    for (size_t k = 0; k < 3; k++) classes[k] = crd_text_of(names[k]);
    assert_done(crd_evaluation_create(context, classes, 3, &evaluation, &error), error);
    for (size_t i = 0; i < 15; i++) {
        double logs[3];
        for (size_t k = 0; k < 3; k++) logs[k] = log(probabilities[i][k]);
        crd_status status =
            crd_i_evaluation_add_probabilities(evaluation, logs, probabilities[i], crd_text_of(names[truths[i]]),
                                               is_weighted ? weights[i] : 1, NULL, &error);
        assert_done(status, error);
    }
    return evaluation;
}

static crd_curve *curve_of(const crd_evaluation *evaluation, size_t k) {
    crd_curve *curve;
    crd_error error;
    assert_done(crd_curve_create(evaluation, k, &curve, &error), error);
    return curve;
}

static crd_curve_point point_of(const crd_curve *curve, size_t index) {
    crd_curve_point point = CRD_CURVE_POINT_INIT;
    crd_curve_point_at(curve, index, &point);
    return point;
}

/* scikit-learn 1.9.1: roc_auc_score, average_precision_score, of each class against the rest. */
static void areas_equal_those_of_another_package(void **state) {
    (void)state;
    static const double auc[2][3] = {{0.74, 0.9166666666666666, 0.909090909090909},
                                     {0.6491978609625668, 0.8723404255319148, 0.902834008097166}};
    static const double average[2][3] = {{0.696923076923077, 0.8416666666666666, 0.75},
                                         {0.6121848739495799, 0.8655856230437846, 0.5487179487179488}};
    for (size_t w = 0; w < 2; w++) {
        crd_evaluation *evaluation = evaluation_of(w == 1);
        for (size_t k = 0; k < 3; k++) {
            crd_curve *curve = curve_of(evaluation, k);
            assert_near(curve->auc, auc[w][k], 1e-15);
            assert_near(curve->average_precision, average[w][k], 1e-15);
            crd_curve_destroy(curve);
        }
        crd_evaluation_destroy(evaluation);
    }
}

/* precision_recall_curve and roc_curve with drop_intermediate=False, of class a with weights; rows that tie cross
 * together. */
static void points_equal_those_of_another_package(void **state) {
    (void)state;
    static const double thresholds[] = {INFINITY, .7, .6, .5, .3, .25, .2, .1, .05};
    static const double precision[] = {NAN,
                                       1,
                                       0.5,
                                       0.5714285714285714,
                                       0.4444444444444444,
                                       0.5238095238095238,
                                       0.4230769230769231,
                                       0.425,
                                       0.38202247191011235};
    static const double recall[] = {0,
                                    0.23529411764705882,
                                    0.23529411764705882,
                                    0.47058823529411764,
                                    0.47058823529411764,
                                    0.6470588235294118,
                                    0.6470588235294118,
                                    1,
                                    1};
    static const double fall_out[] = {0,
                                      0,
                                      0.14545454545454545,
                                      0.21818181818181817,
                                      0.36363636363636365,
                                      0.36363636363636365,
                                      0.5454545454545454,
                                      0.8363636363636363,
                                      1};
    crd_evaluation *evaluation = evaluation_of(true);
    crd_curve *curve = curve_of(evaluation, 0);
    assert_int_equal(curve->count, 9);
    for (size_t i = 0; i < 9; i++) {
        crd_curve_point point = point_of(curve, i);
        assert_true(point.threshold == thresholds[i]);
        assert_true(i == 0 ? isnan(point.precision) : fabs(point.precision - precision[i]) < 1e-15);
        assert_near(point.recall, recall[i], 1e-15);
        assert_near(point.false_positive_rate, fall_out[i], 1e-15);
        assert_near(point.true_positives + point.false_negatives, 8.5, 1e-15);
        assert_near(point.false_positives + point.true_negatives, 13.75, 1e-15);
    }
    crd_curve_destroy(curve);
    crd_evaluation_destroy(evaluation);
}

/* Of class b: TP, FP are 1,0 2,0 3,1 4,1 6,2 6,5 ... at .8 .7 .6 .5 .3 .2; six rows are of it, nine are not. */
static void best_points_are_the_best(void **state) {
    (void)state;
    crd_evaluation *evaluation = evaluation_of(false);
    crd_curve *curve = curve_of(evaluation, 1);
    size_t index;
    assert_true(crd_curve_best(curve, CRD_CURVE_F1, 0, NULL, &index));
    assert_true(point_of(curve, index).threshold == .3);
    assert_near(point_of(curve, index).f1, 12. / 14, 1e-15);
    /* Recall of a half is first reached at .6 with precision 3/4, but .5 has precision 4/5. */
    assert_true(crd_curve_best(curve, CRD_CURVE_RECALL, .5, NULL, &index));
    assert_true(point_of(curve, index).threshold == .5);
    assert_true(crd_curve_best(curve, CRD_CURVE_RECALL, 1, NULL, &index));
    assert_true(point_of(curve, index).threshold == .3);
    assert_true(crd_curve_best(curve, CRD_CURVE_PRECISION, .8, NULL, &index));
    assert_true(point_of(curve, index).threshold == .5);
    assert_true(crd_curve_best(curve, CRD_CURVE_PRECISION, 1, NULL, &index));
    assert_true(point_of(curve, index).threshold == .7);
    crd_curve_costs costs = CRD_CURVE_COSTS_INIT;
    costs.false_positive = 10; /* .7 has no false positive and four false negatives */
    assert_true(crd_curve_best(curve, CRD_CURVE_COST, 0, &costs, &index));
    assert_true(point_of(curve, index).threshold == .7);
    assert_near(crd_curve_cost(curve, index, &costs), 4. / 15, 1e-15);
    costs.true_positive = 2; /* then nothing is worth deciding for */
    assert_true(crd_curve_best(curve, CRD_CURVE_COST, 0, &costs, &index));
    assert_true(index == 0 && point_of(curve, 0).threshold == INFINITY);
    assert_false(crd_curve_best(curve, CRD_CURVE_COST, 0, NULL, &index));
    crd_curve_destroy(curve);
    curve = curve_of(evaluation, 2);
    assert_true(crd_curve_best(curve, CRD_CURVE_PRECISION, 1, NULL, &index));
    crd_curve_destroy(curve);
    crd_evaluation_destroy(evaluation);
}

static void fewer_points_keep_the_ends(void **state) {
    (void)state;
    crd_evaluation *evaluation = evaluation_of(false);
    crd_curve *curve = curve_of(evaluation, 1);
    size_t all = curve->count, indices[16];
    for (size_t most = 2; most <= all + 1; most++) {
        size_t count = crd_curve_thin(curve, most, indices);
        assert_true(count >= 2 && count <= most && (most < all || count == all));
        assert_true(indices[0] == 0 && indices[count - 1] == all - 1);
        for (size_t i = 1; i < count; i++) assert_true(indices[i] > indices[i - 1]);
    }
    crd_curve_destroy(curve);
    crd_evaluation_destroy(evaluation);
}

static void one_class_alone_has_no_curve(void **state) {
    (void)state;
    crd_text classes[2] = {crd_text_of("a"), crd_text_of("b")};
    const double logs[2] = {log(.25), log(.75)};
    crd_evaluation *evaluation;
    crd_curve *curve;
    crd_error error;
    assert_done(crd_evaluation_create(context, classes, 2, &evaluation, &error), error);
    assert_int_equal(crd_curve_create(evaluation, 0, &curve, &error), CRD_ERROR_EMPTY);
    assert_null(curve);
    assert_done(crd_evaluation_add(evaluation, logs, classes[1], 1, NULL, &error), error);
    assert_int_equal(crd_curve_create(evaluation, 1, &curve, &error), CRD_ERROR_EMPTY);
    assert_int_equal(crd_curve_create(evaluation, 2, &curve, &error), CRD_ERROR_ARGUMENT);
    crd_evaluation_destroy(evaluation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_equal_those_of_another_package),
        cmocka_unit_test(points_equal_those_of_another_package),
        cmocka_unit_test(best_points_are_the_best),
        cmocka_unit_test(fewer_points_keep_the_ends),
        cmocka_unit_test(one_class_alone_has_no_curve),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
