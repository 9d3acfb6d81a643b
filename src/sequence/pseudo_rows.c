/* SPDX-License-Identifier: MIT */
/* pseudo_rows.c - see pseudo_rows.h. */
#include "sequence/pseudo_rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "model/column_family.h"
#include "model/joint_tallies.h"
#include "model/model_create.h"
#include "stats/row_groups.h"

#include <math.h>
#include <string.h>

/* Weighted cells of one column. */
typedef struct cell_list {
    crd_context *context;
    size_t count;
    double *numbers, *weights;
    int32_t *codes, *classes;
} cell_list;

static bool list_open(cell_list *list, crd_context *context, size_t most) {
    const cell_list made = {.context = context,
                            .numbers = crd_i_alloc(context, most, sizeof(double)),
                            .weights = crd_i_alloc(context, most, sizeof(double)),
                            .codes = crd_i_alloc(context, most, sizeof(int32_t)),
                            .classes = crd_i_alloc(context, most, sizeof(int32_t))};
    *list = made;
    return made.numbers != NULL && made.weights != NULL && made.codes != NULL && made.classes != NULL;
}

static void list_close(cell_list *list) {
    crd_free(list->context, list->numbers);
    crd_free(list->context, list->weights);
    crd_free(list->context, list->codes);
    crd_free(list->context, list->classes);
}

static void put(cell_list *to, size_t class, double number, double weight) {
    if (!(weight > 0)) return;
    to->numbers[to->count] = number;
    to->weights[to->count] = weight;
    to->classes[to->count] = (int32_t) class;
    to->count++;
}

/* ---- Cells that have statistics ---- */

/* At most three cells that have the statistics of a class. */
typedef void cell_maker(cell_list *to, size_t class, double n, double first, double second);

/* A power of two of twice the deviation or more, which m has a digit for. */
static double step_of(double mean, double deviation) {
    int exponent;
    (void)frexp(deviation, &exponent);
    return fmax(ldexp(1, exponent + 1), fabs(mean) * 0x1p-50);
}

static void put_spread(cell_list *to, size_t class, double n, double variance, const double at[3], double a, double b) {
    const double below = n * (variance / (a * (a + b))), above = n * (variance / (b * (a + b)));
    put(to, class, at[0], below);
    put(to, class, at[1], n - below - above);
    put(to, class, at[2], above);
}

static void by_variance(cell_list *to, size_t class, double n, double mean, double variance) {
    if (!(variance > 0)) {
        put(to, class, mean, n);
        return;
    }
    const double step = step_of(mean, sqrt(variance));
    const double at[3] = {mean - step, mean, mean + step};
    put_spread(to, class, n, variance, at, mean - at[0], at[2] - mean);
}

static void by_logarithms(cell_list *to, size_t class, double n, double mean, double variance) {
    if (!(variance > 0)) {
        put(to, class, crd_exp(mean), n);
        return;
    }
    const double step = step_of(mean, sqrt(variance));
    const double at[3] = {crd_exp(mean - step), crd_exp(mean), crd_exp(mean + step)};
    put_spread(to, class, n, variance, at, mean - crd_log(at[0]), crd_log(at[2]) - mean);
}

static void by_count(cell_list *to, size_t class, double n, double mean, double unused) {
    (void)unused;
    const double below = floor(mean), part = mean - below;
    put(to, class, below, n * (1 - part));
    put(to, class, below + 1, n * part);
}

static void by_mean(cell_list *to, size_t class, double n, double mean, double unused) {
    (void)unused;
    put(to, class, mean, n);
}

static void by_extremes(cell_list *to, size_t class, double n, double least, double greatest) {
    put(to, class, least, n / 2);
    put(to, class, greatest, n / 2);
}

static const struct {
    const crd_i_family *family;
    cell_maker *make;
    bool has_second;
} makers[] = {
    {&crd_i_family_gaussian, by_variance, true},    {&crd_i_family_student, by_variance, true},
    {&crd_i_family_lognormal, by_logarithms, true}, {&crd_i_family_poisson, by_count, false},
    {&crd_i_family_exponential, by_mean, false},    {&crd_i_family_bernoulli, by_count, false},
    {&crd_i_family_uniform, by_extremes, true},
};
enum { MAKER_COUNT = sizeof makers / sizeof *makers };

static size_t maker_of(const crd_i_family *family) {
    size_t i = 0;
    while (i < MAKER_COUNT && makers[i].family != family) i++;
    return i;
}

/* ---- Cells into tallies ---- */

static crd_status fail_number(const crd_model *model, size_t column, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    const crd_text name = model->schema->columns[column].name;
    crd_i_fail(error, CRD_ERROR_NUMBER,
               "the statistics of column '%s' are not finite, or too large to be computed with",
               crd_i_quote(name, quoted));
    crd_i_error_subject(error, name);
    return CRD_ERROR_NUMBER;
}

static bool are_finite(const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i])) return false;
    return true;
}

static bool add_to(crd_i_tally *tally, size_t classes, size_t values, const crd_i_cells *cells,
                   const crd_i_groups *groups) {
    return tally->type->extend(tally, classes, values) && tally->type->add(tally, cells, groups);
}

/* The kind of the column has been settled. */
static crd_status add_cells(crd_model *model, size_t column, size_t classes, const cell_list *list, crd_error *error) {
    crd_i_variable *variable = &model->variables[column];
    const bool is_number = variable->values == NULL;
    const size_t values = is_number ? 0 : crd_i_dictionary_size(variable->values);
    const crd_i_cells cells = {
        .rows = list->count, .numbers = is_number ? list->numbers : NULL, .codes = is_number ? NULL : list->codes};
    if (!are_finite(list->weights, list->count) || (is_number && !are_finite(list->numbers, list->count)))
        return fail_number(model, column, error);
    crd_i_groups groups;
    bool done = crd_i_groups_init(&groups, model->context, list->classes, list->weights, list->count) &&
                add_to(variable->tally, classes, values, &cells, &groups);
    for (size_t i = 0; done && i < CRD_I_MOST_EXTRAS; i++)
        if (variable->extra[i] != NULL) done = add_to(variable->extra[i], classes, 0, &cells, &groups);
    crd_i_groups_clear(&groups);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status add_number(crd_model *model, size_t column, size_t classes, const crd_i_column_statistics *from,
                             cell_list *list, crd_error *error) {
    const crd_text name = model->schema->columns[column].name;
    const crd_i_family *family = crd_i_column_family_family(model->settings, name, CRD_KIND_NUMBER);
    const size_t maker = maker_of(family);
    char quoted[CRD_I_QUOTED_ROOM];
    if (maker == MAKER_COUNT)
        return crd_i_fail(error, CRD_ERROR_SETTING,
                          "the family '%s' of column '%s' is not derived from such statistics", family->name,
                          crd_i_quote(name, quoted));
    if (!are_finite(from->cells, classes) || !are_finite(from->firsts, classes) ||
        (makers[maker].has_second && !are_finite(from->seconds, classes)))
        return fail_number(model, column, error);
    for (size_t k = 0; k < classes; k++)
        makers[maker].make(list, k, from->cells[k], from->firsts[k], makers[maker].has_second ? from->seconds[k] : 0);
    return add_cells(model, column, classes, list, error);
}

static crd_status add_category(crd_model *model, size_t column, size_t classes, const crd_i_column_statistics *from,
                               cell_list *list, crd_error *error) {
    crd_i_dictionary *values = model->variables[column].values;
    if (!are_finite(from->counts, classes * from->value_count)) return fail_number(model, column, error);
    for (size_t v = 0; v < from->value_count; v++) {
        const int32_t code = crd_i_dictionary_add(values, from->values[v]);
        if (code < 0) return crd_i_fail_memory(error);
        for (size_t k = 0; k < classes; k++) {
            list->codes[list->count] = code;
            put(list, k, 0, from->counts[k * from->value_count + v]);
        }
    }
    return add_cells(model, column, classes, list, error);
}

static crd_status add_column(crd_model *model, size_t column, size_t classes, const crd_i_column_statistics *from,
                             crd_error *error) {
    const bool is_category = from->counts != NULL;
    cell_list list;
    /* A category may have room for one cell more, of no weight. */
    bool done = list_open(&list, model->context, classes * (is_category ? from->value_count : 3) + 1);
    crd_status status = done ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK)
        status = crd_i_model_settle(model, column, is_category ? CRD_KIND_CATEGORY : CRD_KIND_NUMBER, error);
    if (status == CRD_OK)
        status = (is_category ? add_category : add_number)(model, column, classes, from, &list, error);
    list_close(&list);
    return status;
}

static crd_status name_classes(crd_model *model, const crd_i_class_statistics *from, crd_error *error) {
    const size_t target = model->schema->target;
    crd_status status = crd_i_model_settle(model, target, CRD_KIND_CATEGORY, error);
    for (size_t k = 0; status == CRD_OK && k < from->classes; k++)
        if (crd_i_dictionary_add(model->variables[target].values, from->names[k]) != (int32_t)k)
            status = crd_i_fail_memory(error);
    return status;
}

/* The rows of a class: as many as are stated, and no fewer than any column has cells. These are exact sums of weights that were
 * rounded, and may be more by that. */
static double rows_of(const crd_model *model, const crd_i_class_statistics *from, size_t class) {
    double rows = from->rows[class];
    for (size_t i = 0; i < model->schema->count; i++) {
        const crd_i_tally *tally = model->variables[i].tally;
        if (i == model->schema->target || tally == NULL || class >= tally->conditions) continue;
        const double cells = crd_i_tally_total(tally, class);
        if (cells >= rows && cells > 0) rows = nextafter(cells, INFINITY);
    }
    return rows;
}

static crd_status add_classes(crd_model *model, const crd_i_class_statistics *from, crd_error *error) {
    const size_t target = model->schema->target;
    crd_i_variable *classes = &model->variables[target];
    cell_list list;
    crd_i_groups all = {.context = model->context};
    const bool is_open = list_open(&list, model->context, from->classes + 1);
    for (size_t k = 0; is_open && k < from->classes; k++) {
        list.codes[list.count] = (int32_t)k;
        put(&list, 0, 0, rows_of(model, from, k));
    }
    const crd_i_cells cells = {.rows = list.count, .codes = list.codes};
    crd_status status = CRD_OK;
    if (is_open && !are_finite(list.weights, list.count)) status = fail_number(model, target, error);
    else if (!is_open || !crd_i_groups_init(&all, model->context, NULL, list.weights, list.count) ||
             !add_to(classes->tally, 1, from->classes, &cells, &all))
        status = crd_i_fail_memory(error);
    crd_i_groups_clear(&all);
    list_close(&list);
    return status == CRD_OK ? crd_i_model_check_total(model, error) : status;
}

/* ---- Blocks ---- */

/* The lower triangle whose product with its transpose is the matrix. What is left of a variance when the columns before it
 * are known, being nothing but rounding, is taken for zero: a covariance of fewer dimensions has no density, but it has
 * rows. */
static void factor(const double *matrix, size_t size, double *lower) {
    memset(lower, 0, size * size * sizeof *lower);
    for (size_t j = 0; j < size; j++) {
        double left = matrix[j * size + j];
        for (size_t i = 0; i < j; i++) left -= lower[j * size + i] * lower[j * size + i];
        if (!(left > 0x1p-48 * matrix[j * size + j])) continue;
        const double pivot = lower[j * size + j] = sqrt(left);
        for (size_t r = j + 1; r < size; r++) {
            double sum = matrix[r * size + j];
            for (size_t i = 0; i < j; i++) sum -= lower[r * size + i] * lower[j * size + i];
            lower[r * size + j] = sum / pivot;
        }
    }
}

/* The cells of a block, column by column, `rows` each: of class k the rows 2 D k and following. */
static void fill_block(const crd_i_block_statistics *from, size_t classes, double *lower, double *numbers,
                       double *weights, int32_t *conditions) {
    const size_t size = from->count, rows = 2 * size * classes;
    const double length = sqrt((double)size);
    for (size_t k = 0; k < classes; k++) {
        factor(from->covariances + k * size * size, size, lower);
        for (size_t j = 0; j < size; j++) {
            const size_t row = 2 * (k * size + j);
            for (size_t i = 0; i < size; i++) {
                const double mean = from->means[k * size + i], above = mean + length * lower[i * size + j];
                numbers[i * rows + row] = above;
                numbers[i * rows + row + 1] = mean - (above - mean);
            }
            weights[row] = weights[row + 1] = from->cells[k] / (2 * (double)size);
            conditions[row] = conditions[row + 1] = from->cells[k] > 0 ? (int32_t)k : -1;
        }
    }
}

static const double *cells_of(const crd_i_block_statistics *block, size_t column, size_t rows, const double *numbers) {
    for (size_t i = 0; i < block->count; i++)
        if (block->columns[i] == column) return numbers + i * rows;
    return NULL;
}

/* Adds the rows to the joint tallies that have all columns of the block. */
static crd_status add_jointly(crd_model *model, const crd_i_block_statistics *block, size_t rows, const double *numbers,
                              const double *weights, const int32_t *conditions, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t t = 0; status == CRD_OK && t < model->joint_tally_count; t++) {
        crd_i_model_joint_tally *kept = &model->joint_tallies[t];
        const size_t columns = kept->joint_tally->column_count;
        crd_i_cells *cells = crd_i_alloc_zeroed(model->context, columns, sizeof *cells);
        if (cells == NULL) return crd_i_fail_memory(error);
        size_t found = 0;
        for (size_t i = 0; i < columns; i++) {
            cells[i].rows = rows;
            cells[i].numbers = cells_of(block, kept->columns[i], rows, numbers);
            found += cells[i].numbers != NULL;
        }
        const crd_i_joint_tally_rows added = {rows, cells, conditions, weights};
        if (found == block->count) status = crd_i_joint_tally_add(&kept->joint_tally, &added, error);
        crd_free(model->context, cells);
    }
    return status;
}

/* What a block's rows are made in. */
typedef struct block_room {
    double *lower, *numbers, *weights;
    int32_t *conditions;
} block_room;

static bool open_block(crd_context *context, const crd_i_block_statistics *block, size_t classes, block_room *room) {
    const size_t size = block->count, rows = 2 * size * classes;
    room->lower = crd_i_alloc(context, size * size, sizeof *room->lower);
    room->numbers = crd_i_alloc(context, rows * size, sizeof *room->numbers);
    room->weights = crd_i_alloc(context, rows, sizeof *room->weights);
    room->conditions = crd_i_alloc(context, rows, sizeof *room->conditions);
    if (room->lower == NULL || room->numbers == NULL || room->weights == NULL || room->conditions == NULL) return false;
    fill_block(block, classes, room->lower, room->numbers, room->weights, room->conditions);
    return true;
}

static void close_block(crd_context *context, block_room *room) {
    crd_free(context, room->lower);
    crd_free(context, room->numbers);
    crd_free(context, room->weights);
    crd_free(context, room->conditions);
}

/* Every column by itself first: joint tallies have the kinds of columns that have cells. */
static crd_status add_block(crd_model *model, size_t classes, const crd_i_block_statistics *block, bool is_joint,
                            crd_error *error) {
    const size_t rows = 2 * block->count * classes;
    block_room room = {NULL, NULL, NULL, NULL};
    crd_status status = open_block(model->context, block, classes, &room) ? CRD_OK : crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && !is_joint && i < block->count; i++) {
        const cell_list list = {
            .count = rows, .numbers = room.numbers + i * rows, .weights = room.weights, .classes = room.conditions};
        status = crd_i_model_settle(model, block->columns[i], CRD_KIND_NUMBER, error);
        if (status == CRD_OK) status = add_cells(model, block->columns[i], classes, &list, error);
    }
    if (status == CRD_OK && is_joint)
        status = add_jointly(model, block, rows, room.numbers, room.weights, room.conditions, error);
    close_block(model->context, &room);
    return status;
}

/* ---- The model ---- */

static crd_status add_all(crd_model *model, const crd_i_class_statistics *from, crd_error *error) {
    crd_status status = name_classes(model, from, error);
    for (size_t i = 0; status == CRD_OK && i < model->schema->count; i++)
        if (i != model->schema->target && from->columns[i].cells != NULL)
            status = add_column(model, i, from->classes, &from->columns[i], error);
    for (size_t b = 0; status == CRD_OK && b < from->block_count; b++)
        status = add_block(model, from->classes, &from->blocks[b], false, error);
    for (size_t t = 0; status == CRD_OK && t < model->joint_tally_count; t++)
        if (!crd_i_joint_tallies_settle_columns(model, &model->joint_tallies[t])) status = crd_i_fail_memory(error);
    for (size_t b = 0; status == CRD_OK && b < from->block_count; b++)
        status = add_block(model, from->classes, &from->blocks[b], true, error);
    return status == CRD_OK ? add_classes(model, from, error) : status;
}

crd_status crd_i_model_of_statistics(crd_context *context, crd_i_schema *schema, const crd_settings *settings,
                                     const crd_i_class_statistics *statistics, crd_model **out, crd_error *error) {
    crd_model *model = NULL;
    *out = NULL;
    crd_status status = crd_i_model_create(context, schema, settings, &model, error);
    if (status == CRD_OK) status = add_all(model, statistics, error);
    if (status == CRD_OK) *out = model;
    else crd_model_destroy(model);
    return status;
}
