/* SPDX-License-Identifier: MIT */
/* Each allocation of a search for a structure fails in turn, from rows and from the model that keeps them: an error every time,
 * and no leak. */
#include "model_support.h"

static const char rows[] = "w,a,b,c\n"
                           "1,x,p,k\n"
                           "2,y,?,k\n"
                           "1,x,p,l\n"
                           "1,y,q,l\n"
                           "1,y,q,\n"
                           "3,x,p,k\n";

typedef struct objects {
    crd_settings *settings;
    crd_reader *reader;
    crd_row_source *source;
    crd_structure *of_rows, *of_model;
    crd_model *model;
} objects;

static crd_status whole_life(objects *made, crd_context *context, const char *structure, crd_error *error) {
    crd_i_source *bytes;
    const crd_text no_tallies = {NULL, 0};
    crd_status status = crd_settings_create(context, &made->settings, error);
    if (status == CRD_OK) status = crd_settings_set(made->settings, "method", crd_text_of("network"), error);
    if (status == CRD_OK) status = crd_settings_set(made->settings, "structure", crd_text_of(structure), error);
    if (status == CRD_OK) status = crd_settings_set(made->settings, "tiers", crd_text_of("a;b,c"), error);
    if (status == CRD_OK) status = crd_settings_set(made->settings, "required", crd_text_of("a->b"), error);
    if (status == CRD_OK) status = crd_i_source_memory(context, rows, strlen(rows), true, &bytes, error);
    if (status == CRD_OK) status = crd_i_reader_open_source(context, bytes, "table", NULL, &made->reader, error);
    if (status == CRD_OK) status = crd_reader_set_weight(made->reader, 0, error);
    if (status == CRD_OK) status = crd_reader_set_target(made->reader, 3, error);
    if (status == CRD_OK) status = crd_row_source_create_unlabelled(made->reader, &made->source, error);
    if (status == CRD_OK) status = crd_structure_learn(made->source, made->settings, NULL, &made->of_rows, error);
    if (status == CRD_OK)
        status = crd_row_source_train(made->source, made->settings, no_tallies, &made->model, NULL, error);
    crd_structure_options options = CRD_STRUCTURE_OPTIONS_INIT;
    options.resamples = 2;
    if (status == CRD_OK) status = crd_structure_learn_from_model(made->model, NULL, &options, &made->of_model, error);
    return status;
}

static void test_every_allocation(void **state) {
    (void)state;
    static const char *const searches[] = {"hill-climb", "pc"};
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        for (size_t fail_at = 1;; fail_at++) {
            allocations counted = {0, 0, 0};
            crd_context *context = counted_context(&counted);
            assert_non_null(context);
            counted.calls = 0;
            counted.fail_at = fail_at;
            objects made = {0};
            crd_error error;
            crd_status status = whole_life(&made, context, searches[i], &error);
            bool failed = counted.calls >= fail_at;
            counted.fail_at = 0;
            if (failed && status != CRD_ERROR_MEMORY)
                fail_msg("allocation %zu failed, and the status is %s", fail_at, crd_status_name(status));
            crd_structure_destroy(made.of_rows);
            crd_structure_destroy(made.of_model);
            crd_model_destroy(made.model);
            crd_row_source_destroy(made.source);
            crd_reader_close(made.reader);
            crd_settings_destroy(made.settings);
            crd_context_destroy(context);
            assert_int_equal(counted.live, 0);
            if (failed) continue;
            assert_done(status, error);
            break;
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
