/* SPDX-License-Identifier: MIT */
/* decimal.c - what decimal numbers cost, in and out, against the C library's strtod and printf("%.17g").
 *
 *   bench_decimal [NUMBERS]
 *
 * Each sort of numbers is a buffer of cells as a table has them, one behind the other; mixed are the sorts in random
 * order, which no branch can foresee. The contenders take turns; medians are printed, in nanoseconds a number, and how
 * many times as fast as the C library that is. */
#include "math/decimal/decimal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 11, WAYS = 5, CELL_ROOM = 40 };

typedef struct workload {
    size_t count;
    char *bytes;    /* the cells, each with a comma behind it */
    size_t *begins; /* of each cell, and behind the last */
    double *numbers;
    double sum; /* so that no reading is left out */
} workload;

static void fail(const char *what) {
    fprintf(stderr, "bench_decimal: %s\n", what);
    exit(1);
}

static void read_padded(workload *work) {
    double sum = 0;
    for (size_t i = 0; i < work->count; i++) {
        double number = 0;
        crd_i_decimal_parse_padded(work->bytes + work->begins[i], work->bytes + work->begins[i + 1] - 1, '.', &number);
        sum += number;
    }
    work->sum += sum;
}

static void read_text(workload *work) {
    double sum = 0;
    for (size_t i = 0; i < work->count; i++) {
        double number = 0;
        crd_text cell = {work->bytes + work->begins[i], work->begins[i + 1] - work->begins[i] - 1};
        crd_i_decimal_parse(cell, '.', &number);
        sum += number;
    }
    work->sum += sum;
}

static void read_strtod(workload *work) {
    double sum = 0;
    for (size_t i = 0; i < work->count; i++) sum += strtod(work->bytes + work->begins[i], NULL);
    work->sum += sum;
}

static void write_shortest(workload *work) {
    char room[CRD_NUMBER_ROOM];
    size_t sum = 0;
    for (size_t i = 0; i < work->count; i++) sum += crd_number_format(work->numbers[i], room);
    work->sum += (double)sum;
}

static void write_printf(workload *work) {
    char room[CELL_ROOM];
    int sum = 0;
    for (size_t i = 0; i < work->count; i++) sum += snprintf(room, sizeof room, "%.17g", work->numbers[i]);
    work->sum += sum;
}

static double uniform(void) {
    return (rand() + rand() / (RAND_MAX + 1.0)) / (RAND_MAX + 1.0);
}

/* Writes a cell of one sort. */
static int write_whole(char *to) {
    return snprintf(to, CELL_ROOM, "%d", rand() % 1000);
}
static int write_tenths(char *to) {
    return snprintf(to, CELL_ROOM, "%.1f", 10 * uniform());
}
static int write_short(char *to) {
    return snprintf(to, CELL_ROOM, "%.*f", 1 + rand() % 5, 20 * uniform() - 10);
}
static int write_long(char *to) {
    return snprintf(to, CELL_ROOM, "%.17g", 2 * uniform() - 1);
}
static int write_scientific(char *to) {
    return snprintf(to, CELL_ROOM, "%.16e", (2 * uniform() - 1) * (rand() % 2 == 0 ? 1e-9 : 1e200));
}

static const struct {
    const char *name;
    int (*write)(char *to);
} sorts[] = {{"whole", write_whole},
             {"tenths", write_tenths},
             {"up to 5 places", write_short},
             {"17 digits", write_long},
             {"with exponents", write_scientific},
             {"mixed", NULL}};
enum { SORTS = sizeof sorts / sizeof *sorts };

static void prepare(workload *work, size_t sort) {
    size_t used = 0;
    for (size_t i = 0; i < work->count; i++) {
        size_t chosen = sorts[sort].write == NULL ? (size_t)rand() % (SORTS - 1) : sort;
        char *cell = work->bytes + used;
        work->begins[i] = used;
        used += (size_t)sorts[chosen].write(cell);
        if (crd_number_parse((crd_text){cell, used - work->begins[i]}, &work->numbers[i]) != CRD_NUMBER_FINITE)
            fail("a cell that is no number");
        work->bytes[used++] = ',';
    }
    work->begins[work->count] = used;
    memset(work->bytes + used, 0, CRD_I_DECIMAL_PADDING);
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

static void compare(workload *work, const char *name) {
    static void (*const ways[WAYS])(workload *) = {read_padded, read_text, read_strtod, write_shortest, write_printf};
    double times[WAYS][ROUNDS], medians[WAYS];
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < WAYS; way++) {
            double start = now();
            ways[way](work);
            times[way][round] = (now() - start) / (double)work->count;
        }
    for (int way = 0; way < WAYS; way++) {
        qsort(times[way], ROUNDS, sizeof(double), by_size);
        medians[way] = times[way][ROUNDS / 2];
    }
    printf("%-16s %8.1f %8.1f %8.1f %6.1f x %10.1f %8.1f %6.1f x\n", name, medians[0], medians[1], medians[2],
           medians[2] / medians[0], medians[3], medians[4], medians[4] / medians[3]);
}

int main(int count, char **arguments) {
    workload work = {.count = count > 1 ? strtoul(arguments[1], NULL, 10) : 100000};
    if (work.count == 0) fail("how many numbers is a number from 1 on");
    work.bytes = malloc(work.count * CELL_ROOM + CRD_I_DECIMAL_PADDING);
    work.begins = malloc((work.count + 1) * sizeof *work.begins);
    work.numbers = malloc(work.count * sizeof *work.numbers);
    if (work.bytes == NULL || work.begins == NULL || work.numbers == NULL) fail("out of memory");
    printf("%-16s %8s %8s %8s %8s %10s %8s %8s\n", "ns a number", "padded", "text", "strtod", "", "format", "printf",
           "");
    for (size_t sort = 0; sort < SORTS; sort++) {
        prepare(&work, sort);
        compare(&work, sorts[sort].name);
    }
    free(work.bytes);
    free(work.begins);
    free(work.numbers);
    return work.sum == 0.5; /* never: sums of lengths are whole and large */
}
