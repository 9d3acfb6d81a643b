/* SPDX-License-Identifier: MIT */
/* Trees of results: what the formats of the library write of them, and that a failed allocation is remembered. */
#include "failing_allocations.h"

#include <credence/all.h>
#include <math.h>

typedef struct text_sink {
    char bytes[2048];
    size_t length;
} text_sink;

static void add_bytes(void *user, const char *bytes, size_t length) {
    text_sink *sink = user;
    assert_true(sink->length + length < sizeof sink->bytes);
    memcpy(sink->bytes + sink->length, bytes, length);
    sink->length += length;
    sink->bytes[sink->length] = '\0';
}

static const double VALUES[] = {1.5, NAN};

static void build(crd_result *r) {
    static const crd_text names[] = {{"a<b", 3}, {"c", 1}};
    crd_result_prose(r, CRD_TOP_HEADING, 1, "", "", "Sums & more");
    crd_result_begin(r, CRD_OBJECT, NULL);
    crd_result_key(r, crd_text_of("a \"key\""));
    crd_result_words(r, NULL, "x\ty");
    crd_result_boolean(r, "flag", 1);
    crd_result_table *t = crd_result_add_table(r, "sums");
    t->is_short = 1;
    crd_result_add_column(t, "name", "name");
    crd_result_add_column(t, "value", "value");
    crd_result_add_column(t, "list", NULL);
    for (size_t i = 0; i < 2; i++) {
        crd_cell_name(t, names[i]);
        crd_cell_shown(t, 2.0 / 3, "%d of %d", 2, 3);
        crd_cell_list(t, VALUES, 1 + i);
    }
    t->audience = CRD_FOR_PEOPLE;
    crd_cell_words(t, "all");
    crd_cell_count(t, 1234567);
    crd_cell_null(t);
    crd_result_begin(r, CRD_SHORT_ARRAY, "empty");
    crd_result_end(r);
    crd_result_end(r);
    crd_result_add_graph(r, names, 2, &(crd_result_arc){0, 1, 0}, 1);
    crd_result_add_marked(r, &(crd_marked_piece){"word", CRD_MARK_FOR}, 1);
}

static void each_format_is_written(void **state) {
    static const char *const expected[] = {
        [CRD_RESULT_JSON_LINE] =
            "{\"a \\\"key\\\"\": \"x\\u0009y\", \"flag\": true, \"sums\": [{\"name\": "
            "\"a<b\", "
            "\"value\": 0.6666666666666666, \"list\": 1.5}, {\"name\": \"c\", \"value\": 0.6666666666666666, \"list\": "
            "[1.5, null]}], \"empty\": []}\n",
        [CRD_RESULT_CSV] = "name,value\n\"a \"\"key\"\"\",x\ty\nflag,true\nsums.1.name,a<b\n"
                           "sums.1.value,0.6666666666666666\nsums.1.list,1.5\nsums.2.name,c\n"
                           "sums.2.value,0.6666666666666666\nsums.2.list.1,1.5\nsums.2.list.2,\n",
        [CRD_RESULT_HTML] = "<h2>Sums &amp; more</h2>\n<div class=\"table\"><table>\n"
                            "<tr><th scope=\"col\" class=\"left\">name</th><th scope=\"col\">value</th></tr>\n"
                            "<tr><th scope=\"row\" class=\"left\">a&lt;b</th><td>2 of 3</td></tr>\n"
                            "<tr><th scope=\"row\" class=\"left\">c</th><td>2 of 3</td></tr>\n"
                            "<tr><th scope=\"row\" class=\"left\">all</th><td>1234567</td></tr>\n"
                            "</table></div>\n<p class=\"text\"><mark>word</mark></p>\n"};
    crd_context *context = NULL;
    crd_result *r = NULL;
    crd_error error;
    (void)state;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    assert_int_equal(crd_result_create(context, CRD_FOR_ALL, &r, &error), CRD_OK);
    build(r);
    for (crd_result_syntax syntax = CRD_RESULT_JSON_LINE; syntax <= CRD_RESULT_HTML; syntax++) {
        text_sink sink = {.length = 0};
        assert_int_equal(crd_result_write(r, syntax, NULL, add_bytes, &sink, &error), CRD_OK);
        assert_string_equal(sink.bytes, expected[syntax]);
    }
    crd_result_destroy(r);
    crd_context_destroy(context);
}

/* The second result is longer than a block of memory. */
static crd_status build_and_write(crd_context *context, crd_error *error) {
    crd_result *r = NULL, *other = NULL;
    text_sink sink = {.length = 0};
    crd_status status = crd_result_create(context, CRD_FOR_ALL, &r, error);
    if (status == CRD_OK) status = crd_result_create(context, CRD_FOR_ALL, &other, error);
    if (status == CRD_OK) {
        build(r);
        for (int i = 0; i < 2000; i++)
            crd_result_line(other, CRD_LINE, "%s", crd_result_show(other, crd_text_of("\n")));
        crd_result_append(r, other);
        other = NULL;
        status = crd_result_write(r, CRD_RESULT_CSV, NULL, add_bytes, &sink, error);
    }
    crd_result_destroy(other);
    crd_result_destroy(r);
    return status;
}

static void failed_allocations_are_reported(void **state) {
    (void)state;
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        crd_error error;
        assert_allocation_fails(&trial, build_and_write(trial.context, &error), CRD_OK, error);
    }
}

static void names_are_shown_on_one_line(void **state) {
    char shown[64];
    (void)state;
    const size_t length = crd_text_show(crd_text_of("a\n\x01\xC2\x85\xFF\xE2\x80\xAE\xC3\xA9"), shown);
    shown[length] = '\0';
    assert_string_equal(shown, "a\\n\\x01\\x85\\xff\\u202e\xC3\xA9");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_is_written),
        cmocka_unit_test(failed_allocations_are_reported),
        cmocka_unit_test(names_are_shown_on_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
