/* SPDX-License-Identifier: MIT */
/* table_column_formats.c - formats of cells: amounts, dates and truth values from hostile texts, and the formats that columns have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "table/values/column_format.h"

#include <credence/base.h>

#include <math.h>
#include <string.h>

static crd_i_column_format form_named(const char *name) {
    crd_i_column_format format = {0, 0};
    assert_true(crd_i_column_format_find(crd_text_of(name), &format));
    return format;
}

static void assert_number(const char *form, const char *text, double expected) {
    double number = NAN;
    if (crd_i_column_format_number(form_named(form), crd_text_of(text), &number) != CRD_NUMBER_FINITE ||
        number != expected)
        fail_msg("'%s' as %s is %.17g", text, form, number);
}

static void assert_none(const char *form, const char *text) {
    double number;
    if (crd_i_column_format_number(form_named(form), crd_text_of(text), &number) != CRD_NUMBER_NONE)
        fail_msg("'%s' is %s: %.17g", text, form, number);
}

static void test_amounts(void **state) {
    (void)state;
    assert_number("point", "1,234.50", 1234.5);
    assert_number("point", "1,234,567", 1234567);
    assert_number("point", "$1,234.50", 1234.5);
    assert_number("point", "-$5", -5);
    assert_number("point", "$-5", -5);
    assert_number("point", "USD 5", 5);
    assert_number("point", "5 EUR", 5);
    assert_number("point",
                  "\xC2\xA3"
                  "5",
                  5);
    assert_number("point", "(1,234.50)", -1234.5);
    assert_number("point", "($5)", -5);
    assert_number("point", "+5", 5);
    assert_number("point",
                  "\xE2\x88\x92"
                  "5",
                  -5);
    assert_number("point", "1 234 567.5", 1234567.5);
    assert_number("point",
                  "1\xC2\xA0"
                  "234",
                  1234);
    assert_number("point",
                  "1\xE2\x80\xAF"
                  "234",
                  1234);
    assert_number("point", "1'234'567", 1234567);
    assert_number("point", "$.50", 0.5);
    assert_number("point", "0", 0);
    assert_number("point", "1e5", 1e5);
    assert_number("comma", "1.234,50 \xE2\x82\xAC", 1234.5);
    assert_number("comma", "1.234.567", 1234567);
    assert_number("comma", "0,123", 0.123);
    assert_number("comma", "1.234", 1234);
    assert_number("percent", "12.5%", 0.125);
    assert_number("percent", "1e5%", 1000);
    assert_number("percent", "(5%)", -0.05);
    assert_number("percent", "0", 0);
    assert_number("percent-comma", "12,5 %", 0.125);
    static const char *const NONE[] = {"",          "-",      "$",      "%",         "()",        "( )",
                                       "1,23,4",    "1,2345", "1,,234", ",234,",     "12,34",     "0,123",
                                       "007",       "1.2.3",  "--5",    "$$5",       "$5$",       "5%",
                                       "(-5)",      "(5",     "5)",     "1 234,567", "USDT 5",    "5 kg",
                                       "1'234,567", "1 2345", "0x10",   "$5 EUR",    "1.234.567", "12345678901234567"};
    for (size_t i = 0; i < sizeof NONE / sizeof NONE[0]; i++) assert_none("point", NONE[i]);
    assert_none("comma", "1.5");
    assert_none("comma", "1,234.5");
    assert_none("percent", "5");
    assert_none("percent", "$5%");
    char longest[80];
    memset(longest, '9', sizeof longest);
    assert_int_equal(crd_i_amount_parse((crd_text){longest, sizeof longest}, '.').class, CRD_NUMBER_NONE);
}

static void test_codes(void **state) {
    (void)state;
    static const char *const CODES[] = {"00", "007", "08123", "12345678901234567", "00000000000000000000001"};
    static const char *const NUMBERS[] = {"",    "0",  "0.5", "-0.5", "-007", "00.5", "1234567890123456",
                                          "0e5", "10", "0x1"};
    for (size_t i = 0; i < sizeof CODES / sizeof CODES[0]; i++) assert_true(crd_i_is_code(crd_text_of(CODES[i])));
    for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++)
        assert_false(crd_i_is_code(crd_text_of(NUMBERS[i])));
}

/* Seconds as `date -u -d TEXT +%s` prints them. */
static void test_dates(void **state) {
    (void)state;
    assert_number("seconds", "1970-01-01", 0);
    assert_number("seconds", "2024-02-29", 1709164800);
    assert_number("seconds", "2024-02-29T12:30:05.5Z", 1709209805.5);
    assert_number("seconds", "2024-02-29 12:30+01:00", 1709206200);
    assert_number("seconds", "2024-02-29T12:30-0530", 1709229600);
    assert_number("seconds", "1969-12-31 23:59:59", -1);
    assert_number("seconds", "2016-12-31T23:59:60Z", 1483228800);
    assert_number("seconds", "0001-01-01", -62135596800.0);
    assert_number("seconds", "9999-12-31", 253402214400.0);
    assert_number("seconds", "2024/02/29", 1709164800);
    assert_number("seconds-dmy", "29.2.2024", 1709164800);
    assert_number("seconds-mdy", "2/29/2024 1:30 PM", 1709213400);
    assert_number("seconds-mdy", "2/29/2024 12:00 AM", 1709164800);
    assert_number("time", "12:30", 45000);
    assert_number("time", "0:05:00.25", 300.25);
    static const char *const NONE[] = {"2023-02-29",
                                       "1900-02-29",
                                       "2024-00-10",
                                       "2024-13-01",
                                       "2024-01-32",
                                       "0000-01-01",
                                       "2024-1-1",
                                       "24-01-01",
                                       "2024-01-01T",
                                       "2024-01-01T24:00",
                                       "2024-01-01T12",
                                       "2024-01-01T12:60",
                                       "2024-01-01T12:30:61",
                                       "2024-01-01T12:30:60",
                                       "2024-01-01x",
                                       "2024-01/01",
                                       "2024.01.01",
                                       "2024-01-01T12:30+",
                                       "2024-01-01T12:30+1",
                                       "12:30",
                                       "-",
                                       "2024-01-01T12:30Zz",
                                       "2024-01-01T12:30:05.",
                                       "20240101",
                                       "2024",
                                       ""};
    for (size_t i = 0; i < sizeof NONE / sizeof NONE[0]; i++) assert_none("seconds", NONE[i]);
    assert_none("seconds-mdy", "29/02/2024");
    assert_none("seconds-mdy", "02.03.2024");
    assert_none("seconds-mdy", "2/29/2024 13:30 PM");
    assert_none("time", "24:00");
}

static void assert_part(crd_i_part part, const char *text, const char *expected) {
    crd_i_column_format format = {CRD_I_READING_ISO, (unsigned char)part};
    crd_text form_text;
    assert_true(crd_i_column_format_text(format, crd_text_of(text), &form_text));
    if (expected == NULL) assert_null(form_text.bytes);
    else assert_true(crd_text_equal(form_text, crd_text_of(expected)));
}

static void test_parts(void **state) {
    (void)state;
    assert_part(CRD_I_PART_WEEKDAY, "2024-02-29", "Thu");
    assert_part(CRD_I_PART_WEEKDAY, "1969-12-31", "Wed");
    assert_part(CRD_I_PART_WEEKDAY, "0001-01-01", "Mon");
    assert_part(CRD_I_PART_MONTH, "2024-02-29", "2");
    assert_part(CRD_I_PART_HOUR, "2024-02-29T23:59-05:00", "23");
    assert_part(CRD_I_PART_HOUR, "2024-02-29", NULL);
}

/* The form of a column with these cells, in both orders. */
static const char *form_of(const char *const *cells, size_t count, crd_i_column_format_doubt *doubt) {
    crd_i_column_format_evidence there = {0}, back = {0};
    for (size_t i = 0; i < count; i++) {
        crd_i_column_format_evidence_add(&there, crd_text_of(cells[i]), '\0', false);
        crd_i_column_format_evidence_add(&back, crd_text_of(cells[count - 1 - i]), '\0', false);
    }
    crd_i_column_format format = crd_i_column_format_evidence_find(&there, doubt);
    crd_i_column_format_doubt other;
    assert_true(crd_i_column_format_equal(format, crd_i_column_format_evidence_find(&back, &other)));
    assert_int_equal(*doubt, other);
    return crd_i_column_format_name(format).bytes;
}

static void test_evidence(void **state) {
    (void)state;
    static const struct {
        const char *cells[4];
        const char *form;
        crd_i_column_format_doubt doubt;
    } CASES[] = {
        {{"1", "2.5", "-3"}, "", CRD_I_DOUBT_NONE},
        {{"1", "2,5", "-3"}, "comma", CRD_I_DOUBT_NONE},
        {{"1", "$2", "1,234.5"}, "point", CRD_I_DOUBT_NONE},
        {{"1.5", "2,5"}, "", CRD_I_DOUBT_NONE},
        {{"1,234", "5"}, "", CRD_I_DOUBT_DECIMAL},
        {{"1,234", "5,5"}, "comma", CRD_I_DOUBT_NONE},
        {{"1,234", "1,234,567"}, "point", CRD_I_DOUBT_NONE},
        {{"$5", "7"}, "point", CRD_I_DOUBT_NONE},
        {{"$5",
          "\xE2\x82\xAC"
          "7",
          "$5"},
         "",
         CRD_I_DOUBT_NONE},
        {{"5%", "7.5%"}, "percent", CRD_I_DOUBT_NONE},
        {{"5%", "7"}, "", CRD_I_DOUBT_NONE},
        {{"2024-02-29", "2024-03-01"}, "date", CRD_I_DOUBT_NONE},
        {{"2024-02-29", "2024-03-01 12:30"}, "datetime", CRD_I_DOUBT_NONE},
        {{"2024-02-29", "2024-02-30"}, "", CRD_I_DOUBT_NONE},
        {{"2024-02-29", "5"}, "", CRD_I_DOUBT_NONE},
        {{"01/02/2024", "03/04/2024"}, "", CRD_I_DOUBT_DAY},
        {{"01/02/2024", "13/04/2024"}, "date-dmy", CRD_I_DOUBT_NONE},
        {{"01/02/2024", "04/13/2024"}, "date-mdy", CRD_I_DOUBT_NONE},
        {{"13/02/2024", "04/13/2024"}, "", CRD_I_DOUBT_NONE},
        {{"12:30", "0:05"}, "time", CRD_I_DOUBT_NONE},
        {{"true", "false"}, "", CRD_I_DOUBT_NONE},
        {{"True", "false", "TRUE"}, "boolean", CRD_I_DOUBT_NONE},
        {{"True", "false", "TRUE", "maybe"}, "", CRD_I_DOUBT_NONE},
        {{"007", "12"}, "", CRD_I_DOUBT_NONE},
        {{"red"}, "", CRD_I_DOUBT_NONE},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        size_t count = 0;
        while (count < 4 && CASES[i].cells[count] != NULL) count++;
        crd_i_column_format_doubt doubt;
        const char *format_name = form_of(CASES[i].cells, count, &doubt);
        if (strcmp(format_name, CASES[i].form) != 0 || doubt != CASES[i].doubt)
            fail_msg("case %zu has the form '%s' and doubt %d", i, format_name, (int)doubt);
    }
}

/* Every form that a field can be given is split into columns of known forms, and these are joined to it again. */
static void test_names(void **state) {
    (void)state;
    for (size_t i = 0; i < crd_i_column_format_count(); i++) {
        crd_i_column_format format, parts[CRD_I_MOST_PARTS];
        assert_true(crd_i_column_format_find(crd_i_column_format_name_at(i), &format));
        size_t count = crd_i_column_format_split(format, parts);
        for (size_t k = 0; k < count; k++) assert_true(crd_i_column_format_is_known(parts[k]));
        assert_true(crd_i_column_format_equal(crd_i_column_format_join(parts, count), format));
    }
    crd_i_column_format none;
    assert_false(crd_i_column_format_find(crd_text_of(""), &none));
}

/* The code of a text among values, which are the words of a list. */
static int32_t find_among(const char *list, const char *text, bool value, const char *word) {
    crd_context *context = NULL;
    char buffer[64], *remainder = buffer;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_i_dictionary *values = crd_i_dictionary_create(context);
    assert_non_null(values);
    strcpy(buffer, list);
    for (char *one = strtok_r(buffer, " ", &remainder); one != NULL; one = strtok_r(NULL, " ", &remainder))
        assert_true(crd_i_dictionary_add(values, crd_text_of(one)) >= 0);
    const crd_i_truth_words words = crd_i_truth_words_of(values);
    assert_true(crd_text_equal(crd_i_truth_word(&words, value), crd_text_of(word)));
    const int32_t position = crd_i_find_value(values, crd_text_of(text));
    crd_i_dictionary_destroy(values);
    crd_context_destroy(context);
    return position;
}

/* Truth values are matched as they are spelled, else in any case of letters if the values are exactly a pair. */
static void test_truth_words(void **state) {
    (void)state;
    assert_int_equal(find_among("true false", "TRUE", true, "true"), 0);
    assert_int_equal(find_among("False TRUE", "true", false, "False"), 1);
    assert_int_equal(find_among("No Yes", "yes", true, "Yes"), 1);
    assert_int_equal(find_among("N y", "n", false, "N"), 0);
    assert_int_equal(find_among("off ON", "on", true, "ON"), 1);
    assert_int_equal(find_among("yes no", "true", true, "yes"), -1);
    assert_int_equal(find_among("yes no", "y", false, "no"), -1);
    assert_int_equal(find_among("true no", "TRUE", true, "true"), -1);
    assert_int_equal(find_among("True true", "TRUE", true, "true"), -1);
    assert_int_equal(find_among("True False maybe", "true", true, "True"), -1);
    assert_int_equal(find_among("True False maybe", "True", false, "False"), 0);
    assert_int_equal(find_among("TRUE", "true", false, "FALSE"), -1);
    assert_int_equal(find_among("a b", "true", true, "true"), -1);
    assert_true(crd_text_equal(crd_i_truth_word(NULL, true), crd_text_of("true")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amounts),     cmocka_unit_test(test_codes),    cmocka_unit_test(test_dates),
        cmocka_unit_test(test_parts),       cmocka_unit_test(test_evidence), cmocka_unit_test(test_names),
        cmocka_unit_test(test_truth_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
