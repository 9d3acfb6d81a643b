/* SPDX-License-Identifier: MIT */
/* Each allocation of fitting a network's tables to incomplete rows fails in turn: an error every time, and no leak. */
#include "model_support.h"

#include <credence/network.h>

static const char rows[] = "a,b,y\n"
                           "u,p,1\n"
                           "v,,2\n"
                           "u,q,\n"
                           ",q,2\n"
                           "v,p,1\n";

typedef struct fit_objects {
    crd_settings *settings;
    crd_reader *reader;
    crd_model *model;
    crd_fit *report;
    crd_network *network;
} fit_objects;

static crd_status whole_life(fit_objects *objects, crd_context *context, crd_error *error) {
    static const char *const values[][2] = {{"method", "network"}, {"arcs", "h->a,h->b,b->y"}, {"latent-nodes", "h:2"},
                                            {"estimator", "em"},   {"em-starts", "2"},         {"iterations", "3"}};
    crd_i_source *bytes;
    crd_status status = crd_settings_create(context, &objects->settings, error);
    for (size_t i = 0; status == CRD_OK && i < sizeof values / sizeof *values; i++)
        status = crd_settings_set(objects->settings, values[i][0], crd_text_of(values[i][1]), error);
    if (status == CRD_OK) status = crd_i_source_memory(context, rows, strlen(rows), true, &bytes, error);
    if (status == CRD_OK) status = crd_i_reader_open_source(context, bytes, "table", NULL, &objects->reader, error);
    if (status == CRD_OK) status = crd_reader_set_column_type(objects->reader, 2, CRD_TYPE_CATEGORICAL, error);
    if (status == CRD_OK)
        status = crd_model_train(context, objects->reader, objects->settings, &objects->model, NULL, error);
    if (status == CRD_OK) status = crd_model_fit(objects->model, error);
    if (status == CRD_OK) status = crd_fit_from_model(objects->model, NULL, &objects->report, error);
    if (status == CRD_OK) status = crd_network_from_model(objects->model, NULL, &objects->network, error);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    /* Where memory for the key of a fit is lacking, it is fitted anew. */
    for (allocation_trial trial = {.can_do_without = true}; allocation_trial_next(&trial);) {
        fit_objects objects = {0};
        crd_error error;
        assert_allocation_fails(&trial, whole_life(&objects, trial.context, &error), CRD_OK, error);
        crd_network_destroy(objects.network);
        crd_fit_destroy(objects.report);
        crd_model_destroy(objects.model);
        crd_reader_close(objects.reader);
        crd_settings_destroy(objects.settings);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
