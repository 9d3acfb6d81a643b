/* SPDX-License-Identifier: MIT */
/* Rows that are at fault and left out: which, with what, and the same whatever the blocks, and how many may be. */
#include "table_support.h"

#include "math_random.h"

typedef struct bad_list {
    transcript transcript;
    size_t count, most;
} bad_list;

static int on_bad_row(void *user, const crd_error *fault, crd_text row) {
    bad_list *list = user;
    if (fault == NULL) {
        list->transcript.length = list->count = 0;
        return 1;
    }
    if (list->count++ == list->most) return 0;
    say(&list->transcript, "%llu: %s [%.*s]\n", (unsigned long long)fault->line, fault->message, (int)row.length,
        row.bytes);
    return 1;
}

/* What is read, and what is left out; the caller frees it. */
static char *read_all(const char *bytes, size_t length, size_t most, size_t block, bool can_rewind) {
    bad_list list = {.most = most};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.bad_row = on_bad_row;
    options.bad_row_user = &list;
    options.block_bytes = block;
    char *rows = essence(bytes, length, can_rewind, &options);
    transcript target_transcript = {NULL, 0, 0};
    say(&target_transcript, "%s-\n%s", rows, list.transcript.length == 0 ? "" : list.transcript.text);
    free(rows);
    free(list.transcript.text);
    return target_transcript.text;
}

static void expect_bad(const char *input, size_t most, const char *expected) {
    static const size_t BLOCKS[] = {0, 1, 2, 3, 5, 8, 13, 40};
    for (size_t i = 0; i < sizeof BLOCKS / sizeof BLOCKS[0]; i++) {
        char *output = read_all(input, strlen(input), most, BLOCKS[i], true);
        assert_string_equal(output, expected);
        free(output);
    }
}

static void test_faults(void **state) {
    (void)state;
    expect_bad(
        "a,b\n1,x\n2\n3,y,z\n4,\xFF\n5,z\n", 9,
        ", header\n#a @b\n2: 1 'x'\n6: 5 'z'\n-\n3: 1 field instead of 2 as in the header [2]\n4: 3 fields instead of "
        "2 as in the header [3,y,z]\n5: the cell of column 'b' is not valid UTF-8: '\\xff' [4,\xFF]\n");
    /* Infinite numbers, once it is known that the column is one of numbers; a category has such words. */
    expect_bad("a,b\n1,inf\n1e999,x\n2,y\n", 9,
               ", header\n#a @b\n2: 1 'inf'\n4: 2 'y'\n-\n3: '1e999' is infinite: numbers must be finite [1e999,x]\n");
    /* A text makes its column a category, but not if its row is left out. */
    expect_bad("a,b\n1,2\nx,3,4\n5,6\n", 9,
               ", header\n#a #b\n2: 1 2\n4: 5 6\n-\n3: 3 fields instead of 2 as in the header [x,3,4]\n");
    expect_bad("{\"a\": 1}\n{\"a\": 2, \"b\"\n{\"a\": 3, \"c\": [1]}\n{\"a\": 4}\n", 9,
               "? header\n#a ?c\n1: 1 _\n4: 4 _\n-\n2: found the end, expected a colon, at byte 13 [{\"a\": 2, "
               "\"b\"]\n3: the key 'c' holds an array, but must be a number, a text, true, false or null, at byte 15 "
               "[{\"a\": 3, \"c\": [1]}]\n");
}

/* A quote that is not closed where it should be costs its line, not all behind it. */
static void test_quotes(void **state) {
    (void)state;
    expect_bad(
        "a,b\n1,\"x\n2,\"y\"\n3,\"p\nq\"\n4,z\n", 9,
        ", header\n#a @b\n3: 2 'y'\n4: 3 'p\nq'\n6: 4 'z'\n-\n2: a quote opens here and is never closed [1,\"x]\n");
    expect_bad("a,b\n\"1,x\n2,y\n3,z\n", 9,
               ", header\n#a @b\n3: 2 'y'\n4: 3 'z'\n-\n2: a quote opens here and is never closed [\"1,x]\n");
    expect_bad("a,b\n1,\"x\"y\n2,\"\"\"u\"\n", 9,
               ", header\n#a @b\n3: 2 '\"u'\n-\n2: text after a closing quote: expected a separator or the end of the "
               "line [1,\"x\"y]\n");
    /* A quoted cell of two lines, in a row that has too many fields: its lines are no rows. */
    expect_bad("a,b\n1,\"x\n2,y\",3\n4,z\n", 9,
               ", header\n#a @b\n4: 4 'z'\n-\n2: 3 fields instead of 2 as in the header [1,\"x\n2,y\",3]\n");
}

static void test_limit(void **state) {
    (void)state;
    expect_bad("a,b\n1,x\n2\n3\n4,y\n", 2,
               ", header\n#a @b\n2: 1 'x'\n5: 4 'y'\n-\n3: 1 field instead of 2 as in the header [2]\n4: 1 field "
               "instead of 2 as in the header [3]\n");
    expect_bad("a,b\n1,x\n2\n3\n4,y\n", 1,
               ", header\nsyntax t:4:0 [] 1 field instead of 2 as in the header\n-\n3: 1 field instead of 2 as in the "
               "header [2]\n");
}

/* Anything: rows and faults are the same whatever the blocks. */
static void test_any_bytes_in_all_blocks(void **state) {
    (void)state;
    static const char LETTERS[] = "a1,,,\"\"\n\n\r \xFF;";
    for (size_t round = 0; round < 3000; round++) {
        char bytes[80] = "a,b\n";
        size_t length = 4 + random_below(70);
        for (size_t i = 4; i < length; i++) bytes[i] = LETTERS[random_below(sizeof LETTERS - 1)];
        char *whole = read_all(bytes, length, SIZE_MAX, 0, true);
        for (size_t block = 1; block < 40; block = block * 2 + 1) {
            char *output = read_all(bytes, length, SIZE_MAX, block, true);
            if (strcmp(output, whole) != 0)
                print_message("round %zu, blocks of %zu:\n%.*s\n", round, block, (int)length, bytes);
            assert_string_equal(output, whole);
            free(output);
        }
        free(whole);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_any_bytes_in_all_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
