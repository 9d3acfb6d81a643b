/* SPDX-License-Identifier: MIT */
/* stats_joint_tally_support.h - for tests of joint tallies: tables of rows, and owners that number their classes and
 * values in the order in which they meet them, as models do. */
#ifndef CRD_TESTS_STATS_JOINT_TALLY_SUPPORT_H
#define CRD_TESTS_STATS_JOINT_TALLY_SUPPORT_H

#include "base/memory.h"
#include "math_random.h"
#include "stats/joint_tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "counted_fixture.h"

enum { TABLE_COLUMNS = 6, TABLE_VALUES = 40, TABLE_CLASSES = 5 };

/* Categories and classes by numbers that stand for their names, in the order of these; negative: missing. */
typedef struct table {
    size_t rows, columns;
    crd_column_type types[TABLE_COLUMNS];
    double *cells; /* row by row; NaN: missing */
    int *classes;
    double *weights;
} table;

static inline table table_of(size_t rows, size_t columns, const crd_column_type *types) {
    table new_table = {rows, columns, {0}, NULL, NULL, NULL};
    new_table.cells = malloc((rows * columns + 1) * sizeof *new_table.cells);
    new_table.classes = malloc((rows + 1) * sizeof *new_table.classes);
    new_table.weights = malloc((rows + 1) * sizeof *new_table.weights);
    for (size_t i = 0; i < columns; i++) new_table.types[i] = types[i];
    for (size_t i = 0; i < rows; i++) new_table.weights[i] = 1, new_table.classes[i] = 0;
    return new_table;
}

static inline void table_free(table *source_table) {
    free(source_table->cells);
    free(source_table->classes);
    free(source_table->weights);
}

static inline table table_part(const table *source_table, size_t begin, size_t end) {
    table new_table = *source_table;
    new_table.rows = end - begin;
    new_table.cells += begin * source_table->columns;
    new_table.classes += begin;
    new_table.weights += begin;
    return new_table;
}

static inline void table_shuffle(table *source_table) {
    for (size_t row = source_table->rows; row-- > 1;) {
        size_t other = random_below(row + 1);
        for (size_t i = 0; i < source_table->columns; i++) {
            double cell = source_table->cells[row * source_table->columns + i];
            source_table->cells[row * source_table->columns + i] =
                source_table->cells[other * source_table->columns + i];
            source_table->cells[other * source_table->columns + i] = cell;
        }
        int class = source_table->classes[row];
        double weight = source_table->weights[row];
        source_table->classes[row] = source_table->classes[other], source_table->classes[other] = class;
        source_table->weights[row] = source_table->weights[other], source_table->weights[other] = weight;
    }
}

typedef struct owner {
    crd_i_joint_tally *joint_tally;
    size_t class_count, value_counts[TABLE_COLUMNS];
    int classes[TABLE_CLASSES], values[TABLE_COLUMNS][TABLE_VALUES]; /* the names, by number */
} owner;

static inline crd_text name_of(char *buffer, size_t size, char prefix, int number) {
    snprintf(buffer, size, "%c%02d", prefix, number);
    return crd_text_of(buffer);
}

static inline int32_t meet(int *names, size_t *count, int name) {
    for (size_t i = 0; i < *count; i++)
        if (names[i] == name) return (int32_t)i;
    names[*count] = name;
    return (int32_t)(*count)++;
}

static inline bool tell(owner *target_owner, size_t classes_before, const size_t *values_before) {
    char buffer[16];
    const crd_i_joint_tally_type *type = target_owner->joint_tally->type;
    if (!type->extend(target_owner->joint_tally, target_owner->class_count, target_owner->value_counts)) return false;
    for (size_t i = classes_before; type->spell != NULL && i < target_owner->class_count; i++)
        if (!type->spell(target_owner->joint_tally, SIZE_MAX, i,
                         name_of(buffer, sizeof buffer, 'c', target_owner->classes[i])))
            return false;
    for (size_t column = 0; type->spell != NULL && column < target_owner->joint_tally->column_count; column++)
        for (size_t i = values_before[column]; i < target_owner->value_counts[column]; i++)
            if (!type->spell(target_owner->joint_tally, column, i,
                             name_of(buffer, sizeof buffer, 'v', target_owner->values[column][i])))
                return false;
    return true;
}

/* Rows in batches of the given size. false: an allocation failed. */
static inline crd_status owner_add(owner *target_owner, const table *rows, size_t batch, bool is_weighted,
                                   crd_error *error) {
    static double numbers[TABLE_COLUMNS][4096];
    static int32_t codes[TABLE_COLUMNS][4096], conditions[4096];
    for (size_t begin = 0; begin < rows->rows; begin += batch) {
        size_t end = begin + batch < rows->rows ? begin + batch : rows->rows;
        size_t classes_before = target_owner->class_count, values_before[TABLE_COLUMNS];
        crd_i_cells columns[TABLE_COLUMNS];
        for (size_t row = begin; row < end; row++)
            conditions[row - begin] = rows->classes[row] < 0
                                          ? -1
                                          : meet(target_owner->classes, &target_owner->class_count, rows->classes[row]);
        for (size_t column = 0; column < rows->columns; column++) {
            const crd_i_cells none = {.rows = end - begin};
            bool is_number = rows->types[column] == CRD_TYPE_NUMERIC, is_there = false;
            columns[column] = none;
            values_before[column] = target_owner->value_counts[column];
            for (size_t row = begin; row < end; row++) {
                double x = rows->cells[row * rows->columns + column];
                is_there = is_there || x == x;
                if (is_number) numbers[column][row - begin] = x;
                else
                    codes[column][row - begin] =
                        x == x ? meet(target_owner->values[column], &target_owner->value_counts[column], (int)x) : -1;
            }
            if (is_there && target_owner->joint_tally->types[column] == CRD_TYPE_NONE &&
                !target_owner->joint_tally->type->settle(target_owner->joint_tally, column, rows->types[column]))
                return CRD_ERROR_MEMORY;
            if (target_owner->joint_tally->types[column] == CRD_TYPE_NONE) continue;
            if (is_number) columns[column].numbers = numbers[column];
            else columns[column].codes = codes[column];
        }
        if (!tell(target_owner, classes_before, values_before)) return CRD_ERROR_MEMORY;
        const crd_i_joint_tally_rows given = {end - begin, columns, conditions,
                                              is_weighted ? rows->weights + begin : NULL};
        crd_status status = target_owner->joint_tally->type->add(target_owner->joint_tally, &given, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

static inline owner *owner_of(const crd_i_joint_tally_type *type, const table *rows, size_t batch, bool is_weighted) {
    owner *new_owner = calloc(1, sizeof *new_owner);
    new_owner->joint_tally = type->create(context, rows->columns);
    if (new_owner->joint_tally != NULL && owner_add(new_owner, rows, batch, is_weighted, NULL) == CRD_OK)
        return new_owner;
    crd_i_joint_tally_destroy(new_owner->joint_tally);
    free(new_owner);
    return NULL;
}

static inline void owner_free(owner *source_owner) {
    if (source_owner == NULL) return;
    crd_i_joint_tally_destroy(source_owner->joint_tally);
    free(source_owner);
}

static inline owner *owner_combined(const owner *first, const owner *second, int sign, crd_status *why,
                                    crd_error *error) {
    size_t conditions[TABLE_CLASSES], values[TABLE_COLUMNS][TABLE_VALUES];
    const size_t *columns[TABLE_COLUMNS];
    owner *new_owner = malloc(sizeof *new_owner);
    *new_owner = *first;
    for (size_t i = 0; i < second->class_count; i++)
        conditions[i] = (size_t)meet(new_owner->classes, &new_owner->class_count, second->classes[i]);
    for (size_t column = 0; column < second->joint_tally->column_count; column++) {
        for (size_t i = 0; i < second->value_counts[column]; i++)
            values[column][i] =
                (size_t)meet(new_owner->values[column], &new_owner->value_counts[column], second->values[column][i]);
        columns[column] = second->joint_tally->types[column] == CRD_TYPE_CATEGORICAL ? values[column] : NULL;
    }
    const crd_i_joint_tally_map map = {conditions, second->class_count, columns, second->value_counts};
    *why = CRD_OK;
    new_owner->joint_tally =
        first->joint_tally->type->combined(first->joint_tally, second->joint_tally, &map, sign, why, error);
    if (new_owner->joint_tally != NULL) return new_owner;
    free(new_owner);
    return NULL;
}

/* The view of all that the rows of a table have, in the order of names. */
typedef struct seen {
    crd_i_joint_tally_view view;
    int32_t conditions[TABLE_CLASSES], values[TABLE_COLUMNS][TABLE_VALUES];
    crd_i_view columns[TABLE_COLUMNS];
} seen;

static inline size_t sort_names(const int *names, size_t count, const bool *is_there, int most, int32_t *order) {
    size_t name_count = 0;
    for (int name = 0; name < most; name++)
        for (size_t i = 0; i < count; i++)
            if (names[i] == name && is_there[name]) order[name_count++] = (int32_t)i;
    return name_count;
}

static inline void see(seen *target_seen, const owner *source_owner, const table *rows) {
    bool classes[TABLE_CLASSES] = {false}, values[TABLE_COLUMNS][TABLE_VALUES] = {{false}};
    for (size_t row = 0; row < rows->rows; row++) {
        if (rows->classes[row] < 0) continue;
        classes[rows->classes[row]] = true;
        for (size_t i = 0; i < rows->columns; i++) {
            double x = rows->cells[row * rows->columns + i];
            if (rows->types[i] == CRD_TYPE_CATEGORICAL && x == x) values[i][(int)x] = true;
        }
    }
    target_seen->view.conditions = target_seen->conditions;
    target_seen->view.condition_count =
        sort_names(source_owner->classes, source_owner->class_count, classes, TABLE_CLASSES, target_seen->conditions);
    target_seen->view.columns = target_seen->columns;
    for (size_t i = 0; i < rows->columns; i++) {
        const crd_i_view column = {target_seen->conditions, target_seen->view.condition_count, target_seen->values[i],
                                   sort_names(source_owner->values[i], source_owner->value_counts[i], values[i],
                                              TABLE_VALUES, target_seen->values[i]),
                                   NULL};
        target_seen->columns[i] = column;
    }
}

static inline bool owner_write(const owner *source_owner, const table *rows, crd_i_encoder *encoder) {
    seen current_seen;
    const crd_i_encoder fresh = {.buffer = {.context = context}};
    *encoder = fresh;
    see(&current_seen, source_owner, rows);
    source_owner->joint_tally->type->write(source_owner->joint_tally, &current_seen.view, encoder);
    return !encoder->failed;
}

/* What is in a file of these rows, read into an owner of its own, whose numbers are those of the view. */
static inline owner *owner_read(const owner *source_owner, const table *rows, const void *bytes, size_t length,
                                crd_status *status, size_t *left) {
    seen current_seen;
    size_t none[TABLE_COLUMNS] = {0};
    owner *new_owner = calloc(1, sizeof *new_owner);
    see(&current_seen, source_owner, rows);
    new_owner->class_count = current_seen.view.condition_count;
    for (size_t i = 0; i < new_owner->class_count; i++)
        new_owner->classes[i] = source_owner->classes[current_seen.conditions[i]];
    new_owner->joint_tally = source_owner->joint_tally->type->create(context, rows->columns);
    *status = new_owner->joint_tally == NULL ? CRD_ERROR_MEMORY : CRD_OK;
    for (size_t column = 0; *status == CRD_OK && column < rows->columns; column++) {
        new_owner->value_counts[column] = current_seen.columns[column].value_count;
        for (size_t i = 0; i < new_owner->value_counts[column]; i++)
            new_owner->values[column][i] = source_owner->values[column][current_seen.values[column][i]];
        if (source_owner->joint_tally->types[column] != CRD_TYPE_NONE &&
            !new_owner->joint_tally->type->settle(new_owner->joint_tally, column,
                                                  source_owner->joint_tally->types[column]))
            *status = CRD_ERROR_MEMORY;
    }
    if (*status == CRD_OK && !tell(new_owner, 0, none)) *status = CRD_ERROR_MEMORY;
    crd_i_cursor cursor = {bytes, (const unsigned char *)bytes + length, false};
    if (*status == CRD_OK) *status = new_owner->joint_tally->type->read(new_owner->joint_tally, &cursor, NULL);
    *left = crd_i_cursor_left(&cursor);
    if (*status == CRD_OK) return new_owner;
    owner_free(new_owner);
    return NULL;
}

/* ---- What all joint tallies must do ---- */

static inline void assert_same(const owner *first, const owner *second, const table *rows) {
    crd_i_encoder one, other;
    assert_non_null(first);
    assert_non_null(second);
    assert_true(owner_write(first, rows, &one));
    assert_true(owner_write(second, rows, &other));
    assert_int_equal(one.buffer.length, other.buffer.length);
    assert_memory_equal(one.buffer.bytes, other.buffer.bytes, one.buffer.length);
    crd_i_buffer_clear(&one.buffer);
    crd_i_buffer_clear(&other.buffer);
}

/* Batches, the order of rows, merging and copies do not show. */
static inline void assert_order_does_not_matter(const crd_i_joint_tally_type *type, table *rows, bool is_weighted) {
    owner *whole = owner_of(type, rows, 4096, is_weighted);
    for (int i = 0; i < 4; i++) {
        table_shuffle(rows);
        owner *again = owner_of(type, rows, 1 + random_below(4096), is_weighted);
        assert_same(whole, again, rows);
        size_t cut = i == 0 ? 0 : random_below(rows->rows + 1);
        table one = table_part(rows, 0, cut), other = table_part(rows, cut, rows->rows);
        owner *first = owner_of(type, &one, 512, is_weighted);
        owner *second = owner_of(type, &other, 4096, is_weighted);
        crd_status why;
        owner *both = owner_combined(first, second, 1, &why, NULL);
        assert_same(whole, both, rows);
        crd_i_joint_tally *copy = both->joint_tally->type->clone(both->joint_tally);
        crd_i_joint_tally_destroy(both->joint_tally);
        both->joint_tally = copy;
        assert_same(whole, both, rows);
        owner_free(both);
        owner_free(first);
        owner_free(second);
        owner_free(again);
    }
    owner_free(whole);
}

/* A file cut short is damaged. With a bit changed it is damaged too, or a file that is written back as it is. Returns
 * the number of changed bits that were noticed. */
static inline size_t assert_damage_is_noticed(const owner *whole, const table *rows, unsigned char *bytes,
                                              size_t length) {
    size_t refused = 0, left;
    crd_status status;
    for (size_t cut = 0; cut < length; cut++) {
        assert_null(owner_read(whole, rows, bytes, cut, &status, &left));
        assert_int_equal(status, CRD_ERROR_DAMAGED);
    }
    for (size_t i = 0; i < length; i++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[i] ^= (unsigned char)(1 << bit);
            owner *again = owner_read(whole, rows, bytes, length, &status, &left);
            if (again == NULL) refused++;
            else {
                crd_i_encoder other;
                assert_true(owner_write(again, rows, &other));
                assert_int_equal(other.buffer.length + left, length);
                assert_memory_equal(other.buffer.bytes, bytes, other.buffer.length);
                crd_i_buffer_clear(&other.buffer);
                owner_free(again);
            }
            bytes[i] ^= (unsigned char)(1 << bit);
        }
    return refused;
}

/* Each allocation of collecting, merging, forgetting, writing and viewing fails in turn: no crash and no leak. */
typedef bool joint_tally_viewing(const owner *source_owner, const crd_i_joint_tally_view *view);

static inline bool owner_live(const crd_i_joint_tally_type *type, const table *one, const table *other,
                              joint_tally_viewing *view) {
    crd_status why = CRD_OK;
    seen current_seen;
    crd_i_encoder encoder = {.buffer = {.context = context}};
    owner *first = owner_of(type, one, 7, true);
    owner *second = first == NULL ? NULL : owner_of(type, other, 300, true);
    owner *both = second == NULL ? NULL : owner_combined(first, second, 1, &why, NULL);
    owner *left = both == NULL ? NULL : owner_combined(both, second, -1, &why, NULL);
    bool succeeded = left != NULL && owner_write(left, one, &encoder);
    assert_int_equal(why, CRD_OK);
    if (succeeded && view != NULL) {
        see(&current_seen, left, one);
        succeeded = view(left, &current_seen.view);
    }
    crd_i_buffer_clear(&encoder.buffer);
    owner_free(left);
    owner_free(both);
    owner_free(second);
    owner_free(first);
    return succeeded;
}

static inline void assert_memory_is_checked(const crd_i_joint_tally_type *type, const table *one, const table *other,
                                            joint_tally_viewing *view) {
    for (allocation_trial trial = {.counted = &counted}; allocation_trial_next(&trial);) {
        crd_error error = {0};
        assert_allocation_fails(&trial, owner_live(type, one, other, view) ? CRD_OK : CRD_ERROR_MEMORY, CRD_OK, error);
    }
}

#endif
