/* SPDX-License-Identifier: MIT */
/* pseudo_rows.c - creates a model from statistics. See pseudo_rows.h for the formulas.
 *
 * Contents:
 *   1. Values with given statistics
 *   2. Addition to tallies
 *   3. Multivariate blocks
 *   4. Model */
#include "sequence/pseudo_rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "model/column_family.h"
#include "model/joint_tallies.h"
#include "model/model_parts.h"
#include "stats/tally.h"

#include <math.h>
#include <string.h>

/* Weighted values of one column. */
typedef struct cell_list {
    crd_context *context;
    size_t count;
    double *numbers, *weights;
    int32_t *codes, *classes;
} cell_list;

static bool list_open(cell_list *list, crd_context *context, size_t most) {
    const cell_list cell = {.context = context,
                            .numbers = crd_i_alloc(context, most, sizeof(double)),
                            .weights = crd_i_alloc(context, most, sizeof(double)),
                            .codes = crd_i_alloc(context, most, sizeof(int32_t)),
                            .classes = crd_i_alloc(context, most, sizeof(int32_t))};
    *list = cell;
    return cell.numbers != NULL && cell.weights != NULL && cell.codes != NULL && cell.classes != NULL;
}

static void list_close(cell_list *list) {
    crd_free(list->context, list->numbers);
    crd_free(list->context, list->weights);
    crd_free(list->context, list->codes);
    crd_free(list->context, list->classes);
}

static void pseudo_rows_put(cell_list *cell, size_t class, double number, double weight) {
    if (!(weight > 0)) return;
    cell->numbers[cell->count] = number;
    cell->weights[cell->count] = weight;
    cell->classes[cell->count] = (int32_t) class;
    cell->count++;
}

/* ======== 1. Values with given statistics ======== */

/* Appends at most three values that have the given statistics of a class. */
typedef void cell_maker(cell_list *cell, size_t class, double n, double first, double second);

/* Returns the distance from the mean: a power of two between two and four times the deviation. It is larger if the mean
 * is so large that it would be lost by rounding. */
static double step_of(double mean, double deviation) {
    int exponent;
    (void)frexp(deviation, &exponent);
    return fmax(ldexp(1, exponent + 1), fabs(mean) * 0x1p-50);
}

static void put_spread(cell_list *cell, size_t class, double n, double variance, const double cursor[3], double a,
                       double b) {
    const double below = n * (variance / (a * (a + b))), above = n * (variance / (b * (a + b)));
    pseudo_rows_put(cell, class, cursor[0], below);
    pseudo_rows_put(cell, class, cursor[1], n - below - above);
    pseudo_rows_put(cell, class, cursor[2], above);
}

static void by_variance(cell_list *cell, size_t class, double n, double mean, double variance) {
    if (!(variance > 0)) {
        pseudo_rows_put(cell, class, mean, n);
        return;
    }
    const double step = step_of(mean, sqrt(variance));
    const double cursor[3] = {mean - step, mean, mean + step};
    put_spread(cell, class, n, variance, cursor, mean - cursor[0], cursor[2] - mean);
}

static void by_logarithms(cell_list *cell, size_t class, double n, double mean, double variance) {
    if (!(variance > 0)) {
        pseudo_rows_put(cell, class, crd_exp(mean), n);
        return;
    }
    const double step = step_of(mean, sqrt(variance));
    const double cursor[3] = {crd_exp(mean - step), crd_exp(mean), crd_exp(mean + step)};
    put_spread(cell, class, n, variance, cursor, mean - crd_log(cursor[0]), crd_log(cursor[2]) - mean);
}

static void pseudo_rows_by_count(cell_list *cell, size_t class, double n, double mean, double unused) {
    (void)unused;
    const double below = floor(mean), part = mean - below;
    pseudo_rows_put(cell, class, below, n * (1 - part));
    pseudo_rows_put(cell, class, below + 1, n * part);
}

static void by_mean(cell_list *cell, size_t class, double n, double mean, double unused) {
    (void)unused;
    pseudo_rows_put(cell, class, mean, n);
}

static void by_extremes(cell_list *cell, size_t class, double n, double least, double greatest) {
    pseudo_rows_put(cell, class, least, n / 2);
    pseudo_rows_put(cell, class, greatest, n / 2);
}

static const struct {
    const crd_i_family *family;
    cell_maker *make;
    bool has_second;
} makers[] = {
    {&crd_i_family_gaussian, by_variance, true},    {&crd_i_family_student, by_variance, true},
    {&crd_i_family_lognormal, by_logarithms, true}, {&crd_i_family_poisson, pseudo_rows_by_count, false},
    {&crd_i_family_exponential, by_mean, false},    {&crd_i_family_bernoulli, pseudo_rows_by_count, false},
    {&crd_i_family_uniform, by_extremes, true},
};
enum { MAKER_COUNT = sizeof makers / sizeof *makers };

static size_t maker_of(const crd_i_family *family) {
    size_t i = 0;
    while (i < MAKER_COUNT && makers[i].family != family) i++;
    return i;
}

/* ======== 2. Addition to tallies ======== */

static crd_status pseudo_rows_fail_number(const crd_model *model, size_t column, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    const crd_text name = model->schema->columns[column].name;
    crd_i_fail(error, CRD_ERROR_NUMBER, "the statistics of column '%s' are not finite, or too large",
               crd_i_quote(name, quoted));
    crd_i_error_subject(error, name);
    return CRD_ERROR_NUMBER;
}

static bool are_finite(const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(numbers[i])) return false;
    return true;
}

static bool pseudo_rows_add_to(crd_i_tally *tally, size_t classes, size_t values, const crd_i_cells *cells,
                               const crd_i_groups *groups) {
    return tally->type->extend(tally, classes, values) && tally->type->add(tally, cells, groups);
}

/* Adds weighted values to the statistics of a column, whose type must have been settled. */
static crd_status pseudo_rows_add_cells(crd_model *model, size_t column, size_t classes, const cell_list *list,
                                        crd_error *error) {
    crd_i_variable *variable = &model->variables[column];
    const bool is_number = variable->values == NULL;
    const size_t values = is_number ? 0 : crd_i_dictionary_size(variable->values);
    const crd_i_cells cells = {
        .rows = list->count, .numbers = is_number ? list->numbers : NULL, .codes = is_number ? NULL : list->codes};
    if (!are_finite(list->weights, list->count) || (is_number && !are_finite(list->numbers, list->count)))
        return pseudo_rows_fail_number(model, column, error);
    crd_i_groups groups;
    bool done = crd_i_groups_init(&groups, model->context, list->classes, list->weights, list->count) &&
                pseudo_rows_add_to(variable->tally, classes, values, &cells, &groups);
    for (size_t i = 0; done && i < CRD_I_MOST_EXTRAS; i++)
        if (variable->extra[i] != NULL) done = pseudo_rows_add_to(variable->extra[i], classes, 0, &cells, &groups);
    crd_i_groups_clear(&groups);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Adds values with the given statistics to a numeric column. */
static crd_status pseudo_rows_add_number(crd_model *model, size_t column, size_t classes,
                                         const crd_i_column_statistics *statistics, cell_list *list, crd_error *error) {
    const crd_text name = model->schema->columns[column].name;
    const crd_i_family *family = crd_i_column_family_family(model->settings, name, CRD_TYPE_NUMERIC);
    const size_t maker = maker_of(family);
    char quoted[CRD_I_QUOTED_ROOM];
    if (maker == MAKER_COUNT)
        return crd_i_fail(error, CRD_ERROR_SETTING,
                          "the family '%s' of column '%s' cannot be derived from such statistics", family->name,
                          crd_i_quote(name, quoted));
    if (!are_finite(statistics->cells, classes) || !are_finite(statistics->firsts, classes) ||
        (makers[maker].has_second && !are_finite(statistics->seconds, classes)))
        return pseudo_rows_fail_number(model, column, error);
    for (size_t k = 0; k < classes; k++)
        makers[maker].make(list, k, statistics->cells[k], statistics->firsts[k],
                           makers[maker].has_second ? statistics->seconds[k] : 0);
    return pseudo_rows_add_cells(model, column, classes, list, error);
}

static crd_status pseudo_rows_add_category(crd_model *model, size_t column, size_t classes,
                                           const crd_i_column_statistics *statistics, cell_list *list,
                                           crd_error *error) {
    crd_i_dictionary *values = model->variables[column].values;
    if (!are_finite(statistics->counts, classes * statistics->value_count))
        return pseudo_rows_fail_number(model, column, error);
    for (size_t v = 0; v < statistics->value_count; v++) {
        const int32_t code = crd_i_dictionary_add(values, statistics->values[v]);
        if (code < 0) return crd_i_fail_memory(error);
        for (size_t k = 0; k < classes; k++) {
            list->codes[list->count] = code;
            pseudo_rows_put(list, k, 0, statistics->counts[k * statistics->value_count + v]);
        }
    }
    return pseudo_rows_add_cells(model, column, classes, list, error);
}

static crd_status pseudo_rows_add_column(crd_model *model, size_t column, size_t classes,
                                         const crd_i_column_statistics *statistics, crd_error *error) {
    const bool is_category = statistics->counts != NULL;
    cell_list list;
    /* A categorical column may need room for one more value, of weight 0. */
    bool done = list_open(&list, model->context, classes * (is_category ? statistics->value_count : 3) + 1);
    crd_status status = done ? CRD_OK : crd_i_fail_memory(error);
    if (status == CRD_OK)
        status = crd_i_model_settle(model, column, is_category ? CRD_TYPE_CATEGORICAL : CRD_TYPE_NUMERIC, error);
    if (status == CRD_OK)
        status = (is_category ? pseudo_rows_add_category : pseudo_rows_add_number)(model, column, classes, statistics,
                                                                                   &list, error);
    list_close(&list);
    return status;
}

static crd_status pseudo_rows_name_classes(crd_model *model, const crd_i_class_statistics *statistics,
                                           crd_error *error) {
    const size_t target = model->schema->target;
    crd_status status = crd_i_model_settle(model, target, CRD_TYPE_CATEGORICAL, error);
    for (size_t k = 0; status == CRD_OK && k < statistics->classes; k++)
        if (crd_i_dictionary_add(model->variables[target].values, statistics->names[k]) != (int32_t)k)
            status = crd_i_fail_memory(error);
    return status;
}

/* Returns the number of rows of a class: as specified, and at least the number of values in any column. The latter are
 * exact sums of rounded weights and may be slightly larger. */
static double pseudo_rows_count(const crd_model *model, const crd_i_class_statistics *statistics, size_t class) {
    double rows = statistics->rows[class];
    for (size_t i = 0; i < model->schema->count; i++) {
        const crd_i_tally *tally = model->variables[i].tally;
        if (i == model->schema->target || tally == NULL || class >= tally->conditions) continue;
        const double cells = crd_i_tally_total(tally, class);
        if (cells >= rows && cells > 0) rows = nextafter(cells, INFINITY);
    }
    return rows;
}

/* Adds the row counts of the classes to the target. */
static crd_status pseudo_rows_add_classes(crd_model *model, const crd_i_class_statistics *statistics,
                                          crd_error *error) {
    const size_t target = model->schema->target;
    crd_i_variable *classes = &model->variables[target];
    cell_list list;
    crd_i_groups all = {.context = model->context};
    const bool is_open = list_open(&list, model->context, statistics->classes + 1);
    for (size_t k = 0; is_open && k < statistics->classes; k++) {
        list.codes[list.count] = (int32_t)k;
        pseudo_rows_put(&list, 0, 0, pseudo_rows_count(model, statistics, k));
    }
    const crd_i_cells cells = {.rows = list.count, .codes = list.codes};
    crd_status status = CRD_OK;
    if (is_open && !are_finite(list.weights, list.count)) status = pseudo_rows_fail_number(model, target, error);
    else if (!is_open || !crd_i_groups_init(&all, model->context, NULL, list.weights, list.count) ||
             !pseudo_rows_add_to(classes->tally, 1, statistics->classes, &cells, &all))
        status = crd_i_fail_memory(error);
    crd_i_groups_clear(&all);
    list_close(&list);
    return status == CRD_OK ? crd_i_model_check_total(model, error) : status;
}

/* ======== 3. Multivariate blocks ======== */

/* Computes the Cholesky factor L of a covariance matrix, L L' = matrix. If the variance that remains after the earlier
 * columns is only rounding error, it is set to zero. A singular covariance has no density, but it has rows. */
static void pseudo_rows_factor(const double *matrix, size_t size, double *lower) {
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

/* Computes the values of a block, column by column, `rows` each. Class k has the 2 D rows from row 2 D k on. */
static void pseudo_rows_fill_block(const crd_i_block_statistics *statistics, size_t classes, double *lower,
                                   double *numbers, double *weights, int32_t *conditions) {
    const size_t size = statistics->count, rows = 2 * size * classes;
    const double length = sqrt((double)size);
    for (size_t k = 0; k < classes; k++) {
        pseudo_rows_factor(statistics->covariances + k * size * size, size, lower);
        for (size_t j = 0; j < size; j++) {
            const size_t row = 2 * (k * size + j);
            for (size_t i = 0; i < size; i++) {
                const double mean = statistics->means[k * size + i], above = mean + length * lower[i * size + j];
                numbers[i * rows + row] = above;
                numbers[i * rows + row + 1] = mean - (above - mean);
            }
            weights[row] = weights[row + 1] = statistics->cells[k] / (2 * (double)size);
            conditions[row] = conditions[row + 1] = statistics->cells[k] > 0 ? (int32_t)k : -1;
        }
    }
}

static const double *pseudo_rows_cells(const crd_i_block_statistics *block, size_t column, size_t rows,
                                       const double *numbers) {
    for (size_t i = 0; i < block->count; i++)
        if (block->columns[i] == column) return numbers + i * rows;
    return NULL;
}

/* Adds the rows to the joint statistics that contain all columns of the block. */
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
            cells[i].numbers = pseudo_rows_cells(block, kept->columns[i], rows, numbers);
            found += cells[i].numbers != NULL;
        }
        const crd_i_joint_tally_rows added = {rows, cells, conditions, weights};
        if (found == block->count) status = crd_i_joint_tally_add(&kept->joint_tally, &added, error);
        crd_free(model->context, cells);
    }
    return status;
}

/* Scratch space for the rows of a block. */
typedef struct block_room {
    double *lower, *numbers, *weights;
    int32_t *conditions;
} block_room;

static bool open_block(crd_context *context, const crd_i_block_statistics *block, size_t classes,
                       block_room *workspace) {
    const size_t size = block->count, rows = 2 * size * classes;
    workspace->lower = crd_i_alloc(context, size * size, sizeof *workspace->lower);
    workspace->numbers = crd_i_alloc(context, rows * size, sizeof *workspace->numbers);
    workspace->weights = crd_i_alloc(context, rows, sizeof *workspace->weights);
    workspace->conditions = crd_i_alloc(context, rows, sizeof *workspace->conditions);
    if (workspace->lower == NULL || workspace->numbers == NULL || workspace->weights == NULL ||
        workspace->conditions == NULL)
        return false;
    pseudo_rows_fill_block(block, classes, workspace->lower, workspace->numbers, workspace->weights,
                           workspace->conditions);
    return true;
}

static void close_block(crd_context *context, block_room *workspace) {
    crd_free(context, workspace->lower);
    crd_free(context, workspace->numbers);
    crd_free(context, workspace->weights);
    crd_free(context, workspace->conditions);
}

/* Adds the rows of a block to each column separately, or if `is_joint` to the joint statistics. The columns come first,
 * because joint statistics need the types of columns that have values. */
static crd_status pseudo_rows_add_block(crd_model *model, size_t classes, const crd_i_block_statistics *block,
                                        bool is_joint, crd_error *error) {
    const size_t rows = 2 * block->count * classes;
    block_room workspace = {NULL, NULL, NULL, NULL};
    crd_status status = open_block(model->context, block, classes, &workspace) ? CRD_OK : crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && !is_joint && i < block->count; i++) {
        const cell_list list = {.count = rows,
                                .numbers = workspace.numbers + i * rows,
                                .weights = workspace.weights,
                                .classes = workspace.conditions};
        status = crd_i_model_settle(model, block->columns[i], CRD_TYPE_NUMERIC, error);
        if (status == CRD_OK) status = pseudo_rows_add_cells(model, block->columns[i], classes, &list, error);
    }
    if (status == CRD_OK && is_joint)
        status = add_jointly(model, block, rows, workspace.numbers, workspace.weights, workspace.conditions, error);
    close_block(model->context, &workspace);
    return status;
}

/* ======== 4. Model ======== */

/* Adds all statistics: columns first, then joint statistics, then the rows of the classes. */
static crd_status pseudo_rows_add_all(crd_model *model, const crd_i_class_statistics *statistics, crd_error *error) {
    crd_status status = pseudo_rows_name_classes(model, statistics, error);
    for (size_t i = 0; status == CRD_OK && i < model->schema->count; i++)
        if (i != model->schema->target && statistics->columns[i].cells != NULL)
            status = pseudo_rows_add_column(model, i, statistics->classes, &statistics->columns[i], error);
    for (size_t b = 0; status == CRD_OK && b < statistics->block_count; b++)
        status = pseudo_rows_add_block(model, statistics->classes, &statistics->blocks[b], false, error);
    for (size_t t = 0; status == CRD_OK && t < model->joint_tally_count; t++)
        if (!crd_i_joint_tallies_settle_columns(model, &model->joint_tallies[t])) status = crd_i_fail_memory(error);
    for (size_t b = 0; status == CRD_OK && b < statistics->block_count; b++)
        status = pseudo_rows_add_block(model, statistics->classes, &statistics->blocks[b], true, error);
    return status == CRD_OK ? pseudo_rows_add_classes(model, statistics, error) : status;
}

crd_status crd_i_model_of_statistics(crd_context *context, crd_i_schema *schema, const crd_settings *settings,
                                     const crd_i_class_statistics *statistics, crd_model **out, crd_error *error) {
    crd_model *model = NULL;
    *out = NULL;
    crd_status status = crd_i_model_create(context, schema, settings, &model, error);
    if (status == CRD_OK) status = pseudo_rows_add_all(model, statistics, error);
    if (status == CRD_OK) *out = model;
    else crd_model_destroy(model);
    return status;
}
