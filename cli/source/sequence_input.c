/* SPDX-License-Identifier: MIT */
/* sequence_input.c - see sequence_input.h. */
#include "source/sequence_input.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/sequence_options.h"

#include <stdio.h>

/* Opens files of sequences for a model. is_divided: several processes divide the sequences. may_lack_ids: see
 * sequence_options_fit. */
static int sequence_input_open_input(const invocation *call, const crd_model *model, const char *const *paths,
                                     size_t count, bool keeps_text, bool is_divided, bool may_lack_ids,
                                     sequence_input *out) {
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    crd_error error;
    invocation reading = *call;
    *out = (sequence_input){.group = is_divided && invocation_is_collective(call) ? call->communicator : NULL};
    int ended = sequence_options_of_model(call, model, &options);
    out->is_scattered = options.time.bytes != NULL;
    reading.has_all_rows = out->group == NULL || out->is_scattered;
    if (ended == ENDED_WELL) ended = data_open_for(&reading, model, paths, count, keeps_text, &out->rows);
    if (ended != ENDED_WELL) return ended;
    if (may_lack_ids) sequence_options_fit(call, out->rows.reader, &options);
    out->has_ids = options.sequence.bytes != NULL;
    out->is_counted = out->group != NULL && !out->has_ids && !out->is_scattered;
    /* The number of sequences in a part is known only when all of it has been read. So the part is a single batch. */
    if (out->is_counted) options.batch_rows = SIZE_MAX;
    if (crd_model_bind(model, out->rows.reader, &error) == CRD_OK &&
        crd_sequence_reader_create(out->rows.reader, &options, &out->reader, &error) == CRD_OK)
        return ENDED_WELL;
    sequence_input_close(out);
    return message_error(&error);
}

int sequence_input_open(const invocation *call, const crd_model *model, const char *const *paths, size_t count,
                        bool keeps_text, sequence_input *out) {
    return sequence_input_open_input(call, model, paths, count, keeps_text, false, false, out);
}

int sequence_input_open_divided(const invocation *call, const crd_model *model, const char *const *paths, size_t count,
                                bool keeps_text, bool may_lack_ids, sequence_input *out) {
    return sequence_input_open_input(call, model, paths, count, keeps_text, true, may_lack_ids, out);
}

void sequence_input_close(sequence_input *input) {
    crd_sequence_reader_destroy(input->reader);
    data_close(&input->rows);
}

/* ---- Batches ---- */

static crd_status sequence_input_fail_to_reach(unsigned rank, crd_error *error) {
    *error = (crd_error){.status = invocation_interrupted() ? CRD_ERROR_CANCELLED : CRD_ERROR_SYSTEM};
    snprintf(error->message, sizeof error->message, "process %u of the group cannot be reached", rank);
    return error->status;
}

/* Counts the sequences of the processes before this one. Each process adds its own number to the sum that it receives
 * and passes it on. A process whose rows cannot be read adds 0. */
static crd_status count_before(sequence_input *input, crd_status status, const crd_sequences *batch, crd_error *error) {
    const crd_communicator *group = input->group;
    const unsigned next = group->rank + 1;
    uint64_t all = 0;
    input->is_counted = false;
    if (group->rank > 0 && group->receive(group->user, group->rank - 1, &all, sizeof all) != 0)
        return status == CRD_OK ? sequence_input_fail_to_reach(group->rank - 1, error) : status;
    input->before = all;
    if (status == CRD_OK && batch != NULL) all += crd_sequences_count(batch);
    if (next < group->count && group->send(group->user, next, &all, sizeof all) != 0)
        return status == CRD_OK ? sequence_input_fail_to_reach(next, error) : status;
    return status;
}

static crd_status sequence_input_take_batch(sequence_input *input, sequence_taker *take, void *user,
                                            const crd_sequences *batch, crd_error *error) {
    crd_sequences *sequences = NULL;
    const crd_sequences *taken = batch;
    crd_status status = CRD_OK;
    input->whole = batch;
    if (input->group != NULL && input->is_scattered) {
        size_t first = 0;
        status = crd_sequences_divide(batch, input->group->rank, input->group->count, &first, &sequences, error);
        input->before += first;
        taken = sequences;
    }
    if (status == CRD_OK && crd_sequences_count(taken) > 0) status = take(user, taken, error);
    if (status == CRD_OK) input->before += crd_sequences_count(taken);
    input->whole = NULL;
    crd_sequences_destroy(sequences);
    return status;
}

crd_status sequence_input_each(sequence_input *input, sequence_taker *take, void *user, crd_error *error) {
    crd_status status;
    bool is_over = false;
    do {
        crd_sequences *batch = NULL;
        status = crd_sequence_reader_next(input->reader, &batch, error);
        if (input->is_counted) status = count_before(input, status, batch, error);
        is_over = batch == NULL;
        if (status == CRD_OK && !is_over) status = sequence_input_take_batch(input, take, user, batch, error);
        crd_sequences_destroy(batch);
    } while (status == CRD_OK && !is_over);
    if (input->group == NULL) return status;
    /* Reports an id that occurs again in another part, unless reading an earlier row failed. */
    crd_error fault;
    const crd_status compared = crd_sequence_reader_compare(input->reader, &fault);
    if (compared == CRD_OK) return status;
    *error = fault;
    return compared;
}

int sequence_input_take(sequence_input *input, sequence_taker *take, void *user) {
    crd_error error;
    return sequence_input_each(input, take, user, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

int sequence_input_threads(const invocation *call, unsigned *out) {
    uint64_t threads = 0;
    int ended = arguments_whole(&call->arguments, "threads", &threads);
    *out = threads > 4096 ? 4096 : (unsigned)threads;
    return ended;
}
