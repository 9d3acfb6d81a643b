/* SPDX-License-Identifier: MIT */
/* Tables of counts against an independent source, and against what must hold of any table.
 *
 * The values were computed by SciPy 1.17.1 with NumPy 2.4.6: stats.chi2_contingency(table, correction=False), with
 * lambda_="log-likelihood" for G-squared, and stats.chi2.sf for the sums over several tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/independence_tests.h"
#include "math_random.h"

#include <math.h>
#include <mpfr.h>

enum { MOST = 8 };

static crd_i_contingency contingency_of(const double *counts, size_t rows, size_t columns) {
    crd_i_contingency sum = {0, 0, 0, 0, 0, 0, 0, 0};
    double row_sums[MOST], column_sums[MOST];
    crd_i_contingency_add(&sum, counts, rows, columns, row_sums, column_sums);
    return sum;
}

static void assert_close(double got, double wanted, double relative) {
    if (!(fabs(got - wanted) <= relative * fabs(wanted))) fail_msg("%.17g should be %.17g", got, wanted);
}

typedef struct tests_reference {
    size_t rows, columns;
    double counts[16];
    double chi_squared, chi_squared_p, g_squared, g_squared_p, degrees, information;
} tests_reference;

static const tests_reference references[] = {
    /* Humidity and Play of the fourteen days. */
    {2, 2, {4, 3, 1, 6}, 2.8, 0.09426430684121058, 2.946841790989959, 0.08604556020285027, 1, 0.10524434967821282},
    /* Outlook and Play, with a zero. */
    {3,
     2,
     {0, 4, 2, 3, 3, 2},
     3.5466666666666664,
     0.16976615743981122,
     4.788950372649159,
     0.09122054014933578,
     2,
     0.1710339418803271},
    /* A row that counts nothing is no part of it. */
    {3,
     4,
     {122, 4, 118, 670, 203, 13, 167, 192, 0, 0, 0, 0},
     233.35522100741406,
     2.602289976245149e-50,
     236.6844669727776,
     4.959859570185461e-51,
     3,
     0.07947765848649349},
    /* Colors of hair and eyes. */
    {4,
     4,
     {68, 119, 26, 7, 20, 84, 17, 94, 15, 54, 14, 10, 5, 29, 14, 16},
     138.28984162600824,
     2.325286787098839e-25,
     146.44357846451612,
     4.8055836698169134e-27,
     9,
     0.1236854547842197},
    /* Almost independent: what G-squared would lose if its logarithms were summed as they are. */
    {2,
     2,
     {100200, 99800, 99700, 100300},
     2.5000006250001565,
     0.11384625282605772,
     2.500003229155027,
     0.11384606457467229,
     1,
     3.125004036443784e-06},
};

static void test_reference(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof references / sizeof *references; i++) {
        const tests_reference *r = &references[i];
        crd_i_contingency contingency = contingency_of(r->counts, r->rows, r->columns);
        assert_close(contingency.chi_squared, r->chi_squared, 1e-10);
        assert_close(crd_i_contingency_p(contingency.chi_squared, contingency.degrees), r->chi_squared_p, 1e-10);
        assert_close(contingency.g_squared, r->g_squared, 1e-10);
        assert_close(crd_i_contingency_p(contingency.g_squared, contingency.degrees), r->g_squared_p, 1e-10);
        assert_true(contingency.degrees == r->degrees);
        assert_close(crd_i_contingency_information(&contingency), r->information, 1e-10);
    }
}

/* Three tables, of the last of which one column counts nothing, so that it adds rows and no degrees. */
static void test_sum_of_tables(void **state) {
    (void)state;
    const double tables[3][4] = {{10, 4, 3, 8}, {2, 9, 7, 5}, {5, 0, 6, 0}};
    crd_i_contingency sum = {0, 0, 0, 0, 0, 0, 0, 0};
    double rows[2], columns[2];
    for (int i = 0; i < 3; i++) crd_i_contingency_add(&sum, tables[i], 2, 2, rows, columns);
    assert_close(sum.chi_squared, 8.696354571354568, 1e-10);
    assert_close(crd_i_contingency_p(sum.chi_squared, sum.degrees), 0.012930359465734294, 1e-10);
    assert_close(sum.g_squared, 9.032225311825409, 1e-10);
    assert_close(crd_i_contingency_p(sum.g_squared, sum.degrees), 0.010931435431478172, 1e-10);
    assert_true(sum.degrees == 2 && sum.tables == 3 && sum.rows == 59);
    assert_close(crd_i_contingency_information(&sum), 0.07654428230360516, 1e-10);
}

static void test_expected(void **state) {
    (void)state;
    crd_i_contingency contingency = contingency_of(references[0].counts, 2, 2);
    assert_int_equal(contingency.cells, 4);
    assert_int_equal(contingency.cells_below, 4);
    assert_true(contingency.least_expected == 2.5);
    const double at_five[] = {5, 5, 5, 5};
    assert_int_equal(contingency_of(at_five, 2, 2).cells_below, 0);
    /* Cells of rows that count nothing expect nothing, and are no cells. */
    const double empty_row[] = {9, 9, 0, 0};
    contingency = contingency_of(empty_row, 2, 2);
    assert_int_equal(contingency.cells, 2);
    assert_int_equal(contingency.cells_below, 0);
}

static void test_nothing(void **state) {
    (void)state;
    const double zero[] = {0, 0, 0, 0}, single[] = {7, 2, 5};
    crd_i_contingency contingency = contingency_of(zero, 2, 2);
    assert_true(contingency.rows == 0 && contingency.tables == 0 && contingency.degrees == 0);
    assert_true(crd_i_contingency_information(&contingency) == 0);
    contingency = contingency_of(single, 1, 3);
    assert_true(contingency.degrees == 0 && contingency.chi_squared == 0 && contingency.g_squared == 0);
    assert_true(crd_i_contingency_p(0, 0) == 1);
}

/* Products of margins have neither chi-squared nor G-squared; rows and columns may change places. */
static void test_identities(void **state) {
    (void)state;
    for (int round = 0; round < 500; round++) {
        size_t rows = 2 + random_below(4), columns = 2 + random_below(4);
        double product[MOST * MOST], counts[MOST * MOST], turned[MOST * MOST], left[MOST], right[MOST];
        for (size_t i = 0; i < rows; i++) left[i] = (double)(1 + random_below(50));
        for (size_t j = 0; j < columns; j++) right[j] = (double)(1 + random_below(50));
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++) {
                product[i * columns + j] = left[i] * right[j];
                counts[i * columns + j] = turned[j * rows + i] = (double)random_below(30);
            }
        crd_i_contingency none = contingency_of(product, rows, columns);
        assert_true(none.chi_squared == 0 && none.g_squared == 0);
        crd_i_contingency a = contingency_of(counts, rows, columns), b = contingency_of(turned, columns, rows);
        assert_true(a.degrees == b.degrees && a.cells == b.cells && a.least_expected == b.least_expected);
        assert_close(a.chi_squared, b.chi_squared, 1e-13);
        assert_close(a.g_squared, b.g_squared, 1e-13);
        assert_true(a.g_squared >= 0 && a.chi_squared >= 0);
    }
}

/* G-squared in 300 bits. */
static double exact_g(const double *counts, size_t rows, size_t columns) {
    mpfr_t sum, term, ratio;
    mpfr_inits2(300, sum, term, ratio, (mpfr_ptr)NULL);
    mpfr_set_zero(sum, 1);
    double row_sums[MOST] = {0}, column_sums[MOST] = {0}, total = 0;
    for (size_t i = 0; i < rows * columns; i++) {
        row_sums[i / columns] += counts[i];
        column_sums[i % columns] += counts[i];
        total += counts[i];
    }
    for (size_t i = 0; i < rows * columns; i++) {
        if (counts[i] == 0) continue;
        mpfr_set_d(ratio, counts[i], MPFR_RNDN);
        mpfr_mul_d(ratio, ratio, total, MPFR_RNDN);
        mpfr_div_d(ratio, ratio, row_sums[i / columns], MPFR_RNDN);
        mpfr_div_d(ratio, ratio, column_sums[i % columns], MPFR_RNDN);
        mpfr_log(term, ratio, MPFR_RNDN);
        mpfr_mul_d(term, term, 2 * counts[i], MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    double result = mpfr_get_d(sum, MPFR_RNDN);
    mpfr_clears(sum, term, ratio, (mpfr_ptr)NULL);
    return result;
}

/* From independence but for one row in a million to far from it, to a few units in the last place. */
static void test_g_exactly(void **state) {
    (void)state;
    const double nudged[] = {1e6, 2e6, 3e6, 6e6 + 1};
    assert_close(contingency_of(nudged, 2, 2).g_squared, exact_g(nudged, 2, 2), 1e-14);
    for (int round = 0; round < 500; round++) {
        size_t rows = 2 + random_below(4), columns = 2 + random_below(4);
        double counts[MOST * MOST], base = (double)(1 + random_below(100000));
        for (size_t i = 0; i < rows * columns; i++)
            counts[i] = base + (double)random_below(1 + random_below((size_t)base * 3));
        double wanted = exact_g(counts, rows, columns);
        assert_close(contingency_of(counts, rows, columns).g_squared, wanted, 1e-13);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference), cmocka_unit_test(test_sum_of_tables), cmocka_unit_test(test_expected),
        cmocka_unit_test(test_nothing),   cmocka_unit_test(test_identities),    cmocka_unit_test(test_g_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
