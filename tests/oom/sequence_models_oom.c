/* SPDX-License-Identifier: MIT */
/* Each allocation of training, changing, writing, reading and deriving a model of sequences fails in turn: an error every time,
 * nothing that existed before has changed, and nothing is leaked. */
#include "hmm_support.h"

static const char table[] = "id,x,w,s\n1,1.5,red,A\n1,2.5,blue,A\n1,9,red,B\n2,8,,B\n2,,red,C\n";
static const char more[] = "id,x,w,s\n3,4,green,C\n3,5,red,D\n";

typedef struct objects {
    crd_settings *settings;
    crd_model *model, *decoded;
    crd_reader *reader;
    crd_sequences *sequences;
    crd_hmm *hmm;
    crd_i_emission_binding *binding;
    crd_i_emission_room *room;
    unsigned char *bytes;
} objects;

static void destroy(objects *made, crd_context *context) {
    crd_i_emission_room_destroy(made->room);
    crd_i_emission_binding_destroy(made->binding);
    crd_hmm_destroy(made->hmm);
    crd_sequences_destroy(made->sequences);
    crd_reader_close(made->reader);
    crd_model_destroy(made->model);
    crd_model_destroy(made->decoded);
    crd_settings_destroy(made->settings);
    crd_free(context, made->bytes);
}

static crd_status ask(objects *made, crd_context *context, crd_error *error) {
    double logs[3 * 8], row[8];
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    options.sequence = crd_text_of("id");
    crd_reader_close(made->reader);
    made->reader = NULL;
    crd_status status = open_text(context, table, strlen(table), "s", &made->reader, error);
    if (status == CRD_OK) status = crd_sequences_read(made->reader, &options, &made->sequences, error);
    if (status == CRD_OK) status = crd_hmm_create(made->model, NULL, &made->hmm, error);
    if (status == CRD_OK) status = crd_hmm_next(made->hmm, NULL, 0, row, NULL, error);
    if (status == CRD_OK)
        status = crd_i_emission_bind(made->hmm->emission, made->sequences, made->hmm->states, &made->binding, error);
    if (status == CRD_OK) status = crd_i_emission_room_create(made->binding, &made->room, error);
    if (status == CRD_OK) status = crd_i_emission_fill_clamped(made->binding, 0, 0, 3, logs, 8, made->room, error);
    return status;
}

static crd_status whole_life(objects *made, crd_context *context, crd_error *error) {
    size_t length;
    crd_status status = crd_settings_create(context, &made->settings, error);
    if (status == CRD_OK) status = crd_settings_set(made->settings, "order", crd_text_of("2"), error);
    if (status == CRD_OK) status = train_sequences(context, table, made->settings, &made->model, error);
    if (status == CRD_OK) status = crd_model_encode(made->model, &made->bytes, &length, error);
    if (status == CRD_OK) status = crd_model_decode(context, made->bytes, length, &made->decoded, error);
    if (status == CRD_OK) status = open_text(context, more, strlen(more), NULL, &made->reader, error);
    if (status == CRD_OK) status = crd_model_update_all(made->model, made->reader, NULL, error);
    if (status == CRD_OK) status = crd_model_merge(made->model, made->decoded, error);
    if (status == CRD_OK) status = ask(made, context, error);
    if (status == CRD_OK) status = crd_sequences_forget(made->model, made->sequences, NULL, error);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    for (size_t fail_at = 1;; fail_at++) {
        allocations counted = {0, 0, 0};
        crd_context *context = counted_context(&counted);
        crd_error error = {0};
        objects made = {0};
        assert_non_null(context);
        counted.calls = 0;
        counted.fail_at = fail_at;
        crd_status status = whole_life(&made, context, &error);
        bool failed = counted.calls >= fail_at;
        if (status != (failed ? CRD_ERROR_MEMORY : CRD_OK)) fail_msg("allocation %d: %s", (int)fail_at, error.message);
        counted.fail_at = 0;
        destroy(&made, context);
        crd_context_destroy(context);
        assert_int_equal(counted.live, 0);
        if (!failed) break;
    }
}

/* A change that fails leaves the model's bytes. */
static void changes_are_all_or_nothing(void **state) {
    (void)state;
    allocations counted = {0, 0, 0};
    crd_context *context = counted_context(&counted);
    crd_model *model = trained_sequences(context, table, WITH("order", "2"));
    crd_sequences *sequences = read_sequences(context, more, "s");
    model_bytes before = bytes_of(model, context);
    for (size_t fail_at = 1;; fail_at++) {
        crd_error error;
        counted.calls = 0;
        counted.fail_at = fail_at;
        crd_status status = crd_sequences_update(model, sequences, NULL, &error);
        counted.fail_at = 0;
        if (status == CRD_OK) break;
        assert_int_equal(status, CRD_ERROR_MEMORY);
        model_bytes after = bytes_of(model, context);
        assert_same_bytes(before, after);
        free_bytes(after);
    }
    free_bytes(before);
    crd_sequences_destroy(sequences);
    crd_model_destroy(model);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation),
                                       cmocka_unit_test(changes_are_all_or_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
