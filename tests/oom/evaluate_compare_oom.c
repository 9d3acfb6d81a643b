/* SPDX-License-Identifier: MIT */
/* Each allocation of a comparison fails in turn: an error every time, or a candidate that is left out, and no leak. */
#include "model_support.h"

static const char rows[] = "w,size,color,kind\n"
                           "1,1.5,red,apple\n"
                           "2,?,green,pear\n"
                           "1,2,red,apple\n"
                           "1,7,\"a,b\",pear\n"
                           "1,3,blue,\n"
                           "0.5,2,red,pear\n"
                           "1,1,green,apple\n"
                           "1,4,green,pear\n";

typedef struct compare_objects {
    crd_reader *reader;
    crd_row_source *source;
    crd_comparison *comparison;
    crd_settings *settings;
    crd_model *model;
} compare_objects;

/* Out of memory, from which rows come that can be read once only, or again. */
static crd_status whole_life(compare_objects *objects, crd_context *context, bool can_rewind, crd_error *error) {
    static const char *const names[] = {"naive", "naive, platt", "naive, isotonic", "aode"};
    crd_i_source *bytes;
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    split.folds = 2;
    options.split = &split;
    options.candidates = names;
    options.candidate_count = 4;
    options.threads = 1;
    crd_status status = crd_i_source_memory(context, rows, strlen(rows), can_rewind, &bytes, error);
    if (status == CRD_OK) status = crd_i_reader_open_source(context, bytes, "table", NULL, &objects->reader, error);
    if (status == CRD_OK) status = crd_reader_set_weight(objects->reader, 0, error);
    if (status == CRD_OK) status = crd_reader_set_target(objects->reader, 3, error);
    if (status == CRD_OK) status = crd_row_source_create(objects->reader, &objects->source, error);
    if (status == CRD_OK) status = crd_comparison_create(objects->source, &options, &objects->comparison, error);
    if (status == CRD_OK) status = crd_comparison_run(objects->comparison, error);
    if (status == CRD_OK) status = crd_comparison_settings(objects->comparison, 1, &objects->settings, error);
    const crd_text no_tallies = {NULL, 0};
    if (status == CRD_OK)
        status = crd_row_source_train(objects->source, objects->settings, no_tallies, &objects->model, NULL, error);
    size_t empty;
    if (status == CRD_OK) status = crd_split_count_empty(crd_comparison_split(objects->comparison), &empty, error);
    return status;
}

static void every_allocation_of(bool can_rewind) {
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        compare_objects objects = {0};
        crd_error error;
        assert_allocation_fails(&trial, whole_life(&objects, trial.context, can_rewind, &error), CRD_OK, error);
        crd_model_destroy(objects.model);
        crd_settings_destroy(objects.settings);
        crd_comparison_destroy(objects.comparison);
        crd_row_source_destroy(objects.source);
        crd_reader_close(objects.reader);
    }
}

static void every_allocation_of_rows_read_again(void **state) {
    (void)state;
    every_allocation_of(true);
}

static void every_allocation_of_rows_kept(void **state) {
    (void)state;
    every_allocation_of(false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_rows_read_again),
                                       cmocka_unit_test(every_allocation_of_rows_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
