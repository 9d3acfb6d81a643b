/* SPDX-License-Identifier: MIT */
/* posteriors.c - what it costs to ask for the posteriors of all classes: rows of 20 numbers, 5 classes.
 *
 *   bench_posteriors [ROWS [THREADS]]
 *
 * The contenders answer the same rows, which lie in memory row by row: the plain loop, which only names the best class;
 * probabilities of all classes, log posteriors and decisions, by each way that the processor supports; and, for its
 * time a row, one call for each of some of the rows. They take turns, so that what else the machine does hits all
 * alike; the least of their turns is printed, and their speed as a part of the plain loop's. The plain loop, too, is
 * divided among the threads. */
#include "base/thread_pool.h"
#include "classify/classifier_internal.h"

#include <credence/all.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COLUMNS = 20, CLASSES = 5, ROUNDS = 60, MOST_WAYS = 12, ROWS_BY_CALL = 20000 };

/* log density of class k at x = constants[k] + sum over columns of x * (x * bends[k] + slopes[k]) */
typedef struct curves {
    double constants[CLASSES], bends[CLASSES][COLUMNS], slopes[CLASSES][COLUMNS];
} curves;

typedef struct workload {
    size_t rows;
    unsigned threads;
    double *cells, *results;
    int32_t *decisions;
    crd_context *context;
    crd_classifier *classifier;
    curves fitted; /* of the plain loop */
} workload;

typedef struct way {
    const char *name;
    const crd_i_simd_columns *lanes; /* NULL: none */
    void (*run)(workload *work);
    size_t rows;
    double nanoseconds[ROUNDS]; /* a row */
} way;

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "bench_posteriors: %s\n", what);
    exit(1);
}

/* ---- The plain loop ---- */

static void name_best(const workload *work, size_t from, size_t to) {
    const curves fitted = work->fitted;
    for (size_t row = from; row < to; row++) {
        const double *restrict x = work->cells + row * COLUMNS;
        double greatest = -INFINITY;
        int32_t best = 0;
        for (int32_t k = 0; k < CLASSES; k++) {
            double sum = fitted.constants[k];
            for (size_t column = 0; column < COLUMNS; column++)
                sum += x[column] * (x[column] * fitted.bends[k][column] + fitted.slopes[k][column]);
            if (sum > greatest) {
                greatest = sum;
                best = k;
            }
        }
        work->decisions[row] = best;
    }
}

static void plain_share(void *state, unsigned member) {
    const workload *work = state;
    name_best(work, work->rows * member / work->threads, work->rows * (member + 1) / work->threads);
}

static void plain(workload *work) {
    crd_i_thread_pool_run(work->context, work->threads, plain_share, work);
}

/* ---- Ours ---- */

static void classify(workload *work, crd_results results) {
    crd_error error;
    crd_rows rows = CRD_ROWS_INIT;
    rows.values = work->cells;
    rows.rows = results.rows = work->rows;
    rows.columns = COLUMNS;
    results.threads = work->threads;
    if (crd_classifier_classify_rows(work->classifier, &rows, &results, &error) != CRD_OK) fail(error.message);
}

static void probabilities(workload *work) {
    crd_results results = CRD_RESULTS_INIT;
    results.probabilities = work->results;
    classify(work, results);
}

static void log_posteriors(workload *work) {
    crd_results results = CRD_RESULTS_INIT;
    results.log_posteriors = work->results;
    classify(work, results);
}

static void decisions(workload *work) {
    crd_results results = CRD_RESULTS_INIT;
    results.decisions = work->decisions;
    classify(work, results);
}

static void call_by_call(workload *work) {
    crd_value values[COLUMNS];
    memset(values, 0, sizeof values);
    for (size_t row = 0; row < ROWS_BY_CALL; row++) {
        for (size_t column = 0; column < COLUMNS; column++) {
            values[column].type = CRD_TYPE_NUMERIC;
            values[column].number = work->cells[row * COLUMNS + column];
        }
        crd_answer answer;
        crd_error error;
        if (crd_classifier_posterior(work->classifier, values, work->results + row * CLASSES, NULL, &answer, &error) !=
            CRD_OK)
            fail(error.message);
    }
}

/* ---- Time ---- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static double least(const way *contender) {
    double time = INFINITY;
    for (int round = 0; round < ROUNDS; round++) time = fmin(time, contender->nanoseconds[round]);
    return time;
}

/* ---- Rows and model ---- */

/* About normal: the sum of four uniform numbers. */
static double draw(uint64_t *state) {
    double sum = -2;
    for (int i = 0; i < 4; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(*state >> 11) / 9007199254740992.0;
    }
    return sum;
}

static void learn(workload *work) {
    enum { LEARNED = 1000 };
    crd_error error;
    crd_frame *frame;
    crd_model *model;
    double *columns = malloc(sizeof(double) * COLUMNS * LEARNED);
    crd_text classes[LEARNED];
    static const char *const names[CLASSES] = {"a", "b", "c", "d", "e"};
    if (columns == NULL || crd_frame_create(work->context, LEARNED, &frame, &error) != CRD_OK) fail("out of memory");
    for (size_t row = 0; row < LEARNED; row++) classes[row] = crd_text_of(names[row % CLASSES]);
    for (size_t column = 0; column < COLUMNS; column++) {
        char name[24];
        snprintf(name, sizeof name, "x%zu", column);
        for (size_t row = 0; row < LEARNED; row++)
            columns[column * LEARNED + row] = work->cells[row * COLUMNS + column];
        if (crd_frame_add_numbers(frame, crd_text_of(name), columns + column * LEARNED, NULL, &error) != CRD_OK)
            fail(error.message);
    }
    if (crd_frame_add_texts(frame, crd_text_of("class"), classes, &error) != CRD_OK ||
        crd_model_create(work->context, frame, crd_text_of("class"), NULL, &model, &error) != CRD_OK ||
        crd_model_update(model, frame, &error) != CRD_OK ||
        crd_classifier_create(model, NULL, &work->classifier, &error) != CRD_OK)
        fail(error.message);
    crd_model_destroy(model);
    crd_frame_destroy(frame);
    free(columns);
}

static void prepare(workload *work) {
    uint64_t state = 1;
    work->cells = malloc(work->rows * COLUMNS * sizeof(double));
    work->results = malloc(work->rows * CLASSES * sizeof(double));
    work->decisions = malloc(work->rows * sizeof(int32_t));
    if (work->cells == NULL || work->results == NULL || work->decisions == NULL ||
        crd_context_create(NULL, &work->context) != CRD_OK)
        fail("out of memory");
    for (size_t row = 0; row < work->rows; row++)
        for (size_t column = 0; column < COLUMNS; column++)
            work->cells[row * COLUMNS + column] =
                draw(&state) * (double)(column + 1) + 0.1 * (double)(row % CLASSES * column);
    learn(work);
    for (size_t k = 0; k < CLASSES; k++) {
        work->fitted.constants[k] = work->classifier->log_priors[k];
        for (size_t column = 0; column < COLUMNS; column++) {
            const crd_i_density *density = work->classifier->attributes[column].density;
            double mean, deviation;
            density->family->moments(density, k, &mean, &deviation);
            double weight = 0.5 / (deviation * deviation);
            work->fitted.bends[k][column] = -weight;
            work->fitted.slopes[k][column] = 2 * weight * mean;
            work->fitted.constants[k] -= weight * mean * mean + crd_log(deviation);
        }
    }
}

static void run(workload *work, const way *contender) {
    if (contender->lanes != NULL) work->classifier->lanes = contender->lanes;
    contender->run(work);
}

int main(int count, char **arguments) {
    workload work = {.rows = count > 1 ? strtoul(arguments[1], NULL, 10) : 100000,
                     .threads = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 10) : 1};
    if (work.rows < ROWS_BY_CALL || work.threads == 0) fail("give at least 20000 rows, and a number of threads");
    prepare(&work);
    const crd_i_simd_columns *best = crd_i_simd_columns_best();
    way ways[MOST_WAYS] = {{"plain loop, best class", NULL, plain, work.rows, {0}}};
    size_t way_count = 1;
    for (size_t i = 0; crd_i_simd_columns_ways[i] != NULL && way_count < MOST_WAYS - 3; i++) {
        const crd_i_simd_columns *lanes = crd_i_simd_columns_ways[i];
        if (!lanes->is_supported()) continue;
        ways[way_count++] = (way){"probabilities", lanes, probabilities, work.rows, {0}};
        ways[way_count++] = (way){"log posteriors", lanes, log_posteriors, work.rows, {0}};
        ways[way_count++] = (way){"decisions", lanes, decisions, work.rows, {0}};
    }
    ways[way_count++] = (way){"one row by call", best, call_by_call, ROWS_BY_CALL, {0}};
    for (size_t i = 0; i < way_count; i++) run(&work, &ways[i]);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < way_count; i++) {
            double start = now();
            run(&work, &ways[i]);
            ways[i].nanoseconds[round] = (now() - start) / (double)ways[i].rows;
        }
    double loop = least(&ways[0]);
    printf("%-26s %-8s %12s %10s\n", "way", "by", "CPU ns/row", "speed");
    for (size_t i = 0; i < way_count; i++)
        printf("%-26s %-8s %12.1f %10.3f\n", ways[i].name, ways[i].lanes == NULL ? "" : ways[i].lanes->name,
               least(&ways[i]), loop / least(&ways[i]));
    crd_classifier_destroy(work.classifier);
    crd_context_destroy(work.context);
    free(work.cells);
    free(work.results);
    free(work.decisions);
    return 0;
}
