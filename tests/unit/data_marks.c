/* Separators and line ends found by every way that this machine has, against a loop over bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/marks.h"
#include "math_random.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };

/* The bytes stand at the end of a block of their own, so that a look too far behind them is found out. */
static void check(const char *bytes, size_t length, char separator) {
    uint32_t expected[MOST];
    size_t count = 0, line_ends = 0;
    bool has_odd = false;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == separator || bytes[i] == '\n') expected[count++] = 1000 + (uint32_t)i;
        line_ends += bytes[i] == '\n';
        has_odd = has_odd || bytes[i] == '"' || bytes[i] == '\0';
    }
    char *block = malloc(length + CRD_I_MARKS_STEP - 1);
    assert_non_null(block);
    memcpy(block, bytes, length + CRD_I_MARKS_STEP - 1);
    for (size_t i = 0; crd_i_markers[i] != NULL; i++) {
        if (!crd_i_markers[i]->is_supported()) continue;
        uint32_t *found = malloc((length + CRD_I_MARKS_SPARE) * sizeof *found);
        assert_non_null(found);
        crd_i_marked marked = {5, false}; /* what earlier bytes had is added to */
        assert_int_equal(crd_i_markers[i]->find(block, length, separator, 1000, found, &marked), count);
        assert_memory_equal(found, expected, count * sizeof *found);
        assert_int_equal(marked.line_ends, 5 + line_ends);
        assert_int_equal(marked.has_odd, has_odd);
        marked.has_odd = true;
        (void)crd_i_markers[i]->find(block, length, separator, 1000, found, &marked);
        assert_true(marked.has_odd);
        free(found);
    }
    free(block);
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
        for (size_t at = 0; at < CRD_I_MARKS_STEP; at++) {
            memset(bytes, byte ^ 1, sizeof bytes);
            bytes[at] = (char)byte;
            check(bytes, CRD_I_MARKS_STEP, ',');
        }
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
        cmocka_unit_test(test_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
