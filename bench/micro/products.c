/* SPDX-License-Identifier: MIT */
/* products.c - what exactness costs: the sums of products of all pairs of columns, beside dsyrk, which rounds.
 *
 *   bench_products [ROWS COLUMNS]...
 *
 * The contenders take the same rows: dsyrk of the BLAS that was found, on one thread, over rows of double precision, as
 * many at a time as the exact ones get; and the exact sums by each way to multiply. They take turns, so that what else
 * the machine does hits all alike; the least time of their turns is printed, and their speed as a part of dsyrk's. */
#include "math/exact/exact_products.h"
#include "math/exact/products_dispatch.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 7, MOST_WAYS = 8, ROWS_A_CALL = 4096 };

/* Of OpenBLAS; other libraries have one thread anyway, and no such call. */
void openblas_set_num_threads(int threads) __attribute__((weak));

static void fail(const char *what) {
    fprintf(stderr, "bench_products: %s\n", what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* By Box and Muller, from uniform numbers of 53 bits. */
static double draw_normal(void) {
    static uint64_t state = 1;
    double uniform[2];
    for (int i = 0; i < 2; i++) {
        uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        uniform[i] = (double)((z ^ z >> 31) >> 11) * 0x1p-53;
    }
    return sqrt(-2 * log(1 - uniform[0])) * cos(6.283185307179586 * uniform[1]);
}

static double run_dsyrk(const double *rows, size_t count, size_t columns, double *sums) {
    double start = now();
    for (size_t row = 0; row < count; row += ROWS_A_CALL) {
        size_t some = count - row < ROWS_A_CALL ? count - row : ROWS_A_CALL;
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)columns, (int)some, 1, rows + row * columns,
                    (int)columns, row == 0 ? 0 : 1, sums, (int)columns);
    }
    return now() - start;
}

static double run_exact(crd_context *context, const crd_i_multiplier *way, const double *rows, size_t count,
                        size_t columns, const double *rounded) {
    double start = now();
    crd_i_products *products = crd_i_products_create(context, columns);
    crd_i_products_scratch *scratch = crd_i_products_scratch_create(context, way);
    if (products == NULL || scratch == NULL) fail("out of memory");
    for (size_t row = 0; row < count; row += ROWS_A_CALL)
        if (!crd_i_products_add(products, scratch, rows + row * columns, columns,
                                count - row < ROWS_A_CALL ? count - row : ROWS_A_CALL, NULL, 1))
            fail("out of memory");
    double seconds = now() - start;
    for (size_t i = 0; i < columns; i++)
        for (size_t j = i; j < columns; j++) {
            crd_i_comoment_cell at = crd_i_products_cell(products, i, j);
            double sum = crd_i_sums_value(at.q, at.q_cell);
            if (fabs(sum - rounded[i * columns + j]) > 1e-9 * (double)count) fail("dsyrk says something else");
        }
    crd_i_products_scratch_destroy(scratch);
    crd_i_products_destroy(products);
    return seconds;
}

static void compare(crd_context *context, size_t rows, size_t columns) {
    double *values = malloc(rows * columns * sizeof *values), *sums = malloc(columns * columns * sizeof *sums);
    if (values == NULL || sums == NULL) fail("out of memory");
    for (size_t i = 0; i < rows * columns; i++) values[i] = draw_normal();
    double dsyrk = INFINITY, exact[MOST_WAYS];
    for (int i = 0; i < MOST_WAYS; i++) exact[i] = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        dsyrk = fmin(dsyrk, run_dsyrk(values, rows, columns, sums));
        for (size_t i = 0; crd_i_multipliers[i] != NULL && i < MOST_WAYS; i++)
            if (crd_i_multipliers[i]->is_supported())
                exact[i] = fmin(exact[i], run_exact(context, crd_i_multipliers[i], values, rows, columns, sums));
    }
    printf("\n%zu rows, %zu columns\n%-16s %10s %10s\n", rows, columns, "way", "us/row", "speed");
    printf("%-16s %10.3f %10.3f\n", "dsyrk", 1e6 * dsyrk / (double)rows, 1.0);
    for (size_t i = 0; crd_i_multipliers[i] != NULL && i < MOST_WAYS; i++)
        if (crd_i_multipliers[i]->is_supported())
            printf("exact, %-9s %10.3f %10.3f  a %.2fth\n", crd_i_multipliers[i]->name, 1e6 * exact[i] / (double)rows,
                   dsyrk / exact[i], exact[i] / dsyrk);
    free(values);
    free(sums);
}

int main(int count, char **arguments) {
    crd_context *context;
    if (crd_context_create(NULL, &context) != CRD_OK) fail("out of memory");
    if (openblas_set_num_threads != NULL) openblas_set_num_threads(1);
    if (count == 1) compare(context, 100000, 200);
    for (int i = 1; i + 1 < count; i += 2) {
        size_t rows = strtoul(arguments[i], NULL, 10), columns = strtoul(arguments[i + 1], NULL, 10);
        if (rows == 0 || columns == 0) fail("rows and columns are numbers from 1 on");
        compare(context, rows, columns);
    }
    crd_context_destroy(context);
    return 0;
}
