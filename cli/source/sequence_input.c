/* SPDX-License-Identifier: MIT */
/* sequence_input.c - see sequence_input.h. */
#include "source/sequence_input.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/sequence_options.h"

int sequence_input_open(const invocation *call, const crd_model *model, const char *const *paths, size_t count,
                        bool keeps_text, sequence_input *out) {
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    crd_error error;
    *out = (sequence_input){.reader = NULL};
    int ended = sequence_options_of_model(call, model, &options);
    if (ended == ENDED_WELL) ended = data_open_for(call, model, paths, count, keeps_text, &out->rows);
    if (ended != ENDED_WELL) return ended;
    out->has_ids = options.sequence.bytes != NULL;
    if (crd_model_bind(model, out->rows.reader, &error) == CRD_OK &&
        crd_sequence_reader_create(out->rows.reader, &options, &out->reader, &error) == CRD_OK)
        return ENDED_WELL;
    sequence_input_close(out);
    return message_error(&error);
}

void sequence_input_close(sequence_input *input) {
    crd_sequence_reader_destroy(input->reader);
    data_close(&input->rows);
}

int sequence_input_take(sequence_input *input, const sequence_taker *taker) {
    crd_error error;
    crd_status status;
    crd_sequences *batch = NULL;
    do {
        status = crd_sequence_reader_next(input->reader, &batch, &error);
        if (status == CRD_RESTART) {
            taker->forget(taker->user);
            continue;
        }
        if (status != CRD_OK || batch == NULL) break;
        status = taker->take(taker->user, batch, &error);
        crd_sequences_destroy(batch);
    } while (status == CRD_OK || status == CRD_RESTART);
    return status == CRD_OK ? ENDED_WELL : message_error(&error);
}

int sequence_input_threads(const invocation *call, unsigned *out) {
    uint64_t threads = 0;
    int ended = arguments_whole(&call->arguments, "threads", &threads);
    *out = threads > 4096 ? 4096 : (unsigned)threads;
    return ended;
}
