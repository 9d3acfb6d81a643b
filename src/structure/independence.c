/* SPDX-License-Identifier: MIT */
/* independence.c - tests the conditional independence of two columns of a case table. See structure_search.h.
 *
 * Contents:
 *   1. Two-way contingency tables
 *   2. Independence tests */
#include "structure/structure_search.h"

#include "base/arena.h"
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"
#include "structure/gaussian_family.h"

#include <math.h>
#include <string.h>

/* ======== 1. Two-way contingency tables ======== */

enum {
    BLOCK_WORDS = 256, /* 64-row words per block, so the intersected sets stay in the cache */
    BLOCK_ROWS = 1024,
    MOST_SET_STATES = 32 /* most states of a column whose rows are stored as bit sets */
};

/* A query: the table of x and y for each configuration of the columns `given`. `cells` is the number of entries of
 * all these tables together. */
typedef struct question {
    const crd_i_counted_rows *counted;
    size_t x, y;
    const uint32_t *given;
    size_t given_count;
    size_t rows, columns; /* number of states of x and of y */
    double cells;
} question;

void crd_i_contingency_room_clear(crd_context *context, crd_i_contingency_room *workspace) {
    crd_free(context, workspace->cells);
    crd_free(context, workspace->masks);
    crd_free(context, workspace->ids);
    memset(workspace, 0, sizeof *workspace);
}

/* ---- Counting by intersecting bit sets ---- */

/* Returns the number of table entries below a configuration of the first `depth` given columns. With depth =
 * given_count + 1, a state of x is fixed as well. */
static size_t contingency_counts_cells(const question *source_question, size_t depth) {
    size_t cells = source_question->columns * (depth > source_question->given_count ? 1 : source_question->rows);
    for (size_t i = depth; i < source_question->given_count; i++)
        cells *= source_question->counted->table->columns[source_question->given[i]].state_count;
    return cells;
}

/* Adds the counts of the `words` words of the bit sets that start at word `index`. `mask` contains the rows of the
 * current configuration, which fixes the first `depth` given columns; NULL means all rows. `masks` has one block of
 * BLOCK_WORDS for each remaining level of the recursion. Returns the position in `cells` after the entries that were
 * counted. */
static double *contingency_counts_block(const question *source_question, size_t depth, const uint64_t *mask,
                                        uint64_t *masks, size_t index, size_t words, double *cells) {
    const crd_i_counted_rows *counted = source_question->counted;
    bool is_pair = depth == source_question->given_count;
    size_t column = is_pair ? source_question->x : source_question->given[depth];
    size_t states = source_question->counted->table->columns[column].state_count;
    for (size_t state = 0; state < states; state++) {
        const uint64_t *row = counted->columns[column].sets + state * counted->words + index, *both = row;
        if (mask != NULL) {
            uint64_t any = 0;
            for (size_t w = 0; w < words; w++) any |= masks[w] = mask[w] & row[w];
            both = masks;
            if (any == 0) {
                cells += contingency_counts_cells(source_question, depth + 1);
                continue;
            }
        }
        if (!is_pair) {
            cells =
                contingency_counts_block(source_question, depth + 1, both, masks + BLOCK_WORDS, index, words, cells);
            continue;
        }
        uint32_t result[MOST_SET_STATES] = {0};
        counted->count_bits(both, counted->columns[source_question->y].sets + index, counted->words,
                            source_question->columns, words, result);
        for (size_t i = 0; i < source_question->columns; i++) *cells++ += result[i];
    }
    return cells;
}

static void count_by_bits(const question *source_question, crd_i_contingency_room *workspace) {
    size_t words = source_question->counted->words;
    for (size_t index = 0; index < words; index += BLOCK_WORDS)
        (void)contingency_counts_block(source_question, 0, NULL, workspace->masks, index,
                                       words - index < BLOCK_WORDS ? words - index : BLOCK_WORDS, workspace->cells);
}

/* ---- Counting by one pass over the rows ---- */

/* Sets index = index * states + code for `count` rows from `position` on, and marks rows in which the value is
 * missing. */
static void append_codes(const crd_i_case_column *column, size_t position, size_t count, uint32_t *index,
                         bool *is_missing) {
    uint32_t states = (uint32_t)column->state_count;
    if (column->codes8 != NULL && !column->has_missing) {
        for (size_t i = 0; i < count; i++) index[i] = index[i] * states + column->codes8[position + i];
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t code = crd_i_case_code(column, position + i);
        if (code == CRD_I_CASE_MISSING32) is_missing[i] = true;
        else index[i] = index[i] * states + code;
    }
}

static void count_by_rows(const question *source_question, double *cells) {
    const crd_i_case_table *table = source_question->counted->table;
    uint32_t index[BLOCK_ROWS];
    bool is_missing[BLOCK_ROWS];
    for (size_t position = 0; position < table->rows; position += BLOCK_ROWS) {
        size_t count = table->rows - position < BLOCK_ROWS ? table->rows - position : BLOCK_ROWS;
        memset(index, 0, sizeof index);
        memset(is_missing, 0, sizeof is_missing);
        for (size_t i = 0; i < source_question->given_count; i++)
            append_codes(&table->columns[source_question->given[i]], position, count, index, is_missing);
        append_codes(&table->columns[source_question->x], position, count, index, is_missing);
        append_codes(&table->columns[source_question->y], position, count, index, is_missing);
        for (size_t i = 0; i < count; i++)
            if (!is_missing[i]) cells[index[i]] += crd_i_case_weight(table, position + i);
    }
}

/* ---- Counting by hashing ---- */

/* Computes the sum of weights of each part of `partition`, over the rows that belong to a part of `complete`. */
static void contingency_counts_weigh(const crd_i_case_table *table, const crd_i_row_partition *partition,
                                     const crd_i_row_partition *complete, double *sums) {
    memset(sums, 0, partition->parts * sizeof *sums);
    for (size_t row = 0; row < table->rows; row++)
        if (complete->ids[row] != CRD_I_NO_PART) sums[partition->ids[row]] += crd_i_case_weight(table, row);
}

typedef struct counts_partition {
    crd_i_row_partition given, with_x, with_y, all;
    double *sums_given, *sums_x, *sums_y, *sums_all;
} counts_partition;

/* Returns the degrees of freedom: the sum of (|X_z| - 1)(|Y_z| - 1) over the configurations z of the given columns,
 * where X_z and Y_z are the states of x and of y that occur in the rows of z. */
static double degrees_of(const crd_i_case_table *table, const counts_partition *partition, uint64_t *states,
                         uint32_t *is_seen) {
    enum { X = 1, Y = 2 };
    static const uint64_t ONE_OF_Y = UINT64_C(1) << 32;
    double degrees = 0;
    memset(states, 0, partition->given.parts * sizeof *states);
    memset(is_seen, 0, table->rows * sizeof *is_seen);
    for (size_t row = 0; row < table->rows; row++) {
        if (partition->all.ids[row] == CRD_I_NO_PART || !(crd_i_case_weight(table, row) > 0)) continue;
        uint64_t *of_given = &states[partition->given.ids[row]];
        uint32_t *x = &is_seen[partition->with_x.ids[row]], *y = &is_seen[partition->with_y.ids[row]];
        if ((*x & X) == 0) *of_given += 1;
        *x |= X;
        if ((*y & Y) == 0) *of_given += ONE_OF_Y;
        *y |= Y;
    }
    for (size_t i = 0; i < partition->given.parts; i++)
        if (states[i] > 0) degrees += ((double)(states[i] % ONE_OF_Y) - 1) * ((double)(states[i] / ONE_OF_Y) - 1);
    return degrees;
}

/* Sums both statistics over the combinations that occur. A combination that does not occur, but whose row and column
 * totals are positive, adds its expected count E to chi-squared, because (0 - E)^2 / E = E. All expected counts sum
 * to the rows, so these terms are the rows minus the expected counts of the combinations that do occur. */
static void contingency_counts_add_parts(const crd_i_case_table *table, const counts_partition *partition,
                                         crd_i_contingency *out) {
    double expected_seen = 0;
    for (size_t row = 0; row < table->rows; row++) {
        uint32_t id = partition->all.ids[row];
        if (id == CRD_I_NO_PART || partition->sums_all[id] == 0) continue;
        double observed = partition->sums_all[id], given = partition->sums_given[partition->given.ids[row]];
        double expected =
            partition->sums_x[partition->with_x.ids[row]] * partition->sums_y[partition->with_y.ids[row]] / given;
        out->rows += observed;
        out->chi_squared += (observed - expected) * (observed - expected) / expected;
        out->g_squared += 2 * observed * crd_log(observed / expected);
        expected_seen += expected;
        partition->sums_all[id] = 0;
    }
    out->chi_squared += out->rows - expected_seen > 0 ? out->rows - expected_seen : 0;
    if (out->g_squared < 0) out->g_squared = 0;
}

/* Computes *out from partitions of the rows by the combinations that occur. The memory is proportional to the rows,
 * whatever the number of table entries. */
static crd_status count_by_hashing(const question *source_question, crd_i_contingency_room *workspace,
                                   crd_i_contingency *out, crd_error *error) {
    const crd_i_case_table *table = source_question->counted->table;
    crd_context *context = table->context;
    size_t rows = table->rows;
    if (!crd_i_reserve(context, &workspace->ids, &workspace->id_capacity, 5 * rows + crd_i_row_partition_slots(rows),
                       sizeof *workspace->ids) ||
        !crd_i_reserve(context, &workspace->cells, &workspace->cell_capacity, 4 * rows, sizeof *workspace->cells) ||
        !crd_i_reserve(context, &workspace->masks, &workspace->mask_capacity, rows, sizeof *workspace->masks))
        return crd_i_fail_memory(error);
    uint32_t *slots = workspace->ids + 5 * rows;
    counts_partition parts = {
        {workspace->ids, 1}, {workspace->ids + rows, 0}, {workspace->ids + 2 * rows, 0}, {workspace->ids + 3 * rows, 0},
        workspace->cells,    workspace->cells + rows,    workspace->cells + 2 * rows,    workspace->cells + 3 * rows};
    crd_i_row_partition spare = {workspace->ids + 4 * rows, 0};
    memset(parts.given.ids, 0, rows * sizeof *parts.given.ids);
    for (size_t i = 0; i < source_question->given_count; i++) {
        crd_i_row_partition_divide(table, &parts.given, source_question->given[i], &spare, workspace->masks, slots);
        crd_i_row_partition swapped = parts.given;
        parts.given = spare;
        spare = swapped;
    }
    crd_i_row_partition_divide(table, &parts.given, source_question->x, &parts.with_x, workspace->masks, slots);
    crd_i_row_partition_divide(table, &parts.given, source_question->y, &parts.with_y, workspace->masks, slots);
    crd_i_row_partition_divide(table, &parts.with_x, source_question->y, &parts.all, workspace->masks, slots);
    contingency_counts_weigh(table, &parts.given, &parts.all, parts.sums_given);
    contingency_counts_weigh(table, &parts.with_x, &parts.all, parts.sums_x);
    contingency_counts_weigh(table, &parts.with_y, &parts.all, parts.sums_y);
    contingency_counts_weigh(table, &parts.all, &parts.all, parts.sums_all);
    out->degrees = degrees_of(table, &parts, workspace->masks, slots);
    contingency_counts_add_parts(table, &parts, out);
    return CRD_OK;
}

/* ---- Choosing the method ---- */

/* Returns whether all columns have bit sets and intersecting them is estimated to be faster: about 0.2 ns per word
 * and table entry, compared with 1 ns per row and column. */
static bool is_cheaper_by_bits(const question *source_question) {
    const crd_i_state_rows *columns = source_question->counted->columns;
    if (columns[source_question->x].sets == NULL || columns[source_question->y].sets == NULL ||
        source_question->columns > MOST_SET_STATES)
        return false;
    for (size_t i = 0; i < source_question->given_count; i++)
        if (columns[source_question->given[i]].sets == NULL) return false;
    return source_question->cells * (double)source_question->counted->words / 5 <
           (double)source_question->counted->table->rows * ((double)source_question->given_count + 2);
}

crd_status crd_i_contingency_of(const crd_i_counted_rows *counted, crd_i_contingency_room *workspace, size_t x,
                                size_t y, const uint32_t *given, size_t given_count, crd_i_contingency *out,
                                crd_error *error) {
    const crd_i_case_table *table = counted->table;
    size_t rows = table->columns[x].state_count, columns = table->columns[y].state_count;
    question source_question = {counted, x, y, given, given_count, rows, columns, (double)rows * (double)columns};
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < given_count; i++) source_question.cells *= (double)table->columns[given[i]].state_count;
    if (source_question.cells == 0) return CRD_OK;
    static const double LEAST = 1 << 14, MOST = 1 << 24;
    double dense = 4 * (double)table->rows;
    if (source_question.cells > (dense < LEAST ? LEAST : dense > MOST ? MOST : dense))
        return count_by_hashing(&source_question, workspace, out, error);
    size_t cells = (size_t)source_question.cells;
    if (!crd_i_reserve(table->context, &workspace->cells, &workspace->cell_capacity, cells + rows + columns,
                       sizeof *workspace->cells) ||
        !crd_i_reserve(table->context, &workspace->masks, &workspace->mask_capacity, (given_count + 1) * BLOCK_WORDS,
                       sizeof *workspace->masks))
        return crd_i_fail_memory(error);
    memset(workspace->cells, 0, cells * sizeof *workspace->cells);
    if (is_cheaper_by_bits(&source_question)) count_by_bits(&source_question, workspace);
    else count_by_rows(&source_question, workspace->cells);
    for (size_t index = 0; index < cells; index += rows * columns)
        crd_i_contingency_add(out, workspace->cells + index, rows, columns, workspace->cells + cells,
                              workspace->cells + cells + rows);
    return CRD_OK;
}

/* ======== 2. Independence tests ======== */

struct crd_i_independence {
    crd_i_arena *arena;
    const crd_i_case_table *table;
    crd_i_independence_test test;
    crd_i_counted_rows *counted; /* for the tests g2, x2 and cg */
    double *covariance;          /* for the test z if no value is missing; else NULL */
};

/* Computes the covariance of all columns, from which every test can be computed if no value is missing. */
static crd_status prepare_covariance(crd_i_independence *independence, crd_error *error) {
    const crd_i_case_table *table = independence->table;
    size_t count = table->column_count;
    double rows;
    for (size_t i = 0; i < count; i++)
        if (table->columns[i].has_missing) return CRD_OK;
    uint32_t *columns = crd_i_arena_alloc(independence->arena, count, sizeof *columns);
    double *means = crd_i_arena_alloc(independence->arena, count, sizeof *means);
    independence->covariance = crd_i_arena_alloc(independence->arena, count * count, sizeof *independence->covariance);
    if (independence->covariance == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) columns[i] = (uint32_t)i;
    crd_i_covariance(table, columns, count, independence->covariance, means, &rows);
    return CRD_OK;
}

/* Replaces the test `auto` by the test for the column types, and checks that the test supports all columns. */
static crd_status choose_test(const crd_i_case_table *table, crd_i_independence_test *test, crd_error *error) {
    size_t numbers = 0, first_number = 0, first_category = 0;
    for (size_t i = table->column_count; i-- > 0;) {
        if (table->columns[i].type == CRD_TYPE_NUMERIC) first_number = i;
        else first_category = i;
        numbers += table->columns[i].type == CRD_TYPE_NUMERIC;
    }
    char buffer[CRD_I_QUOTED_ROOM];
    if (*test == CRD_I_TEST_AUTO)
        *test = numbers == 0 ? CRD_I_TEST_G2 : numbers == table->column_count ? CRD_I_TEST_Z : CRD_I_TEST_CG;
    if ((*test == CRD_I_TEST_G2 || *test == CRD_I_TEST_X2) && numbers > 0) {
        (void)crd_i_fail(error, CRD_ERROR_TYPE, "column %s is a number, but %s tests categories",
                         crd_i_quote(table->columns[first_number].name, buffer), *test == CRD_I_TEST_G2 ? "g2" : "x2");
        crd_i_error_hint(error, "use ci-test=auto, which also tests numbers");
        return CRD_ERROR_TYPE;
    }
    if (*test == CRD_I_TEST_Z && numbers < table->column_count) {
        (void)crd_i_fail(error, CRD_ERROR_TYPE, "column %s is a category, but Fisher's z tests numbers",
                         crd_i_quote(table->columns[first_category].name, buffer));
        crd_i_error_hint(error, "use ci-test=auto, which also tests categories");
        return CRD_ERROR_TYPE;
    }
    return CRD_OK;
}

crd_status crd_i_independence_create(const crd_i_case_table *table, crd_i_independence_test test,
                                     crd_i_independence **out, crd_error *error) {
    *out = NULL;
    crd_status status = choose_test(table, &test, error);
    if (status == CRD_OK) status = crd_i_gaussian_check(table, error);
    if (status != CRD_OK) return status;
    crd_i_independence *independence = crd_i_arena_object(table->context, sizeof *independence);
    if (independence == NULL) return crd_i_fail_memory(error);
    independence->table = table;
    independence->test = test;
    status = test == CRD_I_TEST_Z ? prepare_covariance(independence, error)
                                  : crd_i_counted_rows_create(table, &independence->counted, error);
    if (status == CRD_OK) *out = independence;
    else crd_i_independence_destroy(independence);
    return status;
}

void crd_i_independence_destroy(crd_i_independence *independence) {
    if (independence == NULL) return;
    crd_i_counted_rows_destroy(independence->counted);
    crd_i_arena_destroy(independence->arena);
}

void crd_i_independence_room_clear(crd_context *context, crd_i_independence_room *workspace) {
    crd_i_contingency_room_clear(context, &workspace->contingency);
    crd_free(context, workspace->numbers);
    workspace->numbers = NULL;
    workspace->capacity = 0;
}

/* The result of a test of two columns. */
typedef struct independence_finding {
    double statistic;
    double degrees; /* degrees of freedom. 0: no dependence is possible. Below 0: `statistic` is the absolute value
                     * of a standard normal variable. */
    double information;
} independence_finding;

static double p_of(const independence_finding *finding) {
    if (finding->degrees < 0) return 2 * crd_i_normal_tails(finding->statistic).above;
    /* With far more degrees of freedom than rows, the statistic cannot reach its expectation. Summing the
     * distribution function would be wasted. */
    return finding->degrees > CRD_I_GREATEST_SHAPE ? 1 : crd_i_contingency_p(finding->statistic, finding->degrees);
}

/* Returns the statistic whose p-value is alpha, found by bisection. The value is cached in the workspace. */
static double critical_value(crd_i_independence_room *workspace, double alpha, double degrees) {
    uint64_t bits;
    memcpy(&bits, &degrees, sizeof bits);
    size_t index = (size_t)crd_i_hash_scatter(bits) % CRD_I_CRITICAL_VALUES;
    if (workspace->critical[index].degrees == degrees && workspace->critical[index].alpha == alpha)
        return workspace->critical[index].value;
    double low = 0, high = degrees;
    while (crd_i_contingency_p(high, degrees) > alpha) high *= 2;
    for (double middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2) {
        if (high - low < 1e-6 * high) break;
        if (crd_i_contingency_p(middle, degrees) > alpha) low = middle;
        else high = middle;
    }
    workspace->critical[index].alpha = alpha;
    workspace->critical[index].degrees = degrees;
    return workspace->critical[index].value = high;
}

/* Returns whether the p-value exceeds alpha. Compares the statistic with the critical value, and computes the
 * p-value only if they nearly agree. */
static bool independence_is_above(crd_i_independence_room *workspace, const independence_finding *finding,
                                  double alpha) {
    static const double MOST_DEGREES = 1e5;
    if (finding->degrees > 0 && finding->degrees < MOST_DEGREES) {
        double critical = critical_value(workspace, alpha, finding->degrees);
        if (finding->statistic > 1.00001 * critical) return false;
        if (finding->statistic < 0.99999 * critical) return true;
    }
    return p_of(finding) > alpha;
}

/* ---- Categorical columns ---- */

static crd_status test_categories(const crd_i_independence *independence, crd_i_independence_room *workspace, size_t x,
                                  size_t y, const uint32_t *given, size_t given_count, independence_finding *out,
                                  crd_error *error) {
    crd_i_contingency found_contingency;
    crd_status status = crd_i_contingency_of(independence->counted, &workspace->contingency, x, y, given, given_count,
                                             &found_contingency, error);
    if (status != CRD_OK) return status;
    out->statistic = independence->test == CRD_I_TEST_X2 ? found_contingency.chi_squared : found_contingency.g_squared;
    out->degrees = found_contingency.degrees;
    out->information = found_contingency.g_squared / (2 * independence->table->total);
    return CRD_OK;
}

/* ---- Numeric columns ---- */

/* Tests numeric columns by Fisher's z of their partial correlation. */
static crd_status test_numbers(const crd_i_independence *independence, crd_i_independence_room *workspace, size_t x,
                               size_t y, const uint32_t *given, size_t given_count, independence_finding *out,
                               crd_error *error) {
    const crd_i_case_table *table = independence->table;
    size_t count = given_count + 2, all = table->column_count;
    if (!crd_i_reserve(table->context, &workspace->numbers, &workspace->capacity, count * count + 2 * count,
                       sizeof *workspace->numbers))
        return crd_i_fail_memory(error);
    double *matrix = workspace->numbers, *means = matrix + count * count, rows = table->total;
    uint32_t *columns = (uint32_t *)(means + count);
    for (size_t i = 0; i < given_count; i++) columns[i] = given[i];
    columns[given_count] = (uint32_t)x;
    columns[given_count + 1] = (uint32_t)y;
    if (independence->covariance != NULL) {
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++)
                matrix[i * count + j] = independence->covariance[columns[i] * all + columns[j]];
    } else {
        crd_i_covariance(table, columns, count, matrix, means, &rows);
    }
    double r = crd_i_partial_correlation(matrix, count), degrees = rows - (double)given_count - 3;
    if (isnan(r)) return CRD_OK;
    double unexplained = 1 - r * r;
    out->information =
        -crd_log(unexplained < CRD_I_LEAST_RESIDUAL ? CRD_I_LEAST_RESIDUAL : unexplained) / 2 * rows / table->total;
    if (!(degrees > 0)) return CRD_OK;
    /* atanh(|r|), which is infinite at 1. */
    out->statistic = fabs(r) == 1 ? INFINITY : crd_log((1 + fabs(r)) / (1 - fabs(r))) / 2 * sqrt(degrees);
    out->degrees = -1;
    return CRD_OK;
}

/* ---- Categorical and numeric columns ---- */

/* Marks the rows that are complete in the columns. */
static void mark_complete(const crd_i_case_table *table, const uint32_t *columns, size_t count, bool *is_complete) {
    memset(is_complete, true, table->rows * sizeof *is_complete);
    for (size_t i = 0; i < count; i++) {
        const crd_i_case_column *column = &table->columns[columns[i]];
        for (size_t row = 0; column->has_missing && row < table->rows; row++)
            if (column->type == CRD_TYPE_NUMERIC ? isnan(column->numbers[row])
                                                 : crd_i_case_code(column, row) == CRD_I_CASE_MISSING32)
                is_complete[row] = false;
    }
}

/* Computes the degrees of freedom for two categorical columns given categorical and numeric columns: the degrees of
 * freedom of the contingency tables, times the number of parameters that each combination of categories has for the
 * given numbers. All states of x and of y that occur count, whether or not they occur together. */
static crd_status degrees_of_categories(const crd_i_independence *independence, crd_i_independence_room *workspace,
                                        size_t x, size_t y, const uint32_t *given, size_t given_count, double *degrees,
                                        crd_error *error) {
    const crd_i_case_table *table = independence->table;
    crd_i_contingency found_contingency = {0};
    size_t categories = 0;
    uint32_t *columns = crd_i_alloc(table->context, given_count, sizeof *columns);
    if (columns == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < given_count; i++)
        if (table->columns[given[i]].type == CRD_TYPE_CATEGORICAL) columns[categories++] = given[i];
    const crd_status status = crd_i_contingency_of(independence->counted, &workspace->contingency, x, y, columns,
                                                   categories, &found_contingency, error);
    const double numbers = (double)(given_count - categories);
    *degrees = found_contingency.degrees * (1 + numbers + numbers * (numbers + 1) / 2);
    crd_free(table->context, columns);
    return status;
}

/* Tests columns of any type by the likelihood ratio of conditional Gaussian distributions. */
static crd_status test_both(const crd_i_independence *independence, crd_i_independence_room *workspace, size_t x,
                            size_t y, const uint32_t *given, size_t given_count, independence_finding *out,
                            crd_error *error) {
    const crd_i_case_table *table = independence->table;
    crd_i_arena *scratch = crd_i_arena_create(table->context);
    crd_i_gaussian_fit all, with_x, with_y, gaussian;
    /* In the order x, given, y every set that is needed is contiguous. */
    uint32_t *columns = crd_i_arena_alloc(scratch, given_count + 2, sizeof *columns);
    bool *is_complete = crd_i_arena_alloc(scratch, table->rows, sizeof *is_complete);
    crd_status status = crd_i_arena_check(scratch, error);
    if (status != CRD_OK) goto done;
    columns[0] = (uint32_t)x;
    for (size_t i = 0; i < given_count; i++) columns[i + 1] = given[i];
    columns[given_count + 1] = (uint32_t)y;
    mark_complete(table, columns, given_count + 2, is_complete);
    status = crd_i_conditional_gaussian(table, columns, given_count + 2, is_complete, &all, error);
    if (status == CRD_OK)
        status = crd_i_conditional_gaussian(table, columns, given_count + 1, is_complete, &with_x, error);
    if (status == CRD_OK)
        status = crd_i_conditional_gaussian(table, columns + 1, given_count + 1, is_complete, &with_y, error);
    if (status == CRD_OK)
        status = crd_i_conditional_gaussian(table, columns + 1, given_count, is_complete, &gaussian, error);
    if (status != CRD_OK) goto done;
    double ratio = 2 * (all.log_likelihood + gaussian.log_likelihood - with_x.log_likelihood - with_y.log_likelihood);
    /* A difference of equal likelihoods, as with a number that does not vary, is only rounding error. */
    if (!(ratio > 1e-12 * (fabs(all.log_likelihood) + fabs(gaussian.log_likelihood)) + 1e-12)) goto done;
    out->statistic = ratio;
    out->degrees = all.parameters + gaussian.parameters - with_x.parameters - with_y.parameters;
    out->information = ratio / (2 * table->total);
    if (table->columns[x].type == CRD_TYPE_CATEGORICAL && table->columns[y].type == CRD_TYPE_CATEGORICAL)
        status = degrees_of_categories(independence, workspace, x, y, given, given_count, &out->degrees, error);
done:
    crd_i_arena_destroy(scratch);
    return status;
}

static crd_status test_columns(const crd_i_independence *independence, crd_i_independence_room *workspace, size_t x,
                               size_t y, const uint32_t *given, size_t given_count, independence_finding *out,
                               crd_error *error) {
    const crd_i_case_column *columns = independence->table->columns;
    *out = (independence_finding){0, 0, 0};
    if (independence->test == CRD_I_TEST_Z)
        return test_numbers(independence, workspace, x, y, given, given_count, out, error);
    bool has_number = columns[x].type == CRD_TYPE_NUMERIC || columns[y].type == CRD_TYPE_NUMERIC;
    for (size_t i = 0; i < given_count; i++) has_number |= columns[given[i]].type == CRD_TYPE_NUMERIC;
    if (has_number) return test_both(independence, workspace, x, y, given, given_count, out, error);
    return test_categories(independence, workspace, x, y, given, given_count, out, error);
}

crd_status crd_i_independence_p(const crd_i_independence *independence, crd_i_independence_room *workspace, size_t x,
                                size_t y, const uint32_t *given, size_t given_count, double *p, crd_error *error) {
    independence_finding finding;
    crd_status status = test_columns(independence, workspace, x, y, given, given_count, &finding, error);
    *p = p_of(&finding);
    return status;
}

crd_status crd_i_independence_holds(const crd_i_independence *independence, crd_i_independence_room *workspace,
                                    size_t x, size_t y, const uint32_t *given, size_t given_count, double alpha,
                                    bool *holds, crd_error *error) {
    independence_finding finding;
    crd_status status = test_columns(independence, workspace, x, y, given, given_count, &finding, error);
    *holds = status == CRD_OK && independence_is_above(workspace, &finding, alpha);
    return status;
}

crd_status crd_i_independence_information(const crd_i_independence *independence, crd_i_independence_room *workspace,
                                          size_t x, size_t y, const uint32_t *given, size_t given_count,
                                          double *information, crd_error *error) {
    independence_finding finding;
    crd_status status = test_columns(independence, workspace, x, y, given, given_count, &finding, error);
    *information = finding.information;
    return status;
}
