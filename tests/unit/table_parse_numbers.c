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
typedef struct numbers_sheet {
    char text[ROOM];
    size_t length, count, stride;
    uint32_t marks[3 * CRD_I_NUMBER_PARSERS + 1];
    size_t mark_count;
} numbers_sheet;

static void begin(numbers_sheet *sheet, size_t stride) {
    memset(sheet, 0, sizeof *sheet);
    sheet->stride = stride;
    sheet->marks[sheet->mark_count++] = UINT32_MAX;
}

static void add_field(numbers_sheet *sheet, const char *text, size_t length) {
    assert_true(sheet->length + length + 1 < ROOM);
    memcpy(sheet->text + sheet->length, text, length);
    sheet->length += length;
    sheet->marks[sheet->mark_count++] = (uint32_t)sheet->length;
    sheet->text[sheet->length++] = ',';
}

static void add_cell(numbers_sheet *sheet, const char *text, size_t length) {
    add_field(sheet, text, length);
    for (size_t i = 1; i < sheet->stride; i++) add_field(sheet, "-.7", random_below(4));
    sheet->count++;
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
static void check_behind(const numbers_sheet *sheet, char point, uint32_t limit) {
    size_t needed = sheet->length + CRD_I_NUMBER_PARSERS_PADDING - 1;
    char *bytes = malloc(needed);
    assert_non_null(bytes);
    memcpy(bytes, sheet->text, sheet->length);
    memset(bytes + sheet->length, '5', CRD_I_NUMBER_PARSERS_PADDING - 1);
    crd_i_number_parsers cells = {bytes, sheet->marks, sheet->stride, sheet->count, point, limit};
    for (size_t way = 0; crd_i_number_parser_ways[way] != NULL; way++) {
        if (!crd_i_number_parser_ways[way]->is_supported()) continue;
        double *numbers = malloc(sheet->count * sizeof *numbers + 1);
        assert_non_null(numbers);
        uint64_t left = crd_i_number_parser_ways[way]->read(&cells, numbers);
        if (sheet->count < CRD_I_NUMBER_PARSERS) assert_int_equal(left >> sheet->count, 0);
        for (size_t i = 0; i < sheet->count; i++) {
            uint32_t start = sheet->marks[i * sheet->stride] + 1, end = sheet->marks[i * sheet->stride + 1] - limit;
            crd_text text = {sheet->text + start, end - start};
            double expected;
            crd_number_class class = crd_i_decimal_parse(text, point, &expected);
            bool was_read = (left >> i & 1) == 0;
            if (was_read && (class != CRD_NUMBER_FINITE || memcmp(&expected, &numbers[i], sizeof expected) != 0))
                fail_msg("'%.*s' is read as %.17g", (int)text.length, text.bytes, numbers[i]);
            if (!was_read && sheet->count >= 4 && is_plain(text.bytes, text.length, point))
                fail_msg("'%.*s' is left", (int)text.length, text.bytes);
        }
        free(numbers);
    }
    free(bytes);
}

static void check(const numbers_sheet *sheet, char point) {
    bool has_room = true;
    for (size_t i = 0; i < sheet->count; i++) {
        has_room = has_room && sheet->marks[i * sheet->stride + 1] > (uint32_t)(sheet->marks[i * sheet->stride] + 1);
    }
    check_behind(sheet, point, 0);
    if (has_room) check_behind(sheet, point, 1);
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
                static numbers_sheet sheet;
                begin(&sheet, stride);
                for (size_t i = 0; i < size; i++) {
                    const char *text = TEXTS[(first + i) % count];
                    add_cell(&sheet, text, strlen(text));
                }
                check(&sheet, '.');
                check(&sheet, ',');
            }
}

static void test_random(void **state) {
    (void)state;
    static const char ALPHABET[] = "0123456789.,-+e 0123456789";
    for (int i = 0; i < 20000; i++) {
        static numbers_sheet sheet;
        begin(&sheet, 1 + random_below(3));
        size_t count = 1 + random_below(20);
        char point = random_below(4) == 0 ? ';' : '.';
        for (size_t k = 0; k < count; k++) {
            char text[32];
            size_t length = random_below(22);
            /* Plain numbers mostly, else anything. */
            size_t letters = random_below(4) == 0 ? sizeof ALPHABET - 1 : 10;
            for (size_t index = 0; index < length; index++) text[index] = ALPHABET[random_below(letters)];
            if (length > 0 && random_below(3) > 0) text[random_below(length)] = point;
            if (length > 0 && random_below(2) > 0) text[0] = '-';
            add_cell(&sheet, text, length);
        }
        check(&sheet, point);
    }
}

/* Every byte in every place of a number, so that none is taken for a digit that is not. */
static void test_each_byte(void **state) {
    (void)state;
    for (int byte = 0; byte < 256; byte++) {
        static numbers_sheet sheet;
        begin(&sheet, 1);
        for (size_t index = 0; index < 16; index++) {
            char text[17] = "1234567.89012345";
            text[index] = (char)byte;
            add_cell(&sheet, text, 16);
        }
        check(&sheet, '.');
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
