/* SPDX-License-Identifier: MIT */
/* serve.h - what the programs of bench/speed that keep their data in memory share: an array of numbers, threads over
 * parts of it, and turns that are timed from inside, so that neither starting nor loading counts. */
#ifndef BENCH_SERVE_H
#define BENCH_SERVE_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_THREADS = 64 };

/* A row-major array with a class for each row, as bench_generate array writes it. */
typedef struct bench_array {
    size_t rows, columns, classes;
    double *numbers;
    int32_t *of_class;
} bench_array;

/* One piece of work, done on `threads` threads: returns a number that shows that it was done, which contenders can be
 * compared by. */
typedef struct bench_turn {
    const char *name;
    double (*run)(void *data, unsigned threads);
} bench_turn;

_Noreturn void bench_fail(const char *what);

/* Memory in large pages where the system has them, as every contender's array should be. */
void *bench_allocate(size_t bytes);
void bench_array_load(bench_array *array, const char *path, size_t columns);
/* Reads a whole file into memory. */
char *bench_text_load(const char *path, size_t *length);

/* Calls part(data, t, threads) for each t below `threads`, side by side. */
void bench_side_by_side(unsigned threads, void (*part)(void *data, unsigned t, unsigned threads), void *data);

/* The seconds of a clock that only goes forward. */
double bench_now(void);

/* Reads lines "NAME THREADS" from standard input until it ends, and answers each with a line "SECONDS CHECK". The
 * first line that it writes itself, "ready", says that the data are loaded. */
int bench_serve(const bench_turn *turns, size_t count, void *data);

#endif
