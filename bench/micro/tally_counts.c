/* SPDX-License-Identifier: MIT */
/* tally_counts.c - counting values of 20 columns of categories, which have 2 to 50 of them, under classes.
 *
 *   bench_tally_counts [CLASSES [ROWS [FRAMES]]]
 *
 * The contenders take the same frame FRAMES times: plain loops over columns and over rows that add 1 to a table of
 * integers, and the exact tally, grouping of rows by class counted. They take turns, so that what else the machine does
 * hits all alike; medians of their turns are printed, and their speed as a part of that of the faster plain loop. */
#include "stats/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COLUMNS = 20, MOST_VALUES = 50, ROUNDS = 11, WAYS = 3 };

typedef struct workload {
    size_t rows, classes, frames;
    int32_t *codes; /* column by column */
    int32_t *conditions;
    uint64_t *counts; /* by column, value and class */
    crd_i_tally *tallies[COLUMNS];
    crd_context *context;
} workload;

typedef struct way {
    const char *name;
    void (*run)(workload *work);
    double nanoseconds[ROUNDS]; /* a cell */
} way;

static void plain_columns(workload *work) {
    for (size_t column = 0; column < COLUMNS; column++) {
        const int32_t *restrict codes = work->codes + column * work->rows;
        uint64_t *restrict counts = work->counts + column * MOST_VALUES * work->classes;
        for (size_t row = 0; row < work->rows; row++)
            counts[(size_t)codes[row] * work->classes + (size_t)work->conditions[row]]++;
    }
}

static void plain_rows(workload *work) {
    for (size_t row = 0; row < work->rows; row++)
        for (size_t column = 0; column < COLUMNS; column++) {
            size_t code = (size_t)work->codes[column * work->rows + row];
            work->counts[(column * MOST_VALUES + code) * work->classes + (size_t)work->conditions[row]]++;
        }
}

static void fail(const char *what) {
    fprintf(stderr, "bench_tally_counts: %s\n", what);
    exit(1);
}

static void exact(workload *work) {
    crd_i_groups groups;
    if (!crd_i_groups_init(&groups, work->context, work->conditions, NULL, work->rows)) fail("out of memory");
    for (size_t column = 0; column < COLUMNS; column++) {
        crd_i_cells cells = {.rows = work->rows, .codes = work->codes + column * work->rows};
        if (!crd_i_counts.add(work->tallies[column], &cells, &groups)) fail("out of memory");
    }
    crd_i_groups_clear(&groups);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(way *contender) {
    qsort(contender->nanoseconds, ROUNDS, sizeof *contender->nanoseconds, by_size);
    return contender->nanoseconds[ROUNDS / 2];
}

static void prepare(workload *work) {
    work->codes = malloc(work->rows * COLUMNS * sizeof *work->codes);
    work->conditions = malloc(work->rows * sizeof *work->conditions);
    work->counts = calloc(COLUMNS * MOST_VALUES * work->classes, sizeof *work->counts);
    if (work->codes == NULL || work->conditions == NULL || work->counts == NULL ||
        crd_context_create(NULL, &work->context) != CRD_OK)
        fail("out of memory");
    for (size_t row = 0; row < work->rows; row++) work->conditions[row] = (int32_t)((size_t)rand() % work->classes);
    for (size_t column = 0; column < COLUMNS; column++) {
        int values = 2 + (int)column * (MOST_VALUES - 2) / (COLUMNS - 1);
        for (size_t row = 0; row < work->rows; row++) work->codes[column * work->rows + row] = rand() % values;
        work->tallies[column] = crd_i_counts.create(work->context);
        if (work->tallies[column] == NULL || !crd_i_counts.extend(work->tallies[column], work->classes, (size_t)values))
            fail("out of memory");
    }
}

int main(int count, char **arguments) {
    workload work = {.classes = count > 1 ? strtoul(arguments[1], NULL, 10) : 3,
                     .rows = count > 2 ? strtoul(arguments[2], NULL, 10) : 4096,
                     .frames = count > 3 ? strtoul(arguments[3], NULL, 10) : 30};
    if (work.classes == 0 || work.rows == 0 || work.frames == 0) fail("classes, rows and frames are numbers from 1 on");
    prepare(&work);
    way ways[WAYS] = {{.name = "plain loop, by column", .run = plain_columns},
                      {.name = "plain loop, by row", .run = plain_rows},
                      {.name = "exact", .run = exact}};
    for (size_t i = 0; i < WAYS; i++) ways[i].run(&work);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < WAYS; i++) {
            double start = now();
            for (size_t frame = 0; frame < work.frames; frame++) ways[i].run(&work);
            ways[i].nanoseconds[round] = (now() - start) / (double)(work.frames * work.rows * COLUMNS);
        }
    double plain = median(&ways[0]) < median(&ways[1]) ? median(&ways[0]) : median(&ways[1]);
    printf("%-24s %10s %10s\n", "way", "ns/cell", "speed");
    for (size_t i = 0; i < WAYS; i++)
        printf("%-24s %10.3f %10.3f\n", ways[i].name, median(&ways[i]), plain / median(&ways[i]));
    for (size_t column = 0; column < COLUMNS; column++) crd_i_tally_destroy(work.tallies[column]);
    crd_context_destroy(work.context);
    free(work.codes);
    free(work.conditions);
    free(work.counts);
    return 0;
}
