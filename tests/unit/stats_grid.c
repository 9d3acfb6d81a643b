/* SPDX-License-Identifier: MIT */
/* The grid: which numbers share a cell, and that neither order nor batches nor merging shows; what forgetting leaves.
 */
#include "math/exact/ieee754.h"
#include "math_random.h"
#include "stats/grid.h"
#include "stats_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "counted_fixture.h"

enum { MOST_ROWS = 20000, CONDITIONS = 3 };

typedef struct table {
    size_t rows;
    double numbers[MOST_ROWS], weights[MOST_ROWS];
    int32_t conditions[MOST_ROWS];
    bool is_weighted;
} table;

static const int32_t order[CONDITIONS] = {0, 1, 2};
static const crd_i_view view = {order, CONDITIONS, NULL, 0, NULL};
static const size_t same[CONDITIONS] = {0, 1, 2};
static const crd_i_tally_map map = {same, CONDITIONS, NULL, 0};

static void fill(table *new_table, unsigned kind, size_t rows, bool is_weighted) {
    new_table->rows = rows;
    new_table->is_weighted = is_weighted;
    for (size_t row = 0; row < rows; row++) {
        double x = (double)(random_bits() >> 11) * 0x1p-53, y = 0;
        switch (kind) {
        case 0: y = (double)random_below(4000) / 10; break;                /* few values */
        case 1: y = x; break;                                              /* one scale */
        case 2: y = 1e9 + x; break;                                        /* an offset */
        case 3: y = (x - 0.5) * 0x1p-1040; break;                          /* denormals */
        case 4: y = (x - 0.5) * 1.9 * DBL_MAX; break;                      /* the ends */
        case 5: y = ldexp(x - 0.5, (int)random_below(2000) - 1000); break; /* every scale */
        case 6: y = random_below(2) ? -0.0 : floor((x - 0.5) * 20000); break;
        default: y = random_below(50) == 0 ? (x - 0.5) * 1e300 : floor(x * 5000) / 8; break;
        }
        new_table->numbers[row] = random_below(40) == 0 ? NAN : y;
        new_table->weights[row] = (double)random_below(5) / (random_below(2) ? 4 : 3);
        new_table->conditions[row] = (int32_t)random_below(CONDITIONS + 1) - 1;
    }
}

enum { KINDS = 8 };

static void shuffle(table *new_table) {
    for (size_t row = new_table->rows; row-- > 1;) {
        size_t other = random_below(row + 1);
        double number = new_table->numbers[row], weight = new_table->weights[row];
        int32_t condition = new_table->conditions[row];
        new_table->numbers[row] = new_table->numbers[other], new_table->numbers[other] = number;
        new_table->weights[row] = new_table->weights[other], new_table->weights[other] = weight;
        new_table->conditions[row] = new_table->conditions[other], new_table->conditions[other] = condition;
    }
}

static crd_i_tally *create(void) {
    crd_i_tally *tally = crd_i_grid.create(context);
    assert_true(tally != NULL && crd_i_grid.extend(tally, CONDITIONS, 0));
    return tally;
}

static void add_rows(crd_i_tally *tally, const table *source_table, size_t begin, size_t end) {
    crd_i_cells cells = {.rows = end - begin, .numbers = source_table->numbers + begin};
    assert_true(add_under(tally, &cells, source_table->conditions + begin,
                          source_table->is_weighted ? source_table->weights + begin : NULL));
}

static crd_i_tally *grid_of(const table *source_table, size_t begin, size_t end) {
    crd_i_tally *tally = create();
    add_rows(tally, source_table, begin, end);
    return tally;
}

static void combine(crd_i_tally *target, const crd_i_tally *other, int sign) {
    assert_true(crd_i_grid.prepare(target, other, &map) && crd_i_grid.combine(target, other, &map, sign));
}

static crd_i_encoder written(const crd_i_tally *tally) {
    crd_i_encoder encoder = {.buffer = {.context = context}};
    crd_i_grid.write(tally, &view, &encoder);
    assert_false(encoder.failed);
    return encoder;
}

static bool equal(const crd_i_tally *a, const crd_i_tally *b) {
    crd_i_encoder one = written(a), two = written(b);
    bool is_equal =
        one.buffer.length == two.buffer.length && memcmp(one.buffer.bytes, two.buffer.bytes, one.buffer.length) == 0;
    crd_i_buffer_clear(&one.buffer);
    crd_i_buffer_clear(&two.buffer);
    return is_equal;
}

static crd_i_tally *read_back(const crd_i_tally *tally) {
    crd_i_encoder encoder = written(tally);
    crd_i_cursor cursor = {encoder.buffer.bytes, encoder.buffer.bytes + encoder.buffer.length, false};
    crd_i_tally *read = crd_i_grid.create(context);
    crd_error error;
    assert_int_equal(crd_i_grid.read(read, CONDITIONS, 0, &cursor, &error), CRD_OK);
    assert_int_equal(crd_i_cursor_left(&cursor), 0);
    crd_i_buffer_clear(&encoder.buffer);
    return read;
}

/* ---- Against a plain way: the level by trying one after the other, cells by division ---- */

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The end of x's cell towards zero, by arithmetic. */
static double plain_cell(double x, int level) {
    double unit = ldexp(1, level);
    return level == CRD_I_GRID_EXACT || fabs(x) >= ldexp(unit, 53) ? x : trunc(x / unit) * unit;
}

static size_t plain_count(const double *sorted, size_t count, int level) {
    size_t cells = 0;
    for (size_t i = 0; i < count; i++)
        cells += i == 0 || plain_cell(sorted[i], level) != plain_cell(sorted[i - 1], level) ||
                 signbit(sorted[i]) != signbit(sorted[i - 1]);
    return cells;
}

static void levels_are_the_least(void **state) {
    (void)state;
    static const unsigned kinds[] = {0, 1, 2, 6};
    table *new_table = malloc(sizeof *new_table);
    double *sorted = malloc(sizeof(double) * MOST_ROWS);
    for (size_t i = 0; i < 4; i++) {
        fill(new_table, kinds[i], MOST_ROWS, false);
        size_t count = 0;
        for (size_t row = 0; row < new_table->rows; row++)
            if (new_table->numbers[row] == new_table->numbers[row] && new_table->conditions[row] >= 0)
                sorted[count++] = new_table->numbers[row] + 0.0;
        qsort(sorted, count, sizeof *sorted, compare_doubles);
        int level = CRD_I_GRID_EXACT;
        if (plain_count(sorted, count, level) > CRD_I_GRID_MOST)
            for (level = -120; plain_count(sorted, count, level) > CRD_I_GRID_MOST;) level++;
        crd_i_tally *tally = grid_of(new_table, 0, new_table->rows);
        assert_int_equal(crd_i_grid_level(tally), level);
        assert_int_equal(crd_i_grid_count(tally), plain_count(sorted, count, level));

        /* Each cell has the numbers that lie in it. */
        crd_i_grid_view cells;
        assert_true(crd_i_grid_view_init(&cells, context, tally, &view));
        size_t row = 0;
        double half = cells.is_exact ? 0 : ldexp(1, level - 1);
        for (size_t cell = 0; cell < cells.count; cell++) {
            double rows = 0;
            assert_true(cell == 0 || cells.values[cell - 1] < cells.values[cell]);
            for (; row < count && sorted[row] <= cells.values[cell] + half; row++, rows++) {
                if (!cells.is_exact && sorted[row] == cells.values[cell] + half && sorted[row] >= 0) break;
                assert_true(sorted[row] >= cells.values[cell] - half);
            }
            double sum = 0;
            for (size_t k = 0; k < CONDITIONS; k++) sum += cells.counts[cell * CONDITIONS + k];
            assert_true(sum == rows);
        }
        assert_int_equal(row, count);
        crd_i_grid_view_clear(&cells);
        crd_i_tally_destroy(tally);
    }
    free(sorted);
    free(new_table);
}

static void the_ends_of_the_doubles(void **state) {
    (void)state;
    table *new_table = malloc(sizeof *new_table);
    for (unsigned kind = 3; kind < 6; kind++) {
        fill(new_table, kind, MOST_ROWS, false);
        new_table->numbers[0] = DBL_MAX, new_table->numbers[1] = -DBL_MAX, new_table->numbers[2] = DBL_TRUE_MIN;
        new_table->numbers[3] = -DBL_TRUE_MIN, new_table->numbers[4] = -0.0;
        for (size_t row = 0; row < 5; row++) new_table->conditions[row] = 0;
        crd_i_tally *tally = grid_of(new_table, 0, new_table->rows);
        crd_i_grid_view cells;
        assert_true(crd_i_grid_view_init(&cells, context, tally, &view));
        assert_true(cells.count <= CRD_I_GRID_MOST && crd_i_grid_level(tally) <= crd_i_grid_highest(CRD_I_GRID_MOST));
        for (size_t cell = 0; cell < cells.count; cell++) {
            assert_true(isfinite(cells.values[cell]));
            assert_true(cell == 0 || cells.values[cell - 1] < cells.values[cell]);
        }
        crd_i_grid_view_clear(&cells);
        crd_i_tally_destroy(tally);
    }
    free(new_table);
}

/* ---- No order, no batches, no tree of merges ---- */

static crd_i_tally *merge_tree(const table *source_table, size_t begin, size_t end) {
    if (end - begin < 100 || random_below(5) == 0) return grid_of(source_table, begin, end);
    size_t middle = begin + random_below(end - begin);
    crd_i_tally *left = merge_tree(source_table, begin, middle), *right = merge_tree(source_table, middle, end);
    if (random_below(3) == 0) {
        crd_i_tally *copy = read_back(left);
        crd_i_tally_destroy(left);
        left = copy;
    }
    combine(left, right, 1);
    crd_i_tally_destroy(right);
    return left;
}

static void only_the_rows_count(void **state) {
    (void)state;
    table *new_table = malloc(sizeof *new_table);
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (int turn = 0; turn < 4; turn++) {
            fill(new_table, kind, turn == 0 ? 3000 : MOST_ROWS, turn == 2);
            crd_i_tally *at_once = grid_of(new_table, 0, new_table->rows), *batched = create(),
                        *read = read_back(at_once);
            assert_true(equal(at_once, read));
            shuffle(new_table);
            for (size_t begin = 0, end; begin < new_table->rows; begin = end) {
                end = begin + 1 + random_below(2000);
                if (end > new_table->rows) end = new_table->rows;
                add_rows(batched, new_table, begin, end);
            }
            assert_true(equal(at_once, batched));
            shuffle(new_table);
            crd_i_tally *merged = merge_tree(new_table, 0, new_table->rows);
            assert_true(equal(at_once, merged));
            /* What was read goes on as what was written. */
            crd_i_tally *more = grid_of(new_table, 0, 500);
            add_rows(read, new_table, 0, 500);
            combine(merged, more, 1);
            assert_true(equal(read, merged));
            crd_i_tally_destroy(more);
            crd_i_tally_destroy(merged);
            crd_i_tally_destroy(batched);
            crd_i_tally_destroy(read);
            crd_i_tally_destroy(at_once);
        }
    free(new_table);
}

/* ---- Forgetting ---- */

static void forgetting_gives_back(void **state) {
    (void)state;
    table *new_table = malloc(sizeof *new_table);
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (int is_weighted = 0; is_weighted < 2; is_weighted++) {
            fill(new_table, kind, MOST_ROWS, is_weighted == 1);
            size_t first = kind == 0 ? 2000 : 15000;
            crd_i_tally *before = grid_of(new_table, 0, first), *tally = grid_of(new_table, 0, new_table->rows);
            crd_i_tally *other_part = grid_of(new_table, first, new_table->rows);
            crd_i_impossible impossible;
            int32_t level = crd_i_grid_level(tally);
            combine(tally, other_part, -1);
            assert_true(crd_i_grid.find_impossible(tally, other_part, &map, &impossible) && !impossible.found);
            assert_int_equal(crd_i_grid_level(tally), level); /* what was rounded away stays so */
            if (level == crd_i_grid_level(before)) assert_true(equal(tally, before));
            /* And once it is told, the one that never learned the rest says the same. */
            combine(before, other_part, 1);
            combine(before, other_part, -1);
            assert_true(equal(tally, before));
            /* When nothing is left, nothing is left of the level. */
            crd_i_tally *rows = grid_of(new_table, 0, first), *nothing = create();
            combine(tally, rows, -1);
            assert_true(crd_i_grid.find_impossible(tally, rows, &map, &impossible) && !impossible.found);
            assert_true(equal(tally, nothing));
            combine(tally, other_part, 1);
            assert_true(equal(tally, other_part));
            crd_i_tally_destroy(nothing);
            crd_i_tally_destroy(rows);
            crd_i_tally_destroy(other_part);
            crd_i_tally_destroy(tally);
            crd_i_tally_destroy(before);
        }
    free(new_table);
}

static void what_was_not_learned_is_found(void **state) {
    (void)state;
    table *new_table = malloc(sizeof *new_table);
    crd_i_impossible impossible;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        fill(new_table, kind, MOST_ROWS, false);
        crd_i_tally *few = grid_of(new_table, 0, 3000), *before = grid_of(new_table, 0, 3000);
        crd_i_tally *others = grid_of(new_table, 2000, 20000);
        combine(few, others, -1);
        assert_true(crd_i_grid.find_impossible(few, others, &map, &impossible) && impossible.found);
        assert_true(crd_i_grid.combine(few, others, &map, 1)); /* undone without memory */
        assert_true(equal(few, before));
        crd_i_tally_destroy(few);
        crd_i_tally_destroy(before);
        crd_i_tally_destroy(others);
    }
    /* One number too many of one value: that very cell. */
    table one = {.rows = 1, .numbers = {2.5}, .conditions = {1}},
          two = {.rows = 2, .numbers = {2.5, 7}, .conditions = {1, 0}};
    crd_i_tally *tally = grid_of(&two, 0, 2), *part = grid_of(&one, 0, 1);
    combine(tally, part, -1);
    assert_true(crd_i_grid.find_impossible(tally, part, &map, &impossible) && !impossible.found);
    combine(tally, part, -1);
    assert_true(crd_i_grid.find_impossible(tally, part, &map, &impossible) && impossible.found);
    assert_true(impossible.condition == 1 && impossible.left == -1 && impossible.is_near && impossible.number == 2.5);
    crd_i_tally_destroy(tally);
    crd_i_tally_destroy(part);
    free(new_table);
}

/* ---- Hostile files ---- */

typedef struct grid_forgery {
    int32_t level;
    uint32_t count;
    double keys[3];
    uint64_t counts[3];
} grid_forgery;

static crd_status read_forged(const grid_forgery *forgery) {
    crd_i_encoder encoder = {.buffer = {.context = context}};
    crd_error error;
    crd_i_encode_u32(&encoder, (uint32_t)forgery->level);
    crd_i_encode_u32(&encoder, forgery->count);
    for (uint32_t i = 0; i < forgery->count && i < 3; i++) crd_i_encode_u64(&encoder, crd_i_bits_of(forgery->keys[i]));
    crd_i_encode_u32(&encoder, 0);
    crd_i_encode_u32(&encoder, forgery->count == 0 ? 0 : 1);
    for (uint32_t i = 0; i < forgery->count && i < 3; i++) crd_i_encode_u64(&encoder, forgery->counts[i]);
    crd_i_cursor cursor = {encoder.buffer.bytes, encoder.buffer.bytes + encoder.buffer.length, false};
    crd_i_tally *read = crd_i_grid.create(context);
    crd_status status = crd_i_grid.read(read, 1, 0, &cursor, &error);
    crd_i_tally_destroy(read);
    crd_i_buffer_clear(&encoder.buffer);
    return status;
}

static void damaged_grids_are_refused(void **state) {
    (void)state;
    static const grid_forgery right[] = {{CRD_I_GRID_EXACT, 3, {-1.5, 0, 1e300}, {1, 2, 3}},
                                         {0, 3, {-0.0, 0, 1}, {1, 2, 3}},
                                         {1024 - 11, 3, {-0x1.ffcp1023, -0.0, 0x1p1013}, {1, 2, 3}},
                                         {CRD_I_GRID_EXACT, 0, {0}, {0}}};
    static const grid_forgery wrong[] = {
        {CRD_I_GRID_EXACT - 1, 1, {1}, {1}},
        {1024 - 10, 1, {0}, {1}},
        {3, 0, {0}, {0}},
        {CRD_I_GRID_EXACT, CRD_I_GRID_MOST + 1, {1}, {1}},
        {CRD_I_GRID_EXACT, 2, {2, 1}, {1, 1}},
        {CRD_I_GRID_EXACT, 2, {1, 1}, {1, 1}},
        {CRD_I_GRID_EXACT, 1, {-0.0}, {1}},
        {CRD_I_GRID_EXACT, 1, {INFINITY}, {1}},
        {CRD_I_GRID_EXACT, 1, {NAN}, {1}},
        {1, 1, {3}, {1}},
        {CRD_I_GRID_EXACT, 2, {1, 2}, {1, 0}},
        {CRD_I_GRID_EXACT, 2, {1, 2}, {1, UINT64_MAX}},
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) assert_int_equal(read_forged(&right[i]), CRD_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(read_forged(&wrong[i]), CRD_ERROR_DAMAGED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(levels_are_the_least, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_ends_of_the_doubles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_the_rows_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forgetting_gives_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_not_learned_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_grids_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
