/* SPDX-License-Identifier: MIT */
/* fit.c - learning from rows of numbers in memory against the plain loop that rounds, each with as many threads.
 *
 *   bench_fit [ROWS [COLUMNS [CLASSES [THREADS]]]]
 *
 * The plain loop, the fastest simple C that gives up exactness and checking, adds up numbers and their squares for each
 * class and column. The two take turns; medians of their turns are printed, and the speed of ours as a part of its. */
#include <credence/rows.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 7, MOST_THREADS = 64 };

typedef struct workload {
    size_t rows, columns, classes;
    unsigned threads;
    double *values;
    int32_t *codes;
    double *sums[MOST_THREADS]; /* of each thread: for each class a row of sums, then one of squares */
} workload;

typedef struct share {
    const workload *work;
    size_t begin, end;
    double *sums;
} share;

static void fail(const char *what) {
    fprintf(stderr, "bench_fit: %s\n", what);
    exit(1);
}

static void *plain_share(void *argument) {
    const share *own = argument;
    size_t columns = own->work->columns;
    for (size_t row = own->begin; row < own->end; row++) {
        const double *restrict x = own->work->values + row * columns;
        double *restrict sums = own->sums + (size_t)own->work->codes[row] * 2 * columns, *restrict squares =
                                                                                             sums + columns;
        for (size_t column = 0; column < columns; column++) {
            sums[column] += x[column];
            squares[column] += x[column] * x[column];
        }
    }
    return NULL;
}

static void plain(workload *work) {
    share shares[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    for (unsigned i = 0; i < work->threads; i++) {
        share own = {work, work->rows * i / work->threads, work->rows * (i + 1) / work->threads, work->sums[i]};
        shares[i] = own;
        if (pthread_create(&threads[i], NULL, plain_share, &shares[i]) != 0) fail("no thread");
    }
    for (unsigned i = 0; i < work->threads; i++) pthread_join(threads[i], NULL);
}

static void exact(const workload *work, crd_model *model, const crd_text *names) {
    crd_rows rows = CRD_ROWS_INIT;
    rows.values = work->values;
    rows.rows = work->rows;
    rows.columns = work->columns;
    rows.classes = work->codes;
    rows.names = names;
    rows.class_count = work->classes;
    rows.threads = work->threads;
    if (crd_model_update_rows(model, &rows, NULL) != CRD_OK) fail("rows were not learned");
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void prepare(workload *work) {
    work->values = malloc(work->rows * work->columns * sizeof *work->values);
    work->codes = malloc(work->rows * sizeof *work->codes);
    if (work->values == NULL || work->codes == NULL) fail("out of memory");
    for (unsigned i = 0; i < work->threads; i++) {
        work->sums[i] = calloc(2 * work->classes * work->columns, sizeof(double));
        if (work->sums[i] == NULL) fail("out of memory");
    }
    /* About normal: sums of four uniform numbers. */
    uint64_t state = 1;
    for (size_t row = 0; row < work->rows; row++) {
        work->codes[row] = (int32_t)((state >> 33) % work->classes);
        for (size_t column = 0; column < work->columns; column++) {
            double x = -2;
            for (int i = 0; i < 4; i++) {
                state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                x += (double)(state >> 11) * 0x1p-53;
            }
            work->values[row * work->columns + column] = x * (double)(column + 1) + work->codes[row];
        }
    }
}

int main(int count, char **arguments) {
    size_t numbers[] = {10000000, 20, 5, 2};
    for (int i = 1; i < count && i < 5; i++) numbers[i - 1] = strtoul(arguments[i], NULL, 10);
    workload work = {.rows = numbers[0], .columns = numbers[1], .classes = numbers[2], .threads = (unsigned)numbers[3]};
    if (work.rows * work.columns * work.classes * work.threads == 0 || work.threads > MOST_THREADS)
        fail("rows, columns, classes and threads are numbers from 1 on");
    prepare(&work);
    crd_text *names = malloc((work.columns + work.classes) * sizeof *names);
    char(*letters)[24] = malloc((work.columns + work.classes) * sizeof *letters);
    if (names == NULL || letters == NULL) fail("out of memory");
    for (size_t i = 0; i < work.columns + work.classes; i++) {
        snprintf(letters[i], sizeof letters[i], "n%zu", i);
        names[i] = crd_text_of(letters[i]);
    }
    crd_context *context;
    crd_model *model;
    if (crd_context_create(NULL, &context) != CRD_OK ||
        crd_model_create_for_rows(context, names, work.columns, crd_text_of("class"), NULL, &model, NULL) != CRD_OK)
        fail("out of memory");
    double seconds[2][ROUNDS];
    for (int round = -1; round < ROUNDS; round++) {
        double start = now();
        plain(&work);
        double middle = now();
        exact(&work, model, names + work.columns);
        if (round < 0) continue; /* to warm up */
        seconds[0][round] = middle - start;
        seconds[1][round] = now() - middle;
    }
    static const char *const ways[] = {"plain loop", "exact"};
    printf("%zu rows, %zu columns, %zu classes, %u threads\n%-12s %14s %10s %8s\n", work.rows, work.columns,
           work.classes, work.threads, "way", "million rows/s", "ns/value", "speed");
    double medians[2];
    for (int way = 0; way < 2; way++) {
        qsort(seconds[way], ROUNDS, sizeof seconds[way][0], by_size);
        medians[way] = seconds[way][ROUNDS / 2];
        printf("%-12s %14.1f %10.3f %8.3f\n", ways[way], 1e-6 * (double)work.rows / medians[way],
               1e9 * medians[way] / (double)(work.rows * work.columns), medians[0] / medians[way]);
    }
    crd_model_destroy(model);
    crd_context_destroy(context);
    for (unsigned i = 0; i < work.threads; i++) free(work.sums[i]);
    free(work.values);
    free(work.codes);
    free(names);
    free(letters);
    return 0;
}
