/* SPDX-License-Identifier: MIT */
/* Where the evidence of a row stands among the model's own rows. */
#include "model_support.h"

#include <pthread.h>

#include "counted_fixture.h"

/* A model under settings and its fit. */
typedef struct typicality_fixture {
    crd_model *model;
    crd_settings *settings;
    crd_classifier *classifier;
    crd_typicality *fit;
} typicality_fixture;

static typicality_fixture open_fixture(const char *text, const char *smoothing) {
    typicality_fixture f;
    crd_error error;
    f.model = trained(context, text, "class");
    assert_done(crd_settings_create(context, &f.settings, &error), error);
    assert_done(crd_settings_set(f.settings, "smoothing", crd_text_of(smoothing), &error), error);
    assert_done(crd_classifier_create(f.model, f.settings, &f.classifier, &error), error);
    assert_done(crd_typicality_create(f.model, f.settings, &f.fit, &error), error);
    return f;
}

static void close_fixture(typicality_fixture *f) {
    crd_typicality_destroy(f->fit);
    crd_classifier_destroy(f->classifier);
    crd_settings_destroy(f->settings);
    crd_model_destroy(f->model);
}

static double fit_of(const typicality_fixture *f, const crd_value *values) {
    double logs[8], fit;
    crd_answer answer;
    crd_error error;
    assert_done(crd_classifier_posterior(f->classifier, values, logs, NULL, &answer, &error), error);
    assert_done(crd_typicality_row(f->fit, values, &answer, &fit, &error), error);
    return fit;
}

/* Five standard errors of a share that is estimated from the fewest draws that a model gets. */
static double slack(double share) {
    const double draws = 999;
    return 5 * sqrt(share * (1 - share) / draws) + 1 / draws;
}

/* Mean 0, variance 1, one class: evidence as low as that of x is |X| >= |x|. */
static void test_normal_tails(void **state) {
    (void)state;
    static const double points[] = {0, .1, .5, 1, 1.5, 2, 2.5, 3};
    typicality_fixture f = open_fixture("x,class\n1,a\n-1,a\n", "none");
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        double wanted = erfc(points[i] / sqrt(2));
        assert_near(fit_of(&f, (const crd_value[]){number_value(points[i])}), wanted, slack(wanted));
        assert_near(fit_of(&f, (const crd_value[]){number_value(-points[i])}), wanted, slack(wanted));
    }
    /* As low as none of the draws: the row itself is counted. */
    assert_true(fit_of(&f, (const crd_value[]){number_value(50)}) == 1. / 4096);
    close_fixture(&f);
}

/* Without smoothing red has 7 of 10, green 2, blue 1, whatever the class, for the classes differ in b alone. */
static const char colors[] = "color,b,class\n"
                             "red,x,p\nred,x,p\nred,x,p\nred,x,p\nred,x,p\nred,x,p\nred,x,p\n"
                             "green,x,p\ngreen,x,p\nblue,x,p\n"
                             "red,y,q\nred,y,q\nred,y,q\nred,y,q\nred,y,q\nred,y,q\nred,y,q\n"
                             "green,y,q\ngreen,y,q\nblue,y,q\n";

static void test_values_as_rare(void **state) {
    (void)state;
    typicality_fixture f = open_fixture(colors, "none");
    crd_value row[] = {text_value("blue"), missing_value()};
    assert_near(fit_of(&f, row), .1, slack(.1));
    row[0] = text_value("green");
    assert_near(fit_of(&f, row), .3, slack(.3));
    row[0] = text_value("red");
    assert_true(fit_of(&f, row) == 1);
    /* x and y are as likely, so that knowing one changes nothing. */
    row[0] = text_value("blue");
    row[1] = text_value("y");
    assert_near(fit_of(&f, row), .1, slack(.1));
    row[0] = missing_value();
    assert_true(fit_of(&f, row) == 1);
    row[1] = missing_value();
    assert_true(fit_of(&f, row) == 1); /* no cells: nothing unusual */
    /* A value never seen is left out, as the evidence leaves it out. */
    row[0] = text_value("pink");
    assert_true(fit_of(&f, row) == 1);
    row[1] = text_value("x");
    assert_true(fit_of(&f, row) == 1);
    close_fixture(&f);
}

static void test_impossible(void **state) {
    (void)state;
    typicality_fixture f = open_fixture("a,b,class\nu,x,p\nv,y,q\n", "none");
    const crd_value row[] = {text_value("u"), text_value("y")};
    assert_true(fit_of(&f, row) == 0);
    close_fixture(&f);
}

/* Rows of the model itself: no more than the share p has a fit of p, with and without some of their cells. */
static void test_level_holds(void **state) {
    (void)state;
    enum { ROWS = 4000 };
    static const double levels[] = {.01, .05, .25, .5, .9};
    typicality_fixture f = open_fixture("x,y,color,class\n1,10,red,p\n2,14,red,p\n4,11,blue,p\n8,2,blue,q\n9,4,blue,q\n"
                                        "7,1,green,q\n11,0,red,q\n",
                                        "m:1");
    size_t below[2][5] = {{0}, {0}};
    crd_sampler *sampler;
    crd_error error;
    assert_done(crd_sampler_create(f.model, f.settings, NULL, 77, &sampler, &error), error);
    for (uint64_t i = 0; i < ROWS; i++) {
        crd_value row[4];
        crd_sampler_draw(sampler, i, row);
        for (size_t k = 0; k < 2; k++) {
            if (k == 1) row[i % 3] = missing_value();
            double fit = fit_of(&f, row);
            for (size_t j = 0; j < 5; j++) below[k][j] += fit <= levels[j];
        }
    }
    /* Two binomial errors, of these rows and of the draws. */
    for (size_t k = 0; k < 2; k++)
        for (size_t j = 0; j < 5; j++)
            assert_near((double)below[k][j] / ROWS, levels[j], 5 * sqrt(2 * levels[j] * (1 - levels[j]) / ROWS) + .003);
    crd_sampler_destroy(sampler);
    close_fixture(&f);
}

/* ---- Many patterns, many threads ---- */

enum { COLUMNS = 11, PATTERNS = 1 << COLUMNS, THREADS = 3 };

static void fill(crd_value *row, size_t mask) {
    for (size_t i = 0; i < COLUMNS; i++)
        row[i] = mask >> i & 1 ? number_value((double)(i % 3) + .25 * (double)i) : missing_value();
}

typedef struct typicality_task {
    const typicality_fixture *fixture;
    size_t step; /* an odd one: each thread takes the patterns in an order of its own */
    double fits[PATTERNS];
} typicality_task;

static void *ask(void *argument) {
    typicality_task *t = argument;
    crd_value row[COLUMNS];
    for (size_t i = 0; i < PATTERNS; i++) {
        size_t mask = i * t->step % PATTERNS;
        fill(row, mask);
        t->fits[mask] = fit_of(t->fixture, row);
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    static typicality_task tasks[THREADS];
    pthread_t threads[THREADS];
    typicality_fixture f =
        open_fixture("c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,class\n"
                     "1,2,3,4,5,6,7,8,9,10,11,p\n2,3,1,5,4,7,6,9,8,11,10,p\n0,1,0,1,0,1,0,1,0,1,0,q\n"
                     "1,0,1,0,2,0,1,0,1,0,3,q\n",
                     "m:1");
    for (size_t i = 0; i < THREADS; i++) {
        tasks[i].fixture = &f;
        tasks[i].step = 2 * i + 1;
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &tasks[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 1; i < THREADS; i++) assert_memory_equal(tasks[i].fits, tasks[0].fits, sizeof tasks[0].fits);
    /* Patterns that had to make room for others are made again, alike; and another fit of the model is the same. */
    typicality_fixture again =
        open_fixture("c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,class\n"
                     "1,2,3,4,5,6,7,8,9,10,11,p\n2,3,1,5,4,7,6,9,8,11,10,p\n0,1,0,1,0,1,0,1,0,1,0,q\n"
                     "1,0,1,0,2,0,1,0,1,0,3,q\n",
                     "m:1");
    for (size_t mask = 0; mask < PATTERNS; mask += 97) {
        crd_value row[COLUMNS];
        fill(row, mask);
        assert_true(fit_of(&f, row) == tasks[0].fits[mask]);
        assert_true(fit_of(&again, row) == tasks[0].fits[mask]);
    }
    close_fixture(&again);
    close_fixture(&f);
}

/* Frames say what their rows say. */
static void test_frames(void **state) {
    (void)state;
    static const char rows[] = "b,extra,color\nx,1,red\ny,2,pink\n?,3,blue\nz,4,?\nx,5,green\n";
    typicality_fixture f = open_fixture(colors, "m:1");
    crd_posteriors *posteriors;
    crd_reader *reader;
    const crd_frame *frame;
    crd_error error;
    double fits[5];
    assert_done(open_text(context, rows, strlen(rows), NULL, &reader, &error), error);
    assert_done(crd_model_bind(f.model, reader, &error), error);
    assert_done(crd_reader_next(reader, &frame, &error), error);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    assert_done(crd_classifier_classify(f.classifier, frame, posteriors, &error), error);
    assert_done(crd_typicality_frame(f.fit, frame, posteriors, fits, &error), error);
    const crd_value values[5][2] = {{text_value("red"), text_value("x")},
                                    {text_value("pink"), text_value("y")},
                                    {text_value("blue"), missing_value()},
                                    {missing_value(), text_value("z")},
                                    {text_value("green"), text_value("x")}};
    for (size_t i = 0; i < 5; i++) assert_true(fits[i] == fit_of(&f, values[i]));
    assert_true(fits[2] < .2 && fits[0] > .5);
    crd_posteriors_destroy(posteriors);
    crd_reader_close(reader);
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal_tails), cmocka_unit_test(test_values_as_rare), cmocka_unit_test(test_impossible),
        cmocka_unit_test(test_level_holds),  cmocka_unit_test(test_threads),        cmocka_unit_test(test_frames),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
