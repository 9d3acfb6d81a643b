/* SPDX-License-Identifier: MIT */
/* Tallies of counts whose values and conditions are many and seldom meet: what is kept one by one is what an array
 * would hold, in any order of growing, when combined, undone, written and read; its room is that of what was
 * counted. */
#include "stats/counts.h"
#include "stats_support.h"

#include <stdlib.h>
#include <string.h>

#include "counted_fixture.h"

enum { MOST = 400, ROWS = 900 };

static uint64_t random_state;

static size_t below(size_t limit) {
    uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (size_t)((x ^ x >> 31) % limit);
}

/* Cells with what an array of all counts holds. */
typedef struct table {
    size_t values, conditions;
    int32_t codes[ROWS], under[ROWS];
    double weights[ROWS];
    double counts[MOST][MOST], totals[MOST];
} table;

static void fill(table *new_table, size_t values, size_t conditions, bool is_weighted) {
    memset(new_table, 0, sizeof *new_table);
    new_table->values = values;
    new_table->conditions = conditions;
    for (size_t row = 0; row < ROWS; row++) {
        new_table->codes[row] = below(9) == 0 ? -1 : (int32_t)below(values);
        new_table->under[row] = below(11) == 0 ? -1 : (int32_t)below(conditions);
        new_table->weights[row] = is_weighted ? (double)(1 + below(64)) / 8 : 1;
        if (new_table->codes[row] < 0 || new_table->under[row] < 0) continue;
        new_table->counts[new_table->codes[row]][new_table->under[row]] += new_table->weights[row];
        new_table->totals[new_table->under[row]] += new_table->weights[row];
    }
}

static void add(crd_i_tally *tally, const table *source_table, size_t begin, size_t end, bool is_weighted) {
    crd_i_cells cells = {.rows = end - begin, .codes = source_table->codes + begin};
    assert_true(
        add_under(tally, &cells, source_table->under + begin, is_weighted ? source_table->weights + begin : NULL));
}

/* Values and conditions become known as the rows come, some of which are known long before. */
static crd_i_tally *learn(const table *source_table, size_t begin, size_t end, size_t batch, bool is_weighted) {
    crd_i_tally *tally = crd_i_counts.create(context);
    assert_non_null(tally);
    size_t values = 0, conditions = 0;
    for (size_t index = begin; index < end; index += batch) {
        size_t until = end - index < batch ? end : index + batch;
        for (size_t row = index; row < until; row++) {
            if (source_table->codes[row] >= (int32_t)values) values = (size_t)source_table->codes[row] + 1;
            if (source_table->under[row] >= (int32_t)conditions) conditions = (size_t)source_table->under[row] + 1;
        }
        assert_true(tally->type->extend(tally, conditions, values));
        add(tally, source_table, index, until, is_weighted);
    }
    assert_true(tally->type->extend(tally, source_table->conditions, source_table->values));
    return tally;
}

static void assert_counts(const crd_i_tally *tally, const table *wanted) {
    bool live[MOST] = {false};
    crd_i_counts_mark_live(tally, live);
    for (size_t value = 0; value < wanted->values; value++) {
        bool some = false;
        for (size_t condition = 0; condition < wanted->conditions; condition++) {
            some = some || wanted->counts[value][condition] > 0;
            assert_true(crd_i_counts_value(tally, value, condition) == wanted->counts[value][condition]);
        }
        assert_int_equal(live[value], some);
    }
    size_t some = 0, total_count = 0;
    for (size_t condition = 0; condition < wanted->conditions; condition++) {
        some += wanted->totals[condition] > 0;
        assert_true(crd_i_tally_total(tally, condition) == wanted->totals[condition]);
    }
    for (crd_i_total_cursor cursor = {0}; tally->type->next_total(tally, &cursor); total_count++)
        assert_true(wanted->totals[cursor.condition] > 0);
    assert_int_equal(total_count, some);
}

/* All numbers in order, or backwards. */
typedef struct whole {
    int32_t numbers[MOST];
    crd_i_view view;
} whole;

static const crd_i_view *view_of(whole *whole_workspace, const table *source_table, bool is_backwards) {
    size_t most = source_table->values > source_table->conditions ? source_table->values : source_table->conditions;
    assert_true(source_table->values == source_table->conditions || !is_backwards);
    for (size_t i = 0; i < most; i++) whole_workspace->numbers[i] = (int32_t)(is_backwards ? most - 1 - i : i);
    crd_i_view view = {whole_workspace->numbers, source_table->conditions, whole_workspace->numbers,
                       source_table->values, NULL};
    whole_workspace->view = view;
    return &whole_workspace->view;
}

static void what_is_kept_is_what_an_array_holds(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{400, 400}, {400, 9}, {9, 400}, {17, 17}, {3, 2}, {1, 400}, {400, 1}, {60, 60}};
    table *new_table = malloc(sizeof *new_table);
    assert_non_null(new_table);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t batch = 1; batch <= ROWS; batch *= 30)
            for (int is_weighted = 0; is_weighted < 2; is_weighted++) {
                random_state = i * 100 + batch;
                fill(new_table, shapes[i][0], shapes[i][1], is_weighted == 1);
                crd_i_tally *tally = learn(new_table, 0, ROWS, batch, is_weighted == 1);
                assert_counts(tally, new_table);
                /* 900 rows, each at most a count; an array has up to eight times the values. */
                assert_true(tally->type->size(tally) <= 4 * ROWS + 8 * MOST + 2 * 256);
                crd_i_tally_destroy(tally);
            }
    free(new_table);
}

static void rows_come_in_the_order_of_a_view(void **state) {
    (void)state;
    static const size_t sizes[] = {400, 30, 4};
    table *new_table = malloc(sizeof *new_table);
    assert_non_null(new_table);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int is_backwards = 0; is_backwards < 2; is_backwards++) {
            random_state = i + 1;
            fill(new_table, sizes[i], sizes[i], true);
            crd_i_tally *tally = learn(new_table, 0, ROWS, 100, true);
            whole whole_workspace;
            const crd_i_view *view = view_of(&whole_workspace, new_table, is_backwards == 1);
            crd_i_counts_rows rows;
            assert_true(crd_i_counts_rows_init(&rows, tally, view));
            size_t entries = 0;
            for (size_t value = 0; value < new_table->values; value++) {
                double total = 0;
                for (size_t condition = 0; condition < new_table->conditions; condition++) {
                    double count = new_table->counts[view->values[value]][view->conditions[condition]];
                    assert_true(crd_i_counts_rows_value(&rows, value, condition) == count);
                    total += count;
                    if (count == 0) continue;
                    assert_int_equal(rows.conditions[entries], condition);
                    entries++;
                }
                assert_int_equal(rows.begins[value + 1], entries);
                assert_true(crd_i_counts_rows_total(&rows, value) == total);
            }
            crd_i_counts_rows_clear(&rows);
            crd_i_tally_destroy(tally);
        }
    free(new_table);
}

static void what_is_added_can_be_taken_out(void **state) {
    (void)state;
    table *new_table = malloc(sizeof *new_table);
    assert_non_null(new_table);
    size_t map_values[MOST], map_conditions[MOST];
    for (size_t i = 0; i < MOST; i++) {
        map_values[i] = MOST - 1 - i;
        map_conditions[i] = (7 * i + 3) % MOST;
    }
    for (int is_weighted = 0; is_weighted < 2; is_weighted++) {
        random_state = 77;
        fill(new_table, MOST, MOST, is_weighted == 1);
        crd_i_tally *part = learn(new_table, 0, 300, 50, is_weighted == 1),
                    *other_part = learn(new_table, 300, ROWS, 600, is_weighted == 1);
        crd_i_tally *all = crd_i_counts.create(context);
        const crd_i_tally_map map = {map_conditions, MOST, map_values, MOST};
        crd_i_impossible impossible;
        const crd_i_tally *both[] = {part, other_part};
        for (size_t i = 0; i < 2; i++)
            assert_true(crd_i_counts.prepare(all, both[i], &map) && crd_i_counts.combine(all, both[i], &map, 1));
        for (size_t value = 0; value < MOST; value++)
            for (size_t condition = 0; condition < MOST; condition++)
                assert_true(crd_i_counts_value(all, map_values[value], map_conditions[condition]) ==
                            new_table->counts[value][condition]);
        assert_true(crd_i_counts.combine(all, part, &map, -1));
        assert_true(crd_i_counts.find_impossible(all, part, &map, &impossible) && !impossible.found);
        for (size_t value = 0; value < MOST; value++)
            for (size_t condition = 0; condition < MOST; condition++)
                assert_true(crd_i_counts_value(all, map_values[value], map_conditions[condition]) ==
                            crd_i_counts_value(other_part, value, condition));
        /* Once more than it was added: the first count below zero in the order of the part's values is named. */
        assert_true(crd_i_counts.combine(all, part, &map, -1));
        assert_true(crd_i_counts.find_impossible(all, part, &map, &impossible) && impossible.found);
        size_t value = 0, condition = 0;
        while (!(crd_i_counts_value(all, map_values[value], map_conditions[condition]) < 0)) {
            condition = (condition + 1) % MOST;
            value += condition == 0;
        }
        assert_int_equal(impossible.value, map_values[value]);
        assert_int_equal(impossible.condition, map_conditions[condition]);
        assert_true(impossible.left == crd_i_counts_value(all, impossible.value, impossible.condition));
        crd_i_tally_destroy(all);
        crd_i_tally_destroy(part);
        crd_i_tally_destroy(other_part);
    }
    free(new_table);
}

/* ---- Files ---- */

typedef void counts_writing(const crd_i_tally *tally, const crd_i_view *view, crd_i_encoder *encoder);

static crd_i_encoder written(const crd_i_tally *tally, const crd_i_view *view, counts_writing *write) {
    crd_i_encoder encoder = {.buffer = {.context = context}};
    write(tally, view, &encoder);
    assert_false(encoder.failed);
    return encoder;
}

typedef crd_status counts_reader(crd_i_tally *tally, size_t conditions, size_t values, crd_i_cursor *cursor,
                                 crd_error *error);

static crd_status read_bytes(const unsigned char *bytes, size_t length, const table *source_table, counts_reader *read,
                             crd_i_tally **out) {
    crd_i_cursor cursor = {bytes, bytes + length, false};
    crd_error error;
    *out = crd_i_counts.create(context);
    assert_non_null(*out);
    crd_status status = read(*out, source_table->conditions, source_table->values, &cursor, &error);
    if (status == CRD_OK && crd_i_cursor_left(&cursor) > 0) status = CRD_ERROR_DAMAGED;
    return status;
}

/* As many values as conditions, each value under some that follow on each other. */
static crd_i_tally *diagonal(table *new_table, size_t size, bool is_weighted) {
    memset(new_table, 0, sizeof *new_table);
    new_table->values = new_table->conditions = size;
    for (size_t row = 0; row < ROWS; row++) {
        new_table->codes[row] = (int32_t)(row % size);
        new_table->under[row] = (int32_t)((row + row / size) % size);
        new_table->weights[row] = is_weighted ? 1e-30 * (double)(1 + row) : 1;
    }
    return learn(new_table, 0, ROWS, ROWS, is_weighted);
}

static void both_layouts_are_read(void **state) {
    (void)state;
    table *new_table = malloc(sizeof *new_table);
    assert_non_null(new_table);
    for (int is_weighted = 0; is_weighted < 2; is_weighted++) {
        crd_i_tally *tally = diagonal(new_table, 300, is_weighted == 1), *again;
        whole whole_workspace;
        const crd_i_view *view = view_of(&whole_workspace, new_table, false);
        assert_true(crd_i_counts.is_sparse(tally, view));
        crd_i_encoder sparse = written(tally, view, crd_i_counts.write_sparse);
        crd_i_encoder dense = written(tally, view, crd_i_counts.write);
        assert_true(sparse.buffer.length < dense.buffer.length / 20);
        const crd_i_encoder *files[] = {&sparse, &dense};
        counts_reader *const readings[] = {crd_i_counts.read_sparse, crd_i_counts.read};
        for (int i = 0; i < 2; i++) {
            assert_int_equal(
                read_bytes(files[i]->buffer.bytes, files[i]->buffer.length, new_table, readings[i], &again), CRD_OK);
            assert_true(crd_i_counts.is_sparse(again, view));
            crd_i_encoder bytes = written(again, view, crd_i_counts.write_sparse);
            assert_int_equal(bytes.buffer.length, sparse.buffer.length);
            assert_memory_equal(bytes.buffer.bytes, sparse.buffer.bytes, sparse.buffer.length);
            for (size_t condition = 0; condition < new_table->conditions; condition++)
                assert_true(crd_i_tally_total(again, condition) == crd_i_tally_total(tally, condition));
            crd_i_buffer_clear(&bytes.buffer);
            crd_i_tally_destroy(again);
        }
        crd_i_buffer_clear(&sparse.buffer);
        crd_i_buffer_clear(&dense.buffer);
        crd_i_tally_destroy(tally);
    }
    free(new_table);
}

static void the_layout_follows_from_the_counts(void **state) {
    (void)state;
    table *new_table = malloc(sizeof *new_table);
    assert_non_null(new_table);
    static const size_t sizes[] = {256, 257};
    for (size_t i = 0; i < 2; i++) {
        crd_i_tally *tally = diagonal(new_table, sizes[i], false);
        whole whole_workspace;
        /* 65,536 cells are dense whatever they hold; one row more is not. */
        assert_int_equal(crd_i_counts.is_sparse(tally, view_of(&whole_workspace, new_table, false)), i == 1);
        crd_i_tally_destroy(tally);
    }
    /* And where more than half is above zero, it is dense. */
    enum { SIZE = 300 };
    crd_i_tally *tally = crd_i_counts.create(context);
    whole whole_workspace;
    assert_true(crd_i_counts.extend(tally, SIZE, SIZE));
    new_table->values = new_table->conditions = SIZE;
    for (size_t condition = 0; condition < SIZE; condition++) {
        for (size_t value = 0; value < SIZE; value++) {
            new_table->codes[value] = value % 2 == condition % 2 ? (int32_t)value : -1;
            new_table->under[value] = (int32_t)condition;
        }
        add(tally, new_table, 0, SIZE, false);
    }
    assert_true(crd_i_counts.is_sparse(tally, view_of(&whole_workspace, new_table, false)));
    new_table->codes[0] = 1;
    new_table->under[0] = 0;
    add(tally, new_table, 0, 1, false);
    assert_false(crd_i_counts.is_sparse(tally, view_of(&whole_workspace, new_table, false)));
    crd_i_tally_destroy(tally);
    free(new_table);
}

static void damaged_lists_are_refused(void **state) {
    (void)state;
    enum { SIZE = 300 };
    table *new_table = malloc(sizeof *new_table);
    assert_non_null(new_table);
    crd_i_tally *tally = diagonal(new_table, SIZE, false), *again;
    whole whole_workspace;
    crd_i_encoder file = written(tally, view_of(&whole_workspace, new_table, false), crd_i_counts.write_sparse);
    unsigned char *bytes = file.buffer.bytes;
    size_t length = file.buffer.length;
    const size_t conditions = 4 * SIZE, window = length - 8 * ((length - 8 - conditions) / 12) - 8;
    counts_reader *const read = crd_i_counts.read_sparse;

    for (size_t cut = 0; cut < length; cut += 97) {
        assert_int_equal(read_bytes(bytes, cut, new_table, read, &again), CRD_ERROR_DAMAGED);
        crd_i_tally_destroy(again);
    }
    /* Where, and what: a length of everything; of nothing; a class beyond the last; twice the same; a count of zero;
     * one below zero; one beyond 2^63. */
    const struct {
        size_t index;
        unsigned char replacement[8];
        size_t count;
    } damages[] = {{0, {255, 255, 255, 255}, 4},
                   {0, {0, 0, 0, 0}, 4},
                   {conditions, {44, 1, 0, 0}, 4},
                   {conditions + 4, {0, 0, 0, 0}, 4},
                   {window + 8, {0, 0, 0, 0, 0, 0, 0, 0}, 8},
                   {window + 8, {1, 0, 0, 0, 0, 0, 0, 128}, 8},
                   {window + 4, {0, 0, 0, 0}, 4}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        unsigned char kept[8];
        memcpy(kept, bytes + damages[i].index, damages[i].count);
        memcpy(bytes + damages[i].index, damages[i].replacement, damages[i].count);
        assert_int_equal(read_bytes(bytes, length, new_table, read, &again), CRD_ERROR_DAMAGED);
        crd_i_tally_destroy(again);
        memcpy(bytes + damages[i].index, kept, damages[i].count);
    }
    assert_int_equal(read_bytes(bytes, length, new_table, read, &again), CRD_OK);
    crd_i_tally_destroy(again);
    crd_i_tally_destroy(tally);
    crd_i_buffer_clear(&file.buffer);

    /* What is dense is not written one by one. */
    tally = diagonal(new_table, 200, false);
    file = written(tally, view_of(&whole_workspace, new_table, false), crd_i_counts.write_sparse);
    assert_int_equal(read_bytes(file.buffer.bytes, file.buffer.length, new_table, read, &again), CRD_ERROR_DAMAGED);
    crd_i_tally_destroy(again);
    crd_i_tally_destroy(tally);
    crd_i_buffer_clear(&file.buffer);
    free(new_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_is_what_an_array_holds), cmocka_unit_test(rows_come_in_the_order_of_a_view),
        cmocka_unit_test(what_is_added_can_be_taken_out),      cmocka_unit_test(both_layouts_are_read),
        cmocka_unit_test(the_layout_follows_from_the_counts),  cmocka_unit_test(damaged_lists_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
