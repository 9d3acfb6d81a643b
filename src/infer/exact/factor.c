/* SPDX-License-Identifier: MIT */
/* factor.c - see junction_types.h.
 *
 * A small table is traversed plainly: the two fastest dimensions are loops, the slower ones an odometer. A larger
 * table is traversed by tiles. A tile is the part of the table spanned by the fastest dimensions, at least some
 * dozens of cells. The matching entries of the smaller table are laid out once for all tiles that share them, and
 * whole runs are multiplied. For sums, tiles are added up first, and the total is distributed to the smaller table
 * once. The choice depends only on the walk, so results are reproducible to the last bit. */
#include "infer/exact/junction_types.h"

#include "infer/exact/factor_loops.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

typedef enum factor_operation { SET, TIMES, SUM, MOST, SET_LOG, PLUS_LOG, PLUS, LOG_SUM } factor_operation;

/* Tables below this size are small; length of a dimension that is a run on its own; minimum and maximum cells of a
 * tile. */
enum { SMALL_TABLE = 192, LONG_RUN = 16, TILE = 32, MOST_TILE = 1024 };

/* ---- Plainly ---- */

static double log_of_sum(double a, double b) {
    double most = a > b ? a : b, least = a > b ? b : a;
    if (least == -INFINITY) return most;
    return most + crd_log(1 + crd_exp(least - most));
}

static inline void factor_one(factor_operation operation, double *large, double *small) {
    switch (operation) {
    case SET: *large = *small; break;
    case TIMES: *large *= *small; break;
    case SUM: *small += *large; break;
    case MOST: *small = *large > *small ? *large : *small; break;
    case SET_LOG: *large = *small > 0 ? crd_log(*small) : -INFINITY; break;
    case PLUS_LOG: *large += *small > 0 ? crd_log(*small) : -INFINITY; break;
    case PLUS: *large += *small; break;
    case LOG_SUM: *small = log_of_sum(*small, *large); break;
    }
}

static double sum_of_run(const double *cells, size_t count) {
    double sums[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        sums[0] += cells[i];
        sums[1] += cells[i + 1];
        sums[2] += cells[i + 2];
        sums[3] += cells[i + 3];
    }
    for (; i < count; i++) sums[0] += cells[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static inline void factor_run(factor_operation operation, double *restrict large, double *restrict small, size_t extent,
                              size_t stride) {
    if (stride == 1) {
        for (size_t i = 0; i < extent; i++) factor_one(operation, large + i, small + i);
    } else if (stride == 0 && operation == SUM) {
        *small += sum_of_run(large, extent);
    } else if (stride == 0 && (operation == SET || operation == TIMES || operation == MOST || operation == PLUS)) {
        double value = *small;
        for (size_t i = 0; i < extent; i++) factor_one(operation, large + i, &value);
        if (operation == MOST) *small = value;
    } else {
        for (size_t i = 0; i < extent; i++) factor_one(operation, large + i, small + i * stride);
    }
}

static inline void factor_plane(factor_operation operation, double *large, double *small, const size_t *extents,
                                const size_t *strides) {
    for (size_t i = 0; i < extents[1]; i++)
        factor_run(operation, large + i * extents[0], small + i * strides[1], extents[0], strides[0]);
}

static inline void walk_through(factor_operation operation, const crd_i_walk *walk, double *large, double *small) {
    if (walk->count == 1) {
        factor_run(operation, large, small, walk->extents[0], walk->strides[0]);
        return;
    }
    size_t size = walk->extents[0] * walk->extents[1];
    if (walk->count == 2) {
        factor_plane(operation, large, small, walk->extents, walk->strides);
        return;
    }
    size_t counters[CRD_I_MOST_DIMENSIONS];
    memset(counters, 0, walk->count * sizeof *counters);
    for (;;) {
        factor_plane(operation, large, small, walk->extents, walk->strides);
        large += size;
        size_t i = 2;
        for (; i < walk->count; i++) {
            small += walk->strides[i];
            if (++counters[i] < walk->extents[i]) break;
            small -= walk->strides[i] * walk->extents[i];
            counters[i] = 0;
        }
        if (i == walk->count) return;
    }
}

/* ---- By tiles ---- */

/* Dimensions slower than a tile: in both tables, or only in the larger one. */
typedef struct factor_slow_path {
    size_t count;
    size_t extents[CRD_I_MOST_DIMENSIONS], large[CRD_I_MOST_DIMENSIONS], small[CRD_I_MOST_DIMENSIONS];
    size_t counters[CRD_I_MOST_DIMENSIONS];
} factor_slow_path;

typedef enum kind { SIDE_BY_SIDE, ONE_CELL, SCATTERED } kind;

typedef struct factor_tiling {
    const crd_i_factor_loops *runs;
    size_t cells; /* cells of a tile */
    kind kind;    /* layout of the tile in the smaller table */
    factor_slow_path common, only;
    size_t places[MOST_TILE]; /* positions of the cells of a scattered tile */
    double tile[MOST_TILE];
} factor_tiling;

static void add_slower(factor_slow_path *slow_path, size_t extent, size_t large, size_t small) {
    slow_path->extents[slow_path->count] = extent;
    slow_path->large[slow_path->count] = large;
    slow_path->small[slow_path->count] = small;
    slow_path->counters[slow_path->count++] = 0;
}

/* Advances to the next combination. Returns false after the last one and resets all counters. */
static bool factor_next(factor_slow_path *slow_path, size_t *large, size_t *small) {
    for (size_t i = 0; i < slow_path->count; i++) {
        *large += slow_path->large[i];
        *small += slow_path->small[i];
        if (++slow_path->counters[i] < slow_path->extents[i]) return true;
        *large -= slow_path->large[i] * slow_path->extents[i];
        *small -= slow_path->small[i] * slow_path->extents[i];
        slow_path->counters[i] = 0;
    }
    return false;
}

/* Returns false if tiles would not pay off for this table. */
static bool make_tiling(const crd_i_walk *walk, factor_tiling *tiling) {
    size_t tile = 1, first = 0;
    tiling->kind = walk->extents[0] < LONG_RUN || walk->strides[0] > 1 ? SCATTERED
                   : walk->strides[0] == 1                             ? SIDE_BY_SIDE
                                                                       : ONE_CELL;
    if (tiling->kind != SCATTERED) tile = walk->extents[first++];
    for (; tile < TILE && tiling->kind == SCATTERED && first < walk->count; first++) {
        if (tile * walk->extents[first] > MOST_TILE) break;
        for (size_t i = 0; i < walk->extents[first]; i++)
            for (size_t j = 0; j < tile; j++)
                tiling->places[i * tile + j] = (first == 0 ? 0 : tiling->places[j]) + i * walk->strides[first];
        tile *= walk->extents[first];
    }
    size_t again = 1;
    for (size_t i = first; i < walk->count; i++) again *= walk->strides[i] > 0 ? 1 : walk->extents[i];
    if (tile < LONG_RUN || (tiling->kind == SCATTERED && again * LONG_RUN < walk->extents[0] * 8)) return false;
    tiling->runs = crd_i_factor_loops_best();
    tiling->cells = tile;
    tiling->common.count = tiling->only.count = 0;
    for (size_t i = first; i < walk->count; i++) {
        add_slower(walk->strides[i] > 0 ? &tiling->common : &tiling->only, walk->extents[i], tile, walk->strides[i]);
        tile *= walk->extents[i];
    }
    return true;
}

/* Processes one tile together with the matching entries of the smaller table. */
static inline void factor_touch(factor_operation operation, const factor_tiling *tiling, double *large,
                                double *beside) {
    size_t count = tiling->cells;
    if (tiling->kind == ONE_CELL) {
        if (operation == TIMES) tiling->runs->scale(large, *beside, count);
        if (operation == SUM) *beside += tiling->runs->sum(large, count);
        for (size_t i = 0; operation == SET && i < count; i++) large[i] = *beside;
        for (size_t i = 0; operation == MOST && i < count; i++) *beside = large[i] > *beside ? large[i] : *beside;
        return;
    }
    if (operation == TIMES) tiling->runs->times(large, beside, count);
    if (operation == SUM) tiling->runs->add(beside, large, count);
    if (operation == SET) memcpy(large, beside, count * sizeof *large);
    if (operation == MOST) tiling->runs->raise(beside, large, count);
}

static inline void walk_tiles(factor_operation operation, factor_tiling *tiling, double *large, double *small) {
    size_t source = 0, target = 0, none = 0;
    do {
        double *beside = small + target;
        size_t index = source;
        if (tiling->kind == SCATTERED) {
            for (size_t i = 0; i < tiling->cells; i++)
                tiling->tile[i] = operation == SUM ? 0 : beside[tiling->places[i]];
            beside = tiling->tile;
        }
        do factor_touch(operation, tiling, large + index, beside);
        while (factor_next(&tiling->only, &index, &none));
        if (tiling->kind != SCATTERED) continue;
        for (size_t i = 0; operation == SUM && i < tiling->cells; i++)
            small[target + tiling->places[i]] += tiling->tile[i];
        for (size_t i = 0; operation == MOST && i < tiling->cells; i++) {
            double *cell = &small[target + tiling->places[i]];
            *cell = tiling->tile[i] > *cell ? tiling->tile[i] : *cell;
        }
    } while (factor_next(&tiling->common, &source, &target));
}

static void go_plainly(factor_operation operation, const crd_i_walk *walk, double *large, double *small) {
    switch (operation) {
    case SET: walk_through(SET, walk, large, small); break;
    case TIMES: walk_through(TIMES, walk, large, small); break;
    case SUM: walk_through(SUM, walk, large, small); break;
    default: walk_through(MOST, walk, large, small); break;
    }
}

static void go_by_tiles(factor_operation operation, const crd_i_walk *walk, double *large, double *small) {
    factor_tiling tiles;
    if (!make_tiling(walk, &tiles)) {
        go_plainly(operation, walk, large, small);
        return;
    }
    switch (operation) {
    case SET: walk_tiles(SET, &tiles, large, small); break;
    case TIMES: walk_tiles(TIMES, &tiles, large, small); break;
    case SUM: walk_tiles(SUM, &tiles, large, small); break;
    default: walk_tiles(MOST, &tiles, large, small); break;
    }
}

static void factor_go(factor_operation operation, const crd_i_walk *walk, double *large, double *small) {
    size_t cells = 1;
    for (size_t i = 0; i < walk->count; i++) cells *= walk->extents[i];
    (cells < SMALL_TABLE ? go_plainly : go_by_tiles)(operation, walk, large, small);
}

/* ---- Operations ---- */

void crd_i_factor_set(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *factor) {
    if (scale == CRD_I_PLAIN) factor_go(SET, walk, large, (double *)factor);
    else walk_through(SET_LOG, walk, large, (double *)factor);
}

void crd_i_factor_times(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *factor) {
    if (scale == CRD_I_PLAIN) factor_go(TIMES, walk, large, (double *)factor);
    else walk_through(PLUS_LOG, walk, large, (double *)factor);
}

void crd_i_message_times(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *message) {
    if (scale == CRD_I_PLAIN) factor_go(TIMES, walk, large, (double *)message);
    else walk_through(PLUS, walk, large, (double *)message);
}

void crd_i_message_clear(crd_i_factor_scale scale, double *cells, size_t count) {
    for (size_t i = 0; i < count; i++) cells[i] = scale == CRD_I_PLAIN ? 0 : -INFINITY;
}

void crd_i_message_add(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small) {
    if (scale == CRD_I_PLAIN) factor_go(SUM, walk, (double *)large, small);
    else walk_through(LOG_SUM, walk, (double *)large, small);
}

void crd_i_message_raise(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small) {
    (void)scale;
    factor_go(MOST, walk, (double *)large, small);
}

void crd_i_message_sum(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small,
                       size_t cells) {
    crd_i_message_clear(scale, small, cells);
    crd_i_message_add(scale, walk, large, small);
}

void crd_i_message_most(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small,
                        size_t cells) {
    crd_i_message_clear(scale, small, cells);
    crd_i_message_raise(scale, walk, large, small);
}

void crd_i_message_dots(crd_i_factor_scale scale, const double *large, size_t rows, size_t width, const double *message,
                        double *sums) {
    const crd_i_factor_loops *runs = crd_i_factor_loops_best();
    for (size_t row = 0; row < rows; row++, large += width) {
        double logs = -INFINITY;
        for (size_t i = 0; scale == CRD_I_LOGS && i < width; i++) logs = log_of_sum(logs, large[i] + message[i]);
        sums[row] = scale == CRD_I_LOGS ? logs : runs->dot(large, message, width);
    }
}

void crd_i_message_divide(crd_i_factor_scale scale, const double *after, double *before, size_t cells, double factor) {
    for (size_t i = 0; i < cells; i++) {
        if (scale == CRD_I_PLAIN) before[i] = before[i] > 0 ? after[i] * factor / before[i] : 0;
        else before[i] = before[i] > -INFINITY ? after[i] - before[i] : -INFINITY;
    }
}
