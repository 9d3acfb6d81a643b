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

typedef struct structure_objects {
    crd_settings *settings;
    crd_reader *reader;
    crd_row_source *source;
    crd_structure *of_rows, *of_model;
    crd_model *model;
} structure_objects;

static crd_status whole_life(structure_objects *objects, crd_context *context, const char *search, crd_error *error) {
    crd_i_source *bytes;
    const crd_text no_tallies = {NULL, 0};
    crd_status status = crd_settings_create(context, &objects->settings, error);
    if (status == CRD_OK) status = crd_settings_set(objects->settings, "method", crd_text_of("network"), error);
    if (status == CRD_OK) status = crd_settings_set(objects->settings, "search", crd_text_of(search), error);
    if (status == CRD_OK) status = crd_settings_set(objects->settings, "tiers", crd_text_of("a;b,c"), error);
    if (status == CRD_OK) status = crd_settings_set(objects->settings, "required-arcs", crd_text_of("a->b"), error);
    if (status == CRD_OK) status = crd_i_source_memory(context, rows, strlen(rows), true, &bytes, error);
    if (status == CRD_OK) status = crd_i_reader_open_source(context, bytes, "table", NULL, &objects->reader, error);
    if (status == CRD_OK) status = crd_reader_set_weight(objects->reader, 0, error);
    if (status == CRD_OK) status = crd_reader_set_target(objects->reader, 3, error);
    if (status == CRD_OK) status = crd_row_source_create_unlabeled(objects->reader, &objects->source, error);
    if (status == CRD_OK)
        status = crd_structure_learn(objects->source, objects->settings, NULL, &objects->of_rows, error);
    if (status == CRD_OK)
        status = crd_row_source_train(objects->source, objects->settings, no_tallies, &objects->model, NULL, error);
    crd_structure_options options = CRD_STRUCTURE_OPTIONS_INIT;
    options.resamples = 2;
    if (status == CRD_OK)
        status = crd_structure_learn_from_model(objects->model, NULL, &options, &objects->of_model, error);
    return status;
}

static void test_every_allocation(void **state) {
    (void)state;
    static const char *const searches[] = {"hill-climb", "pc"};
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++)
        for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
            structure_objects objects = {0};
            crd_error error;
            assert_allocation_fails(&trial, whole_life(&objects, trial.context, searches[i], &error), CRD_OK, error);
            crd_structure_destroy(objects.of_rows);
            crd_structure_destroy(objects.of_model);
            crd_model_destroy(objects.model);
            crd_row_source_destroy(objects.source);
            crd_reader_close(objects.reader);
            crd_settings_destroy(objects.settings);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
