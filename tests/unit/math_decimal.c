/* SPDX-License-Identifier: MIT */
/* Decimals read and written: strtod of the C locale and MPFR are the independent references. */
#include <credence/number.h>

#include "unit/math_random.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static crd_number_class parse(const char *bytes, double *value) {
    crd_text text = {bytes, strlen(bytes)};
    return crd_number_parse(text, value);
}

/* The same bits as strtod gives, and the class that goes with them. */
static void assert_reads_as_strtod(const char *text) {
    double value = 0, expected = strtod(text, NULL);
    crd_number_class class = parse(text, &value);
    if (memcmp(&value, &expected, sizeof value) != 0) fail_msg("%.60s: %a where strtod has %a", text, value, expected);
    assert_int_equal(class, isinf(expected) ? CRD_NUMBER_INFINITE : CRD_NUMBER_FINITE);
}

static double random_finite(void) {
    for (;;) {
        double x = from_bits(random_bits());
        if (isfinite(x)) return x;
    }
}

static void test_grammar(void **state) {
    (void)state;
    static const char *const numbers[] = {
        "0",     "+5",    ".28",  "5.",    "1e5",  "1E+5",   "-0",   "-.5e-3",
        "00012", "0e9",   "0.00", "1e-05", "+0.0", "-0e400", "1.e1", "1e0000000000000000000001",
        "1e-0",  "007.50"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) assert_reads_as_strtod(numbers[i]);
    static const char *const others[] = {"",     ".",    "+",     "-",  "e5",   "1e",        "1e+",   "0x10",
                                         "nan",  "NaN",  "1 ",    " 1", "1,5",  "1..2",      "1.2.",  "--1",
                                         "+-1",  "1e5.", "1e5e5", "in", "infi", "infinityy", "1_000", "1f",
                                         "inf ", "+e1",  ".e1",   "-",  "1e 5", "\xd9\xa1",  "1\n",   "e"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        double value = 42;
        if (parse(others[i], &value) != CRD_NUMBER_NONE) fail_msg("'%s' was read as a number", others[i]);
        assert_true(value == 42);
    }
    static const char *const infinite[] = {"inf",
                                           "INF",
                                           "Infinity",
                                           "+inf",
                                           "iNfInItY",
                                           "1e999",
                                           "1e99999999999",
                                           "1e309",
                                           "1.7976931348623159e308",
                                           "9e9223372036854775807",
                                           "1e99999999999999999999999999"};
    for (size_t i = 0; i < sizeof infinite / sizeof *infinite; i++) {
        double value = 0;
        assert_int_equal(parse(infinite[i], &value), CRD_NUMBER_INFINITE);
        assert_true(value == INFINITY);
    }
    double value = 0;
    assert_int_equal(parse("-Inf", &value), CRD_NUMBER_INFINITE);
    assert_true(value == -INFINITY);
    static const char *const zero[] = {"1e-999", "1e-400000000", "1e-99999999999999999999999",
                                       "0e99999999999999999999"};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
        value = 1;
        assert_int_equal(parse(zero[i], &value), CRD_NUMBER_FINITE);
        assert_true(value == 0 && !signbit(value));
    }
    assert_int_equal(parse("-1e-999", &value), CRD_NUMBER_FINITE);
    assert_true(value == 0 && signbit(value));
    /* The length counts, not a NUL: what follows is not read, what stands inside is no digit. */
    crd_text cut = {"12345", 2}, inside = {"1\0002", 3};
    assert_int_equal(crd_number_parse(cut, &value), CRD_NUMBER_FINITE);
    assert_true(value == 12);
    assert_int_equal(crd_number_parse(inside, &value), CRD_NUMBER_NONE);
}

static void test_reads_known_hard_numbers(void **state) {
    (void)state;
    static const char *const hard[] = {"9007199254740993",
                                       "9007199254740992.999999999999999999999999999999",
                                       "9007199254740993.00000000000000000000000001",
                                       "2.2250738585072011e-308",
                                       "2.2250738585072012e-308",
                                       "2.4703282292062327208e-324",
                                       "2.4703282292062328e-324",
                                       "4.9e-324",
                                       "5e-324",
                                       "1.7976931348623157e308",
                                       "1.7976931348623158e308",
                                       "179769313486231580793728971405301e276",
                                       "6.631236846766476e-316",
                                       "8.988465674311581e307",
                                       "1e22",
                                       "1e23",
                                       "123456789012345678e-22",
                                       "9007199254740991e22",
                                       "0.1",
                                       "0.3",
                                       "1e-22",
                                       "1e-23",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "9999999999999999999"};
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) assert_reads_as_strtod(hard[i]);
}

static void test_reads_random_numbers(void **state) {
    (void)state;
    char text[128];
    for (int i = 0; i < 60000; i++) {
        snprintf(text, sizeof text, "%.*e", (int)random_below(25), random_finite());
        assert_reads_as_strtod(text);
        snprintf(text, sizeof text, "%llu.%0*llue%d", (unsigned long long)(random_bits() >> random_below(64)),
                 1 + (int)random_below(30), (unsigned long long)(random_bits() >> random_below(64)),
                 (int)random_below(700) - 350);
        assert_reads_as_strtod(text);
        snprintf(text, sizeof text, "%.*f", (int)random_below(9), (double)(random_bits() >> 30) / 1024);
        assert_reads_as_strtod(text);
    }
}

/* Points exactly halfway between doubles, written in full by MPFR, and a last digit more or less far behind. */
static void test_reads_halfway_points(void **state) {
    (void)state;
    static char text[4000];
    mpfr_t midpoint;
    mpfr_init2(midpoint, 60);
    for (int i = 0; i < 3000; i++) {
        uint64_t bits = random_bits() & INT64_MAX;
        if (i % 3 == 0) bits &= (UINT64_C(1) << (1 + random_below(54))) - 1; /* denormals and the least normals */
        double x = from_bits(bits), above = from_bits(bits + 1);
        if (!isfinite(x) || !isfinite(above)) continue;
        mpfr_set_d(midpoint, x, MPFR_RNDN);
        mpfr_add_d(midpoint, midpoint, above, MPFR_RNDN);
        mpfr_div_2ui(midpoint, midpoint, 1, MPFR_RNDN);
        mpfr_snprintf(text, 1500, "%.780Re", midpoint);
        char *exponent = strchr(text, 'e');
        assert_non_null(exponent);
        double value, even = bits % 2 == 0 ? x : above;
        parse(text, &value);
        assert_true(value == even);
        assert_reads_as_strtod(text);

        /* 1,500 zeros and then a 1: more than halfway. */
        char tail[24];
        snprintf(tail, sizeof tail, "%s", exponent);
        memset(exponent, '0', 1500);
        snprintf(exponent + 1500, sizeof tail + 1, "1%s", tail);
        parse(text, &value);
        assert_true(value == above);

        /* The last digit that is not zero made one less and nines behind it: less than halfway. */
        char *last = exponent;
        while (*last == '0' || *last == '.') last--;
        *last = (char)(*last - 1);
        for (char *cursor = last + 1; cursor < exponent + 1500; cursor++)
            if (*cursor == '0') *cursor = '9';
        parse(text, &value);
        assert_true(value == x);
    }
    mpfr_clear(midpoint);
}

static void test_reads_very_long_texts(void **state) {
    (void)state;
    enum { LENGTH = 200000 };
    char *text = malloc(LENGTH + 32);
    assert_non_null(text);
    memset(text, '7', LENGTH);
    text[1] = '.';
    text[LENGTH] = '\0';
    assert_reads_as_strtod(text);
    memset(text, '0', LENGTH);
    text[1] = '.';
    snprintf(text + LENGTH, 32, "25e%d", LENGTH);
    double value = 0;
    assert_int_equal(parse(text, &value), CRD_NUMBER_FINITE);
    assert_true(value == 25.0);
    memset(text, '0', LENGTH);
    text[0] = '3';
    snprintf(text + LENGTH, 32, "e-%d", LENGTH - 1);
    assert_int_equal(parse(text, &value), CRD_NUMBER_FINITE);
    assert_true(value == 3.0);
    free(text);
}

static void assert_written(double value, const char *expected) {
    char text[CRD_NUMBER_ROOM];
    size_t length = crd_number_format(value, text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void test_layout(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {5, "5"},
                 {-5, "-5"},
                 {0.1, "0.1"},
                 {0.30000000000000004, "0.30000000000000004"},
                 {0.0001, "0.0001"},
                 {0.00012345, "0.00012345"},
                 {0.00001, "1e-05"},
                 {1e-7, "1e-07"},
                 {1.5e20, "1.5e+20"},
                 {1e16, "1e+16"},
                 {9999999999999998.0, "9999999999999998"},
                 {1e15, "1000000000000000"},
                 {1234567, "1234567"},
                 {100, "100"},
                 {123.456, "123.456"},
                 {2.5, "2.5"},
                 {9007199254740993.0, "9007199254740992"},
                 {1e22, "1e+22"},
                 {1e23, "1e+23"},
                 {1.7976931348623157e308, "1.7976931348623157e+308"},
                 {5e-324, "5e-324"},
                 {-2.2250738585072014e-308, "-2.2250738585072014e-308"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"},
                 {-0.00012345678901234567, "-0.00012345678901234567"},
                 {9.5367431640625e-07, "9.5367431640625e-07"},
                 {5.684341886080802e-14, "5.684341886080802e-14"},
                 {0.9999999999999999, "0.9999999999999999"},
                 {999999999999999.9, "999999999999999.9"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_written(cases[i].value, cases[i].text);
    assert_written(copysign(NAN, -1), "nan");
}

static int significant_digits(const char *text) {
    int count = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9') continue;
        if (*text == '0' && count == 0) continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        count++;
    }
    return count - zeros;
}

/* Reads back; no %.Ne of fewer digits does; of as many digits none is nearer. */
static void assert_shortest(double value) {
    char text[CRD_NUMBER_ROOM], other[64];
    size_t length = crd_number_format(value, text);
    assert_true(length < CRD_NUMBER_ROOM && text[length] == '\0');
    double back = 0, by_strtod = strtod(text, NULL);
    assert_int_equal(parse(text, &back), CRD_NUMBER_FINITE);
    assert_memory_equal(&back, &value, sizeof value);
    assert_memory_equal(&by_strtod, &value, sizeof value);

    int digits = significant_digits(text);
    for (int fewer = 1; fewer < digits; fewer++) {
        snprintf(other, sizeof other, "%.*e", fewer - 1, value);
        if (strtod(other, NULL) == value) fail_msg("%s is shorter than %s", other, text);
    }
    /* The nearest of that many digits, where it reads back, is the one. */
    snprintf(other, sizeof other, "%.*e", digits - 1, value);
    if (digits > 0 && strtod(other, NULL) == value) {
        mpfr_t ours, theirs;
        mpfr_init2(ours, 200);
        mpfr_init2(theirs, 200);
        mpfr_set_str(ours, text, 10, MPFR_RNDN);
        mpfr_set_str(theirs, other, 10, MPFR_RNDN);
        if (mpfr_cmp(ours, theirs) != 0) { /* allowed only when both are as near */
            mpfr_sub_d(ours, ours, value, MPFR_RNDN);
            mpfr_sub_d(theirs, theirs, value, MPFR_RNDN);
            if (mpfr_cmpabs(ours, theirs) != 0) fail_msg("%s is nearer than %s", other, text);
        }
        mpfr_clear(ours);
        mpfr_clear(theirs);
    }
}

static void test_shortest(void **state) {
    (void)state;
    for (int exponent = -1074; exponent <= 1023; exponent++) { /* where the gap below is half of the gap above */
        double power = ldexp(1, exponent);
        assert_shortest(power);
        assert_shortest(nextafter(power, INFINITY));
        assert_shortest(-nextafter(power, 0));
    }
    for (int i = 0; i < 15000; i++) {
        assert_shortest(random_finite());
        assert_shortest(from_bits(random_bits() & (UINT64_MAX >> (12 + random_below(52)))));
        assert_shortest((double)random_bits() / 18446744073709551616.0);
        assert_shortest((double)random_below(100000000) / 1e6);
        assert_shortest(ldexp((double)(random_bits() >> 11), -(int)random_below(90)));
        assert_shortest((double)(random_bits() >> random_below(64)));
    }
}

static void test_round_trip(void **state) {
    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[CRD_NUMBER_ROOM];
        double value = random_finite(), back = 0;
        crd_text written = {text, crd_number_format(value, text)};
        assert_int_equal(crd_number_parse(written, &back), CRD_NUMBER_FINITE);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),
        cmocka_unit_test(test_reads_known_hard_numbers),
        cmocka_unit_test(test_reads_random_numbers),
        cmocka_unit_test(test_reads_halfway_points),
        cmocka_unit_test(test_reads_very_long_texts),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_shortest),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests_name("math_decimal", tests, NULL, NULL);
}
