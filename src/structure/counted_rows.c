/* SPDX-License-Identifier: MIT */
/* counted_rows.c - counts and partitions the rows of case tables. See counted_rows.h.
 *
 * Contents:
 *   1. Contingency tables
 *   2. Partitions of rows
 *   3. Complete rows */
#include "structure/counted_rows.h"

#include "base/arena.h"
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* ======== 1. Contingency tables ======== */

enum {
    MOST_SET_STATES = 32,  /* most states of a column whose rows are stored as bit sets */
    MOST_REPETITION = 16,  /* rows are repeated by their weights if that multiplies their number by at most 16 */
    MOST_BASE = 65534,     /* most table entries of a base: numbers are 16-bit, and two values are reserved */
    BLOCK_WORDS = 1024,    /* 64-row words that are intersected per block, so they stay in the cache */
    LEAST_DENSE = 1 << 14, /* a table of at most this many entries is always counted densely */
    SMALL_TABLE = 1 << 12  /* a table of at most this many entries is counted in two copies for alternate rows */
};

/* ---- Rows ---- */

static bool weights_are_whole(const crd_i_case_table *table) {
    if (!(table->total < 4294967295.0)) return false;
    for (size_t row = 0; row < table->rows && table->weights != NULL; row++)
        if (table->weights[row] != (double)(uint32_t)table->weights[row]) return false;
    return true;
}

/* Repeats the codes of a column by the row weights, which are whole numbers. */
static bool repeat_codes(const crd_i_counted_rows *counted, const crd_i_case_column *column, crd_i_state_rows *state) {
    const crd_i_case_table *table = counted->table;
    const size_t size = column->codes8 != NULL ? 1 : column->codes16 != NULL ? 2 : 4;
    void *codes = crd_i_arena_alloc(counted->arena, counted->rows, size);
    if (codes == NULL) return false;
    uint8_t *codes8 = size == 1 ? codes : NULL;
    uint16_t *codes16 = size == 2 ? codes : NULL;
    uint32_t *codes32 = size == 4 ? codes : NULL;
    for (size_t row = 0, next = 0; row < table->rows; row++)
        for (size_t end = next + (size_t)table->weights[row]; next < end; next++) {
            if (codes8 != NULL) codes8[next] = column->codes8[row];
            else if (codes16 != NULL) codes16[next] = column->codes16[row];
            else codes32[next] = column->codes32[row];
        }
    state->codes8 = codes8;
    state->codes16 = codes16;
    state->codes32 = codes32;
    return true;
}

/* Makes the bit set of the rows of each state, if the column has few states and each row counts once. */
static bool make_sets(const crd_i_counted_rows *counted, crd_i_state_rows *state) {
    if (state->codes8 == NULL || state->states > MOST_SET_STATES || counted->weights != NULL || !counted->is_whole)
        return true;
    state->sets = crd_i_arena_alloc_zeroed(counted->arena, state->states * counted->words, sizeof *state->sets);
    if (state->sets == NULL) return false;
    for (size_t row = 0; row < counted->rows; row++)
        if (state->codes8[row] != CRD_I_CASE_MISSING8)
            state->sets[state->codes8[row] * counted->words + row / 64] |= UINT64_C(1) << (row % 64);
    return true;
}

static bool counted_rows_fill_column(const crd_i_counted_rows *counted, size_t column, bool is_repeated) {
    const crd_i_case_column *case_column = &counted->table->columns[column];
    crd_i_state_rows *state = &counted->columns[column];
    if (case_column->type != CRD_TYPE_CATEGORICAL) return true;
    state->states = case_column->state_count == 0 ? 1 : case_column->state_count;
    state->has_missing = case_column->has_missing;
    state->codes8 = case_column->codes8;
    state->codes16 = case_column->codes16;
    state->codes32 = case_column->codes32;
    if (is_repeated && !repeat_codes(counted, case_column, state)) return false;
    return make_sets(counted, state);
}

/* Decides how weights are represented, and prepares all categorical columns. Returns false if memory runs out. */
static bool counted_rows_fill(crd_i_counted_rows *counted) {
    const crd_i_case_table *table = counted->table;
    counted->is_whole = weights_are_whole(table);
    counted->rows = table->rows;
    const bool is_repeated =
        counted->is_whole && table->weights != NULL && table->total <= MOST_REPETITION * (double)table->rows;
    if (is_repeated) counted->rows = (size_t)table->total;
    counted->words = (counted->rows + 63) / 64;
    if (counted->is_whole && table->weights != NULL && !is_repeated) {
        counted->weights = crd_i_arena_alloc(counted->arena, table->rows, sizeof *counted->weights);
        if (counted->weights == NULL) return false;
        for (size_t row = 0; row < table->rows; row++) counted->weights[row] = (uint32_t)table->weights[row];
    }
    counted->columns = crd_i_arena_alloc_zeroed(counted->arena, table->column_count, sizeof *counted->columns);
    if (counted->columns == NULL) return false;
    for (size_t i = 0; i < table->column_count; i++)
        if (!counted_rows_fill_column(counted, i, is_repeated)) return false;
    return true;
}

crd_status crd_i_counted_rows_create(const crd_i_case_table *table, crd_i_counted_rows **out, crd_error *error) {
    *out = NULL;
    crd_i_counted_rows *counted = crd_i_arena_object(table->context, sizeof *counted);
    if (counted == NULL) return crd_i_fail_memory(error);
    counted->context = table->context;
    counted->table = table;
    unsigned words;
    counted->count_bits = crd_i_bit_counts_way(&words);
    counted->most_sets = 64 * (size_t)words;
    if (!counted_rows_fill(counted)) {
        crd_i_counted_rows_destroy(counted);
        return crd_i_fail_memory(error);
    }
    *out = counted;
    return CRD_OK;
}

void crd_i_counted_rows_destroy(crd_i_counted_rows *counted) {
    if (counted != NULL) crd_i_arena_destroy(counted->arena);
}

size_t crd_i_counter_most_cells(const crd_i_counted_rows *counted) {
    const size_t most = 4 * counted->rows;
    return most < LEAST_DENSE ? LEAST_DENSE : most;
}

/* ---- Counters ---- */

struct crd_i_counter {
    crd_context *context;
    const crd_i_counted_rows *rows;
    /* The base columns and their table. */
    const uint32_t *columns; /* columns of the base: column_room */
    size_t column_count;
    uint32_t *column_room;
    size_t column_capacity;
    size_t cell_count, used_cells; /* all entries of the base table; and the entries with rows, known only if
                                    * has_sets */
    bool has_missing;
    bool has_sets, has_numbers; /* which representations of the base exist */
    uint64_t *sets;             /* the rows of each entry of the base table, as bit sets */
    size_t set_capacity;
    uint16_t *numbers; /* for each row the number of its entry in the base table; cell_count: a value is missing */
    size_t number_capacity;
    uint32_t *cells; /* number of rows of each entry of the base table */
    size_t cell_capacity;
    /* The last table that was counted. */
    uint32_t *counts;
    size_t count_capacity;
    /* The last combinations, and work memory to compute the next. */
    uint32_t *combined;
    size_t combined_count;
    double *combined_weights;
    size_t combined_capacity;
    uint32_t *places;
    size_t place_capacity;
    uint64_t *keys;
    size_t key_capacity;
};

crd_status crd_i_counter_create(const crd_i_counted_rows *counted, crd_i_counter **out, crd_error *error) {
    *out = crd_i_alloc_zeroed(counted->context, 1, sizeof **out);
    if (*out == NULL) return crd_i_fail_memory(error);
    (*out)->context = counted->context;
    (*out)->rows = counted;
    return CRD_OK;
}

void crd_i_counter_destroy(crd_i_counter *counter) {
    if (counter == NULL) return;
    crd_context *context = counter->context;
    crd_free(context, counter->column_room);
    crd_free(context, counter->sets);
    crd_free(context, counter->numbers);
    crd_free(context, counter->cells);
    crd_free(context, counter->counts);
    crd_free(context, counter->combined);
    crd_free(context, counter->combined_weights);
    crd_free(context, counter->places);
    crd_free(context, counter->keys);
    crd_free(context, counter);
}

/* ---- The base as bit sets ---- */

/* Intersects each of `count` sets with the set of each state of a column, in place. Works backwards, because the
 * result is longer than the input. */
static void counted_rows_intersect(uint64_t *sets, size_t count, const crd_i_state_rows *state_rows, size_t words) {
    for (size_t cell = count; cell-- > 0;)
        for (size_t state = state_rows->states; state-- > 0;) {
            const uint64_t *source = sets + cell * words, *other = state_rows->sets + state * words;
            uint64_t *destination = sets + (cell * state_rows->states + state) * words;
            for (size_t word = 0; word < words; word++) destination[word] = source[word] & other[word];
        }
}

/* Computes the bit sets of the base by intersecting its columns one by one, and the number of rows in each. */
static bool make_base_sets(crd_i_counter *counter) {
    const crd_i_counted_rows *counted = counter->rows;
    const size_t words = counted->words;
    if (!crd_i_reserve(counter->context, &counter->sets, &counter->set_capacity, counter->cell_count * words + 1,
                       sizeof *counter->sets))
        return false;
    const crd_i_state_rows *first = &counted->columns[counter->columns[0]];
    memcpy(counter->sets, first->sets, first->states * words * sizeof *counter->sets);
    size_t cells = first->states;
    for (size_t i = 1; i < counter->column_count; i++) {
        const crd_i_state_rows *next = &counted->columns[counter->columns[i]];
        counted_rows_intersect(counter->sets, cells, next, words);
        cells *= next->states;
    }
    counter->has_sets = true;
    counter->used_cells = 0;
    memset(counter->cells, 0, cells * sizeof *counter->cells);
    for (size_t cell = 0; cell < cells; cell++) {
        const uint64_t *set = counter->sets + cell * words;
        counted->count_bits(set, set, words, 1, words, &counter->cells[cell]);
        counter->used_cells += counter->cells[cell] > 0;
    }
    return true;
}

/* ---- The base as entry numbers per row ---- */

#define FOLD(codes, missing)                                                                                           \
    do {                                                                                                               \
        if (!can_miss)                                                                                                 \
            for (size_t row = 0; row < rows; row++) numbers[row] = (uint16_t)(numbers[row] * states + (codes)[row]);   \
        else                                                                                                           \
            for (size_t row = 0; row < rows; row++)                                                                    \
                numbers[row] = numbers[row] == none || (codes)[row] == (missing)                                       \
                                   ? none                                                                              \
                                   : (uint16_t)(numbers[row] * states + (codes)[row]);                                 \
    } while (0)

static void counted_rows_fold(uint16_t *numbers, const crd_i_state_rows *column, size_t rows, bool can_miss) {
    const size_t states = column->states;
    const uint16_t none = UINT16_MAX;
    if (column->codes8 != NULL) FOLD(column->codes8, CRD_I_CASE_MISSING8);
    else if (column->codes16 != NULL) FOLD(column->codes16, CRD_I_CASE_MISSING16);
    else FOLD(column->codes32, CRD_I_CASE_MISSING32);
}

/* Computes for each row the number of its entry in the base table. */
static bool make_base_numbers(crd_i_counter *counter) {
    const crd_i_counted_rows *counted = counter->rows;
    if (!crd_i_reserve(counter->context, &counter->numbers, &counter->number_capacity, counted->rows + 1,
                       sizeof *counter->numbers))
        return false;
    memset(counter->numbers, 0, counted->rows * sizeof *counter->numbers);
    for (size_t i = 0; i < counter->column_count; i++)
        counted_rows_fold(counter->numbers, &counted->columns[counter->columns[i]], counted->rows,
                          counter->has_missing);
    if (counter->has_missing)
        for (size_t row = 0; row < counted->rows; row++)
            if (counter->numbers[row] == UINT16_MAX) counter->numbers[row] = (uint16_t)counter->cell_count;
    counter->has_numbers = true;
    return true;
}

static void counted_rows_count_cells(crd_i_counter *counter) {
    const crd_i_counted_rows *counted = counter->rows;
    memset(counter->cells, 0, (counter->cell_count + 1) * sizeof *counter->cells);
    for (size_t row = 0; row < counted->rows; row++)
        counter->cells[counter->numbers[row]] += counted->weights == NULL ? 1 : counted->weights[row];
}

crd_status crd_i_counter_set_base(crd_i_counter *counter, const uint32_t *columns, size_t count, const uint32_t **cells,
                                  size_t *cell_count, crd_error *error) {
    const crd_i_counted_rows *counted = counter->rows;
    bool can_be_sets = count > 0;
    size_t product = 1;
    counter->has_missing = false;
    counter->has_sets = counter->has_numbers = false;
    for (size_t i = 0; i < count; i++) {
        const crd_i_state_rows *column = &counted->columns[columns[i]];
        if (column->states == 0 || !counted->is_whole || column->states > MOST_BASE / product)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "these columns are too large for a dense table");
        product *= column->states;
        can_be_sets = can_be_sets && column->sets != NULL;
        counter->has_missing = counter->has_missing || column->has_missing;
    }
    if (!crd_i_reserve(counter->context, &counter->column_room, &counter->column_capacity, count + 1,
                       sizeof *counter->column_room) ||
        !crd_i_reserve(counter->context, &counter->cells, &counter->cell_capacity, product + 1, sizeof *counter->cells))
        return crd_i_fail_memory(error);
    if (count > 0) memcpy(counter->column_room, columns, count * sizeof *columns);
    counter->columns = counter->column_room;
    counter->column_count = count;
    counter->cell_count = product;
    if (can_be_sets && product <= counted->most_sets) {
        if (!make_base_sets(counter)) return crd_i_fail_memory(error);
    } else {
        if (!make_base_numbers(counter)) return crd_i_fail_memory(error);
        counted_rows_count_cells(counter);
    }
    *cells = counter->cells;
    *cell_count = product;
    return CRD_OK;
}

/* ---- Tables ---- */

/* Counts a column by intersecting its bit sets with the base's. If no value is missing, the counts of the last state
 * are what remains of the base's counts. */
static void count_sets(const crd_i_counter *counter, const crd_i_state_rows *column) {
    const crd_i_counted_rows *counted_rows = counter->rows;
    const size_t states = column->states, counted = column->has_missing ? states : states - 1;
    memset(counter->counts, 0, counter->cell_count * states * sizeof *counter->counts);
    for (size_t start = 0; start < counted_rows->words; start += BLOCK_WORDS) {
        const size_t words = counted_rows->words - start < BLOCK_WORDS ? counted_rows->words - start : BLOCK_WORDS;
        for (size_t cell = 0; cell < counter->cell_count; cell++)
            if (counter->cells[cell] > 0)
                counted_rows->count_bits(counter->sets + cell * counted_rows->words + start, column->sets + start,
                                         counted_rows->words, counted, words, counter->counts + cell * states);
    }
    if (column->has_missing) return;
    for (size_t cell = 0; cell < counter->cell_count; cell++) {
        uint32_t *counts = counter->counts + cell * states, remainder = counter->cells[cell];
        for (size_t state = 0; state < counted; state++) remainder -= counts[state];
        counts[states - 1] = remainder;
    }
}

/* Counts alternate rows in two tables. Otherwise an increment would have to wait for the previous row's increment if
 * both rows have the same entry. */
static void count_bytes(const crd_i_counter *counter, const uint8_t *codes, size_t stride, uint32_t *second) {
    const size_t rows = counter->rows->rows;
    const uint16_t *numbers = counter->numbers;
    uint32_t *first = counter->counts;
    size_t row = 0;
    for (; row + 1 < rows; row += 2) {
        first[numbers[row] * stride + codes[row]]++;
        second[numbers[row + 1] * stride + codes[row + 1]]++;
    }
    if (row < rows) first[numbers[row] * stride + codes[row]]++;
}

/* Counts a column row by row. Missing values are counted as one more state. */
static void count_codes(const crd_i_counter *counter, const crd_i_state_rows *column, size_t stride) {
    const crd_i_counted_rows *counted = counter->rows;
    for (size_t row = 0; row < counted->rows; row++) {
        size_t code;
        if (column->codes8 != NULL)
            code = column->codes8[row] == CRD_I_CASE_MISSING8 ? column->states : column->codes8[row];
        else if (column->codes16 != NULL)
            code = column->codes16[row] == CRD_I_CASE_MISSING16 ? column->states : column->codes16[row];
        else code = column->codes32[row] == CRD_I_CASE_MISSING32 ? column->states : column->codes32[row];
        counter->counts[counter->numbers[row] * stride + code] += counted->weights == NULL ? 1 : counted->weights[row];
    }
}

/* Counts a column row by row, in a table with one more entry for rows that the base lacks and one more state for
 * missing values. Both are dropped afterwards. */
static bool counted_rows_count(crd_i_counter *counter, const crd_i_state_rows *column) {
    const size_t stride = column->states + column->has_missing, size = (counter->cell_count + 1) * stride;
    const bool is_twofold =
        column->codes8 != NULL && !column->has_missing && counter->rows->weights == NULL && size <= SMALL_TABLE;
    if (!crd_i_reserve(counter->context, &counter->counts, &counter->count_capacity, size * (1 + is_twofold),
                       sizeof *counter->counts))
        return false;
    memset(counter->counts, 0, size * (1 + is_twofold) * sizeof *counter->counts);
    if (is_twofold) {
        uint32_t *second = counter->counts + size;
        count_bytes(counter, column->codes8, stride, second);
        for (size_t i = 0; i < size; i++) counter->counts[i] += second[i];
    } else {
        count_codes(counter, column, stride);
    }
    for (size_t cell = 1; cell < counter->cell_count && column->has_missing; cell++)
        memmove(counter->counts + cell * column->states, counter->counts + cell * stride,
                column->states * sizeof *counter->counts);
    return true;
}

crd_status crd_i_counter_count(crd_i_counter *counter, size_t column, const uint32_t **counts, crd_error *error) {
    const crd_i_state_rows *state = &counter->rows->columns[column];
    if (state->states == 0 || state->states > SIZE_MAX / sizeof **counts / (counter->cell_count + 1) - 1)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the column is too large for a dense table");
    if (!crd_i_reserve(counter->context, &counter->counts, &counter->count_capacity,
                       counter->cell_count * state->states, sizeof *counter->counts))
        return crd_i_fail_memory(error);
    if (counter->has_sets && state->sets != NULL && counter->used_cells * state->states <= counter->rows->most_sets) {
        count_sets(counter, state);
    } else {
        if (!counter->has_numbers && !make_base_numbers(counter)) return crd_i_fail_memory(error);
        if (!counted_rows_count(counter, state)) return crd_i_fail_memory(error);
    }
    *counts = counter->counts;
    return CRD_OK;
}

/* ---- Combinations ---- */

/* Returns the slot of a key in the hash table, or the empty slot where it belongs. */
static uint32_t counted_rows_place(uint64_t key, size_t mask, const uint64_t *keys, uint32_t *places) {
    uint64_t hash = (key ^ key >> 32) * 0xd6e8feb86659fd93u;
    size_t index = (size_t)(hash ^ hash >> 32) & mask;
    while (places[index] != UINT32_MAX && keys[places[index]] != key) index = (index + 1) & mask;
    return (uint32_t)index;
}

/* Renumbers the combinations after adding a column: each pair of an old number and a code that occurs gets a new
 * number. Pairs index a table directly, or a hash table if there are too many possible pairs. */
static bool number_pairs(crd_i_counter *counter, const crd_i_case_column *column, size_t states) {
    const size_t rows = counter->rows->table->rows;
    const bool is_hashed = counter->combined_count > (4 * rows + LEAST_DENSE) / states;
    size_t places = is_hashed ? 16 : counter->combined_count * states;
    while (is_hashed && places < 2 * rows) places *= 2;
    if (!crd_i_reserve(counter->context, &counter->places, &counter->place_capacity, places + 1,
                       sizeof *counter->places) ||
        (is_hashed &&
         !crd_i_reserve(counter->context, &counter->keys, &counter->key_capacity, rows + 1, sizeof *counter->keys)))
        return false;
    memset(counter->places, UINT8_MAX, places * sizeof *counter->places);
    uint32_t count = 0;
    for (size_t row = 0; row < rows; row++) {
        const uint32_t code = crd_i_case_code(column, row);
        if (counter->combined[row] == UINT32_MAX || code == CRD_I_CASE_MISSING32) {
            counter->combined[row] = UINT32_MAX;
            continue;
        }
        const uint64_t key = (uint64_t)counter->combined[row] * states + code;
        const size_t index =
            is_hashed ? counted_rows_place(key, places - 1, counter->keys, counter->places) : (size_t)key;
        if (counter->places[index] == UINT32_MAX) {
            if (is_hashed) counter->keys[count] = key;
            counter->places[index] = count++;
        }
        counter->combined[row] = counter->places[index];
    }
    counter->combined_count = count;
    return true;
}

crd_status crd_i_counter_combine(crd_i_counter *counter, size_t column, bool extends, crd_i_row_combinations *out,
                                 crd_error *error) {
    const crd_i_case_table *table = counter->rows->table;
    if (counter->combined_capacity == 0) {
        counter->combined = crd_i_alloc(counter->context, table->rows + 1, sizeof *counter->combined);
        counter->combined_weights = crd_i_alloc(counter->context, table->rows + 1, sizeof *counter->combined_weights);
        if (counter->combined == NULL || counter->combined_weights == NULL) {
            crd_free(counter->context, counter->combined);
            crd_free(counter->context, counter->combined_weights);
            counter->combined = NULL;
            counter->combined_weights = NULL;
            return crd_i_fail_memory(error);
        }
        counter->combined_capacity = table->rows + 1;
    }
    if (!extends) {
        memset(counter->combined, 0, table->rows * sizeof *counter->combined);
        counter->combined_count = 1;
    }
    if (column != SIZE_MAX && !number_pairs(counter, &table->columns[column], counter->rows->columns[column].states))
        return crd_i_fail_memory(error);
    memset(counter->combined_weights, 0, counter->combined_count * sizeof *counter->combined_weights);
    for (size_t row = 0; row < table->rows; row++)
        if (counter->combined[row] != UINT32_MAX)
            counter->combined_weights[counter->combined[row]] += crd_i_case_weight(table, row);
    *out = (crd_i_row_combinations){counter->combined_count, counter->combined, counter->combined_weights};
    return CRD_OK;
}

/* ======== 2. Partitions of rows ========
 *
 * Hash collisions depend only on the codes and affect only the time. */

size_t crd_i_row_partition_slots(size_t rows) {
    size_t slots = 16;
    while (slots < 2 * rows) slots *= 2;
    return slots;
}

void crd_i_row_partition_divide(const crd_i_case_table *table, const crd_i_row_partition *partition, size_t column,
                                crd_i_row_partition *row_partition, uint64_t *keys, uint32_t *slots) {
    const crd_i_case_column *case_column = &table->columns[column];
    size_t mask = crd_i_row_partition_slots(table->rows) - 1;
    memset(slots, 0xff, (mask + 1) * sizeof *slots);
    row_partition->parts = 0;
    for (size_t row = 0; row < table->rows; row++) {
        uint32_t part = partition->ids[row], code = crd_i_case_code(case_column, row);
        if (part == CRD_I_NO_PART || code == CRD_I_CASE_MISSING32) {
            row_partition->ids[row] = CRD_I_NO_PART;
            continue;
        }
        uint64_t key = (uint64_t)part << 32 | code;
        size_t slot = (size_t)crd_i_hash_scatter(key) & mask;
        while (slots[slot] != CRD_I_NO_PART && keys[slots[slot]] != key) slot = (slot + 1) & mask;
        if (slots[slot] == CRD_I_NO_PART) {
            slots[slot] = (uint32_t)row_partition->parts;
            keys[row_partition->parts++] = key;
        }
        row_partition->ids[row] = slots[slot];
    }
}

/* ======== 3. Complete rows ======== */

static const double LEAST_COMPLETE = 0.5;

static bool row_is_complete(const crd_i_case_table *table, size_t row) {
    for (size_t i = 0; i < table->column_count; i++) {
        const crd_i_case_column *column = &table->columns[i];
        if (!column->has_missing) continue;
        if (column->numbers != NULL ? isnan(column->numbers[row])
                                    : crd_i_case_code(column, row) == CRD_I_CASE_MISSING32)
            return false;
    }
    return true;
}

crd_status crd_i_complete_rows_create(const crd_i_case_table *table, crd_i_case_table **out, crd_error *error) {
    bool has_missing = false;
    size_t count = 0;
    double total = 0;
    crd_status status = CRD_OK;
    *out = NULL;
    for (size_t i = 0; i < table->column_count; i++) has_missing = has_missing || table->columns[i].has_missing;
    if (!has_missing) return CRD_OK;
    uint32_t *rows = crd_i_alloc(table->context, table->rows, sizeof *rows);
    if (rows == NULL) return crd_i_fail_memory(error);
    for (size_t row = 0; row < table->rows; row++) {
        if (!row_is_complete(table, row)) continue;
        rows[count++] = (uint32_t)row;
        total += crd_i_case_weight(table, row);
    }
    if (count > 0 && count < table->rows && total >= LEAST_COMPLETE * table->total)
        status = crd_i_case_table_select(table, NULL, rows, count, out, error);
    for (size_t i = 0; *out != NULL && i < table->column_count; i++) (*out)->columns[i].has_missing = false;
    crd_free(table->context, rows);
    return status;
}
