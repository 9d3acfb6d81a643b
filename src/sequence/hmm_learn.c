/* SPDX-License-Identifier: MIT */
/* hmm_learn.c - training on labeled sequences. See hmm_internal.h and credence/hmm_train.h.
 *
 * The steps of many sequences are collected in frames, which the emission model learns like other rows. N-grams are
 * counted step by step. New counts are collected separately and then combined with the model, so a call that fails
 * changes nothing. The estimates derived from these counts are relative frequencies with smoothing: see
 * hmm_internal.h.
 *
 * Contents:
 *   1. Frames of steps
 *   2. Counting
 *   3. Training
 *   4. Model updates */
#include "sequence/hmm_internal.h"

#include "base/memory.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "model/accumulate.h"
#include "model/learn.h"
#include "model/model_parts.h"
#include "processes/group.h"
#include "sequence/data/sequences.h"
#include "table/frame.h"
#include "table/read/reader.h"

#include <credence/hmm_train.h>

#include <string.h>

/* ======== 1. Frames of steps ======== */

enum { MOST_ROWS = 8192 };

typedef struct learn_collection {
    crd_context *context;
    crd_frame *frame;
    size_t columns;   /* number of observation columns */
    double **numbers; /* MOST_ROWS numbers or codes for each column, according to its type */
    int32_t **codes;
    int32_t *labels;
} learn_collection;

static void gathered_clear(learn_collection *collection) {
    for (size_t i = 0; i < collection->columns; i++) {
        if (collection->numbers != NULL) crd_free(collection->context, collection->numbers[i]);
        if (collection->codes != NULL) crd_free(collection->context, collection->codes[i]);
    }
    crd_free(collection->context, collection->numbers);
    crd_free(collection->context, collection->codes);
    crd_free(collection->context, collection->labels);
    crd_frame_destroy(collection->frame);
}

static crd_status hmm_learn_add_column(learn_collection *collection, const crd_sequences *sequences, size_t i,
                                       crd_error *error) {
    crd_i_column column = {.type = crd_i_sequences_column_type(sequences, i)};
    if (column.type == CRD_TYPE_NUMERIC) {
        column.numbers = collection->numbers[i] =
            crd_i_alloc(collection->context, MOST_ROWS, sizeof **collection->numbers);
        if (column.numbers == NULL) return crd_i_fail_memory(error);
    } else if (column.type == CRD_TYPE_CATEGORICAL) {
        column.codes = collection->codes[i] = crd_i_alloc(collection->context, MOST_ROWS, sizeof **collection->codes);
        if (column.codes == NULL) return crd_i_fail_memory(error);
        column.dictionary = (crd_i_dictionary *)crd_i_sequences_values(sequences, i);
    }
    return crd_i_frame_add(collection->frame, crd_sequences_column_name(sequences, i), &column, error);
}

/* Creates the frame for the steps of a batch, with the columns of the sequences and their target. */
static crd_status gathered_init(learn_collection *collection, crd_context *context, const crd_sequences *sequences,
                                crd_error *error) {
    const learn_collection empty = {.context = context};
    *collection = empty;
    collection->columns = crd_sequences_column_count(sequences);
    collection->numbers = crd_i_alloc_zeroed(context, collection->columns, sizeof *collection->numbers);
    collection->codes = crd_i_alloc_zeroed(context, collection->columns, sizeof *collection->codes);
    collection->labels = crd_i_alloc(context, MOST_ROWS, sizeof *collection->labels);
    if (collection->numbers == NULL || collection->codes == NULL || collection->labels == NULL)
        return crd_i_fail_memory(error);
    crd_status status = crd_frame_create(context, MOST_ROWS, &collection->frame, error);
    for (size_t i = 0; status == CRD_OK && i < collection->columns; i++)
        status = hmm_learn_add_column(collection, sequences, i, error);
    if (status != CRD_OK) return status;
    const crd_i_dictionary *labels = crd_i_sequences_labels(sequences);
    const crd_i_column target = {.type = labels == NULL ? CRD_TYPE_NONE : CRD_TYPE_CATEGORICAL,
                                 .codes = labels == NULL ? NULL : collection->labels,
                                 .dictionary = (crd_i_dictionary *)labels};
    status = crd_i_frame_add(collection->frame, crd_sequences_target(sequences), &target, error);
    collection->frame->rows = 0;
    return status;
}

/* Appends the steps of a block. The frame must have room for them. */
static void hmm_learn_gather(learn_collection *collection, const crd_i_observation_block *block) {
    size_t index = collection->frame->rows, steps = block->steps;
    for (size_t i = 0; i < collection->columns; i++) {
        if (collection->numbers[i] != NULL)
            memcpy(collection->numbers[i] + index, block->numbers[i], steps * sizeof **collection->numbers);
        if (collection->codes[i] != NULL)
            memcpy(collection->codes[i] + index, block->codes[i], steps * sizeof **collection->codes);
    }
    memcpy(collection->labels + index, block->labels, steps * sizeof *collection->labels);
    collection->frame->rows += steps;
}

/* ======== 2. Counting ======== */

/* Counts of sequences, before they are combined with a model. */
typedef struct learn_counter {
    crd_context *context;
    crd_model *emissions;
    crd_i_ngram_counts *transitions;
    crd_read_facts facts;
    int32_t *states; /* for each label: its state number in the counts */
    size_t known, capacity;
} learn_counter;

static void counting_clear(learn_counter *counter) {
    crd_model_destroy(counter->emissions);
    crd_i_ngram_counts_destroy(counter->transitions);
    crd_free(counter->context, counter->states);
    counter->emissions = NULL;
    counter->transitions = NULL;
    counter->states = NULL;
    counter->known = counter->capacity = 0;
}

static crd_status counting_init(learn_counter *counter, const crd_model *like, size_t order, crd_error *error) {
    const learn_counter empty = {.context = like->context, .facts = CRD_READ_FACTS_INIT};
    *counter = empty;
    crd_status status = crd_i_model_create_like(like, &counter->emissions, error);
    if (status == CRD_OK) status = crd_i_ngram_counts_create(like->context, order, &counter->transitions, error);
    return status;
}

/* Assigns states to labels that are new since the last batch. */
static crd_status hmm_learn_match_labels(learn_counter *counter, const crd_i_dictionary *labels, crd_error *error) {
    size_t count = labels == NULL ? 0 : crd_i_dictionary_size(labels);
    if (!crd_i_reserve(counter->context, &counter->states, &counter->capacity, count, sizeof *counter->states))
        return crd_i_fail_memory(error);
    for (; counter->known < count; counter->known++) {
        uint32_t state;
        crd_status status = crd_i_ngram_counts_state(counter->transitions,
                                                     crd_i_dictionary_text(labels, counter->known), &state, error);
        if (status != CRD_OK) return status;
        counter->states[counter->known] = (int32_t)state;
    }
    return CRD_OK;
}

static bool count_steps(learn_counter *counter, const crd_i_observation_block *block, crd_i_ngram_context *ngram) {
    int32_t states[CRD_I_BLOCK_STEPS];
    for (size_t t = 0; t < block->steps; t++) states[t] = block->labels[t] < 0 ? -1 : counter->states[block->labels[t]];
    return crd_i_ngram_counts_add_steps(counter->transitions, ngram, states, block->steps);
}

static crd_status learn_gathered(learn_counter *counter, learn_collection *collection, crd_error *error) {
    if (collection->frame->rows == 0) return CRD_OK;
    crd_status status = crd_i_accumulate_buffered(counter->emissions, collection->frame, &counter->facts, error);
    collection->frame->rows = 0;
    return status;
}

/* Counts one sequence: its n-grams at once, and its rows through the frame. */
static crd_status count_sequence(learn_counter *counter, const crd_sequences *sequences, size_t sequence,
                                 learn_collection *rows, crd_i_observation_room *workspace, crd_error *error) {
    crd_i_ngram_context ngram;
    crd_i_ngram_counts_begin(counter->transitions, &ngram);
    uint64_t length = crd_sequences_length(sequences, sequence);
    for (uint64_t source = 0; source < length;) {
        crd_i_observation_block block;
        if (crd_i_context_cancelled(counter->context)) return crd_i_fail_cancelled(error);
        crd_status status =
            crd_i_sequences_block(sequences, sequence, source, CRD_I_BLOCK_STEPS, workspace, &block, error);
        if (status == CRD_OK && rows->frame->rows + block.steps > MOST_ROWS)
            status = learn_gathered(counter, rows, error);
        if (status == CRD_OK && !count_steps(counter, &block, &ngram)) status = crd_i_fail_memory(error);
        if (status != CRD_OK) return status;
        hmm_learn_gather(rows, &block);
        counter->facts.inserted += crd_i_block_inserted(&block);
        source += block.steps;
    }
    if (counter->facts.sequences++ == 0 || length < counter->facts.shortest) counter->facts.shortest = length;
    if (length > counter->facts.longest) counter->facts.longest = length;
    return crd_i_ngram_counts_end(counter->transitions, &ngram) ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status fail_target(const crd_model *emissions, crd_error *error) {
    crd_text name = crd_model_target(emissions);
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "the sequences have no target column '%s'", crd_i_quote(name, quoted));
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

/* Counts all sequences of a batch. */
static crd_status count_batch(learn_counter *counter, const crd_sequences *sequences, crd_error *error) {
    learn_collection rows;
    crd_i_observation_room workspace = {.context = counter->context};
    if (!crd_sequences_has_target(sequences)) return fail_target(counter->emissions, error);
    crd_status status = hmm_learn_match_labels(counter, crd_i_sequences_labels(sequences), error);
    if (status != CRD_OK) return status;
    status = gathered_init(&rows, counter->context, sequences, error);
    for (size_t i = 0; status == CRD_OK && i < crd_sequences_count(sequences); i++)
        status = count_sequence(counter, sequences, i, &rows, &workspace, error);
    if (status == CRD_OK) status = learn_gathered(counter, &rows, error);
    counter->facts.crowded += crd_sequences_crowded(sequences);
    /* Numbers buffered in the model must not outlive the batch. */
    if (status == CRD_OK) status = crd_i_accumulate_flush(counter->emissions, error);
    gathered_clear(&rows);
    crd_i_observation_room_clear(&workspace);
    return status;
}

static void put_facts(const learn_counter *counter, crd_read_facts *facts) {
    crd_read_facts read_facts = counter->facts;
    if (facts == NULL) return;
    read_facts.weight = (double)read_facts.rows;
    crd_i_copy_out(&read_facts, sizeof read_facts, facts);
}

/* ======== 3. Training ======== */

/* Creates an empty emission model with the columns of the sequences. */
static crd_status create_emissions(const crd_sequences *sequences, const crd_settings *settings, crd_model **out,
                                   crd_error *error) {
    crd_context *context = crd_i_sequences_context(sequences);
    crd_settings *own_settings;
    *out = NULL;
    if (!crd_sequences_has_target(sequences))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "no column is set as the target, which must have the state of each row");
    if (settings != NULL && settings->components > 1) {
        crd_i_fail(error, CRD_ERROR_SETTING,
                   "labeled states are counted, so their number of components must be 1: mixture components need EM");
        crd_i_error_subject(error, crd_text_of("state-mixture"));
        return CRD_ERROR_SETTING;
    }
    crd_status status = crd_i_emission_settings(context, settings, &own_settings, error);
    if (status != CRD_OK) return status;
    crd_i_schema *schema = crd_i_schema_clone(crd_i_sequences_schema(sequences));
    status = schema == NULL ? crd_i_fail_memory(error) : crd_i_model_create(context, schema, own_settings, out, error);
    crd_settings_destroy(own_settings);
    return status;
}

static crd_status counting_begin(learn_counter *counter, const crd_sequences *sequences, const crd_settings *settings,
                                 crd_error *error) {
    crd_model *like;
    const learn_counter empty = {.context = crd_i_sequences_context(sequences), .facts = CRD_READ_FACTS_INIT};
    *counter = empty;
    crd_status status = create_emissions(sequences, settings, &like, error);
    if (status != CRD_OK) return status;
    status = counting_init(counter, like, settings == NULL ? 1 : settings->order, error);
    crd_model_destroy(like);
    return status;
}

static crd_status hmm_learn_fail_empty(const crd_read_facts *facts, crd_text target, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_EMPTY, "%s",
               facts->skipped > 0 ? "the target is missing in every row" : "no rows to learn from");
    if (facts->skipped > 0) crd_i_error_subject(error, target);
    return CRD_ERROR_EMPTY;
}

/* Creates the model from the counts. For a part of the rows, the counts may be empty. */
static crd_status hmm_learn_conclude(learn_counter *counter, bool is_part, const crd_sequence_options *options,
                                     const crd_settings *settings, crd_model **out, crd_error *error) {
    crd_i_hmm_content *content;
    if (counter->facts.rows == 0 && !is_part)
        return hmm_learn_fail_empty(&counter->facts, crd_model_target(counter->emissions), error);
    crd_model *emissions = counter->emissions;
    crd_i_ngram_counts *transitions = counter->transitions;
    counter->emissions = NULL;
    counter->transitions = NULL;
    crd_status status =
        crd_i_hmm_content_create(counter->context, emissions, transitions, 1, false, options, &content, error);
    return status == CRD_OK ? crd_i_sequence_model_create(content, settings, out, error) : status;
}

crd_status crd_sequences_train(const crd_sequences *sequences, const crd_settings *settings, crd_model **out,
                               crd_read_facts *facts, crd_error *error) {
    learn_counter counter;
    *out = NULL;
    crd_status status = counting_begin(&counter, sequences, settings, error);
    if (status == CRD_OK) status = count_batch(&counter, sequences, error);
    crd_sequence_options source = CRD_SEQUENCE_OPTIONS_INIT;
    const bool has_source = crd_i_sequences_source(sequences, &source) != 0;
    if (status == CRD_OK)
        status = hmm_learn_conclude(&counter, crd_i_sequences_are_part(sequences), has_source ? &source : NULL,
                                    settings, out, error);
    if (status == CRD_OK) put_facts(&counter, facts);
    counting_clear(&counter);
    return status;
}

/* Adopts values declared in later files, and column formats detected in the rows. */
static crd_status learn_columns(learn_counter *counter, const crd_i_schema *found_schema, crd_error *error) {
    crd_i_schema *own_schema = counter->emissions->schema;
    for (size_t i = 0; i < own_schema->count; i++) {
        const crd_i_schema_column *column = &found_schema->columns[i];
        if (!crd_i_column_format_equal(own_schema->columns[i].format, column->format)) {
            if (!crd_i_schema_set_column_format(own_schema, i, column->format, column->field))
                return crd_i_fail_memory(error);
            own_schema->columns[i].type = crd_i_column_format_type(column->format);
        }
        size_t count = column->values == NULL ? 0 : crd_i_dictionary_size(column->values);
        for (size_t code = 0; code < count; code++) {
            crd_text value = crd_i_dictionary_text(column->values, code);
            crd_status status = crd_i_model_declare_value(counter->emissions, i, value, error);
            if (status != CRD_OK) return status;
        }
    }
    return CRD_OK;
}

/* Counts all batches of a reader. `like` is the content of the model to be updated; NULL: a new model is trained. */
static crd_status count_reader(learn_counter *counter, crd_sequence_reader *reader, const crd_i_hmm_content *like,
                               const crd_settings *settings, crd_error *error) {
    for (;;) {
        crd_sequences *batch = NULL;
        crd_status status = crd_sequence_reader_next(reader, &batch, error);
        if (status != CRD_OK || batch == NULL) return status;
        if (counter->emissions == NULL)
            status = like == NULL ? counting_begin(counter, batch, settings, error)
                                  : counting_init(counter, like->emissions, like->transitions->order, error);
        if (status == CRD_OK) status = count_batch(counter, batch, error);
        const crd_i_schema *schema = crd_i_sequences_schema(batch);
        if (status == CRD_OK)
            status = like == NULL ? learn_columns(counter, schema, error)
                                  : crd_i_model_learn_new_formats(like->emissions, counter->emissions, schema, error);
        crd_sequences_destroy(batch);
        if (status != CRD_OK) return status;
    }
}

/* Prepares empty counts, for a part in which no sequence begins. */
static crd_status count_none(learn_counter *counter, crd_sequence_reader *reader, const crd_settings *settings,
                             crd_error *error) {
    crd_sequences *none = NULL;
    crd_status status = crd_i_sequence_reader_none(reader, &none, error);
    if (status == CRD_ERROR_EMPTY) crd_i_fail(error, CRD_ERROR_EMPTY, "no rows to learn from");
    if (status == CRD_OK) status = counting_begin(counter, none, settings, error);
    if (status == CRD_OK) status = learn_columns(counter, crd_i_sequences_schema(none), error);
    crd_sequences_destroy(none);
    return status;
}

/* Reports an id that continues in another part, unless reading failed before that row. */
static crd_status compare_ids(crd_sequence_reader *reader, crd_status status, crd_error *error) {
    crd_error fault;
    const crd_status compared = crd_sequence_reader_compare(reader, &fault);
    if (compared == CRD_OK) return status;
    if (error != NULL) *error = fault;
    return compared;
}

/* A pass that counts all batches of a reader. */
typedef struct count_pass {
    learn_counter *counter;
    crd_sequence_reader *sequences;
    const crd_settings *settings;
} count_pass;

static crd_status count_pass_make(void *state, crd_error *error) {
    const count_pass *pass = state;
    learn_counter *counter = pass->counter;
    counting_clear(counter);
    crd_i_sequence_reader_clear(pass->sequences);
    crd_status status = count_reader(counter, pass->sequences, NULL, pass->settings, error);
    if (status == CRD_OK && counter->emissions == NULL)
        status = count_none(counter, pass->sequences, pass->settings, error);
    return compare_ids(pass->sequences, status, error);
}

/* Counts all batches of this process's rows, with column types that all processes of a group have agreed on. */
static crd_status count_part(learn_counter *counter, crd_reader *reader, crd_sequence_reader *sequences,
                             const crd_settings *settings, crd_error *error) {
    count_pass pass = {counter, sequences, settings};
    const crd_status status = crd_i_reader_make_passes(reader, count_pass_make, &pass, error);
    /* A column may have had no values in the first batch, from which the model was created. */
    if (status == CRD_OK) crd_i_model_declare_types(counter->emissions);
    return status;
}

crd_status crd_sequence_train(crd_context *context, crd_reader *reader, const crd_sequence_options *options,
                              const crd_settings *settings, crd_model **out, crd_read_facts *facts, crd_error *error) {
    crd_sequence_reader *sequences = NULL;
    learn_counter counter = {.context = context, .facts = CRD_READ_FACTS_INIT};
    *out = NULL;
    crd_status status = crd_sequence_reader_create(reader, options, &sequences, error);
    status = crd_i_group_agree(context->group, status, error);
    if (status != CRD_OK) {
        crd_sequence_reader_destroy(sequences);
        return status;
    }
    if (crd_i_reader_is_part(reader)) crd_i_reader_collect(reader, CRD_I_COLLECT_BESIDE);
    status = count_part(&counter, reader, sequences, settings, error);
    crd_sequence_options sequence = CRD_SEQUENCE_OPTIONS_INIT;
    crd_sequence_reader_source(sequences, &sequence);
    if (status == CRD_OK)
        status = hmm_learn_conclude(&counter, crd_i_reader_is_shard(reader), &sequence, settings, out, error);
    if (status == CRD_OK) status = crd_i_model_remember_shard(*out, reader, error);
    if (status == CRD_OK) status = crd_i_model_reduce(context->group, out, &counter.facts, error);
    else {
        crd_model_destroy(*out);
        *out = NULL;
        status = crd_i_group_fail(context->group, status, error);
    }
    if (status == CRD_OK && context->group != NULL && counter.facts.rows == 0) {
        status = hmm_learn_fail_empty(&counter.facts, crd_model_target(*out), error);
        crd_model_destroy(*out);
        *out = NULL;
    }
    if (status == CRD_OK) put_facts(&counter, facts);
    counting_clear(&counter);
    crd_sequence_reader_destroy(sequences);
    return status;
}

/* ======== 4. Model updates ======== */

/* Combines the counts with the model. */
static crd_status hmm_learn_apply(const learn_counter *counter, crd_model *model, int sign, crd_read_facts *facts,
                                  crd_error *error) {
    const crd_i_hmm_content other = {.emissions = counter->emissions, .transitions = counter->transitions};
    crd_status status = counter->emissions == NULL ? CRD_OK : crd_i_sequence_model_combine(model, &other, sign, error);
    if (status == CRD_OK) put_facts(counter, facts);
    return status;
}

crd_status crd_i_sequence_learn_reader(crd_model *model, crd_reader *reader, crd_read_facts *facts, int sign,
                                       crd_error *error) {
    const crd_i_hmm_content *content = crd_i_hmm_content_of(model);
    crd_sequence_reader *sequences = NULL;
    learn_counter counter = {.context = model->context, .facts = CRD_READ_FACTS_INIT};
    crd_status status = crd_model_bind_to_learn(model, reader, error);
    if (status == CRD_OK && sign > 0) status = crd_i_reader_detect_new_formats(reader, error);
    if (status == CRD_OK) status = crd_sequence_reader_create(reader, &content->source, &sequences, error);
    if (status == CRD_OK) status = count_reader(&counter, sequences, content, NULL, error);
    if (status == CRD_OK && sign > 0 && counter.emissions != NULL)
        status = crd_i_model_check_columns(content->emissions, counter.emissions, true,
                                           crd_i_reader_detects_formats(reader), crd_i_reader_is_typed(reader), error);
    if (status == CRD_OK) status = hmm_learn_apply(&counter, model, sign, facts, error);
    counting_clear(&counter);
    crd_sequence_reader_destroy(sequences);
    return status;
}

static crd_status hmm_learn_change(crd_model *model, const crd_sequences *sequences, crd_read_facts *facts, int sign,
                                   crd_error *error) {
    const crd_i_hmm_content *content = crd_i_hmm_content_of(model);
    learn_counter counter = {.context = model->context, .facts = CRD_READ_FACTS_INIT};
    crd_status status =
        crd_i_sequence_model_check_counted(model, sign < 0 ? "forget sequences" : "learn sequences", error);
    if (status == CRD_OK && crd_i_sequences_context(sequences) != model->context)
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the sequences belong to another context");
    if (status == CRD_OK) status = counting_init(&counter, content->emissions, content->transitions->order, error);
    if (status == CRD_OK) status = count_batch(&counter, sequences, error);
    if (status == CRD_OK) status = hmm_learn_apply(&counter, model, sign, facts, error);
    counting_clear(&counter);
    return status;
}

crd_status crd_sequences_update(crd_model *model, const crd_sequences *sequences, crd_read_facts *facts,
                                crd_error *error) {
    return hmm_learn_change(model, sequences, facts, 1, error);
}

crd_status crd_sequences_forget(crd_model *model, const crd_sequences *sequences, crd_read_facts *facts,
                                crd_error *error) {
    return hmm_learn_change(model, sequences, facts, -1, error);
}
