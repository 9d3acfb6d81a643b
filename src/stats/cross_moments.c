/* SPDX-License-Identifier: MIT */
/* cross_moments.c - exact sums and cross-products of the numeric columns, under each condition.
 *
 * They are the sufficient statistics of a multivariate normal density: its mean and covariance are derived from them. A
 * row is complete if it has a number in every settled numeric column; categories are ignored. Incomplete rows have
 * separate sums: for each pair of columns, the sums over the rows in which both cells are present. Let x be the cells
 * of such a row, with 0 for a missing cell, and let m_i = 1 if cell i is present, otherwise 0. Then these sums are the
 * cross-moments of the row (x, m), which contains every column twice:
 *
 *   n_ij = sum of m_i m_j     s_ij = sum of x_i m_j     q_ij = sum of x_i x_j
 *
 * When another numeric column is settled, no earlier row had a number in it. All earlier rows become incomplete, and
 * their sums become the sums of (x, 1), with 0 for the new column. So the joint tally depends only on its rows, not on
 * their order. Model files of earlier releases may lack the sums of incomplete rows and contain only their weight.
 *
 * Contents:
 *   1. Sums and cross-products
 *   2. File format
 *   3. Type table */
#include "stats/joint_tally.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/exact_sums_file.h"

#include <math.h>
#include <string.h>

typedef struct crd_i_cross {
    crd_i_joint_tally base;
    size_t *columns;             /* numeric columns, ascending; has room for all columns */
    size_t count;                /* number of numeric columns */
    crd_i_products **products;   /* of each condition; NULL: no complete rows */
    crd_i_products **incomplete; /* of each condition, with every column twice; NULL: unknown */
    size_t capacity, incomplete_capacity;
    crd_i_sums left_out;             /* one cell per condition: the weight of incomplete rows */
    crd_i_products_scratch *scratch; /* NULL until many rows are added at once */
} crd_i_cross;

/* ======== 1. Sums and cross-products ======== */

/* Rows are added in panels (see exact_products.h). A panel has enough rows for the fast implementation and is small
 * enough to stay in the cache. It has at most half a million doubles, unless the columns would leave fewer than
 * PANEL_LEAST rows. */
enum { PANEL_DOUBLES = 1 << 19, PANEL_LEAST = 256, PANEL_MOST = 4096 };
/* A panel with at least this many rows, or numbers, justifies the work space of the fast implementation. */
enum { MANY_ROWS = 256, MANY_NUMBERS = 1 << 12 };

/* ---- Creation ---- */

static void cross_moments_destroy(crd_i_joint_tally *joint_tally) {
    crd_i_cross *cross = (crd_i_cross *)joint_tally;
    for (size_t k = 0; k < joint_tally->conditions; k++) {
        crd_i_products_destroy(cross->products[k]);
        crd_i_products_destroy(cross->incomplete[k]);
    }
    crd_free(joint_tally->context, cross->products);
    crd_free(joint_tally->context, cross->incomplete);
    crd_free(joint_tally->context, cross->columns);
    crd_i_sums_clear(&cross->left_out);
    crd_i_products_scratch_destroy(cross->scratch);
    crd_i_joint_tally_free(joint_tally);
}

static crd_i_joint_tally *cross_moments_create(crd_context *context, size_t columns) {
    crd_i_cross *cross = crd_i_alloc_zeroed(context, 1, sizeof *cross);
    if (cross == NULL) return NULL;
    crd_i_sums_init(&cross->left_out, context);
    bool ready = crd_i_joint_tally_init(&cross->base, &crd_i_cross_moments, context, columns);
    cross->columns = crd_i_alloc(context, columns, sizeof *cross->columns);
    if (ready && cross->columns != NULL) return &cross->base;
    cross_moments_destroy(&cross->base);
    return NULL;
}

static bool cross_moments_extend(crd_i_joint_tally *joint_tally, size_t conditions, const size_t *value_counts) {
    crd_i_cross *cross = (crd_i_cross *)joint_tally;
    for (size_t i = 0; value_counts != NULL && i < joint_tally->column_count; i++)
        if (value_counts[i] > joint_tally->value_counts[i]) joint_tally->value_counts[i] = value_counts[i];
    if (conditions <= joint_tally->conditions) return true;
    if (!crd_i_sums_extend(&cross->left_out, conditions) ||
        !crd_i_reserve(joint_tally->context, &cross->products, &cross->capacity, conditions, sizeof *cross->products) ||
        !crd_i_reserve(joint_tally->context, &cross->incomplete, &cross->incomplete_capacity, conditions,
                       sizeof *cross->incomplete))
        return false;
    for (size_t k = joint_tally->conditions; k < conditions; k++) cross->products[k] = cross->incomplete[k] = NULL;
    joint_tally->conditions = conditions;
    return true;
}

/* Return the sums of a condition, creating zero sums if there are none; NULL: out of memory. */
static crd_i_products *cross_complete_of(crd_i_cross *cross, size_t condition) {
    if (cross->products[condition] == NULL)
        cross->products[condition] = crd_i_products_create(cross->base.context, cross->count);
    return cross->products[condition];
}

static crd_i_products *cross_incomplete_of(crd_i_cross *cross, size_t condition) {
    if (cross->incomplete[condition] == NULL)
        cross->incomplete[condition] = crd_i_products_create(cross->base.context, 2 * cross->count);
    return cross->incomplete[condition];
}

/* Adds (sign 1) or subtracts (sign -1) the sums of `other` under its condition `first`. Both have the same columns. */
static bool add_sums(crd_i_cross *cross, size_t condition, const crd_i_cross *other, size_t first, int sign) {
    if (other->products[first] != NULL) {
        crd_i_products *into = cross_complete_of(cross, condition);
        if (into == NULL || !crd_i_products_combine(into, other->products[first], sign)) return false;
    }
    if (other->incomplete[first] != NULL) {
        crd_i_products *into = cross_incomplete_of(cross, condition);
        if (into == NULL || !crd_i_products_combine(into, other->incomplete[first], sign)) return false;
    }
    return true;
}

/* Sums over a subset of a joint tally's columns: over the complete rows and over the incomplete rows. NULL: no such
 * rows. `columns` is ascending. */
typedef struct moments_narrower {
    const size_t *columns;
    size_t count;
    const crd_i_products *complete, *incomplete;
} moments_narrower;

/* Adds (sign 1) or subtracts (sign -1) sums over fewer columns than `cross` has. All these rows count as incomplete. */
static bool add_narrower(crd_i_cross *cross, size_t condition, const moments_narrower *other, int sign) {
    size_t count = cross->count;
    crd_i_products *into = cross_incomplete_of(cross, condition);
    if (into == NULL) return false;
    size_t *source = crd_i_alloc(cross->base.context, 4 * count, sizeof *source);
    if (source == NULL) return false;
    size_t *from_incomplete = source + 2 * count;
    for (size_t i = 0, j = 0; i < count; i++) {
        bool has = j < other->count && other->columns[j] == cross->columns[i];
        source[i] = from_incomplete[i] = has ? j : CRD_I_COLUMN_OF_ZEROS;
        source[count + i] = has ? CRD_I_COLUMN_OF_ONES : CRD_I_COLUMN_OF_ZEROS;
        from_incomplete[count + i] = has ? other->count + j : CRD_I_COLUMN_OF_ZEROS;
        j += has;
    }
    bool done = true;
    if (other->complete != NULL)
        done = crd_i_products_embed(into, other->complete, source, sign) &&
               crd_i_sums_combine(&cross->left_out, condition, crd_i_products_total(other->complete), 0, sign);
    if (other->incomplete != NULL) done = done && crd_i_products_embed(into, other->incomplete, from_incomplete, sign);
    crd_free(cross->base.context, source);
    return done;
}

static crd_i_joint_tally *cross_moments_clone(const crd_i_joint_tally *joint_tally) {
    const crd_i_cross *cross = (const crd_i_cross *)joint_tally;
    crd_i_joint_tally *tally = cross_moments_create(joint_tally->context, joint_tally->column_count);
    if (tally == NULL) return NULL;
    crd_i_cross *copy = (crd_i_cross *)tally;
    memcpy(tally->types, joint_tally->types, joint_tally->column_count * sizeof *tally->types);
    memcpy(copy->columns, cross->columns, cross->count * sizeof *copy->columns);
    copy->count = cross->count;
    bool done = cross_moments_extend(tally, joint_tally->conditions, joint_tally->value_counts) &&
                crd_i_sums_combine_all(&copy->left_out, &cross->left_out, NULL, 1);
    for (size_t k = 0; done && k < joint_tally->conditions; k++) done = add_sums(copy, k, cross, k, 1);
    if (done) return tally;
    cross_moments_destroy(tally);
    return NULL;
}

/* ---- Columns ---- */

/* Inserts a numeric column. All earlier rows become incomplete. */
static bool insert_column(crd_i_cross *cross, size_t column) {
    size_t count = cross->count, index = count;
    size_t *before = crd_i_alloc(cross->base.context, count, sizeof *before);
    if (before == NULL) return false;
    if (count > 0) memcpy(before, cross->columns, count * sizeof *before);
    for (; index > 0 && cross->columns[index - 1] > column; index--) cross->columns[index] = cross->columns[index - 1];
    cross->columns[index] = column;
    cross->count++;
    bool done = true;
    for (size_t k = 0; done && k < cross->base.conditions; k++) {
        crd_i_products *complete = cross->products[k], *incomplete = cross->incomplete[k];
        if (complete == NULL && incomplete == NULL) continue;
        cross->products[k] = cross->incomplete[k] = NULL;
        done = add_narrower(cross, k, &(moments_narrower){before, count, complete, incomplete}, 1);
        crd_i_products_destroy(complete);
        crd_i_products_destroy(incomplete);
    }
    crd_i_products_scratch_destroy(cross->scratch);
    cross->scratch = NULL;
    crd_free(cross->base.context, before);
    return done;
}

static bool cross_moments_settle(crd_i_joint_tally *joint_tally, size_t column, crd_column_type type) {
    if (type == CRD_TYPE_NUMERIC && !insert_column((crd_i_cross *)joint_tally, column)) return false;
    joint_tally->types[column] = type;
    return true;
}

/* Removes a column. The sums do not show which incomplete rows would be complete without the column, so this fails if
 * another numeric column is left. If none is left, all rows are complete. */
static bool cross_moments_unsettle(crd_i_joint_tally *joint_tally, size_t column) {
    crd_i_cross *cross = (crd_i_cross *)joint_tally;
    if (joint_tally->types[column] == CRD_TYPE_NUMERIC) {
        if (cross->count > 1) return false;
        cross->count = 0;
        for (size_t k = 0; k < joint_tally->conditions; k++) {
            crd_i_products *complete = cross->products[k], *into;
            cross->products[k] = NULL;
            crd_i_products_destroy(cross->incomplete[k]);
            cross->incomplete[k] = NULL;
            bool done =
                complete == NULL || crd_i_sums_combine(&cross->left_out, k, crd_i_products_total(complete), 0, 1);
            crd_i_products_destroy(complete);
            if (done && crd_i_sums_sign(&cross->left_out, k) == 0) continue;
            into = done ? cross_complete_of(cross, k) : NULL;
            crd_i_sums *total = into == NULL ? NULL : crd_i_products_array(into, 0);
            if (into == NULL || !crd_i_sums_combine(total, 0, &cross->left_out, k, 1) ||
                !crd_i_sums_combine(&cross->left_out, k, total, 0, -1))
                return false;
        }
    }
    joint_tally->types[column] = CRD_TYPE_NONE;
    joint_tally->value_counts[column] = 0;
    return true;
}

/* ---- Adding ---- */

/* The rows of a batch, sorted by condition, and the panel into which they are copied. */
typedef struct moments_collector {
    size_t *order; /* the rows that the owner does not skip, sorted by condition */
    size_t *ends;  /* for each condition, the index in `order` after its last row */
    bool is_incomplete;
    double *panel, *weights;
    size_t width, panel_rows;
} moments_collector;

static void gathering_clear(crd_context *context, moments_collector *collector) {
    crd_free(context, collector->order);
    crd_free(context, collector->ends);
    crd_free(context, collector->panel);
    crd_free(context, collector->weights);
}

/* Allocates the panel for incomplete or for complete rows. */
static bool gathering_reserve(crd_context *context, moments_collector *collector, size_t columns, size_t rows,
                              bool is_incomplete) {
    crd_free(context, collector->panel);
    crd_free(context, collector->weights);
    collector->is_incomplete = is_incomplete;
    collector->width = is_incomplete ? 2 * columns : columns;
    size_t most = PANEL_DOUBLES / (collector->width > 0 ? collector->width : 1);
    collector->panel_rows = most < PANEL_LEAST ? PANEL_LEAST : most > PANEL_MOST ? PANEL_MOST : most;
    if (collector->panel_rows > rows) collector->panel_rows = rows;
    collector->panel = crd_i_alloc(context, collector->panel_rows, collector->width * sizeof *collector->panel);
    collector->weights = crd_i_alloc(context, collector->panel_rows, sizeof *collector->weights);
    return collector->panel != NULL && collector->weights != NULL;
}

static bool gathering_init(crd_i_cross *cross, const crd_i_joint_tally_rows *rows, moments_collector *collector) {
    crd_context *context = cross->base.context;
    size_t conditions = cross->base.conditions;
    collector->order = crd_i_alloc(context, rows->rows, sizeof *collector->order);
    collector->ends = crd_i_alloc_zeroed(context, conditions + 1, sizeof *collector->ends);
    if (collector->order == NULL || collector->ends == NULL ||
        !gathering_reserve(context, collector, cross->count, rows->rows, false))
        return false;
    /* Counting sort: `ends` first holds the begin of each condition, shifted by one. Placing the rows advances each
     * begin to its end. */
    for (size_t row = 0; row < rows->rows; row++)
        if (rows->conditions[row] >= 0) collector->ends[rows->conditions[row] + 1]++;
    for (size_t k = 0; k < conditions; k++) collector->ends[k + 1] += collector->ends[k];
    for (size_t row = 0; row < rows->rows; row++)
        if (rows->conditions[row] >= 0) collector->order[collector->ends[rows->conditions[row]]++] = row;
    return true;
}

/* Copies a row's numbers. false: a number is missing. */
static bool cross_moments_gather(const crd_i_cross *cross, const crd_i_joint_tally_rows *rows, size_t row,
                                 double *out) {
    for (size_t i = 0; i < cross->count; i++) {
        const crd_i_cells *cells = &rows->columns[cross->columns[i]];
        if (cells->numbers == NULL || !crd_i_number_present(cells, row)) return false;
        out[i] = cells->numbers[row];
    }
    return true;
}

/* Copies the numbers of an incomplete row, with 0 for missing numbers, then the indicators of the present numbers.
 * false: all numbers are present. */
static bool gather_incomplete(const crd_i_cross *cross, const crd_i_joint_tally_rows *rows, size_t row, double *out) {
    bool is_complete = true;
    for (size_t i = 0; i < cross->count; i++) {
        const crd_i_cells *cells = &rows->columns[cross->columns[i]];
        bool is_present = cells->numbers != NULL && crd_i_number_present(cells, row);
        out[i] = is_present ? cells->numbers[row] : 0;
        out[cross->count + i] = is_present;
        is_complete = is_complete && is_present;
    }
    return !is_complete;
}

/* Returns whether all weights are 1. Such rows need no weights, and the fast implementation supports none. */
static bool are_all_one(const double *weights, size_t count) {
    size_t row = 0;
    while (row < count && weights[row] == 1) row++;
    return row == count;
}

/* Adds the first `count` rows of the panel to the sums of a condition. */
static bool cross_moments_add_panel(crd_i_cross *cross, size_t condition, const moments_collector *collector,
                                    size_t count, bool weighted) {
    if (count == 0) return true;
    crd_i_products *into =
        collector->is_incomplete ? cross_incomplete_of(cross, condition) : cross_complete_of(cross, condition);
    if (into == NULL) return false;
    const crd_i_multiplier *way = crd_i_multiplier_best();
    bool are_many = count >= MANY_ROWS || count * collector->width >= MANY_NUMBERS;
    if (cross->scratch == NULL && way != NULL && are_many && cross->count > 0) {
        cross->scratch = crd_i_products_scratch_create(cross->base.context, way);
        if (cross->scratch == NULL) return false;
    }
    return crd_i_products_add(into, cross->scratch, collector->panel, collector->width, count,
                              weighted && !are_all_one(collector->weights, count) ? collector->weights : NULL, 1);
}

/* Adds the rows of a condition that the panel is for: the complete or the incomplete ones. *others becomes true if
 * there are rows of the other sort. */
static bool cross_moments_add_condition(crd_i_cross *cross, const crd_i_joint_tally_rows *rows, size_t condition,
                                        const moments_collector *collector, bool *others) {
    size_t begin = condition == 0 ? 0 : collector->ends[condition - 1], gathered = 0;
    for (size_t i = begin; i < collector->ends[condition]; i++) {
        size_t row = collector->order[i];
        double weight = rows->weights == NULL ? 1 : rows->weights[row];
        if (weight == 0) continue;
        double *out = collector->panel + gathered * collector->width;
        if (!(collector->is_incomplete ? gather_incomplete : cross_moments_gather)(cross, rows, row, out)) {
            *others = true;
            continue;
        }
        if (collector->is_incomplete && !crd_i_sums_add(&cross->left_out, condition, weight)) return false;
        collector->weights[gathered++] = weight;
        if (gathered < collector->panel_rows) continue;
        if (!cross_moments_add_panel(cross, condition, collector, gathered, rows->weights != NULL)) return false;
        gathered = 0;
    }
    return cross_moments_add_panel(cross, condition, collector, gathered, rows->weights != NULL);
}

static crd_status cross_moments_add(crd_i_joint_tally *joint_tally, const crd_i_joint_tally_rows *rows,
                                    crd_error *error) {
    crd_i_cross *cross = (crd_i_cross *)joint_tally;
    if (cross->count > CRD_I_CROSS_MOST_COLUMNS) return CRD_ERROR_LIMIT;
    if (rows->rows == 0) return CRD_OK;
    moments_collector collector = {0};
    bool has_incomplete = false, has_complete = false;
    bool done = gathering_init(cross, rows, &collector);
    for (size_t k = 0; done && k < joint_tally->conditions; k++)
        done = cross_moments_add_condition(cross, rows, k, &collector, &has_incomplete);
    if (has_incomplete)
        done = done && gathering_reserve(joint_tally->context, &collector, cross->count, rows->rows, true);
    for (size_t k = 0; has_incomplete && done && k < joint_tally->conditions; k++)
        done = cross_moments_add_condition(cross, rows, k, &collector, &has_complete);
    gathering_clear(joint_tally->context, &collector);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status cross_moments_refuse(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view,
                                       crd_error *error) {
    /* The message cannot name a number of columns: some columns may be categories, or have no cells any more. */
    (void)joint_tally, (void)view;
    return crd_i_fail(
        error, CRD_ERROR_LIMIT,
        "there are too many numeric columns for the cross statistic: it supports at most %d columns; name "
        "fewer columns, or omit the cross statistic",
        (int)CRD_I_CROSS_MOST_COLUMNS);
}

/* ---- Combining ---- */

static bool has_same_columns(const crd_i_cross *a, const crd_i_cross *b) {
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->columns, b->columns, a->count * sizeof *a->columns) == 0);
}

/* Settles the columns that the other joint tally has settled. *more: one of the new columns is numeric. */
static bool settle_as(crd_i_joint_tally *joint_tally, const crd_i_joint_tally *other, bool *more) {
    *more = false;
    for (size_t i = 0; i < joint_tally->column_count; i++) {
        if (joint_tally->types[i] != CRD_TYPE_NONE || other->types[i] == CRD_TYPE_NONE) continue;
        *more = *more || other->types[i] == CRD_TYPE_NUMERIC;
        if (!cross_moments_settle(joint_tally, i, other->types[i])) return false;
    }
    return true;
}

/* Frees sums that are all zero, because a joint tally never stores or writes them. */
static void cross_moments_drop_empty(crd_i_products **products) {
    if (*products == NULL || !crd_i_products_is_zero(*products)) return;
    crd_i_products_destroy(*products);
    *products = NULL;
}

/* Checks whether rows can produce such sums, as far as that is decidable. false: out of memory. */
static bool cross_is_possible(const crd_i_cross *cross, size_t condition, bool *possible) {
    const crd_i_products *sums[] = {cross->products[condition], cross->incomplete[condition]};
    *possible = crd_i_sums_sign(&cross->left_out, condition) >= 0;
    for (size_t i = 0; i < 2; i++)
        if (sums[i] != NULL && *possible && !crd_i_products_possible(sums[i], possible)) return false;
    return true;
}

/* Adds (sign 1) or subtracts (sign -1) the sums of the second joint tally under its condition k. Files of earlier
 * releases contain only the weight of incomplete rows. After a subtraction from such a tally, their sums stay unknown. */
static bool combine_condition(crd_i_cross *cross, size_t index, const crd_i_cross *second, size_t k, bool has_same,
                              int sign) {
    bool has_sums = sign > 0 || cross->incomplete[index] != NULL || crd_i_sums_sign(&cross->left_out, index) == 0;
    if (!crd_i_sums_combine(&cross->left_out, index, &second->left_out, k, sign)) return false;
    if (has_same) {
        if (!add_sums(cross, index, second, k, sign)) return false;
    } else if (second->products[k] != NULL || second->incomplete[k] != NULL) {
        const moments_narrower other = {second->columns, second->count, second->products[k], second->incomplete[k]};
        if (!add_narrower(cross, index, &other, sign)) return false;
    }
    if (!has_sums) {
        crd_i_products_destroy(cross->incomplete[index]);
        cross->incomplete[index] = NULL;
    }
    cross_moments_drop_empty(&cross->products[index]);
    cross_moments_drop_empty(&cross->incomplete[index]);
    return true;
}

static bool combine_conditions(crd_i_cross *cross, const crd_i_cross *second, const crd_i_joint_tally_map *map,
                               int sign, crd_status *why) {
    bool has_same = has_same_columns(cross, second);
    for (size_t k = 0; k < second->base.conditions; k++) {
        size_t index = map->conditions[k];
        bool possible = true;
        if (!combine_condition(cross, index, second, k, has_same, sign)) return false;
        if (sign < 0 && !cross_is_possible(cross, index, &possible)) return false;
        if (!possible) *why = CRD_ERROR_NOT_LEARNED;
    }
    return true;
}

static crd_i_joint_tally *cross_moments_combined(const crd_i_joint_tally *first, const crd_i_joint_tally *second,
                                                 const crd_i_joint_tally_map *map, int sign, crd_status *why,
                                                 crd_error *error) {
    (void)error; /* the owner writes the message, because it has the names */
    crd_i_joint_tally *tally = cross_moments_clone(first);
    if (tally == NULL) return NULL;
    size_t conditions = 0;
    for (size_t k = 0; k < map->condition_count; k++)
        if (map->conditions[k] >= conditions) conditions = map->conditions[k] + 1;
    bool more, done = cross_moments_extend(tally, conditions, NULL) && settle_as(tally, second, &more);
    for (size_t i = 0; done && map->values != NULL && i < tally->column_count; i++)
        for (size_t v = 0; map->values[i] != NULL && v < map->value_counts[i]; v++)
            if (map->values[i][v] >= tally->value_counts[i]) tally->value_counts[i] = map->values[i][v] + 1;
    if (done && more && sign < 0) *why = CRD_ERROR_NOT_LEARNED;
    if (done && ((const crd_i_cross *)tally)->count > CRD_I_CROSS_MOST_COLUMNS) *why = CRD_ERROR_LIMIT;
    done =
        done && *why == CRD_OK && combine_conditions((crd_i_cross *)tally, (const crd_i_cross *)second, map, sign, why);
    if (done && *why == CRD_OK) return tally;
    cross_moments_destroy(tally);
    return NULL;
}

/* ---- Access ---- */

size_t crd_i_cross_columns(const crd_i_joint_tally *joint_tally, const size_t **columns) {
    const crd_i_cross *cross = (const crd_i_cross *)joint_tally;
    *columns = cross->columns;
    return cross->count;
}

const crd_i_products *crd_i_cross_products(const crd_i_joint_tally *joint_tally, size_t condition) {
    return condition < joint_tally->conditions ? ((const crd_i_cross *)joint_tally)->products[condition] : NULL;
}

const crd_i_products *crd_i_cross_incomplete(const crd_i_joint_tally *joint_tally, size_t condition) {
    return condition < joint_tally->conditions ? ((const crd_i_cross *)joint_tally)->incomplete[condition] : NULL;
}

crd_i_comoment_cell crd_i_cross_pair(const crd_i_products *incomplete, size_t count, size_t i, size_t j) {
    crd_i_comoment_cell n = crd_i_products_cell(incomplete, count + i, count + j);
    crd_i_comoment_cell s = crd_i_products_cell(incomplete, i, count + j);
    crd_i_comoment_cell t = crd_i_products_cell(incomplete, j, count + i);
    crd_i_comoment_cell q = crd_i_products_cell(incomplete, i, j);
    return (crd_i_comoment_cell){n.q, s.q, t.q, q.q, n.q_cell, s.q_cell, t.q_cell, q.q_cell};
}

double crd_i_cross_left_out(const crd_i_joint_tally *joint_tally, size_t condition) {
    return condition < joint_tally->conditions
               ? crd_i_sums_value(&((const crd_i_cross *)joint_tally)->left_out, condition)
               : 0;
}

/* ======== 2. File format ========
 *
 * First comes the weight of the incomplete rows under each condition, in a window (exact_sums_file.h). Then for each
 * condition a u8: 1 if it has sums of complete rows, 2 if it has sums of incomplete rows, 3 if it has both. The
 * arrays of these sums (exact_products.h) follow, each in its own window. */

enum { HAS_COMPLETE = 1, HAS_INCOMPLETE = 2 };

static void write_products(const crd_i_products *products, crd_i_encoder *encoder) {
    for (size_t a = 0; a < crd_i_products_array_count(products); a++) {
        const crd_i_sums *sums = crd_i_products_array_const(products, a);
        crd_i_window window = crd_i_window_begin(encoder, sums);
        for (size_t cell = 0; cell < sums->cells; cell++) crd_i_window_cell(encoder, window, sums, cell);
    }
}

static void cross_write(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view,
                        crd_i_encoder *encoder) {
    const crd_i_cross *cross = (const crd_i_cross *)joint_tally;
    crd_i_window window = crd_i_window_begin(encoder, &cross->left_out);
    for (size_t i = 0; i < view->condition_count; i++) {
        size_t condition = (size_t)view->conditions[i];
        if (condition < joint_tally->conditions) crd_i_window_cell(encoder, window, &cross->left_out, condition);
        else
            for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
    }
    for (size_t i = 0; i < view->condition_count; i++) {
        const crd_i_products *complete = crd_i_cross_products(joint_tally, (size_t)view->conditions[i]);
        const crd_i_products *incomplete = crd_i_cross_incomplete(joint_tally, (size_t)view->conditions[i]);
        crd_i_encode_u8(encoder,
                        (uint8_t)((complete != NULL ? HAS_COMPLETE : 0) | (incomplete != NULL ? HAS_INCOMPLETE : 0)));
        if (complete != NULL) write_products(complete, encoder);
        if (incomplete != NULL) write_products(incomplete, encoder);
    }
}

/* Sets *possible to false if all sums are zero or if some column has a mean that is not finite. false: out of
 * memory. */
static bool check_means(const crd_i_cross *cross, const crd_i_products *products, bool is_incomplete, bool *possible) {
    *possible = *possible && !crd_i_products_is_zero(products);
    for (size_t i = 0; *possible && i < cross->count; i++) {
        double mean = 0;
        bool defined;
        crd_i_comoment_cell cell =
            is_incomplete ? crd_i_cross_pair(products, cross->count, i, i) : crd_i_products_cell(products, i, i);
        if (!crd_i_comoments_mean(cell, &mean, NULL, &defined) && (defined || !is_incomplete)) return false;
        *possible = isfinite(mean);
    }
    return true;
}

/* Checks whether some rows can produce these sums, as far as necessary conditions show it. */
static crd_status cross_moments_file_check(const crd_i_cross *cross, size_t condition, crd_error *error) {
    const crd_i_products *complete = cross->products[condition], *incomplete = cross->incomplete[condition];
    bool possible;
    if (!cross_is_possible(cross, condition, &possible)) return crd_i_fail_memory(error);
    if ((complete != NULL && !check_means(cross, complete, false, &possible)) ||
        (incomplete != NULL && !check_means(cross, incomplete, true, &possible)))
        return crd_i_fail_memory(error);
    double rows = crd_i_sums_value(&cross->left_out, condition);
    if (complete != NULL) rows += crd_i_sums_value(crd_i_products_total(complete), 0);
    if (rows > CRD_I_MOST_ROWS) return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is too large");
    if (incomplete != NULL && crd_i_sums_value(crd_i_products_total(incomplete), 0) > rows) possible = false;
    return possible ? CRD_OK : crd_i_fail(error, CRD_ERROR_DAMAGED, "sums of products are impossible");
}

static crd_status cross_moments_file_read_products(crd_i_products *into, crd_i_cursor *cursor, crd_error *error) {
    if (into == NULL) return crd_i_fail_memory(error);
    for (size_t a = 0; a < crd_i_products_array_count(into); a++) {
        crd_i_sums *sums = crd_i_products_array(into, a);
        crd_status status = crd_i_window_read(cursor, sums, sums->cells, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

static crd_status cross_read(crd_i_joint_tally *joint_tally, crd_i_cursor *cursor, crd_error *error) {
    crd_i_cross *cross = (crd_i_cross *)joint_tally;
    if (cross->count > CRD_I_CROSS_MOST_COLUMNS)
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "sums of products have too many columns");
    crd_status status = crd_i_window_read(cursor, &cross->left_out, joint_tally->conditions, error);
    for (size_t k = 0; status == CRD_OK && k < joint_tally->conditions; k++) {
        uint8_t has = crd_i_decode_u8(cursor);
        if (cursor->failed || has > (HAS_COMPLETE | HAS_INCOMPLETE))
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "sums of products are truncated, or have invalid marks");
        if (has & HAS_COMPLETE) status = cross_moments_file_read_products(cross_complete_of(cross, k), cursor, error);
        if (status == CRD_OK && (has & HAS_INCOMPLETE))
            status = cross_moments_file_read_products(cross_incomplete_of(cross, k), cursor, error);
        if (status == CRD_OK) status = cross_moments_file_check(cross, k, error);
    }
    return status;
}

/* ======== 3. Type table ======== */

const crd_i_joint_tally_type crd_i_cross_moments = {
    .name = "cross-products",
    .former_name = "cross",
    .summary = "sums and sums of products of all numbers of a row, for covariances",
    .create = cross_moments_create,
    .destroy = cross_moments_destroy,
    .clone = cross_moments_clone,
    .settle = cross_moments_settle,
    .extend = cross_moments_extend,
    .add = cross_moments_add,
    .combined = cross_moments_combined,
    .write = cross_write,
    .read = cross_read,
    .unsettle = cross_moments_unsettle,
    .refuse = cross_moments_refuse,
};
