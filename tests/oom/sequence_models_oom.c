/* SPDX-License-Identifier: MIT */
/* Each allocation of training, changing, writing, reading and deriving a model of sequences fails in turn: an error every time,
 * nothing that existed before has changed, and nothing is leaked. */
#include "hmm_support.h"

static const char table[] = "id,x,w,s\n1,1.5,red,A\n1,2.5,blue,A\n1,9,red,B\n2,8,,B\n2,,red,C\n";
static const char more[] = "id,x,w,s\n3,4,green,C\n3,5,red,D\n";

typedef struct models_objects {
    crd_context *context;
    crd_settings *settings;
    crd_model *model, *decoded;
    crd_sequences *sequences, *others;
    crd_hmm *hmm;
    unsigned char *bytes;
    size_t length;
} models_objects;

static crd_status train(models_objects *objects, crd_error *error) {
    return train_sequences(objects->context, table, objects->settings, &objects->model, error);
}

static crd_status encode(models_objects *objects, crd_error *error) {
    return crd_model_encode(objects->model, &objects->bytes, &objects->length, error);
}

static crd_status decode(models_objects *objects, crd_error *error) {
    return crd_model_decode(objects->context, objects->bytes, objects->length, &objects->decoded, error);
}

static crd_status update(models_objects *objects, crd_error *error) {
    return crd_sequences_update(objects->model, objects->others, NULL, error);
}

static crd_status update_by_reader(models_objects *objects, crd_error *error) {
    crd_reader *reader = NULL;
    crd_status status = open_text(objects->context, more, strlen(more), NULL, &reader, error);
    if (status == CRD_OK) status = crd_model_update_all(objects->model, reader, NULL, error);
    crd_reader_close(reader);
    return status;
}

static crd_status merge(models_objects *objects, crd_error *error) {
    return crd_model_merge(objects->model, objects->decoded, error);
}

static crd_status forget(models_objects *objects, crd_error *error) {
    return crd_sequences_forget(objects->model, objects->sequences, NULL, error);
}

static crd_status derive(models_objects *objects, crd_error *error) {
    return crd_hmm_create(objects->model, NULL, &objects->hmm, error);
}

static crd_status fill(models_objects *objects, crd_error *error) {
    double logs[3 * 8], row[8];
    crd_i_emission_binding *binding = NULL;
    crd_i_emission_room *workspace = NULL;
    crd_status status = crd_hmm_next(objects->hmm, NULL, 0, row, NULL, error);
    if (status == CRD_OK)
        status = crd_i_emission_bind(objects->hmm->emission, objects->sequences, objects->hmm->states, &binding, error);
    if (status == CRD_OK) status = crd_i_emission_room_create(binding, &workspace, error);
    if (status == CRD_OK) status = crd_i_emission_fill_clamped(binding, 0, 0, 3, logs, 8, workspace, error);
    crd_i_emission_room_destroy(workspace);
    crd_i_emission_binding_destroy(binding);
    return status;
}

/* Each allocation of one call fails, until none does. */
static void fail_each(crd_status (*call)(models_objects *objects, crd_error *error), models_objects *objects,
                      allocations *counted) {
    for (allocation_trial trial = {.counted = counted}; allocation_trial_next(&trial);) {
        crd_error error = {0};
        model_bytes before = {0}, after;
        if (objects->model != NULL) before = bytes_of(objects->model, objects->context);
        assert_allocation_fails(&trial, call(objects, &error), CRD_OK, error);
        if (trial.has_failed && objects->model != NULL) {
            after = bytes_of(objects->model, objects->context);
            assert_same_bytes(before, after);
            free_bytes(after);
        }
        if (before.bytes != NULL) free_bytes(before);
    }
}

static void every_allocation(void **state) {
    (void)state;
    allocations counted = {0};
    models_objects objects = {.context = counted_context(&counted)};
    crd_status (*const calls[])(models_objects *, crd_error *) = {train, encode, decode, update, update_by_reader,
                                                                  merge, forget, derive, fill};
    objects.settings = settings_of(objects.context, WITH("order", "2"));
    objects.sequences = read_sequences(objects.context, table, "s");
    objects.others = read_sequences(objects.context, more, "s");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) fail_each(calls[i], &objects, &counted);
    crd_hmm_destroy(objects.hmm);
    crd_sequences_destroy(objects.sequences);
    crd_sequences_destroy(objects.others);
    crd_model_destroy(objects.model);
    crd_model_destroy(objects.decoded);
    crd_settings_destroy(objects.settings);
    crd_free(objects.context, objects.bytes);
    crd_context_destroy(objects.context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
