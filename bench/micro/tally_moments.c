/* tally_moments.c - what exactness costs: sums and sums of squares of 20 columns of numbers under 5 classes.
 *
 *   bench_tally_moments [CLASSES [ROWS [FRAMES]]]
 *
 * The contenders take the same frame FRAMES times: the plain loops, which round, over rows that lie side by side and
 * over columns that do; the exact tally, adding one by one, and by each way to slice, grouping of rows by class
 * counted. They take turns, so that what else the machine does hits all alike; medians of their turns are printed, and
 * their speed as a part of that of the faster plain loop. */
#include "tally/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COLUMNS = 20, ROUNDS = 11, MOST_WAYS = 8 };

typedef struct workload {
    size_t rows, classes, frames;
    double *by_row, *by_column;
    int32_t *conditions;
    double *sums, *squares; /* a row of COLUMNS for each class */
    crd_i_tally *tallies[COLUMNS];
    crd_context *context;
} workload;

typedef struct way {
    const char *name;
    void (*run)(workload *work, const crd_i_slicer *slicer);
    const crd_i_slicer *slicer;
    double nanoseconds[ROUNDS]; /* a value */
} way;

static void plain_rows(workload *work, const crd_i_slicer *slicer) {
    (void)slicer;
    for (size_t row = 0; row < work->rows; row++) {
        const double *restrict x = work->by_row + row * COLUMNS;
        double *restrict sums = work->sums + (size_t)work->conditions[row] * COLUMNS;
        double *restrict squares = work->squares + (size_t)work->conditions[row] * COLUMNS;
        for (size_t column = 0; column < COLUMNS; column++) {
            sums[column] += x[column];
            squares[column] += x[column] * x[column];
        }
    }
}

static void plain_columns(workload *work, const crd_i_slicer *slicer) {
    (void)slicer;
    for (size_t column = 0; column < COLUMNS; column++) {
        const double *restrict x = work->by_column + column * work->rows;
        double *restrict sums = work->sums + column * work->classes;
        double *restrict squares = work->squares + column * work->classes;
        for (size_t row = 0; row < work->rows; row++) {
            sums[work->conditions[row]] += x[row];
            squares[work->conditions[row]] += x[row] * x[row];
        }
    }
}

static void fail(const char *what) {
    fprintf(stderr, "bench_tally_moments: %s\n", what);
    exit(1);
}

static void exact(workload *work, const crd_i_slicer *slicer) {
    crd_i_groups groups;
    if (!crd_i_groups_init(&groups, work->context, work->conditions, work->rows)) fail("out of memory");
    for (size_t column = 0; column < COLUMNS; column++) {
        crd_i_cells cells = {.rows = work->rows, .numbers = work->by_column + column * work->rows};
        if (!crd_i_moments_add(work->tallies[column], &cells, &groups, slicer)) fail("out of memory");
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

/* About normal: the sum of twelve uniform numbers. */
static double draw(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += rand() / (RAND_MAX + 1.0);
    return sum;
}

static void prepare(workload *work) {
    size_t cells = work->rows * COLUMNS, results = work->classes * COLUMNS;
    work->by_row = malloc(cells * sizeof(double));
    work->by_column = malloc(cells * sizeof(double));
    work->conditions = malloc(work->rows * sizeof(int32_t));
    work->sums = calloc(results, sizeof(double));
    work->squares = calloc(results, sizeof(double));
    if (work->by_row == NULL || work->by_column == NULL || work->conditions == NULL || work->sums == NULL ||
        work->squares == NULL || crd_context_create(NULL, &work->context) != CRD_OK)
        fail("out of memory");
    for (size_t row = 0; row < work->rows; row++) {
        work->conditions[row] = (int32_t)((size_t)rand() % work->classes);
        for (size_t column = 0; column < COLUMNS; column++) {
            double x = draw() * (double)(column + 1) + work->conditions[row];
            work->by_row[row * COLUMNS + column] = work->by_column[column * work->rows + row] = x;
        }
    }
    for (size_t column = 0; column < COLUMNS; column++) {
        work->tallies[column] = crd_i_moments.create(work->context);
        if (work->tallies[column] == NULL || !crd_i_moments.extend(work->tallies[column], work->classes, 0))
            fail("out of memory");
    }
}

static void release(workload *work) {
    for (size_t column = 0; column < COLUMNS; column++) crd_i_tally_destroy(work->tallies[column]);
    crd_context_destroy(work->context);
    free(work->by_row);
    free(work->by_column);
    free(work->conditions);
    free(work->sums);
    free(work->squares);
}

int main(int count, char **arguments) {
    workload work = {.classes = count > 1 ? strtoul(arguments[1], NULL, 10) : 5,
                     .rows = count > 2 ? strtoul(arguments[2], NULL, 10) : 4096,
                     .frames = count > 3 ? strtoul(arguments[3], NULL, 10) : 30};
    if (work.classes == 0 || work.rows == 0 || work.frames == 0) fail("classes, rows and frames are numbers from 1 on");
    prepare(&work);
    way ways[MOST_WAYS] = {{.name = "plain loop, by row", .run = plain_rows},
                           {.name = "plain loop, by column", .run = plain_columns},
                           {.name = "exact, one by one", .run = exact}};
    size_t way_count = 3;
    for (size_t i = 0; crd_i_slicers[i] != NULL && way_count < MOST_WAYS; i++) {
        if (!crd_i_slicers[i]->is_supported()) continue;
        ways[way_count].name = crd_i_slicers[i]->name;
        ways[way_count].run = exact;
        ways[way_count++].slicer = crd_i_slicers[i];
    }
    for (size_t i = 0; i < way_count; i++) ways[i].run(&work, ways[i].slicer);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < way_count; i++) {
            double start = now();
            for (size_t frame = 0; frame < work.frames; frame++) ways[i].run(&work, ways[i].slicer);
            ways[i].nanoseconds[round] = (now() - start) / (double)(work.frames * work.rows * COLUMNS);
        }
    double plain = median(&ways[0]) < median(&ways[1]) ? median(&ways[0]) : median(&ways[1]);
    printf("%-24s %10s %10s\n", "way", "ns/value", "speed");
    for (size_t i = 0; i < way_count; i++) {
        double time = median(&ways[i]);
        printf("%s%-*s %10.3f %10.3f\n", i < 3 ? "" : "exact, ", i < 3 ? 24 : 17, ways[i].name, time, plain / time);
    }
    release(&work);
    return 0;
}
