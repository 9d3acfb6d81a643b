/* SPDX-License-Identifier: MIT */
/* plain_array.c - what a plain loop does with an array of doubles that lies in memory: the fastest simple C that gives
 * up exactness and checking. It is compiled with everything that the compiler has to offer, fast and loose.
 *
 *   bench_plain_array FILE    FILE as bench_generate array writes it, with 20 columns
 *
 *   fit      counts, sums and sums of squares of every column under each class
 *   predict  the class of the greatest normal density for each row, and nothing else of it
 *   sum      reads every number once: the speed of memory */
#include "serve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 20, MAX_CLASSES = 8 };

typedef struct moments {
    double counts[MAX_CLASSES], sums[MAX_CLASSES][COLUMNS], squares[MAX_CLASSES][COLUMNS];
} moments;

/* log density of class c at x = constants[c] + sum over columns of x * (x * curves[c] + slopes[c]) */
typedef struct densities {
    double constants[MAX_CLASSES], curves[MAX_CLASSES][COLUMNS], slopes[MAX_CLASSES][COLUMNS];
} densities;

typedef struct work {
    bench_array array;
    moments parts[MOST_THREADS];
    densities fitted;
    int32_t *decisions;
    double totals[MOST_THREADS];
} work;

static size_t first_row(const work *w, unsigned t, unsigned threads) {
    return w->array.rows * t / threads;
}

static void fit_part(void *data, unsigned t, unsigned threads) {
    work *w = data;
    moments local = {0};
    size_t end = first_row(w, t + 1, threads);
    for (size_t row = first_row(w, t, threads); row < end; row++) {
        const double *restrict x = w->array.numbers + row * COLUMNS;
        size_t c = (size_t)w->array.of_class[row];
        double *restrict sums = local.sums[c], *restrict squares = local.squares[c];
        local.counts[c]++;
        for (size_t column = 0; column < COLUMNS; column++) {
            sums[column] += x[column];
            squares[column] += x[column] * x[column];
        }
    }
    w->parts[t] = local;
}

/* The variance of the first column in the first class. */
static double fit(void *data, unsigned threads) {
    work *w = data;
    bench_side_by_side(threads, fit_part, w);
    moments *all = &w->parts[0];
    for (unsigned t = 1; t < threads; t++) {
        for (size_t c = 0; c < w->array.classes; c++) {
            all->counts[c] += w->parts[t].counts[c];
            for (size_t column = 0; column < COLUMNS; column++) {
                all->sums[c][column] += w->parts[t].sums[c][column];
                all->squares[c][column] += w->parts[t].squares[c][column];
            }
        }
    }
    for (size_t c = 0; c < w->array.classes; c++) {
        w->fitted.constants[c] = log(all->counts[c] / (double)w->array.rows);
        for (size_t column = 0; column < COLUMNS; column++) {
            double mean = all->sums[c][column] / all->counts[c];
            double variance = all->squares[c][column] / all->counts[c] - mean * mean;
            w->fitted.curves[c][column] = -0.5 / variance;
            w->fitted.slopes[c][column] = mean / variance;
            w->fitted.constants[c] -= 0.5 * (mean * mean / variance + log(2 * 3.14159265358979323846 * variance));
        }
    }
    double mean = all->sums[0][0] / all->counts[0];
    return all->squares[0][0] / all->counts[0] - mean * mean;
}

static void predict_part(void *data, unsigned t, unsigned threads) {
    work *w = data;
    const densities fitted = w->fitted;
    size_t end = first_row(w, t + 1, threads), classes = w->array.classes;
    for (size_t row = first_row(w, t, threads); row < end; row++) {
        const double *restrict x = w->array.numbers + row * COLUMNS;
        double greatest = -INFINITY;
        int32_t decision = 0;
        for (size_t c = 0; c < classes; c++) {
            double density = fitted.constants[c];
            for (size_t column = 0; column < COLUMNS; column++) {
                density += x[column] * (x[column] * fitted.curves[c][column] + fitted.slopes[c][column]);
            }
            if (density > greatest) {
                greatest = density;
                decision = (int32_t)c;
            }
        }
        w->decisions[row] = decision;
    }
}

/* How often the decision is the class of the row is worked out once more, outside: here only a few rows are looked at.
 */
static double predict(void *data, unsigned threads) {
    work *w = data;
    bench_side_by_side(threads, predict_part, w);
    size_t rows = w->array.rows < 100000 ? w->array.rows : 100000, right = 0;
    for (size_t row = 0; row < rows; row++) right += w->decisions[row] == w->array.of_class[row];
    return (double)right / (double)rows;
}

static void sum_part(void *data, unsigned t, unsigned threads) {
    work *w = data;
    size_t end = first_row(w, t + 1, threads) * COLUMNS;
    double total = 0;
    for (size_t i = first_row(w, t, threads) * COLUMNS; i < end; i++) total += w->array.numbers[i];
    w->totals[t] = total;
}

static double sum(void *data, unsigned threads) {
    work *w = data;
    double total = 0;
    bench_side_by_side(threads, sum_part, w);
    for (unsigned t = 0; t < threads; t++) total += w->totals[t];
    return total;
}

int main(int count, char **arguments) {
    static const bench_turn turns[] = {{"fit", fit}, {"predict", predict}, {"sum", sum}};
    static work w;
    if (count != 2) bench_fail("usage: bench_plain_array FILE");
    bench_array_load(&w.array, arguments[1], COLUMNS);
    if (w.array.classes > MAX_CLASSES) bench_fail("too many classes");
    w.decisions = bench_allocate(w.array.rows * sizeof *w.decisions);
    memset(w.decisions, 0, w.array.rows * sizeof *w.decisions);
    fit(&w, 1);
    return bench_serve(turns, sizeof turns / sizeof *turns, &w);
}
