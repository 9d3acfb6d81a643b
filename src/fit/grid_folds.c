/* SPDX-License-Identifier: MIT */
/* grid_folds.c - see grid_folds.h.
 *
 * A weight counts as that many rows, which are assigned to folds independently, plus a fraction of a row. If equal rows
 * were split evenly instead, a density that follows the rows too closely would find exactly its training data in each
 * fold. For a large number of equal rows, the binomial numbers per fold are drawn by the normal approximation.
 *
 * Families are tried many times, so at most 512 different numbers of a column are used. If its grid has more bins,
 * neighbors are merged within intervals of equal width, a power of two. The number with the most rows represents all
 * numbers of its interval. A bin of positive width is represented by its center. In a column of integers the center is
 * an integer, too, because a bin that is not a single number has at least width 2. */
#include "fit/grid_folds.h"

#include "base/memory.h"
#include "math/exact/ieee754.h"
#include "stats/grid.h"

#include <math.h>
#include <string.h>

enum {
    MOST_NUMBERS = 512,
    ONE_BY_ONE = 4096, /* more equal rows than this are not assigned one by one */
    DIGITS = 27        /* base-5 digits, one per fold choice, in 64 random bits */
};

/* ---- Merging bins ---- */

/* Returns the number of intervals of a width that contain bins. */
static size_t count_intervals(const crd_i_grid_view *grid, double width) {
    size_t count = 0;
    for (size_t i = 0; i < grid->count; i++)
        if (i == 0 || floor(grid->values[i] / width) != floor(grid->values[i - 1] / width)) count++;
    return count;
}

/* Returns the smallest width that leaves at most MOST_NUMBERS intervals; 0 if bins need not be merged. */
static double width_of_intervals(const crd_i_grid_view *grid) {
    if (grid->count <= MOST_NUMBERS) return 0;
    int exponent;
    (void)frexp(grid->values[grid->count - 1] * 0.5 - grid->values[0] * 0.5, &exponent);
    /* The range is below 2^(exponent + 1), so at most 257 intervals of this width meet it. */
    double width = ldexp(1, exponent - 7);
    while (width / 2 > 0 && count_intervals(grid, width / 2) <= MOST_NUMBERS) width /= 2;
    return width;
}

/* Merges bins in place. A merged bin has the sum of the counts, and the number of the bin with the most rows. */
static void grid_folds_join(crd_i_grid_view *grid) {
    double width = width_of_intervals(grid), most = 0, interval = 0;
    size_t kept = 0, conditions = grid->conditions;
    for (size_t i = 0; i < grid->count; i++) {
        const double *source = grid->counts + i * conditions;
        double rows = 0, number = grid->values[i], place = width > 0 ? floor(grid->values[i] / width) : 0;
        for (size_t k = 0; k < conditions; k++) rows += source[k];
        bool is_new = kept == 0 || width == 0 || place != interval;
        double *destination = grid->counts + (is_new ? kept++ : kept - 1) * conditions;
        for (size_t k = 0; k < conditions; k++) destination[k] = is_new ? source[k] : destination[k] + source[k];
        interval = place;
        if (!is_new && rows <= most) continue;
        most = rows;
        grid->values[kept - 1] = number;
    }
    grid->count = kept;
}

/* ---- Assignment to folds ---- */

/* Returns the FNV-1a hash of a text. */
static uint64_t grid_folds_hash(crd_text text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < text.length; i++) hash = (hash ^ (unsigned char)text.bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Assigns rows to folds one by one, uniformly. */
static void deal_one_by_one(crd_i_random *random, size_t rows, double *shares) {
    while (rows > 0) {
        uint64_t bits = crd_i_random_bits(random);
        for (int digit = 0; digit < DIGITS && rows > 0; digit++, rows--) {
            shares[bits % CRD_I_GRID_FOLDS]++;
            bits /= CRD_I_GRID_FOLDS;
        }
    }
}

/* Draws the number of rows of each fold from a multinomial distribution, as successive binomials by the normal
 * approximation. */
static void deal_many(crd_i_random *random, double rows, double *shares) {
    for (size_t f = 0; f + 1 < CRD_I_GRID_FOLDS; f++) {
        double p = 1.0 / (double)(CRD_I_GRID_FOLDS - f);
        double drawn = floor(rows * p + sqrt(rows * p * (1 - p)) * crd_i_random_normal(random) + 0.5);
        shares[f] = drawn < 0 ? 0 : drawn > rows ? rows : drawn;
        rows -= shares[f];
    }
    shares[CRD_I_GRID_FOLDS - 1] = rows;
}

static void grid_folds_deal(crd_i_random *random, double weight, double shares[CRD_I_GRID_FOLDS]) {
    for (size_t f = 0; f < CRD_I_GRID_FOLDS; f++) shares[f] = 0;
    double rows = floor(weight);
    if (rows <= ONE_BY_ONE) deal_one_by_one(random, (size_t)rows, shares);
    else deal_many(random, rows, shares);
    if (weight > rows) shares[crd_i_random_below(random, CRD_I_GRID_FOLDS)] += weight - rows;
}

static bool grid_folds_append(crd_context *context, crd_i_grid_folds_fold *fold, double number, size_t condition,
                              double weight) {
    size_t index = fold->count;
    if (!crd_i_reserve(context, &fold->numbers, &fold->capacity[0], index + 1, sizeof *fold->numbers) ||
        !crd_i_reserve(context, &fold->conditions, &fold->capacity[1], index + 1, sizeof *fold->conditions) ||
        !crd_i_reserve(context, &fold->weights, &fold->capacity[2], index + 1, sizeof *fold->weights))
        return false;
    fold->numbers[index] = number;
    fold->conditions[index] = (int32_t)condition;
    fold->weights[index] = weight;
    fold->count++;
    return true;
}

/* Splits the rows of one bin, condition by condition. The random numbers depend only on the class name and the number.
 * Returns false if memory runs out. */
static bool deal_cell(crd_i_grid_folds *dealt, const crd_i_grid_view *grid, size_t cell, const uint64_t *names) {
    double shares[CRD_I_GRID_FOLDS], number = grid->values[cell];
    for (size_t k = 0; k < dealt->conditions; k++) {
        double weight = grid->counts[cell * dealt->conditions + k];
        if (!(weight > 0)) continue;
        crd_i_random random = crd_i_random_at(names[k], crd_i_bits_of(number + 0.0)); /* -0 is 0 */
        grid_folds_deal(&random, weight, shares);
        for (size_t f = 0; f < CRD_I_GRID_FOLDS; f++) {
            if (shares[f] == 0) continue;
            if (!grid_folds_append(dealt->context, &dealt->folds[f], number, k, shares[f])) return false;
            dealt->rows[f * dealt->conditions + k] += shares[f];
        }
    }
    return true;
}

/* ---- Sufficient statistics ---- */

static bool add_fold(crd_i_tally *tally, crd_context *context, size_t conditions, const crd_i_grid_folds_fold *fold) {
    crd_i_groups groups;
    const crd_i_cells cells = {.rows = fold->count, .numbers = fold->numbers};
    bool done = crd_i_groups_init(&groups, context, fold->conditions, fold->weights, fold->count) &&
                tally->type->extend(tally, conditions, 0) && tally->type->add(tally, &cells, &groups);
    crd_i_groups_clear(&groups);
    return done;
}

/* Computes the tallies of all folds together. Returns false if memory runs out. */
static bool tally_whole(crd_i_grid_folds *dealt) {
    bool done = true;
    for (size_t t = 0; done && t < CRD_I_MOST_READS; t++) {
        dealt->whole[t] = crd_i_family_auto.reads[t]->create(dealt->context);
        done = dealt->whole[t] != NULL;
        for (size_t f = 0; done && f < CRD_I_GRID_FOLDS; f++)
            done = add_fold(dealt->whole[t], dealt->context, dealt->conditions, &dealt->folds[f]);
    }
    return done;
}

/* Merges the bins of the grid, splits their rows and computes the tallies of the whole. */
bool crd_i_grid_folds_init(crd_i_grid_folds *dealt, crd_context *context, const crd_i_tally *grid,
                           const crd_i_view *view, const crd_i_dictionary *names) {
    crd_i_grid_view cells;
    memset(dealt, 0, sizeof *dealt);
    dealt->context = context;
    dealt->conditions = view->condition_count;
    dealt->rows = crd_i_alloc_zeroed(context, CRD_I_GRID_FOLDS * dealt->conditions, sizeof *dealt->rows);
    uint64_t *hashes = crd_i_alloc(context, dealt->conditions, sizeof *hashes);
    bool done = crd_i_grid_view_init(&cells, context, grid, view) && dealt->rows != NULL && hashes != NULL;
    for (size_t k = 0; done && k < dealt->conditions; k++) hashes[k] = grid_folds_hash(crd_i_dictionary_text(names, k));
    if (done) grid_folds_join(&cells);
    for (size_t i = 0; done && i < cells.count; i++) done = deal_cell(dealt, &cells, i, hashes);
    done = done && tally_whole(dealt);
    crd_i_grid_view_clear(&cells);
    crd_free(context, hashes);
    return done;
}

void crd_i_grid_folds_clear(crd_i_grid_folds *dealt) {
    for (size_t f = 0; f < CRD_I_GRID_FOLDS; f++) {
        crd_free(dealt->context, dealt->folds[f].numbers);
        crd_free(dealt->context, dealt->folds[f].conditions);
        crd_free(dealt->context, dealt->folds[f].weights);
    }
    for (size_t t = 0; t < CRD_I_MOST_READS; t++) crd_i_tally_destroy(dealt->whole[t]);
    crd_free(dealt->context, dealt->rows);
}

/* Computes the tally of all rows outside of a fold by subtraction. Tallies are exact, so this equals the sum of the
 * other folds. */
static bool subtract_fold(const crd_i_grid_folds *dealt, size_t fold, const crd_i_tally_map *map,
                          const crd_i_tally *whole, crd_i_tally **tally) {
    const crd_i_tally_type *type = whole->type;
    crd_i_tally *out = type->create(dealt->context);
    *tally = type->create(dealt->context);
    bool done = out != NULL && *tally != NULL &&
                add_fold(out, dealt->context, dealt->conditions, &dealt->folds[fold]) &&
                type->prepare(*tally, whole, map) && type->combine(*tally, whole, map, 1) &&
                type->prepare(*tally, out, map) && type->combine(*tally, out, map, -1);
    crd_i_tally_destroy(out);
    return done;
}

bool crd_i_grid_folds_rest(const crd_i_grid_folds *dealt, size_t fold, crd_i_tally *tally[CRD_I_MOST_READS]) {
    for (size_t t = 0; t < CRD_I_MOST_READS; t++) tally[t] = NULL;
    size_t *same = crd_i_alloc(dealt->context, dealt->conditions, sizeof *same);
    bool done = same != NULL;
    for (size_t k = 0; done && k < dealt->conditions; k++) same[k] = k;
    const crd_i_tally_map map = {same, dealt->conditions, NULL, 0};
    for (size_t t = 0; done && t < CRD_I_MOST_READS; t++)
        done = subtract_fold(dealt, fold, &map, dealt->whole[t], &tally[t]);
    crd_free(dealt->context, same);
    return done;
}
