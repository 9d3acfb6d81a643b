/* SPDX-License-Identifier: MIT */
/* learn.c - learns and forgets rows.
 *
 * Rows are first added to a temporary model, which is then combined with the model to change. So a call that fails, in
 * its first row or its millionth, has changed nothing.
 *
 * Contents:
 *   1. Training on a reader
 *   2. Learning and forgetting
 *   3. Numeric rows in memory */
#include "model/learn.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "math/exact/ieee754.h"
#include "model/accumulate.h"
#include "model/joint_tallies.h"
#include "model/model_parts.h"
#include "model/similar_classes.h"
#include "processes/group.h"
#include "table/missing_values.h"
#include "table/read/reader.h"

#include <credence/rows.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Training on a reader ========
 *
 * Each thread adds the rows of its frames to its own model. These models are then combined. Sums are exact, so the result
 * does not depend on which thread read which rows. */

/* Rows that move from one class to another are counted under both. */
enum { MAX_CLASSES = 2 };

typedef struct reader_member {
    crd_model *models[MAX_CLASSES];
    crd_read_facts facts;
} reader_member;

/* A cell that is treated as missing, although it may be a word in a categorical column. */
typedef struct noted_cell {
    uint64_t column; /* index in the model */
    uint64_t place;  /* index in the frame */
    uint64_t process;
    char text[48];
} noted_cell;

typedef struct work {
    crd_reader *reader;
    crd_i_buffer *noted; /* noted cells, at most one per column */
    const crd_model *like;
    /* classes that the caller specified for all rows; bytes NULL: rows have their own class */
    crd_text classes[MAX_CLASSES];
    size_t model_count;
    reader_member *members; /* one per slot */
    unsigned member_count;
    bool is_begun; /* the first frame of the pass has been added */
} work;

/* Returns whether a text contains a letter. Signs such as ? can hardly mean anything other than missing. */
static bool has_letter(crd_text text) {
    bool has = false;
    for (size_t i = 0; i < text.length && !has; i++)
        has = (text.bytes[i] | 0x20) >= 'a' && (text.bytes[i] | 0x20) <= 'z';
    return has;
}

/* Counts skipped rows whose target cell contains a word, and stores such a word. */
static void note_skipped(reader_member *member, const crd_worker *worker, const crd_frame *frame) {
    const crd_i_schema *schema = member->models[0]->schema;
    size_t target = 0, columns = crd_frame_column_count(frame);
    crd_text name = schema->columns[schema->target].name;
    while (target < columns && !crd_text_equal(crd_frame_column_name(frame, target), name)) target++;
    for (size_t row = 0; target < columns && row < crd_frame_rows(frame); row++) {
        if (crd_frame_value(frame, row, target).type != CRD_TYPE_NONE) continue;
        crd_text text = crd_i_worker_text_at(worker, row, target);
        if (!has_letter(text)) continue;
        member->facts.skipped_with_text++;
        crd_i_read_facts_note(&member->facts, text);
    }
}

/* Returns the first cell of a column that is spelled None; bytes NULL: there is none. */
static crd_text find_none(const crd_worker *worker, const crd_frame *frame, size_t column) {
    const crd_text none = {NULL, 0};
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        if (crd_frame_value(frame, row, column).type != CRD_TYPE_NONE) continue;
        const crd_text text = crd_i_worker_text_at(worker, row, column);
        if (crd_text_equal(crd_i_missing_spelling(text), crd_text_of("None"))) return text;
    }
    return none;
}

/* Notes columns with cells None. Some programs write None for a missing cell, others use it as a value; so it is
 * reported for categorical columns. Only the first frame is checked, so the result does not depend on the number of
 * threads. */
static crd_status note_none(const work *shared, const crd_worker *worker, const crd_frame *frame, crd_error *error) {
    const crd_i_schema *schema = shared->like->schema;
    bool done = true;
    if (!crd_i_reader_begins_early(shared->reader)) return CRD_OK;
    for (size_t i = 0; done && i < crd_frame_column_count(frame); i++) {
        const crd_text name = crd_frame_column_name(frame, i);
        const bool is_target = crd_text_equal(name, schema->columns[schema->target].name);
        /* If this part has no other cells in the column, the column's type is not known yet. */
        const crd_column_type type = crd_frame_column_type(frame, i);
        if ((type != CRD_TYPE_CATEGORICAL && type != CRD_TYPE_NONE) || is_target) continue;
        const crd_text text = find_none(worker, frame, i);
        const size_t column = text.bytes == NULL ? SIZE_MAX : crd_i_schema_find(schema, name);
        noted_cell noted = {.column = column, .place = i, .process = crd_i_group_rank(shared->like->context->group)};
        if (column == SIZE_MAX) continue;
        memcpy(noted.text, text.bytes, text.length < sizeof noted.text ? text.length : sizeof noted.text - 1);
        done = crd_i_buffer_append(shared->noted, &noted, sizeof noted);
    }
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static int by_column(const void *a, const void *b) {
    const noted_cell *one = a, *other = b;
    if (one->column != other->column) return one->column < other->column ? -1 : 1;
    return one->process < other->process ? -1 : one->process > other->process;
}

/* Logs the noted cells of categorical columns, one per column. */
static void report_noted(const work *shared) {
    noted_cell *noted = (noted_cell *)(void *)shared->noted->bytes;
    const size_t count = shared->noted->length / sizeof *noted;
    if (count > 0) qsort(noted, count, sizeof *noted, by_column);
    for (size_t i = 0; i < count; i++) {
        char shown[CRD_I_QUOTED_ROOM], cell[CRD_I_QUOTED_ROOM];
        const crd_text name = shared->like->schema->columns[noted[i].column].name;
        if (i > 0 && noted[i].column == noted[i - 1].column) continue;
        if (crd_i_reader_column_type(shared->reader, (size_t)noted[i].place) != CRD_TYPE_CATEGORICAL) continue;
        crd_i_context_log(shared->like->context, CRD_LOG_NOTE, CRD_LOG_MISSING_WORD, name,
                          "'%s' has values '%s', which are treated as missing", crd_i_quote(name, shown),
                          crd_i_quote(crd_text_of(noted[i].text), cell));
    }
}

static crd_status encode_noted(void *object, crd_i_encoder *encoder, crd_error *error) {
    const work *shared = object;
    (void)error;
    crd_i_encode_bytes(encoder, shared->noted->bytes, shared->noted->length);
    return CRD_OK;
}

static crd_status add_noted(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    const work *shared = object;
    if (rank == 0) shared->noted->length = 0;
    while (crd_i_cursor_left(part) > 0) {
        noted_cell theirs;
        crd_i_decode_bytes(part, &theirs, sizeof theirs);
        if (part->failed || theirs.column >= shared->like->schema->count) return crd_i_fail_received(error);
        theirs.text[sizeof theirs.text - 1] = '\0';
        if (!crd_i_buffer_append(shared->noted, &theirs, sizeof theirs)) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

static void destroy_members(work *shared) {
    for (unsigned i = 0; shared->members != NULL && i < shared->member_count; i++)
        for (size_t j = 0; j < shared->model_count; j++) crd_model_destroy(shared->members[i].models[j]);
    crd_free(shared->like->context, shared->members);
    shared->members = NULL;
}

/* Begins a pass: discards all results. */
static crd_status tally_begin(void *user, crd_error *error) {
    work *shared = user;
    destroy_members(shared);
    shared->noted->length = 0;
    shared->is_begun = false;
    shared->members = crd_i_alloc_zeroed(shared->like->context, shared->member_count, sizeof *shared->members);
    if (shared->members == NULL) return crd_i_fail_memory(error);
    for (unsigned i = 0; i < shared->member_count; i++) shared->members[i].facts = (crd_read_facts)CRD_READ_FACTS_INIT;
    return CRD_OK;
}

/* Creates the models of a member, unless it has them already. */
static crd_status create_models(const work *shared, reader_member *member, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; i < shared->model_count && status == CRD_OK && member->models[i] == NULL; i++) {
        status = crd_i_model_create_like(shared->like, &member->models[i], error);
        if (status == CRD_OK) member->models[i]->row_class = shared->classes[i];
    }
    return status;
}

/* Adds the rows of a frame to the models of a member. The first frame is added before other threads begin. */
static crd_status tally_frame(void *user, unsigned slot, const crd_worker *worker, const crd_frame *frame,
                              crd_error *error) {
    work *shared = user;
    reader_member *member = &shared->members[slot];
    crd_read_facts same = CRD_READ_FACTS_INIT;
    const uint64_t skipped = member->facts.skipped;
    const bool is_first = !shared->is_begun;
    if (is_first) shared->is_begun = true;
    crd_status status = create_models(shared, member, error);
    if (status == CRD_OK) status = crd_i_accumulate_buffered(member->models[0], frame, &member->facts, error);
    for (size_t i = 1; i < shared->model_count && status == CRD_OK; i++)
        status = crd_i_accumulate_buffered(member->models[i], frame, &same, error);
    if (status == CRD_OK && member->facts.skipped > skipped) note_skipped(member, worker, frame);
    return status == CRD_OK && is_first ? note_none(shared, worker, frame, error) : status;
}

/* Combines the models of all members in the first member's models. */
static crd_status tally_finish(void *user, unsigned slots, crd_error *error) {
    work *shared = user;
    reader_member *first = &shared->members[0];
    crd_status status = create_models(shared, first, error);
    for (unsigned i = 0; status == CRD_OK && i < slots; i++) {
        const reader_member *member = &shared->members[i];
        if (member->models[0] == NULL) continue;
        for (size_t j = 0; status == CRD_OK && j < shared->model_count; j++) {
            status = crd_i_accumulate_flush(member->models[j], error);
            if (status == CRD_OK && i > 0) status = crd_i_model_combine(first->models[j], member->models[j], 1, error);
        }
        if (i > 0) crd_i_read_facts_add(&first->facts, &member->facts);
    }
    return status == CRD_OK && slots > 1 ? crd_i_accumulate_check_sizes(first->models[0], error) : status;
}

static void learn_reader_discard(const work *shared, crd_model **models) {
    for (size_t i = 0; i < shared->model_count; i++) {
        crd_model_destroy(models[i]);
        models[i] = NULL;
    }
}

/* Adds the rows of this process. In a group of processes, all of them use the same column types. */
static crd_status tally_part(work *shared, crd_model **models, crd_read_facts *facts, crd_error *error) {
    static const crd_i_merging noting = {encode_noted, add_noted};
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    crd_i_buffer noted = {.context = shared->like->context};
    map.user = shared;
    map.begin = tally_begin;
    map.work = tally_frame;
    map.finish = tally_finish;
    shared->noted = &noted;
    shared->member_count = crd_parallel_map_slots(&map, shared->reader);
    crd_status status = crd_reader_parallel_map(shared->reader, &map, error);
    if (status == CRD_OK) status = crd_i_group_merge(crd_i_reader_group(shared->reader), &noting, shared, error);
    if (status == CRD_OK) {
        report_noted(shared);
        *facts = shared->members[0].facts;
        for (size_t i = 0; i < shared->model_count; i++) {
            models[i] = shared->members[0].models[i];
            shared->members[0].models[i] = NULL;
        }
    }
    destroy_members(shared);
    crd_i_buffer_clear(&noted);
    return status;
}

/* Checks whether all parts together have too many rows for a model, if each process had a part of the rows. */
static crd_status model_check_whole(const crd_model *model, crd_error *error) {
    return model->context->group != NULL ? crd_i_accumulate_check_sizes(model, error) : CRD_OK;
}

static crd_status tally_all(work *shared, crd_model **models, crd_read_facts *facts, crd_error *error) {
    crd_status status = tally_part(shared, models, facts, error);
    if (status != CRD_OK) return crd_i_group_fail(shared->like->context->group, status, error);
    for (size_t i = 0; status == CRD_OK && i < shared->model_count; i++) {
        crd_read_facts same = *facts;
        status = crd_i_model_reduce_rows(shared->reader, &models[i], &same, error);
        if (status == CRD_OK && i + 1 == shared->model_count) *facts = same;
    }
    if (status == CRD_OK) status = model_check_whole(models[0], error);
    if (status != CRD_OK) learn_reader_discard(shared, models);
    return status;
}

/* Creates a model of this process's rows only, if each process of a group has a part of them. All processes have
 * read their rows with the same column types. crd_i_model_reduce combines the models. */
static crd_status model_tally_part(const crd_model *like, crd_reader *reader, crd_model **out, crd_read_facts *facts,
                                   crd_error *error) {
    *out = NULL;
    work shared = {.reader = reader, .like = like, .classes = {crd_i_reader_class(reader)}, .model_count = 1};
    return tally_part(&shared, out, facts, error);
}

crd_status crd_i_model_tally_all(const crd_model *like, crd_reader *reader, crd_model **out, crd_read_facts *facts,
                                 crd_error *error) {
    *out = NULL;
    work shared = {.reader = reader, .like = like, .classes = {crd_i_reader_class(reader)}, .model_count = 1};
    return tally_all(&shared, out, facts, error);
}

/* Creates two models of all rows: one in which all rows have class `one`, and one in which they have class `other`;
 * see crd_reader_set_class. */
static crd_status model_tally_as_both(const crd_model *like, crd_reader *reader, crd_text one, crd_text other,
                                      crd_model *out[2], crd_read_facts *facts, crd_error *error) {
    out[0] = out[1] = NULL;
    work shared = {.reader = reader, .like = like, .classes = {one, other}, .model_count = MAX_CLASSES};
    return tally_all(&shared, out, facts, error);
}

/* ======== 2. Learning and forgetting ======== */

/* Adds the values that later files declared, and the column formats. They are known after all files were read. */
static crd_status learn_declared_values(crd_model *model, const crd_reader *reader, crd_error *error) {
    crd_i_schema *schema;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < schema->count; i++) {
        if (status == CRD_OK && !crd_i_model_learn_format(model, i, &schema->columns[i]))
            status = crd_i_fail_memory(error);
        const crd_i_dictionary *values = schema->columns[i].values;
        size_t count = values == NULL ? 0 : crd_i_dictionary_size(values);
        for (size_t code = 0; status == CRD_OK && code < count; code++)
            status = crd_i_model_declare_value(model, i, crd_i_dictionary_text(values, code), error);
    }
    crd_i_schema_destroy(schema);
    return status;
}

crd_status crd_i_model_remember_shard(crd_model *model, const crd_reader *reader, crd_error *error) {
    const crd_i_schema *schema = crd_i_model_rows(model)->schema;
    unsigned count;
    const unsigned shard = crd_i_reader_shard(reader, &count);
    crd_i_part_evidence *fields, *columns;
    if (!crd_i_reader_collects(reader)) return CRD_OK;
    crd_status status = crd_i_reader_part(reader, &fields, error);
    if (status != CRD_OK) return status;
    columns = crd_i_part_evidence_create_like(fields, schema->count);
    for (size_t i = 0; columns != NULL && i < schema->count; i++) {
        const size_t field = schema->columns[i].position;
        const bool is_first = i == 0 || schema->columns[i - 1].position != field;
        if (!is_first || field >= fields->count) continue;
        columns->fields[i] = fields->fields[field];
        memset(&fields->fields[field], 0, sizeof fields->fields[field]);
    }
    crd_i_part_evidence_destroy(fields);
    if (columns == NULL) return crd_i_fail_memory(error);
    return crd_i_shards_create(model->context, shard, count, columns, &model->shards, error);
}

crd_status crd_i_model_train(crd_context *context, crd_i_schema *schema, crd_reader *reader,
                             const crd_settings *settings, crd_i_kept kept, crd_model **out, crd_read_facts *facts,
                             crd_error *error) {
    *out = NULL;
    crd_model *blank = NULL, *model = NULL;
    crd_read_facts read_facts = CRD_READ_FACTS_INIT;
    crd_status status = crd_i_model_create(context, schema, settings, &blank, error);
    if (status == CRD_OK) status = crd_i_model_keep(blank, kept, error);
    status = crd_i_group_agree(context->group, status, error);
    if (status != CRD_OK) {
        crd_model_destroy(blank);
        return status;
    }
    if (crd_i_reader_is_part(reader)) crd_i_reader_collect(reader, CRD_I_COLLECT_BESIDE);
    status = model_tally_part(blank, reader, &model, &read_facts, error);
    crd_model_destroy(blank);
    if (status == CRD_OK) status = learn_declared_values(model, reader, error);
    if (status == CRD_OK) status = crd_i_model_remember_shard(model, reader, error);
    status = status == CRD_OK ? crd_i_model_reduce_rows(reader, &model, &read_facts, error)
                              : crd_i_group_fail(context->group, status, error);
    if (status == CRD_OK) status = model_check_whole(model, error);
    if (status == CRD_OK && crd_i_model_declares_types(model)) crd_i_model_declare_types(model);
    const bool is_whole = context->group != NULL || !crd_i_reader_is_shard(reader);
    if (status == CRD_OK && read_facts.rows == 0 && is_whole) {
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "%s",
                            read_facts.weightless > 0 && read_facts.skipped > 0 ? "every row has weight 0, or no target"
                            : read_facts.weightless > 0                         ? "every row has weight 0"
                            : read_facts.skipped > 0                            ? "the target is missing in every row"
                                                                                : "no rows to learn from");
        if (read_facts.skipped > 0) crd_i_error_subject(error, model->schema->columns[model->schema->target].name);
        else if (read_facts.weightless > 0) crd_i_error_subject(error, crd_model_weight(model));
    }
    if (status != CRD_OK) {
        crd_model_destroy(model);
        return status;
    }
    read_facts.weight = crd_i_tally_total(crd_i_model_target(model)->tally, 0);
    if (facts != NULL) crd_i_copy_out(&read_facts, sizeof read_facts, facts);
    *out = model;
    return CRD_OK;
}

static crd_status learn_make_schema(const crd_context *context, const crd_reader *reader, const crd_settings *settings,
                                    crd_i_schema **out, crd_error *error) {
    *out = NULL;
    if (settings != NULL && settings->method == CRD_I_METHOD_SEQUENCE) {
        crd_i_fail(error, CRD_ERROR_SETTING, "the method sequence needs sequences of rows, but these are single rows");
        crd_i_error_subject(error, crd_text_of("method"));
        return CRD_ERROR_SETTING;
    }
    crd_status status = crd_i_reader_schema(reader, out, error);
    if (status != CRD_OK || (*out)->context == context) return status;
    crd_i_schema_destroy(*out);
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the reader belongs to another context");
}

static crd_status learn_train(crd_context *context, crd_reader *reader, const crd_settings *settings, crd_i_kept kept,
                              crd_model **out, crd_read_facts *facts, crd_error *error) {
    crd_i_schema *schema;
    *out = NULL;
    const crd_status status = learn_make_schema(context, reader, settings, &schema, error);
    if (status != CRD_OK) return crd_i_group_fail(context->group, status, error);
    return crd_i_model_train(context, schema, reader, settings, kept, out, facts, error);
}

crd_status crd_model_train(crd_context *context, crd_reader *reader, const crd_settings *settings, crd_model **out,
                           crd_read_facts *facts, crd_error *error) {
    const crd_i_kept no_more = {0, 0};
    return learn_train(context, reader, settings, no_more, out, facts, error);
}

crd_status crd_model_train_keeping(crd_context *context, crd_reader *reader, const crd_settings *settings,
                                   crd_text tallies, crd_model **out, crd_read_facts *facts, crd_error *error) {
    crd_i_kept kept = {0, 0};
    *out = NULL;
    crd_status status = crd_i_kept_parse(tallies, &kept, error);
    return status == CRD_OK ? learn_train(context, reader, settings, kept, out, facts, error) : status;
}

/* Learns (sign 1) or forgets (sign -1) the rows of a frame. */
static crd_status learn_change(crd_model *model, const crd_frame *frame, int sign, crd_error *error) {
    crd_model *batch;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_status status = crd_i_model_check_of_rows(model, sign < 0 ? "forget rows" : "learn rows", error);
    if (status == CRD_OK && sign < 0) status = crd_i_model_check_forgets(model, error);
    if (status == CRD_OK) status = crd_i_model_create_like(model, &batch, error);
    if (status != CRD_OK) return status;
    status = crd_i_accumulate_frame(batch, frame, &facts, error);
    if (status == CRD_OK) status = crd_i_model_combine(model, batch, sign, error);
    crd_model_destroy(batch);
    return status;
}

crd_status crd_model_update(crd_model *model, const crd_frame *frame, crd_error *error) {
    return learn_change(model, frame, 1, error);
}

crd_status crd_model_forget(crd_model *model, const crd_frame *frame, crd_error *error) {
    return learn_change(model, frame, -1, error);
}

/* Checks whether the caller may specify the class of all rows. */
static crd_status check_takes_class(const crd_model *model, crd_error *error) {
    const bool is_of_sequences = model->kind->change_all != NULL;
    if (!is_of_sequences && !model->schema->lacks_target) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a model %s cannot assign one class to all rows",
                      is_of_sequences ? "of sequences" : "without a target");
}

/* Determines the formats of columns that are new to the model, and checks the columns of a batch before it is
 * learned. */
static crd_status settle_columns(const crd_model *model, const crd_reader *reader, crd_model *batch, crd_error *error) {
    crd_i_schema *schema;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status == CRD_OK) status = crd_i_model_learn_new_formats(model, batch, schema, error);
    if (status == CRD_OK)
        status = crd_i_model_check_columns(model, batch, crd_i_model_declares_types(model),
                                           crd_i_reader_detects_formats(reader), crd_i_reader_is_typed(reader), error);
    crd_i_schema_destroy(schema);
    return status;
}

/* Learns (sign 1) or forgets (sign -1) all rows of a reader. */
static crd_status learn_change_all(crd_model *model, crd_reader *reader, crd_read_facts *facts, int sign,
                                   crd_error *error) {
    crd_model *batch = NULL;
    crd_read_facts read_facts = CRD_READ_FACTS_INIT;
    if (crd_i_reader_class(reader).bytes != NULL) {
        crd_status fits = check_takes_class(model, error);
        if (fits != CRD_OK) return fits;
    }
    if (model->kind->change_all != NULL) return model->kind->change_all(model, reader, facts, sign, error);
    crd_status status = crd_i_model_check_of_rows(model, sign < 0 ? "forget rows" : "learn rows", error);
    if (status == CRD_OK && sign < 0) status = crd_i_model_check_forgets(model, error);
    if (status == CRD_OK) status = crd_model_bind_to_learn(model, reader, error);
    if (status == CRD_OK && !model->schema->lacks_target) status = crd_reader_skip_unlabeled(reader, error);
    if (status == CRD_OK && sign > 0) status = crd_i_reader_detect_new_formats(reader, error);
    status = crd_i_group_agree(model->context->group, status, error);
    if (status == CRD_OK) status = crd_i_model_tally_all(model, reader, &batch, &read_facts, error);
    if (status == CRD_OK && sign > 0 && !crd_i_reader_accepts_similar_classes(reader))
        status = crd_i_group_agree(model->context->group, crd_i_model_check_new_classes(model, batch, error), error);
    if (status == CRD_OK && sign > 0)
        status = crd_i_group_agree(model->context->group, settle_columns(model, reader, batch, error), error);
    if (status == CRD_OK) status = crd_i_model_combine_together(model, batch, sign, error);
    if (status == CRD_OK && sign > 0 && crd_i_model_declares_types(model)) crd_i_model_declare_types(model);
    if ((status == CRD_OK || status == CRD_ERROR_NOT_LEARNED) && facts != NULL) {
        read_facts.weight = crd_i_tally_total(crd_i_model_target(batch)->tally, 0);
        crd_i_copy_out(&read_facts, sizeof read_facts, facts);
    }
    crd_model_destroy(batch);
    return status;
}

crd_status crd_model_update_all(crd_model *model, crd_reader *reader, crd_read_facts *facts, crd_error *error) {
    return learn_change_all(model, reader, facts, 1, error);
}

crd_status crd_model_forget_all(crd_model *model, crd_reader *reader, crd_read_facts *facts, crd_error *error) {
    return learn_change_all(model, reader, facts, -1, error);
}

/* Subtracts one batch and adds another. If the second cannot be added, the first is added again. */
static crd_status learn_exchange(crd_model *model, const crd_model *out, const crd_model *in, crd_error *error) {
    crd_status status = crd_i_model_combine_together(model, out, -1, error);
    if (status != CRD_OK) return status;
    status = crd_i_model_combine_together(model, in, 1, error);
    if (status == CRD_OK) return CRD_OK;
    if (crd_i_model_combine(model, out, 1, NULL) != CRD_OK) status = crd_i_fail_memory(error);
    return crd_i_group_agree(model->context->group, status, error);
}

crd_status crd_model_move_all(crd_model *model, crd_reader *reader, crd_text view, crd_text target_text,
                              crd_read_facts *facts, crd_error *error) {
    crd_model *batches[2] = {NULL, NULL};
    crd_read_facts read_facts = CRD_READ_FACTS_INIT;
    crd_status status = crd_i_model_check_of_rows(model, "move rows to another class", error);
    if (status == CRD_OK) status = check_takes_class(model, error);
    if (status == CRD_OK) status = crd_i_model_check_forgets(model, error);
    /* The reader checks both class names, and is bound without a target. */
    if (status == CRD_OK) status = crd_reader_set_class(reader, target_text, error);
    if (status == CRD_OK) status = crd_reader_set_class(reader, view, error);
    if (status == CRD_OK) status = crd_model_bind_to_learn(model, reader, error);
    status = crd_i_group_agree(model->context->group, status, error);
    if (status == CRD_OK) status = model_tally_as_both(model, reader, view, target_text, batches, &read_facts, error);
    if (status == CRD_OK && !crd_i_reader_accepts_similar_classes(reader))
        status =
            crd_i_group_agree(model->context->group, crd_i_model_check_new_classes(model, batches[1], error), error);
    if (status == CRD_OK) status = learn_exchange(model, batches[0], batches[1], error);
    if ((status == CRD_OK || status == CRD_ERROR_NOT_LEARNED) && facts != NULL) {
        read_facts.weight = crd_i_tally_total(crd_i_model_target(batches[0])->tally, 0);
        crd_i_copy_out(&read_facts, sizeof read_facts, facts);
    }
    crd_model_destroy(batches[0]);
    crd_model_destroy(batches[1]);
    return status;
}

/* ======== 3. Numeric rows in memory ========
 *
 * Threads of a pool take chunks of rows in order, and each thread adds its chunks to its own model. These models are
 * then combined. Sums are exact, so the result does not depend on which thread took which rows. Unweighted rows of
 * contiguous doubles are summed in place. All other rows are copied into the columns of a frame, one chunk at a
 * time. */

/* Approximate number of values in a chunk: enough that taking a chunk costs nothing, few enough that all threads finish
 * at about the same time. */
enum { CHUNK_VALUES = 1 << 16, LEAST_CHUNK_ROWS = 256 };

typedef struct rows_member {
    crd_model *model;
    size_t *class_rows; /* number of rows of each class */
    crd_frame *frame;   /* frame for rows that cannot be summed in place; its columns point into `columns` */
    double *columns;
} rows_member;

typedef struct rows_job {
    const crd_model *model;
    const crd_rows *rows;
    size_t chunk_rows;
} rows_job;

/* ---- Checks ---- */

static crd_status learn_rows_fail(crd_error *error, crd_status status, size_t row, size_t column,
                                  const char *description) {
    crd_i_fail(error, status, "row %zu %s", row + 1, description);
    crd_i_error_place(error, NULL, row + 1, column);
    return status;
}

/* Returns whether rows can be summed in place. */
static bool learn_rows_is_plain(const crd_rows *rows) {
    return rows->weights == NULL && rows->floats == NULL && rows->column_stride == 1;
}

static double learn_rows_cell(const crd_rows *rows, size_t row, size_t column) {
    size_t index = row * rows->stride + column * rows->column_stride;
    return rows->floats != NULL ? (double)rows->floats[index] : rows->values[index];
}

static crd_status check_shape(const crd_model *model, const crd_rows *rows, crd_error *error) {
    size_t attributes = model->schema->count - 1;
    bool has_cells = rows->values != NULL || rows->floats != NULL;
    if (model->schema->weight.name.bytes != NULL && rows->weights == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the model needs row weights, but the rows have none");
    if (model->schema->weight.name.bytes == NULL && rows->weights != NULL) {
        crd_i_fail(error, CRD_ERROR_ARGUMENT, "the rows have weights, but the model has no weight column");
        crd_i_error_hint(error, "crd_model_set_weight");
        return CRD_ERROR_ARGUMENT;
    }
    if (rows->columns != attributes)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the rows have %zu columns, but the model has %zu attributes",
                          rows->columns, attributes);
    if (rows->column_stride == 1 && rows->stride < rows->columns)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the stride of rows with %zu columns is only %zu", rows->columns,
                          rows->stride);
    if (rows->values != NULL && rows->floats != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "expected rows of doubles or of floats, got both");
    if (rows->rows > 0 && (rows->classes == NULL || (!has_cells && rows->columns > 0)))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the rows have no values, or no classes");
    return CRD_OK;
}

static crd_status learn_rows_check_classes(const crd_rows *rows, size_t begin, size_t end, crd_error *error) {
    int32_t most = -1;
    for (size_t row = begin; row < end; row++) most = rows->classes[row] > most ? rows->classes[row] : most;
    if (most < 0 || (size_t)most < rows->class_count) return CRD_OK;
    for (size_t row = begin;; row++)
        if (rows->classes[row] >= 0 && (size_t)rows->classes[row] >= rows->class_count)
            return learn_rows_fail(error, CRD_ERROR_ARGUMENT, row, 0, "has a class without a name");
}

static crd_status learn_rows_fail_infinite(const rows_job *shared, size_t begin, size_t end, crd_error *error) {
    const crd_i_schema *schema = shared->model->schema;
    const crd_rows *rows = shared->rows;
    size_t at = begin * rows->columns;
    while (at < end * rows->columns && !isinf(learn_rows_cell(rows, at / rows->columns, at % rows->columns))) at++;
    size_t column = at % rows->columns;
    crd_text name = schema->columns[column < schema->target ? column : column + 1].name;
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_NUMBER, "the value of column '%s' is infinite: numbers must be finite",
               crd_i_quote(name, quoted));
    crd_i_error_subject(error, name);
    crd_i_error_place(error, NULL, at / rows->columns + 1, column + 1);
    return CRD_ERROR_NUMBER;
}

/* ---- Work of a thread ---- */

/* Numbers the classes like the caller. */
static crd_status learn_rows_name_classes(crd_model *model, const crd_rows *rows, crd_error *error) {
    crd_i_dictionary *classes = model->variables[model->schema->target].values;
    for (size_t i = 0; i < rows->class_count; i++) {
        crd_text name = rows->names[i];
        const char *fault = name.length > 0 && memchr(name.bytes, 0, name.length) != NULL ? "has a NUL byte"
                            : !crd_i_utf8_is_valid(name)                                  ? "is not valid UTF-8"
                                                                                          : NULL;
        int32_t code = fault != NULL ? 0 : crd_i_dictionary_add(classes, name);
        if (code < 0) return crd_i_fail_memory(error);
        if (fault == NULL && (size_t)code == i) continue;
        char quoted[CRD_I_QUOTED_ROOM];
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "class '%s' %s", crd_i_quote(name, quoted),
                          fault != NULL ? fault : "occurs twice among the names");
    }
    return CRD_OK;
}

static crd_status create_member_model(const crd_model *like, const crd_rows *rows, crd_model **out, crd_error *error) {
    *out = NULL;
    crd_i_schema *schema = crd_i_schema_clone(like->schema);
    if (schema == NULL) return crd_i_fail_memory(error);
    /* Declared classes would be numbered before the classes of the rows. They are added when the models are
     * combined. */
    crd_i_dictionary_destroy(schema->columns[schema->target].values);
    schema->columns[schema->target].values = NULL;
    crd_status status = crd_i_model_create_bare(like->context, schema, like->settings, out, error);
    if (status != CRD_OK) return status;
    crd_model *model = *out;
    status = crd_i_model_keep_like(model, like, error);
    if (status == CRD_OK) status = learn_rows_name_classes(model, rows, error);
    model->batch = crd_i_batch_create(model->context, crd_i_slicer_best());
    if (status == CRD_OK && model->batch == NULL) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < model->schema->count; i++) {
        if (i == model->schema->target) continue;
        status = crd_i_model_settle(model, i, CRD_TYPE_NUMERIC, error);
        if (status == CRD_OK && !crd_i_batch_join(model->batch, model->variables[i].tally))
            status = crd_i_fail_memory(error);
    }
    return status;
}

/* ---- Rows through frames ---- */

static crd_status learn_rows_check_weights(const crd_rows *rows, size_t begin, size_t end, crd_error *error) {
    for (size_t row = begin; rows->weights != NULL && row < end; row++)
        if (!(rows->weights[row] >= 0) || isinf(rows->weights[row]))
            return learn_rows_fail(error, CRD_ERROR_WEIGHT, row, 0,
                                   "has a weight that is missing, infinite or negative");
    return CRD_OK;
}

static size_t schema_column(const crd_i_schema *schema, size_t column) {
    return column < schema->target ? column : column + 1;
}

/* Returns the distance between two columns of the copy. It is not a power of two, which would map all columns to the
 * same cache sets. */
static size_t column_step(const rows_job *shared) {
    return shared->chunk_rows + 8;
}

/* Creates a frame with the model's columns and no rows. */
static crd_status learn_rows_make_frame(const rows_job *shared, rows_member *member, crd_error *error) {
    const crd_rows *rows = shared->rows;
    const crd_i_schema *schema = shared->model->schema;
    crd_context *context = shared->model->context;
    member->columns = crd_i_alloc(context, rows->columns * column_step(shared), sizeof *member->columns);
    if (member->columns == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_frame_create(context, 0, &member->frame, error);
    for (size_t c = 0; status == CRD_OK && c < rows->columns; c++)
        status =
            crd_frame_add_numbers(member->frame, schema->columns[schema_column(schema, c)].name, NULL, NULL, error);
    if (status == CRD_OK)
        status = crd_frame_add_codes(member->frame, schema->columns[schema->target].name, NULL, NULL, rows->names,
                                     rows->class_count, error);
    if (status == CRD_OK && rows->weights != NULL)
        status = crd_frame_add_numbers(member->frame, schema->weight.name, NULL, NULL, error);
    return status;
}

/* Columns are copied eight at a time, so each cache line is read once. `width` and `step` are compile-time constants in
 * the usual case. */
enum { PANEL = 8 };

static inline void copy_doubles(const crd_rows *rows, const double *source, size_t count, size_t width, size_t step,
                                double *destination, size_t stride) {
    for (size_t row = 0; row < count; row++, source += rows->stride)
        for (size_t i = 0; i < width; i++) destination[i * stride + row] = source[i * step];
}

static inline void copy_floats(const crd_rows *rows, const float *source, size_t count, size_t width, size_t step,
                               double *destination, size_t stride) {
    for (size_t row = 0; row < count; row++, source += rows->stride)
        for (size_t i = 0; i < width; i++) destination[i * stride + row] = (double)source[i * step];
}

static void learn_rows_copy_columns(const crd_rows *rows, size_t begin, size_t count, double *destination,
                                    size_t stride) {
    const size_t step = rows->column_stride;
    for (size_t first = 0; first < rows->columns; first += PANEL, destination += PANEL * stride) {
        const size_t left = rows->columns - first, width = left < PANEL ? left : PANEL;
        const size_t index = begin * rows->stride + first * step;
        const bool is_panel = width == PANEL && step == 1;
        if (rows->floats == NULL && is_panel)
            copy_doubles(rows, rows->values + index, count, PANEL, 1, destination, stride);
        else if (rows->floats == NULL)
            copy_doubles(rows, rows->values + index, count, width, step, destination, stride);
        else if (is_panel) copy_floats(rows, rows->floats + index, count, PANEL, 1, destination, stride);
        else copy_floats(rows, rows->floats + index, count, width, step, destination, stride);
    }
}

/* Sets the columns of the frame: to the caller's memory if possible, otherwise to copies. */
static void learn_rows_take_columns(const rows_job *shared, rows_member *member, size_t begin, size_t count) {
    const crd_rows *rows = shared->rows;
    const bool is_borrowed = rows->values != NULL && rows->stride == 1;
    if (!is_borrowed) learn_rows_copy_columns(rows, begin, count, member->columns, column_step(shared));
    for (size_t c = 0; c < rows->columns; c++)
        member->frame->columns[c].numbers =
            is_borrowed ? rows->values + c * rows->column_stride + begin : member->columns + c * column_step(shared);
}

static crd_status tally_through_frame(const rows_job *shared, rows_member *member, size_t begin, size_t end,
                                      crd_error *error) {
    const crd_rows *rows = shared->rows;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_status status = member->frame == NULL ? learn_rows_make_frame(shared, member, error) : CRD_OK;
    if (status == CRD_OK) status = learn_rows_check_weights(rows, begin, end, error);
    if (status != CRD_OK) return status;
    crd_frame *frame = member->frame;
    frame->rows = end - begin;
    learn_rows_take_columns(shared, member, begin, end - begin);
    for (size_t c = 0; c < rows->columns; c++)
        if (crd_i_has_infinity(frame->columns[c].numbers, end - begin))
            return learn_rows_fail_infinite(shared, begin, end, error);
    frame->columns[rows->columns].codes = rows->classes + begin;
    if (rows->weights != NULL) frame->columns[rows->columns + 1].numbers = rows->weights + begin;
    return crd_i_accumulate_buffered(member->model, frame, &facts, error);
}

/* ---- Rows summed in place ---- */

/* Adds the rows to the extra tallies, one column at a time, grouped by class. */
static bool learn_rows_add_extras(const rows_job *shared, rows_member *member, size_t begin, size_t end) {
    const crd_rows *rows = shared->rows;
    crd_model *model = member->model;
    size_t count = end - begin;
    crd_i_groups groups = {.context = model->context};
    double *column = crd_i_alloc(model->context, count, sizeof *column);
    bool done = column != NULL && crd_i_groups_init(&groups, model->context, rows->classes + begin, NULL, count);
    for (size_t c = 0; done && c < rows->columns; c++) {
        const crd_i_variable *variable = &model->variables[c < model->schema->target ? c : c + 1];
        const crd_i_cells cells = {.rows = count, .numbers = column};
        for (size_t row = 0; row < count; row++) column[row] = rows->values[(begin + row) * rows->stride + c];
        for (size_t i = 0; done && i < CRD_I_MOST_EXTRAS; i++) {
            crd_i_tally *extra = variable->extra[i];
            if (extra != NULL)
                done = extra->type->extend(extra, rows->class_count, 0) && extra->type->add(extra, &cells, &groups);
        }
    }
    crd_i_groups_clear(&groups);
    crd_free(model->context, column);
    return done;
}

/* Copies a column of the rows. Returns whether a counted row has a number in it. */
static bool learn_rows_copy_column(const crd_rows *rows, size_t c, size_t begin, size_t end, double *destination) {
    bool is_present = false;
    for (size_t row = begin; row < end; row++) {
        double number = rows->values[row * rows->stride + c];
        destination[row - begin] = number;
        is_present = is_present || (rows->classes[row] >= 0 && number == number);
    }
    return is_present;
}

/* Adds the rows to the joint tallies, with all columns at once. */
static crd_status add_joint_tallies(const rows_job *shared, rows_member *member, size_t begin, size_t end,
                                    crd_error *error) {
    const crd_rows *rows = shared->rows;
    crd_model *model = member->model;
    size_t count = end - begin;
    crd_i_offered offered;
    double *numbers = crd_i_alloc(model->context, count * rows->columns, sizeof *numbers);
    bool done = crd_i_offered_init(&offered, model->context, count, model->schema->count) && numbers != NULL;
    for (size_t c = 0; done && c < rows->columns; c++) {
        const crd_i_cells cells = {.rows = count, .numbers = numbers + c * count};
        if (learn_rows_copy_column(rows, c, begin, end, numbers + c * count))
            done = crd_i_offered_put(&offered, c < model->schema->target ? c : c + 1, &cells);
    }
    crd_status status =
        done ? crd_i_joint_tallies_wait(model, &offered, rows->classes + begin, error) : crd_i_fail_memory(error);
    crd_i_offered_clear(&offered);
    crd_free(model->context, numbers);
    return status;
}

static crd_status tally_chunk(const rows_job *shared, rows_member *member, size_t begin, size_t end, crd_error *error) {
    const crd_rows *rows = shared->rows;
    crd_status status = learn_rows_check_classes(rows, begin, end, error);
    if (status != CRD_OK) return status;
    if (!learn_rows_is_plain(rows)) return tally_through_frame(shared, member, begin, end, error);
    for (size_t row = begin; row < end; row++)
        if (rows->classes[row] >= 0) member->class_rows[rows->classes[row]]++;
    status = crd_i_batch_add_rows(member->model->batch, rows->values + begin * rows->stride, rows->stride, end - begin,
                                  rows->classes + begin, rows->class_count);
    if (status == CRD_ERROR_NUMBER) return learn_rows_fail_infinite(shared, begin, end, error);
    if (status == CRD_OK && member->model->extras != 0 && !learn_rows_add_extras(shared, member, begin, end))
        status = CRD_ERROR_MEMORY;
    if (status != CRD_OK) return crd_i_fail_memory(error);
    return member->model->joint_tally_count == 0 ? CRD_OK : add_joint_tallies(shared, member, begin, end, error);
}

/* Counts the classes: each class has the number of its rows as weight. */
static bool tally_classes(crd_model *model, const size_t *class_rows, size_t count) {
    crd_i_tally *tally = model->variables[model->schema->target].tally;
    int32_t *codes = crd_i_alloc(model->context, count, sizeof *codes);
    double *weights = crd_i_alloc(model->context, count, sizeof *weights);
    crd_i_groups all = {.context = model->context};
    bool done = codes != NULL && weights != NULL && tally->type->extend(tally, 1, count);
    for (size_t i = 0; done && i < count; i++) {
        codes[i] = (int32_t)i;
        weights[i] = (double)class_rows[i];
    }
    crd_i_cells cells = {.rows = count, .codes = codes};
    done =
        done && crd_i_groups_init(&all, model->context, NULL, weights, count) && tally->type->add(tally, &cells, &all);
    crd_i_groups_clear(&all);
    crd_free(model->context, codes);
    crd_free(model->context, weights);
    return done;
}

static crd_status learn_rows_chunk(void *state, void *workspace, size_t chunk, crd_error *error) {
    rows_job *shared = state;
    rows_member *member = workspace;
    const crd_rows *rows = shared->rows;
    crd_status status = CRD_OK;
    if (member->class_rows == NULL) {
        member->class_rows = crd_i_alloc_zeroed(shared->model->context, rows->class_count, sizeof *member->class_rows);
        status = member->class_rows == NULL  ? crd_i_fail_memory(error)
                 : learn_rows_is_plain(rows) ? create_member_model(shared->model, rows, &member->model, error)
                                             : crd_i_model_create_like(shared->model, &member->model, error);
    }
    const size_t begin = chunk * shared->chunk_rows;
    const size_t end = rows->rows - begin < shared->chunk_rows ? rows->rows : begin + shared->chunk_rows;
    return status == CRD_OK ? tally_chunk(shared, member, begin, end, error) : status;
}

/* Adds what a member has buffered to its model. */
static crd_status learn_rows_flush(const rows_job *shared, rows_member *member, crd_error *error) {
    if (learn_rows_is_plain(shared->rows) &&
        !tally_classes(member->model, member->class_rows, shared->rows->class_count))
        return crd_i_fail_memory(error);
    return crd_i_accumulate_flush(member->model, error);
}

/* ---- All rows ---- */

static crd_status learn_rows_change(crd_model *model, const crd_rows *given, int sign, crd_error *error) {
    crd_rows rows = CRD_ROWS_INIT;
    if (!crd_i_copy_in(given, &rows, sizeof rows))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the rows are not initialized");
    if (rows.stride == 0) rows.stride = rows.column_stride > 1 ? 1 : rows.columns;
    if (rows.column_stride == 0) rows.column_stride = 1;
    crd_status status = crd_i_model_check_of_rows(model, sign < 0 ? "forget rows" : "learn rows", error);
    if (status == CRD_OK) status = crd_i_model_check_target(model, error);
    if (status == CRD_OK) status = check_shape(model, &rows, error);
    if (status == CRD_OK && sign < 0) status = crd_i_model_check_forgets(model, error);
    if (status != CRD_OK) return status;

    rows_job shared = {.model = model, .rows = &rows};
    size_t chunk = CHUNK_VALUES / (rows.columns + 1);
    shared.chunk_rows = chunk / LEAST_CHUNK_ROWS * LEAST_CHUNK_ROWS + LEAST_CHUNK_ROWS;
    crd_i_parallel_loop loop = {.state = &shared,
                                .items = rows.rows / shared.chunk_rows + (rows.rows % shared.chunk_rows != 0),
                                .threads = rows.threads,
                                .work = learn_rows_chunk,
                                .workspace_size = sizeof(rows_member)};
    const unsigned size = crd_i_parallel_members(rows.threads, loop.items);
    rows_member *members = loop.workspaces = crd_i_alloc_zeroed(model->context, size, sizeof *members);
    if (members == NULL) return crd_i_fail_memory(error);
    status = crd_i_parallel_for(model->context, &loop, error);
    rows_member *all = NULL;
    for (unsigned i = 0; status == CRD_OK && i < size; i++) {
        if (members[i].model == NULL) continue;
        status = learn_rows_flush(&shared, &members[i], error);
        if (all == NULL) all = &members[i];
        else if (status == CRD_OK) status = crd_i_model_combine(all->model, members[i].model, 1, error);
    }
    if (status == CRD_OK && all != NULL) status = crd_i_model_combine(model, all->model, sign, error);
    for (unsigned i = 0; i < size; i++) {
        crd_model_destroy(members[i].model);
        crd_free(model->context, members[i].class_rows);
        crd_frame_destroy(members[i].frame);
        crd_free(model->context, members[i].columns);
    }
    crd_free(model->context, members);
    return status;
}

crd_status crd_model_update_rows(crd_model *model, const crd_rows *rows, crd_error *error) {
    return learn_rows_change(model, rows, 1, error);
}

crd_status crd_model_forget_rows(crd_model *model, const crd_rows *rows, crd_error *error) {
    return learn_rows_change(model, rows, -1, error);
}

crd_status crd_model_create_for_rows(crd_context *context, const crd_text *attributes, size_t attribute_count,
                                     crd_text target, const crd_settings *settings, crd_model **out, crd_error *error) {
    *out = NULL;
    crd_frame *like;
    crd_status status = crd_frame_create(context, 0, &like, error);
    for (size_t i = 0; status == CRD_OK && i < attribute_count; i++)
        status = crd_frame_add_numbers(like, attributes[i], NULL, NULL, error);
    if (status == CRD_OK) status = crd_frame_add_codes(like, target, NULL, NULL, NULL, 0, error);
    if (status == CRD_OK) status = crd_model_create(context, like, target, settings, out, error);
    crd_frame_destroy(like);
    return status;
}
