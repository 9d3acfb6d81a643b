/* SPDX-License-Identifier: MIT */
/* memory.c - Credence over an array of doubles that lies in memory, through its C API.
 *
 *   bench_memory FILE    FILE as bench_generate array writes it, with 20 columns
 *
 *   fit      a model of all rows, from the row-major array
 *   predict  the posterior of every class for every row, in an array of the caller
 *   decide   the class of the greatest posterior of every row, and nothing else of it
 *   one      the posteriors of a million rows, asked for one by one */
#include "serve.h"

#include <credence/all.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 20, MAX_CLASSES = 64, SINGLE = 1000000, NAME_ROOM = 24 };

typedef struct work {
    bench_array array;
    crd_context *context;
    crd_model *model;
    crd_classifier *classifier;
    double *posteriors; /* of each row, a number for each class */
    int32_t *decisions; /* of each row */
    char names[COLUMNS][NAME_ROOM], class_names[MAX_CLASSES][NAME_ROOM];
    crd_text classes[MAX_CLASSES];
} work;

static void expect(crd_status status, const crd_error *error) {
    if (status != CRD_OK) bench_fail(error->message);
}

/* The variance of the first column in the first class. */
static double fit(void *data, unsigned threads) {
    work *w = data;
    crd_error error;
    crd_text names[COLUMNS];
    crd_rows rows = CRD_ROWS_INIT;
    rows.values = w->array.numbers;
    rows.rows = w->array.rows;
    rows.columns = COLUMNS;
    rows.classes = w->array.of_class;
    rows.names = w->classes;
    rows.class_count = w->array.classes;
    rows.threads = threads;
    for (size_t i = 0; i < COLUMNS; i++) names[i] = crd_text_of(w->names[i]);
    crd_model_destroy(w->model);
    expect(crd_model_create_for_rows(w->context, names, COLUMNS, crd_text_of("class"), NULL, &w->model, &error),
           &error);
    expect(crd_model_update_rows(w->model, &rows, &error), &error);
    crd_summary *summary;
    expect(crd_summary_create(w->model, &summary, &error), &error);
    double variance = crd_summary_moments(summary, 0, 0).variance;
    crd_summary_destroy(summary);
    return variance;
}

/* The share of right decisions among the first rows, by the greatest posterior. */
static double right_of(const work *w) {
    size_t rows = w->array.rows < 100000 ? w->array.rows : 100000, right = 0, classes = w->array.classes;
    for (size_t row = 0; row < rows; row++) {
        const double *of_row = w->posteriors + row * classes;
        size_t greatest = 0;
        for (size_t c = 1; c < classes; c++) greatest = of_row[c] > of_row[greatest] ? c : greatest;
        right += greatest == (size_t)w->array.of_class[row];
    }
    return (double)right / (double)rows;
}

static crd_rows rows_of(const work *w) {
    crd_rows rows = CRD_ROWS_INIT;
    rows.values = w->array.numbers;
    rows.rows = w->array.rows;
    rows.columns = crd_classifier_attribute_count(w->classifier);
    return rows;
}

static crd_results results_of(const work *w, unsigned threads) {
    crd_results results = CRD_RESULTS_INIT;
    results.rows = w->array.rows;
    results.threads = threads;
    return results;
}

static double predict(void *data, unsigned threads) {
    work *w = data;
    crd_error error;
    const crd_rows rows = rows_of(w);
    crd_results results = results_of(w, threads);
    results.probabilities = w->posteriors;
    expect(crd_classifier_classify_rows(w->classifier, &rows, &results, &error), &error);
    return right_of(w);
}

static double decide(void *data, unsigned threads) {
    work *w = data;
    crd_error error;
    const crd_rows rows = rows_of(w);
    crd_results results = results_of(w, threads);
    size_t count = w->array.rows < 100000 ? w->array.rows : 100000, right = 0;
    results.decisions = w->decisions;
    expect(crd_classifier_classify_rows(w->classifier, &rows, &results, &error), &error);
    for (size_t row = 0; row < count; row++) right += w->decisions[row] == w->array.of_class[row];
    return (double)right / (double)count;
}

static double one(void *data, unsigned threads) {
    work *w = data;
    crd_error error;
    crd_value values[COLUMNS];
    (void)threads;
    memset(values, 0, sizeof values);
    for (size_t i = 0; i < SINGLE; i++) {
        size_t row = i % w->array.rows;
        for (size_t column = 0; column < COLUMNS; column++) {
            values[column].type = CRD_TYPE_NUMERIC;
            values[column].number = w->array.numbers[row * COLUMNS + column];
        }
        crd_answer answer;
        double *out = w->posteriors + row * w->array.classes;
        expect(crd_classifier_posterior(w->classifier, values, out, NULL, &answer, &error), &error);
    }
    return right_of(w);
}

int main(int count, char **arguments) {
    static const bench_turn turns[] = {{"fit", fit}, {"predict", predict}, {"decide", decide}, {"one", one}};
    static work w;
    crd_error error;
    if (count != 2) bench_fail("usage: bench_memory FILE");
    bench_array_load(&w.array, arguments[1], COLUMNS);
    if (w.array.classes > MAX_CLASSES) bench_fail("too many classes");
    if (crd_context_create(NULL, &w.context) != CRD_OK) bench_fail("out of memory");
    for (size_t i = 0; i < COLUMNS; i++) snprintf(w.names[i], NAME_ROOM, "x%zu", i + 1);
    for (size_t i = 0; i < w.array.classes; i++) {
        snprintf(w.class_names[i], NAME_ROOM, "%zu", i);
        w.classes[i] = crd_text_of(w.class_names[i]);
    }
    w.posteriors = bench_allocate(w.array.rows * w.array.classes * sizeof *w.posteriors);
    memset(w.posteriors, 0, w.array.rows * w.array.classes * sizeof *w.posteriors);
    w.decisions = bench_allocate(w.array.rows * sizeof *w.decisions);
    memset(w.decisions, 0, w.array.rows * sizeof *w.decisions);
    fit(&w, 1);
    expect(crd_classifier_create(w.model, NULL, &w.classifier, &error), &error);
    bench_serve(turns, sizeof turns / sizeof *turns, &w);
    crd_classifier_destroy(w.classifier);
    crd_model_destroy(w.model);
    crd_context_destroy(w.context);
    return 0;
}
