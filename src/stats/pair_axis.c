/* SPDX-License-Identifier: MIT */
/* pair_axis.c - see pair_axis.h. */
#include "stats/pair_axis.h"

#include <float.h>
#include <math.h>
#include <string.h>

void crd_i_axis_init(crd_i_axis *axis) {
    memset(axis, 0, sizeof *axis);
    axis->level = CRD_I_GRID_EXACT;
}

/* ---- Hash table ---- */

/* Returns the place in the hash table `places` of a bin that has this key at a level, or the empty place where it
 * belongs. */
static size_t pair_axis_place(const crd_i_axis *axis, const uint8_t places[CRD_I_AXIS_PLACES], uint64_t key,
                              int32_t level) {
    enum { BITS = 9 };
    _Static_assert(1 << BITS == CRD_I_AXIS_PLACES, "the places are as many as hashes");
    size_t place = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS));
    while (places[place] != 0 && crd_i_grid_key_at(axis->keys[places[place] - 1], level) != key)
        place = (place + 1) % CRD_I_AXIS_PLACES;
    return place;
}

size_t crd_i_axis_find(const crd_i_axis *axis, uint64_t key) {
    uint8_t place = axis->places[pair_axis_place(axis, axis->places, key, CRD_I_GRID_EXACT)];
    return place == 0 ? axis->count : place - (size_t)1;
}

void crd_i_axis_append(crd_i_axis *axis, uint64_t key) {
    uint8_t *place = &axis->places[pair_axis_place(axis, axis->places, key, CRD_I_GRID_EXACT)];
    if (*place != 0) return;
    axis->keys[axis->count++] = key;
    *place = (uint8_t)axis->count;
}

/* ---- Levels ---- */

void crd_i_axis_coarsen(crd_i_axis *axis, int32_t level) {
    if (level <= axis->level) return;
    size_t count = axis->count;
    axis->level = level;
    axis->count = 0;
    memset(axis->places, 0, sizeof axis->places);
    /* This works in place, because no bin is written before it was read. */
    for (size_t cell = 0; cell < count; cell++) crd_i_axis_append(axis, crd_i_grid_key_at(axis->keys[cell], level));
}

/* Returns how many bins there would be at a level. */
static size_t pair_axis_count(const crd_i_axis *axis, int32_t level) {
    uint8_t places[CRD_I_AXIS_PLACES] = {0};
    size_t cells = 0;
    for (size_t cell = 0; cell < axis->count; cell++) {
        uint8_t *place = &places[pair_axis_place(axis, places, crd_i_grid_key_at(axis->keys[cell], level), level)];
        cells += *place == 0;
        if (*place == 0) *place = (uint8_t)(cell + 1);
    }
    return cells;
}

/* Returns the lowest level that leaves at most `most` bins, if there are more now. Levels up to the lowest set bit of
 * any key change nothing. From there, an exponential search passes the wanted level and a binary search finds it. */
static int32_t level_for(const crd_i_axis *axis, size_t most) {
    int32_t highest = crd_i_grid_highest(most), low = highest;
    for (size_t cell = 0; cell < axis->count; cell++) {
        int32_t here = crd_i_grid_key_lowest_bit(axis->keys[cell]);
        if (here < low) low = here;
    }
    if (low < axis->level) low = axis->level;
    int32_t high = low + 1;
    for (int32_t step = 2; high < highest && pair_axis_count(axis, high) > most; step *= 2) {
        low = high;
        high = high + step < highest ? high + step : highest;
    }
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (pair_axis_count(axis, middle) > most) low = middle;
        else high = middle;
    }
    return high;
}

void crd_i_axis_meet(crd_i_axis *axis, uint64_t bits, size_t most) {
    if (axis->count == 0) axis->level = CRD_I_GRID_EXACT;
    crd_i_axis_append(axis, crd_i_grid_key_at(bits, axis->level));
    if (axis->count > most) crd_i_axis_coarsen(axis, level_for(axis, most));
}

void crd_i_axis_keep(crd_i_axis *axis, const bool *marked) {
    size_t count = axis->count;
    axis->count = 0;
    memset(axis->places, 0, sizeof axis->places);
    for (size_t cell = 0; cell < count; cell++)
        if (marked[cell]) crd_i_axis_append(axis, axis->keys[cell]);
    if (axis->count == 0) axis->level = CRD_I_GRID_EXACT;
}

/* ---- Order ---- */

void crd_i_axis_order(const crd_i_axis *axis, int32_t order[CRD_I_AXIS_MOST]) {
    for (size_t i = 0; i < axis->count; i++) {
        size_t index = i;
        uint64_t rank = crd_i_grid_key_rank(axis->keys[i]);
        for (; index > 0 && crd_i_grid_key_rank(axis->keys[order[index - 1]]) > rank; index--)
            order[index] = order[index - 1];
        order[index] = (int32_t)i;
    }
}

void crd_i_axis_ends(const crd_i_axis *axis, size_t cell, double *least, double *greatest) {
    double end = crd_i_double_of(axis->keys[cell]);
    *least = *greatest = end;
    if (axis->level == CRD_I_GRID_EXACT) return;
    /* A bin contains its end towards zero, but not the other end. Far from zero, doubles are farther apart than the
     * width of a bin; then the bin contains only that end. */
    double width = ldexp(1, axis->level), other = (axis->keys[cell] & CRD_I_SIGN_BIT) == 0 ? end + width : end - width;
    if (other > end) *greatest = nextafter(other, -DBL_MAX);
    if (other < end) *least = nextafter(other, DBL_MAX);
}
