/* SPDX-License-Identifier: MIT */
/* The fast ways to read and write decimals against the exact ones: MPFR, and digits by big integers. */
#include "math/decimal/decimal.h"

#include "unit/math_random.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- The table ---- */

static void test_powers_are_leading_bits(void **state) {
    (void)state;
    mpfr_t power;
    mpz_t bits, expected;
    mpfr_init2(power, 128);
    mpz_inits(bits, expected, NULL);
    for (int e = CRD_I_LEAST_POWER; e <= CRD_I_MOST_POWER; e++) {
        mpfr_set_ui(power, 10, MPFR_RNDN);
        int inexact = mpfr_pow_si(power, power, e, MPFR_RNDZ);
        assert_int_equal(inexact == 0, crd_i_power_is_exact(e));
        long exponent = mpfr_get_z_2exp(expected, power);
        assert_int_equal(exponent + 127, crd_i_floor_log2_of_10(e));
        crd_i_power ours = crd_i_power_of_10(e);
        assert_int_equal(ours.low == 0, e >= 0 && e <= 27);
        uint64_t halves[] = {ours.high, ours.low};
        mpz_import(bits, 2, 1, sizeof(uint64_t), 0, 0, halves);
        if (mpz_cmp(bits, expected) != 0) fail_msg("10^%d has other bits", e);
    }
    mpfr_clear(power);
    mpz_clears(bits, expected, NULL);
}

/* 10^k <= part * 2^e < 10^(k+1) */
static void assert_floor_log10(mpfr_t part, int e, int k) {
    mpfr_t scaled, power;
    mpfr_inits2(4000, scaled, power, NULL);
    mpfr_set_ui(power, 10, MPFR_RNDN);
    mpfr_mul_2si(scaled, part, e, MPFR_RNDN);
    mpfr_pow_si(power, power, k, MPFR_RNDN);
    assert_true(mpfr_cmp(power, scaled) <= 0);
    mpfr_mul_ui(power, power, 10, MPFR_RNDN);
    assert_true(mpfr_cmp(scaled, power) < 0);
    mpfr_clears(scaled, power, NULL);
}

static void test_logarithms(void **state) {
    (void)state;
    mpfr_t one, part;
    mpfr_inits2(8, one, part, NULL);
    mpfr_set_d(one, 1, MPFR_RNDN);
    mpfr_set_d(part, 0.75, MPFR_RNDN);
    for (int e = -1100; e <= 1100; e++) {
        assert_floor_log10(one, e, crd_i_floor_log10_of_2(e));
        assert_floor_log10(part, e, crd_i_floor_log10_of_3_4(e));
    }
    mpfr_clears(one, part, NULL);
}

/* ---- Words ---- */

static void test_words(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t integer = i < 20000 ? i : i < 40000 ? 99999999 - (i - 20000) : (uint32_t)random_below(100000000);
        char text[9], back[8];
        snprintf(text, sizeof text, "%08lu", (unsigned long)integer);
        crd_i_word_store(back, crd_i_word_of_integer(integer) | crd_i_word_of('0'));
        assert_memory_equal(text, back, 8);
        assert_int_equal(crd_i_word_to_integer(crd_i_word_load(text) ^ crd_i_word_of('0')), integer);
    }
    for (unsigned place = 0; place < 8; place++)
        for (unsigned byte = 0; byte < 256; byte++) {
            char text[8] = {9, 0, 9, 0, 9, 0, 9, 0};
            text[place] = (char)byte;
            assert_int_equal(crd_i_word_not_digits(crd_i_word_load(text)) == 0, byte < 10);
        }
}

/* ---- Reading ---- */

static mpfr_t exact; /* digits enough for any text here: those that are points between doubles are held as they are */

static double read_by_mpfr(const char *text) {
    assert_int_equal(mpfr_set_str(exact, text, 10, MPFR_RNDN), 0);
    return mpfr_get_d(exact, MPFR_RNDN);
}

/* Reads the text from memory that ends with it, and from memory that has other bytes behind it. */
static void assert_reads(const char *text, char point, double expected) {
    size_t length = strlen(text);
    char *tight = malloc(length), *padded = malloc(length + CRD_I_DECIMAL_PADDING);
    assert_non_null(tight);
    assert_non_null(padded);
    memcpy(tight, text, length);
    memcpy(padded, text, length);
    for (size_t i = 0; i < CRD_I_DECIMAL_PADDING; i++)
        padded[length + i] = (char)("0123456789.,e-+\0"[random_below(16)]);
    double values[2] = {42, 42};
    crd_number_class expected_class = isinf(expected) ? CRD_NUMBER_INFINITE : CRD_NUMBER_FINITE;
    crd_number_class classes[2] = {crd_i_decimal_parse((crd_text){tight, length}, point, &values[0]),
                                   crd_i_decimal_parse_padded(padded, padded + length, point, &values[1])};
    for (int i = 0; i < 2; i++) {
        if (memcmp(&values[i], &expected, sizeof expected) != 0)
            fail_msg("%.60s: %a where MPFR has %a", text, values[i], expected);
        assert_int_equal(classes[i], expected_class);
    }
    free(tight);
    free(padded);
}

static void assert_reads_as_mpfr(const char *text) {
    assert_reads(text, '.', read_by_mpfr(text));
}

/* Random digits of many lengths, where the exponent is near the ends of the range, near 0, or anywhere. */
static void test_reads_many_digits(void **state) {
    (void)state;
    static const size_t lengths[] = {1, 7, 8, 9, 15, 16, 17, 18, 19, 20, 21, 24, 25, 40, 800};
    static const int exponents[] = {-342, -324, -323, -308, -307, -300, -22, 0, 22, 55, 56, 300, 308, 309};
    char text[900];
    for (int i = 0; i < 30000; i++) {
        size_t digits = lengths[random_below(i % 16 == 0 ? 15 : 14)], index = 0;
        if (random_below(2) == 0) text[index++] = "+-"[random_below(2)];
        size_t point = index + random_below(digits + 1);
        for (size_t d = 0; d < digits; d++) {
            if (index == point) text[index++] = '.';
            text[index++] = (char)('0' + (i % 5 == 0 && d + 3 > digits ? 0 : random_below(10)));
        }
        text[index] = '\0';
        assert_reads_as_mpfr(text);
        int exponent =
            i % 3 == 0 ? (int)random_below(700) - 350 : exponents[random_below(14)] - (int)random_below(digits);
        snprintf(text + index, 12, "%c%d", "eE"[random_below(2)], exponent);
        assert_reads_as_mpfr(text);
    }
}

/* Texts cut off just below or above a point halfway between two doubles, where the last digit decides. */
static void test_reads_around_halfway(void **state) {
    (void)state;
    static const int lengths[] = {16, 17, 18, 19, 20, 40, 800};
    char text[900];
    mpfr_t midpoint;
    mpfr_init2(midpoint, 60);
    for (int i = 0; i < 12000; i++) {
        uint64_t bits = random_bits() & INT64_MAX;
        if (i % 4 == 0) bits &= (UINT64_C(1) << (1 + random_below(54))) - 1; /* denormals and the least normals */
        if (i % 4 == 1) bits = (bits >> 12) + ((uint64_t)(1023 + random_below(64)) << 52);
        double x = from_bits(bits), above = from_bits(bits + 1);
        if (!isfinite(x) || !isfinite(above)) continue;
        mpfr_set_d(midpoint, x, MPFR_RNDN);
        mpfr_add_d(midpoint, midpoint, above, MPFR_RNDN);
        mpfr_div_2ui(midpoint, midpoint, 1, MPFR_RNDN);
        int digits = lengths[random_below(i % 16 == 2 ? 7 : 6)] - 1;
        mpfr_snprintf(text, sizeof text, "%.*RDe", digits, midpoint);
        assert_reads_as_mpfr(text);
        mpfr_snprintf(text, sizeof text, "%.*RUe", digits, midpoint);
        assert_reads_as_mpfr(text);
    }
    mpfr_clear(midpoint);
}

static void test_reads_cells(void **state) {
    (void)state;
    static const char *const cells[] = {"-1.23456",
                                        "0.5",
                                        "12",
                                        "5.1",
                                        "-0.12345678901234567",
                                        "-0",
                                        "+.5",
                                        "5.",
                                        "-5.",
                                        "12345678",
                                        "-12345678",
                                        "1.2345678",
                                        "-.1234567",
                                        "00000000",
                                        "0.0000000000000000000000",
                                        "123456789.5",
                                        "0.50000000000000000",
                                        "4503599627370497.5",
                                        "1e5",
                                        "-1.5e-07"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) assert_reads_as_mpfr(cells[i]);
    assert_reads("-1,25", ',', -1.25);
    assert_reads("12345678,25", ',', 12345678.25);
    static const char *const others[] = {"",
                                         "-",
                                         "+",
                                         ".",
                                         "-.",
                                         "+.",
                                         "1.2.3",
                                         "1,2",
                                         "--1",
                                         "12-",
                                         "1234567x",
                                         "1.2345678.",
                                         "123456789012345x",
                                         "12345678901234567.8.",
                                         " 1",
                                         "NA",
                                         "-e5",
                                         "1.5e",
                                         "1.5e-"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char padded[64] = {0};
        double value = 42;
        memcpy(padded, others[i], strlen(others[i]));
        memset(padded + strlen(others[i]), '7', CRD_I_DECIMAL_PADDING);
        assert_int_equal(crd_i_decimal_parse_padded(padded, padded + strlen(others[i]), '.', &value), CRD_NUMBER_NONE);
        assert_int_equal(crd_i_decimal_parse(crd_text_of(others[i]), '.', &value), CRD_NUMBER_NONE);
        assert_true(value == 42);
    }
}

/* ---- Writing ---- */

/* The digits and the exponent of a text, without zeros at either end. */
static crd_i_shortest take_apart(const char *text) {
    crd_i_shortest shortest = {0, 0};
    bool after_point = false;
    if (*text == '-') text++;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text == '.') {
            after_point = true;
            continue;
        }
        shortest.digits = shortest.digits * 10 + (uint64_t)(*text - '0');
        shortest.exponent -= after_point;
    }
    if (*text == 'e') shortest.exponent += atoi(text + 1);
    while (shortest.digits != 0 && shortest.digits % 10 == 0) {
        shortest.digits /= 10;
        shortest.exponent++;
    }
    return shortest;
}

static void assert_writes_as_exact(double value) {
    char text[CRD_NUMBER_ROOM];
    if (value == 0 || !isfinite(value)) return;
    crd_number_format(value, text);
    crd_i_shortest ours = take_apart(text), theirs = crd_i_decimal_shortest(fabs(value));
    if (ours.digits != theirs.digits || ours.exponent != theirs.exponent || (text[0] == '-') != (value < 0))
        fail_msg("%a is written %s, but its digits are %llue%d", value, text, (unsigned long long)theirs.digits,
                 theirs.exponent);
}

static void test_writes_as_exact(void **state) {
    (void)state;
    for (uint64_t field = 0; field < 2047; field++) /* powers of two, and what is beside them */
        for (uint64_t beside = 0; beside < 3; beside++) assert_writes_as_exact(from_bits((field << 52) + beside - 1));
    for (uint64_t least = 1; least < 2000; least++) assert_writes_as_exact(from_bits(least));
    for (int e = -324; e <= 308; e++)
        for (int digit = 1; digit < 10; digit++) {
            char text[16];
            snprintf(text, sizeof text, "%de%d", digit, e);
            double value = strtod(text, NULL);
            assert_writes_as_exact(value);
            assert_writes_as_exact(nextafter(value, 0));
            assert_writes_as_exact(nextafter(value, INFINITY));
        }
    for (int i = 0; i < 30000; i++) {
        assert_writes_as_exact(from_bits(random_bits()));
        assert_writes_as_exact((double)(random_bits() >> random_below(64)));
        assert_writes_as_exact((double)random_bits() / 18446744073709551616.0);
        /* Multiples of powers of ten above 2^53, for which the bits at hand do not suffice. */
        assert_writes_as_exact((double)random_below(100000) * pow(10, 13 + (int)random_below(10)));
    }
}

static int set_up(void **state) {
    (void)state;
    mpfr_init2(exact, 6000);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    mpfr_clear(exact);
    mpfr_free_cache();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_powers_are_leading_bits),
        cmocka_unit_test(test_logarithms),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_reads_many_digits),
        cmocka_unit_test(test_reads_around_halfway),
        cmocka_unit_test(test_reads_cells),
        cmocka_unit_test(test_writes_as_exact),
    };
    return cmocka_run_group_tests_name("math_decimal_fast", tests, set_up, tear_down);
}
