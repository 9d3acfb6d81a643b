/* SPDX-License-Identifier: MIT */
/* Batches of numbers, of every shape and by every way to slice that this machine has: the bytes of adding one number
 * after the other. */
#include "math_random.h"
#include "stats/moments.h"
#include "unit/stats_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counted_fixture.h"

/* ---- Tables ---- */

enum { KINDS = 8 };

typedef struct table {
    size_t rows, columns, conditions;
    double **numbers;   /* of each column */
    uint8_t **validity; /* of each column; NULL: none */
    double *by_row;
    int32_t *under;
} table;

static void *allocate(size_t count, size_t size) {
    void *block = calloc(count > 0 ? count : 1, size);
    assert_non_null(block);
    return block;
}

/* Columns of several kinds, each class in its own range in some; cells missing in some, rows without a condition. */
static double draw(unsigned kind, size_t condition) {
    double x = ((double)random_below(1 << 30) / (1 << 28) - 2) * (1 + (double)random_below(7)) * 1.1;
    switch (kind) {
    case 0: return x;
    case 1: return x + 1e12;
    case 2: return x * (random_below(2) ? 1e300 : 1e-300);
    case 3: return x * 0x1p-1060;
    case 4: return ldexp(x, (int)condition % 1000 - 500);
    case 5: return floor(x);
    case 6: return random_below(100) == 0 ? x : 0;
    default: return random_below(2000) == 0 ? x * 1e200 : x;
    }
}

static table *table_create(size_t rows, size_t columns, size_t conditions) {
    table *new_table = allocate(1, sizeof *new_table);
    new_table->rows = rows;
    new_table->columns = columns;
    new_table->conditions = conditions;
    new_table->numbers = allocate(columns, sizeof *new_table->numbers);
    new_table->validity = allocate(columns, sizeof *new_table->validity);
    new_table->by_row = allocate(rows * columns, sizeof *new_table->by_row);
    new_table->under = allocate(rows, sizeof *new_table->under);
    for (size_t row = 0; row < rows; row++)
        new_table->under[row] = random_below(50) == 0 ? -1 : (int32_t)random_below(conditions);
    for (size_t column = 0; column < columns; column++) {
        unsigned kind = (unsigned)random_below(KINDS);
        size_t missing = random_below(3) == 0 ? 1 + random_below(5) : 0; /* one in so many; 1: all */
        new_table->numbers[column] = allocate(rows, sizeof **new_table->numbers);
        if (random_below(4) == 0) new_table->validity[column] = allocate(rows / 8 + 1, 1);
        bool is_full = random_below(2) == 0;
        for (size_t i = 0; new_table->validity[column] != NULL && i < rows / 8 + 1; i++)
            new_table->validity[column][i] = is_full ? 0xff : (uint8_t)(random_bits() | random_bits());
        for (size_t row = 0; row < rows; row++) {
            double x = draw(kind, (size_t)(new_table->under[row] < 0 ? 0 : new_table->under[row]));
            new_table->numbers[column][row] = missing > 0 && random_below(missing) == 0 ? NAN : x;
            bool valid =
                new_table->validity[column] == NULL || (new_table->validity[column][row / 8] >> row % 8 & 1) != 0;
            new_table->by_row[row * columns + column] = valid ? new_table->numbers[column][row] : -NAN;
        }
    }
    return new_table;
}

static void table_destroy(table *new_table) {
    for (size_t column = 0; column < new_table->columns; column++) {
        free(new_table->numbers[column]);
        free(new_table->validity[column]);
    }
    free(new_table->numbers);
    free(new_table->validity);
    free(new_table->by_row);
    free(new_table->under);
    free(new_table);
}

static crd_i_tally **tallies_create(const table *source_table) {
    crd_i_tally **tallies = allocate(source_table->columns, sizeof *tallies);
    for (size_t column = 0; column < source_table->columns; column++) {
        tallies[column] = crd_i_moments.create(context);
        assert_true(tallies[column] != NULL && crd_i_moments.extend(tallies[column], source_table->conditions, 0));
    }
    return tallies;
}

static void tallies_destroy(const table *source_table, crd_i_tally **tallies) {
    for (size_t column = 0; column < source_table->columns; column++) crd_i_tally_destroy(tallies[column]);
    free(tallies);
}

static crd_i_tally **one_by_one(const table *source_table) {
    crd_i_tally **tallies = tallies_create(source_table);
    for (size_t column = 0; column < source_table->columns; column++) {
        crd_i_cells cells = {.rows = source_table->rows,
                             .numbers = source_table->numbers[column],
                             .validity = source_table->validity[column]};
        assert_true(add_under(tallies[column], &cells, source_table->under, NULL));
    }
    return tallies;
}

static crd_i_encoder written(const crd_i_tally *tally, size_t conditions) {
    int32_t *order = allocate(conditions, sizeof *order);
    for (size_t i = 0; i < conditions; i++) order[i] = (int32_t)i;
    crd_i_view view = {order, conditions, NULL, 0, NULL};
    crd_i_encoder encoder = {.buffer = {.context = context}};
    crd_i_moments.write(tally, &view, &encoder);
    assert_false(encoder.failed);
    free(order);
    return encoder;
}

static void assert_equal(const table *source_table, crd_i_tally **tally, crd_i_tally **wanted) {
    for (size_t column = 0; column < source_table->columns; column++) {
        crd_i_encoder one = written(tally[column], source_table->conditions),
                      two = written(wanted[column], source_table->conditions);
        assert_int_equal(one.buffer.length, two.buffer.length);
        assert_memory_equal(one.buffer.bytes, two.buffer.bytes, one.buffer.length);
        crd_i_buffer_clear(&one.buffer);
        crd_i_buffer_clear(&two.buffer);
    }
}

/* ---- Ways to add them ---- */

/* The conditions known after some more rows: a batch may get to know them as they come. */
static size_t known_after(const table *source_table, size_t begin, size_t end, size_t known) {
    for (size_t row = begin; row < end; row++)
        if (source_table->under[row] >= 0 && (size_t)source_table->under[row] >= known)
            known = (size_t)source_table->under[row] + 1;
    return known;
}

static void add_part_by_rows(crd_i_batch *batch, const table *source_table, crd_i_tally **tallies, size_t begin,
                             size_t end, size_t known) {
    for (size_t column = 0; column < source_table->columns; column++)
        assert_true(crd_i_batch_join(batch, tallies[column]));
    assert_int_equal(crd_i_batch_add_rows(batch, source_table->by_row + begin * source_table->columns,
                                          source_table->columns, end - begin, source_table->under + begin, known),
                     CRD_OK);
}

static bool any_present(const table *source_table, size_t column, size_t begin, size_t end) {
    for (size_t row = begin; row < end; row++)
        if (!isnan(source_table->by_row[row * source_table->columns + column])) return true;
    return false;
}

/* Columns in another order, without those that have nothing to offer; validity counts from the first row, so that parts
 * with any begin at whole bytes. */
static void add_part_by_columns(crd_i_batch *batch, const table *source_table, crd_i_tally **tallies, size_t begin,
                                size_t end, size_t known) {
    size_t first = random_below(source_table->columns);
    for (size_t i = 0; i < source_table->columns; i++) {
        size_t column = (first + i) % source_table->columns;
        const uint8_t *validity = source_table->validity[column];
        crd_i_cells cells = {.rows = end - begin,
                             .numbers = source_table->numbers[column] + begin,
                             .validity = validity == NULL ? NULL : validity + begin / 8};
        if (any_present(source_table, column, begin, end))
            assert_true(crd_i_batch_offer(batch, tallies[column], &cells));
    }
    assert_true(crd_i_batch_add_offered(batch, end - begin, source_table->under + begin, known));
}

/* In parts of about so many rows, poured now and then. */
static void assert_way(const table *source_table, crd_i_tally **wanted, const crd_i_slicer *slicer, bool by_row,
                       size_t part) {
    crd_i_tally **tallies = tallies_create(source_table);
    crd_i_batch *batch = crd_i_batch_create(context, slicer);
    assert_non_null(batch);
    size_t known = 0;
    for (size_t begin = 0, end; begin < source_table->rows; begin = end) {
        end = (begin + 1 + random_below(2 * part)) / 8 * 8;
        if (end <= begin) end = begin + 8;
        if (end > source_table->rows) end = source_table->rows;
        known = known_after(source_table, begin, end, known);
        if (by_row) add_part_by_rows(batch, source_table, tallies, begin, end, known);
        else add_part_by_columns(batch, source_table, tallies, begin, end, known);
        if (random_below(10) == 0) assert_true(crd_i_batch_pour(batch));
    }
    assert_true(crd_i_batch_pour(batch) && crd_i_batch_pour(batch));
    crd_i_batch_destroy(batch);
    assert_equal(source_table, tallies, wanted);
    tallies_destroy(source_table, tallies);
}

static void assert_every_way(const table *source_table) {
    static const size_t parts[] = {6, 50, 5000};
    crd_i_tally **wanted = one_by_one(source_table);
    for (size_t i = 0;; i++) {
        const crd_i_slicer *slicer = crd_i_slicers[i]; /* the NULL at the end too */
        if (slicer != NULL && !slicer->is_supported()) continue;
        for (int by_row = 0; by_row < 2; by_row++)
            assert_way(source_table, wanted, slicer, by_row != 0, parts[random_below(3)]);
        if (slicer == NULL) break;
    }
    tallies_destroy(source_table, wanted);
}

static void tables_of_all_shapes(void **state) {
    (void)state;
    static const size_t conditions[] = {1, 2, 5, 300};
    for (size_t rows = 0; rows <= 2500; rows += rows < 20 ? 1 : 1 + random_below(200))
        for (int i = 0; i < 4; i++) {
            table *new_table = table_create(rows, 1 + random_below(20), conditions[i]);
            assert_every_way(new_table);
            table_destroy(new_table);
        }
}

/* Many times as many rows as sums can take before they are poured. */
static void long_tables(void **state) {
    (void)state;
    static const size_t shapes[][3] = {{30000, 4, 1}, {30000, 9, 3}, {60000, 3, 1000}};
    for (int i = 0; i < 3; i++) {
        table *new_table = table_create(shapes[i][0], shapes[i][1], shapes[i][2]);
        assert_every_way(new_table);
        table_destroy(new_table);
    }
}

static void set_number(table *source_table, size_t row, size_t column, double x) {
    source_table->numbers[column][row] = source_table->by_row[row * source_table->columns + column] = x;
    if (source_table->validity[column] != NULL) source_table->validity[column][row / 8] |= (uint8_t)(1 << row % 8);
}

/* Numbers whose slices are about as large as slices can be, of one sign, all under one condition: a sum that were
 * poured too late would have been rounded. */
static void fullest_sums(void **state) {
    (void)state;
    table *new_table = table_create(6000, 8, 1);
    for (size_t row = 0; row < new_table->rows; row++) {
        new_table->under[row] = 0;
        for (size_t column = 0; column < new_table->columns; column++) {
            uint64_t bits = (UINT64_C(1) << 52) - 1;
            bits &= ~(UINT64_C(1) << (52 - 17 - column)) & ~(UINT64_C(1) << (30 - 17 - column));
            bits ^= UINT64_C(1) << random_below(40);
            /* Now and then a number with so low a bit that no scale but the tightest takes both. */
            set_number(new_table, row, column, row % 50 == 0 ? 0x1p-63 : from_bits(bits | UINT64_C(1023) << 52));
        }
    }
    assert_every_way(new_table);
    table_destroy(new_table);
}

/* Columns whose numbers become much larger, or smaller, on the way, so that other scales must be chosen. */
static void scales_that_change(void **state) {
    (void)state;
    table *new_table = table_create(9000, 6, 4);
    for (size_t row = 0; row < new_table->rows; row++)
        for (size_t column = 0; column < new_table->columns; column++) {
            int step = (int)(row / (500 + 300 * column) % 5);
            set_number(new_table, row, column, ldexp(draw(0, 0), 60 * (column % 2 == 0 ? step : 4 - step)));
        }
    assert_every_way(new_table);
    table_destroy(new_table);
}

/* Columns that have no numbers for a while, then all, then none, beside others that do. */
static void columns_that_come_later(void **state) {
    (void)state;
    table *new_table = table_create(4000, 11, 3);
    for (size_t row = 0; row < new_table->rows; row++)
        for (size_t column = 0; column < new_table->columns; column++) {
            bool is_there = row >= 350 * column && row < 350 * column + 1200;
            set_number(new_table, row, column, is_there ? draw(0, 0) : NAN);
        }
    assert_every_way(new_table);
    table_destroy(new_table);
}

/* So many conditions that their sums would take too much memory; also where they become so many on the way. */
/* Sums that are exactly full are poured before a row of the next frame is taken: of that frame no bit of validity is
 * there yet to be looked at, and none behind its end must be. */
static void full_sums_between_frames(void **state) {
    (void)state;
    enum { FIRST = 1024, SECOND = 16 };
    static double numbers[FIRST];
    static int32_t under[FIRST];
    for (size_t row = 0; row < FIRST; row++) numbers[row] = (double)row;
    uint8_t *validity = allocate(SECOND / 8, 1);
    memset(validity, 0xff, SECOND / 8);
    crd_i_tally *tally = crd_i_moments.create(context);
    crd_i_batch *batch = crd_i_batch_create(context, crd_i_slicer_best());
    assert_true(tally != NULL && batch != NULL && tally->type->extend(tally, 1, 0));
    crd_i_cells first = {.rows = FIRST, .numbers = numbers};
    crd_i_cells second = {.rows = SECOND, .numbers = numbers, .validity = validity};
    assert_true(crd_i_batch_offer(batch, tally, &first) && crd_i_batch_add_offered(batch, FIRST, under, 1));
    assert_true(crd_i_batch_offer(batch, tally, &second) && crd_i_batch_add_offered(batch, SECOND, under, 1));
    assert_true(crd_i_batch_pour(batch));
    assert_true(crd_i_tally_total(tally, 0) == FIRST + SECOND);
    crd_i_batch_destroy(batch);
    crd_i_tally_destroy(tally);
    free(validity);
}

static void too_many_conditions(void **state) {
    (void)state;
    table *new_table = table_create(3000, 3, 100000);
    for (size_t row = 0; row < 1500; row++) new_table->under[row] %= 10;
    assert_every_way(new_table);
    table_destroy(new_table);
}

/* Weighted numbers go to the tallies at once, while others wait. */
static void weights_beside(void **state) {
    (void)state;
    table *new_table = table_create(500, 5, 4);
    crd_i_tally **wanted = one_by_one(new_table), **tallies = tallies_create(new_table);
    double weights[500];
    for (size_t row = 0; row < new_table->rows; row++) weights[row] = 0.1 * (double)random_below(30);
    crd_i_batch *batch = crd_i_batch_create(context, crd_i_slicer_best());
    add_part_by_rows(batch, new_table, tallies, 0, 250, 4);
    for (size_t column = 0; column < new_table->columns; column++) {
        crd_i_cells cells = {
            .rows = new_table->rows, .numbers = new_table->numbers[column], .validity = new_table->validity[column]};
        assert_true(add_under(tallies[column], &cells, new_table->under, weights));
        assert_true(add_under(wanted[column], &cells, new_table->under, weights));
    }
    add_part_by_rows(batch, new_table, tallies, 250, 500, 4);
    assert_true(crd_i_batch_pour(batch));
    crd_i_batch_destroy(batch);
    assert_equal(new_table, tallies, wanted);
    tallies_destroy(new_table, tallies);
    tallies_destroy(new_table, wanted);
    table_destroy(new_table);
}

/* Wherever it stands, also in a row that is left out, and whether or not sums are sliced. */
static void infinity_is_refused(void **state) {
    (void)state;
    for (int round = 0; round < 100; round++) {
        table *new_table = table_create(1 + random_below(700), 1 + random_below(12), 1 + random_below(3));
        crd_i_tally **tallies = tallies_create(new_table);
        crd_i_batch *batch = crd_i_batch_create(context, round % 2 == 0 ? NULL : crd_i_slicer_best());
        for (size_t column = 0; column < new_table->columns; column++)
            assert_true(crd_i_batch_join(batch, tallies[column]));
        new_table->by_row[random_below(new_table->rows * new_table->columns)] = round % 3 == 0 ? INFINITY : -INFINITY;
        assert_int_equal(
            crd_i_batch_add_rows(batch, new_table->by_row, new_table->columns, new_table->rows, new_table->under, 3),
            CRD_ERROR_NUMBER);
        crd_i_batch_destroy(batch);
        tallies_destroy(new_table, tallies);
        table_destroy(new_table);
    }
}

/* What the bytes are on every machine, big-endian ones and those without slicing among them: FNV-1a of them. The
 * numbers are made of bits, so that no arithmetic can make them differ. */
static void same_everywhere(void **state) {
    (void)state;
    table *new_table = table_create(3000, 5, 3);
    random_state = 1;
    for (size_t row = 0; row < new_table->rows; row++) {
        new_table->under[row] = (int32_t)random_below(4) - 1;
        for (size_t column = 0; column < new_table->columns; column++) {
            uint64_t bits = random_bits(), field = 1000 + random_below(column == 4 ? 900 : 20);
            new_table->by_row[row * new_table->columns + column] =
                random_below(30) == 0 ? NAN : from_bits((bits & ~(UINT64_C(0x7ff) << 52)) | field << 52);
        }
    }
    crd_i_tally **tallies = tallies_create(new_table);
    crd_i_batch *batch = crd_i_batch_create(context, crd_i_slicer_best());
    add_part_by_rows(batch, new_table, tallies, 0, new_table->rows, new_table->conditions);
    assert_true(crd_i_batch_pour(batch));
    crd_i_batch_destroy(batch);
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t column = 0; column < new_table->columns; column++) {
        crd_i_encoder bytes = written(tallies[column], new_table->conditions);
        for (size_t i = 0; i < bytes.buffer.length; i++)
            hash = (hash ^ (unsigned char)bytes.buffer.bytes[i]) * UINT64_C(0x100000001b3);
        crd_i_buffer_clear(&bytes.buffer);
    }
    assert_true(hash == UINT64_C(0xaa240d68ac96ec7c));
    tallies_destroy(new_table, tallies);
    table_destroy(new_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_of_all_shapes),
        cmocka_unit_test(long_tables),
        cmocka_unit_test(too_many_conditions),
        cmocka_unit_test(weights_beside),
        cmocka_unit_test(infinity_is_refused),
        cmocka_unit_test(same_everywhere),
        cmocka_unit_test(fullest_sums),
        cmocka_unit_test(scales_that_change),
        cmocka_unit_test(columns_that_come_later),
        cmocka_unit_test(full_sums_between_frames),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
