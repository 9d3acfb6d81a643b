/* SPDX-License-Identifier: MIT */
/* count_table_query.c - queries on a table of counts: conditioning, joint counts, events, and tests of independence. */
#include "base/error.h"
#include "base/memory.h"
#include "math/independence_tests.h"
#include "query/count_table.h"

#include <math.h>

static crd_status count_table_query_fail_column(crd_error *error, crd_status status, const crd_i_table_column *column,
                                                const char *description) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, status, "column '%s' %s", crd_i_quote(column->name, quoted), description);
    crd_i_error_subject(error, column->name);
    return status;
}

/* Fails with CRD_ERROR_ARGUMENT if the table does not have the column or does not count it. */
static crd_status count_table_query_check_column(const crd_table *table, size_t column, crd_error *error) {
    if (column >= table->column_count) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown column %zu", column);
    if (table->columns[column].slot != SIZE_MAX) return CRD_OK;
    return count_table_query_fail_column(error, CRD_ERROR_ARGUMENT, &table->columns[column],
                                         "is not counted in the table");
}

static crd_status check_all(const crd_table *table, const size_t *columns, size_t count, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = count_table_query_check_column(table, columns[i], error);
    return status;
}

/* ---- Events ---- */

/* Checks that every comparison of the event fits its column: the column is counted, a category is compared by = or !=,
 * and a number is compared with a number. */
static crd_status check_event(const crd_table *table, const crd_event *event, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < event->part_count; i++)
        status = check_event(table, event->parts[i], error);
    if (status != CRD_OK || event->kind != CRD_I_EVENT_COMPARISON) return status;
    status = count_table_query_check_column(table, event->comparison.column, error);
    if (status != CRD_OK) return status;
    const crd_i_table_column *column = &table->columns[event->comparison.column];
    bool equality = event->comparison.relation == CRD_EVENT_EQUAL || event->comparison.relation == CRD_EVENT_UNEQUAL;
    if (column->kind == CRD_KIND_CATEGORY && !equality)
        return count_table_query_fail_column(error, CRD_ERROR_COLUMN, column,
                                             "is categorical: compare it by =, != or in {...}");
    if (column->kind == CRD_KIND_NUMBER && !event->is_number)
        return count_table_query_fail_column(error, CRD_ERROR_COLUMN, column,
                                             "is numeric, but is compared with a value that is not a number");
    return CRD_OK;
}

typedef struct place {
    const crd_table *table;
    size_t combination;
} place;

/* Returns whether x has the relation to y. Even and odd ignore y; a number with a fraction is neither. */
static bool count_table_query_relates(double x, crd_event_relation relation, double y) {
    switch (relation) {
    case CRD_EVENT_EQUAL: return x == y;
    case CRD_EVENT_UNEQUAL: return x != y;
    case CRD_EVENT_LESS: return x < y;
    case CRD_EVENT_AT_MOST: return x <= y;
    case CRD_EVENT_GREATER: return x > y;
    case CRD_EVENT_EVEN: return fmod(x, 2) == 0;
    case CRD_EVENT_ODD: return fabs(fmod(x, 2)) == 1;
    case CRD_EVENT_AT_LEAST: break;
    }
    return x >= y;
}

static bool comparison_holds(const void *user, const crd_event *event) {
    const place *current_place = user;
    const crd_i_table_column *column = &current_place->table->columns[event->comparison.column];
    int32_t code = crd_i_table_code(current_place->table, current_place->combination, column->slot);
    if (code < 0) return false;
    crd_text value = crd_i_dictionary_text(column->values, (size_t)code);
    if (column->kind == CRD_KIND_CATEGORY)
        return crd_text_equal(value, event->comparison.value) == (event->comparison.relation == CRD_EVENT_EQUAL);
    double number;
    memcpy(&number, value.bytes, sizeof number);
    return count_table_query_relates(number, event->comparison.relation, event->number);
}

/* Returns whether a combination has a value in each column that the event compares. */
static bool event_present(const crd_table *table, size_t combination, const crd_event *event) {
    for (size_t i = 0; i < event->part_count; i++)
        if (!event_present(table, combination, event->parts[i])) return false;
    return event->kind != CRD_I_EVENT_COMPARISON ||
           crd_i_table_code(table, combination, table->columns[event->comparison.column].slot) >= 0;
}

static bool all_present(const crd_table *table, size_t combination, const size_t *columns, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (crd_i_table_code(table, combination, table->columns[columns[i]].slot) < 0) return false;
    return true;
}

crd_status crd_table_count(const crd_table *table, const crd_event *const *events, size_t count, uint64_t *rows,
                           crd_error *error) {
    *rows = 0;
    for (size_t i = 0; i < count; i++) {
        crd_status status = check_event(table, events[i], error);
        if (status != CRD_OK) return status;
    }
    uint64_t sum = 0;
    for (size_t c = 0; c < crd_i_dictionary_size(table->combinations); c++) {
        place current_place = {table, c};
        bool all = true;
        for (size_t i = 0; all && i < count; i++)
            all = event_present(table, c, events[i]) && crd_i_event_holds(events[i], comparison_holds, &current_place);
        if (all) sum += table->counts[c];
    }
    *rows = sum;
    return CRD_OK;
}

/* ---- Conditions ---- */

/* Creates an empty table with the same columns and the same codes of values. */
static crd_status count_table_query_create_like(const crd_table *table, crd_table **out, crd_error *error) {
    *out = NULL;
    crd_text *names = crd_i_alloc(table->context, table->column_count, sizeof *names);
    bool *counted = crd_i_alloc(table->context, table->column_count, sizeof *counted);
    crd_status status = names == NULL || counted == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < table->column_count; i++) {
        names[i] = table->columns[i].name;
        counted[i] = table->columns[i].slot != SIZE_MAX;
    }
    if (status == CRD_OK) status = crd_i_table_create(table->context, names, counted, table->column_count, out, error);
    crd_free(table->context, names);
    crd_free(table->context, counted);
    for (size_t slot = 0; status == CRD_OK && slot < table->slot_count; slot++) {
        const crd_i_table_column *column = &table->columns[table->slots[slot]];
        crd_i_table_column *table_column = &(*out)->columns[table->slots[slot]];
        crd_i_dictionary_destroy(table_column->values);
        table_column->values = crd_i_dictionary_clone(column->values);
        table_column->kind = column->kind;
        if (table_column->values == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK && !crd_i_table_order(*out)) status = crd_i_fail_memory(error);
    if (status != CRD_OK) {
        crd_table_destroy(*out);
        *out = NULL;
    }
    return status;
}

crd_status crd_table_given(const crd_table *table, const size_t *asked, size_t count, const crd_event *event,
                           crd_table **out, crd_error *error) {
    *out = NULL;
    crd_table *result = NULL;
    int32_t *codes = NULL;
    crd_status status = check_all(table, asked, count, error);
    if (status == CRD_OK && event != NULL) status = check_event(table, event, error);
    if (status == CRD_OK) status = count_table_query_create_like(table, &result, error);
    if (status != CRD_OK) goto fail;
    codes = crd_i_alloc(table->context, table->slot_count, sizeof *codes);
    if (codes == NULL) goto no_memory;
    for (size_t c = 0; c < crd_i_dictionary_size(table->combinations); c++) {
        place current_place = {table, c};
        if (!all_present(table, c, asked, count) || (event != NULL && !event_present(table, c, event))) {
            result->left_out += table->counts[c];
            continue;
        }
        if (event != NULL && !crd_i_event_holds(event, comparison_holds, &current_place)) continue;
        for (size_t slot = 0; slot < table->slot_count; slot++) codes[slot] = crd_i_table_code(table, c, slot);
        if (!crd_i_table_count_rows(result, codes, table->counts[c])) goto no_memory;
    }
    crd_free(table->context, codes);
    *out = result;
    return CRD_OK;

no_memory:
    status = crd_i_fail_memory(error);
fail:
    crd_free(table->context, codes);
    crd_table_destroy(result);
    return status;
}

/* ---- Joint counts ---- */

crd_status crd_table_cells(const crd_table *table, const size_t *columns, size_t count, size_t *cells,
                           crd_error *error) {
    *cells = 0;
    crd_status status = check_all(table, columns, count, error);
    if (status != CRD_OK) return status;
    size_t product = 1;
    for (size_t i = 0; i < count; i++) {
        size_t values = crd_table_value_count(table, columns[i]);
        if (values > 0 && product > CRD_TABLE_MOST_CELLS / values)
            return crd_i_fail(error, CRD_ERROR_LIMIT,
                              "the joint table of these columns has more than %d cells: query fewer columns",
                              CRD_TABLE_MOST_CELLS);
        product *= values;
    }
    *cells = product;
    return CRD_OK;
}

/* Calls `visit` for each combination without missing values in the columns, with its cell of the joint table and its
 * number of rows. The last column varies fastest. */
static void visit_cells(const crd_table *table, const size_t *columns, size_t count,
                        void (*visit)(void *user, size_t cell, uint64_t rows), void *user) {
    for (size_t c = 0; c < crd_i_dictionary_size(table->combinations); c++) {
        if (!all_present(table, c, columns, count)) continue;
        size_t cell = 0;
        for (size_t i = 0; i < count; i++) {
            const crd_i_table_column *column = &table->columns[columns[i]];
            int32_t code = crd_i_table_code(table, c, column->slot);
            cell = cell * crd_i_dictionary_size(column->values) + column->places[code];
        }
        visit(user, cell, table->counts[c]);
    }
}

static void count_table_query_add_rows(void *user, size_t cell, uint64_t rows) {
    ((uint64_t *)user)[cell] += rows;
}

crd_status crd_table_counts(const crd_table *table, const size_t *columns, size_t count, uint64_t *rows,
                            crd_error *error) {
    size_t cells;
    crd_status status = crd_table_cells(table, columns, count, &cells, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < cells; i++) rows[i] = 0;
    visit_cells(table, columns, count, count_table_query_add_rows, rows);
    return CRD_OK;
}

crd_status crd_table_moments(const crd_table *table, size_t column, double *mean, double *variance, crd_error *error) {
    uint64_t *counts = NULL, rows = 0;
    *mean = *variance = NAN;
    crd_status status = count_table_query_check_column(table, column, error);
    if (status != CRD_OK) return status;
    if (table->columns[column].kind == CRD_KIND_CATEGORY)
        return count_table_query_fail_column(error, CRD_ERROR_COLUMN, &table->columns[column],
                                             "is categorical, so it has no mean");
    size_t values = crd_table_value_count(table, column);
    counts = crd_i_alloc(table->context, values + 1, sizeof *counts);
    if (counts == NULL) return crd_i_fail_memory(error);
    status = crd_table_counts(table, &column, 1, counts, error);
    for (size_t i = 0; status == CRD_OK && i < values; i++) rows += counts[i];
    if (status == CRD_OK && rows == 0)
        status = count_table_query_fail_column(error, CRD_ERROR_EMPTY, &table->columns[column],
                                               "has no value in these rows");
    if (status == CRD_OK) {
        double n = (double)rows, sum = 0, squares = 0;
        for (size_t i = 0; i < values; i++) sum += (double)counts[i] / n * crd_table_value(table, column, i).number;
        for (size_t i = 0; i < values; i++) {
            double away = crd_table_value(table, column, i).number - sum;
            squares += (double)counts[i] / n * away * away;
        }
        *mean = sum;
        *variance = squares;
    }
    crd_free(table->context, counts);
    return status;
}

/* ---- Independence ---- */

static void count_table_query_add(void *user, size_t cell, uint64_t rows) {
    ((double *)user)[cell] += (double)rows;
}

/* Returns whether a numeric column contains only a few different whole numbers, such as the points of a die. A test can
 * then treat them as categories. */
static bool count_table_query_has_few_whole_numbers(const crd_i_table_column *column) {
    enum { MOST_VALUES = 20 };
    const size_t count = crd_i_dictionary_size(column->values);
    for (size_t i = 0; i < count && count <= MOST_VALUES; i++) {
        double number;
        memcpy(&number, crd_i_dictionary_text(column->values, i).bytes, sizeof number);
        if (number != floor(number)) return false;
    }
    return count <= MOST_VALUES;
}

/* Checks that the columns are different and have values that a test of independence can count. */
static crd_status count_table_query_check_categories(const crd_table *table, const size_t *columns, size_t count,
                                                     crd_error *error) {
    for (size_t i = 0; i < count; i++) {
        const crd_i_table_column *column = &table->columns[columns[i]];
        if (column->kind == CRD_KIND_NUMBER && !count_table_query_has_few_whole_numbers(column))
            return count_table_query_fail_column(
                error, CRD_ERROR_COLUMN, column,
                "is numeric: the test counts each value of a categorical column, or of a few whole numbers");
        for (size_t j = 0; j < i; j++)
            if (columns[j] == columns[i])
                return count_table_query_fail_column(error, CRD_ERROR_COLUMN, column, "is listed twice");
    }
    return CRD_OK;
}

/* Copies the statistics and computes the p-values of a test of independence. */
static void count_table_query_hand_over(const crd_i_contingency *contingency, crd_independence *out) {
    crd_independence result = CRD_INDEPENDENCE_INIT;
    result.rows = contingency->rows;
    result.chi_squared = contingency->chi_squared;
    result.chi_squared_p = crd_i_contingency_p(contingency->chi_squared, contingency->degrees);
    result.g_squared = contingency->g_squared;
    result.g_squared_p = crd_i_contingency_p(contingency->g_squared, contingency->degrees);
    result.degrees = contingency->degrees;
    result.information = crd_i_contingency_information(contingency);
    result.tables = contingency->tables;
    result.cells = contingency->cells;
    result.cells_below = contingency->cells_below;
    result.least_expected = contingency->least_expected;
    crd_i_copy_out(&result, sizeof result, out);
}

/* Returns the number of combinations of the columns' values. */
static size_t count_combinations(const crd_table *table, const size_t *columns, size_t count) {
    size_t product = 1;
    for (size_t i = 0; i < count; i++) product *= crd_table_value_count(table, columns[i]);
    return product;
}

crd_status crd_table_set_independence(const crd_table *table, const size_t *a, size_t a_count, const size_t *b,
                                      size_t b_count, const size_t *given, size_t given_count, crd_independence *out,
                                      crd_error *error) {
    crd_context *context = table->context;
    crd_i_contingency sum = {0, 0, 0, 0, 0, 0, 0, 0};
    double *counts = NULL, *sums = NULL;
    size_t cells = 0, count = given_count + a_count + b_count;
    size_t *columns = crd_i_alloc(context, count, sizeof *columns);
    if (columns == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < given_count; i++) columns[i] = given[i];
    for (size_t i = 0; i < a_count; i++) columns[given_count + i] = a[i];
    for (size_t i = 0; i < b_count; i++) columns[given_count + a_count + i] = b[i];
    crd_status status = crd_table_cells(table, columns, count, &cells, error);
    if (status == CRD_OK) status = count_table_query_check_categories(table, columns, count, error);
    if (status != CRD_OK) goto end;
    size_t rows = count_combinations(table, a, a_count), width = count_combinations(table, b, b_count);
    counts = crd_i_alloc_zeroed(context, cells, sizeof *counts);
    sums = crd_i_alloc(context, rows + width, sizeof *sums);
    if (counts == NULL || sums == NULL) {
        status = crd_i_fail_memory(error);
        goto end;
    }
    visit_cells(table, columns, count, count_table_query_add, counts);
    for (size_t index = 0; index < cells; index += rows * width)
        crd_i_contingency_add(&sum, counts + index, rows, width, sums, sums + rows);
    if (sum.rows == 0) status = crd_i_fail(error, CRD_ERROR_EMPTY, "no row has a value in every column of the query");
    else count_table_query_hand_over(&sum, out);

end:
    crd_free(context, columns);
    crd_free(context, counts);
    crd_free(context, sums);
    return status;
}

crd_status crd_table_independence(const crd_table *table, size_t a, size_t b, const size_t *given, size_t given_count,
                                  crd_independence *out, crd_error *error) {
    return crd_table_set_independence(table, &a, 1, &b, 1, given, given_count, out, error);
}
