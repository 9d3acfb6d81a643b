/* SPDX-License-Identifier: MIT */
/* All ways to multiply give what adding one by one gives, and their parts are the same to the bit. */
#include "math/exact/products_dispatch.h"
#include "unit/math_products_support.h"

/* Calls f for each way that this machine supports. */
static void for_each_way(void (*f)(const crd_i_multiplier *way, void *data), void *data) {
    for (size_t i = 0; crd_i_multipliers[i] != NULL; i++)
        if (crd_i_multipliers[i]->is_supported()) f(crd_i_multipliers[i], data);
}

/* All of a table in one call, twice, and once of it taken out again. */
static void assert_way(const crd_i_multiplier *way, void *data) {
    const table *source_table = data;
    crd_i_products *expected = one_by_one(source_table), *products = fresh(source_table->columns);
    crd_i_products_scratch *scratch = crd_i_products_scratch_create(context, way);
    assert_non_null(scratch);
    add_rows(products, scratch, source_table, 0, source_table->rows, 1);
    assert_same(products, expected);
    add_rows(products, scratch, source_table, 0, source_table->rows, 1);
    add_rows(products, scratch, source_table, 0, source_table->rows, -1);
    assert_same(products, expected);
    crd_i_products_scratch_destroy(scratch);
    crd_i_products_destroy(expected);
    crd_i_products_destroy(products);
}

/* From fewer rows than one panel to more than one pouring; from one column to more blocks than stay near. */
static void every_way(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{4, 1},    {5, 8},    {79, 9},   {80, 16},   {81, 23},  {240, 17}, {241, 25},
                                       {500, 40}, {9000, 3}, {4096, 7}, {4097, 10}, {20, 210}, {60, 33},  {250, 24}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned kinds = TAME_KINDS; kinds <= KINDS; kinds += KINDS - TAME_KINDS) {
            table drawn = table_of(shapes[i][0], shapes[i][1], kinds, false);
            for_each_way(assert_way, &drawn);
            table_clear(&drawn);
        }
}

/* One scratch for tables of other widths, whose last block is not to see what others left there. */
static void one_scratch_for_all(void **state) {
    (void)state;
    crd_i_products_scratch *scratch = crd_i_products_scratch_create(context, crd_i_multiplier_best());
    assert_non_null(scratch);
    for (int round = 0; round < 60; round++) {
        table drawn = table_of(10 + random_below(20), 1 + random_below(30), TAME_KINDS, false);
        crd_i_products *expected = one_by_one(&drawn), *products = fresh(drawn.columns);
        add_rows(products, scratch, &drawn, 0, drawn.rows, 1);
        assert_same(products, expected);
        crd_i_products_destroy(expected);
        crd_i_products_destroy(products);
        table_clear(&drawn);
    }
    crd_i_products_scratch_destroy(scratch);
}

/* Rows that are further apart than they have columns; what lies between is not looked at. */
static void rows_apart(void **state) {
    (void)state;
    table wide = table_of(300, 29, TAME_KINDS, false), narrow = {300, 11, malloc(300 * 11 * sizeof(double)), NULL};
    assert_non_null(narrow.values);
    for (size_t row = 0; row < 300; row++) {
        memcpy(narrow.values + row * 11, wide.values + row * 29, 11 * sizeof(double));
        for (size_t i = 11; i < 29; i++) wide.values[row * 29 + i] = NAN;
    }
    crd_i_products *expected = one_by_one(&narrow), *products = fresh(11);
    crd_i_products_scratch *scratch = crd_i_products_scratch_create(context, crd_i_multiplier_best());
    assert_non_null(scratch);
    assert_true(crd_i_products_add(products, scratch, wide.values, 29, 300, NULL, 1));
    assert_same(products, expected);
    crd_i_products_scratch_destroy(scratch);
    crd_i_products_destroy(expected);
    crd_i_products_destroy(products);
    table_clear(&wide);
    table_clear(&narrow);
}

/* Slices that are about the largest, all of one sign, for as many rows as are added before the wide integers: were
 * there too many in a double or in 64 bits, sums would be wrong. Of 53 bits they have none below the twelfth of the
 * last slice; so that sums are odd and would be rounded, a few values are small and odd, which fixes the scale, too. */
static void fullest_slices(void **state) {
    (void)state;
    const uint64_t full = ((UINT64_C(1) << 53) - 1) & ~(UINT64_C(1) << 32) & ~(UINT64_C(1) << 10);
    table matrix = {4096, 9, malloc(4096 * 9 * sizeof(double)), NULL};
    assert_non_null(matrix.values);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < matrix.rows * matrix.columns; i++) {
            double sign = round == 0 ? 1 : round == 1 ? -1 : i / matrix.columns % 2 ? 1 : -1;
            bool small = i < matrix.columns || random_below(40) == 0;
            double size = (double)(small ? random_bits() >> 11 | 1 : full ^ UINT64_C(1) << random_below(9));
            matrix.values[i] = sign * (small ? ldexp(size, -11) : size);
        }
        for_each_way(assert_way, &matrix);
    }
    table_clear(&matrix);
}

/* The kernels by themselves, against sums of integers: every lane goes where it should, up to 2^53. */
static void assert_kernel(const crd_i_multiplier *way, void *data) {
    crd_i_points_panel *panels = data;
    for (size_t blocks = 1; blocks <= CRD_I_PRODUCTS_MOST_BLOCKS; blocks++) {
        int64_t totals[CRD_I_PRODUCTS_MOST_BLOCKS][CRD_I_PRODUCTS_BLOCK][CRD_I_PRODUCTS_BLOCK];
        for (size_t k = 0; k < blocks; k++)
            for (size_t j = 0; j < CRD_I_PRODUCTS_BLOCK; j++)
                for (size_t i = 0; i < CRD_I_PRODUCTS_BLOCK; i++)
                    totals[k][j][i] = (int64_t)(100 * k + 10 * j + i) << 50;
        size_t begin = random_below(20), end = begin + random_below(128);
        way->multiply(panels, blocks, panels + CRD_I_PRODUCTS_MOST_BLOCKS, begin, end, totals);
        for (size_t k = 0; k < blocks; k++)
            for (size_t j = 0; j < CRD_I_PRODUCTS_BLOCK; j++)
                for (size_t i = 0; i < CRD_I_PRODUCTS_BLOCK; i++) {
                    int64_t total = (int64_t)(100 * k + 10 * j + i) << 50;
                    for (size_t row = begin; row < end; row++)
                        total += (int64_t)panels[k][row][i] * (int64_t)panels[CRD_I_PRODUCTS_MOST_BLOCKS][row][j];
                    assert_true(totals[k][j][i] == total);
                }
    }
}

static void kernels(void **state) {
    (void)state;
    crd_i_points_panel *panels = calloc(CRD_I_PRODUCTS_MOST_BLOCKS + 1, sizeof *panels);
    assert_non_null(panels);
    for (int round = 0; round < 60; round++) {
        for (size_t i = 0; i < (CRD_I_PRODUCTS_MOST_BLOCKS + 1) * CRD_I_PRODUCTS_ROWS * CRD_I_PRODUCTS_BLOCK; i++) {
            /* 128 times 2^46 is 2^53. */
            double size = (double)((UINT64_C(1) << 23) - random_bits() % (round % 2 ? 1 << 23 : 8));
            ((double *)panels)[i] = round % 3 == 0 || random_below(2) ? size : -size;
        }
        for_each_way(assert_kernel, panels);
    }
    free(panels);
}

/* What all ways make of the same rows. */
typedef struct evaluated {
    double rows[CRD_I_PRODUCTS_ROWS][CRD_I_PRODUCTS_BLOCK];
    crd_i_points_scales scales;
    crd_i_points_panel points[CRD_I_POINTS];
    double sums[CRD_I_SLICES][CRD_I_PRODUCTS_BLOCK];
    bool misfits[CRD_I_PRODUCTS_ROWS * CRD_I_PRODUCTS_BLOCK];
    bool is_first;
} evaluated;

static void assert_evaluates(const crd_i_multiplier *way, void *data) {
    evaluated *expected = data, *evaluation = calloc(1, sizeof *evaluation);
    assert_non_null(evaluation);
    uint16_t left[CRD_I_PRODUCTS_ROWS * CRD_I_PRODUCTS_BLOCK];
    crd_i_points_panel *points[CRD_I_POINTS];
    for (int point = 0; point < CRD_I_POINTS; point++) points[point] = &evaluation->points[point];
    size_t count = way->evaluate(&expected->scales, expected->rows[0], CRD_I_PRODUCTS_BLOCK, CRD_I_PRODUCTS_ROWS,
                                 points, evaluation->sums, left);
    for (size_t i = 0; i < count; i++) evaluation->misfits[left[i]] = true;
    if (expected->is_first) {
        memcpy(expected->points, evaluation->points, sizeof evaluation->points);
        memcpy(expected->sums, evaluation->sums, sizeof evaluation->sums);
        memcpy(expected->misfits, evaluation->misfits, sizeof evaluation->misfits);
        expected->is_first = false;
    }
    assert_memory_equal(evaluation->points, expected->points, sizeof evaluation->points);
    assert_memory_equal(evaluation->sums, expected->sums, sizeof evaluation->sums);
    assert_memory_equal(evaluation->misfits, expected->misfits, sizeof evaluation->misfits);
    free(evaluation);
}

static void ways_evaluate_alike(void **state) {
    (void)state;
    evaluated *data = calloc(1, sizeof *data);
    assert_non_null(data);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (size_t column = 0; column < CRD_I_PRODUCTS_BLOCK; column++) {
            int exponent = 0;
            for (size_t row = 0; row < CRD_I_PRODUCTS_ROWS; row++) data->rows[row][column] = random_value(kind);
            if (!crd_i_scales_choose(data->rows[0] + column, CRD_I_PRODUCTS_BLOCK, CRD_I_PRODUCTS_ROWS, &exponent))
                exponent = 0;
            crd_i_scales_set(&data->scales.scales, column, exponent);
            for (int i = 0; i < CRD_I_SLICES; i++) data->scales.units[i][column] = ldexp(1, 20 + 22 * i - exponent);
        }
        data->is_first = true;
        for_each_way(assert_evaluates, data);
    }
    free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way),  cmocka_unit_test(one_scratch_for_all),
        cmocka_unit_test(rows_apart), cmocka_unit_test(fullest_slices),
        cmocka_unit_test(kernels),    cmocka_unit_test(ways_evaluate_alike),
    };
    return cmocka_run_group_tests_name("math_products_ways", tests, set_up, tear_down);
}
