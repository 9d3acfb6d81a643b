/* SPDX-License-Identifier: MIT */
/* Exact cross-moments: against MPFR, which is given enough bits to be exact too, and against themselves in other
 * orders, batches and ways. */
#include "unit/math_products_support.h"

#include <mpfr.h>

/* Products of three doubles span 2^-3222 .. 2^3072; those of four sums of them, twice as much. */
#define EXACT_BITS 16000

/* ---- Against MPFR ---- */

static void assert_exactly(const crd_i_sums *sums, size_t cell, mpfr_srcptr expected) {
    char *text = crd_i_sums_text(sums, cell);
    assert_non_null(text);
    mpfr_t number;
    mpfr_init2(number, EXACT_BITS);
    assert_int_equal(mpfr_set_str(number, text, 0, MPFR_RNDN), 0);
    assert_true(mpfr_equal_p(number, expected));
    mpfr_clear(number);
    crd_free(context, text);
}

static void assert_rounded(crd_i_signed covariance, mpfr_srcptr above, mpfr_srcptr below) {
    mpfr_t ratio;
    mpfr_init2(ratio, 53);
    mpfr_div(ratio, above, below, MPFR_RNDN);
    assert_int_equal(covariance.sign, mpfr_sgn(ratio));
    if (covariance.sign == 0) {
        assert_true(covariance.size.mantissa == 0);
    } else {
        long exponent;
        double mantissa = mpfr_get_d_2exp(&exponent, ratio, MPFR_RNDN);
        assert_true(covariance.size.mantissa == fabs(mantissa));
        assert_int_equal(covariance.size.exponent, exponent);
    }
    assert_true(crd_i_signed_value(covariance) == mpfr_get_d(ratio, MPFR_RNDN));
    mpfr_clear(ratio);
}

typedef struct exact_pair {
    mpfr_t n, s, t, q;
} exact_pair;

static void sum_pair(exact_pair *pair, const table *source_table, size_t i, size_t j) {
    mpfr_t term;
    mpfr_init2(term, EXACT_BITS);
    mpfr_inits2(EXACT_BITS, pair->n, pair->s, pair->t, pair->q, (mpfr_ptr)NULL);
    mpfr_set_zero(pair->n, 1);
    mpfr_set_zero(pair->s, 1);
    mpfr_set_zero(pair->t, 1);
    mpfr_set_zero(pair->q, 1);
    for (size_t row = 0; row < source_table->rows; row++) {
        double x = source_table->values[row * source_table->columns + i],
               y = source_table->values[row * source_table->columns + j];
        double weight = source_table->weights == NULL ? 1 : source_table->weights[row];
        mpfr_add_d(pair->n, pair->n, weight, MPFR_RNDN);
        mpfr_set_d(term, weight, MPFR_RNDN);
        mpfr_mul_d(term, term, y, MPFR_RNDN);
        mpfr_add(pair->t, pair->t, term, MPFR_RNDN);
        mpfr_mul_d(term, term, x, MPFR_RNDN);
        mpfr_add(pair->q, pair->q, term, MPFR_RNDN);
        mpfr_set_d(term, weight, MPFR_RNDN);
        mpfr_mul_d(term, term, x, MPFR_RNDN);
        mpfr_add(pair->s, pair->s, term, MPFR_RNDN);
    }
    mpfr_clear(term);
}

static void assert_pair(const crd_i_products *products, const table *source_table, size_t i, size_t j) {
    exact_pair pair;
    sum_pair(&pair, source_table, i, j);
    crd_i_comoment_cell cell = crd_i_products_cell(products, i, j);
    assert_ptr_equal(cell.n, crd_i_products_total(products));
    assert_exactly(cell.n, cell.n_cell, pair.n);
    assert_exactly(cell.s, cell.s_cell, pair.s);
    assert_exactly(cell.t, cell.t_cell, pair.t);
    assert_exactly(cell.q, cell.q_cell, pair.q);

    mpfr_t spread, product, below;
    mpfr_inits2(EXACT_BITS, spread, product, below, (mpfr_ptr)NULL);
    mpfr_mul(spread, pair.n, pair.q, MPFR_RNDN);
    mpfr_mul(product, pair.s, pair.t, MPFR_RNDN);
    mpfr_sub(spread, spread, product, MPFR_RNDN);
    mpfr_mul(below, pair.n, pair.n, MPFR_RNDN);
    crd_i_signed covariance;
    bool defined;
    assert_true(crd_i_comoments_covariance(cell, false, &covariance, &defined) && defined);
    assert_rounded(covariance, spread, below);
    assert_true(crd_i_comoments_deviations(cell, &covariance));
    assert_rounded(covariance, spread, pair.n);
    bool more_than_one = mpfr_cmp_ui(pair.n, 1) > 0;
    assert_int_equal(crd_i_comoments_covariance(cell, true, &covariance, &defined), more_than_one);
    if (more_than_one) {
        mpfr_sub_ui(below, pair.n, 1, MPFR_RNDN);
        mpfr_mul(below, below, pair.n, MPFR_RNDN);
        assert_rounded(covariance, spread, below);
    }
    double mean;
    assert_true(crd_i_comoments_mean(cell, &mean, NULL, &defined) && defined);
    mpfr_div(below, pair.s, pair.n, MPFR_RNDN);
    assert_true(mean == mpfr_get_d(below, MPFR_RNDN));
    mpfr_clears(spread, product, below, pair.n, pair.s, pair.t, pair.q, (mpfr_ptr)NULL);
}

/* ---- Tests ---- */

static void sums_and_covariances(void **state) {
    (void)state;
    for (int round = 0; round < 120; round++) {
        table drawn =
            table_of(1 + random_below(20), 1 + random_below(20), round % 3 ? KINDS : TAME_KINDS, round % 4 == 0);
        crd_i_products *products = one_by_one(&drawn);
        for (int i = 0; i < 12; i++)
            assert_pair(products, &drawn, random_below(drawn.columns), random_below(drawn.columns));
        bool possible;
        assert_true(crd_i_products_possible(products, &possible) && possible);
        crd_i_products_destroy(products);
        table_clear(&drawn);
    }
}

/* Rows in any order and in any batches, by any way, together or combined, and with others put in and taken out. */
static void orders_and_batches(void **state) {
    (void)state;
    crd_i_products_scratch *scratch = crd_i_products_scratch_create(context, crd_i_multiplier_best());
    assert_non_null(scratch);
    for (int round = 0; round < 60; round++) {
        table drawn = table_of(random_below(300), random_below(30), round % 3 ? KINDS : TAME_KINDS, round % 4 == 0);
        crd_i_products *expected = one_by_one(&drawn), *whole = fresh(drawn.columns), *part = fresh(drawn.columns);
        shuffle(&drawn);
        for (size_t begin = 0, end; begin < drawn.rows; begin = end) {
            end = begin + 1 + random_below(drawn.rows - begin);
            add_rows(random_below(2) ? whole : part, scratch, &drawn, begin, end, 1);
        }
        size_t begin = random_below(drawn.rows + 1);
        add_rows(whole, scratch, &drawn, begin, drawn.rows, -1);
        add_rows(part, NULL, &drawn, begin, drawn.rows, 1);
        assert_true(crd_i_products_combine(whole, part, 1));
        assert_same(whole, expected);
        assert_true(crd_i_products_combine(whole, expected, -1));
        assert_true(crd_i_products_is_zero(whole));
        crd_i_products_destroy(expected);
        crd_i_products_destroy(whole);
        crd_i_products_destroy(part);
        table_clear(&drawn);
    }
    crd_i_products_scratch_destroy(scratch);
}

/* Combining and undoing it gives back what was there. */
static void combining_can_be_undone(void **state) {
    (void)state;
    for (int round = 0; round < 60; round++) {
        size_t columns = 1 + random_below(20);
        table first = table_of(random_below(5), columns, KINDS, false);
        table second = table_of(random_below(5), columns, KINDS, true);
        crd_i_products *a = one_by_one(&first), *b = one_by_one(&second), *expected = one_by_one(&first);
        int sign = random_below(2) ? 1 : -1;
        assert_true(crd_i_products_combine(a, b, sign));
        assert_true(crd_i_products_combine(a, b, -sign));
        assert_same(a, expected);
        crd_i_products_destroy(a);
        crd_i_products_destroy(b);
        crd_i_products_destroy(expected);
        table_clear(&first);
        table_clear(&second);
    }
}

static bool is_possible(const crd_i_products *products) {
    bool possible;
    assert_true(crd_i_products_possible(products, &possible));
    return possible;
}

static void possible_and_impossible(void **state) {
    (void)state;
    const double rows[] = {1, 2, 1, 3, 1, 7}; /* three rows of two columns, the first of them constant */
    crd_i_products *products = fresh(2);
    assert_true(is_possible(products));
    assert_true(crd_i_products_add(products, NULL, rows, 2, 1, NULL, -1));
    assert_false(is_possible(products)); /* fewer than no rows */
    assert_true(crd_i_products_add(products, NULL, rows + 2, 2, 1, NULL, 1));
    assert_false(is_possible(products)); /* no rows that say something */
    assert_true(crd_i_products_add(products, NULL, rows, 2, 3, NULL, 1));
    assert_true(crd_i_products_add(products, NULL, rows + 2, 2, 1, NULL, -1));
    assert_true(crd_i_products_add(products, NULL, rows, 2, 1, NULL, 1));
    assert_true(is_possible(products));
    /* A constant column that varies together with another. */
    crd_i_comoment_cell cell = crd_i_products_cell(products, 0, 1);
    crd_i_sums *product = (crd_i_sums *)cell.q;
    assert_true(crd_i_sums_add(product, cell.q_cell, 0x1p-1000));
    assert_false(is_possible(products));
    assert_true(crd_i_sums_add(product, cell.q_cell, -0x1p-1000));
    assert_true(is_possible(products));
    /* A negative variance. */
    const double other[] = {5, 2};
    assert_true(crd_i_products_add(products, NULL, other, 2, 1, NULL, -1));
    assert_false(is_possible(products));
    crd_i_products_destroy(products);

    /* A covariance larger than the variances allow, though of the right sign. */
    const double line[] = {0, 0, 1, 2, 2, 4};
    products = fresh(2);
    assert_true(crd_i_products_add(products, NULL, line, 2, 3, NULL, 1));
    assert_true(is_possible(products));
    cell = crd_i_products_cell(products, 1, 0);
    assert_true(crd_i_sums_add((crd_i_sums *)cell.q, cell.q_cell, 0x1p-40));
    assert_false(is_possible(products));
    crd_i_products_destroy(products);
}

/* Every allocation fails once; what was allocated is freed again, as tearing down checks. */
static void out_of_memory(void **state) {
    (void)state;
    table drawn = table_of(40, 11, KINDS, false);
    for (size_t fail = 1;; fail++) {
        memory.fail_at = memory.calls + fail;
        crd_i_products *products = crd_i_products_create(context, drawn.columns);
        crd_i_products *other = crd_i_products_create(context, drawn.columns);
        crd_i_products_scratch *scratch = crd_i_products_scratch_create(context, crd_i_multiplier_best());
        bool possible, done = products != NULL && other != NULL && scratch != NULL;
        done = done && crd_i_products_add(products, NULL, drawn.values, drawn.columns, 20, NULL, 1);
        done = done && crd_i_products_add(other, scratch, drawn.values, drawn.columns, 40, NULL, 1);
        done = done && crd_i_products_combine(products, other, 1);
        done = done && crd_i_products_possible(products, &possible);
        bool failed = memory.calls >= memory.fail_at;
        assert_int_equal(done, !failed);
        memory.fail_at = 0;
        crd_i_products_scratch_destroy(scratch);
        crd_i_products_destroy(products);
        crd_i_products_destroy(other);
        if (!failed) break;
    }
    table_clear(&drawn);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_covariances),    cmocka_unit_test(orders_and_batches),
        cmocka_unit_test(combining_can_be_undone), cmocka_unit_test(possible_and_impossible),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests_name("math_products", tests, set_up, tear_down);
}
