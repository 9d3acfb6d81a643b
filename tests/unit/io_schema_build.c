/* SPDX-License-Identifier: MIT */
/* Schemas made in code: what goes in comes out, what does not fit is refused, and parts make the schema of the
 * whole. */
#include "io/public_schema.h"
#include "table_support.h"

#include <credence/all.h>

static allocations plan;
static crd_context *context;
static crd_error error;

static int set_up(void **state) {
    (void)state;
    memset(&plan, 0, sizeof plan);
    context = logged_context(&plan);
    return context == NULL;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return plan.live == 0 ? 0 : -1;
}

static crd_status add(crd_schema *schema, const char *name, crd_role role, crd_column_type type,
                      const char *const *values) {
    crd_schema_column column = CRD_SCHEMA_COLUMN_INIT;
    crd_text texts[8];
    column.name = crd_text_of(name);
    column.role = role;
    column.type = type;
    column.values = texts;
    while (values != NULL && values[column.value_count] != NULL) {
        texts[column.value_count] = crd_text_of(values[column.value_count]);
        column.value_count++;
    }
    return crd_schema_add_column(schema, &column, &error);
}

static const char *const YES_NO[] = {"yes", "no", NULL}, *const RARE[] = {"rare", "no", NULL};

static crd_schema *make_schema(void) {
    crd_schema *schema;
    assert_int_equal(crd_schema_create(context, &schema, &error), CRD_OK);
    assert_int_equal(add(schema, "id", CRD_ROLE_IGNORED, CRD_TYPE_NONE, NULL), CRD_OK);
    assert_int_equal(add(schema, "x", CRD_ROLE_ATTRIBUTE, CRD_TYPE_NUMERIC, NULL), CRD_OK);
    assert_int_equal(add(schema, "y", CRD_ROLE_TARGET, CRD_TYPE_NONE, YES_NO), CRD_OK);
    assert_int_equal(add(schema, "w", CRD_ROLE_WEIGHT, CRD_TYPE_NONE, NULL), CRD_OK);
    return schema;
}

static void test_what_goes_in_comes_out(void **state) {
    (void)state;
    crd_schema *schema = make_schema(), *read;
    char *text;
    size_t length;
    assert_int_equal(crd_schema_column_count(schema), 4);
    assert_int_equal(crd_schema_target(schema), 2);
    assert_int_equal(crd_schema_weight(schema), 3);
    assert_int_equal(crd_schema_role(schema, 0), CRD_ROLE_IGNORED);
    assert_int_equal(crd_schema_role(schema, 1), CRD_ROLE_ATTRIBUTE);
    assert_int_equal(crd_schema_column_type(schema, 2), CRD_TYPE_CATEGORICAL);
    assert_int_equal(crd_schema_value_count(schema, 2), 2);
    assert_true(crd_text_equal(crd_schema_value(schema, 2, 0), crd_text_of("no")));
    assert_int_equal(crd_schema_encode(schema, &text, &length, &error), CRD_OK);
    assert_int_equal(crd_schema_decode(context, text, length, &read, &error), CRD_OK);
    assert_true(crd_i_schema_equal(schema, read));
    read->inner->has_header = false;
    assert_false(crd_i_schema_equal(schema, read));
    crd_free(context, text);
    crd_schema_destroy(read);

    /* A reader takes it as one that was read from a file. */
    static const char TABLE[] = "w,y,x,more\n1,yes,2,3\n";
    crd_reader *reader;
    assert_int_equal(crd_reader_open_memory(context, TABLE, strlen(TABLE), NULL, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_schema_apply(schema, reader, &error), CRD_OK);
    const crd_frame *frame;
    assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_OK);
    transcript output = {NULL, 0, 0};
    say_kinds(&output, frame);
    assert_string_equal(output.text, "#x @y #w\n");
    free(output.text);
    crd_reader_close(reader);
    crd_schema_destroy(schema);
}

static void test_refusals(void **state) {
    (void)state;
    crd_schema *schema = make_schema(), *same = make_schema();
    assert_int_equal(add(schema, "x", CRD_ROLE_ATTRIBUTE, CRD_TYPE_NONE, NULL), CRD_ERROR_COLUMN);
    assert_string_equal(error.message, "column 'x' exists already");
    assert_int_equal(add(schema, "z", CRD_ROLE_TARGET, CRD_TYPE_NONE, NULL), CRD_ERROR_COLUMN);
    assert_int_equal(add(schema, "z", CRD_ROLE_WEIGHT, CRD_TYPE_NONE, NULL), CRD_ERROR_COLUMN);
    assert_int_equal(add(schema, "", CRD_ROLE_ATTRIBUTE, CRD_TYPE_NONE, NULL), CRD_ERROR_COLUMN);
    assert_int_equal(add(schema, "z", CRD_ROLE_ATTRIBUTE, CRD_TYPE_NUMERIC, YES_NO), CRD_ERROR_COLUMN);
    assert_true(crd_i_schema_equal(schema, same));
    crd_schema_destroy(same);
    crd_schema_destroy(schema);
    crd_schema *blank;
    assert_int_equal(crd_schema_create(context, &blank, &error), CRD_OK);
    assert_int_equal(add(blank, "y", CRD_ROLE_TARGET, CRD_TYPE_NUMERIC, NULL), CRD_ERROR_COLUMN);
    assert_int_equal(add(blank, "w", CRD_ROLE_WEIGHT, CRD_TYPE_CATEGORICAL, NULL), CRD_ERROR_COLUMN);
    assert_int_equal(crd_schema_column_count(blank), 0);
    crd_schema_destroy(blank);
}

/* ---- Parts ---- */

static crd_schema *schema_of(const char *table) {
    crd_reader *reader;
    crd_schema *schema;
    assert_int_equal(crd_reader_open_memory(context, table, strlen(table), NULL, NULL, &reader, &error), CRD_OK);
    for (const crd_frame *frame = NULL;;) {
        crd_status status = crd_reader_next(reader, &frame, &error);
        assert_int_equal(status, CRD_OK);
        if (frame == NULL) break;
    }
    assert_int_equal(crd_schema_from_reader(reader, 1, &schema, &error), CRD_OK);
    crd_reader_close(reader);
    return schema;
}

static void test_parts_make_the_whole(void **state) {
    (void)state;
    crd_schema *first = schema_of("a,b,c,d\n1,x,?,1\n2,y,?,2\n"), *second = schema_of("a,b,c,d\nq,z,?,3\n");
    crd_schema *whole = schema_of("a,b,c,d\n1,x,?,1\n2,y,?,2\nq,z,?,3\n");
    assert_int_equal(crd_schema_merge(first, second, &error), CRD_OK);
    assert_int_equal(crd_schema_column_type(first, 0), CRD_TYPE_CATEGORICAL);
    for (size_t i = 0; i < 4; i++) assert_int_equal(crd_schema_column_type(first, i), crd_schema_column_type(whole, i));
    assert_int_equal(crd_schema_value_count(first, 1), 3);
    assert_int_equal(crd_schema_value_count(first, 0), 1);
    crd_schema_destroy(first);
    crd_schema_destroy(second);
    crd_schema_destroy(whole);

    /* A target that one names, values of both, columns of either. */
    crd_schema *named = make_schema(), *plain, *before = make_schema();
    assert_int_equal(crd_schema_create(context, &plain, &error), CRD_OK);
    assert_int_equal(add(plain, "y", CRD_ROLE_ATTRIBUTE, CRD_TYPE_CATEGORICAL, RARE), CRD_OK);
    assert_int_equal(add(plain, "new", CRD_ROLE_ATTRIBUTE, CRD_TYPE_NONE, NULL), CRD_OK);
    assert_int_equal(crd_schema_merge(named, plain, &error), CRD_OK);
    assert_int_equal(crd_schema_column_count(named), 5);
    assert_int_equal(crd_schema_target(named), 2);
    assert_int_equal(crd_schema_value_count(named, 2), 3);
    /* Merging a schema with itself changes nothing. */
    crd_schema *again = make_schema();
    assert_int_equal(crd_schema_merge(again, before, &error), CRD_OK);
    assert_true(crd_i_schema_equal(again, before));

    assert_int_equal(add(plain, "x", CRD_ROLE_TARGET, CRD_TYPE_NONE, NULL), CRD_OK);
    assert_int_equal(crd_schema_merge(again, plain, &error), CRD_ERROR_SCHEMA_DIFFERS);
    plain->inner->has_header = false;
    assert_int_equal(crd_schema_merge(again, plain, &error), CRD_ERROR_SCHEMA_DIFFERS);
    plain->inner->has_header = true;
    const crd_text dash = {"-", 1};
    assert_true(crd_i_schema_set_missing(plain->inner, &dash, 1, false));
    assert_int_equal(crd_schema_merge(again, plain, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_true(crd_i_schema_equal(again, before));
    crd_schema_destroy(again);
    crd_schema_destroy(before);
    crd_schema_destroy(named);
    crd_schema_destroy(plain);
}

/* ---- Frames ---- */

static void test_frames(void **state) {
    (void)state;
    const double numbers[] = {1, 2.5};
    const crd_text texts[] = {{"7", 1}, {NULL, 0}}, words[] = {{"a", 1}, {"b", 1}};
    crd_frame *frame;
    assert_int_equal(crd_frame_create(context, 2, &frame, &error), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(frame, crd_text_of("n"), numbers, NULL, &error), CRD_OK);
    assert_int_equal(crd_frame_add_texts(frame, crd_text_of("t"), texts, &error), CRD_OK);
    assert_int_equal(crd_frame_add_texts(frame, crd_text_of("u"), words, &error), CRD_OK);
    assert_int_equal(crd_frame_set_column_type(frame, 0, CRD_TYPE_CATEGORICAL, &error), CRD_OK);
    assert_int_equal(crd_frame_set_column_type(frame, 1, CRD_TYPE_NUMERIC, &error), CRD_OK);
    assert_true(crd_text_equal(crd_frame_value(frame, 1, 0).text, crd_text_of("2.5")));
    assert_true(crd_frame_value(frame, 0, 1).number == 7);
    assert_int_equal(crd_frame_value(frame, 1, 1).type, CRD_TYPE_NONE);
    assert_int_equal(crd_frame_set_column_type(frame, 2, CRD_TYPE_NUMERIC, &error), CRD_ERROR_NUMBER);
    assert_string_equal(error.message, "row 1 of column 'u' is a text that is not a number");
    assert_int_equal(crd_frame_column_type(frame, 2), CRD_TYPE_CATEGORICAL);
    crd_frame_destroy(frame);
}

/* ---- Failing memory ---- */

static void test_failing_memory(void **state) {
    (void)state;
    crd_schema *other = make_schema();
    for (size_t index = 1;; index++) {
        crd_schema *schema = make_schema(), *same = make_schema();
        plan.calls = 0;
        plan.fail_at = index;
        crd_status status = add(schema, "more", CRD_ROLE_ATTRIBUTE, CRD_TYPE_NONE, YES_NO);
        if (status != CRD_OK) {
            plan.fail_at = 0;
            assert_true(crd_i_schema_equal(schema, same));
        } else {
            status = crd_schema_merge(schema, other, &error);
        }
        bool reached = plan.calls >= index;
        plan.fail_at = 0;
        crd_schema_destroy(schema);
        crd_schema_destroy(same);
        assert_int_equal(status, reached ? CRD_ERROR_MEMORY : CRD_OK);
        if (!reached) break;
    }
    crd_schema_destroy(other);
}

int main(void) {
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(test_what_goes_in_comes_out), IN_CONTEXT(test_refusals),
        IN_CONTEXT(test_parts_make_the_whole),   IN_CONTEXT(test_frames),
        IN_CONTEXT(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
