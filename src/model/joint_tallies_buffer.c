/* SPDX-License-Identifier: MIT */
/* joint_tallies_buffer.c - buffers rows for joint tallies. Rows of several frames are collected until many of them can
 * be added at once, because sums of products are computed many times faster that way. The joint tallies are incomplete
 * until the buffer is poured; see joint_tallies.h. */
#include "model/joint_tallies.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The buffer is poured when it contains MOST_ROWS rows, or about MOST_CELLS cells, but at least LEAST_ROWS rows. */
enum { MOST_ROWS = 4096, MOST_CELLS = 1 << 21, LEAST_ROWS = 64 };

struct crd_i_waiting {
    crd_context *context;
    size_t columns, rows, capacity;
    bool *is_covered; /* for each column of the schema, whether it is in a joint tally */
    double **numbers; /* one array per column; NULL: it never had numbers */
    int32_t **codes;  /* one array per column; NULL: it never had codes */
    crd_kind *kinds;  /* for each column, the kind of the buffered cells; NONE: it has none */
    int32_t *conditions;
};

void crd_i_waiting_destroy(crd_i_waiting *waiting) {
    if (waiting == NULL) return;
    crd_context *context = waiting->context;
    for (size_t i = 0; i < waiting->columns; i++) {
        if (waiting->numbers != NULL) crd_free(context, waiting->numbers[i]);
        if (waiting->codes != NULL) crd_free(context, waiting->codes[i]);
    }
    crd_free(context, waiting->numbers);
    crd_free(context, waiting->codes);
    crd_free(context, waiting->kinds);
    crd_free(context, waiting->is_covered);
    crd_free(context, waiting->conditions);
    crd_free(context, waiting);
}

static crd_i_waiting *joint_buffer_create(const crd_model *model) {
    crd_context *context = model->context;
    size_t columns = model->schema->count, covered = 0;
    crd_i_waiting *waiting_values = crd_i_alloc_zeroed(context, 1, sizeof *waiting_values);
    if (waiting_values == NULL) return NULL;
    waiting_values->context = context;
    waiting_values->columns = columns;
    waiting_values->is_covered = crd_i_alloc_zeroed(context, columns, sizeof *waiting_values->is_covered);
    waiting_values->numbers = crd_i_alloc_zeroed(context, columns, sizeof *waiting_values->numbers);
    waiting_values->codes = crd_i_alloc_zeroed(context, columns, sizeof *waiting_values->codes);
    waiting_values->kinds = crd_i_alloc_zeroed(context, columns, sizeof *waiting_values->kinds);
    bool done = waiting_values->is_covered != NULL && waiting_values->numbers != NULL &&
                waiting_values->codes != NULL && waiting_values->kinds != NULL;
    for (size_t b = 0; done && b < model->joint_tally_count; b++)
        for (size_t i = 0; i < model->joint_tallies[b].joint_tally->column_count; i++) {
            bool *is_covered = &waiting_values->is_covered[model->joint_tallies[b].columns[i]];
            covered += !*is_covered;
            *is_covered = true;
        }
    waiting_values->capacity = MOST_CELLS / (covered + 1);
    if (waiting_values->capacity > MOST_ROWS) waiting_values->capacity = MOST_ROWS;
    if (waiting_values->capacity < LEAST_ROWS) waiting_values->capacity = LEAST_ROWS;
    waiting_values->conditions =
        done ? crd_i_alloc(context, waiting_values->capacity, sizeof *waiting_values->conditions) : NULL;
    if (waiting_values->conditions != NULL) return waiting_values;
    crd_i_waiting_destroy(waiting_values);
    return NULL;
}

/* Allocates memory for a column, in which the cells of the earlier rows are missing. */
static bool begin_column(crd_i_waiting *waiting, size_t column, crd_kind kind) {
    if (waiting->kinds[column] != CRD_KIND_NONE) return true;
    if (kind == CRD_KIND_NUMBER) {
        double **destination = &waiting->numbers[column];
        if (*destination == NULL) *destination = crd_i_alloc(waiting->context, waiting->capacity, sizeof **destination);
        if (*destination == NULL) return false;
        for (size_t row = 0; row < waiting->rows; row++) (*destination)[row] = NAN;
    } else {
        int32_t **destination = &waiting->codes[column];
        if (*destination == NULL) *destination = crd_i_alloc(waiting->context, waiting->capacity, sizeof **destination);
        if (*destination == NULL) return false;
        for (size_t row = 0; row < waiting->rows; row++) (*destination)[row] = CRD_I_CODE_MISSING;
    }
    waiting->kinds[column] = kind;
    return true;
}

/* Copies the cells of the counted rows begin .. end - 1. */
static void joint_buffer_copy_column(crd_i_waiting *waiting, size_t column, const crd_i_cells *cells,
                                     const int32_t *conditions, size_t begin, size_t end) {
    size_t index = waiting->rows;
    if (waiting->kinds[column] == CRD_KIND_NUMBER) {
        double *destination = waiting->numbers[column];
        for (size_t row = begin; row < end; row++)
            if (conditions[row] >= 0)
                destination[index++] =
                    cells->numbers != NULL && crd_i_number_present(cells, row) ? cells->numbers[row] : NAN;
    } else {
        int32_t *destination = waiting->codes[column];
        for (size_t row = begin; row < end; row++)
            if (conditions[row] >= 0)
                destination[index++] = cells->codes == NULL ? CRD_I_CODE_MISSING : cells->codes[row];
    }
}

static bool joint_buffer_any_present(const crd_i_cells *cells, const int32_t *conditions, size_t begin, size_t end) {
    for (size_t row = begin; row < end; row++)
        if (conditions[row] >= 0 && (cells->codes != NULL ? cells->codes[row] >= 0 : crd_i_number_present(cells, row)))
            return true;
    return false;
}

/* Copies the rows begin .. end - 1. The buffer must have room for them. */
static bool joint_buffer_keep(crd_i_waiting *waiting, const crd_i_offered *offered, const int32_t *conditions,
                              size_t begin, size_t end) {
    for (size_t i = 0; i < waiting->columns; i++) {
        const crd_i_cells *cells = &offered->cells[i];
        if (!waiting->is_covered[i]) continue;
        bool has_cells = cells->numbers != NULL || cells->codes != NULL;
        if (waiting->kinds[i] == CRD_KIND_NONE && has_cells &&
            joint_buffer_any_present(cells, conditions, begin, end) &&
            !begin_column(waiting, i, cells->codes != NULL ? CRD_KIND_CATEGORY : CRD_KIND_NUMBER))
            return false;
        if (waiting->kinds[i] != CRD_KIND_NONE) joint_buffer_copy_column(waiting, i, cells, conditions, begin, end);
    }
    for (size_t row = begin; row < end; row++)
        if (conditions[row] >= 0) waiting->conditions[waiting->rows++] = conditions[row];
    return true;
}

crd_status crd_i_joint_tallies_wait(crd_model *model, const crd_i_offered *offered, const int32_t *conditions,
                                    crd_error *error) {
    if (offered->has_texts) { /* no gain, because texts are stored row by row */
        crd_status status = crd_i_joint_tallies_pour(model, error);
        return status == CRD_OK ? crd_i_joint_tallies_add(model, offered, conditions, NULL, error) : status;
    }
    if (model->waiting == NULL) model->waiting = joint_buffer_create(model);
    crd_i_waiting *waiting = model->waiting;
    if (waiting == NULL) return crd_i_fail_memory(error);
    for (size_t begin = 0, end; begin < offered->rows; begin = end) {
        size_t space = waiting->capacity - waiting->rows;
        end = offered->rows - begin < space ? offered->rows : begin + space;
        if (!joint_buffer_keep(waiting, offered, conditions, begin, end)) return crd_i_fail_memory(error);
        if (waiting->rows < waiting->capacity) continue;
        crd_status status = crd_i_joint_tallies_pour(model, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

crd_status crd_i_joint_tallies_pour(crd_model *model, crd_error *error) {
    crd_i_waiting *waiting = model->waiting;
    if (waiting == NULL || waiting->rows == 0) return CRD_OK;
    crd_i_cells *cells = crd_i_alloc(model->context, waiting->columns, sizeof *cells);
    if (cells == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < waiting->columns; i++) {
        crd_kind kind = waiting->kinds[i];
        const crd_i_cells own_cells = {.rows = waiting->rows,
                                       .numbers = kind == CRD_KIND_NUMBER ? waiting->numbers[i] : NULL,
                                       .codes = kind == CRD_KIND_CATEGORY ? waiting->codes[i] : NULL};
        cells[i] = own_cells;
        waiting->kinds[i] = CRD_KIND_NONE;
    }
    const crd_i_offered offered = {.rows = waiting->rows, .columns = waiting->columns, .cells = cells};
    waiting->rows = 0;
    crd_status status = crd_i_joint_tallies_add(model, &offered, waiting->conditions, NULL, error);
    crd_free(model->context, cells);
    return status;
}
