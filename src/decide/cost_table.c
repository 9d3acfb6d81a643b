/* SPDX-License-Identifier: MIT */
/* cost_table.c - reads a cost table from a file: one row per class, one column per action. */
#include "base/error.h"
#include "base/memory.h"
#include "decide/decision_rule.h"

#include <credence/number.h>

/* The rows read so far: class names and costs. The costs of a row are consecutive, in the order of actions. */
typedef struct cost_rows {
    crd_context *context;
    crd_i_dictionary *names;
    double *costs;
    size_t costs_capacity;
} cost_rows;

/* Adds the place of a cell to the error, and returns `status`. */
static crd_status cost_table_fail(const crd_reader *reader, size_t row, size_t column, crd_status status,
                                  crd_error *error) {
    crd_i_error_place(error, crd_reader_place(reader), crd_reader_line(reader, row), column + 1);
    return status;
}

/* Opens the file and checks its columns. All columns are read as categories, so errors about numbers can name the
 * action. */
static crd_status cost_table_open_file(crd_context *context, const char *path, crd_reader **out, crd_error *error) {
    const crd_text missing = {"", 0};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.header = CRD_CHOICE_YES;
    options.missing = &missing;
    options.missing_count = 1;
    options.threads = 1;
    crd_status status = crd_reader_open(context, &path, 1, &options, out, error);
    if (status != CRD_OK) return status;
    size_t columns = crd_reader_column_count(*out);
    for (size_t i = 0; status == CRD_OK && i < columns; i++)
        status = crd_reader_set_kind(*out, i, CRD_KIND_CATEGORY, error);
    if (status == CRD_OK && columns < 2) {
        status = crd_i_fail(error, CRD_ERROR_COLUMN,
                            "a cost table must have a column of classes, then one column for each action");
        crd_i_error_place(error, path, 1, 0);
    }
    return status;
}

/* Reads one cost, which must be a finite number. */
static crd_status read_cost(const crd_reader *reader, const crd_frame *frame, size_t row, size_t column, double *cost,
                            crd_error *error) {
    char action[CRD_I_QUOTED_ROOM], quoted[CRD_I_QUOTED_ROOM];
    crd_value cell = crd_frame_value(frame, row, column);
    crd_i_quote(crd_reader_column_name(reader, column), action);
    if (cell.kind == CRD_KIND_NONE) {
        crd_i_fail(error, CRD_ERROR_SYNTAX, "the cost of '%s' is missing", action);
        return cost_table_fail(reader, row, column, CRD_ERROR_SYNTAX, error);
    }
    if (crd_number_parse(cell.text, cost) != CRD_NUMBER_FINITE) {
        crd_i_fail(error, CRD_ERROR_SYNTAX, "the cost of '%s' is not a finite number: '%s'", action,
                   crd_i_quote(cell.text, quoted));
        return cost_table_fail(reader, row, column, CRD_ERROR_SYNTAX, error);
    }
    return CRD_OK;
}

/* Reads the class and the costs of a row. */
static crd_status cost_table_read_row(const crd_reader *reader, const crd_frame *frame, size_t row, cost_rows *cost,
                                      crd_error *error) {
    size_t count = crd_i_dictionary_size(cost->names), actions = crd_reader_column_count(reader) - 1;
    crd_value name = crd_frame_value(frame, row, 0);
    if (name.kind == CRD_KIND_NONE) {
        crd_i_fail(error, CRD_ERROR_SYNTAX, "the class name is missing");
        return cost_table_fail(reader, row, 0, CRD_ERROR_SYNTAX, error);
    }
    if (count >= SIZE_MAX / actions - 1 ||
        !crd_i_reserve(cost->context, &cost->costs, &cost->costs_capacity, (count + 1) * actions, sizeof *cost->costs))
        return crd_i_fail_memory(error);
    int32_t code = crd_i_dictionary_add(cost->names, name.text);
    if (code < 0) return crd_i_fail_memory(error);
    if ((size_t)code != count) {
        char quoted[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_COLUMN, "the class '%s' occurs twice", crd_i_quote(name.text, quoted));
        return cost_table_fail(reader, row, 0, CRD_ERROR_COLUMN, error);
    }
    for (size_t a = 0; a < actions; a++) {
        crd_status status = read_cost(reader, frame, row, a + 1, &cost->costs[count * actions + a], error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Reads all rows. */
static crd_status cost_table_read_rows(crd_reader *reader, cost_rows *cost, crd_error *error) {
    for (;;) {
        const crd_frame *frame = NULL;
        crd_status status = crd_reader_next(reader, &frame, error);
        /* only possible before the first frame, because all column types are fixed */
        if (status == CRD_RESTART) continue;
        if (status != CRD_OK || frame == NULL) return status;
        if (crd_frame_column_count(frame) < crd_reader_column_count(reader)) {
            crd_i_fail(error, CRD_ERROR_COLUMN, "the first line has one column fewer than the rows");
            return cost_table_fail(reader, 0, 0, CRD_ERROR_COLUMN, error);
        }
        for (size_t row = 0; row < crd_frame_rows(frame); row++) {
            status = cost_table_read_row(reader, frame, row, cost, error);
            if (status != CRD_OK) return status;
        }
    }
}

/* Creates the rule from the table by crd_rule_create_costs. */
static crd_status make_rule(const crd_reader *reader, const cost_rows *cost, const char *path, const crd_text *classes,
                            size_t class_count, crd_rule **out, crd_error *error) {
    size_t rows = crd_i_dictionary_size(cost->names), actions = crd_reader_column_count(reader) - 1;
    crd_text *names = crd_i_alloc(cost->context, rows + actions, sizeof *names);
    if (names == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < rows; i++) names[i] = crd_i_dictionary_text(cost->names, i);
    for (size_t a = 0; a < actions; a++) names[rows + a] = crd_reader_column_name(reader, a + 1);
    crd_cost_table table = CRD_COST_TABLE_INIT;
    table.rows = names;
    table.row_count = rows;
    table.actions = names + rows;
    table.action_count = actions;
    table.costs = cost->costs;
    crd_status status = crd_rule_create_costs(cost->context, classes, class_count, &table, out, error);
    if (status != CRD_OK && status != CRD_ERROR_MEMORY) crd_i_error_place(error, path, 0, 0);
    crd_free(cost->context, names);
    return status;
}

crd_status crd_rule_read_costs(crd_context *context, const char *path, const crd_text *classes, size_t class_count,
                               crd_rule **out, crd_error *error) {
    crd_reader *reader = NULL;
    cost_rows rows = {.context = context};
    *out = NULL;
    crd_status status = cost_table_open_file(context, path, &reader, error);
    if (status == CRD_OK) rows.names = crd_i_dictionary_create(context);
    if (status == CRD_OK && rows.names == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = cost_table_read_rows(reader, &rows, error);
    if (status == CRD_OK) status = make_rule(reader, &rows, path, classes, class_count, out, error);
    crd_i_dictionary_destroy(rows.names);
    crd_free(context, rows.costs);
    crd_reader_close(reader);
    return status;
}
