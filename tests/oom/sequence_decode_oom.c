/* SPDX-License-Identifier: MIT */
/* Each allocation of decoding sequences fails in turn: an error every time, and no leak; with threads too. */
#include "hmm_support.h"

#include <credence/hmm_decode.h>

static const char TABLE[] = "id,x,c,s\na,1.5,u,A\na,2,v,B\na,,v,A\nb,0.5,w,B\nb,3,u,B\nc,1,u,A\n";
enum { STATES = 2, ROWS = 6, SEQUENCES = 3 };

static crd_status ignore_piece(void *user, const crd_decoded *piece, crd_error *error) {
    (void)user, (void)piece, (void)error;
    return CRD_OK;
}

static crd_status filter_steps(const crd_hmm *hmm, const crd_sequences *sequences, crd_error *error) {
    crd_hmm_filter *filter = NULL;
    double row[STATES];
    crd_status status = crd_hmm_filter_create(hmm, 2, &filter, error);
    for (uint64_t t = 0; t < 3 && status == CRD_OK; t++)
        status = crd_hmm_filter_push(filter, sequences, 0, t, NULL, error);
    if (status == CRD_OK) status = crd_hmm_filter_posterior(filter, 1, 1, row, error);
    if (status == CRD_OK) status = crd_hmm_filter_forecast(filter, 3, row, error);
    crd_hmm_filter_destroy(filter);
    return status;
}

static crd_status ask(const crd_hmm *hmm, const crd_sequences *sequences, crd_error *error) {
    double logs[SEQUENCES], posteriors[ROWS * STATES];
    int32_t states[4 * ROWS];
    size_t path_count;
    crd_decode_options options = CRD_DECODE_OPTIONS_INIT;
    options.threads = 1;
    options.with_probabilities = 1;
    crd_status status = crd_hmm_log_likelihoods(hmm, sequences, 1, logs, error);
    if (status == CRD_OK) status = crd_hmm_posteriors(hmm, sequences, 1, posteriors, NULL, error);
    if (status == CRD_OK) status = crd_hmm_paths(hmm, sequences, 1, states, NULL, error);
    if (status == CRD_OK) status = crd_hmm_decode(hmm, sequences, &options, ignore_piece, NULL, error);
    options.best = 3;
    if (status == CRD_OK) status = crd_hmm_decode(hmm, sequences, &options, ignore_piece, NULL, error);
    if (status == CRD_OK) status = crd_hmm_best_paths(hmm, sequences, 0, 4, states, posteriors, &path_count, error);
    return status == CRD_OK ? filter_steps(hmm, sequences, error) : status;
}

/* Threads share allocations in any order, and where none is left for them the caller's does all. */
static crd_status ask_together(const crd_hmm *hmm, const crd_sequences *sequences, crd_error *error) {
    double logs[SEQUENCES];
    crd_decode_options options = CRD_DECODE_OPTIONS_INIT;
    options.threads = 2;
    crd_status status = crd_hmm_log_likelihoods(hmm, sequences, 2, logs, error);
    return status == CRD_OK ? crd_hmm_decode(hmm, sequences, &options, ignore_piece, NULL, error) : status;
}

static void fail_each(const char *order, crd_status (*question)(const crd_hmm *, const crd_sequences *, crd_error *),
                      bool is_alone) {
    for (allocation_trial trial = {.can_do_without = !is_alone}; allocation_trial_next(&trial);) {
        crd_error error = {.status = CRD_OK};
        crd_context *context = trial.context;
        crd_model *model = trained_sequences(context, TABLE, WITH("order", order));
        crd_sequences *sequences = read_sequences(context, TABLE, "s");
        crd_hmm *hmm = hmm_with(model, NULL);
        assert_allocation_fails(&trial, question(hmm, sequences, &error), CRD_OK, error);
        crd_hmm_destroy(hmm);
        crd_sequences_destroy(sequences);
        crd_model_destroy(model);
    }
}

static void each_allocation_fails(void **state) {
    (void)state;
    fail_each("1", ask, true);
    fail_each("3", ask, true);
    fail_each("1", ask_together, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
