/* SPDX-License-Identifier: MIT */
/* Encodings: what is found by itself, what is declared, and what is not valid, with blocks that end anywhere. */
#include "table_support.h"

#include "base/text.h"
#include "table/text_source.h"

#include <iconv.h>

/* The text in another encoding; how long it is then. */
static size_t encode(const char *name, const char *mark, size_t mark_length, const char *text, char *out,
                     size_t capacity) {
    iconv_t converter = iconv_open(name, "UTF-8");
    assert_true(converter != (iconv_t)-1);
    char *in = (char *)(uintptr_t)text, *destination = out + mark_length;
    size_t in_left = strlen(text), left = capacity - mark_length;
    memcpy(out, mark, mark_length);
    assert_true(iconv(converter, &in, &in_left, &destination, &left) != (size_t)-1);
    iconv_close(converter);
    return capacity - left;
}

/* Characters of one to four bytes of UTF-8, and of one and two units of UTF-16. */
static const char TABLE[] = "caf\xC3\xA9,n\nz\xC3\xBCrich,1\n\xE2\x82\xAC 5,2\n\xF0\x9D\x84\x9E,3\n";
static const char READ[] =
    ", header\n@caf\xC3\xA9 #n\n2: 'z\xC3\xBCrich' 1\n3: '\xE2\x82\xAC 5' 2\n4: '\xF0\x9D\x84\x9E' 3\n";

static void test_marks_and_nuls(void **state) {
    (void)state;
    static const struct {
        const char *name, *mark;
        size_t length;
    } CASES[] = {
        {"UTF-8", "\xEF\xBB\xBF", 3},
        {"UTF-16LE", "\xFF\xFE", 2},
        {"UTF-16BE", "\xFE\xFF", 2},
        {"UTF-16LE", "", 0},
        {"UTF-16BE", "", 0},
        {"UTF-32LE", "\xFF\xFE\0\0", 4},
        {"UTF-32BE", "\0\0\xFE\xFF", 4},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char bytes[400];
        size_t length = encode(CASES[i].name, CASES[i].mark, CASES[i].length, TABLE, bytes, sizeof bytes);
        expect_bytes(bytes, length, NULL, READ);
        /* A mark says more than who declares something else. */
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.encoding = "latin1";
        if (CASES[i].length > 0) expect_bytes(bytes, length, &options, READ);
    }
}

static void test_declared(void **state) {
    (void)state;
    static const char LATIN[] = "caf\xC3\xA9,n\nz\xC3\xBCrich,1\n\xC3\xA9,2\n";
    static const char *const NAMES[] = {"latin1",   "ISO-8859-1", "cp1252", "windows-1252",
                                        "utf-16le", "UTF-16BE",   "utf-8"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        char bytes[400];
        size_t length = encode(NAMES[i], "", 0, LATIN, bytes, sizeof bytes);
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.encoding = NAMES[i];
        expect_bytes(bytes, length, &options, ", header\n@caf\xC3\xA9 #n\n2: 'z\xC3\xBCrich' 1\n3: '\xC3\xA9' 2\n");
    }
    static const char *const UNKNOWN[] = {"", "klingon", "utf-8//IGNORE", "latin1 "};
    for (size_t i = 0; i < sizeof UNKNOWN / sizeof UNKNOWN[0]; i++) {
        crd_reader_options options = CRD_READER_OPTIONS_INIT;
        options.encoding = UNKNOWN[i];
        allocations plan = {0};
        crd_context *context = logged_context(&plan);
        crd_reader *reader = NULL;
        crd_error error;
        assert_int_equal(open_bytes(context, "a\n1\n", 4, true, &options, &reader, &error), CRD_ERROR_ARGUMENT);
        assert_null(reader);
        crd_context_destroy(context);
    }
}

/* Refused with line and field, where it is read: not in a column that is left out, nor where it is no text. */
static void test_not_valid(void **state) {
    (void)state;
    expect("a,b\n1,x\n2,M\xFCller\n",
           ", header\nsyntax t:3:2 [b] the cell of column 'b' is not valid UTF-8: 'M\\xfcller'\n");
    expect("a,st\xE4tte\n1,x\n", "syntax t:1:2 [] the name of column 2 is not valid UTF-8: 'st\\xe4tte'\n");
    expect("{\"a\": \"\xFC\"}\n", "? header\nsyntax t:1:1 [a] the cell of column 'a' is not valid UTF-8: '\\xfc'\n");
    /* Quoted cells and overlong forms. */
    expect("a\n\"x\xC0\xAF\"\n",
           ", header\nsyntax t:2:1 [a] the cell of column 'a' is not valid UTF-8: 'x\\xc0\\xaf'\n");
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.encoding = "cp1252";
    expect_with("a\nx\n\x81\n", &options,
                ", header\nsyntax t:3:1 [a] the cell of column 'a' is not valid CP1252: '\\xff'\n");
    /* A text that ends within a character, and half of a surrogate pair. */
    options.encoding = "utf-16le";
    expect_bytes("a\0\n\0b\0\n\0c", 9, &options,
                 ", header\nsyntax t:3:1 [a] the cell of column 'a' is not valid UTF-16LE: '\\xff'\n");
    expect_bytes("a\0\n\0\x34\xD8\n\0", 8, &options,
                 ", header\nsyntax t:2:1 [a] the cell of column 'a' is not valid UTF-16LE: '\\xff'\n");
}

static void test_utf8(void **state) {
    (void)state;
    static const char *const VALID[] = {"",
                                        "abcdefghi",
                                        "\xC2\x80",
                                        "\xE0\xA0\x80",
                                        "\xED\x9F\xBF",
                                        "\xEE\x80\x80",
                                        "\xF0\x90\x80\x80",
                                        "\xF4\x8F\xBF\xBF",
                                        "abcdefg\xC3\xA9"};
    static const char *const BROKEN[] = {"\x80",
                                         "\xC1\xBF",
                                         "\xC3",
                                         "\xE0\x9F\xBF",
                                         "\xED\xA0\x80",
                                         "\xE2\x82",
                                         "\xF0\x8F\xBF\xBF",
                                         "\xF4\x90\x80\x80",
                                         "\xF5\x80\x80\x80",
                                         "abcdefgh\xFF",
                                         "abcdefg\xC3",
                                         "\xE2(\xA1"};
    for (size_t i = 0; i < sizeof VALID / sizeof VALID[0]; i++) assert_true(crd_i_utf8_is_valid(crd_text_of(VALID[i])));
    for (size_t i = 0; i < sizeof BROKEN / sizeof BROKEN[0]; i++)
        assert_false(crd_i_utf8_is_valid(crd_text_of(BROKEN[i])));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_and_nuls),
        cmocka_unit_test(test_declared),
        cmocka_unit_test(test_not_valid),
        cmocka_unit_test(test_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
