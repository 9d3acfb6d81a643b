/* SPDX-License-Identifier: MIT */
/* tally_moments.c - what exactness costs: sums and sums of squares of columns of numbers under classes.
 *
 *   bench_tally_moments [CLASSES ROWS COLUMNS]...
 *
 * The contenders take the same frame of ROWS again and again: the plain loops, which round, over rows that lie side by
 * side and over columns that do; the exact tally, adding one by one, and by each way to slice, of rows and of columns.
 * They take turns, so that what else the machine does hits all alike; medians of their turns are printed, and their
 * speed as a part of that of the faster plain loop. */
#include "stats/moments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 11, MOST_WAYS = 12, VALUES = 4000000 }; /* about so many values in a turn */

typedef struct workload {
    size_t rows, classes, columns, frames;
    double *by_row, *by_column;
    int32_t *conditions;
    double *sums, *squares; /* a row of columns for each class */
    crd_i_tally **tallies;
    crd_context *context;
} workload;

typedef struct way {
    char name[32];
    void (*run)(workload *work, crd_i_batch *batch);
    const crd_i_slicer *slicer;
    bool is_exact;
    double nanoseconds[ROUNDS]; /* a value */
} way;

static void fail(const char *what) {
    fprintf(stderr, "bench_tally_moments: %s\n", what);
    exit(1);
}

static void plain_rows(workload *work, crd_i_batch *batch) {
    (void)batch;
    for (size_t row = 0; row < work->rows; row++) {
        const double *restrict x = work->by_row + row * work->columns;
        double *restrict sums = work->sums + (size_t)work->conditions[row] * work->columns;
        double *restrict squares = work->squares + (size_t)work->conditions[row] * work->columns;
        for (size_t column = 0; column < work->columns; column++) {
            sums[column] += x[column];
            squares[column] += x[column] * x[column];
        }
    }
}

static void plain_columns(workload *work, crd_i_batch *batch) {
    (void)batch;
    for (size_t column = 0; column < work->columns; column++) {
        const double *restrict x = work->by_column + column * work->rows;
        double *restrict sums = work->sums + column * work->classes;
        double *restrict squares = work->squares + column * work->classes;
        for (size_t row = 0; row < work->rows; row++) {
            sums[work->conditions[row]] += x[row];
            squares[work->conditions[row]] += x[row] * x[row];
        }
    }
}

static void exact_rows(workload *work, crd_i_batch *batch) {
    for (size_t column = 0; column < work->columns; column++)
        if (!crd_i_batch_join(batch, work->tallies[column])) fail("out of memory");
    if (crd_i_batch_add_rows(batch, work->by_row, work->columns, work->rows, work->conditions, work->classes) != CRD_OK)
        fail("out of memory");
}

static void exact_columns(workload *work, crd_i_batch *batch) {
    for (size_t column = 0; column < work->columns; column++) {
        crd_i_cells cells = {.rows = work->rows, .numbers = work->by_column + column * work->rows};
        if (!crd_i_batch_offer(batch, work->tallies[column], &cells)) fail("out of memory");
    }
    if (!crd_i_batch_add_offered(batch, work->rows, work->conditions, work->classes)) fail("out of memory");
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

/* About normal: the sum of twelve uniform numbers, times one that fills all its bits. */
static double draw(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += rand() / (RAND_MAX + 1.0);
    return sum * 0.98765432109876543;
}

static void prepare(workload *work) {
    size_t cells = work->rows * work->columns, results = work->classes * work->columns;
    work->by_row = malloc(cells * sizeof(double));
    work->by_column = malloc(cells * sizeof(double));
    work->conditions = malloc(work->rows * sizeof(int32_t));
    work->sums = calloc(results, sizeof(double));
    work->squares = calloc(results, sizeof(double));
    work->tallies = calloc(work->columns, sizeof *work->tallies);
    if (work->by_row == NULL || work->by_column == NULL || work->conditions == NULL || work->sums == NULL ||
        work->squares == NULL || work->tallies == NULL || crd_context_create(NULL, &work->context) != CRD_OK)
        fail("out of memory");
    for (size_t row = 0; row < work->rows; row++) {
        work->conditions[row] = (int32_t)((size_t)rand() % work->classes);
        for (size_t column = 0; column < work->columns; column++) {
            double x = draw() * (double)(column + 1) + work->conditions[row];
            work->by_row[row * work->columns + column] = work->by_column[column * work->rows + row] = x;
        }
    }
    for (size_t column = 0; column < work->columns; column++) {
        work->tallies[column] = crd_i_moments.create(work->context);
        if (work->tallies[column] == NULL) fail("out of memory");
    }
}

static void release(workload *work) {
    for (size_t column = 0; column < work->columns; column++) crd_i_tally_destroy(work->tallies[column]);
    crd_context_destroy(work->context);
    free(work->tallies);
    free(work->by_row);
    free(work->by_column);
    free(work->conditions);
    free(work->sums);
    free(work->squares);
}

/* Pouring at the end is a part of it. */
static double turn(workload *work, const way *contender) {
    size_t frames = contender->is_exact && contender->slicer == NULL ? (work->frames + 9) / 10 : work->frames;
    double start = now();
    crd_i_batch *batch = crd_i_batch_create(work->context, contender->slicer);
    if (batch == NULL) fail("out of memory");
    for (size_t frame = 0; frame < frames; frame++) contender->run(work, batch);
    if (!crd_i_batch_pour(batch)) fail("out of memory");
    crd_i_batch_destroy(batch);
    return (now() - start) / (double)(frames * work->rows * work->columns);
}

static size_t list_ways(way *ways) {
    static const way plain[] = {{.name = "plain loop, rows", .run = plain_rows},
                                {.name = "plain loop, columns", .run = plain_columns},
                                {.name = "exact, one by one", .run = exact_rows, .is_exact = true}};
    memcpy(ways, plain, sizeof plain);
    size_t count = 3;
    for (size_t i = 0; crd_i_slicers[i] != NULL; i++)
        for (int by_column = 0; by_column < 2 && count < MOST_WAYS; by_column++) {
            if (!crd_i_slicers[i]->is_supported()) continue;
            way *fresh = &ways[count++];
            fresh->run = by_column ? exact_columns : exact_rows;
            fresh->slicer = crd_i_slicers[i];
            fresh->is_exact = true;
            snprintf(fresh->name, sizeof fresh->name, "exact, %s, %s", fresh->slicer->name,
                     by_column ? "columns" : "rows");
        }
    return count;
}

static void compare(size_t classes, size_t rows, size_t columns) {
    workload work = {.classes = classes, .rows = rows, .columns = columns, .frames = 1 + VALUES / (rows * columns)};
    prepare(&work);
    way ways[MOST_WAYS] = {0};
    size_t count = list_ways(ways);
    for (size_t i = 0; i < count; i++) (void)turn(&work, &ways[i]);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++) ways[i].nanoseconds[round] = turn(&work, &ways[i]);
    double plain = median(&ways[0]) < median(&ways[1]) ? median(&ways[0]) : median(&ways[1]);
    printf("\n%zu classes, frames of %zu rows, %zu columns\n%-24s %10s %10s\n", classes, rows, columns, "way",
           "ns/value", "speed");
    for (size_t i = 0; i < count; i++)
        printf("%-24s %10.3f %10.3f\n", ways[i].name, median(&ways[i]), plain / median(&ways[i]));
    release(&work);
}

int main(int count, char **arguments) {
    static const size_t shapes[][3] = {{5, 4096, 20}, {1000, 4096, 20}, {1000, 65536, 20},
                                       {3, 6, 5000},  {3, 50, 5000},    {2, 4096, 1}};
    if (count == 1)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) compare(shapes[i][0], shapes[i][1], shapes[i][2]);
    for (int i = 1; i < count; i += 3) {
        size_t shape[3] = {0};
        for (int k = 0; k < 3 && i + k < count; k++) shape[k] = strtoul(arguments[i + k], NULL, 10);
        if (shape[0] == 0 || shape[1] == 0 || shape[2] == 0) fail("classes, rows and columns are numbers from 1 on");
        compare(shape[0], shape[1], shape[2]);
    }
    return 0;
}
