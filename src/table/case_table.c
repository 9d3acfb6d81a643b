/* SPDX-License-Identifier: MIT */
/* case_table.c - see case_table.h.
 *
 * Contents:
 *   1. Sorting and merging rows
 *   2. Columns and tables */
#include "table/case_table.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/exact/ieee754.h"

#include <string.h>

/* ======== 1. Sorting and merging rows ========
 *
 * Uses an LSD radix sort. A digit is as many columns as fit into it, or a part of a column that does not fit. Each pass
 * is a stable counting sort. So the time is proportional to rows times columns, and the memory is three words per
 * row. */

/* Bits of a digit, for tables with few and with many rows. Few bits save time in small tables, because the counters are
 * cleared in every pass. */
enum { FEW_BITS = 8, MANY_BITS = 16, MANY_ROWS = 1 << 14 };

typedef struct sort_sorter {
    crd_i_case_table *table;
    unsigned bits;       /* bits of a digit */
    uint32_t *order;     /* the rows, sorted by the digits so far */
    uint32_t *workspace; /* memory for the next order */
    uint16_t *digits;    /* for each row: the digit of the next pass */
    uint32_t *starts;    /* for each digit: the start of its rows; one entry more than digits */
    size_t base;         /* all values in `digits` are below it; 1: none so far */
} sort_sorter;

/* Sorts by the collected digits in one pass. Skips the pass if all digits are equal. */
static void case_sort_pass(sort_sorter *run) {
    const size_t rows = run->table->rows;
    memset(run->starts, 0, (run->base + 1) * sizeof *run->starts);
    for (size_t row = 0; row < rows; row++) run->starts[(size_t)run->digits[row] + 1]++;
    bool is_constant = false;
    for (size_t i = 1; i <= run->base && !is_constant; i++) is_constant = run->starts[i] == rows;
    if (!is_constant) {
        for (size_t i = 1; i <= run->base; i++) run->starts[i] += run->starts[i - 1];
        for (size_t i = 0; i < rows; i++) {
            const uint32_t row = run->order[i];
            run->workspace[run->starts[run->digits[row]]++] = row;
        }
        uint32_t *sorted = run->workspace;
        run->workspace = run->order;
        run->order = sorted;
    }
    memset(run->digits, 0, rows * sizeof *run->digits);
    run->base = 1;
}

/* Adds a categorical column as the next more significant digits. */
static void case_sort_take_codes(sort_sorter *run, const crd_i_case_column *column) {
    const size_t rows = run->table->rows, base = column->state_count + 1, most = (size_t)1 << run->bits;
    const uint32_t missing = (uint32_t)column->state_count; /* sorted after all states */
    if (base <= most) {
        if (run->base > most / base) case_sort_pass(run);
        for (size_t row = 0; row < rows; row++) {
            const uint32_t code = crd_i_case_code(column, row);
            run->digits[row] =
                (uint16_t)(run->digits[row] + run->base * (code == CRD_I_CASE_MISSING32 ? missing : code));
        }
        run->base *= base;
        return;
    }
    for (unsigned shift = 0; shift < 32 && (base - 1) >> shift > 0; shift += run->bits) {
        case_sort_pass(run);
        for (size_t row = 0; row < rows; row++) {
            const uint32_t code = crd_i_case_code(column, row);
            run->digits[row] = (uint16_t)((code == CRD_I_CASE_MISSING32 ? missing : code) >> shift & (most - 1));
        }
        run->base = most;
    }
}

/* Returns a key that is ordered like the numbers, with NaN last. */
static uint64_t case_sort_key(double number) {
    if (number != number) return UINT64_MAX;
    const uint64_t bits = crd_i_bits_of(number);
    return bits >> 63 != 0 ? ~bits : bits | (uint64_t)1 << 63;
}

static void case_sort_take_numbers(sort_sorter *run, const double *numbers) {
    const size_t most = (size_t)1 << run->bits;
    for (unsigned shift = 0; shift < 64; shift += run->bits) {
        case_sort_pass(run);
        for (size_t row = 0; row < run->table->rows; row++)
            run->digits[row] = (uint16_t)(case_sort_key(numbers[row]) >> shift & (most - 1));
        run->base = most;
    }
}

/* Sorts the rows. The weight is the least significant key, so the weights of equal rows are always added in the same
 * order. false: cancelled. */
static bool case_table_sort(sort_sorter *run) {
    const crd_i_case_table *table = run->table;
    for (size_t row = 0; row < table->rows; row++) run->order[row] = (uint32_t)row;
    memset(run->digits, 0, table->rows * sizeof *run->digits);
    run->base = 1;
    if (table->weights != NULL) case_sort_take_numbers(run, table->weights);
    for (size_t i = table->column_count; i-- > 0;) {
        if (crd_i_context_cancelled(table->context)) return false;
        if (table->columns[i].type == CRD_TYPE_NUMERIC) case_sort_take_numbers(run, table->columns[i].numbers);
        else case_sort_take_codes(run, &table->columns[i]);
    }
    case_sort_pass(run);
    return true;
}

static bool cells_differ(const crd_i_case_column *column, uint32_t a, uint32_t b) {
    if (column->type == CRD_TYPE_NUMERIC) return case_sort_key(column->numbers[a]) != case_sort_key(column->numbers[b]);
    return crd_i_case_code(column, a) != crd_i_case_code(column, b);
}

/* Merges equal rows. The first row of each group remains in the order, with the sum of the weights in `weights`. Rows
 * with weight 0 are dropped. Returns the number of remaining rows. */
static size_t merge_equal(const sort_sorter *run, bool *differs, double *weights) {
    const crd_i_case_table *table = run->table;
    uint32_t *order = run->order;
    size_t kept = 0;
    memset(differs, 0, table->rows * sizeof *differs);
    for (size_t i = 0; i < table->column_count; i++)
        for (size_t row = 1; row < table->rows; row++)
            if (!differs[row] && cells_differ(&table->columns[i], order[row - 1], order[row])) differs[row] = true;
    for (size_t row = 0; row < table->rows;) {
        const uint32_t first = order[row];
        double weight = crd_i_case_weight(table, first);
        for (row++; row < table->rows && !differs[row]; row++) weight += crd_i_case_weight(table, order[row]);
        if (!(weight > 0)) continue;
        weights[kept] = weight;
        order[kept++] = first;
    }
    return kept;
}

/* Merges equal rows, and stores the sorted cells, the weights and their total. false: out of memory. */
static bool case_sort_finish(const sort_sorter *run, bool *differs, double **weights) {
    crd_i_case_table *table = run->table;
    const size_t kept = merge_equal(run, differs, *weights);
    bool is_one = true;
    if (!crd_i_case_table_gather(table, run->order, kept)) return false;
    table->total = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        crd_i_case_column *column = &table->columns[i];
        column->has_missing = false;
        for (size_t row = 0; row < kept && !column->has_missing; row++)
            column->has_missing = column->numbers != NULL ? column->numbers[row] != column->numbers[row]
                                                          : crd_i_case_code(column, row) == CRD_I_CASE_MISSING32;
    }
    for (size_t row = 0; row < kept; row++) {
        table->total += (*weights)[row];
        is_one = is_one && (*weights)[row] == 1;
    }
    crd_free(table->context, table->weights);
    table->weights = NULL;
    if (!is_one) {
        table->weights = *weights;
        *weights = NULL;
    }
    return true;
}

crd_status crd_i_case_table_arrange(crd_i_case_table *table, crd_error *error) {
    crd_context *context = table->context;
    if (table->rows >= UINT32_MAX)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "%zu rows are too many to hold them at once", table->rows);
    sort_sorter run = {.table = table, .bits = table->rows < MANY_ROWS ? FEW_BITS : MANY_BITS};
    run.order = crd_i_alloc(context, table->rows, sizeof *run.order);
    run.workspace = crd_i_alloc(context, table->rows, sizeof *run.workspace);
    run.digits = crd_i_alloc(context, table->rows, sizeof *run.digits);
    run.starts = crd_i_alloc(context, ((size_t)1 << run.bits) + 1, sizeof *run.starts);
    bool *differs = crd_i_alloc(context, table->rows, sizeof *differs);
    double *weights = crd_i_alloc(context, table->rows, sizeof *weights);
    crd_status status = CRD_OK;
    if (run.order == NULL || run.workspace == NULL || run.digits == NULL || run.starts == NULL || differs == NULL ||
        weights == NULL)
        status = crd_i_fail_memory(error);
    else if (!case_table_sort(&run)) status = crd_i_fail_cancelled(error);
    else if (!case_sort_finish(&run, differs, &weights)) status = crd_i_fail_memory(error);
    crd_free(context, run.order);
    crd_free(context, run.workspace);
    crd_free(context, run.digits);
    crd_free(context, run.starts);
    crd_free(context, differs);
    crd_free(context, weights);
    return status;
}

/* ======== 2. Columns and tables ======== */

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

static void free_cells(crd_context *context, const crd_i_case_column *column) {
    crd_free(context, column->codes8);
    crd_free(context, column->codes16);
    crd_free(context, column->codes32);
    crd_free(context, column->numbers);
    crd_free(context, column->texts);
}

static void clear_column(const crd_i_case_table *table, const crd_i_case_column *column) {
    if (!table->has_borrowed_names) {
        crd_free(table->context, (void *)column->name.bytes);
        crd_free(table->context, column->states);
        crd_free(table->context, column->state_bytes);
    }
    free_cells(table->context, column);
}

void crd_i_case_table_destroy(crd_i_case_table *table) {
    if (table == NULL) return;
    for (size_t i = 0; i < table->column_count; i++) clear_column(table, &table->columns[i]);
    crd_free(table->context, table->columns);
    crd_free(table->context, table->weights);
    crd_free(table->context, table);
}

crd_status crd_i_case_table_keep(crd_i_case_table *table, const bool *stays, crd_error *error) {
    size_t kept = 0, before = table->column_count, target = SIZE_MAX;
    for (size_t i = 0; i < before; i++) {
        if (!stays[i]) {
            clear_column(table, &table->columns[i]);
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

/* ---- Some of the rows ---- */

/* Copies the cells of the given rows. NULL: there are no cells, or memory runs out. */
static void *case_cells_gather(crd_context *context, const void *cells, size_t size, const uint32_t *rows,
                               size_t count) {
    const unsigned char *source = cells;
    unsigned char *copy = cells == NULL ? NULL : crd_i_alloc(context, count, size);
    if (copy == NULL) return NULL;
    switch (size) { /* copies of a fixed size are fast */
    case 1:
        for (size_t i = 0; i < count; i++) copy[i] = source[rows[i]];
        break;
    case 4:
        for (size_t i = 0; i < count; i++) memcpy(copy + i * 4, source + (size_t)rows[i] * 4, 4);
        break;
    case 8:
        for (size_t i = 0; i < count; i++) memcpy(copy + i * 8, source + (size_t)rows[i] * 8, 8);
        break;
    default:
        for (size_t i = 0; i < count; i++) memcpy(copy + i * size, source + rows[i] * size, size);
        break;
    }
    return copy;
}

/* Replaces the cells of a column by copies of the cells of the given rows, without freeing them. false: out of memory. */
static bool case_column_gather(crd_context *context, crd_i_case_column *column, const uint32_t *rows, size_t count) {
    const crd_i_case_column source = *column;
    column->codes8 = case_cells_gather(context, source.codes8, sizeof *source.codes8, rows, count);
    column->codes16 = case_cells_gather(context, source.codes16, sizeof *source.codes16, rows, count);
    column->codes32 = case_cells_gather(context, source.codes32, sizeof *source.codes32, rows, count);
    column->numbers = case_cells_gather(context, source.numbers, sizeof *source.numbers, rows, count);
    column->texts = case_cells_gather(context, source.texts, sizeof *source.texts, rows, count);
    return (column->codes8 == NULL) == (source.codes8 == NULL) &&
           (column->codes16 == NULL) == (source.codes16 == NULL) &&
           (column->codes32 == NULL) == (source.codes32 == NULL) &&
           (column->numbers == NULL) == (source.numbers == NULL) && (column->texts == NULL) == (source.texts == NULL);
}

bool crd_i_case_table_gather(crd_i_case_table *table, const uint32_t *rows, size_t count) {
    for (size_t i = 0; i < table->column_count; i++) {
        const crd_i_case_column source = table->columns[i];
        const bool done = case_column_gather(table->context, &table->columns[i], rows, count);
        free_cells(table->context, &source);
        if (!done) return false;
    }
    table->rows = count;
    return true;
}

crd_status crd_i_case_table_select(const crd_i_case_table *table, const double *weights, const uint32_t *rows,
                                   size_t count, crd_i_case_table **out, crd_error *error) {
    crd_i_case_table *selected = crd_i_case_table_create(table->context, table->column_count);
    *out = NULL;
    if (selected == NULL) return crd_i_fail_memory(error);
    selected->has_borrowed_names = true;
    selected->rows = count;
    selected->target = table->target;
    selected->group = table->group;
    if (weights == NULL) weights = table->weights;
    if (weights != NULL) selected->weights = crd_i_alloc(table->context, count, sizeof *selected->weights);
    bool done = weights == NULL || selected->weights != NULL;
    for (size_t i = 0; done && i < table->column_count; i++) {
        selected->columns[i] = table->columns[i];
        done = case_column_gather(table->context, &selected->columns[i], rows, count);
    }
    if (!done) {
        crd_i_case_table_destroy(selected);
        return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        if (weights != NULL) selected->weights[i] = weights[rows[i]];
        selected->total += crd_i_case_weight(selected, i);
    }
    *out = selected;
    return CRD_OK;
}
