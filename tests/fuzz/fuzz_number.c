/* SPDX-License-Identifier: MIT */
/* number.c - numbers to text and back: every text that is read, and every double, survives the round trip.
 *
 * The C library's strtod and printf, in the C locale that a test runs in, are the independent reference: what is read
 * is the nearest double, and what is written has the fewest digits that read back. */
#include "fuzz.h"

#include "math/decimal/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static size_t significant_digits(const char *text) {
    size_t digits = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9') continue;
        if (*text == '0' && digits == 0) continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        digits++;
    }
    return digits - zeros;
}

static size_t fewest_digits(double value) {
    char text[64];
    for (int precision = 0; precision < 17; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, value);
        if (same_bits(strtod(text, NULL), value)) return significant_digits(text);
    }
    return 17;
}

static void check_round_trip(double value) {
    char text[CRD_NUMBER_ROOM];
    memset(text, '#', sizeof text);
    size_t length = crd_number_format(value, text);
    FUZZ_CHECK(length < CRD_NUMBER_ROOM && strlen(text) == length);
    double back = 0;
    crd_number_class class = crd_number_parse(crd_text_of(text), &back);
    if (isnan(value)) {
        FUZZ_CHECK(class == CRD_NUMBER_NONE);
    } else {
        FUZZ_CHECK(class == (isinf(value) ? CRD_NUMBER_INFINITE : CRD_NUMBER_FINITE));
        FUZZ_CHECK(same_bits(back, value));
        if (isfinite(value)) FUZZ_CHECK(significant_digits(text) <= fewest_digits(value));
    }
}

/* What stands behind a number changes nothing. */
static void check_padded(crd_text text, crd_number_class class, double value) {
    char *padded = malloc(text.length + CRD_I_DECIMAL_PADDING);
    if (padded == NULL || text.length == 0) {
        free(padded);
        return;
    }
    memcpy(padded, text.bytes, text.length);
    static const unsigned char after[] = {'7', '.', 0, 'e', '-', 0xFF, '\n', ','};
    for (size_t i = 0; i < sizeof after; i++) {
        memset(padded + text.length, after[i], CRD_I_DECIMAL_PADDING);
        double read = value;
        FUZZ_CHECK(crd_i_decimal_parse_padded(padded, padded + text.length, '.', &read) == class);
        FUZZ_CHECK(same_bits(read, value));
    }
    free(padded);
}

static void check_text(crd_text text) {
    double value = 0;
    crd_number_class class = crd_number_parse(text, &value);
    check_padded(text, class, value);
    if (class == CRD_NUMBER_NONE) return;
    /* Whatever is taken for a number, the C library reads too, to the last byte and to the same bits. */
    char *copy = malloc(text.length + 1), *end = NULL;
    if (copy == NULL) return;
    memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    double reference = strtod(copy, &end);
    FUZZ_CHECK(end == copy + text.length);
    FUZZ_CHECK(same_bits(value, reference));
    FUZZ_CHECK((class == CRD_NUMBER_INFINITE) == (isinf(reference) != 0));
    free(copy);
    check_round_trip(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    check_text((crd_text){(const char *)bytes, length});
    double value;
    if (length >= sizeof value) {
        memcpy(&value, bytes, sizeof value);
        check_round_trip(value);
    }
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const texts[] = {
        "0",
        "-0",
        "1",
        "+1",
        ".5",
        "5.",
        "0.1",
        "-1e-07",
        "1E+22",
        "1e23",
        "123456789012345678901234567890",
        "9007199254740993",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "1e999",
        "-inf",
        "Infinity",
        "nan",
        "0x10",
        "1e",
        "e5",
        "--1",
        "1_000",
        "0.000000000000000000000000000000000000000000000000000000000000001",
        "17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758720709633028641"
        "66928879109465555478519404026306574886715058206819089020007083836762738548458177115317644757302700698555713669"
        "59622842914819860834936475292719074168444365510704342711559699508093042880"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) emit(user, texts[i], strlen(texts[i]));
    static const double values[] = {1.0 / 3.0, 5e-324, 1.7976931348623157e308, 6.02214076e23, 9007199254740992.0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) emit(user, &values[i], sizeof values[i]);
}
