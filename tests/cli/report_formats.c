/* SPDX-License-Identifier: MIT */
/* report_formats.c - one tree in each format: what people and machines see of it, and how tables take their shapes. */
#include "core/report_write.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What is written of a report; the caller's. */
static char *write_as(const crd_result *r, output_format format, size_t width, bool on_one_line) {
    char *bytes = NULL;
    size_t length = 0;
    output out = {.format = format, .width = width, .name = "memory"};
    out.stream = open_memstream(&bytes, &length);
    assert_non_null(out.stream);
    if (on_one_line) report_write_line(r, &out);
    else report_write(r, &out);
    fclose(out.stream);
    return bytes;
}

static void expect(const crd_result *r, output_format format, const char *text) {
    char *got = write_as(r, format, 0, false);
    assert_string_equal(got, text);
    free(got);
}

/* A row for people alone, a column for machines alone, a number that people see in words, and one that is missing. */
static crd_result *small_report(void) {
    crd_result *r = report_create(NULL);
    crd_result_line(r, CRD_LINE, "Two lines of %d", 3);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_number(r, "third", 1.0 / 3);
    crd_result_heading(r, 2, "Sums", " of all");
    crd_result_table *t = crd_result_add_table(r, "sums");
    crd_result_add_column(t, "name", "name");
    crd_result_add_column(t, "value", "value");
    crd_result_add_column(t, "exact", NULL);
    crd_cell_name(t, crd_text_of("a_b*"));
    crd_cell_number(t, 2.0 / 3);
    crd_cell_number(t, 2.0 / 3);
    crd_cell_name(t, crd_text_of("c"));
    crd_cell_shown(t, 0, "nothing");
    crd_cell_absent(t, NULL);
    t->audience = CRD_FOR_PEOPLE;
    crd_cell_words(t, "all");
    crd_cell_count(t, 1234567);
    crd_cell_null(t);
    crd_result_line(r, CRD_REMARK, "as far as is known");
    crd_result_number(r, "none", NAN);
    crd_result_end(r);
    return r;
}

static void each_format_has_its_face(void **state) {
    (void)state;
    crd_result *r = small_report();
    expect(r, FORMAT_TABLE,
           "Two lines of 3\n\nSums of all\n  name    value\n  a_b*  0.66667\n  c     nothing\n  all   1234567\n"
           "  as far as is known\n");
    expect(r, FORMAT_MARKDOWN,
           "- Two lines of 3\n\n## Sums of all\n\n| name  |   value |\n| ----- | ------: |\n| a_b\\* | 0.66667 |\n"
           "| c     | nothing |\n| all   | 1234567 |\n\nas far as is known\n");
    expect(r, FORMAT_JSON,
           "{\n  \"third\": 0.3333333333333333,\n  \"sums\": [\n    {\n      \"name\": \"a_b*\",\n"
           "      \"value\": 0.6666666666666666,\n      \"exact\": 0.6666666666666666\n    },\n    {\n"
           "      \"name\": \"c\",\n      \"value\": 0\n    }\n  ],\n  \"none\": null\n}\n");
    expect(r, FORMAT_CSV,
           "name,value\nthird,0.3333333333333333\nsums.1.name,a_b*\nsums.1.value,0.6666666666666666\n"
           "sums.1.exact,0.6666666666666666\nsums.2.name,c\nsums.2.value,0\nnone,\n");
    crd_result_destroy(r);
}

/* "x" by two and three states, as objects inside objects. */
static void tables_take_shapes(void **state) {
    (void)state;
    static const char *const first[] = {"no", "no", "yes", "yes"}, *const second[] = {"u", "v", "u", "v"};
    crd_result *r = report_create(NULL);
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_table *t = crd_result_add_table(r, "x");
    t->shape = CRD_TABLE_NESTED;
    crd_result_add_column(t, "a", "a");
    crd_result_add_column(t, "b", "b");
    crd_result_add_column(t, "p", "p");
    for (size_t i = 0; i < 4; i++) {
        crd_cell_words(t, first[i]);
        crd_cell_words(t, second[i]);
        crd_cell_number(t, (double)i / 6);
    }
    t = crd_result_add_table(r, "m");
    t->shape = CRD_TABLE_MAP;
    crd_result_add_column(t, "k", NULL);
    t->group = "p";
    column_add_named(t, crd_text_of("yes"));
    column_add_named(t, crd_text_of("no"));
    t->group = NULL;
    crd_result_add_column(t, "rows", NULL);
    crd_cell_words(t, "one");
    crd_cell_number(t, 0.25);
    crd_cell_number(t, 0.75);
    crd_cell_count(t, 4);
    crd_result_end(r);
    char *line = write_as(r, FORMAT_JSON, 0, true);
    assert_string_equal(line,
                        "{\"x\": {\"no\": {\"u\": 0, \"v\": 0.16666666666666666}, \"yes\": {\"u\": "
                        "0.3333333333333333, \"v\": 0.5}}, \"m\": {\"one\": {\"p\": {\"yes\": 0.25, \"no\": 0.75}, "
                        "\"rows\": 4}}}\n");
    free(line);
    expect(r, FORMAT_CSV,
           "name,value\nx.no.u,0\nx.no.v,0.16666666666666666\nx.yes.u,0.3333333333333333\nx.yes.v,0.5\n"
           "m.one.p.yes,0.25\nm.one.p.no,0.75\nm.one.rows,4\n");
    crd_result_destroy(r);
}

/* The main table is all of CSV, with a line for each item of a list; people see the first rows of it. */
static void main_table_is_csv(void **state) {
    (void)state;
    static const double pair[] = {1, 2.5};
    crd_result *r = report_create(NULL);
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_main = true;
    t->is_headed = false;
    t->indent = 0;
    t->rows_shown = 1;
    crd_result_add_column(t, "question", "");
    crd_result_add_column(t, "value", "")->is_left = true;
    crd_cell_words(t, "mean");
    crd_cell_list(t, pair, 2);
    crd_cell_words(t, "of, all");
    crd_cell_list(t, pair, 1);
    expect(r, FORMAT_CSV, "question,value\nmean,1\nmean,2.5\n\"of, all\",1\n");
    expect(r, FORMAT_TABLE, "mean  1, 2.5\n");
    crd_result_destroy(r);
}

/* Fractions go where there is no room for them, and tables are turned for people alone. */
static void narrow_tables_are_brief(void **state) {
    (void)state;
    crd_result *r = report_create(NULL);
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_transposed = true;
    crd_result_add_column(t, "class", "");
    crd_result_add_column(t, "prior", "prior");
    crd_cell_words(t, "yes");
    cell_fraction(t, log(0.25), "1/4");
    crd_cell_words(t, "no");
    cell_fraction(t, -INFINITY, "0/4");
    char *wide = write_as(r, FORMAT_TABLE, 80, false), *narrow = write_as(r, FORMAT_TABLE, 20, false);
    assert_string_equal(wide, "                yes       no\n  prior  1/4 = 0.25  0/4 = 0\n");
    assert_string_equal(narrow, "          yes  no\n  prior  0.25   0\n");
    free(wide);
    free(narrow);
    crd_result_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_format_has_its_face), cmocka_unit_test(tables_take_shapes),
                                       cmocka_unit_test(main_table_is_csv), cmocka_unit_test(narrow_tables_are_brief)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
