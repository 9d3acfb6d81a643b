/* SPDX-License-Identifier: MIT */
/* random_table.h - small random tables of numbers and categories with missing cells, and frames of some of their rows.
 */
#ifndef RANDOM_TABLE_H
#define RANDOM_TABLE_H

#include "model_support.h"

#include <float.h>

enum { TABLE_ROWS = 40, TABLE_COLUMNS = 6 };

static uint64_t table_random_state;

static inline uint64_t table_random(void) {
    uint64_t x = table_random_state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static inline size_t table_below(size_t limit) {
    return (size_t)(table_random() % limit);
}

/* The last column, c<columns - 1>, is the target. Missing is NaN, or a NULL text. */
typedef struct random_table {
    size_t rows, columns;
    bool is_number[TABLE_COLUMNS];
    double numbers[TABLE_COLUMNS][TABLE_ROWS];
    const char *texts[TABLE_COLUMNS][TABLE_ROWS];
    char target[32];
} random_table;

/* Columns of many natures: few values, constants, offsets at which squares cancel, ranges that squares leave, and
 * that differences leave: up to the greatest double. */
static inline double table_number(size_t nature) {
    double small = (double)table_below(40) / 8;
    switch (nature) {
    case 0: return small;
    case 1: return 1e12 + small;
    case 2: return 3;
    case 3: return table_below(8) == 0 ? 7 : 3;
    case 4: return ldexp(1 + small, (int)table_below(1900) - 950);
    case 5: return -1e9 * small;
    case 6: return ((double)table_below(2001) / 1000 - 1) * DBL_MAX;
    default: return (double)((int)table_below(401) - 200) * 0x1p1016;
    }
}

static inline void fill_column(random_table *table, size_t column) {
    static const char *const words[] = {"1", "10", "2", "a", "Zebra", "\xc3\xa4", "a,b", "line\nbreak", "x y", "b"};
    bool is_target = column + 1 == table->columns;
    table->is_number[column] = !is_target && table_below(2) == 1;
    size_t missing = table_below(4), values = 1 + table_below(is_target ? 5 : 10), nature = table_below(8);
    for (size_t row = 0; row < table->rows; row++) {
        bool is_missing = missing == 3 && table_below(is_target ? 8 : 3) == 0;
        table->numbers[column][row] = is_missing ? NAN : table_number(nature);
        table->texts[column][row] = is_missing ? NULL : words[table_below(values)];
    }
}

static inline void make_table(random_table *table, uint64_t seed) {
    table_random_state = seed;
    table->rows = 1 + table_below(TABLE_ROWS);
    table->columns = 2 + table_below(TABLE_COLUMNS - 1);
    for (size_t column = 0; column < table->columns; column++) fill_column(table, column);
    snprintf(table->target, sizeof table->target, "c%zu", table->columns - 1);
}

/* Some rows as a frame, and the numbers it borrows. */
typedef struct some_rows {
    crd_frame *frame;
    double *numbers[TABLE_COLUMNS];
} some_rows;

static inline some_rows rows_of(crd_context *context, const random_table *table, const size_t *rows, size_t count) {
    some_rows batch = {0};
    crd_error error;
    assert_done(crd_frame_create(context, count, &batch.frame, &error), error);
    for (size_t column = 0; column < table->columns; column++) {
        char name[32];
        snprintf(name, sizeof name, "c%zu", column);
        if (table->is_number[column]) {
            batch.numbers[column] = malloc((count + 1) * sizeof(double));
            assert_non_null(batch.numbers[column]);
            for (size_t i = 0; i < count; i++) batch.numbers[column][i] = table->numbers[column][rows[i]];
            assert_done(crd_frame_add_numbers(batch.frame, crd_text_of(name), batch.numbers[column], NULL, &error),
                        error);
        } else {
            crd_text texts[TABLE_ROWS];
            for (size_t i = 0; i < count; i++) {
                const char *text = table->texts[column][rows[i]];
                texts[i] = text == NULL ? (crd_text){NULL, 0} : crd_text_of(text);
            }
            assert_done(crd_frame_add_texts(batch.frame, crd_text_of(name), texts, &error), error);
        }
    }
    return batch;
}

static inline void free_rows(some_rows rows) {
    crd_frame_destroy(rows.frame);
    for (size_t i = 0; i < TABLE_COLUMNS; i++) free(rows.numbers[i]);
}

/* A model with the columns of `like` that has learned some rows. */
static inline crd_model *model_of(crd_context *context, const random_table *table, const crd_frame *like,
                                  const size_t *rows, size_t count) {
    crd_model *model;
    crd_error error;
    some_rows learned = rows_of(context, table, rows, count);
    assert_done(crd_model_create(context, like, crd_text_of(table->target), NULL, &model, &error), error);
    assert_done(crd_model_update(model, learned.frame, &error), error);
    free_rows(learned);
    return model;
}

static inline void set_one_of(crd_settings *settings, const char *name, const char *const *values, size_t count) {
    crd_error error;
    assert_done(crd_settings_set(settings, name, crd_text_of(values[table_below(count)]), &error), error);
}

/* Settings drawn from every kind there is, but stated priors. */
static inline crd_settings *random_settings(crd_context *context) {
    static const char *const smoothings[] = {"none", "m:1", "m:2.5", "m:3:marginal", "laplace:1", "laplace:0.25"};
    static const char *const priors[] = {"frequency", "laplace:2", "uniform"};
    static const char *const variances[] = {"mle", "sample"};
    static const char *const shared[] = {"none", "classes", "attributes", "all"};
    static const char *const deviations[] = {"0", "0", "0.5"};
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    set_one_of(settings, "smoothing", smoothings, 6);
    set_one_of(settings, "prior", priors, 3);
    set_one_of(settings, "variance", variances, 2);
    set_one_of(settings, "pool-variance", shared, 4);
    set_one_of(settings, "min-sd", deviations, 3);
    return settings;
}

#endif
