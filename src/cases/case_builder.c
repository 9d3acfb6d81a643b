/* SPDX-License-Identifier: MIT */
/* case_builder.c - see case_builder.h.
 *
 * Contents:
 *   1. Tables of models
 *   2. Building from frames
 *   3. Cells
 *   4. Completion
 *   5. Tables of readers */
#include "cases/case_builder.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/joint_tallies.h"
#include "processes/group.h"
#include "stats/kept_rows.h"
#include "table/column_schema.h"
#include "table/read/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Tables of models ======== */

const crd_i_model_joint_tally *crd_i_case_rows_of_model(const crd_model *model) {
    const crd_i_model_joint_tally *kept = crd_i_joint_tallies_whole(model, &crd_i_kept_table);
    return kept != NULL ? kept : crd_i_joint_tallies_whole(model, &crd_i_kept_rows);
}

/* Sets the name and states of a column of a sample, and narrows its codes, which are positions in a view already.
 * `place` is its index in the model's schema. */
static bool case_table_name_column(crd_i_case_table *table, size_t number, const crd_model *model, size_t place,
                                   const crd_i_schema_view *view) {
    const crd_i_dictionary *values = model->variables[place].values;
    crd_i_case_column *column = &table->columns[number];
    uint32_t *codes = column->codes32;
    crd_free(table->context, column->texts);
    column->texts = NULL;
    if (!crd_i_case_column_name(table, number, model->schema->columns[place].name)) return false;
    column->type = column->numbers != NULL ? CRD_TYPE_NUMERIC : crd_i_model_column_type(model, place);
    if (column->type == CRD_TYPE_NUMERIC) {
        if (column->numbers != NULL) return true;
        column->numbers = crd_i_alloc(table->context, table->rows, sizeof *column->numbers);
        for (size_t row = 0; column->numbers != NULL && row < table->rows; row++) column->numbers[row] = (double)NAN;
        return column->numbers != NULL;
    }
    column->type = CRD_TYPE_CATEGORICAL;
    if (values != NULL &&
        !crd_i_case_column_states(table, number, values, view->views[place].values, view->views[place].value_count))
        return false;
    column->codes32 = NULL;
    const bool done = crd_i_case_column_codes(table, number, table->rows);
    for (size_t row = 0; done && row < table->rows; row++)
        crd_i_case_put(column, row, codes == NULL ? CRD_I_CASE_MISSING32 : codes[row]);
    crd_free(table->context, codes);
    return done;
}

/* Converts the table of a sample: names its columns, and moves the target to its position among the sorted names, or
 * drops it if the model has none. */
static bool case_table_name_columns(crd_i_case_table *table, const crd_model *model,
                                    const crd_i_model_joint_tally *kept, const crd_i_schema_view *view) {
    const crd_i_schema *schema = model->schema;
    const size_t columns = table->column_count - 1;
    const crd_i_case_column target = table->columns[columns];
    size_t place = columns;
    if (schema->lacks_target) {
        crd_free(table->context, target.codes32);
        table->column_count = columns;
        table->target = SIZE_MAX;
    } else {
        while (place > 0 && crd_i_text_compare(schema->columns[schema->target].name,
                                               schema->columns[kept->columns[place - 1]].name) < 0)
            place--;
        memmove(table->columns + place + 1, table->columns + place, (columns - place) * sizeof target);
        table->columns[place] = target;
        table->target = place;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        const size_t own = i == table->target ? schema->target : kept->columns[i - (i > table->target)];
        if (!case_table_name_column(table, i, model, own, view)) return false;
    }
    return true;
}

/* Reads the rows and arranges them. Returns CRD_ERROR_LIMIT if the model stored only a sample of its rows. */
static crd_status read_rows_of_model(const crd_model *model, const crd_i_model_joint_tally *kept,
                                     const crd_i_schema_view *schema_view, crd_i_case_table **out, crd_error *error) {
    crd_i_sample sample;
    crd_status status = crd_i_joint_tallies_rows(model, kept, schema_view, &sample, error);
    if (status == CRD_OK && !sample.is_complete)
        status =
            crd_i_fail(error, CRD_ERROR_LIMIT, "all rows are needed, but the model has stored only a sample of them");
    if (status == CRD_OK && !case_table_name_columns(sample.table, model, kept, schema_view))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) {
        *out = sample.table;
        sample.table = NULL;
    }
    crd_i_sample_clear(&sample);
    return status == CRD_OK ? crd_i_case_table_arrange(*out, error) : status;
}

crd_status crd_i_case_table_of_model(const crd_model *model, const crd_i_schema_view *view, crd_i_case_table **out,
                                     crd_error *error) {
    const crd_i_model_joint_tally *kept = crd_i_case_rows_of_model(model);
    *out = NULL;
    if (kept == NULL) {
        crd_i_fail(error, CRD_ERROR_SETTING, "rows are needed, but the model has stored none");
        crd_i_error_hint(error, "train it with keep-statistics=row-table");
        return CRD_ERROR_SETTING;
    }
    if (kept->joint_tally->is_dropped) return kept->joint_tally->type->refuse(kept->joint_tally, NULL, error);
    crd_i_case_table *table = NULL;
    const crd_status status = read_rows_of_model(model, kept, view, &table, error);
    if (status != CRD_OK) {
        crd_i_case_table_destroy(table);
        return status;
    }
    table->group = model->group;
    *out = table;
    return CRD_OK;
}

/* ======== 2. Building from frames ========
 *
 * Codes are stored as narrowly as the number of states so far allows, and are numbered in the order in which the states
 * occur. A column whose states no longer fit is widened. After the last row, states and rows are sorted. */

typedef struct built_column {
    crd_text name; /* owned */
    bool is_wanted, is_there;
    crd_column_type type;
    size_t rows, capacity; /* number of cells so far (the others up to the next frame are missing), and the capacity */
    size_t width;          /* bytes per code: 1, 2 or 4 */
    void *cells;           /* codes, or doubles */
    crd_i_dictionary *values;
    bool has_intervals;
    uint64_t serial; /* identifies the dictionary of the frames that `codes` translates */
    int32_t *codes;  /* for each code of the frames: the column's own code; -1: none yet */
    size_t code_count, code_capacity;
} built_column;

struct crd_i_case_builder {
    crd_context *context;
    bool takes_all;
    crd_text target, weight; /* owned; without bytes: none */
    built_column *columns;
    size_t count, capacity, rows;
    double *weights; /* NULL if no weight column was named */
    size_t weight_capacity;
    /* with a weight column: the rows of the latest frame with a weight above 0; only these become cases */
    size_t *weighed;
    size_t weighed_count, weighed_capacity;
};

/* Returns the row of the latest frame that becomes its case `number`. */
static size_t row_of_case(const crd_i_case_builder *builder, size_t number) {
    return builder->weight.bytes == NULL ? number : builder->weighed[number];
}

static crd_status case_builder_add_column(crd_i_case_builder *builder, crd_text name, bool is_wanted,
                                          built_column **out, crd_error *error) {
    if (!crd_i_reserve(builder->context, &builder->columns, &builder->capacity, builder->count + 1,
                       sizeof *builder->columns))
        return crd_i_fail_memory(error);
    built_column *column = &builder->columns[builder->count];
    *column = (built_column){.name = crd_i_text_copy(builder->context, name), .is_wanted = is_wanted, .width = 1};
    if (column->name.bytes == NULL) return crd_i_fail_memory(error);
    builder->count++;
    if (out != NULL) *out = column;
    return CRD_OK;
}

static built_column *case_builder_find_column(const crd_i_case_builder *builder, size_t guess, crd_text name) {
    if (guess < builder->count && crd_text_equal(builder->columns[guess].name, name)) return &builder->columns[guess];
    for (size_t i = 0; i < builder->count; i++)
        if (crd_text_equal(builder->columns[i].name, name)) return &builder->columns[i];
    return NULL;
}

crd_status crd_i_case_builder_create(crd_context *context, const crd_text *names, size_t name_count, crd_text target,
                                     crd_text weight, crd_i_case_builder **out, crd_error *error) {
    *out = NULL;
    crd_i_case_builder *builder = crd_i_alloc_zeroed(context, 1, sizeof *builder);
    if (builder == NULL) return crd_i_fail_memory(error);
    builder->context = context;
    builder->takes_all = names == NULL;
    crd_status status = CRD_OK;
    if (target.bytes != NULL && (builder->target = crd_i_text_copy(context, target)).bytes == NULL)
        status = crd_i_fail_memory(error);
    if (status == CRD_OK && weight.bytes != NULL && (builder->weight = crd_i_text_copy(context, weight)).bytes == NULL)
        status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && names != NULL && i < name_count; i++)
        status = case_builder_add_column(builder, names[i], true, NULL, error);
    if (status == CRD_OK) *out = builder;
    else crd_i_case_builder_destroy(builder);
    return status;
}

void crd_i_case_builder_destroy(crd_i_case_builder *builder) {
    if (builder == NULL) return;
    for (size_t i = 0; i < builder->count; i++) {
        built_column *column = &builder->columns[i];
        crd_free(builder->context, (void *)column->name.bytes);
        crd_free(builder->context, column->cells);
        crd_free(builder->context, column->codes);
        crd_i_dictionary_destroy(column->values);
    }
    crd_free(builder->context, builder->columns);
    crd_free(builder->context, builder->weights);
    crd_free(builder->context, builder->weighed);
    crd_free(builder->context, (void *)builder->target.bytes);
    crd_free(builder->context, (void *)builder->weight.bytes);
    crd_free(builder->context, builder);
}

/* ======== 3. Cells ======== */

static size_t cell_size(const built_column *column) {
    return column->type == CRD_TYPE_NUMERIC ? sizeof(double) : column->width;
}

/* Fills the column with missing cells up to `rows`, with capacity for `space` cells. false: out of memory. */
static bool fill_to(crd_context *context, built_column *column, size_t rows, size_t space) {
    const size_t size = cell_size(column);
    if (!crd_i_reserve(context, &column->cells, &column->capacity, space, size)) return false;
    if (column->type == CRD_TYPE_NUMERIC)
        for (size_t row = column->rows; row < rows; row++) ((double *)column->cells)[row] = (double)NAN;
    else if (rows > column->rows)
        memset((unsigned char *)column->cells + column->rows * size, UINT8_MAX, (rows - column->rows) * size);
    if (rows > column->rows) column->rows = rows;
    return true;
}

static uint32_t get_code(const void *cells, size_t width, size_t row) {
    switch (width) {
    case 1: return ((const uint8_t *)cells)[row] == UINT8_MAX ? UINT32_MAX : ((const uint8_t *)cells)[row];
    case 2: return ((const uint16_t *)cells)[row] == UINT16_MAX ? UINT32_MAX : ((const uint16_t *)cells)[row];
    default: return ((const uint32_t *)cells)[row];
    }
}

static void put_code(void *cells, size_t width, size_t row, uint32_t code) {
    switch (width) {
    case 1: ((uint8_t *)cells)[row] = (uint8_t)code; break;
    case 2: ((uint16_t *)cells)[row] = (uint16_t)code; break;
    default: ((uint32_t *)cells)[row] = code; break;
    }
}

/* Widens the codes if necessary, so that they can represent all values of the dictionary. false: out of memory. */
static bool case_builder_widen(crd_context *context, built_column *column) {
    const size_t values = crd_i_dictionary_size(column->values);
    const size_t width = values <= UINT8_MAX ? 1 : values <= UINT16_MAX ? 2 : 4;
    if (width <= column->width) return true;
    void *wider = crd_i_alloc(context, column->capacity, width);
    if (wider == NULL) return false;
    for (size_t row = 0; row < column->rows; row++)
        put_code(wider, width, row, get_code(column->cells, column->width, row));
    crd_free(context, column->cells);
    column->cells = wider;
    column->width = width;
    return true;
}

/* Maps each code of a frame's dictionary that occurs in its cells to the column's own code. false: out of memory. */
static bool case_builder_translate(const crd_i_case_builder *builder, built_column *column,
                                   const crd_i_column *source_column, size_t rows) {
    crd_context *context = builder->context;
    const uint64_t serial = crd_i_dictionary_serial(source_column->dictionary);
    const size_t size = crd_i_dictionary_size(source_column->dictionary);
    if (column->serial != serial) column->code_count = 0;
    column->serial = serial;
    if (!crd_i_reserve(context, &column->codes, &column->code_capacity, size, sizeof *column->codes)) return false;
    for (; column->code_count < size; column->code_count++) column->codes[column->code_count] = -1;
    for (size_t i = 0; i < rows; i++) {
        const size_t row = row_of_case(builder, i);
        if (!crd_i_column_present(source_column, row)) continue;
        int32_t *code = &column->codes[source_column->codes[row]];
        if (*code >= 0) continue;
        *code = crd_i_dictionary_add(
            column->values, crd_i_dictionary_text(source_column->dictionary, (size_t)source_column->codes[row]));
        if (*code < 0) return false;
    }
    return true;
}

static bool case_builder_declare(built_column *column, const crd_i_dictionary *declared) {
    for (size_t i = 0; declared != NULL && i < crd_i_dictionary_size(declared); i++)
        if (crd_i_dictionary_add(column->values, crd_i_dictionary_text(declared, i)) < 0) return false;
    return true;
}

static bool case_builder_add_codes(const crd_i_case_builder *builder, built_column *column,
                                   const crd_i_column *source_column, size_t rows) {
    if (column->values == NULL) column->values = crd_i_dictionary_create(builder->context);
    if (column->values == NULL || !case_builder_declare(column, source_column->declared) ||
        !case_builder_translate(builder, column, source_column, rows) || !case_builder_widen(builder->context, column))
        return false;
    for (size_t i = 0; i < rows; i++) {
        const size_t row = row_of_case(builder, i);
        put_code(column->cells, column->width, builder->rows + i,
                 crd_i_column_present(source_column, row) ? (uint32_t)column->codes[source_column->codes[row]]
                                                          : UINT32_MAX);
    }
    return true;
}

/* Adds the cells of a frame's column. Returns CRD_ERROR_SCHEMA_DIFFERS if its type changed. */
static crd_status case_builder_add_cells(const crd_i_case_builder *builder, built_column *column,
                                         const crd_i_column *source_column, size_t rows, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    column->is_there = true;
    if (source_column->type == CRD_TYPE_NONE) return CRD_OK;
    if (source_column->type == CRD_TYPE_TEXT) return crd_i_fail_text(error, column->name, "this takes");
    if (column->type != CRD_TYPE_NONE && column->type != source_column->type)
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' has numbers in some rows, and texts in others",
                          crd_i_quote(column->name, shown));
    column->type = source_column->type;
    if (!fill_to(builder->context, column, builder->rows, builder->rows + rows)) return crd_i_fail_memory(error);
    if (source_column->type == CRD_TYPE_CATEGORICAL) {
        if (!case_builder_add_codes(builder, column, source_column, rows)) return crd_i_fail_memory(error);
    } else if (rows > 0) { /* without rows, the frame may have no array of cells */
        double *numbers = (double *)column->cells + builder->rows;
        for (size_t i = 0; i < rows; i++) {
            const size_t row = row_of_case(builder, i);
            numbers[i] = crd_i_column_present(source_column, row) ? source_column->numbers[row] + 0.0 : (double)NAN;
        }
    }
    column->rows = builder->rows + rows;
    return CRD_OK;
}

/* Reads the weights of a frame's rows, and finds the rows with a weight above 0. Must be called before its cells are
 * added. */
static crd_status case_builder_add_weights(crd_i_case_builder *builder, const crd_frame *frame, crd_error *error) {
    const crd_i_column *column = NULL;
    for (size_t i = 0; column == NULL && i < frame->column_count; i++)
        if (crd_text_equal(frame->columns[i].name, builder->weight)) column = &frame->columns[i];
    if (column == NULL) {
        char shown[CRD_I_QUOTED_ROOM];
        return crd_i_fail(error, CRD_ERROR_COLUMN, "no column is called '%s'", crd_i_quote(builder->weight, shown));
    }
    if (!crd_i_reserve(builder->context, &builder->weights, &builder->weight_capacity, builder->rows + frame->rows,
                       sizeof *builder->weights) ||
        !crd_i_reserve(builder->context, &builder->weighed, &builder->weighed_capacity, frame->rows,
                       sizeof *builder->weighed))
        return crd_i_fail_memory(error);
    builder->weighed_count = 0;
    for (size_t row = 0; row < frame->rows; row++) {
        if (column->type != CRD_TYPE_NUMERIC || !crd_i_column_present(column, row) || !(column->numbers[row] >= 0))
            return crd_i_fail(error, CRD_ERROR_WEIGHT, "a row has no weight, or its weight is negative");
        if (column->numbers[row] == 0) continue;
        builder->weights[builder->rows + builder->weighed_count] = column->numbers[row];
        builder->weighed[builder->weighed_count++] = row;
    }
    return CRD_OK;
}

static bool has_intervals(const crd_frame *frame, crd_text name) {
    const size_t column = frame->origin == NULL ? SIZE_MAX : crd_i_schema_find(frame->origin, name);
    return column != SIZE_MAX && crd_i_intervals_are(&frame->origin->columns[column].intervals);
}

crd_status crd_i_case_builder_add(crd_i_case_builder *builder, const crd_frame *frame, crd_error *error) {
    const bool has_weight = builder->weight.bytes != NULL;
    if (builder->rows >= UINT32_MAX - frame->rows)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "there are too many rows to hold them at once");
    crd_status status = has_weight ? case_builder_add_weights(builder, frame, error) : CRD_OK;
    const size_t rows = has_weight ? builder->weighed_count : frame->rows;
    for (size_t i = 0; status == CRD_OK && i < frame->column_count; i++) {
        const crd_i_column *source_column = &frame->columns[i];
        if (has_weight && crd_text_equal(source_column->name, builder->weight)) continue;
        built_column *column = case_builder_find_column(builder, i, source_column->name);
        if (column == NULL && !builder->takes_all) continue;
        if (column == NULL) status = case_builder_add_column(builder, source_column->name, false, &column, error);
        if (status != CRD_OK) break;
        if (!column->is_there) column->has_intervals = has_intervals(frame, source_column->name);
        status = case_builder_add_cells(builder, column, source_column, rows, error);
    }
    builder->rows += rows;
    return status;
}

void crd_i_case_builder_mark_intervals(crd_i_case_builder *builder, crd_text name) {
    case_builder_find_column(builder, 0, name)->has_intervals = true;
}

/* ======== 4. Completion ======== */

static int case_builder_compare_columns(const void *a, const void *b) {
    return crd_i_text_compare(((const built_column *)a)->name, ((const built_column *)b)->name);
}

/* Sorts the states of a column, and copies its codes, renumbered accordingly. false: out of memory. */
static bool case_builder_take_states(const crd_i_case_table *table, size_t number, const built_column *column) {
    crd_context *context = table->context;
    const size_t values = column->values == NULL ? 0 : crd_i_dictionary_size(column->values);
    int32_t *ordered = crd_i_alloc(context, values, sizeof *ordered);
    uint32_t *places = crd_i_alloc(context, values, sizeof *places);
    crd_i_case_column *case_column = &table->columns[number];
    bool done = ordered != NULL && places != NULL;
    if (done && values > 0) {
        const crd_i_value_order order = column->has_intervals ? crd_i_interval_begin : crd_i_schema_view_number;
        done = crd_i_dictionary_order(column->values, NULL, order, ordered) != SIZE_MAX;
        for (size_t i = 0; done && i < values; i++) places[ordered[i]] = (uint32_t)i;
        done = done && crd_i_case_column_states(table, number, column->values, ordered, values);
    }
    done = done && crd_i_case_column_codes(table, number, table->rows);
    for (size_t row = 0; done && row < table->rows; row++) {
        const uint32_t code = values == 0 ? UINT32_MAX : get_code(column->cells, column->width, row);
        crd_i_case_put(case_column, row, code == UINT32_MAX ? CRD_I_CASE_MISSING32 : places[code]);
    }
    crd_free(context, ordered);
    crd_free(context, places);
    return done;
}

/* Moves a column to the table: numbers as they are, categories with sorted states. false: out of memory. */
static bool case_builder_take_column(const crd_i_case_builder *builder, const crd_i_case_table *table, size_t number,
                                     built_column *column) {
    crd_i_case_column *case_column = &table->columns[number];
    case_column->has_intervals = column->has_intervals;
    if (column->type != CRD_TYPE_NONE && !fill_to(builder->context, column, builder->rows, builder->rows)) return false;
    if (!crd_i_case_column_name(table, number, column->name)) return false;
    if (column->type == CRD_TYPE_NUMERIC) {
        case_column->type = CRD_TYPE_NUMERIC;
        case_column->numbers = column->cells;
        column->cells = NULL;
        return true;
    }
    case_column->type = CRD_TYPE_CATEGORICAL;
    if (!case_builder_take_states(table, number, column)) return false;
    crd_free(builder->context, column->cells);
    column->cells = NULL;
    return true;
}

/* Reports that a column does not exist. Without rows, all columns are missing, even if the header names them, so the
 * error is CRD_ERROR_EMPTY. */
static crd_status case_builder_fail_column(size_t rows, crd_text name, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    if (rows == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "no rows to learn from");
    crd_i_fail(error, CRD_ERROR_COLUMN, "no column is called '%s'", crd_i_quote(name, shown));
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

static crd_status case_builder_check_columns(const crd_i_case_builder *builder, crd_error *error) {
    bool has_target = builder->target.bytes == NULL;
    for (size_t i = 0; i < builder->count; i++) {
        has_target = has_target || crd_text_equal(builder->columns[i].name, builder->target);
        if (!builder->columns[i].is_there)
            return case_builder_fail_column(builder->rows, builder->columns[i].name, error);
    }
    return has_target ? CRD_OK : case_builder_fail_column(builder->rows, builder->target, error);
}

/* Creates the table with the rows in their original order. */
static crd_status case_builder_assemble(crd_i_case_builder *builder, crd_i_case_table **out, crd_error *error) {
    crd_status status = CRD_OK;
    *out = NULL;
    crd_i_case_table *table = crd_i_case_table_create(builder->context, builder->count);
    if (table == NULL) return crd_i_fail_memory(error);
    if (builder->count > 0)
        qsort(builder->columns, builder->count, sizeof *builder->columns, case_builder_compare_columns);
    table->rows = builder->rows;
    table->weights = builder->weights;
    builder->weights = NULL;
    for (size_t i = 0; status == CRD_OK && i < builder->count; i++) {
        if (builder->target.bytes != NULL && crd_text_equal(builder->columns[i].name, builder->target))
            table->target = i;
        if (!case_builder_take_column(builder, table, i, &builder->columns[i])) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) *out = table;
    else crd_i_case_table_destroy(table);
    return status;
}

static crd_status case_builder_arrange(crd_i_case_table **table, crd_error *error) {
    const crd_status status = crd_i_case_table_arrange(*table, error);
    if (status == CRD_OK) return CRD_OK;
    crd_i_case_table_destroy(*table);
    *table = NULL;
    return status;
}

/* Creates the table of the rows of all processes, each of which has some. */
static crd_status case_builder_finish_together(crd_i_case_builder *builder, crd_i_group *group, crd_i_case_table **out,
                                               crd_error *error) {
    crd_status status = case_builder_assemble(builder, out, error);
    if (status == CRD_OK && (*out)->weights == NULL) status = case_builder_arrange(out, error);
    if (status != CRD_OK) return crd_i_group_fail(group, status, error);
    status = crd_i_case_table_unite(group, out, error);
    if (status != CRD_OK || builder->target.bytes == NULL) return status;
    (*out)->target = crd_i_case_table_find(*out, builder->target);
    if ((*out)->target != SIZE_MAX) return CRD_OK;
    const size_t rows = (*out)->rows;
    crd_i_case_table_destroy(*out);
    *out = NULL;
    return case_builder_fail_column(rows, builder->target, error);
}

crd_status crd_i_case_builder_finish(crd_i_case_builder *builder, crd_i_group *group, crd_i_case_table **out,
                                     crd_error *error) {
    *out = NULL;
    if (group != NULL) return case_builder_finish_together(builder, group, out, error);
    crd_status status = case_builder_check_columns(builder, error);
    if (status == CRD_OK) status = case_builder_assemble(builder, out, error);
    return status == CRD_OK ? case_builder_arrange(out, error) : status;
}

/* ======== 5. Tables of readers ======== */

typedef struct case_pass {
    crd_reader *reader;
    const crd_i_schema *schema;
    const crd_text *names;
    size_t name_count;
    crd_i_case_builder *builder;
} case_pass;

/* Adds all rows to a new builder. */
static crd_status case_pass_make(void *state, crd_error *error) {
    case_pass *pass = state;
    const crd_i_schema *schema = pass->schema;
    const crd_text none = {0};
    const crd_text target = schema->target == SIZE_MAX ? none : schema->columns[schema->target].name;
    crd_i_case_builder_destroy(pass->builder);
    pass->builder = NULL;
    crd_status status = crd_i_case_builder_create(schema->context, pass->names, pass->name_count, target,
                                                  schema->weight.name, &pass->builder, error);
    while (status == CRD_OK) {
        const crd_frame *frame;
        status = crd_reader_next(pass->reader, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = crd_i_case_builder_add(pass->builder, frame, error);
    }
    return status;
}

crd_status crd_i_case_table_of_reader(crd_reader *reader, const crd_text *names, size_t name_count,
                                      crd_i_case_table **out, crd_error *error) {
    *out = NULL;
    crd_i_schema *schema = NULL;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    case_pass pass = {.reader = reader, .schema = schema, .names = names, .name_count = name_count};
    status = crd_i_reader_make_passes(reader, case_pass_make, &pass, error);
    if (status == CRD_OK) status = crd_i_case_builder_finish(pass.builder, crd_i_reader_group(reader), out, error);
    if (status != CRD_OK) {
        crd_i_case_table_destroy(*out);
        *out = NULL;
    }
    crd_i_case_builder_destroy(pass.builder);
    crd_i_schema_destroy(schema);
    return status;
}
