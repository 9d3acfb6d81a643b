/* SPDX-License-Identifier: MIT */
/* Gaussian nodes that are learned: regressions against another program's, singular and constant parents, groups of few rows,
 * numbers of any size, and naive Bayes as a network. */
#include "network_support.h"

#include "model/model_internal.h"

#include <float.h>

#include "counted_fixture.h"

static crd_settings *settings_with(const char *const *pairs) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    for (; *pairs != NULL; pairs += 2)
        assert_done(crd_settings_set(settings, pairs[0], crd_text_of(pairs[1]), &error), error);
    return settings;
}

static crd_model *trained_with(const char *text, const char *target, const char *const *pairs) {
    crd_settings *settings = settings_with(pairs);
    crd_model *model;
    crd_reader *reader;
    crd_error error;
    assert_done(open_text(context, text, strlen(text), target, &reader, &error), error);
    assert_done(crd_model_train(context, reader, settings, &model, NULL, &error), error);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    return model;
}

static void assert_rows(const crd_network *network, const char *name, size_t rows, size_t width, const double *wanted,
                        double slack) {
    size_t row_count = 0, node = crd_network_find(network, crd_text_of(name));
    const double *table = crd_network_cpt(network, node, &row_count);
    assert_int_equal(crd_network_node_kind(network, node), CRD_NODE_GAUSSIAN);
    assert_int_equal(row_count, rows);
    assert_int_equal(crd_network_cpt_width(network, node), width);
    for (size_t i = 0; i < rows * width; i++)
        if (!(fabs(table[i] - wanted[i]) <= slack * fmax(1, fabs(wanted[i]))))
            fail_msg("%s: number %d is %.17g, not %.17g", name, (int)i, table[i], wanted[i]);
}

static const char MIXED[] = "d,y,z,x,t\n"
                            "a,1,2,3.5,p\na,2,1,4.25,q\na,3,5,9.5,p\na,4,3,9.75,q\na,5.5,2,10,p\na,6,7,17.5,q\n"
                            "b,1,1,-2,p\nb,2,0.5,-1,q\nb,3,4,-6.5,p\nb,4,1.5,0.25,q\nb,6,2,2,p\nb,7,2.5,1.5,q\n";

/* bn.fit of bnlearn 4.8.3 (R 4.2), x ~ y + z given d: constant, coefficients and squared deviation. */
static void same_as_bnlearn(void **state) {
    (void)state;
    crd_model *model = trained_with(
        MIXED, "t", WITH("method", "network", "arcs", "d->x,y->x,z->x,t", "smoothing", "none", "variance", "sample"));
    crd_network *network;
    crd_error error;
    assert_done(crd_network_from_model(model, NULL, &network, &error), error);
    const double x[] = {-0.37618335824613841, 1.54758345789735929, 1.17420279023418028, 0.35900390300614621,
                        -1.7223004694835684,  1.2426643192488263,  -2.0867370892018777, 0.38066803599374022};
    assert_rows(network, "x", 2, 4, x, 1e-12);
    crd_network_destroy(network);
    crd_model_destroy(model);
}

static crd_network *network_of(const char *text, const char *target, const char *const *pairs) {
    crd_model *model = trained_with(text, target, pairs);
    crd_network *network;
    crd_error error;
    assert_done(crd_network_from_model(model, NULL, &network, &error), error);
    crd_model_destroy(model);
    return network;
}

/* x = 1 + 2 y. A copy of y behind it in the order of names counts for nothing, nor does a constant; the variance is then
 * 1e-9 of that of x, or the least deviation. */
static void singular_parents(void **state) {
    (void)state;
    static const char text[] = "x,y,y2,k,t\n3,1,1,5,p\n5,2,2,5,q\n7,3,3,5,p\n9,4,4,5,q\n11,5,5,5,p\n";
    crd_network *network =
        network_of(text, "t", WITH("method", "network", "arcs", "y2->x,k->x,y->x,t->k", "smoothing", "none"));
    /* Parents in the order of columns: y, y2, k. */
    assert_rows(network, "x", 1, 5, (double[]){1, 2, 0, 0, 8e-9}, 1e-12);
    assert_rows(network, "k", 2, 2, (double[]){5, 0, 5, 0}, 0);
    crd_network_destroy(network);
    network = network_of(text, "t", WITH("method", "network", "arcs", "y->x,t", "min-sd", "0.5"));
    assert_rows(network, "x", 1, 3, (double[]){1, 2, 0.25}, 1e-12);
    crd_network_destroy(network);
}

/* Group b has two rows, too few for a slope and a variance: it has its own means, and those within groups, here of a alone,
 * where x = 2 y, but for 1 and -1 (slope 2, RSS 4). Group c has no rows with x: that of all rows. */
static void few_rows(void **state) {
    (void)state;
    static const char text[] = "d,y,x,t\na,0,1,p\na,0,-1,p\na,2,5,q\na,2,3,p\nb,10,7,p\nb,10,8,q\nc,3,?,q\n";
    crd_network *network = network_of(text, "t", WITH("method", "network", "arcs", "d->x,y->x,t", "smoothing", "none"));
    size_t rows, node = crd_network_find(network, crd_text_of("x"));
    const double *table = crd_network_cpt(network, node, &rows);
    assert_int_equal(rows, 3);
    const double wanted[] = {0, 2, 1};
    for (size_t i = 0; i < 3; i++) assert_true(fabs(table[i] - wanted[i]) < 1e-12);
    /* b: y is constant in it, so that its mean and variance are its own. */
    const double constant[] = {7.5, 0, 0.25};
    for (size_t i = 0; i < 3; i++) assert_true(fabs(table[3 + i] - constant[i]) < 1e-12);
    /* All six rows: means of y 4, of x 23/6; S_yy 112, S_xy 74 (by hand). */
    assert_true(fabs(table[7] - 74.0 / 112) < 1e-12);
    assert_true(fabs(table[6] - (23.0 / 6 - 4 * 74.0 / 112)) < 1e-12);
    crd_network_destroy(network);
    /* One row in b. */
    static const char fewer[] = "d,y,x,t\na,0,1,p\na,0,-1,p\na,2,5,q\na,2,3,p\nb,10,7,p\n";
    network = network_of(fewer, "t", WITH("method", "network", "arcs", "d->x,y->x,t", "smoothing", "none"));
    assert_rows(network, "x", 2, 3, (double[]){0, 2, 1, -13, 2, 0.8}, 1e-12);
    crd_network_destroy(network);
}

/* Squares of such numbers leave the range of doubles: the regression of 1, 2, 4, 5, 6 on 1, 2, 3, 4.5, 5, in units. */
static void huge_numbers(void **state) {
    (void)state;
    static const char text[] = "x,y,t\n1e200,1e180,p\n2e200,2e180,q\n4e200,3e180,p\n5e200,4.5e180,q\n6e200,5e180,p\n";
    crd_network *network = network_of(text, "t", WITH("method", "network", "arcs", "y->x,t", "smoothing", "none"));
    size_t rows;
    const double *table = crd_network_cpt(network, crd_network_find(network, crd_text_of("x")), &rows);
    assert_true(fabs(table[1] / 1.2232142857142858e20 - 1) < 1e-12); /* 13.7 / 11.2 */
    assert_true(isfinite(table[0]) && table[2] == DBL_MAX);
    crd_network_destroy(network);
}

/* The class as the parent of all: the densities of naive Bayes, and so its answers. */
static void same_as_naive(void **state) {
    (void)state;
    static const char *const settings[][2] = {
        {"smoothing", "none"}, {"smoothing", "m:2"}, {"variance", "sample"}, {"pool-variance", "classes"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        crd_model *naive = trained_with(MIXED, "t", WITH(settings[i][0], settings[i][1]));
        crd_model *network = trained_with(MIXED, "t",
                                          WITH("method", "network", "arcs", "t->d,t->y,t->z,t->x", settings[i][0],
                                               settings[i][1], "prior", "laplace:1"));
        crd_classifier *a, *b;
        crd_error error;
        const crd_value values[] = {{CRD_TYPE_CATEGORICAL, 0, {"b", 1}},
                                    {CRD_TYPE_NUMERIC, 2.5, {NULL, 0}},
                                    {CRD_TYPE_NUMERIC, 3, {NULL, 0}},
                                    {CRD_TYPE_NUMERIC, 4, {NULL, 0}}};
        double one[2], other[2];
        crd_answer answer;
        crd_settings *same = settings_with(WITH(settings[i][0], settings[i][1], "prior", "laplace:1"));
        assert_done(crd_classifier_create(naive, same, &a, &error), error);
        assert_done(crd_classifier_create(network, NULL, &b, &error), error);
        assert_done(crd_classifier_posterior(a, values, one, NULL, &answer, &error), error);
        assert_done(crd_classifier_posterior(b, values, other, NULL, &answer, &error), error);
        for (size_t k = 0; k < 2; k++) assert_true(fabs(one[k] - other[k]) < 1e-12);
        crd_classifier_destroy(a);
        crd_classifier_destroy(b);
        crd_settings_destroy(same);
        crd_model_destroy(naive);
        crd_model_destroy(network);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_as_bnlearn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(singular_parents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(few_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(huge_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(same_as_naive, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
