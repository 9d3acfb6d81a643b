/* SPDX-License-Identifier: MIT */
/* The loops between tables against going through one cell at a time, and every way of a run against the plain one. */
#include "infer/exact/factor_loops.h"
#include "infer/exact/junction_types.h"
#include "math/random.h"
#include "model_support.h"

#include <math.h>
#include <string.h>

enum { MOST = 5000, VARIABLES = 7 };

typedef struct factor_tables {
    crd_i_walk walk;
    size_t extents[VARIABLES], strides[VARIABLES]; /* the fastest first */
    size_t large_cells, small_cells;
    double large[MOST], small[MOST];
} factor_tables;

/* A table of some variables, and one of some of these, in their order or in another. */
static void make_tables(crd_i_random *random, factor_tables *out) {
    bool is_in[VARIABLES], is_turned = crd_i_random_below(random, 4) == 0;
    out->large_cells = out->small_cells = 1;
    for (size_t i = 0; i < VARIABLES; i++) {
        size_t extent =
            crd_i_random_below(random, 5) == 0 ? 1 + crd_i_random_below(random, 40) : 1 + crd_i_random_below(random, 4);
        if (out->large_cells * extent > MOST) extent = 1;
        out->extents[i] = extent;
        out->large_cells *= extent;
        is_in[i] = crd_i_random_below(random, 2) == 0;
    }
    for (size_t i = 0; i < VARIABLES; i++) {
        size_t variable = is_turned ? VARIABLES - 1 - i : i;
        out->strides[variable] = is_in[variable] ? out->small_cells : 0;
        if (is_in[variable]) out->small_cells *= out->extents[variable];
    }
    crd_i_walk_begin(&out->walk);
    for (size_t i = 0; i < VARIABLES; i++) crd_i_walk_add(&out->walk, out->extents[i], out->strides[i]);
    crd_i_walk_end(&out->walk);
    for (size_t i = 0; i < out->large_cells; i++) out->large[i] = crd_i_random_open(random);
    for (size_t i = 0; i < out->small_cells; i++)
        out->small[i] = crd_i_random_below(random, 5) == 0 ? 0 : crd_i_random_open(random);
}

/* The cell of the smaller table that goes with one of the larger. */
static size_t beside(const factor_tables *tables, size_t cell) {
    size_t index = 0;
    for (size_t i = 0; i < VARIABLES; i++) {
        index += cell % tables->extents[i] * tables->strides[i];
        cell /= tables->extents[i];
    }
    return index;
}

static void every_loop(void **state) {
    (void)state;
    static factor_tables tables;
    static double got[MOST], sums[MOST], greatest[MOST];
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        crd_i_random random = crd_i_random_at(seed, 1);
        make_tables(&random, &tables);
        crd_i_factor_set(CRD_I_PLAIN, &tables.walk, got, tables.small);
        for (size_t i = 0; i < tables.large_cells; i++) assert_true(got[i] == tables.small[beside(&tables, i)]);
        memcpy(got, tables.large, tables.large_cells * sizeof *got);
        crd_i_message_times(CRD_I_PLAIN, &tables.walk, got, tables.small);
        for (size_t i = 0; i < tables.large_cells; i++)
            assert_true(got[i] == tables.large[i] * tables.small[beside(&tables, i)]);
        memset(sums, 0, sizeof sums);
        memset(greatest, 0, sizeof greatest);
        for (size_t i = 0; i < tables.large_cells; i++) {
            size_t index = beside(&tables, i);
            sums[index] += tables.large[i];
            if (tables.large[i] > greatest[index]) greatest[index] = tables.large[i];
        }
        crd_i_message_sum(CRD_I_PLAIN, &tables.walk, tables.large, got, tables.small_cells);
        for (size_t i = 0; i < tables.small_cells; i++) assert_true(fabs(got[i] - sums[i]) <= 1e-12 * sums[i]);
        crd_i_message_most(CRD_I_PLAIN, &tables.walk, tables.large, got, tables.small_cells);
        assert_memory_equal(got, greatest, tables.small_cells * sizeof *got);
        for (size_t i = 0; i < tables.large_cells; i++) tables.large[i] = log(tables.large[i]);
        crd_i_message_sum(CRD_I_LOGS, &tables.walk, tables.large, got, tables.small_cells);
        for (size_t i = 0; i < tables.small_cells; i++) assert_true(fabs(exp(got[i]) - sums[i]) <= 1e-9 * sums[i]);
    }
}

static void every_run(void **state) {
    (void)state;
    enum { CELLS = 100 };
    for (size_t i = 0; crd_i_factor_loops_ways[i] != NULL; i++) {
        const crd_i_factor_loops *way = crd_i_factor_loops_ways[i], *plain = &crd_i_factor_loops_plain;
        if (!way->is_supported()) continue;
        for (uint64_t seed = 1; seed <= 500; seed++) {
            crd_i_random random = crd_i_random_at(seed, 2);
            double cells[2][CELLS], small[2][CELLS];
            size_t count = crd_i_random_below(&random, CELLS + 1);
            for (size_t j = 0; j < CELLS; j++) {
                cells[0][j] = cells[1][j] = ldexp(crd_i_random_open(&random), (int)crd_i_random_below(&random, 60));
                small[0][j] = small[1][j] = crd_i_random_open(&random);
            }
            double numbers[2][2];
            for (size_t j = 0; j < 2; j++) {
                const crd_i_factor_loops *one = j == 0 ? plain : way;
                one->times(cells[j], small[j], count);
                one->scale(cells[j], 1.1, count);
                one->add(small[j], cells[j], count);
                one->raise(small[j], cells[j], count / 2);
                numbers[j][0] = one->sum(cells[j], count);
                numbers[j][1] = one->dot(cells[j], small[j], count);
            }
            assert_memory_equal(cells[0], cells[1], sizeof cells[0]);
            assert_memory_equal(small[0], small[1], sizeof small[0]);
            assert_memory_equal(numbers[0], numbers[1], sizeof numbers[0]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_loop), cmocka_unit_test(every_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
