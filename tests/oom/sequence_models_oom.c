/* SPDX-License-Identifier: MIT */
/* Each allocation of training, changing, writing, reading and deriving a model of sequences fails in turn: an error every time,
 * nothing that existed before has changed, and nothing is leaked. */
#include "hmm_support.h"

static const char table[] = "id,x,w,s\n1,1.5,red,A\n1,2.5,blue,A\n1,9,red,B\n2,8,,B\n2,,red,C\n";
static const char more[] = "id,x,w,s\n3,4,green,C\n3,5,red,D\n";

typedef struct objects {
    crd_context *context;
    crd_settings *settings;
    crd_model *model, *decoded;
    crd_sequences *sequences, *others;
    crd_hmm *hmm;
    unsigned char *bytes;
    size_t length;
} objects;

static crd_status train(objects *of, crd_error *error) {
    return train_sequences(of->context, table, of->settings, &of->model, error);
}

static crd_status encode(objects *of, crd_error *error) {
    return crd_model_encode(of->model, &of->bytes, &of->length, error);
}

static crd_status decode(objects *of, crd_error *error) {
    return crd_model_decode(of->context, of->bytes, of->length, &of->decoded, error);
}

static crd_status update(objects *of, crd_error *error) {
    return crd_sequences_update(of->model, of->others, NULL, error);
}

static crd_status update_by_reader(objects *of, crd_error *error) {
    crd_reader *reader = NULL;
    crd_status status = open_text(of->context, more, strlen(more), NULL, &reader, error);
    if (status == CRD_OK) status = crd_model_update_all(of->model, reader, NULL, error);
    crd_reader_close(reader);
    return status;
}

static crd_status merge(objects *of, crd_error *error) {
    return crd_model_merge(of->model, of->decoded, error);
}

static crd_status forget(objects *of, crd_error *error) {
    return crd_sequences_forget(of->model, of->sequences, NULL, error);
}

static crd_status derive(objects *of, crd_error *error) {
    return crd_hmm_create(of->model, NULL, &of->hmm, error);
}

static crd_status fill(objects *of, crd_error *error) {
    double logs[3 * 8], row[8];
    crd_i_emission_binding *binding = NULL;
    crd_i_emission_room *room = NULL;
    crd_status status = crd_hmm_next(of->hmm, NULL, 0, row, NULL, error);
    if (status == CRD_OK)
        status = crd_i_emission_bind(of->hmm->emission, of->sequences, of->hmm->states, &binding, error);
    if (status == CRD_OK) status = crd_i_emission_room_create(binding, &room, error);
    if (status == CRD_OK) status = crd_i_emission_fill_clamped(binding, 0, 0, 3, logs, 8, room, error);
    crd_i_emission_room_destroy(room);
    crd_i_emission_binding_destroy(binding);
    return status;
}

/* Each allocation of one call fails, until none does. */
static void fail_each(crd_status (*call)(objects *of, crd_error *error), objects *of, allocations *counted) {
    for (size_t fail_at = 1;; fail_at++) {
        crd_error error = {0};
        model_bytes before = {0}, after;
        if (of->model != NULL) before = bytes_of(of->model, of->context);
        counted->calls = 0;
        counted->fail_at = fail_at;
        crd_status status = call(of, &error);
        bool failed = counted->calls >= fail_at;
        counted->fail_at = 0;
        if (status != (failed ? CRD_ERROR_MEMORY : CRD_OK)) fail_msg("allocation %d: %s", (int)fail_at, error.message);
        if (failed && of->model != NULL) {
            after = bytes_of(of->model, of->context);
            assert_same_bytes(before, after);
            free_bytes(after);
        }
        if (before.bytes != NULL) free_bytes(before);
        if (!failed) break;
    }
}

static void every_allocation(void **state) {
    (void)state;
    allocations counted = {0, 0, 0};
    objects of = {.context = counted_context(&counted)};
    crd_status (*const calls[])(objects *, crd_error *) = {train, encode, decode, update, update_by_reader,
                                                           merge, forget, derive, fill};
    of.settings = settings_of(of.context, WITH("order", "2"));
    of.sequences = read_sequences(of.context, table, "s");
    of.others = read_sequences(of.context, more, "s");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) fail_each(calls[i], &of, &counted);
    crd_hmm_destroy(of.hmm);
    crd_sequences_destroy(of.sequences);
    crd_sequences_destroy(of.others);
    crd_model_destroy(of.model);
    crd_model_destroy(of.decoded);
    crd_settings_destroy(of.settings);
    crd_free(of.context, of.bytes);
    crd_context_destroy(of.context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
