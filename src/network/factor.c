/* factor.c - see factor.h.
 *
 * The two fastest dimensions are loops, the slower ones an odometer. Each operation is one inlined function with the
 * operation as a constant, so that the compiler makes a loop of its own for each, and vectorises where the cells of the
 * smaller table lie side by side. What is added up lands in different cells then, so that vectors change no bits; a run
 * that adds up to one cell goes through four partial sums, everywhere the same four. */
#include "network/factor.h"

#include "math/elementary.h"

#include <math.h>
#include <string.h>

typedef enum operation { SET, TIMES, SUM, MOST, SET_LOG, PLUS_LOG, PLUS, LOG_SUM } operation;

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

void crd_i_factor_set(crd_i_scale scale, const crd_i_walk *walk, double *large, const double *factor) {
    if (scale == CRD_I_PLAIN) walk_through(SET, walk, large, (double *)factor);
    else walk_through(SET_LOG, walk, large, (double *)factor);
}

void crd_i_factor_times(crd_i_scale scale, const crd_i_walk *walk, double *large, const double *factor) {
    if (scale == CRD_I_PLAIN) walk_through(TIMES, walk, large, (double *)factor);
    else walk_through(PLUS_LOG, walk, large, (double *)factor);
}

void crd_i_message_times(crd_i_scale scale, const crd_i_walk *walk, double *large, const double *message) {
    if (scale == CRD_I_PLAIN) walk_through(TIMES, walk, large, (double *)message);
    else walk_through(PLUS, walk, large, (double *)message);
}

void crd_i_message_clear(crd_i_scale scale, double *cells, size_t count) {
    for (size_t i = 0; i < count; i++) cells[i] = scale == CRD_I_PLAIN ? 0 : -INFINITY;
}

void crd_i_message_add(crd_i_scale scale, const crd_i_walk *walk, const double *large, double *small) {
    if (scale == CRD_I_PLAIN) walk_through(SUM, walk, (double *)large, small);
    else walk_through(LOG_SUM, walk, (double *)large, small);
}

void crd_i_message_raise(crd_i_scale scale, const crd_i_walk *walk, const double *large, double *small) {
    (void)scale;
    walk_through(MOST, walk, (double *)large, small);
}

void crd_i_message_sum(crd_i_scale scale, const crd_i_walk *walk, const double *large, double *small, size_t cells) {
    crd_i_message_clear(scale, small, cells);
    crd_i_message_add(scale, walk, large, small);
}

void crd_i_message_most(crd_i_scale scale, const crd_i_walk *walk, const double *large, double *small, size_t cells) {
    crd_i_message_clear(scale, small, cells);
    crd_i_message_raise(scale, walk, large, small);
}

void crd_i_message_dots(crd_i_scale scale, const double *large, size_t rows, size_t width, const double *message,
                        double *sums) {
    for (size_t row = 0; row < rows; row++, large += width) {
        double parts[4] = {0, 0, 0, 0}, logs = -INFINITY;
        size_t i = 0;
        if (scale == CRD_I_LOGS) {
            for (; i < width; i++) logs = log_of_sum(logs, large[i] + message[i]);
            sums[row] = logs;
            continue;
        }
        for (; i + 4 <= width; i += 4) {
            parts[0] += large[i] * message[i];
            parts[1] += large[i + 1] * message[i + 1];
            parts[2] += large[i + 2] * message[i + 2];
            parts[3] += large[i + 3] * message[i + 3];
        }
        for (; i < width; i++) parts[0] += large[i] * message[i];
        sums[row] = (parts[0] + parts[1]) + (parts[2] + parts[3]);
    }
}

void crd_i_message_divide(crd_i_scale scale, double *after, const double *before, size_t cells, double factor) {
    for (size_t i = 0; i < cells; i++) {
        if (scale == CRD_I_PLAIN) after[i] = before[i] > 0 ? after[i] * factor / before[i] : 0;
        else after[i] = before[i] > -INFINITY ? after[i] - before[i] : -INFINITY;
    }
}
