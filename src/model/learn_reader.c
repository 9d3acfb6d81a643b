/* SPDX-License-Identifier: MIT */
/* learn_reader.c - trains a model on all rows of a reader, in parallel.
 *
 * Each thread of a pool adds the rows of its worker to its own model. These models are then combined. Sums are exact,
 * so the result does not depend on which thread read which rows. The first frame is added before the pool starts,
 * because a small file is not worth a thread. */
#include "model/learn_reader.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "model/accumulate.h"
#include "model/merge.h"
#include "model/model_create.h"
#include "model/reduce_model.h"
#include "table/missing_values.h"
#include "table/read/reader.h"

#include <stdlib.h>
#include <string.h>

/* Rows that move from one class to another are counted under both. */
enum { MOST_CLASSES = 2 };

typedef struct reader_member {
    crd_worker *worker;
    crd_model *models[MOST_CLASSES];
    crd_read_facts facts;
    bool is_first; /* it will read the first frame */
    crd_status status;
    crd_error error;
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
    crd_text classes[MOST_CLASSES];
    size_t model_count;
    reader_member *members;
} work;

/* Returns whether a text contains a letter. Signs such as ? can hardly mean anything other than missing. */
static bool has_letter(crd_text text) {
    bool has = false;
    for (size_t i = 0; i < text.length && !has; i++)
        has = (text.bytes[i] | 0x20) >= 'a' && (text.bytes[i] | 0x20) <= 'z';
    return has;
}

/* Counts skipped rows whose target cell contains a word, and stores such a word. */
static void note_skipped(reader_member *member, const crd_frame *frame) {
    const crd_i_schema *schema = member->models[0]->schema;
    size_t target = 0, columns = crd_frame_column_count(frame);
    crd_text name = schema->columns[schema->target].name;
    while (target < columns && !crd_text_equal(crd_frame_column_name(frame, target), name)) target++;
    for (size_t row = 0; target < columns && row < crd_frame_rows(frame); row++) {
        if (crd_frame_value(frame, row, target).kind != CRD_KIND_NONE) continue;
        crd_text text = crd_i_worker_text_at(member->worker, row, target);
        if (!has_letter(text)) continue;
        member->facts.skipped_with_text++;
        crd_i_read_facts_note(&member->facts, text);
    }
}

/* Returns the first cell of a column that is spelled None; bytes NULL: there is none. */
static crd_text find_none(const reader_member *member, const crd_frame *frame, size_t column) {
    const crd_text none = {NULL, 0};
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        if (crd_frame_value(frame, row, column).kind != CRD_KIND_NONE) continue;
        const crd_text text = crd_i_worker_text_at(member->worker, row, column);
        if (crd_text_equal(crd_i_missing_spelling(text), crd_text_of("None"))) return text;
    }
    return none;
}

/* Notes columns with cells None. Some programs write None for a missing cell, others use it as a value; so it is
 * reported for categorical columns. Only the first frame is checked, so the result does not depend on the number of
 * threads. */
static crd_status note_none(const work *shared, reader_member *member, const crd_frame *frame) {
    const crd_i_schema *schema = member->models[0]->schema;
    bool done = true;
    if (!crd_i_reader_begins_early(shared->reader)) return CRD_OK;
    for (size_t i = 0; done && i < crd_frame_column_count(frame); i++) {
        const crd_text name = crd_frame_column_name(frame, i);
        const bool is_target = crd_text_equal(name, schema->columns[schema->target].name);
        /* If this part has no other cells in the column, the column's kind is not known yet. */
        const crd_kind kind = crd_frame_column_kind(frame, i);
        if ((kind != CRD_KIND_CATEGORY && kind != CRD_KIND_NONE) || is_target) continue;
        const crd_text text = find_none(member, frame, i);
        const size_t column = text.bytes == NULL ? SIZE_MAX : crd_i_schema_find(schema, name);
        noted_cell noted = {.column = column, .place = i, .process = crd_i_process_rank(shared->like->context)};
        if (column == SIZE_MAX) continue;
        memcpy(noted.text, text.bytes, text.length < sizeof noted.text ? text.length : sizeof noted.text - 1);
        done = crd_i_buffer_append(shared->noted, &noted, sizeof noted);
    }
    return done ? CRD_OK : crd_i_fail_memory(&member->error);
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
        if (crd_i_reader_column_kind(shared->reader, (size_t)noted[i].place) != CRD_KIND_CATEGORY) continue;
        crd_i_context_log(shared->like->context, CRD_LOG_NOTE, CRD_LOG_MISSING_WORD, name,
                          "'%s' has values '%s', which are treated as missing", crd_i_quote(name, shown),
                          crd_i_quote(crd_text_of(noted[i].text), cell));
    }
}

/* Exchanges the noted cells between processes, so each process has all of them. */
static crd_status share_noted(const work *shared, crd_error *error) {
    crd_context *context = shared->like->context;
    crd_i_buffer *noted = shared->noted;
    crd_i_gathered all;
    if (!crd_i_reader_is_divided(shared->reader)) return CRD_OK;
    crd_status status = crd_i_gather(context, CRD_OK, noted->bytes, noted->length, &all, error);
    if (status != CRD_OK) return status;
    noted->length = 0;
    for (unsigned i = 0; status == CRD_OK && i < crd_i_process_count(context); i++) {
        crd_i_received message = {all.bytes[i], all.lengths[i]};
        noted_cell theirs;
        while (status == CRD_OK && message.length > 0) {
            if (!crd_i_received_take(&message, &theirs, sizeof theirs) || theirs.column >= shared->like->schema->count)
                status = crd_i_fail_received(error);
            theirs.text[sizeof theirs.text - 1] = '\0';
            if (status == CRD_OK && !crd_i_buffer_append(noted, &theirs, sizeof theirs))
                status = crd_i_fail_memory(error);
        }
    }
    crd_i_gathered_clear(&all);
    return crd_i_agree(context, status, error);
}

static crd_status create_models(const work *shared, reader_member *member, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; i < shared->model_count && status == CRD_OK; i++) {
        status = crd_i_model_create_like(shared->like, &member->models[i], error);
        if (status == CRD_OK) member->models[i]->row_class = shared->classes[i];
    }
    return status;
}

static crd_status learn_reader_tally_frame(const work *shared, reader_member *member, const crd_frame *frame) {
    crd_read_facts same = CRD_READ_FACTS_INIT;
    crd_status status = crd_i_accumulate_buffered(member->models[0], frame, &member->facts, &member->error);
    for (size_t i = 1; i < shared->model_count && status == CRD_OK; i++)
        status = crd_i_accumulate_buffered(member->models[i], frame, &same, &member->error);
    return status;
}

/* Adds the rows of the next frame. *is_last becomes true if there is none. */
static crd_status tally_next(const work *shared, reader_member *member, bool *is_last) {
    const crd_frame *frame;
    *is_last = true;
    if (crd_i_context_cancelled(shared->like->context)) return crd_i_fail_cancelled(&member->error);
    crd_status status = crd_worker_next(member->worker, &frame, &member->error);
    if (status != CRD_OK || frame == NULL) return status;
    *is_last = false;
    uint64_t skipped = member->facts.skipped;
    status = learn_reader_tally_frame(shared, member, frame);
    if (status == CRD_OK && member->facts.skipped > skipped) note_skipped(member, frame);
    if (status == CRD_OK && member->is_first) status = note_none(shared, member, frame);
    member->is_first = false;
    return status;
}

/* Adds all rows of a worker to its member's models. Runs in a thread of the pool. */
static void tally_lane(void *state, unsigned number) {
    const work *shared = state;
    reader_member *member = &shared->members[number];
    if (member->models[0] == NULL) member->status = create_models(shared, member, &member->error);
    for (bool is_last = false; member->status == CRD_OK && !is_last;)
        member->status = tally_next(shared, member, &is_last);
    for (size_t i = 0; member->status == CRD_OK && i < shared->model_count; i++)
        member->status = crd_i_accumulate_flush(member->models[i], &member->error);
    /* Stop the reader, so that no other thread waits for this one. */
    if (member->status != CRD_OK && member->status != CRD_RESTART) crd_reader_stop(shared->reader);
}

/* Returns the member whose status has the highest priority: see crd_i_reader_end_weight. */
static const reader_member *learn_reader_find_end(const work *shared, unsigned size) {
    const reader_member *member = &shared->members[0];
    for (unsigned i = 1; i < size; i++) {
        if (crd_i_reader_end_weight(shared->members[i].status) > crd_i_reader_end_weight(member->status))
            member = &shared->members[i];
    }
    return member;
}

/* Combines the models of all members in the first member's model. */
static crd_status learn_reader_gather(const work *shared, unsigned size, crd_error *error) {
    const reader_member *end = learn_reader_find_end(shared, size);
    if (end->status != CRD_OK) {
        *error = end->error;
        return end->status;
    }
    reader_member *first = &shared->members[0];
    crd_status status = CRD_OK;
    for (unsigned i = 1; status == CRD_OK && i < size; i++) {
        const reader_member *other = &shared->members[i];
        if (other->models[0] == NULL) continue;
        for (size_t j = 0; status == CRD_OK && j < shared->model_count; j++)
            status = crd_i_model_combine(first->models[j], other->models[j], 1, error);
        crd_i_read_facts_add(&first->facts, &other->facts);
    }
    if (status == CRD_OK && size > 1) status = crd_i_reader_check_categories(shared->reader, error);
    if (status == CRD_OK && size > 1) status = crd_i_accumulate_check_sizes(first->models[0], error);
    return status;
}

/* Creates workers for a thread pool of this size. */
static crd_status learn_reader_share(const work *shared, unsigned size, crd_error *error) {
    crd_worker **lanes = crd_i_alloc(shared->like->context, size, sizeof *lanes);
    if (lanes == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_reader_make_workers(shared->reader, size, lanes, error);
    for (unsigned i = 0; status == CRD_OK && i < size; i++) shared->members[i].worker = lanes[i];
    crd_free(shared->like->context, lanes);
    return status;
}

/* Makes one pass over the input with up to *size threads. *size becomes the number of threads used. */
static crd_status tally_pass(work *shared, unsigned *size, crd_model **models, crd_read_facts *facts,
                             crd_error *error) {
    crd_context *context = shared->like->context;
    unsigned most = *size;
    *size = 1;
    if (crd_i_context_cancelled(context)) return crd_i_fail_cancelled(error);
    shared->members = crd_i_alloc_zeroed(context, most, sizeof *shared->members);
    if (shared->members == NULL) return crd_i_fail_memory(error);
    for (unsigned i = 0; i < most; i++) shared->members[i].facts = *facts;
    reader_member *first = &shared->members[0];
    bool is_last = false;
    first->is_first = true;
    crd_status status = learn_reader_share(shared, 1, error);
    if (status == CRD_OK) status = create_models(shared, first, error);
    if (status == CRD_OK) {
        first->status = tally_next(shared, first, &is_last);
        if (first->status == CRD_OK && !is_last && most > 1 && crd_i_reader_has_more(shared->reader)) {
            status = learn_reader_share(shared, most, error);
            *size = most;
        }
    }
    if (status == CRD_OK) {
        if (first->status == CRD_OK) crd_i_thread_pool_run(context, *size, tally_lane, shared);
        status = learn_reader_gather(shared, *size, error);
    }
    if (status == CRD_OK) *facts = first->facts;
    for (size_t j = 0; status == CRD_OK && j < shared->model_count; j++) {
        models[j] = first->models[j];
        first->models[j] = NULL;
    }
    for (unsigned i = 0; i < most; i++)
        for (size_t j = 0; j < shared->model_count; j++) crd_model_destroy(shared->members[i].models[j]);
    crd_free(context, shared->members);
    return status;
}

static void learn_reader_discard(const work *shared, crd_model **models) {
    for (size_t i = 0; i < shared->model_count; i++) {
        crd_model_destroy(models[i]);
        models[i] = NULL;
    }
}

/* The results of the passes. */
typedef struct reader_tallied {
    work *shared;
    crd_model **models;
    crd_read_facts *facts;
} reader_tallied;

static crd_status tally_anew(void *state, unsigned *size, crd_error *error) {
    const reader_tallied *tallied = state;
    const crd_read_facts none = CRD_READ_FACTS_INIT;
    *tallied->facts = none;
    tallied->shared->noted->length = 0;
    learn_reader_discard(tallied->shared, tallied->models);
    return tally_pass(tallied->shared, size, tallied->models, tallied->facts, error);
}

/* Adds the rows of this process. In a group of processes, all of them use the same column kinds. */
static crd_status tally_part(work *shared, crd_model **models, crd_read_facts *facts, crd_error *error) {
    reader_tallied tallied = {shared, models, facts};
    crd_i_buffer noted = {.context = shared->like->context};
    shared->noted = &noted;
    crd_status status = crd_i_reader_make_passes(shared->reader, tally_anew, &tallied, error);
    if (status == CRD_OK) status = share_noted(shared, error);
    if (status == CRD_OK) report_noted(shared);
    else learn_reader_discard(shared, models);
    crd_i_buffer_clear(&noted);
    return status;
}

crd_status crd_i_model_check_whole(const crd_model *model, crd_error *error) {
    return crd_i_is_collective(model->context) ? crd_i_accumulate_check_sizes(model, error) : CRD_OK;
}

static crd_status tally_all(work *shared, crd_model **models, crd_read_facts *facts, crd_error *error) {
    crd_status status = tally_part(shared, models, facts, error);
    for (size_t i = 0; i < shared->model_count; i++) {
        crd_read_facts same = *facts;
        status = crd_i_model_reduce_rows(shared->reader, status, &models[i], &same, error);
        if (status == CRD_OK && i + 1 == shared->model_count) *facts = same;
    }
    if (status == CRD_OK) status = crd_i_model_check_whole(models[0], error);
    if (status != CRD_OK) learn_reader_discard(shared, models);
    return status;
}

crd_status crd_i_model_tally_part(const crd_model *like, crd_reader *reader, crd_model **out, crd_read_facts *facts,
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

crd_status crd_i_model_tally_as_both(const crd_model *like, crd_reader *reader, crd_text one, crd_text other,
                                     crd_model *out[2], crd_read_facts *facts, crd_error *error) {
    out[0] = out[1] = NULL;
    work shared = {.reader = reader, .like = like, .classes = {one, other}, .model_count = MOST_CLASSES};
    return tally_all(&shared, out, facts, error);
}
