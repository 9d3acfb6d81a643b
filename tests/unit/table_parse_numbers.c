/* SPDX-License-Identifier: MIT */
/* Cells read as numbers by every way that this machine has: what is read is the nearest double, to the bit, and plain
 * numbers are not left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/decimal/decimal.h"
#include "math_random.h"
#include "table/parse/parse_numbers.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROOM = 64 * 40 };

/* Cells with other fields between them, in a block that ends where looking behind them must. */
typedef struct sheet {
    char text[ROOM];
    size_t length, count, stride;
    uint32_t marks[3 * CRD_I_NUMBER_PARSERS + 1];
    size_t mark_count;
} sheet;

static void begin(sheet *to, size_t stride) {
    memset(to, 0, sizeof *to);
    to->stride = stride;
    to->marks[to->mark_count++] = UINT32_MAX;
}

static void add_field(sheet *to, const char *text, size_t length) {
    assert_true(to->length + length + 1 < ROOM);
    memcpy(to->text + to->length, text, length);
    to->length += length;
    to->marks[to->mark_count++] = (uint32_t)to->length;
    to->text[to->length++] = ',';
}

static void add_cell(sheet *to, const char *text, size_t length) {
    add_field(to, text, length);
    for (size_t i = 1; i < to->stride; i++) add_field(to, "-.7", random_below(4));
    to->count++;
}

/* A sign perhaps, up to 15 digits, and perhaps a point anywhere; no zero before another digit. */
static bool is_plain(const char *text, size_t length, char point) {
    size_t digits = 0, points = 0;
    if (length > 0 && text[0] == '-') text++, length--;
    if (length > 1 && text[0] == '0' && text[1] != point) return false;
    for (size_t i = 0; i < length; i++) {
        digits += text[i] >= '0' && text[i] <= '9';
        points += text[i] == point;
    }
    return digits + points == length && points <= 1 && digits > 0 && digits <= 15;
}

/* With marks right behind the cells or one byte further. */
static void check_behind(const sheet *of, char point, uint32_t behind) {
    size_t needed = of->length + CRD_I_NUMBER_PARSERS_PADDING - 1;
    char *bytes = malloc(needed);
    assert_non_null(bytes);
    memcpy(bytes, of->text, of->length);
    memset(bytes + of->length, '5', CRD_I_NUMBER_PARSERS_PADDING - 1);
    crd_i_number_parsers cells = {bytes, of->marks, of->stride, of->count, point, behind};
    for (size_t way = 0; crd_i_number_parser_ways[way] != NULL; way++) {
        if (!crd_i_number_parser_ways[way]->is_supported()) continue;
        double *numbers = malloc(of->count * sizeof *numbers + 1);
        assert_non_null(numbers);
        uint64_t left = crd_i_number_parser_ways[way]->read(&cells, numbers);
        if (of->count < CRD_I_NUMBER_PARSERS) assert_int_equal(left >> of->count, 0);
        for (size_t i = 0; i < of->count; i++) {
            uint32_t start = of->marks[i * of->stride] + 1, end = of->marks[i * of->stride + 1] - behind;
            crd_text text = {of->text + start, end - start};
            double expected;
            crd_number_class class = crd_i_decimal_parse(text, point, &expected);
            bool was_read = (left >> i & 1) == 0;
            if (was_read && (class != CRD_NUMBER_FINITE || memcmp(&expected, &numbers[i], sizeof expected) != 0))
                fail_msg("'%.*s' is read as %.17g", (int)text.length, text.bytes, numbers[i]);
            if (!was_read && of->count >= 4 && is_plain(text.bytes, text.length, point))
                fail_msg("'%.*s' is left", (int)text.length, text.bytes);
        }
        free(numbers);
    }
    free(bytes);
}

static void check(const sheet *of, char point) {
    bool has_room = true;
    for (size_t i = 0; i < of->count; i++) {
        has_room = has_room && of->marks[i * of->stride + 1] > (uint32_t)(of->marks[i * of->stride] + 1);
    }
    check_behind(of, point, 0);
    if (has_room) check_behind(of, point, 1);
}

static void test_chosen(void **state) {
    (void)state;
    static const char *const TEXTS[] = {
        "0",
        "-0",
        "1",
        "-1",
        "9",
        ".5",
        "5.",
        "-.5",
        "-5.",
        ".",
        "-",
        "-.",
        "",
        "--1",
        "+1",
        "1-",
        "1.2.3",
        "..1",
        "1..",
        " 1",
        "1 ",
        "1e5",
        "inf",
        "NaN",
        "0x10",
        "1,5",
        "1/2",
        "1:2",
        "\xB5",
        "1\r",
        "0.1",
        "0.3",
        "2.675",
        "1.005",
        "123456789012345",
        "-.99999999999999",
        "999999999999999",
        "-999999999999999.",
        "1234567890123456",
        "12345678901234567",
        "123456789012345678",
        "0.12345678901234",
        "0.123456789012345",
        "9007199254740993",
        "00000000000000000001",
        "000000000000001",
        "0.00000000000001",
        "1.2345678901234567",
        "-1.2345678901234567",
        "12345678901234.5",
        "-1234567.8901234",
    };
    size_t count = sizeof TEXTS / sizeof *TEXTS;
    for (size_t stride = 1; stride <= 3; stride++)
        for (size_t size = 1; size <= count && size <= CRD_I_NUMBER_PARSERS; size++)
            for (size_t first = 0; first < count; first += 5) {
                static sheet of;
                begin(&of, stride);
                for (size_t i = 0; i < size; i++) {
                    const char *text = TEXTS[(first + i) % count];
                    add_cell(&of, text, strlen(text));
                }
                check(&of, '.');
                check(&of, ',');
            }
}

static void test_random(void **state) {
    (void)state;
    static const char ALPHABET[] = "0123456789.,-+e 0123456789";
    for (int i = 0; i < 20000; i++) {
        static sheet of;
        begin(&of, 1 + random_below(3));
        size_t count = 1 + random_below(20);
        char point = random_below(4) == 0 ? ';' : '.';
        for (size_t k = 0; k < count; k++) {
            char text[32];
            size_t length = random_below(22);
            /* Plain numbers mostly, else anything. */
            size_t letters = random_below(4) == 0 ? sizeof ALPHABET - 1 : 10;
            for (size_t at = 0; at < length; at++) text[at] = ALPHABET[random_below(letters)];
            if (length > 0 && random_below(3) > 0) text[random_below(length)] = point;
            if (length > 0 && random_below(2) > 0) text[0] = '-';
            add_cell(&of, text, length);
        }
        check(&of, point);
    }
}

/* Every byte in every place of a number, so that none is taken for a digit that is not. */
static void test_each_byte(void **state) {
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        static sheet of;
        begin(&of, 1);
        for (size_t at = 0; at < 16; at++) {
            char text[17] = "1234567.89012345";
            text[at] = (char)byte;
            add_cell(&of, text, 16);
        }
        check(&of, '.');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_each_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
