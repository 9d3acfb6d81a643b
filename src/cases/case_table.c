/* SPDX-License-Identifier: MIT */
/* case_table.c - see case_table.h. */
#include "cases/case_table.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/joint_tallies.h"
#include "stats/kept_rows.h"

#include <math.h>
#include <string.h>

/* ---- Columns ---- */

crd_i_case_table *crd_i_case_table_create(crd_context *context, size_t columns) {
    crd_i_case_table *table = crd_i_alloc_zeroed(context, 1, sizeof *table);
    if (table == NULL) return NULL;
    table->context = context;
    table->target = SIZE_MAX;
    table->columns = crd_i_alloc_zeroed(context, columns, sizeof *table->columns);
    if (table->columns == NULL) {
        crd_free(context, table);
        return NULL;
    }
    table->column_count = columns;
    return table;
}

static void clear_column(crd_context *context, crd_i_case_column *column) {
    crd_free(context, (void *)column->name.bytes);
    crd_free(context, column->states);
    crd_free(context, column->state_bytes);
    crd_free(context, column->codes8);
    crd_free(context, column->codes16);
    crd_free(context, column->codes32);
    crd_free(context, column->numbers);
}

void crd_i_case_table_destroy(crd_i_case_table *table) {
    if (table == NULL) return;
    for (size_t i = 0; i < table->column_count; i++) clear_column(table->context, &table->columns[i]);
    crd_free(table->context, table->columns);
    crd_free(table->context, table->weights);
    crd_free(table->context, table);
}

crd_status crd_i_case_table_keep(crd_i_case_table *table, const bool *stays, crd_error *error) {
    size_t kept = 0, before = table->column_count, target = SIZE_MAX;
    for (size_t i = 0; i < before; i++) {
        if (!stays[i]) {
            clear_column(table->context, &table->columns[i]);
            continue;
        }
        if (i == table->target) target = kept;
        table->columns[kept++] = table->columns[i];
    }
    table->column_count = kept;
    table->target = target;
    return kept == before ? CRD_OK : crd_i_case_table_arrange(table, error);
}

size_t crd_i_case_table_find(const crd_i_case_table *table, crd_text name) {
    size_t low = 0, high = table->column_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = crd_i_text_compare(table->columns[middle].name, name);
        if (order == 0) return middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return SIZE_MAX;
}

bool crd_i_case_column_name(const crd_i_case_table *table, size_t column, crd_text name) {
    table->columns[column].name = crd_i_text_copy(table->context, name);
    return table->columns[column].name.bytes != NULL;
}

bool crd_i_case_column_states(const crd_i_case_table *table, size_t column, const crd_i_dictionary *texts,
                              const int32_t *codes, size_t count) {
    crd_i_case_column *case_column = &table->columns[column];
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += crd_i_dictionary_text(texts, (size_t)codes[i]).length;
    case_column->states = crd_i_alloc(table->context, count, sizeof *case_column->states);
    case_column->state_bytes = crd_i_alloc(table->context, bytes, 1);
    if (case_column->states == NULL || case_column->state_bytes == NULL) return false;
    char *next = case_column->state_bytes;
    for (size_t i = 0; i < count; i++) {
        const crd_text text = crd_i_dictionary_text(texts, (size_t)codes[i]);
        if (text.length > 0) memcpy(next, text.bytes, text.length);
        case_column->states[i] = (crd_text){next, text.length};
        next += text.length;
    }
    case_column->state_count = count;
    return true;
}

bool crd_i_case_column_codes(const crd_i_case_table *table, size_t column, size_t rows) {
    crd_i_case_column *case_column = &table->columns[column];
    if (case_column->state_count <= CRD_I_CASE_MISSING8)
        case_column->codes8 = crd_i_alloc(table->context, rows, sizeof *case_column->codes8);
    else if (case_column->state_count <= CRD_I_CASE_MISSING16)
        case_column->codes16 = crd_i_alloc(table->context, rows, sizeof *case_column->codes16);
    else case_column->codes32 = crd_i_alloc(table->context, rows, sizeof *case_column->codes32);
    return case_column->codes8 != NULL || case_column->codes16 != NULL || case_column->codes32 != NULL;
}

/* ---- Tables of models ---- */

const crd_i_model_joint_tally *crd_i_case_rows_of_model(const crd_model *model) {
    const crd_i_model_joint_tally *tally = NULL;
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        const crd_i_model_joint_tally *kept = &model->joint_tallies[i];
        const crd_i_joint_tally_type *type = kept->joint_tally->type;
        if (kept->covers_all && type == &crd_i_kept_table) return kept;
        if (kept->covers_all && type == &crd_i_kept_rows) tally = kept;
    }
    return tally;
}

/* Copies the codes of a sample. They are positions in a view, so they need no translation. */
static bool case_table_take_codes(crd_i_case_table *table, size_t column, const int32_t *codes) {
    table->columns[column].kind = CRD_KIND_CATEGORY;
    if (!crd_i_case_column_codes(table, column, table->rows)) return false;
    for (size_t row = 0; row < table->rows; row++)
        crd_i_case_put(&table->columns[column], row,
                       codes == NULL || codes[row] < 0 ? CRD_I_CASE_MISSING32 : (uint32_t)codes[row]);
    return true;
}

static bool case_table_take_numbers(crd_i_case_table *table, size_t column, const double *numbers) {
    table->columns[column].kind = CRD_KIND_NUMBER;
    table->columns[column].numbers = crd_i_alloc(table->context, table->rows, sizeof *numbers);
    if (table->columns[column].numbers == NULL) return false;
    for (size_t row = 0; row < table->rows; row++)
        table->columns[column].numbers[row] = numbers == NULL ? (double)NAN : numbers[row] + 0.0;
    return true;
}

/* Fills a column from the sample. `first` is its index in the model's schema. For the target, `cells` are the
 * conditions. */
static bool case_table_take_column(crd_i_case_table *table, size_t limit, const crd_model *model, size_t first,
                                   const crd_i_schema_view *view, const crd_i_cells *cells) {
    const crd_i_dictionary *values = model->variables[first].values;
    if (!crd_i_case_column_name(table, limit, model->schema->columns[first].name)) return false;
    if (cells->numbers != NULL || crd_i_model_column_kind(model, first) == CRD_KIND_NUMBER)
        return case_table_take_numbers(table, limit, cells->numbers);
    if (values != NULL &&
        !crd_i_case_column_states(table, limit, values, view->views[first].values, view->views[first].value_count))
        return false;
    return case_table_take_codes(table, limit, cells->codes);
}

/* Fills the table from the sample. The target is inserted at its position among the sorted names. */
static bool case_table_take_sample(crd_i_case_table *table, const crd_model *model, const crd_i_model_joint_tally *kept,
                                   const crd_i_schema_view *view, crd_i_sample *sample) {
    const size_t target = model->schema->lacks_target ? SIZE_MAX : model->schema->target;
    const crd_i_cells conditions = {.rows = sample->rows, .codes = sample->conditions};
    size_t limit = 0;
    table->rows = sample->rows;
    for (size_t i = 0; i < sample->column_count; i++) {
        const crd_text name = model->schema->columns[kept->columns[i]].name;
        if (target != SIZE_MAX && table->target == SIZE_MAX &&
            crd_i_text_compare(model->schema->columns[target].name, name) < 0) {
            table->target = limit;
            if (!case_table_take_column(table, limit++, model, target, view, &conditions)) return false;
        }
        if (!case_table_take_column(table, limit++, model, kept->columns[i], view, &sample->columns[i])) return false;
    }
    if (target != SIZE_MAX && table->target == SIZE_MAX) {
        table->target = limit;
        if (!case_table_take_column(table, limit, model, target, view, &conditions)) return false;
    }
    table->weights = sample->weights;
    sample->weights = NULL;
    return true;
}

/* Fills and arranges the table. Returns CRD_ERROR_LIMIT if the model stored only a sample of its rows. */
static crd_status fill_of_model(crd_i_case_table *table, const crd_model *model, const crd_i_model_joint_tally *kept,
                                const crd_i_schema_view *schema_view, crd_error *error) {
    crd_i_joint_source source = {0};
    crd_i_sample sample = {.context = table->context};
    crd_status status = crd_i_joint_tallies_open(model, kept, schema_view, &source, error);
    if (status == CRD_OK && !crd_i_sample_init(&sample, table->context, kept->joint_tally, &source.view))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK && !sample.is_complete)
        status =
            crd_i_fail(error, CRD_ERROR_LIMIT, "all rows are needed, but the model has stored only a sample of them");
    if (status == CRD_OK && !case_table_take_sample(table, model, kept, schema_view, &sample))
        status = crd_i_fail_memory(error);
    crd_i_sample_clear(&sample);
    crd_i_joint_tallies_close(&source);
    return status == CRD_OK ? crd_i_case_table_arrange(table, error) : status;
}

crd_status crd_i_case_table_of_model(const crd_model *model, const crd_i_schema_view *view, crd_i_case_table **out,
                                     crd_error *error) {
    const crd_i_model_joint_tally *kept = crd_i_case_rows_of_model(model);
    *out = NULL;
    if (kept == NULL) {
        crd_i_fail(error, CRD_ERROR_SETTING, "rows are needed, but the model has stored none");
        crd_i_error_hint(error, "train it with tally=table");
        return CRD_ERROR_SETTING;
    }
    if (kept->joint_tally->is_given_up) return kept->joint_tally->type->refuse(kept->joint_tally, NULL, error);
    crd_i_case_table *table =
        crd_i_case_table_create(model->context, kept->joint_tally->column_count + !model->schema->lacks_target);
    if (table == NULL) return crd_i_fail_memory(error);
    table->is_shared = model->is_shared;
    crd_status status = fill_of_model(table, model, kept, view, error);
    if (status == CRD_OK) *out = table;
    else crd_i_case_table_destroy(table);
    return status;
}
