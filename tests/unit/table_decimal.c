/* SPDX-License-Identifier: MIT */
/* data_decimal.c - numbers whose fraction begins with a comma, in delimited files only. */
#include "table_support.h"

static void test_decimal_commas(void **state) {
    (void)state;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.decimal = ',';
    expect_with("a;b\n1,5;-2,25e1\n,5;3\n", &options, "; header\n#a #b\n2: 1.5 -22.5\n3: 0.5 3\n");
    expect_with("a\tb\n1,5\t2\n", &options, "t header\n#a #b\n2: 1.5 2\n");
    /* Commas separate nothing, and a point is no part of a number. */
    expect_with("1,5;2,5\n3,5;4,5\n", &options, "; no header assumed\n#c1 #c2\n1: 1.5 2.5\n2: 3.5 4.5\n");
    expect_with("1,5 2,5 x\n3 4 y\n", &options, "b no header assumed\n#c1 #c2 @c3\n1: 1.5 2.5 'x'\n2: 3 4 'y'\n");
    expect_with("a;b\n1.5;1.000,5\n", &options, "; header\n@a @b\n2: '1.5' '1.000,5'\n");
    expect_with("a;b\n1,5,5;1,\n", &options, "; header\n@a #b\n2: '1,5,5' 1\n");
    expect_with("{\"a\": 1.5}\n", &options, "? header\n#a\n1: 1.5\n");
    options.separator = CRD_SEPARATOR_COMMA;
    expect_with("a,b\n\"1,5\",2\n", &options, ", header\n#a #b\n2: 1.5 2\n");
    options.decimal = '\'';
    expect_with("a,b\n1,2\n", &options, "argument :0:0 [] the decimal mark must be a point or a comma\n");
    options.decimal = '.';
    expect_with("a,b\n1.5,2\n", &options, ", header\n#a #b\n2: 1.5 2\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimal_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
