/* SPDX-License-Identifier: MIT */
/* sample_sequence.c - see sample_sequence.h. */
#include "verbs/sample/sample_sequence.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/row_stream.h"
#include "verbs/sample/sample_rows.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_SEQUENCES = 1, USUAL_SEQUENCES_THAT_END = 10 };

typedef struct sequence_draws {
    crd_sequence_sampler *sampler;
    crd_text id, time; /* names of the columns of id and time; time.bytes NULL: the model has no time */
    double step;
    uint64_t sequences, steps;
    bool may_end;
} sequence_draws;

static int sample_sequence_read_counts(const invocation *call, sequence_draws *d) {
    bool has_length = arguments_have(&call->arguments, "rows");
    d->may_end = !has_length && crd_sequence_sampler_ends(d->sampler);
    d->steps = d->may_end ? UINT64_MAX : USUAL_ROWS;
    d->sequences = d->may_end ? USUAL_SEQUENCES_THAT_END : USUAL_SEQUENCES;
    int ended = arguments_whole(&call->arguments, "sequences", &d->sequences);
    return ended == ENDED_WELL ? arguments_whole(&call->arguments, "rows", &d->steps) : ended;
}

/* Reads the columns that the model's files have. There is a column for the id even if sequences end at empty lines. */
static int sample_sequence_read_columns(const crd_model *model, sequence_draws *d) {
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    crd_error error;
    if (crd_model_sequence_options(model, &options, &error) != CRD_OK) return message_error(&error);
    d->id = options.sequence.bytes != NULL ? options.sequence : crd_text_of("sequence");
    d->time = options.time;
    d->step = options.step > 0 ? options.step : 1;
    return ENDED_WELL;
}

/* Draws the sequences and writes their steps as rows. */
static int write_sequences(const invocation *call, const sequence_draws *d) {
    enum { PLACES = 2 };
    size_t columns = crd_sequence_sampler_column_count(d->sampler), places = d->time.bytes != NULL ? PLACES : 1;
    crd_text *names = memory_resize(NULL, columns + PLACES, sizeof *names);
    bool *left = memory_resize(NULL, columns + PLACES, sizeof *left);
    crd_value *values = memory_resize(NULL, columns, sizeof *values);
    row_stream s = {0};
    names[0] = d->id;
    names[places - 1] = places > 1 ? d->time : d->id;
    for (size_t i = 0; i < places; i++) left[i] = false;
    for (size_t i = 0; i < columns; i++) {
        names[places + i] = crd_sequence_sampler_column_name(d->sampler, i);
        left[places + i] = crd_sequence_sampler_column_type(d->sampler, i) == CRD_TYPE_CATEGORICAL;
    }
    int ended = row_stream_open(call, &s);
    if (ended == ENDED_WELL) {
        row_stream_begin(&s, names, left, places + columns);
        for (uint64_t i = 0; i < d->sequences && row_stream_goes_on(&s); i++) {
            crd_sequence_sampler_begin(d->sampler, i);
            for (uint64_t t = 0; t < d->steps && row_stream_goes_on(&s); t++) {
                if (!crd_sequence_sampler_next(d->sampler, d->may_end, values)) break;
                row_stream_count(&s, (double)i + 1);
                if (places > 1) row_stream_number(&s, (double)t * d->step);
                sample_write_row(&s, values, columns);
            }
        }
        ended = row_stream_close(&s, ended);
    }
    free(names);
    free(left);
    free(values);
    return ended;
}

int sample_sequence(const invocation *call, const crd_model *model, const crd_settings *settings) {
    uint64_t seed = USUAL_SEED;
    sequence_draws d = {.sampler = NULL};
    crd_error error;
    int ended = arguments_whole(&call->arguments, "seed", &seed);
    if (ended == ENDED_WELL && crd_sequence_sampler_create(model, settings, seed, &d.sampler, &error) != CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) ended = sample_sequence_read_counts(call, &d);
    if (ended == ENDED_WELL) ended = sample_sequence_read_columns(model, &d);
    if (ended == ENDED_WELL) ended = write_sequences(call, &d);
    crd_sequence_sampler_destroy(d.sampler);
    return ended;
}
