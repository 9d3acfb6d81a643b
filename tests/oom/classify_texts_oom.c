/* SPDX-License-Identifier: MIT */
/* Allocations of classifiers of texts, of what is fitted for them, and of what is asked of them fail in turn: an error every
 * time, and no leak. */
#include "evaluate/leave_one_out.h"
#include "model_support.h"

#include "classify/classifier_internal.h"
#include "density/univariate/term_density.h"

enum { ROWS = 6 };
static const char *const TEXTS[ROWS] = {"buy cheap pills now", "cheap cheap offer now", "see you at lunch",
                                        "lunch offer at noon", "cheap lunch now now",   "see you now"};
static const char *const CLASSES[ROWS] = {"spam", "spam", "ham", "ham", "spam", "ham"};

static crd_frame *make_frame(crd_context *context, crd_text *texts, crd_text *classes) {
    crd_frame *frame;
    crd_error error;
    for (size_t i = 0; i < ROWS; i++) {
        texts[i] = crd_text_of(TEXTS[i]);
        classes[i] = crd_text_of(CLASSES[i]);
    }
    assert_done(crd_frame_create(context, ROWS, &frame, &error), error);
    assert_done(crd_frame_add_documents(frame, crd_text_of("body"), texts, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("class"), classes, &error), error);
    return frame;
}

static bool take(void *user, const crd_i_term_part *part) {
    *(size_t *)user += part->counts;
    return true;
}

typedef struct texts_objects {
    crd_classifier *classifier;
    crd_posteriors *posteriors;
    crd_i_leave_one_out *leaving;
} texts_objects;

static void destroy(texts_objects *objects) {
    crd_posteriors_destroy(objects->posteriors);
    crd_i_leave_one_out_destroy(objects->leaving);
    crd_classifier_destroy(objects->classifier);
    const texts_objects none = {NULL, NULL, NULL};
    *objects = none;
}

static crd_status ask(crd_context *context, crd_model *model, const crd_frame *frame, bool leaves_out,
                      texts_objects *objects, crd_error *error) {
    const crd_value value = text_value("cheap lunch now now now unknown");
    double logs[2], remainder[2];
    crd_answer answer;
    crd_term term = CRD_TERM_INIT;
    size_t terms = 0;
    crd_status status = crd_model_fit(model, error);
    if (status == CRD_OK) status = crd_classifier_create(model, NULL, &objects->classifier, error);
    if (status == CRD_OK) status = crd_classifier_posterior(objects->classifier, &value, logs, NULL, &answer, error);
    if (status == CRD_OK) status = crd_classifier_term(objects->classifier, 0, 0, &value, &term, error);
    if (status == CRD_OK)
        status = crd_i_term_density_explain(objects->classifier->attributes[0].density, value.text, false, take, &terms,
                                            remainder, error);
    if (status == CRD_OK) status = crd_posteriors_create(context, &objects->posteriors, error);
    if (status == CRD_OK) status = crd_classifier_classify(objects->classifier, frame, objects->posteriors, error);
    if (status == CRD_OK && leaves_out) status = crd_i_leave_one_out_create(model, NULL, &objects->leaving, error);
    if (status == CRD_OK && leaves_out)
        status = crd_i_leave_one_out_classify(objects->leaving, frame, objects->posteriors, error);
    return status;
}

static void allocations_fail(void **state) {
    (void)state;
    static const struct {
        const char *pairs[7];
        bool leaves_out;
    } cases[] = {{{"family", "multinomial", "tf", "log", "stop-words", "now,the"}, true},
                 {{"family", "bernoulli"}, true},
                 {{"family", "complement", "min-df", "2"}, true},
                 {{"family", "words-dirichlet", "max-terms", "5"}, false},
                 {{"attribute-weights", "fitted"}, false},
                 {{"calibration", "platt"}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* What was fitted before is fitted again where there is no memory to look for it. */
        allocation_trial trial = {.can_do_without = true};
        while (allocation_trial_next(&trial)) {
            crd_context *context = trial.context;
            crd_error error;
            crd_text texts[ROWS], classes[ROWS];
            crd_settings *settings;
            texts_objects objects = {NULL, NULL, NULL};
            crd_model *model;
            assert_done(crd_settings_create(context, &settings, &error), error);
            for (const char *const *pair = cases[i].pairs; *pair != NULL; pair += 2)
                assert_done(crd_settings_set(settings, pair[0], crd_text_of(pair[1]), &error), error);
            crd_frame *frame = make_frame(context, texts, classes);
            assert_done(crd_model_create(context, frame, crd_text_of("class"), settings, &model, &error), error);
            /* Twice, so that there are enough rows to hold some out. */
            assert_done(crd_model_update(model, frame, &error), error);
            assert_done(crd_model_update(model, frame, &error), error);
            assert_allocation_fails(&trial, ask(context, model, frame, cases[i].leaves_out, &objects, &error), CRD_OK,
                                    error);
            destroy(&objects);
            crd_model_destroy(model);
            crd_frame_destroy(frame);
            crd_settings_destroy(settings);
        }
        assert_true(trial.failures > 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
