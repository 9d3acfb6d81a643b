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

enum { TABLE_COLUMNS = 6, TABLE_VALUES = 40, TABLE_CLASSES = 5 };

/* Categories and classes by numbers that stand for their names, in the order of these; negative: missing. */
typedef struct table {
    size_t rows, columns;
    crd_kind kinds[TABLE_COLUMNS];
    double *cells; /* row by row; NaN: missing */
    int *classes;
    double *weights;
} table;

static inline table table_of(size_t rows, size_t columns, const crd_kind *kinds) {
    table made = {rows, columns, {0}, NULL, NULL, NULL};
    made.cells = malloc((rows * columns + 1) * sizeof *made.cells);
    made.classes = malloc((rows + 1) * sizeof *made.classes);
    made.weights = malloc((rows + 1) * sizeof *made.weights);
    for (size_t i = 0; i < columns; i++) made.kinds[i] = kinds[i];
    for (size_t i = 0; i < rows; i++) made.weights[i] = 1, made.classes[i] = 0;
    return made;
}

static inline void table_free(table *of) {
    free(of->cells);
    free(of->classes);
    free(of->weights);
}

static inline table table_part(const table *of, size_t begin, size_t end) {
    table made = *of;
    made.rows = end - begin;
    made.cells += begin * of->columns;
    made.classes += begin;
    made.weights += begin;
    return made;
}

static inline void table_shuffle(table *of) {
    for (size_t row = of->rows; row-- > 1;) {
        size_t other = random_below(row + 1);
        for (size_t i = 0; i < of->columns; i++) {
            double cell = of->cells[row * of->columns + i];
            of->cells[row * of->columns + i] = of->cells[other * of->columns + i];
            of->cells[other * of->columns + i] = cell;
        }
        int class = of->classes[row];
        double weight = of->weights[row];
        of->classes[row] = of->classes[other], of->classes[other] = class;
        of->weights[row] = of->weights[other], of->weights[other] = weight;
    }
}

typedef struct owner {
    crd_i_joint_tally *joint_tally;
    size_t class_count, value_counts[TABLE_COLUMNS];
    int classes[TABLE_CLASSES], values[TABLE_COLUMNS][TABLE_VALUES]; /* the names, by number */
} owner;

static inline crd_text name_of(char *room, size_t size, char prefix, int number) {
    snprintf(room, size, "%c%02d", prefix, number);
    return crd_text_of(room);
}

static inline int32_t meet(int *names, size_t *count, int name) {
    for (size_t i = 0; i < *count; i++)
        if (names[i] == name) return (int32_t)i;
    names[*count] = name;
    return (int32_t)(*count)++;
}

static inline bool tell(owner *to, size_t classes_before, const size_t *values_before) {
    char room[16];
    const crd_i_joint_tally_type *type = to->joint_tally->type;
    if (!type->extend(to->joint_tally, to->class_count, to->value_counts)) return false;
    for (size_t i = classes_before; type->spell != NULL && i < to->class_count; i++)
        if (!type->spell(to->joint_tally, SIZE_MAX, i, name_of(room, sizeof room, 'c', to->classes[i]))) return false;
    for (size_t column = 0; type->spell != NULL && column < to->joint_tally->column_count; column++)
        for (size_t i = values_before[column]; i < to->value_counts[column]; i++)
            if (!type->spell(to->joint_tally, column, i, name_of(room, sizeof room, 'v', to->values[column][i])))
                return false;
    return true;
}

/* Rows in batches of the given size. false: an allocation failed. */
static inline crd_status owner_add(owner *to, const table *rows, size_t batch, bool is_weighted, crd_error *error) {
    static double numbers[TABLE_COLUMNS][4096];
    static int32_t codes[TABLE_COLUMNS][4096], conditions[4096];
    for (size_t begin = 0; begin < rows->rows; begin += batch) {
        size_t end = begin + batch < rows->rows ? begin + batch : rows->rows;
        size_t classes_before = to->class_count, values_before[TABLE_COLUMNS];
        crd_i_cells columns[TABLE_COLUMNS];
        for (size_t row = begin; row < end; row++)
            conditions[row - begin] =
                rows->classes[row] < 0 ? -1 : meet(to->classes, &to->class_count, rows->classes[row]);
        for (size_t column = 0; column < rows->columns; column++) {
            const crd_i_cells none = {.rows = end - begin};
            bool is_number = rows->kinds[column] == CRD_KIND_NUMBER, is_there = false;
            columns[column] = none;
            values_before[column] = to->value_counts[column];
            for (size_t row = begin; row < end; row++) {
                double x = rows->cells[row * rows->columns + column];
                is_there = is_there || x == x;
                if (is_number) numbers[column][row - begin] = x;
                else
                    codes[column][row - begin] =
                        x == x ? meet(to->values[column], &to->value_counts[column], (int)x) : -1;
            }
            if (is_there && to->joint_tally->kinds[column] == CRD_KIND_NONE &&
                !to->joint_tally->type->settle(to->joint_tally, column, rows->kinds[column]))
                return CRD_ERROR_MEMORY;
            if (to->joint_tally->kinds[column] == CRD_KIND_NONE) continue;
            if (is_number) columns[column].numbers = numbers[column];
            else columns[column].codes = codes[column];
        }
        if (!tell(to, classes_before, values_before)) return CRD_ERROR_MEMORY;
        const crd_i_joint_tally_rows given = {end - begin, columns, conditions,
                                              is_weighted ? rows->weights + begin : NULL};
        crd_status status = to->joint_tally->type->add(to->joint_tally, &given, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

static inline owner *owner_of(crd_context *context, const crd_i_joint_tally_type *type, const table *rows, size_t batch,
                              bool is_weighted) {
    owner *made = calloc(1, sizeof *made);
    made->joint_tally = type->create(context, rows->columns);
    if (made->joint_tally != NULL && owner_add(made, rows, batch, is_weighted, NULL) == CRD_OK) return made;
    crd_i_joint_tally_destroy(made->joint_tally);
    free(made);
    return NULL;
}

static inline void owner_free(owner *of) {
    if (of == NULL) return;
    crd_i_joint_tally_destroy(of->joint_tally);
    free(of);
}

static inline owner *owner_combined(const owner *first, const owner *second, int sign, crd_status *why,
                                    crd_error *error) {
    size_t conditions[TABLE_CLASSES], values[TABLE_COLUMNS][TABLE_VALUES];
    const size_t *columns[TABLE_COLUMNS];
    owner *made = malloc(sizeof *made);
    *made = *first;
    for (size_t i = 0; i < second->class_count; i++)
        conditions[i] = (size_t)meet(made->classes, &made->class_count, second->classes[i]);
    for (size_t column = 0; column < second->joint_tally->column_count; column++) {
        for (size_t i = 0; i < second->value_counts[column]; i++)
            values[column][i] =
                (size_t)meet(made->values[column], &made->value_counts[column], second->values[column][i]);
        columns[column] = second->joint_tally->kinds[column] == CRD_KIND_CATEGORY ? values[column] : NULL;
    }
    const crd_i_joint_tally_map map = {conditions, second->class_count, columns, second->value_counts};
    *why = CRD_OK;
    made->joint_tally =
        first->joint_tally->type->combined(first->joint_tally, second->joint_tally, &map, sign, why, error);
    if (made->joint_tally != NULL) return made;
    free(made);
    return NULL;
}

/* The view of all that the rows of a table have, in the order of names. */
typedef struct seen {
    crd_i_joint_tally_view view;
    int32_t conditions[TABLE_CLASSES], values[TABLE_COLUMNS][TABLE_VALUES];
    crd_i_view columns[TABLE_COLUMNS];
} seen;

static inline size_t sort_names(const int *names, size_t count, const bool *is_there, int most, int32_t *order) {
    size_t found = 0;
    for (int name = 0; name < most; name++)
        for (size_t i = 0; i < count; i++)
            if (names[i] == name && is_there[name]) order[found++] = (int32_t)i;
    return found;
}

static inline void see(seen *to, const owner *of, const table *rows) {
    bool classes[TABLE_CLASSES] = {false}, values[TABLE_COLUMNS][TABLE_VALUES] = {{false}};
    for (size_t row = 0; row < rows->rows; row++) {
        if (rows->classes[row] < 0) continue;
        classes[rows->classes[row]] = true;
        for (size_t i = 0; i < rows->columns; i++) {
            double x = rows->cells[row * rows->columns + i];
            if (rows->kinds[i] == CRD_KIND_CATEGORY && x == x) values[i][(int)x] = true;
        }
    }
    to->view.conditions = to->conditions;
    to->view.condition_count = sort_names(of->classes, of->class_count, classes, TABLE_CLASSES, to->conditions);
    to->view.columns = to->columns;
    for (size_t i = 0; i < rows->columns; i++) {
        const crd_i_view column = {
            to->conditions, to->view.condition_count, to->values[i],
            sort_names(of->values[i], of->value_counts[i], values[i], TABLE_VALUES, to->values[i]), NULL};
        to->columns[i] = column;
    }
}

static inline bool owner_write(crd_context *context, const owner *of, const table *rows, crd_i_encoder *encoder) {
    seen at;
    const crd_i_encoder fresh = {.buffer = {.context = context}};
    *encoder = fresh;
    see(&at, of, rows);
    of->joint_tally->type->write(of->joint_tally, &at.view, encoder);
    return !encoder->failed;
}

/* What is in a file of these rows, read into an owner of its own, whose numbers are those of the view. */
static inline owner *owner_read(crd_context *context, const owner *of, const table *rows, const void *bytes,
                                size_t length, crd_status *status, size_t *left) {
    seen at;
    size_t none[TABLE_COLUMNS] = {0};
    owner *made = calloc(1, sizeof *made);
    see(&at, of, rows);
    made->class_count = at.view.condition_count;
    for (size_t i = 0; i < made->class_count; i++) made->classes[i] = of->classes[at.conditions[i]];
    made->joint_tally = of->joint_tally->type->create(context, rows->columns);
    *status = made->joint_tally == NULL ? CRD_ERROR_MEMORY : CRD_OK;
    for (size_t column = 0; *status == CRD_OK && column < rows->columns; column++) {
        made->value_counts[column] = at.columns[column].value_count;
        for (size_t i = 0; i < made->value_counts[column]; i++)
            made->values[column][i] = of->values[column][at.values[column][i]];
        if (of->joint_tally->kinds[column] != CRD_KIND_NONE &&
            !made->joint_tally->type->settle(made->joint_tally, column, of->joint_tally->kinds[column]))
            *status = CRD_ERROR_MEMORY;
    }
    if (*status == CRD_OK && !tell(made, 0, none)) *status = CRD_ERROR_MEMORY;
    crd_i_cursor cursor = {bytes, (const unsigned char *)bytes + length, false};
    if (*status == CRD_OK) *status = made->joint_tally->type->read(made->joint_tally, &cursor, NULL);
    *left = crd_i_cursor_left(&cursor);
    if (*status == CRD_OK) return made;
    owner_free(made);
    return NULL;
}

#endif
