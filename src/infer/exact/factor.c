/* SPDX-License-Identifier: MIT */
/* factor.c - see factor.h.
 *
 * A small table is gone through plainly: the two fastest dimensions are loops, the slower ones an odometer. A larger
 * one goes by tiles: a tile is the part of the table that the fastest dimensions make, at least some dozens of cells.
 * What the smaller table has for a tile is laid out beside it once, for all tiles that have the same of it, and whole
 * runs are multiplied; likewise tiles are added up, and the sum is split to the smaller table once. Which way is gone
 * is a function of the walk alone, and so are the bits. */
#include "infer/exact/factor.h"

#include "infer/exact/factor_loops.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

typedef enum operation { SET, TIMES, SUM, MOST, SET_LOG, PLUS_LOG, PLUS, LOG_SUM } operation;

/* Tables below are small; a dimension that is a run by itself; cells that make a tile, and the most it may have. */
enum { SMALL_TABLE = 192, LONG_RUN = 16, TILE = 32, MOST_TILE = 1024 };

/* ---- Plainly ---- */

static double log_of_sum(double a, double b) {
    double most = a > b ? a : b, least = a > b ? b : a;
    if (least == -INFINITY) return most;
    return most + crd_log(1 + crd_exp(least - most));
}

static inline void one(operation what, double *large, double *small) {
    switch (what) {
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

static inline void run(operation what, double *restrict large, double *restrict small, size_t extent, size_t stride) {
    if (stride == 1) {
        for (size_t i = 0; i < extent; i++) one(what, large + i, small + i);
    } else if (stride == 0 && what == SUM) {
        *small += sum_of_run(large, extent);
    } else if (stride == 0 && (what == SET || what == TIMES || what == MOST || what == PLUS)) {
        double value = *small;
        for (size_t i = 0; i < extent; i++) one(what, large + i, &value);
        if (what == MOST) *small = value;
    } else {
        for (size_t i = 0; i < extent; i++) one(what, large + i, small + i * stride);
    }
}

static inline void plane(operation what, double *large, double *small, const size_t *extents, const size_t *strides) {
    for (size_t i = 0; i < extents[1]; i++)
        run(what, large + i * extents[0], small + i * strides[1], extents[0], strides[0]);
}

static inline void walk_through(operation what, const crd_i_walk *walk, double *large, double *small) {
    if (walk->count == 1) {
        run(what, large, small, walk->extents[0], walk->strides[0]);
        return;
    }
    size_t size = walk->extents[0] * walk->extents[1];
    if (walk->count == 2) {
        plane(what, large, small, walk->extents, walk->strides);
        return;
    }
    size_t counters[CRD_I_MOST_DIMENSIONS];
    memset(counters, 0, walk->count * sizeof *counters);
    for (;;) {
        plane(what, large, small, walk->extents, walk->strides);
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

/* Dimensions that are slower than a tile: those that both tables have, or the larger one alone. */
typedef struct slower {
    size_t count;
    size_t extents[CRD_I_MOST_DIMENSIONS], large[CRD_I_MOST_DIMENSIONS], small[CRD_I_MOST_DIMENSIONS];
    size_t counters[CRD_I_MOST_DIMENSIONS];
} slower;

typedef enum kind { SIDE_BY_SIDE, ONE_CELL, SCATTERED } kind;

typedef struct tiling {
    const crd_i_factor_loops *runs;
    size_t cells; /* of a tile */
    kind kind;    /* how the smaller table has it */
    slower common, only;
    size_t places[MOST_TILE]; /* where the cells of a scattered tile are */
    double tile[MOST_TILE];
} tiling;

static void add_slower(slower *to, size_t extent, size_t large, size_t small) {
    to->extents[to->count] = extent;
    to->large[to->count] = large;
    to->small[to->count] = small;
    to->counters[to->count++] = 0;
}

/* To the next combination; false: it was the last, and all begin anew. */
static bool next(slower *at, size_t *large, size_t *small) {
    for (size_t i = 0; i < at->count; i++) {
        *large += at->large[i];
        *small += at->small[i];
        if (++at->counters[i] < at->extents[i]) return true;
        *large -= at->large[i] * at->extents[i];
        *small -= at->small[i] * at->extents[i];
        at->counters[i] = 0;
    }
    return false;
}

/* False: the table has no tiles that would pay. */
static bool make_tiling(const crd_i_walk *walk, tiling *own) {
    size_t tile = 1, first = 0;
    own->kind = walk->extents[0] < LONG_RUN || walk->strides[0] > 1 ? SCATTERED
                : walk->strides[0] == 1                             ? SIDE_BY_SIDE
                                                                    : ONE_CELL;
    if (own->kind != SCATTERED) tile = walk->extents[first++];
    for (; tile < TILE && own->kind == SCATTERED && first < walk->count; first++) {
        if (tile * walk->extents[first] > MOST_TILE) break;
        for (size_t i = 0; i < walk->extents[first]; i++)
            for (size_t j = 0; j < tile; j++)
                own->places[i * tile + j] = (first == 0 ? 0 : own->places[j]) + i * walk->strides[first];
        tile *= walk->extents[first];
    }
    size_t again = 1;
    for (size_t i = first; i < walk->count; i++) again *= walk->strides[i] > 0 ? 1 : walk->extents[i];
    if (tile < LONG_RUN || (own->kind == SCATTERED && again * LONG_RUN < walk->extents[0] * 8)) return false;
    own->runs = crd_i_factor_loops_best();
    own->cells = tile;
    own->common.count = own->only.count = 0;
    for (size_t i = first; i < walk->count; i++) {
        add_slower(walk->strides[i] > 0 ? &own->common : &own->only, walk->extents[i], tile, walk->strides[i]);
        tile *= walk->extents[i];
    }
    return true;
}

/* One tile, beside what the smaller table has for it. */
static inline void touch(operation what, const tiling *own, double *large, double *beside) {
    size_t count = own->cells;
    if (own->kind == ONE_CELL) {
        if (what == TIMES) own->runs->scale(large, *beside, count);
        if (what == SUM) *beside += own->runs->sum(large, count);
        for (size_t i = 0; what == SET && i < count; i++) large[i] = *beside;
        for (size_t i = 0; what == MOST && i < count; i++) *beside = large[i] > *beside ? large[i] : *beside;
        return;
    }
    if (what == TIMES) own->runs->times(large, beside, count);
    if (what == SUM) own->runs->add(beside, large, count);
    if (what == SET) memcpy(large, beside, count * sizeof *large);
    if (what == MOST) own->runs->raise(beside, large, count);
}

static inline void walk_tiles(operation what, tiling *own, double *large, double *small) {
    size_t from = 0, to = 0, none = 0;
    do {
        double *beside = small + to;
        size_t at = from;
        if (own->kind == SCATTERED) {
            for (size_t i = 0; i < own->cells; i++) own->tile[i] = what == SUM ? 0 : beside[own->places[i]];
            beside = own->tile;
        }
        do touch(what, own, large + at, beside);
        while (next(&own->only, &at, &none));
        if (own->kind != SCATTERED) continue;
        for (size_t i = 0; what == SUM && i < own->cells; i++) small[to + own->places[i]] += own->tile[i];
        for (size_t i = 0; what == MOST && i < own->cells; i++) {
            double *cell = &small[to + own->places[i]];
            *cell = own->tile[i] > *cell ? own->tile[i] : *cell;
        }
    } while (next(&own->common, &from, &to));
}

static void go_plainly(operation what, const crd_i_walk *walk, double *large, double *small) {
    switch (what) {
    case SET: walk_through(SET, walk, large, small); break;
    case TIMES: walk_through(TIMES, walk, large, small); break;
    case SUM: walk_through(SUM, walk, large, small); break;
    default: walk_through(MOST, walk, large, small); break;
    }
}

static void go_by_tiles(operation what, const crd_i_walk *walk, double *large, double *small) {
    tiling tiles;
    if (!make_tiling(walk, &tiles)) {
        go_plainly(what, walk, large, small);
        return;
    }
    switch (what) {
    case SET: walk_tiles(SET, &tiles, large, small); break;
    case TIMES: walk_tiles(TIMES, &tiles, large, small); break;
    case SUM: walk_tiles(SUM, &tiles, large, small); break;
    default: walk_tiles(MOST, &tiles, large, small); break;
    }
}

static void go(operation what, const crd_i_walk *walk, double *large, double *small) {
    size_t cells = 1;
    for (size_t i = 0; i < walk->count; i++) cells *= walk->extents[i];
    (cells < SMALL_TABLE ? go_plainly : go_by_tiles)(what, walk, large, small);
}

/* ---- Operations ---- */

void crd_i_factor_set(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *factor) {
    if (scale == CRD_I_PLAIN) go(SET, walk, large, (double *)factor);
    else walk_through(SET_LOG, walk, large, (double *)factor);
}

void crd_i_factor_times(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *factor) {
    if (scale == CRD_I_PLAIN) go(TIMES, walk, large, (double *)factor);
    else walk_through(PLUS_LOG, walk, large, (double *)factor);
}

void crd_i_message_times(crd_i_factor_scale scale, const crd_i_walk *walk, double *large, const double *message) {
    if (scale == CRD_I_PLAIN) go(TIMES, walk, large, (double *)message);
    else walk_through(PLUS, walk, large, (double *)message);
}

void crd_i_message_clear(crd_i_factor_scale scale, double *cells, size_t count) {
    for (size_t i = 0; i < count; i++) cells[i] = scale == CRD_I_PLAIN ? 0 : -INFINITY;
}

void crd_i_message_add(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small) {
    if (scale == CRD_I_PLAIN) go(SUM, walk, (double *)large, small);
    else walk_through(LOG_SUM, walk, (double *)large, small);
}

void crd_i_message_raise(crd_i_factor_scale scale, const crd_i_walk *walk, const double *large, double *small) {
    (void)scale;
    go(MOST, walk, (double *)large, small);
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
