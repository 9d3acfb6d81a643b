/* SPDX-License-Identifier: MIT */
/* Cross-validation, leaving out and comparing tallies at their edges; what holds for all tables is in the properties.
 */
#include "evaluate/cross_validation.h"
#include "evaluate/leave_one_out.h"
#include "evaluate/split.h"
#include "model_support.h"

static const char fruits[] = "size,color,kind\n"
                             "1,red,apple\n"
                             "2,red,apple\n"
                             "3,green,apple\n"
                             "4,green,pear\n"
                             "6,green,pear\n"
                             "9,violet,plum\n"
                             "5,red,\n";
enum { FRUITS = 7, PLUM = 5, NAMELESS = 6 };

typedef struct resampling_fixture {
    crd_context *context;
    crd_model *model;
    crd_reader *reader;
    const crd_frame *frame;
    crd_posteriors *posteriors;
    crd_settings *settings;
} resampling_fixture;

static resampling_fixture begin(const char *text) {
    resampling_fixture f;
    crd_error error;
    assert_int_equal(crd_context_create(NULL, &f.context), CRD_OK);
    f.model = trained(f.context, text, "kind");
    assert_done(open_text(f.context, text, strlen(text), NULL, &f.reader, &error), error);
    assert_done(crd_model_bind(f.model, f.reader, &error), error);
    assert_done(crd_reader_next(f.reader, &f.frame, &error), error);
    assert_done(crd_posteriors_create(f.context, &f.posteriors, &error), error);
    assert_done(crd_settings_create(f.context, &f.settings, &error), error);
    return f;
}

static void end(resampling_fixture *f) {
    crd_settings_destroy(f->settings);
    crd_posteriors_destroy(f->posteriors);
    crd_reader_close(f->reader);
    crd_model_destroy(f->model);
    crd_context_destroy(f->context);
}

static void set(resampling_fixture *f, const char *name, const char *value) {
    crd_error error;
    assert_done(crd_settings_set(f->settings, name, crd_text_of(value), &error), error);
}

/* The log posteriors of one row by a table without it, under a prior for the classes that this has. */
static void answer_of(resampling_fixture *f, const char *others, size_t row, double *logs) {
    crd_error error;
    crd_classifier *classifier;
    crd_model *model = trained(f->context, others, "kind");
    assert_done(crd_classifier_create(model, f->settings, &classifier, &error), error);
    assert_done(crd_classifier_classify(classifier, f->frame, f->posteriors, &error), error);
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++)
        logs[k] = crd_posteriors_log(f->posteriors, row)[k];
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

static const char without_plum[] = "size,color,kind\n1,red,apple\n2,red,apple\n3,green,apple\n4,green,pear\n"
                                   "6,green,pear\n";

/* A stated prior keeps the shares of the classes that are left. */
static void a_class_that_goes_leaves_its_stated_prior_to_the_others(void **state) {
    (void)state;
    resampling_fixture f = begin(fruits);
    crd_error error;
    crd_i_leave_one_out *leaving;
    crd_i_cross_validation *validation;
    double wanted[2];
    set(&f, "prior", "apple=0.6,pear=0.4");
    answer_of(&f, without_plum, PLUM, wanted);
    set(&f, "prior", "apple=0.3,pear=0.2,plum=0.5");
    assert_done(crd_i_leave_one_out_create(f.model, f.settings, &leaving, &error), error);
    assert_done(crd_i_leave_one_out_classify(leaving, f.frame, f.posteriors, &error), error);
    const double *logs = crd_posteriors_log(f.posteriors, PLUM);
    assert_near(logs[0], wanted[0], 1e-12);
    assert_near(logs[1], wanted[1], 1e-12);
    assert_true(logs[2] == -INFINITY);
    assert_int_equal(crd_posteriors_answer(f.posteriors, PLUM)->unseen, 1);
    assert_int_equal(crd_posteriors_answer(f.posteriors, NAMELESS)->decision, -1);

    static const uint32_t folds[FRUITS] = {0, 0, 0, 0, 0, 1, CRD_NO_FOLD};
    static const uint32_t row_folds[FRUITS] = {CRD_NO_FOLD, CRD_NO_FOLD, CRD_NO_FOLD, CRD_NO_FOLD, CRD_NO_FOLD, 1, 1};
    /* The fold is taken out of the whole, or, where more is kept, the others are put together. */
    for (int keeps = 0; keeps < 2; keeps++) {
        assert_done(crd_i_cross_validation_create(f.context, crd_text_of("kind"), f.settings, &validation, &error),
                    error);
        if (keeps) assert_done(crd_i_cross_validation_keep(validation, crd_text_of("histogram"), &error), error);
        assert_done(crd_i_cross_validation_learn(validation, f.frame, folds, &error), error);
        assert_done(crd_i_cross_validation_classify(validation, f.frame, row_folds, f.posteriors, &error), error);
        logs = crd_posteriors_log(f.posteriors, PLUM);
        assert_near(logs[0], wanted[0], 1e-12);
        assert_near(logs[1], wanted[1], 1e-12);
        assert_true(logs[2] == -INFINITY);
        assert_int_equal(crd_posteriors_answer(f.posteriors, 0)->decision, -1);
        assert_true(crd_posteriors_answer(f.posteriors, NAMELESS)->decision >= 0);
        crd_i_cross_validation_destroy(validation);
    }
    crd_i_leave_one_out_destroy(leaving);
    end(&f);
}

static void expect_not_learned(resampling_fixture *f, crd_i_leave_one_out *leaving, const char *text) {
    crd_reader *reader;
    const crd_frame *frame;
    crd_error error;
    assert_done(open_text(f->context, text, strlen(text), NULL, &reader, &error), error);
    assert_done(crd_model_bind(f->model, reader, &error), error);
    assert_done(crd_reader_next(reader, &frame, &error), error);
    assert_int_equal(crd_i_leave_one_out_classify(leaving, frame, f->posteriors, &error), CRD_ERROR_NOT_LEARNED);
    assert_int_equal(crd_posteriors_rows(f->posteriors), 0);
    crd_reader_close(reader);
}

static void rows_that_show_not_to_be_learned_are_refused(void **state) {
    (void)state;
    static const char numbers[] = "size,kind\n1,apple\n2,apple\n,pear\n";
    resampling_fixture f = begin(fruits), g = begin(numbers);
    crd_error error;
    crd_i_leave_one_out *leaving, *other;
    assert_done(crd_i_leave_one_out_create(f.model, NULL, &leaving, &error), error);
    assert_done(crd_i_leave_one_out_create(g.model, NULL, &other, &error), error);
    expect_not_learned(&f, leaving, "size,color,kind\n1,red,fig\n");
    expect_not_learned(&f, leaving, "size,color,kind\n1,blue,apple\n");
    expect_not_learned(&f, leaving, "size,color,kind\n1,violet,apple\n");
    expect_not_learned(&g, other, "size,kind\n1,pear\n");
    crd_i_leave_one_out_destroy(leaving);
    crd_i_leave_one_out_destroy(other);
    end(&f);
    end(&g);
}

/* One row: without it nothing is known. */
static void a_single_row_has_no_answer(void **state) {
    (void)state;
    resampling_fixture f = begin("size,color,kind\n1,red,apple\n");
    crd_error error;
    crd_i_leave_one_out *leaving;
    assert_done(crd_i_leave_one_out_create(f.model, NULL, &leaving, &error), error);
    assert_done(crd_i_leave_one_out_classify(leaving, f.frame, f.posteriors, &error), error);
    assert_int_equal(crd_posteriors_answer(f.posteriors, 0)->decision, -1);
    assert_true(crd_posteriors_log(f.posteriors, 0)[0] == -INFINITY);
    crd_i_leave_one_out_destroy(leaving);
    end(&f);
}

static void calls_out_of_turn_are_refused(void **state) {
    (void)state;
    resampling_fixture f = begin(fruits);
    crd_error error;
    crd_i_cross_validation *validation;
    crd_model *model;
    crd_i_folds *folds;
    static const uint32_t in_two[FRUITS] = {0, 1, 0, 1, 0, 1, 0}, in_three[FRUITS] = {0, 1, 2, 0, 1, 2, 0};
    assert_int_equal(crd_i_folds_create(f.context, 0, 1, &folds, &error), CRD_ERROR_ARGUMENT);
    assert_done(crd_i_cross_validation_create(f.context, crd_text_of("kind"), NULL, &validation, &error), error);
    assert_int_equal(crd_i_cross_validation_finish(validation, &error), CRD_ERROR_EMPTY);
    assert_int_equal(crd_i_cross_validation_class_count(validation), 0);
    assert_done(crd_i_cross_validation_learn(validation, f.frame, in_two, &error), error);
    assert_int_equal(crd_i_cross_validation_model(validation, 0, &model, &error), CRD_ERROR_ARGUMENT);
    assert_done(crd_i_cross_validation_finish(validation, &error), error);
    assert_int_equal(validation->fold_count, 2);
    assert_int_equal(crd_i_cross_validation_class_count(validation), 3);
    assert_int_equal(crd_i_cross_validation_learn(validation, f.frame, in_two, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_i_cross_validation_model(validation, 2, &model, &error), CRD_ERROR_ARGUMENT);
    assert_null(model);
    assert_int_equal(crd_i_cross_validation_classify(validation, f.frame, in_three, f.posteriors, &error),
                     CRD_ERROR_ARGUMENT);
    crd_i_cross_validation_forget(validation);
    assert_done(crd_i_cross_validation_learn(validation, f.frame, in_three, &error), error);
    assert_done(crd_i_cross_validation_classify(validation, f.frame, in_three, f.posteriors, &error), error);
    crd_i_cross_validation_destroy(validation);
    assert_done(crd_i_cross_validation_create(f.context, crd_text_of("sort"), NULL, &validation, &error), error);
    assert_int_equal(crd_i_cross_validation_learn(validation, f.frame, in_two, &error), CRD_ERROR_COLUMN);
    crd_i_cross_validation_destroy(validation);
    end(&f);
}

/* ---- The same folds under several settings ---- */

enum { ROWS = 90, FOLDS = 4 };

/* Numbers and categories that depend on each other, and on the class. */
static const char *make_rows(char *text) {
    char *cursor = text + sprintf(text, "a,b,c,d,kind\n");
    uint32_t state = 1;
    for (size_t i = 0; i < ROWS; i++) {
        state = state * 1664525u + 1013904223u;
        unsigned noise = state >> 20, kind = (unsigned)(i % 3);
        cursor += sprintf(cursor, "%u.%u,%u,%s,%s,k%u\n", kind * 3 + noise % 7, noise % 10, noise % 11 + noise % 7,
                          noise % 5 < kind ? "x" : "y", noise % 3 == 0 ? "p" : "q", kind);
    }
    return text;
}

static void answer_rows(crd_i_cross_validation *validation, const resampling_fixture *f, const uint32_t *folds,
                        double *out) {
    crd_error error;
    assert_done(crd_i_cross_validation_classify(validation, f->frame, folds, f->posteriors, &error), error);
    memcpy(out, crd_posteriors_log(f->posteriors, 0), ROWS * 3 * sizeof *out);
    memcpy(out + ROWS * 3, crd_posteriors_probabilities(f->posteriors, 0), ROWS * 3 * sizeof *out);
}

/* Each setting in turn, by one thread and by several, gives the bits of a cross-validation made for it. */
static void settings_that_come_later_answer_as_if_they_had_come_first(void **state) {
    (void)state;
    static const char *const changes[][2] = {
        {"family", "kernel"},     {"family", "auto"},       {"attribute-weights", "fitted"}, {"joint", "numbers"},
        {"joint", "categories"},  {"method", "aode"},       {"method", "pairwise"},          {"method", "trees"},
        {"calibration", "platt"}, {"method", "boosting:3"}, {"method", "stacking"},          {"method", "naive"}};
    static char text[ROWS * 40];
    static double wanted[ROWS * 6], got[ROWS * 6];
    resampling_fixture f = begin(make_rows(text));
    crd_error error;
    crd_i_cross_validation *shared, *validation;
    uint32_t folds[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) folds[i] = i * 7 % FOLDS;
    assert_done(crd_i_cross_validation_create(f.context, crd_text_of("kind"), NULL, &shared, &error), error);
    assert_int_equal(crd_i_cross_validation_keep(shared, crd_text_of("everything"), &error), CRD_ERROR_SETTING);
    assert_done(crd_i_cross_validation_keep(
                    shared, crd_text_of("signs,logs,histogram,joint-counts,cross-products,pair-counts,rows"), &error),
                error);
    assert_done(crd_i_cross_validation_learn(shared, f.frame, folds, &error), error);
    assert_int_equal(crd_i_cross_validation_keep(shared, crd_text_of("min-max"), &error), CRD_ERROR_ARGUMENT);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        crd_settings *settings;
        assert_done(crd_settings_clone(f.settings, &settings, &error), error);
        assert_done(crd_settings_set(settings, changes[i][0], crd_text_of(changes[i][1]), &error), error);
        assert_done(crd_i_cross_validation_create(f.context, crd_text_of("kind"), settings, &validation, &error),
                    error);
        assert_done(crd_i_cross_validation_learn(validation, f.frame, folds, &error), error);
        answer_rows(validation, &f, folds, wanted);
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            crd_i_cross_validation_threads(shared, threads);
            assert_done(crd_i_cross_validation_use(shared, settings, &error), error);
            assert_null(crd_i_cross_validation_classifier(shared, 0));
            answer_rows(shared, &f, folds, got);
            assert_memory_equal(got, wanted, sizeof got);
            assert_non_null(crd_i_cross_validation_classifier(shared, 0));
        }
        crd_i_cross_validation_destroy(validation);
        crd_settings_destroy(settings);
    }
    assert_non_null(shared->folds[FOLDS - 1].model);
    crd_i_cross_validation_destroy(shared);
    end(&f);
}

/* What was not kept cannot be asked for; the first fold tells, whichever thread met it first. */
static void settings_that_read_what_was_not_kept_are_refused(void **state) {
    (void)state;
    resampling_fixture f = begin(fruits);
    crd_error error;
    crd_i_cross_validation *validation;
    static const uint32_t folds[FRUITS] = {0, 1, 2, 0, 1, 2, 0};
    assert_done(crd_i_cross_validation_create(f.context, crd_text_of("kind"), NULL, &validation, &error), error);
    assert_done(crd_i_cross_validation_learn(validation, f.frame, folds, &error), error);
    crd_i_cross_validation_threads(validation, 3);
    set(&f, "method", "aode");
    assert_done(crd_i_cross_validation_use(validation, f.settings, &error), error);
    assert_int_equal(crd_i_cross_validation_classify(validation, f.frame, folds, f.posteriors, &error),
                     CRD_ERROR_SETTING);
    assert_non_null(strstr(error.message, "pair-counts"));
    assert_done(crd_i_cross_validation_use(validation, NULL, &error), error);
    assert_done(crd_i_cross_validation_classify(validation, f.frame, folds, f.posteriors, &error), error);
    crd_i_cross_validation_destroy(validation);
    end(&f);
}

static int same_tally(crd_context *context, const crd_model *model, const char *text, const char *target) {
    crd_error error;
    crd_model *other = trained(context, text, target);
    int same;
    assert_done(crd_model_same_tally(model, other, &same, &error), error);
    crd_model_destroy(other);
    return same;
}

static void the_same_rows_have_the_same_tally(void **state) {
    (void)state;
    resampling_fixture f = begin(fruits);
    assert_true(same_tally(f.context, f.model, fruits, "kind"));
    /* Columns and rows in another order, rows without a class left out: nothing of it was counted. */
    assert_true(same_tally(f.context, f.model,
                           "kind,color,size\nplum,violet,9\npear,green,6\npear,green,4\napple,green,3\n"
                           "apple,red,1\napple,red,2\n",
                           "kind"));
    /* A part, more, one cell less, other columns, another target. */
    assert_false(same_tally(f.context, f.model, without_plum, "kind"));
    assert_false(same_tally(f.context, f.model,
                            "size,color,kind\n1,red,apple\n2,red,apple\n3,green,apple\n4,green,pear\n6,green,pear\n"
                            "9,violet,plum\n9,violet,plum\n",
                            "kind"));
    assert_false(same_tally(f.context, f.model,
                            "size,color,kind\n1,red,apple\n2,red,apple\n3,green,apple\n4,green,pear\n,green,pear\n"
                            "9,violet,plum\n",
                            "kind"));
    assert_false(same_tally(f.context, f.model, "length,color,kind\n1,red,apple\n", "kind"));
    assert_false(same_tally(f.context, f.model, fruits, "color"));
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_that_goes_leaves_its_stated_prior_to_the_others),
        cmocka_unit_test(rows_that_show_not_to_be_learned_are_refused),
        cmocka_unit_test(a_single_row_has_no_answer),
        cmocka_unit_test(calls_out_of_turn_are_refused),
        cmocka_unit_test(settings_that_come_later_answer_as_if_they_had_come_first),
        cmocka_unit_test(settings_that_read_what_was_not_kept_are_refused),
        cmocka_unit_test(the_same_rows_have_the_same_tally),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
