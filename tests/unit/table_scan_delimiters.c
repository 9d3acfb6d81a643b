/* SPDX-License-Identifier: MIT */
/* Separators and line ends found by every way that this machine has, against a loop over bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math_random.h"
#include "table/parse/scan_delimiters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };

typedef struct delimiters_expectation {
    uint32_t offsets[MOST];
    uint32_t doubled[MOST];
    size_t count, line_ends, doubled_count;
    bool has_quotes, has_inner, is_odd;
} delimiters_expectation;

static bool ends_field(char byte, char separator) {
    return byte == separator || byte == '\n';
}

/* Field by field. */
static delimiters_expectation expect(const char *bytes, size_t length, char separator) {
    delimiters_expectation expectation = {.count = 0};
    for (size_t index = 0; index < length; index++) {
        bool quoted = bytes[index] == '"';
        if (quoted) {
            expectation.has_quotes = true;
            for (index++; index < length; index++) {
                if (bytes[index] == '\n') expectation.has_inner = true;
                if (bytes[index] != '"') continue;
                if (index + 1 == length || bytes[index + 1] != '"') break;
                expectation.doubled[expectation.doubled_count++] = 1000 + (uint32_t)++index;
            }
            if (index++ == length) expectation.is_odd = true;
            if (index + 1 < length && bytes[index] == '\r' && bytes[index + 1] == '\n') index++;
            if (index < length && !ends_field(bytes[index], separator)) expectation.is_odd = true;
        }
        for (; index < length && !ends_field(bytes[index], separator); index++)
            if (bytes[index] == '"') expectation.is_odd = true;
        if (index >= length) break;
        expectation.offsets[expectation.count++] = 1000 + (uint32_t)index;
        expectation.line_ends += bytes[index] == '\n';
    }
    for (size_t i = 0; i < length; i++)
        if (bytes[i] == '\0') expectation.is_odd = true;
    return expectation;
}

/* The first `before` bytes are a stretch of their own. */
static void check_way(const crd_i_marker *marker, const char *block, size_t length, crd_i_delimiters delimiters,
                      size_t before, const delimiters_expectation *expectation) {
    uint32_t *positions = malloc((length + CRD_I_MARKS_SPARE) * sizeof *positions);
    assert_non_null(positions);
    uint32_t *doubled = malloc((length / 2 + CRD_I_MARKS_SPARE) * sizeof *doubled);
    assert_non_null(doubled);
    crd_i_marked marked = crd_i_marked_begin(), unwritten = marked;
    marked.doubled = doubled;
    size_t count = 0;
    if (before > 0) count = marker->find(block, before, delimiters, 1000, positions, &marked);
    count +=
        marker->find(block + before, length - before, delimiters, 1000 + (uint32_t)before, positions + count, &marked);
    assert_int_equal(crd_i_marked_is_odd(&marked), expectation->is_odd);
    if (!expectation->is_odd) {
        assert_int_equal(count, expectation->count);
        assert_memory_equal(positions, expectation->offsets, count * sizeof *positions);
        assert_int_equal(marked.line_ends, expectation->line_ends);
        assert_int_equal(marked.has_quotes, expectation->has_quotes);
        assert_int_equal(marked.has_inner, expectation->has_inner);
        assert_int_equal(marked.doubled_count, expectation->doubled_count);
        assert_memory_equal(doubled, expectation->doubled, expectation->doubled_count * sizeof *doubled);
    }
    /* The same is known where no places are wanted. */
    assert_int_equal(marker->find(block, length, delimiters, 1000, NULL, &unwritten), 0);
    assert_int_equal(unwritten.has_odd, marked.has_odd);
    assert_int_equal(unwritten.is_inside, marked.is_inside);
    assert_int_equal(unwritten.line_ends, marked.line_ends);
    free(positions);
    free(doubled);
}

static size_t plain_seen, odd_seen;

static void check_with(const char *bytes, size_t length, crd_i_delimiters delimiters,
                       const delimiters_expectation *expectation) {
    /* At the end of a block, so that a look behind it is found out. */
    char *block = malloc(length == 0 ? 1 : length);
    assert_non_null(block);
    memcpy(block, bytes, length);
    for (size_t i = 0; crd_i_markers[i] != NULL; i++) {
        if (!crd_i_markers[i]->is_supported()) continue;
        for (size_t before = 0; before <= length; before += CRD_I_MARKS_STEP)
            check_way(crd_i_markers[i], block, length, delimiters, before, expectation);
    }
    free(block);
}

/* Makes one byte another, and the reverse. */
static void exchange(char *bytes, size_t length, char a, char b) {
    for (size_t i = 0; i < length; i++) bytes[i] = bytes[i] == a ? b : bytes[i] == b ? a : bytes[i];
}

static char random_byte(char other) {
    char byte;
    do {
        byte = (char)(1 + random_below(255));
    } while (byte == '\n' || byte == '\r' || byte == other);
    return byte;
}

/* What is found does not depend on which bytes separate and enclose. */
static void check(const char *bytes, size_t length, char separator) {
    delimiters_expectation expectation = expect(bytes, length, separator);
    crd_i_delimiters usual = {separator, '"'}, other;
    check_with(bytes, length, usual, &expectation);
    char *changed = malloc(length == 0 ? 1 : length);
    assert_non_null(changed);
    memcpy(changed, bytes, length);
    other.quote = random_byte(separator);
    other.separator = random_byte(other.quote);
    exchange(changed, length, usual.quote, other.quote);
    exchange(changed, length, separator, other.separator);
    check_with(changed, length, other, &expectation);
    /* Nothing encloses: quotes are bytes as others are. */
    memcpy(changed, bytes, length);
    for (size_t i = 0; i < length; i++)
        if (changed[i] == '"') changed[i] = 'x';
    delimiters_expectation unquoted = expect(changed, length, separator);
    other = (crd_i_delimiters){separator, '\0'};
    check_with(bytes, length, other, &unquoted);
    free(changed);
    if (expectation.is_odd) odd_seen++;
    else plain_seen++;
}

/* Every length and place in a word, with few marks, with many and with nothing else; behind the end is what would
 * count, if it did. */
static void test_random_bytes(void **state) {
    (void)state;
    static const char ALPHABETS[][9] = {"abcdefg,",         ",\n;\t\"\0\r.",      ",,,,,,,,",
                                        "\n\n\n\n\n\n\n\n", "xyz\n,\x80\xff\x7f", "+-;:!#$,"};
    char bytes[64 + MOST + CRD_I_MARKS_STEP];
    for (size_t length = 0; length <= MOST; length++)
        for (size_t alphabet = 0; alphabet < sizeof ALPHABETS / sizeof *ALPHABETS; alphabet++) {
            size_t begin = length * 7 % 64;
            for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = ALPHABETS[alphabet][random_below(8)];
            check(bytes + begin, length, ",;\t"[random_below(3)]);
        }
}

/* A byte is a mark or odd by itself, whatever stands beside it: each of the 256, at each place of a step. */
static void test_each_byte(void **state) {
    (void)state;
    char bytes[2 * CRD_I_MARKS_STEP];
    for (int byte = 0; byte < 256; byte++)
        for (size_t index = 0; index < CRD_I_MARKS_STEP; index++) {
            memset(bytes, byte ^ 1, sizeof bytes);
            bytes[index] = (char)byte;
            check(bytes, CRD_I_MARKS_STEP, ',');
        }
}

/* Fields between quotes, with what means something else there, and now and then with what should not be. */
static void test_quotes(void **state) {
    (void)state;
    static const char *const PIECES[] = {"a,b", "c\r", " ", "\t;",
                                         "de",  ",",   "",  "long enough to make steps end anywhere"};
    plain_seen = odd_seen = 0;
    for (int i = 0; i < 20000; i++) {
        char bytes[2 * MOST + CRD_I_MARKS_STEP];
        memset(bytes, "\",\n\r"[random_below(4)], sizeof bytes);
        size_t length = 0, fields = random_below(12), odd = random_below(3) == 0 ? 20 : SIZE_MAX;
        for (size_t field = 0; field < fields && length < MOST - 50; field++) {
            char text[64];
            const char *inside = PIECES[random_below(sizeof PIECES / sizeof *PIECES)];
            const char *end = random_below(4) > 0 ? "," : random_below(2) > 0 ? "\n" : "\r\n";
            if (random_below(odd) == 0) end = "\r";
            if (random_below(8) == 0) inside = "x\ny";
            if (random_below(8) == 0) inside = "x\"\"y";
            if (random_below(8) == 0) inside = "\"\"\"\"";
            if (random_below(odd) == 0) inside = "x\"y";
            const char *quote = random_below(2) > 0 ? "\"" : "";
            bool is_last = field + 1 == fields;
            int used = snprintf(text, sizeof text, "%s%s%s%s", quote, inside, random_below(odd) == 0 ? "" : quote,
                                is_last && random_below(2) > 0 ? "" : end);
            memcpy(bytes + length, text, (size_t)used);
            length += (size_t)used;
        }
        check(bytes, length, ",;\t"[random_below(3)]);
    }
    /* Neither is left untried. */
    assert_true(plain_seen > 2000 && odd_seen > 2000);
}

static void test_best(void **state) {
    (void)state;
    assert_true(crd_i_marker_best()->is_supported());
    assert_true(crd_i_marker_plain.is_supported());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_each_byte),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
