/* SPDX-License-Identifier: MIT */
/* contingency_counts.c - see contingency_counts.h. */
#include "structure/contingency_counts.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "structure/row_partition.h"

#include <string.h>

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
