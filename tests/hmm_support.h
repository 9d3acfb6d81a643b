/* SPDX-License-Identifier: MIT */
/* hmm_support.h - models of sequences in tests, of tables given as text. */
#ifndef HMM_SUPPORT_H
#define HMM_SUPPORT_H

#include "model_support.h"

#include "sequence/hmm_internal.h"

static inline crd_settings *settings_of(crd_context *context, const char *const *pairs) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    for (; pairs != NULL && *pairs != NULL; pairs += 2)
        assert_done(crd_settings_set(settings, pairs[0], crd_text_of(pairs[1]), &error), error);
    return settings;
}

/* Of a table with a column of ids, `id`, and a target, `s`. */
static inline crd_status train_sequences(crd_context *context, const char *text, const crd_settings *settings,
                                         crd_model **out, crd_error *error) {
    crd_reader *reader;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    options.sequence = crd_text_of("id");
    *out = NULL;
    crd_status status = open_text(context, text, strlen(text), "s", &reader, error);
    if (status != CRD_OK) return status;
    status = crd_sequence_train(context, reader, &options, settings, out, NULL, error);
    crd_reader_close(reader);
    return status;
}

static inline crd_model *trained_sequences(crd_context *context, const char *text, const char *const *pairs) {
    crd_settings *settings = settings_of(context, pairs);
    crd_model *model;
    crd_error error;
    assert_done(train_sequences(context, text, settings, &model, &error), error);
    crd_settings_destroy(settings);
    return model;
}

/* Settings over the model's own. */
static inline crd_hmm *hmm_with(const crd_model *model, const char *const *pairs) {
    crd_settings *settings;
    crd_hmm *hmm;
    crd_error error;
    assert_done(crd_settings_clone(crd_model_settings(model), &settings, &error), error);
    for (; pairs != NULL && *pairs != NULL; pairs += 2)
        assert_done(crd_settings_set(settings, pairs[0], crd_text_of(pairs[1]), &error), error);
    assert_done(crd_hmm_create(model, settings, &hmm, &error), error);
    crd_settings_destroy(settings);
    return hmm;
}

/* The sequences of such a table, of which the target may be missing. */
static inline crd_sequences *read_sequences(crd_context *context, const char *text, const char *target) {
    crd_reader *reader;
    crd_sequences *sequences;
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    crd_error error;
    options.sequence = crd_text_of("id");
    assert_done(open_text(context, text, strlen(text), target, &reader, &error), error);
    assert_done(crd_sequences_read(reader, &options, &sequences, &error), error);
    crd_reader_close(reader);
    return sequences;
}

/* log P(x_t | state) of all steps of a sequence, step by step; the caller frees them. */
static inline double *emission_logs(const crd_hmm *hmm, const crd_sequences *sequences, size_t sequence) {
    crd_i_emission_binding *binding;
    crd_i_emission_room *workspace;
    crd_error error;
    size_t steps = (size_t)crd_sequences_length(sequences, sequence), stride = crd_i_chain_stride(hmm->chain);
    double *padded = calloc(steps * stride + 1, sizeof *padded),
           *logs = calloc(steps * hmm->state_count + 1, sizeof *logs);
    assert_done(crd_i_emission_bind(hmm->emission, sequences, hmm->states, &binding, &error), error);
    assert_done(crd_i_emission_room_create(binding, &workspace, &error), error);
    assert_done(crd_i_emission_fill(binding, sequence, 0, steps, padded, stride, workspace, &error), error);
    for (size_t t = 0; t < steps; t++)
        for (size_t k = 0; k < hmm->state_count; k++) logs[t * hmm->state_count + k] = padded[t * stride + k];
    free(padded);
    crd_i_emission_room_destroy(workspace);
    crd_i_emission_binding_destroy(binding);
    return logs;
}

#endif
