/* SPDX-License-Identifier: MIT */
/* learn_rows.c - learns from numeric rows in memory, in parallel.
 *
 * Threads of a pool take chunks of rows in order, and each thread adds its chunks to its own model. These models are
 * then combined. Sums are exact, so the result does not depend on which thread took which rows. Unweighted rows of
 * contiguous doubles are summed in place. All other rows are copied into the columns of a frame, one chunk at a
 * time. */
#include "model/accumulate.h"
#include "model/joint_tallies.h"
#include "model/merge.h"
#include "model/model_create.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "base/utf8.h"
#include "math/exact/ieee754.h"

#include <credence/rows.h>

#include <math.h>
#include <string.h>

/* Approximate number of values in a chunk: enough that taking a chunk costs nothing, few enough that all threads finish
 * at about the same time. */
enum { CHUNK_VALUES = 1 << 16, LEAST_CHUNK_ROWS = 256 };

typedef struct rows_member {
    crd_model *model;
    size_t *class_rows; /* number of rows of each class */
    crd_frame *frame;   /* frame for rows that cannot be summed in place; its columns point into `columns` */
    double *columns;
    crd_status status;
    crd_error error;
} rows_member;

typedef struct work {
    const crd_model *model;
    const crd_rows *rows;
    size_t chunk_rows;
    atomic_size_t next; /* the first row that no thread has taken */
    atomic_bool has_failed;
    rows_member *members;
} work;

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

static crd_status learn_rows_fail_infinite(const work *shared, size_t begin, size_t end, crd_error *error) {
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

/* ---- The work of one thread ---- */

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
        status = crd_i_model_settle(model, i, CRD_KIND_NUMBER, error);
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
static size_t column_step(const work *shared) {
    return shared->chunk_rows + 8;
}

/* Creates a frame with the model's columns and no rows. */
static crd_status learn_rows_make_frame(const work *shared, rows_member *member) {
    const crd_rows *rows = shared->rows;
    const crd_i_schema *schema = shared->model->schema;
    crd_context *context = shared->model->context;
    member->columns = crd_i_alloc(context, rows->columns * column_step(shared), sizeof *member->columns);
    if (member->columns == NULL) return crd_i_fail_memory(&member->error);
    crd_status status = crd_frame_create(context, 0, &member->frame, &member->error);
    for (size_t c = 0; status == CRD_OK && c < rows->columns; c++)
        status = crd_frame_add_numbers(member->frame, schema->columns[schema_column(schema, c)].name, NULL, NULL,
                                       &member->error);
    if (status == CRD_OK)
        status = crd_frame_add_codes(member->frame, schema->columns[schema->target].name, NULL, NULL, rows->names,
                                     rows->class_count, &member->error);
    if (status == CRD_OK && rows->weights != NULL)
        status = crd_frame_add_numbers(member->frame, schema->weight.name, NULL, NULL, &member->error);
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
static void learn_rows_take_columns(const work *shared, rows_member *member, size_t begin, size_t count) {
    const crd_rows *rows = shared->rows;
    const bool is_borrowed = rows->values != NULL && rows->stride == 1;
    if (!is_borrowed) learn_rows_copy_columns(rows, begin, count, member->columns, column_step(shared));
    for (size_t c = 0; c < rows->columns; c++)
        member->frame->columns[c].numbers =
            is_borrowed ? rows->values + c * rows->column_stride + begin : member->columns + c * column_step(shared);
}

static crd_status tally_through_frame(const work *shared, rows_member *member, size_t begin, size_t end) {
    const crd_rows *rows = shared->rows;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_status status = member->frame == NULL ? learn_rows_make_frame(shared, member) : CRD_OK;
    if (status == CRD_OK) status = learn_rows_check_weights(rows, begin, end, &member->error);
    if (status != CRD_OK) return status;
    crd_frame *frame = member->frame;
    frame->rows = end - begin;
    learn_rows_take_columns(shared, member, begin, end - begin);
    for (size_t c = 0; c < rows->columns; c++)
        if (crd_i_has_infinity(frame->columns[c].numbers, end - begin))
            return learn_rows_fail_infinite(shared, begin, end, &member->error);
    frame->columns[rows->columns].codes = rows->classes + begin;
    if (rows->weights != NULL) frame->columns[rows->columns + 1].numbers = rows->weights + begin;
    return crd_i_accumulate_buffered(member->model, frame, &facts, &member->error);
}

/* ---- Rows that are summed in place ---- */

/* Adds the rows to the extra tallies, one column at a time, grouped by class. */
static bool learn_rows_add_extras(const work *shared, rows_member *member, size_t begin, size_t end) {
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
static crd_status add_joint_tallies(const work *shared, rows_member *member, size_t begin, size_t end) {
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
    crd_status status = done ? crd_i_joint_tallies_wait(model, &offered, rows->classes + begin, &member->error)
                             : crd_i_fail_memory(&member->error);
    crd_i_offered_clear(&offered);
    crd_free(model->context, numbers);
    return status;
}

static crd_status tally_chunk(const work *shared, rows_member *member, size_t begin, size_t end) {
    const crd_rows *rows = shared->rows;
    if (crd_i_context_cancelled(shared->model->context)) return crd_i_fail_cancelled(&member->error);
    crd_status status = learn_rows_check_classes(rows, begin, end, &member->error);
    if (status != CRD_OK) return status;
    if (!learn_rows_is_plain(rows)) return tally_through_frame(shared, member, begin, end);
    for (size_t row = begin; row < end; row++)
        if (rows->classes[row] >= 0) member->class_rows[rows->classes[row]]++;
    status = crd_i_batch_add_rows(member->model->batch, rows->values + begin * rows->stride, rows->stride, end - begin,
                                  rows->classes + begin, rows->class_count);
    if (status == CRD_ERROR_NUMBER) return learn_rows_fail_infinite(shared, begin, end, &member->error);
    if (status == CRD_OK && member->model->extras != 0 && !learn_rows_add_extras(shared, member, begin, end))
        status = CRD_ERROR_MEMORY;
    if (status != CRD_OK) return crd_i_fail_memory(&member->error);
    return member->model->joint_tally_count == 0 ? CRD_OK : add_joint_tallies(shared, member, begin, end);
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

static void take_chunks(void *state, unsigned number) {
    work *shared = state;
    rows_member *member = &shared->members[number];
    const crd_rows *rows = shared->rows;
    crd_context *context = shared->model->context;
    member->class_rows = crd_i_alloc_zeroed(context, rows->class_count, sizeof *member->class_rows);
    member->status = member->class_rows == NULL ? crd_i_fail_memory(&member->error)
                     : learn_rows_is_plain(rows)
                         ? create_member_model(shared->model, rows, &member->model, &member->error)
                         : crd_i_model_create_like(shared->model, &member->model, &member->error);
    while (member->status == CRD_OK && !atomic_load(&shared->has_failed)) {
        size_t begin = atomic_fetch_add(&shared->next, shared->chunk_rows);
        if (begin >= rows->rows) break;
        size_t end = rows->rows - begin < shared->chunk_rows ? rows->rows : begin + shared->chunk_rows;
        member->status = tally_chunk(shared, member, begin, end);
    }
    if (member->status == CRD_OK && learn_rows_is_plain(rows) &&
        !tally_classes(member->model, member->class_rows, rows->class_count))
        member->status = crd_i_fail_memory(&member->error);
    if (member->status == CRD_OK) member->status = crd_i_accumulate_flush(member->model, &member->error);
    if (member->status != CRD_OK) atomic_store(&shared->has_failed, true);
}

/* ---- All rows ---- */

/* Returns the member whose failure to report: one without a row, otherwise the one with the first row; NULL: none
 * failed. Chunks are taken in order, so this row was reached whatever the threads did. */
static const rows_member *find_failure(const work *shared, unsigned size) {
    const rows_member *member = NULL;
    for (unsigned i = 0; i < size; i++) {
        const rows_member *other = &shared->members[i];
        if (other->status != CRD_OK && (member == NULL || other->error.line < member->error.line)) member = other;
    }
    return member;
}

/* Combines the models of all members in the first member's model. */
static crd_status learn_rows_gather(work *shared, unsigned size, crd_error *error) {
    const rows_member *failed = find_failure(shared, size);
    if (failed != NULL) {
        if (error != NULL) *error = failed->error;
        return failed->status;
    }
    crd_status status = CRD_OK;
    for (unsigned i = 1; status == CRD_OK && i < size; i++)
        if (shared->members[i].model != NULL)
            status = crd_i_model_combine(shared->members[0].model, shared->members[i].model, 1, error);
    return status;
}

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

    work shared = {.model = model, .rows = &rows};
    size_t chunk = CHUNK_VALUES / (rows.columns + 1);
    shared.chunk_rows = chunk / LEAST_CHUNK_ROWS * LEAST_CHUNK_ROWS + LEAST_CHUNK_ROWS;
    unsigned size = crd_i_thread_pool_size(rows.threads);
    if (size > rows.rows / shared.chunk_rows + 1) size = (unsigned)(rows.rows / shared.chunk_rows + 1);
    shared.members = crd_i_alloc_zeroed(model->context, size, sizeof *shared.members);
    if (shared.members == NULL) return crd_i_fail_memory(error);
    crd_i_thread_pool_run(model->context, size, take_chunks, &shared);
    status = learn_rows_gather(&shared, size, error);
    if (status == CRD_OK) status = crd_i_model_combine(model, shared.members[0].model, sign, error);
    for (unsigned i = 0; i < size; i++) {
        crd_model_destroy(shared.members[i].model);
        crd_free(model->context, shared.members[i].class_rows);
        crd_frame_destroy(shared.members[i].frame);
        crd_free(model->context, shared.members[i].columns);
    }
    crd_free(model->context, shared.members);
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
