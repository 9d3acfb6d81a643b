/* SPDX-License-Identifier: MIT */
/* Densities straight from tallies: each setting against its own formula in long double, and the edges where a
 * deviation is zero, undefined, or near either end of the range of a double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "density/univariate/family.h"
#include "stats_support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 };

static crd_context *context;
static crd_settings *settings;
static const int32_t order[MOST] = {0, 1, 2, 3};

static void set(const char *name, const char *value) {
    crd_error error;
    if (crd_settings_set(settings, name, crd_text_of(value), &error) != CRD_OK) fail_msg("%s", error.message);
}

static int set_up(void **state) {
    crd_error error;
    (void)state;
    if (crd_context_create(NULL, &context) != CRD_OK || crd_settings_create(context, &settings, &error) != CRD_OK)
        return 1;
    set("smoothing", "none");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    crd_settings_destroy(settings);
    crd_context_destroy(context);
    return 0;
}

/* ---- Numbers ---- */

static crd_i_tallied numbers_of(size_t conditions, size_t rows, const double *numbers, const int32_t *under) {
    crd_i_tally *tally = crd_i_moments.create(context);
    crd_i_cells cells = {.rows = rows, .numbers = numbers};
    assert_true(crd_i_moments.extend(tally, conditions, 0) && add_under(tally, &cells, under, NULL));
    crd_i_tallied tallied = {.tally = tally, .view = {order, conditions, NULL, 0, NULL}};
    return tallied;
}

static void free_tallied(crd_i_tallied *tallied) {
    crd_i_tally_destroy((crd_i_tally *)tallied->tally);
}

static crd_i_density *derived(const crd_i_tallied *attributes, size_t count, size_t which) {
    void *shared = NULL;
    crd_i_density *density;
    crd_error error;
    assert_int_equal(crd_i_family_gaussian.share(context, attributes, count, settings, &shared, &error), CRD_OK);
    assert_int_equal(crd_i_family_gaussian.derive(context, &attributes[which], settings, shared, &density, &error),
                     CRD_OK);
    crd_free(context, shared);
    return density;
}

static crd_term term_at(const crd_i_density *density, size_t condition, double x) {
    crd_term term = CRD_TERM_INIT;
    crd_i_cells cell = {.rows = 1, .numbers = &x};
    density->family->term(density, &cell, condition, &term);
    double sums[MOST] = {0, 0, 0, 0};
    density->family->add(density, &cell, sums);
    assert_true(sums[condition] == term.log_value);
    return term;
}

static void near(double got, long double wanted) {
    if (!(fabsl(got - wanted) <= 1e-13L * fabsl(wanted))) fail_msg("%.17g should be %.20Lg", got, wanted);
}

/* Two attributes under two conditions: sums of squared deviations by hand. */
static const double first[] = {1, 2, 4, 10, 11}, second[] = {0, 6, 3, 3, 9};
static const int32_t under[] = {0, 0, 0, 1, 1};

static void squares(const double *x, size_t start, size_t limit, long double *mean, long double *squared) {
    *mean = *squared = 0;
    for (size_t i = start; i < limit; i++) *mean += x[i] / (long double)(limit - start);
    for (size_t i = start; i < limit; i++) *squared += (x[i] - *mean) * (x[i] - *mean);
}

static void every_way_of_sharing(void **state) {
    (void)state;
    crd_i_tallied attributes[] = {numbers_of(2, 5, first, under), numbers_of(2, 5, second, under)};
    const double *columns[] = {first, second};
    long double mean, entries[2][2], whole[2], n[2] = {3, 2};
    for (int a = 0; a < 2; a++) {
        squares(columns[a], 0, 3, &mean, &entries[a][0]);
        squares(columns[a], 3, 5, &mean, &entries[a][1]);
        squares(columns[a], 0, 5, &mean, &whole[a]);
    }
    static const char *const ways[] = {"none", "classes", "attributes", "all"};
    for (int way = 0; way < 4; way++)
        for (int sample = 0; sample < 2; sample++)
            for (int m = 0; m < 2; m++) {
                set("pool-variance", ways[way]);
                set("variance", sample ? "sample" : "mle");
                set("smoothing", m ? "m:2" : "none");
                for (size_t a = 0; a < 2; a++) {
                    crd_i_density *density = derived(attributes, 2, a);
                    for (size_t c = 0; c < 2; c++) {
                        long double sum = 0, rows = 0, divisor = 0, total = 0, total_divisor = 0;
                        for (size_t i = 0; i < 2; i++) {
                            if (i != a && way < 2) continue;
                            total += whole[i], total_divisor += 5 - sample;
                            for (size_t k = 0; k < 2; k++) {
                                if (k != c && way % 2 == 0) continue;
                                sum += entries[i][k], rows += n[k], divisor += n[k] - sample;
                            }
                        }
                        long double v = sum / divisor, V = total / total_divisor;
                        if (m) v = (rows * v + 2 * V) / (rows + 2);
                        near(term_at(density, c, 1).deviation, sqrtl(v));
                    }
                    crd_i_density_destroy(density);
                }
            }
    free_tallied(&attributes[0]);
    free_tallied(&attributes[1]);
}

static void log_density_is_the_formula(void **state) {
    (void)state;
    crd_i_tallied attribute = numbers_of(2, 5, first, under);
    crd_i_density *density = derived(&attribute, 1, 0);
    for (double x = -20; x < 30; x += 0.37) {
        crd_term term = term_at(density, 0, x);
        long double z = ((long double)x - term.mean) / term.deviation;
        long double wanted =
            -0.5L * logl(2 * 3.14159265358979323846264338327950288L) - logl(term.deviation) - z * z / 2;
        if (fabsl(term.log_value - wanted) > 1e-13L * (1 + fabsl(wanted))) fail_msg("at %g", x);
    }
    crd_i_density_destroy(density);
    free_tallied(&attribute);
}

static void zero_and_undefined_deviations(void **state) {
    (void)state;
    /* Condition 0 agrees on 5, 1 has one row, 2 has none, 3 is spread. */
    static const double x[] = {5, 5, 7, 1, 9};
    static const int32_t conditions[] = {0, 0, 1, 3, 3};
    crd_i_tallied attribute = numbers_of(4, 5, x, conditions);
    long double mean, whole;
    squares(x, 0, 5, &mean, &whole);
    crd_i_density *density = derived(&attribute, 1, 0);
    assert_false(density->is_silent);
    near(term_at(density, 0, 5).deviation, sqrtl(1e-9L * whole / 5));
    near(term_at(density, 1, 5).deviation, sqrtl(1e-9L * whole / 5));
    near(term_at(density, 2, 5).deviation, sqrtl(whole / 5));
    near(term_at(density, 2, 5).mean, mean);
    near(term_at(density, 3, 5).deviation, 4);
    crd_i_density_destroy(density);

    set("variance", "sample");
    density = derived(&attribute, 1, 0);
    near(term_at(density, 0, 5).deviation, sqrtl(1e-9L * whole / 4));
    near(term_at(density, 1, 5).deviation, sqrtl(whole / 4));
    near(term_at(density, 2, 5).deviation, sqrtl(whole / 4));
    near(term_at(density, 3, 5).deviation, sqrtl(32));
    crd_i_density_destroy(density);

    set("min-sd", "0.5");
    density = derived(&attribute, 1, 0);
    assert_true(term_at(density, 0, 5).deviation == 0.5);
    near(term_at(density, 3, 5).deviation, sqrtl(32));
    crd_i_density_destroy(density);
    free_tallied(&attribute);
}

static void what_has_no_spread_is_silent(void **state) {
    (void)state;
    static const double constant[] = {3, 3, 3};
    static const int32_t conditions[] = {0, 1, 1};
    for (int sample = 0; sample < 2; sample++) {
        set("variance", sample ? "sample" : "mle");
        for (size_t rows = 0; rows <= 3; rows++) {
            set("min-sd", "0");
            crd_i_tallied attribute = numbers_of(2, rows, constant, conditions);
            crd_i_density *density = derived(&attribute, 1, 0);
            assert_true(density->is_silent);
            crd_i_density_destroy(density);
            set("min-sd", "2");
            density = derived(&attribute, 1, 0);
            assert_true(density->is_silent);
            crd_i_density_destroy(density);
            free_tallied(&attribute);
        }
    }
}

/* The same rows a long way off: every number is exact, so only a rounded mean could tell. The thirds in the means do
 * not fit a double at any offset. */
static void an_offset_does_not_show(void **state) {
    (void)state;
    static const double near_zero[] = {0, 1, 1, 3, 4, 6};
    static const int32_t conditions[] = {0, 0, 0, 1, 1, 1};
    set("smoothing", "none");
    crd_i_tallied here = numbers_of(2, 6, near_zero, conditions);
    crd_i_density *density = derived(&here, 1, 0);
    for (int power = 30; power <= 50; power += 10) {
        double offset = ldexp(1, power), far[6];
        for (size_t i = 0; i < 6; i++) far[i] = near_zero[i] + offset;
        crd_i_tallied there = numbers_of(2, 6, far, conditions);
        crd_i_density *shifted = derived(&there, 1, 0);
        for (size_t c = 0; c < 2; c++)
            for (int x = -2; x < 9; x++) {
                double expected = term_at(density, c, x).log_value;
                /* The mean is good to 2^-62 of the offset, which the deviation and the distance magnify. */
                double tolerance = ldexp(1, power - 62) * 40 + 1e-14 * (1 + fabs(expected));
                assert_true(fabs(term_at(shifted, c, x + offset).log_value - expected) < tolerance);
            }
        crd_i_density_destroy(shifted);
        free_tallied(&there);
    }
    crd_i_density_destroy(density);
    free_tallied(&here);
}

static void the_ends_of_the_range(void **state) {
    (void)state;
    static const double wide[] = {DBL_MAX, -DBL_MAX, 1, 2, DBL_MAX, DBL_MAX};
    static const double narrow[] = {DBL_TRUE_MIN, 0, 0, -DBL_TRUE_MIN, 0, 0};
    static const int32_t conditions[] = {0, 0, 1, 1, 2, 2};
    static const double points[] = {0, 1, -1, DBL_MAX, -DBL_MAX, DBL_TRUE_MIN, 1e-300, 1e154, 1e155};
    for (int which = 0; which < 2; which++)
        for (int sample = 0; sample < 2; sample++) {
            set("variance", sample ? "sample" : "mle");
            crd_i_tallied attribute = numbers_of(3, 6, which ? narrow : wide, conditions);
            crd_i_density *density = derived(&attribute, 1, 0);
            assert_false(density->is_silent);
            for (size_t c = 0; c < 3; c++)
                for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
                    crd_term term = term_at(density, c, points[i]);
                    assert_true(term.deviation > 0 && term.deviation <= DBL_MAX && isfinite(term.mean));
                    assert_true(term.log_value <= 800);
                    /* Minus infinity only where the true value has no double. */
                    long double z = ((long double)points[i] - term.mean) / term.deviation;
                    if (z * z / 2 < 1e308L) assert_true(isfinite(term.log_value));
                    if (z * z / 2 > 2e308L) assert_true(term.log_value == -INFINITY);
                }
            crd_i_density_destroy(density);
            free_tallied(&attribute);
        }
}

static void crossings_are_where_curves_cross(void **state) {
    (void)state;
    static const int32_t conditions[] = {0, 0, 1, 1};
    uint64_t bits = 1;
    for (int round = 0; round < 2000; round++) {
        double x[4], lead;
        for (int i = 0; i < 4; i++) {
            bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            x[i] = (double)(bits >> 58) + (round % 3 ? 0 : 1e6);
        }
        lead = (double)((bits >> 20) % 9) / 2 - 2;
        if (x[0] == x[1]) x[0]++;
        if (x[2] == x[3]) x[2]++;
        crd_i_tallied attribute = numbers_of(2, 4, x, conditions);
        crd_i_density *density = derived(&attribute, 1, 0);
        double cut[2];
        bool ahead[3];
        size_t count = density->family->crossings(density, 0, 1, lead, cut, ahead);
        assert_true(count <= 2 && (count < 2 || cut[0] <= cut[1]));
        for (size_t i = 0; i < count; i++) {
            double a = lead + term_at(density, 0, cut[i]).log_value, b = term_at(density, 1, cut[i]).log_value;
            if (fabs(a - b) > 1e-7 * (1 + fabs(a))) fail_msg("round %d: %g and %g", round, a, b);
        }
        for (double position = x[0] - 150; position < x[0] + 150; position += 0.731) {
            size_t piece = 0;
            while (piece < count && position > cut[piece]) piece++;
            double gap = lead + term_at(density, 0, position).log_value - term_at(density, 1, position).log_value;
            if (fabs(gap) > 1e-7 * (1 + fabs(position))) assert_int_equal(gap > 0, ahead[piece]);
        }
        crd_i_density_destroy(density);
        free_tallied(&attribute);
    }
}

/* ---- Categories ---- */

static crd_i_density *categories(size_t conditions, size_t values, size_t rows, const int32_t *codes,
                                 const int32_t *condition_codes, crd_i_tally **tally) {
    *tally = crd_i_counts.create(context);
    crd_i_cells cells = {.rows = rows, .codes = codes};
    assert_true(crd_i_counts.extend(*tally, conditions, values) && add_under(*tally, &cells, condition_codes, NULL));
    crd_i_tallied tallied = {.tally = *tally, .view = {order, conditions, order, values, NULL}};
    crd_i_density *density;
    crd_error error;
    assert_int_equal(crd_i_family_categorical.derive(context, &tallied, settings, NULL, &density, &error), CRD_OK);
    return density;
}

static crd_term category_term(const crd_i_density *density, int32_t value, size_t condition) {
    crd_term term = CRD_TERM_INIT;
    crd_i_cells cell = {.rows = 1, .codes = &value};
    density->family->term(density, &cell, condition, &term);
    return term;
}

static void every_smoothing(void **state) {
    (void)state;
    /* Counts: condition 0: 3 0 1, condition 1: 0 2 0, condition 2: none. */
    static const int32_t codes[] = {0, 0, 0, 2, 1, 1}, items[] = {0, 0, 0, 0, 1, 1};
    static const struct {
        const char *smoothing;
        long double wanted[3][3]; /* [condition][value] */
    } cases[] = {
        {"none", {{3 / 4.0L, 0, 1 / 4.0L}, {0, 1, 0}, {3 / 6.0L, 2 / 6.0L, 1 / 6.0L}}},
        {"m:3", {{4 / 7.0L, 1 / 7.0L, 2 / 7.0L}, {1 / 5.0L, 3 / 5.0L, 1 / 5.0L}, {1 / 3.0L, 1 / 3.0L, 1 / 3.0L}}},
        {"m:6:marginal",
         {{6 / 10.0L, 2 / 10.0L, 2 / 10.0L}, {3 / 8.0L, 4 / 8.0L, 1 / 8.0L}, {3 / 6.0L, 2 / 6.0L, 1 / 6.0L}}},
        {"laplace:1", {{4 / 7.0L, 1 / 7.0L, 2 / 7.0L}, {1 / 5.0L, 3 / 5.0L, 1 / 5.0L}, {1 / 3.0L, 1 / 3.0L, 1 / 3.0L}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set("smoothing", cases[i].smoothing);
        crd_i_tally *tally;
        crd_i_density *density = categories(3, 3, 6, codes, items, &tally);
        for (size_t c = 0; c < 3; c++) {
            double sum = 0;
            for (int32_t v = 0; v < 3; v++) {
                crd_term term = category_term(density, v, c);
                near(crd_exp(term.log_value), cases[i].wanted[c][v]);
                sum += crd_exp(term.log_value);
                if (cases[i].wanted[c][v] == 0) assert_true(term.log_value == -INFINITY);
            }
            near(sum, 1);
        }
        assert_int_equal(category_term(density, 0, 2).smoothing == CRD_TERM_OVERALL, i == 0);
        crd_i_density_destroy(density);
        crd_i_tally_destroy(tally);
    }
    /* However little is added, it is not nothing. */
    set("smoothing", "laplace:5e-324");
    crd_i_tally *tally;
    crd_i_density *density = categories(3, 3, 6, codes, items, &tally);
    assert_true(isfinite(category_term(density, 1, 0).log_value));
    crd_i_density_destroy(density);
    crd_i_tally_destroy(tally);
}

/* ---- What every family has ---- */

static void required_functions_are_there(void **state) {
    (void)state;
    size_t count;
    const crd_i_family *const *table = crd_i_family_table(&count);
    assert_true(count >= 2);
    for (size_t i = 0; i < count; i++) {
        const crd_i_family *family = table[i];
        bool is_of_numbers = crd_i_family_column_type(family) == CRD_TYPE_NUMERIC;
        bool is_of_texts = crd_i_family_column_type(family) == CRD_TYPE_TEXT;
        assert_true(strlen(family->name) > 0 && family->derive && family->add && family->term);
        assert_true(family->estimates && family->rest_create && family->rest_destroy && family->rest_add);
        assert_true((family->moments != NULL) == is_of_numbers && (family->below != NULL) == is_of_numbers);
        assert_true((family->quantile != NULL) == is_of_numbers && (family->draw != NULL) == is_of_numbers);
        assert_true((family->parameters != NULL) == is_of_numbers && (family->log_density != NULL) == is_of_numbers);
        assert_true(strlen(family->summary) > 0 && family->reads[CRD_I_MOST_READS] == NULL);
        assert_true((family->fit != NULL) == is_of_texts && (family->read != NULL) == is_of_texts);
        const crd_i_family *named = crd_i_family_named(crd_text_of(family->name));
        assert_non_null(named);
        assert_ptr_equal(crd_i_family_of_type(named, crd_i_family_column_type(family)), family);
    }
}

static void no_estimate_is_dropped(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    crd_i_estimates estimates = {.context = context};
    for (uint64_t round = 1; round <= 2; round++)
        for (size_t i = 0; i < 12; i++) assert_true(crd_i_estimates_add(&estimates, names[i], i));
    assert_int_equal(estimates.count, 12);
    for (size_t i = 0; i < 12; i++) assert_int_equal(estimates.entries[i].count, 2 * i);
    crd_i_estimates_clear(&estimates);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_way_of_sharing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(log_density_is_the_formula, set_up, tear_down),
        cmocka_unit_test_setup_teardown(zero_and_undefined_deviations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_has_no_spread_is_silent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_offset_does_not_show, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_ends_of_the_range, set_up, tear_down),
        cmocka_unit_test_setup_teardown(crossings_are_where_curves_cross, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_smoothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(required_functions_are_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_estimate_is_dropped, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
