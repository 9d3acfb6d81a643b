/* SPDX-License-Identifier: MIT */
/* row_source.c - rows for several passes. Files are read again, other input is copied to memory, and frames are used
 * directly.
 *
 * A reader remembers the column types of its first pass, so later passes return the same frames. Copies keep the
 * reader's column information (target, weight, declared values). So learning from copies gives the same model as
 * learning from the file.
 *
 * Contents:
 *   1. Row source
 *   2. Learning by fold
 *   3. Structure learning */
#include "evaluate/cross_validation.h"
#include "evaluate/split.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/accumulate.h"
#include "model/learn.h"
#include "model/model_parts.h"
#include "processes/group.h"
#include "structure/found_structure.h"
#include "table/read/reader.h"

#include <math.h>
#include <string.h>

/* ======== 1. Row source ======== */

/* Creates a source without rows. Target and weight may have bytes NULL. */
static crd_status row_source_create(crd_context *context, crd_text target, crd_text weight, crd_row_source **out,
                                    crd_error *error) {
    crd_row_source *source = crd_i_alloc_zeroed(context, 1, sizeof *source);
    if (source == NULL) return crd_i_fail_memory(error);
    source->context = context;
    if (target.bytes != NULL) source->target = crd_i_text_copy(context, target);
    if (weight.bytes != NULL) source->weight = crd_i_text_copy(context, weight);
    if ((target.bytes != NULL && source->target.bytes == NULL) ||
        (weight.bytes != NULL && source->weight.bytes == NULL)) {
        crd_row_source_destroy(source);
        return crd_i_fail_memory(error);
    }
    *out = source;
    return CRD_OK;
}

/* Creates a source of a reader's rows. Only structure learning accepts rows without a target. */
static crd_status create_of_reader(crd_reader *reader, bool needs_target, crd_row_source **out, crd_error *error) {
    crd_i_schema *schema = NULL;
    const crd_text none = {NULL, 0};
    *out = NULL;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    bool has_target = schema->target != SIZE_MAX;
    if (!has_target && needs_target) status = crd_i_fail(error, CRD_ERROR_EMPTY, "the reader has no target to predict");
    else
        status = row_source_create(schema->context, has_target ? schema->columns[schema->target].name : none,
                                   schema->weight.name, out, error);
    if (status != CRD_OK) {
        crd_i_schema_destroy(schema);
        return status;
    }
    (*out)->schema = schema;
    (*out)->reader = reader;
    crd_i_reader_keep_pipes(reader, true);
    (*out)->keeps = !crd_i_reader_can_reread(reader);
    return CRD_OK;
}

crd_status crd_row_source_create(crd_reader *reader, crd_row_source **out, crd_error *error) {
    return create_of_reader(reader, true, out, error);
}

crd_status crd_row_source_create_unlabeled(crd_reader *reader, crd_row_source **out, crd_error *error) {
    return create_of_reader(reader, false, out, error);
}

crd_status crd_i_row_source_of_frames(crd_context *context, const crd_frame *const *frames, size_t count,
                                      crd_text target, crd_text weight, crd_row_source **out, crd_error *error) {
    *out = NULL;
    crd_row_source *source = NULL;
    crd_status status = row_source_create(context, target, weight, &source, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        if (crd_i_row_source_target(source, frames[i]) != SIZE_MAX &&
            (weight.bytes == NULL || crd_i_row_source_weight(source, frames[i]) != SIZE_MAX))
            continue;
        status = crd_i_fail(error, CRD_ERROR_COLUMN, "frame %zu has no target column or no weight column", i);
    }
    if (status == CRD_OK && !crd_i_reserve(context, &source->kept, &source->kept_capacity, count, sizeof *source->kept))
        status = crd_i_fail_memory(error);
    if (status != CRD_OK) {
        crd_row_source_destroy(source);
        return status;
    }
    for (size_t i = 0; i < count; i++) source->kept[i] = frames[i];
    source->kept_count = count;
    *out = source;
    return CRD_OK;
}

/* Frees the copies of frames. */
static void drop_copies(crd_row_source *source) {
    if (source->reader == NULL) return;
    for (size_t i = 0; i < source->kept_count; i++) crd_frame_destroy((crd_frame *)source->kept[i]);
    for (size_t i = 0; i < source->declared_count; i++) crd_i_dictionary_destroy(source->declared[i]);
    source->kept_count = source->declared_count = 0;
}

void crd_row_source_destroy(crd_row_source *source) {
    if (source == NULL) return;
    drop_copies(source);
    crd_frame_destroy(source->piece);
    crd_i_schema_destroy(source->schema);
    crd_free(source->context, source->kept);
    crd_free(source->context, source->declared);
    crd_free(source->context, (void *)source->target.bytes);
    crd_free(source->context, (void *)source->weight.bytes);
    crd_free(source->context, source);
}

crd_text crd_row_source_target(const crd_row_source *source) {
    return source->target;
}

crd_text crd_row_source_weight(const crd_row_source *source) {
    return source->weight;
}

int crd_i_row_source_reads_again(const crd_row_source *source) {
    return source->reader != NULL && !source->keeps;
}

/* ---- Copies ---- */

/* Copies the declared values of a column. Returns false if memory runs out. */
static bool row_source_copy_declared(crd_row_source *source, const crd_i_column *column, crd_i_column *target_column) {
    if (column->declared == NULL) return true;
    if (!crd_i_reserve(source->context, &source->declared, &source->declared_capacity, source->declared_count + 1,
                       sizeof *source->declared))
        return false;
    crd_i_dictionary *copy = crd_i_dictionary_clone(column->declared);
    if (copy == NULL) return false;
    source->declared[source->declared_count++] = copy;
    target_column->declared = copy;
    return true;
}

/* Stores a copy of a frame, or of `count` of its rows. A sample has no declared values. */
static crd_status row_source_keep(crd_row_source *source, const crd_frame *frame, const size_t *rows, size_t count,
                                  crd_error *error) {
    crd_frame *copy = NULL;
    if (!crd_i_reserve(source->context, &source->kept, &source->kept_capacity, source->kept_count + 1,
                       sizeof *source->kept))
        return crd_i_fail_memory(error);
    crd_status status = crd_i_frame_select(frame, rows, 0, count, &copy, error);
    if (status == CRD_OK) status = crd_i_frame_own_values(copy, error);
    for (size_t i = 0; status == CRD_OK && rows == NULL && i < frame->column_count; i++)
        if (!row_source_copy_declared(source, &frame->columns[i], &copy->columns[i])) status = crd_i_fail_memory(error);
    if (status == CRD_OK && frame->origin != NULL) {
        copy->origin = crd_i_schema_clone(frame->origin);
        if (copy->origin == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) source->kept[source->kept_count++] = copy;
    else crd_frame_destroy(copy);
    return status;
}

/* ---- Samples ---- */

/* Stores the rows of a frame whose number is a multiple of the stride and below `end`. The first row of the frame
 * has number `index`. */
static crd_status row_source_keep_some(crd_row_source *source, const crd_frame *frame, size_t index, size_t stride,
                                       size_t end, crd_error *error) {
    size_t *rows = crd_i_alloc(source->context, frame->rows, sizeof *rows), count = 0;
    if (rows == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < frame->rows && index + i < end; i++)
        if ((index + i) % stride == 0) rows[count++] = i;
    const crd_status status = count > 0 ? row_source_keep(source, frame, rows, count, error) : CRD_OK;
    crd_free(source->context, rows);
    return status;
}

/* See cross_validation.h. The stride is `among` / `most`, rounded up. */
crd_status crd_i_row_source_sample(crd_reader *reader, size_t most, size_t among, crd_row_source **out,
                                   crd_error *error) {
    size_t stride = among / most + (among % most > 0);
    *out = NULL;
    crd_i_reader_keep_pipes(reader, true);
    if (!crd_i_reader_can_reread(reader)) return CRD_OK;
    crd_status status = crd_reader_begin_again(reader, error);
    if (status == CRD_OK) status = crd_row_source_create(reader, out, error);
    for (size_t index = 0; status == CRD_OK && index < among;) {
        const crd_frame *frame;
        status = crd_reader_next(reader, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = row_source_keep_some(*out, frame, index, stride, among, error);
        index += frame->rows;
    }
    if (status == CRD_OK) {
        (*out)->keeps = (*out)->has_passed = true;
        return CRD_OK;
    }
    crd_row_source_destroy(*out);
    *out = NULL;
    return status;
}

/* ---- Passes ---- */

crd_status crd_i_row_source_fail_changed(const crd_row_source *source, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the rows changed while they were read");
    if (source->reader != NULL) crd_i_error_place(error, crd_reader_place(source->reader), 0, 0);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

/* Returns the next rows of a stored frame that is larger than the frame size. */
static crd_status next_piece(crd_row_source *source, const crd_frame **frame, crd_error *error) {
    const crd_frame *whole = source->kept[source->next];
    size_t left = whole->rows - source->first, count = left < source->most_rows ? left : source->most_rows;
    crd_frame_destroy(source->piece);
    source->piece = NULL;
    const crd_status status = crd_i_frame_select(whole, NULL, source->first, count, &source->piece, error);
    if (status != CRD_OK) return status;
    source->first += count;
    if (source->first == whole->rows) {
        source->first = 0;
        source->next++;
    }
    *frame = source->piece;
    return CRD_OK;
}

/* Returns the next stored frame, or a part of it. *frame stays NULL after the last one. */
static crd_status next_kept(crd_row_source *source, const crd_frame **frame, crd_error *error) {
    if (source->next == source->kept_count) return CRD_OK;
    const crd_frame *whole = source->kept[source->next];
    if (source->first > 0 || (source->most_rows > 0 && whole->rows > source->most_rows))
        return next_piece(source, frame, error);
    *frame = whole;
    source->next++;
    return CRD_OK;
}

crd_status crd_i_row_source_take(crd_row_source *source, const crd_frame **frame, crd_error *error) {
    *frame = NULL;
    if (source->reader == NULL || (source->has_passed && source->keeps)) return next_kept(source, frame, error);
    crd_status status = crd_reader_next(source->reader, frame, error);
    if (status != CRD_OK || *frame == NULL || !source->keeps) return status;
    status = row_source_keep(source, *frame, NULL, (*frame)->rows, error);
    if (status != CRD_OK) *frame = NULL;
    return status;
}

crd_status crd_row_source_rewind(crd_row_source *source, crd_error *error) {
    source->has_passed = true;
    source->next = source->first = 0;
    return source->reader == NULL || source->keeps ? CRD_OK : crd_reader_begin_again(source->reader, error);
}

crd_status crd_i_row_source_make_passes(crd_row_source *source, crd_i_reader_pass *pass, void *state,
                                        crd_error *error) {
    /* A first pass may read a column with a wrong type, except if it copies the rows. */
    const bool is_alone = source->reader == NULL || source->keeps;
    return is_alone ? pass(state, error) : crd_i_reader_make_passes(source->reader, pass, state, error);
}

/* Reads all rows of input that can be read only once, unless this was done before. */
static crd_status row_source_keep_all(crd_row_source *source, crd_error *error) {
    while (source->keeps && !source->has_passed) {
        const crd_frame *frame;
        crd_status status = crd_i_row_source_take(source, &frame, error);
        if (status != CRD_OK) return status;
        if (frame == NULL) break;
    }
    return CRD_OK;
}

/* Counts the stored rows in a model, which is added to another model at once. This reduces the result to its
 * canonical form. */
static crd_status tally_kept(crd_row_source *source, const crd_model *blank, crd_model **out, crd_read_facts *facts,
                             crd_error *error) {
    crd_model *batch = NULL;
    crd_status status = crd_i_model_create_like(blank, &batch, error);
    if (status == CRD_OK) status = crd_i_model_create_like(blank, out, error);
    for (size_t i = 0; status == CRD_OK && i < source->kept_count; i++)
        status = crd_i_accumulate_frame(batch, source->kept[i], facts, error);
    if (status == CRD_OK) status = crd_i_model_combine(*out, batch, 1, error);
    if (status == CRD_OK) facts->weight = crd_i_tally_total(crd_i_model_target(*out)->tally, 0);
    crd_model_destroy(batch);
    return status;
}

/* Trains a model in this process. */
static crd_status row_source_train(crd_row_source *source, const crd_settings *settings, crd_text tallies,
                                   crd_model **out, crd_read_facts *facts, crd_error *error) {
    *out = NULL;
    crd_i_kept kept = {0, 0};
    crd_model *blank = NULL;
    crd_read_facts read_facts = CRD_READ_FACTS_INIT;
    crd_status status = row_source_keep_all(source, error);
    if (status == CRD_OK) status = crd_row_source_rewind(source, error);
    if (status == CRD_OK && tallies.bytes != NULL) status = crd_i_kept_parse(tallies, &kept, error);
    if (crd_i_row_source_reads_again(source)) {
        crd_i_schema *schema = status == CRD_OK ? crd_i_schema_clone(source->schema) : NULL;
        if (status == CRD_OK && schema == NULL) status = crd_i_fail_memory(error);
        if (status != CRD_OK) return crd_i_group_fail(source->context->group, status, error);
        return crd_i_model_train(source->context, schema, source->reader, settings, kept, out, facts, error);
    }
    if (status != CRD_OK) return status;
    if (source->kept_count == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "no rows to learn from");
    status = crd_i_row_model_create(source->context, source->kept[0], source->target, source->weight, settings, &blank,
                                    error);
    if (status == CRD_OK) status = crd_i_model_keep(blank, kept, error);
    if (status == CRD_OK) status = tally_kept(source, blank, out, &read_facts, error);
    crd_model_destroy(blank);
    if (status == CRD_OK) {
        if (facts != NULL) crd_i_copy_out(&read_facts, sizeof read_facts, facts);
        return CRD_OK;
    }
    crd_model_destroy(*out);
    *out = NULL;
    return status;
}

crd_i_group *crd_i_row_source_group(const crd_row_source *source) {
    return source->reader != NULL ? crd_i_reader_group(source->reader) : NULL;
}

crd_status crd_row_source_train(crd_row_source *source, const crd_settings *settings, crd_text tallies, crd_model **out,
                                crd_read_facts *facts, crd_error *error) {
    crd_context *context = source->context;
    if (crd_i_row_source_group(source) != NULL) return row_source_train(source, settings, tallies, out, facts, error);
    /* Every process has all rows and learns all of them. */
    crd_i_group *group = crd_i_group_leave(context);
    crd_status status = row_source_train(source, settings, tallies, out, facts, error);
    crd_i_group_join(context, group);
    status = crd_i_group_agree(group, status, error);
    if (status == CRD_OK) return CRD_OK;
    crd_model_destroy(*out);
    *out = NULL;
    return status;
}

void crd_row_source_set_frame_rows(crd_row_source *source, size_t most) {
    source->most_rows = most;
    if (source->reader != NULL) crd_reader_set_frame_rows(source->reader, most);
}

/* ---- Rows ---- */

static size_t row_source_find_column(const crd_frame *frame, crd_text name) {
    int32_t column = name.bytes == NULL ? -1 : crd_i_dictionary_find(frame->names, name);
    return column < 0 ? SIZE_MAX : (size_t)column;
}

size_t crd_i_row_source_target(const crd_row_source *source, const crd_frame *frame) {
    return row_source_find_column(frame, source->target);
}

size_t crd_i_row_source_weight(const crd_row_source *source, const crd_frame *frame) {
    return row_source_find_column(frame, source->weight);
}

double crd_i_row_weight(const crd_frame *frame, size_t row, size_t weights) {
    if (weights == SIZE_MAX) return 1;
    const crd_i_column *column = &frame->columns[weights];
    bool is_number = column->type == CRD_TYPE_NUMERIC && crd_i_column_present(column, row);
    return is_number ? column->numbers[row] : NAN;
}

/* ======== 2. Learning by fold ======== */

typedef struct learning_pass {
    crd_i_cross_validation *validation;
    crd_row_source *source;
    crd_split *split;
    bool is_split; /* the rows were split before, and must not change */
    size_t index;  /* number of the next row */
} learning_pass;

static crd_status learning_pass_add(learning_pass *pass, const crd_frame *frame, crd_error *error) {
    crd_status status = pass->is_split ? CRD_OK : crd_i_split_add(pass->split, pass->source, frame, error);
    if (status == CRD_OK && frame->rows > crd_split_rows(pass->split) - pass->index)
        status = crd_i_row_source_fail_changed(pass->source, error);
    if (status == CRD_OK)
        status =
            crd_i_cross_validation_learn(pass->validation, frame, crd_split_learned(pass->split) + pass->index, error);
    pass->index += frame->rows;
    return status;
}

static crd_status learning_pass_make(void *state, crd_error *error) {
    learning_pass *pass = state;
    crd_status status = CRD_OK;
    pass->index = 0;
    crd_i_cross_validation_forget(pass->validation);
    if (!pass->is_split) status = crd_i_split_clear(pass->split, error);
    while (status == CRD_OK) {
        const crd_frame *frame;
        status = crd_i_row_source_take(pass->source, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = learning_pass_add(pass, frame, error);
    }
    return status;
}

crd_status crd_i_cross_validation_learn_all(crd_i_cross_validation *validation, crd_row_source *source,
                                            crd_split *split, crd_error *error) {
    learning_pass pass = {validation, source, split, crd_split_rows(split) > 0, 0};
    crd_status status = crd_i_row_source_make_passes(source, learning_pass_make, &pass, error);
    if (status == CRD_OK && pass.index < crd_split_rows(split)) status = crd_i_row_source_fail_changed(source, error);
    if (status == CRD_OK) status = crd_i_cross_validation_finish(validation, error);
    return status == CRD_OK ? crd_i_split_finish(split, error) : status;
}

/* ======== 3. Structure learning ========
 *
 * Learns a structure from the rows of a source: see credence/structure.h. Rows are added to a case table as they are
 * read. So the memory needed is proportional to the number of distinct rows. */

/* Creates a frame of the rows whose target is known; NULL if it is known in all rows. */
static crd_status pick_labeled(const crd_row_source *source, const crd_frame *frame, crd_frame **out,
                               crd_error *error) {
    size_t target = crd_i_row_source_target(source, frame), count = 0;
    *out = NULL;
    if (target == SIZE_MAX) return CRD_OK;
    size_t *rows = crd_i_alloc(source->context, frame->rows, sizeof *rows);
    if (rows == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < frame->rows; i++)
        if (crd_i_column_present(&frame->columns[target], i)) rows[count++] = i;
    crd_status status = count == frame->rows ? CRD_OK : crd_i_frame_select(frame, rows, 0, count, out, error);
    crd_free(source->context, rows);
    return status;
}

/* Adds the labeled rows of a frame. */
static crd_status structure_of_rows_add_frame(const crd_row_source *source, crd_i_case_builder *builder,
                                              const crd_frame *frame, crd_error *error) {
    crd_frame *labeled;
    crd_status status = pick_labeled(source, frame, &labeled, error);
    if (status == CRD_OK) status = crd_i_case_builder_add(builder, labeled == NULL ? frame : labeled, error);
    crd_frame_destroy(labeled);
    return status;
}

typedef struct structure_pass {
    crd_row_source *source;
    crd_i_case_builder *builder;
} structure_pass;

/* Adds all rows of the source to a new builder. */
static crd_status structure_pass_make(void *state, crd_error *error) {
    structure_pass *pass = state;
    crd_row_source *source = pass->source;
    crd_i_case_builder_destroy(pass->builder);
    pass->builder = NULL;
    crd_status status =
        crd_i_case_builder_create(source->context, NULL, 0, source->target, source->weight, &pass->builder, error);
    while (status == CRD_OK) {
        const crd_frame *frame;
        status = crd_i_row_source_take(source, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = structure_of_rows_add_frame(source, pass->builder, frame, error);
        if (status == CRD_OK && crd_i_context_cancelled(source->context)) status = crd_i_fail_cancelled(error);
    }
    return status;
}

/* Reads all rows into a case table. If each process of a group reads a part of the rows, the table contains the rows
 * of all parts. */
static crd_status structure_of_rows_read(crd_row_source *source, crd_i_case_table **out, crd_error *error) {
    structure_pass pass = {source, NULL};
    crd_status status = crd_i_row_source_make_passes(source, structure_pass_make, &pass, error);
    if (status == CRD_OK) status = crd_i_case_builder_finish(pass.builder, crd_i_row_source_group(source), out, error);
    crd_i_case_builder_destroy(pass.builder);
    return status;
}

crd_status crd_structure_learn(crd_row_source *source, const crd_settings *settings,
                               const crd_structure_options *options, crd_structure **out, crd_error *error) {
    crd_i_case_table *table = NULL;
    *out = NULL;
    crd_status status = structure_of_rows_read(source, &table, error);
    if (status == CRD_OK) status = crd_i_structure_of_cases(table, settings, options, out, error);
    crd_i_case_table_destroy(table);
    status = crd_i_group_end(source->context->group, status, error);
    if (status == CRD_OK) return CRD_OK;
    crd_structure_destroy(*out);
    *out = NULL;
    return status;
}
