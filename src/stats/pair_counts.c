/* SPDX-License-Identifier: MIT */
/* pair_counts.c - counts of each value of each column, and of each pair of values of two columns, under each condition.
 * AODE reads them (Webb, Boughton and Wang 2005).
 *
 * Counts are exact sums of weights. A pair is counted in the rows that have a cell in both columns, so missing cells
 * are not counted. The values of a numeric column are at most 128 bins of equal width (pair_axis.h). The bins become
 * coarser as numbers arrive, and the counts of finer bins are added up. So the counts are those that the final bins
 * would have had from the beginning, whatever the order of the rows. Forgetting subtracts counts and leaves the bin
 * width unchanged, until no row is left.
 *
 * Each pair of columns has its own block of counts, and a batch is added pair by pair, so the block stays in the cache.
 * The number of counts is at most columns * columns * values * values * conditions and is limited by
 * CRD_I_PAIRS_MOST_COUNTS. For this limit, a numeric column counts as having the maximum number of bins as soon as its
 * bins are not exact values. So whether the tally is dropped is a function of the set of rows, not of their order. */
#include "stats/pair_counts_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

/* Returns the maximum number of bins of a numeric column. It is CRD_I_AXIS_MOST if the pairs of all columns, were they
 * all numeric, had at most 2^21 counts under a condition; this holds up to 16 columns. Otherwise it is half of that. */
static size_t most_cells(size_t columns) {
    enum { LEAST = CRD_I_AXIS_MOST / 2 };
    double counts = (double)columns * ((double)columns - 1) / 2 * CRD_I_AXIS_MOST * CRD_I_AXIS_MOST;
    return counts <= 0x1p21 ? CRD_I_AXIS_MOST : LEAST;
}

/* ---- Blocks ---- */

size_t crd_i_pairs_cell_count(const crd_i_pairs *pairs, size_t column) {
    return pairs->axes[column] != NULL ? pairs->axes[column]->count : pairs->base.value_counts[column];
}

size_t crd_i_pairs_block_number(const crd_i_pairs *pairs, size_t a, size_t b) {
    return a * (2 * pairs->base.column_count - a - 1) / 2 + (b - a - 1);
}

static size_t pair_counts_block_count(const crd_i_pairs *pairs) {
    size_t columns = pairs->base.column_count;
    return columns == 0 ? 0 : columns % 2 == 0 ? columns / 2 * (columns - 1) : (columns - 1) / 2 * columns;
}

crd_i_counts_block *crd_i_pairs_block(crd_i_pairs *pairs, size_t a, size_t b) {
    crd_context *context = pairs->base.context;
    if (pairs->blocks == NULL) {
        pairs->blocks = crd_i_alloc_zeroed(context, pair_counts_block_count(pairs), sizeof *pairs->blocks);
        if (pairs->blocks == NULL) return NULL;
    }
    crd_i_counts_block **block = &pairs->blocks[crd_i_pairs_block_number(pairs, a, b)];
    if (*block == NULL) {
        *block = crd_i_alloc(context, 1, sizeof **block);
        if (*block == NULL) return NULL;
        crd_i_counts_block_init(*block, context);
    }
    const size_t extents[3] = {crd_i_pairs_cell_count(pairs, a), crd_i_pairs_cell_count(pairs, b),
                               pairs->base.conditions};
    return crd_i_counts_block_fit(*block, extents, 0) ? *block : NULL;
}

static bool fit_singles(crd_i_pairs *pairs, size_t column) {
    const size_t extents[3] = {crd_i_pairs_cell_count(pairs, column), 1, pairs->base.conditions};
    return crd_i_counts_block_fit(&pairs->singles[column], extents, 0);
}

static void free_block(crd_i_pairs *pairs, size_t number) {
    if (pairs->blocks == NULL || pairs->blocks[number] == NULL) return;
    crd_i_counts_block_clear(pairs->blocks[number]);
    crd_free(pairs->base.context, pairs->blocks[number]);
    pairs->blocks[number] = NULL;
}

/* ---- The joint tally ---- */

static void pair_counts_destroy(crd_i_joint_tally *base) {
    crd_i_pairs *pairs = (crd_i_pairs *)base;
    crd_context *context = base->context;
    for (size_t i = 0; pairs->blocks != NULL && i < pair_counts_block_count(pairs); i++) free_block(pairs, i);
    for (size_t column = 0; column < base->column_count; column++) {
        if (pairs->axes != NULL) crd_free(context, pairs->axes[column]);
        if (pairs->singles != NULL) crd_i_counts_block_clear(&pairs->singles[column]);
    }
    crd_free(context, pairs->blocks);
    crd_free(context, pairs->axes);
    crd_free(context, pairs->singles);
    crd_i_joint_tally_free(base);
}

static crd_i_joint_tally *pair_counts_create(crd_context *context, size_t columns) {
    crd_i_pairs *pairs = crd_i_alloc_zeroed(context, 1, sizeof *pairs);
    if (pairs == NULL) return NULL;
    bool done = crd_i_joint_tally_init(&pairs->base, &crd_i_pair_counts, context, columns);
    pairs->most = most_cells(columns);
    pairs->axes = crd_i_alloc_zeroed(context, columns, sizeof(crd_i_axis *));
    pairs->singles = crd_i_alloc_zeroed(context, columns, sizeof *pairs->singles);
    for (size_t column = 0; pairs->singles != NULL && column < columns; column++)
        crd_i_counts_block_init(&pairs->singles[column], context);
    if (done && pairs->axes != NULL && pairs->singles != NULL) return &pairs->base;
    pair_counts_destroy(&pairs->base);
    return NULL;
}

static bool pair_counts_settle(crd_i_joint_tally *base, size_t column, crd_kind kind) {
    crd_i_pairs *pairs = (crd_i_pairs *)base;
    if (kind == CRD_KIND_NUMBER) {
        pairs->axes[column] = crd_i_alloc(base->context, 1, sizeof(crd_i_axis));
        if (pairs->axes[column] == NULL) return false;
        crd_i_axis_init(pairs->axes[column]);
    }
    base->kinds[column] = kind;
    return true;
}

static bool pair_counts_unsettle(crd_i_joint_tally *base, size_t column) {
    crd_i_pairs *pairs = (crd_i_pairs *)base;
    for (size_t other = 0; other < base->column_count; other++)
        if (other != column)
            free_block(pairs, crd_i_pairs_block_number(pairs, other < column ? other : column,
                                                       other < column ? column : other));
    crd_free(base->context, pairs->axes[column]);
    pairs->axes[column] = NULL;
    crd_i_counts_block_clear(&pairs->singles[column]);
    base->kinds[column] = CRD_KIND_NONE;
    base->value_counts[column] = 0;
    return true;
}

/* Stores the extents only. Memory is allocated when rows arrive, after the limit was checked. */
static bool pair_counts_extend(crd_i_joint_tally *base, size_t conditions, const size_t *value_counts) {
    if (conditions > base->conditions) base->conditions = conditions;
    for (size_t column = 0; column < base->column_count; column++)
        if (base->kinds[column] == CRD_KIND_CATEGORY && value_counts[column] > base->value_counts[column])
            base->value_counts[column] = value_counts[column];
    return true;
}

static crd_i_joint_tally *pair_counts_clone(const crd_i_joint_tally *base) {
    const crd_i_pairs *pairs = (const crd_i_pairs *)base;
    crd_i_pairs *copy = (crd_i_pairs *)pair_counts_create(base->context, base->column_count);
    if (copy == NULL) return NULL;
    for (size_t column = 0; column < base->column_count; column++) {
        if (base->kinds[column] != CRD_KIND_NONE && !pair_counts_settle(&copy->base, column, base->kinds[column]))
            goto fail;
        if (pairs->axes[column] != NULL) *copy->axes[column] = *pairs->axes[column];
        if (!crd_i_counts_block_copy(&copy->singles[column], &pairs->singles[column])) goto fail;
    }
    (void)pair_counts_extend(&copy->base, base->conditions, base->value_counts);
    if (pairs->blocks == NULL) return &copy->base;
    copy->blocks = crd_i_alloc_zeroed(base->context, pair_counts_block_count(pairs), sizeof *copy->blocks);
    if (copy->blocks == NULL) goto fail;
    for (size_t i = 0; i < pair_counts_block_count(pairs); i++) {
        if (pairs->blocks[i] == NULL) continue;
        copy->blocks[i] = crd_i_alloc(base->context, 1, sizeof **copy->blocks);
        if (copy->blocks[i] == NULL) goto fail;
        if (!crd_i_counts_block_copy(copy->blocks[i], pairs->blocks[i])) goto fail;
    }
    return &copy->base;

fail:
    pair_counts_destroy(&copy->base);
    return NULL;
}

/* Returns the number of counts, including zeros. */
static double pair_counts_count_pairs(const crd_i_joint_tally *base) {
    const crd_i_pairs *pairs = (const crd_i_pairs *)base;
    double sum = 0, squares = 0;
    for (size_t column = 0; column < base->column_count; column++) {
        const crd_i_axis *axis = pairs->axes[column];
        size_t cells =
            axis != NULL && axis->level > CRD_I_GRID_EXACT ? pairs->most : crd_i_pairs_cell_count(pairs, column);
        double count = cells == 0 ? 1 : (double)cells; /* a column without values yet counts as one value */
        sum += count;
        squares += count * count;
    }
    return ((sum * sum - squares) / 2 + sum) * (double)base->conditions;
}

bool crd_i_pairs_are_too_many(const crd_i_pairs *pairs) {
    return pair_counts_count_pairs(&pairs->base) > CRD_I_PAIRS_MOST_COUNTS;
}

static crd_status pair_counts_refuse(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view,
                                     crd_error *error) {
    size_t most = 0;
    for (size_t column = 0; column < base->column_count; column++)
        if (view->columns[column].value_count > most) most = view->columns[column].value_count;
    char hint[64] = "";
    if (most > CRD_I_AXIS_MOST) snprintf(hint, sizeof hint, " with very many values (one has %zu)", most);
    return crd_i_fail(error, CRD_ERROR_LIMIT,
                      "the pairs of values of %zu columns in %zu classes need more than %.3g counts, the maximum: "
                      "ignore columns%s, or train without pairs",
                      base->column_count, view->condition_count, CRD_I_PAIRS_MOST_COUNTS, hint);
}

/* ---- Bins of numeric columns ---- */

/* Replaces the bins of a column. Bin i becomes bin map[i]. */
static bool pair_counts_adopt(crd_i_pairs *pairs, size_t column, const crd_i_axis *next, const size_t *map) {
    *pairs->axes[column] = *next;
    if (!crd_i_counts_block_renumber(&pairs->singles[column], map, NULL)) return false;
    for (size_t other = 0; pairs->blocks != NULL && other < pairs->base.column_count; other++) {
        if (other == column) continue;
        bool is_first = column < other;
        crd_i_counts_block *block =
            pairs->blocks[crd_i_pairs_block_number(pairs, is_first ? column : other, is_first ? other : column)];
        if (block == NULL || block->sums.width == 0) continue;
        if (!crd_i_counts_block_renumber(block, is_first ? map : NULL, is_first ? NULL : map)) return false;
    }
    return true;
}

/* Replaces the bins of a column by coarser bins, or by the same bins and more. */
static bool adopt_coarser(crd_i_pairs *pairs, size_t column, const crd_i_axis *next) {
    crd_i_axis *axis = pairs->axes[column];
    size_t map[CRD_I_AXIS_MOST];
    if (axis->count == 0 || axis->level == next->level) {
        *axis = *next; /* existing bins have kept their numbers */
        return true;
    }
    for (size_t i = 0; i < axis->count; i++)
        map[i] = crd_i_axis_find(next, crd_i_grid_key_at(axis->keys[i], next->level));
    return pair_counts_adopt(pairs, column, next, map);
}

/* Removes empty bins of numeric columns. */
static bool pair_counts_remove_empty(crd_i_pairs *pairs) {
    for (size_t column = 0; column < pairs->base.column_count; column++) {
        if (pairs->axes[column] == NULL) continue;
        crd_i_axis next = *pairs->axes[column];
        bool some[CRD_I_AXIS_MOST];
        size_t map[CRD_I_AXIS_MOST], kept = 0;
        for (size_t i = 0; i < next.count; i++) {
            some[i] = false;
            for (size_t k = 0; !some[i] && k < pairs->base.conditions; k++)
                some[i] = crd_i_pairs_single(&pairs->base, column, i, k) != 0;
            map[i] = some[i] ? kept++ : 0; /* an empty bin has no counts to move */
        }
        if (kept == next.count) continue;
        crd_i_axis_keep(&next, some);
        if (!pair_counts_adopt(pairs, column, &next, map)) return false;
    }
    return true;
}

/* ---- Adding ---- */

/* Rows that go through each step together. */
enum { STRETCH = 1024 };

typedef struct counts_stretch {
    size_t first, count;
    const crd_i_joint_tally_rows *rows;
    int32_t *codes; /* [column][row]: value or bin; negative: missing */
    bool *some;     /* for each column, whether any row has a cell */
} counts_stretch;

static bool counts_row(const crd_i_joint_tally_rows *rows, size_t row) {
    /* A row of weight zero must not add bins. */
    return rows->conditions[row] >= 0 && (rows->weights == NULL || rows->weights[row] != 0);
}

/* Adds the rows' numbers to the bins of a column, and sets codes[i] to the bin of row i. */
static bool meet_numbers(crd_i_pairs *pairs, size_t column, const counts_stretch *part, int32_t *codes) {
    const crd_i_cells *cells = &part->rows->columns[column];
    crd_i_axis next = *pairs->axes[column];
    for (size_t i = 0; i < part->count; i++) {
        size_t row = part->first + i;
        if (!counts_row(part->rows, row) || !crd_i_number_present(cells, row)) continue;
        if (next.count > 0 && crd_i_axis_find(&next, crd_i_grid_key_of(cells->numbers[row], next.level)) < next.count)
            continue;
        crd_i_axis_meet(&next, crd_i_grid_key_of(cells->numbers[row], CRD_I_GRID_EXACT), pairs->most);
    }
    if (!adopt_coarser(pairs, column, &next)) return false;
    for (size_t i = 0; i < part->count; i++) {
        size_t row = part->first + i;
        bool has = counts_row(part->rows, row) && crd_i_number_present(cells, row);
        codes[i] = has ? (int32_t)crd_i_axis_find(&next, crd_i_grid_key_of(cells->numbers[row], next.level)) : -1;
    }
    return true;
}

/* Sets the codes of all cells of the rows. */
static bool pair_counts_meet(crd_i_pairs *pairs, counts_stretch *part) {
    for (size_t column = 0; column < pairs->base.column_count; column++) {
        const crd_i_cells *cells = &part->rows->columns[column];
        int32_t *codes = part->codes + column * STRETCH;
        part->some[column] = false;
        if (pairs->axes[column] != NULL ? cells->numbers == NULL : cells->codes == NULL) continue;
        if (pairs->axes[column] != NULL) {
            if (!meet_numbers(pairs, column, part, codes)) return false;
        } else
            for (size_t i = 0; i < part->count; i++)
                codes[i] = counts_row(part->rows, part->first + i) ? cells->codes[part->first + i] : -1;
        for (size_t i = 0; i < part->count; i++) part->some[column] = part->some[column] || codes[i] >= 0;
    }
    return true;
}

/* Adds rows to a block. b NULL: counts of a single column. */
static bool pair_counts_add_block(crd_i_counts_block *block, const counts_stretch *part, const int32_t *a,
                                  const int32_t *b) {
    const int32_t *conditions = part->rows->conditions + part->first;
    const double *weights = part->rows->weights == NULL ? NULL : part->rows->weights + part->first;
    for (size_t i = 0; i < part->count; i++) {
        int32_t other = b == NULL ? 0 : b[i];
        size_t cell;
        if ((a[i] | other) < 0) continue;
        if (!crd_i_counts_block_cell(block, (size_t)a[i], (size_t)other, (size_t)conditions[i], &cell)) return false;
        if (weights == NULL ? !crd_i_sums_count(&block->sums, cell, 1)
                            : !crd_i_sums_add(&block->sums, cell, weights[i]))
            return false;
    }
    return true;
}

static crd_status add_stretch(crd_i_pairs *pairs, counts_stretch *part, crd_error *error) {
    if (!pair_counts_meet(pairs, part)) return crd_i_fail_memory(error);
    if (crd_i_pairs_are_too_many(pairs)) return CRD_ERROR_LIMIT;
    for (size_t a = 0; a < pairs->base.column_count; a++) {
        if (!part->some[a]) continue;
        const int32_t *codes = part->codes + a * STRETCH;
        if (!fit_singles(pairs, a) || !pair_counts_add_block(&pairs->singles[a], part, codes, NULL))
            return crd_i_fail_memory(error);
        for (size_t b = a + 1; b < pairs->base.column_count; b++) {
            if (!part->some[b]) continue;
            crd_i_counts_block *block = crd_i_pairs_block(pairs, a, b);
            if (block == NULL || !pair_counts_add_block(block, part, codes, part->codes + b * STRETCH))
                return crd_i_fail_memory(error);
        }
    }
    return CRD_OK;
}

static crd_status pair_counts_add(crd_i_joint_tally *base, const crd_i_joint_tally_rows *rows, crd_error *error) {
    crd_i_pairs *pairs = (crd_i_pairs *)base;
    /* checked before memory for the columns is allocated */
    if (crd_i_pairs_are_too_many(pairs)) return CRD_ERROR_LIMIT;
    crd_status status = CRD_OK;
    counts_stretch part = {.rows = rows};
    part.codes = crd_i_alloc(base->context, base->column_count * STRETCH, sizeof *part.codes);
    part.some = crd_i_alloc(base->context, base->column_count, sizeof *part.some);
    if (part.codes == NULL || part.some == NULL) status = crd_i_fail_memory(error);
    for (; status == CRD_OK && part.first < rows->rows; part.first += part.count) {
        part.count = rows->rows - part.first < STRETCH ? rows->rows - part.first : STRETCH;
        status = add_stretch(pairs, &part, error);
    }
    crd_free(base->context, part.codes);
    crd_free(base->context, part.some);
    return status;
}

/* ---- Combining ---- */

/* Gives each numeric column the bins of both tallies, and sets `cells` to the bins that the second tally's bins become.
 * When subtracting, *known becomes false if the second has bins that this one lacks. */
static bool meet_cells(crd_i_pairs *pairs, const crd_i_pairs *second, int sign, size_t (*cells)[CRD_I_AXIS_MOST],
                       bool *known) {
    for (size_t column = 0; column < pairs->base.column_count; column++) {
        const crd_i_axis *axis = second->axes[column];
        if (axis == NULL || axis->count == 0) continue;
        if (sign > 0) {
            crd_i_axis next = *pairs->axes[column];
            if (next.count == 0) next = *axis;
            crd_i_axis_coarsen(&next, axis->level);
            for (size_t i = 0; i < axis->count; i++) crd_i_axis_meet(&next, axis->keys[i], pairs->most);
            if (!adopt_coarser(pairs, column, &next)) return false;
        }
        const crd_i_axis *target_axis = pairs->axes[column];
        if (target_axis == NULL || axis->level > target_axis->level) *known = false;
        for (size_t i = 0; *known && i < axis->count; i++) {
            cells[column][i] = crd_i_axis_find(target_axis, crd_i_grid_key_at(axis->keys[i], target_axis->level));
            if (cells[column][i] == target_axis->count) *known = false;
        }
    }
    return true;
}

/* Adds (sign 1) or subtracts (sign -1) the second tally's counts. `cells` maps its bins. */
static bool combine_counts(crd_i_pairs *pairs, const crd_i_pairs *second, const crd_i_joint_tally_map *map, int sign,
                           size_t (*cells)[CRD_I_AXIS_MOST]) {
    size_t columns = pairs->base.column_count;
    for (size_t a = 0; a < columns; a++) {
        const size_t *map_a = second->axes[a] != NULL ? cells[a] : map->values[a];
        const size_t *const maps_alone[3] = {map_a, NULL, map->conditions};
        if (crd_i_pairs_cell_count(second, a) == 0) continue;
        if (!fit_singles(pairs, a) ||
            !crd_i_counts_block_combine(&pairs->singles[a], &second->singles[a], maps_alone, sign))
            return false;
        for (size_t b = a + 1; second->blocks != NULL && b < columns; b++) {
            const crd_i_counts_block *counts = second->blocks[crd_i_pairs_block_number(second, a, b)];
            if (counts == NULL) continue;
            crd_i_counts_block *counts_block = crd_i_pairs_block(pairs, a, b);
            const size_t *const maps[3] = {map_a, second->axes[b] != NULL ? cells[b] : map->values[b], map->conditions};
            if (counts_block == NULL || !crd_i_counts_block_combine(counts_block, counts, maps, sign)) return false;
        }
    }
    return true;
}

/* Adds the second tally's kinds, conditions and values. */
static bool extend_for(crd_i_joint_tally *base, const crd_i_joint_tally *second, const crd_i_joint_tally_map *map) {
    for (size_t i = 0; i < map->condition_count; i++)
        if (map->conditions[i] >= base->conditions) base->conditions = map->conditions[i] + 1;
    for (size_t column = 0; column < base->column_count; column++) {
        if (base->kinds[column] == CRD_KIND_NONE && second->kinds[column] != CRD_KIND_NONE &&
            !pair_counts_settle(base, column, second->kinds[column]))
            return false;
        if (second->kinds[column] != CRD_KIND_CATEGORY) continue;
        for (size_t i = 0; i < map->value_counts[column]; i++)
            if (map->values[column][i] >= base->value_counts[column])
                base->value_counts[column] = map->values[column][i] + 1;
    }
    return true;
}

static crd_i_joint_tally *pair_counts_combined(const crd_i_joint_tally *first, const crd_i_joint_tally *second_base,
                                               const crd_i_joint_tally_map *map, int sign, crd_status *why,
                                               crd_error *error) {
    const crd_i_pairs *second = (const crd_i_pairs *)second_base;
    crd_i_pairs *pairs = (crd_i_pairs *)pair_counts_clone(first);
    if (pairs == NULL) return NULL;
    bool known = true;
    size_t(*cells)[CRD_I_AXIS_MOST] = crd_i_alloc(first->context, first->column_count, sizeof *cells);
    if (cells == NULL || !extend_for(&pairs->base, second_base, map)) goto fail;
    if (!meet_cells(pairs, second, sign, cells, &known)) goto fail;
    if (sign > 0 && crd_i_pairs_are_too_many(pairs)) *why = CRD_ERROR_LIMIT;
    if (*why != CRD_OK) goto fail;
    if (known && !combine_counts(pairs, second, map, sign, cells)) goto fail;
    if (sign < 0) {
        if (known && !crd_i_pairs_check_counts(pairs, &known)) goto fail;
        if (!known) *why = crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "some pairs of values were never learned");
        if (!known || !pair_counts_remove_empty(pairs)) goto fail;
    }
    crd_free(first->context, cells);
    return &pairs->base;

fail:
    crd_free(first->context, cells);
    pair_counts_destroy(&pairs->base);
    return NULL;
}

/* ---- Access for densities ---- */

const crd_i_axis *crd_i_pairs_axis(const crd_i_joint_tally *base, size_t column) {
    return ((const crd_i_pairs *)base)->axes[column];
}

double crd_i_pairs_single(const crd_i_joint_tally *base, size_t column, size_t cell, size_t condition) {
    return crd_i_counts_block_value(&((const crd_i_pairs *)base)->singles[column], cell, 0, condition);
}

/* Adds up counts by bin. Sums are exact, because counts are in unspecified order. b NULL: a single column. */
static bool pair_counts_gather(const crd_i_counts_block *block, const crd_i_pairs_bins *a, const crd_i_pairs_bins *b,
                               const int32_t *places, size_t conditions, double *out) {
    size_t second = b == NULL ? 1 : b->bin_count, cells = a->bin_count * second * conditions;
    memset(out, 0, cells * sizeof *out);
    if (block == NULL || block->sums.width == 0) return true;
    crd_i_sums sums;
    crd_i_sums_init(&sums, block->sums.context);
    bool done = crd_i_sums_extend(&sums, cells) && crd_i_sums_set_window(&sums, block->sums.base, block->sums.width);
    for (crd_i_counts_cursor cursor = {0}; done && crd_i_counts_block_next(block, &cursor);) {
        int32_t i = a->bins[cursor.numbers[0]], j = b == NULL ? 0 : b->bins[cursor.numbers[1]],
                k = places[cursor.numbers[2]];
        if (i < 0 || j < 0 || k < 0) continue;
        size_t limit = ((size_t)i * second + (size_t)j) * conditions + (size_t)k;
        done = crd_i_sums_combine(&sums, limit, &block->sums, cursor.cell, 1);
    }
    for (size_t i = 0; done && i < cells; i++) out[i] = crd_i_sums_value(&sums, i);
    crd_i_sums_clear(&sums);
    return done;
}

bool crd_i_pairs_gather_singles(const crd_i_joint_tally *base, const crd_i_pairs_bins *column, const int32_t *places,
                                size_t conditions, double *out) {
    const crd_i_pairs *pairs = (const crd_i_pairs *)base;
    return pair_counts_gather(&pairs->singles[column->column], column, NULL, places, conditions, out);
}

bool crd_i_pairs_gather(const crd_i_joint_tally *base, const crd_i_pairs_bins *a, const crd_i_pairs_bins *b,
                        const int32_t *places, size_t conditions, double *out) {
    const crd_i_pairs *pairs = (const crd_i_pairs *)base;
    const crd_i_counts_block *block =
        pairs->blocks == NULL ? NULL : pairs->blocks[crd_i_pairs_block_number(pairs, a->column, b->column)];
    return pair_counts_gather(block, a, b, places, conditions, out);
}

const crd_i_joint_tally_type crd_i_pair_counts = {
    .name = "pairs",
    .summary = "counts of the value pairs of all attributes, for averaged one-dependence estimators",
    .create = pair_counts_create,
    .destroy = pair_counts_destroy,
    .clone = pair_counts_clone,
    .settle = pair_counts_settle,
    .extend = pair_counts_extend,
    .add = pair_counts_add,
    .combined = pair_counts_combined,
    .write = crd_i_pairs_write,
    .read = crd_i_pairs_read,
    .unsettle = pair_counts_unsettle,
    .refuse = pair_counts_refuse,
};
