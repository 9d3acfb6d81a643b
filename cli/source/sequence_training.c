/* SPDX-License-Identifier: MIT */
/* sequence_training.c - see sequence_training.h. */
#include "source/sequence_training.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/sequence_options.h"

#include <string.h>

/* ---- Options ---- */

/* What has no meaning where rows are steps of sequences. */
static int check_options(const invocation *call) {
    static const char *const others[] = {"shard", "tally", "grid", "hidden", "structure", "weight", "bootstrap"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (arguments_have(&call->arguments, others[i]))
            return message_usage("--%s is not for sequences (--method sequence)", others[i]);
    return ENDED_WELL;
}

static int read_settings(const invocation *call, crd_settings **out) {
    crd_error error;
    *out = NULL;
    if (crd_settings_create(call->context, out, &error) != CRD_OK) return message_error(&error);
    int ended = arguments_apply_settings(&call->arguments, *out);
    if (ended == ENDED_WELL && crd_settings_set(*out, "method", crd_text_of("sequence"), &error) != CRD_OK)
        ended = message_error(&error);
    return ended;
}

/* ---- Training ---- */

/* What is trained, and what of. */
typedef struct sequence_training {
    const invocation *call;
    data *d;
    crd_settings *settings;
    crd_sequence_options where;
} sequence_training;

static int train_labelled(const sequence_training *t, crd_model **out, crd_read_facts *facts) {
    crd_error error;
    if (crd_sequence_train(t->call->context, t->d->reader, &t->where, t->settings, out, facts, &error) != CRD_OK)
        return data_report_untrained(t->call, t->d, &error, t->d->paths[0]);
    return ENDED_WELL;
}

static int train(sequence_training *t, crd_model **out, crd_read_facts *facts) {
    *out = NULL;
    int ended = check_options(t->call);
    if (ended == ENDED_WELL && t->d->target.length == 0)
        ended = message_usage("%s: which column has the states? Name it with --target", t->d->paths[0]);
    if (ended == ENDED_WELL) ended = sequence_options_read(t->call, &t->where);
    if (ended == ENDED_WELL) ended = read_settings(t->call, &t->settings);
    if (ended == ENDED_WELL) ended = train_labelled(t, out, facts);
    crd_settings_destroy(t->settings);
    return ended;
}

int sequence_training_run(const invocation *call, data *d, crd_model **out, crd_read_facts *facts, int *ending) {
    sequence_training t = {.call = call, .d = d, .where = CRD_SEQUENCE_OPTIONS_INIT};
    (void)ending;
    return train(&t, out, facts);
}

int sequence_training_in_memory(const invocation *call, data *d, crd_model **out) {
    sequence_training t = {.call = call, .d = d, .where = CRD_SEQUENCE_OPTIONS_INIT};
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    return train(&t, out, &facts);
}
