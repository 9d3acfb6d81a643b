/* SPDX-License-Identifier: MIT */
/* Case tables: rows distinct and sorted, whatever their order, the order of columns, and whether they come from a model or a
 * reader; wide codes; failing allocations. */
#include "cases/case_builder.h"
#include "model_support.h"

#include "counted_fixture.h"

static const char TABLE[] =
    "b,a,y,x\nlow,10,yes,1.5\nhigh,9,no,-0\nlow,10,yes,1.5\n,10,no,0\nhigh,9,no,\nhigh,9,no,0\n";
/* The same rows and columns in another order. */
static const char MOVED[] =
    "x,y,b,a\n0,no,high,9\n,no,high,9\n1.5,yes,low,10\n0,no,,10\n1.5,yes,low,10\n-0,no,high,9\n";

static crd_status read_table(const char *text, const char *target, crd_i_case_table **out, crd_error *error) {
    crd_reader *reader;
    *out = NULL;
    crd_status status = open_text(context, text, strlen(text), target, &reader, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; status == CRD_OK && i < crd_reader_column_count(reader); i++)
        if (crd_text_equal(crd_reader_column_name(reader, i), crd_text_of("a")))
            status = crd_reader_set_column_type(reader, i, CRD_TYPE_CATEGORICAL, error);
    if (status == CRD_OK) status = crd_i_case_table_of_reader(reader, NULL, 0, out, error);
    crd_reader_close(reader);
    return status;
}

static crd_i_case_table *table_of_model(const char *text) {
    crd_reader *reader;
    crd_model *model;
    crd_i_schema_view *order;
    crd_i_case_table *table;
    crd_error error;
    assert_done(open_text(context, text, strlen(text), "y", &reader, &error), error);
    for (size_t i = 0; i < crd_reader_column_count(reader); i++)
        if (crd_text_equal(crd_reader_column_name(reader, i), crd_text_of("a")))
            assert_done(crd_reader_set_column_type(reader, i, CRD_TYPE_CATEGORICAL, &error), error);
    assert_done(crd_model_train_keeping(context, reader, NULL, crd_text_of("rows"), &model, NULL, &error), error);
    crd_reader_close(reader);
    assert_done(crd_i_schema_view_create(model, &order, &error), error);
    assert_done(crd_i_case_table_of_model(model, order, &table, &error), error);
    crd_i_schema_view_destroy(order);
    crd_model_destroy(model);
    return table;
}

/* Rows in the order of a (9 before 10, as numbers are), b, x, y. */
static void check_table(const crd_i_case_table *table, size_t target) {
    static const char *const NAMES[] = {"a", "b", "x", "y"};
    static const uint32_t A[] = {0, 0, 1, 1}, B[] = {0, 0, 1, CRD_I_CASE_MISSING32}, Y[] = {0, 0, 1, 0};
    static const double X[] = {0, NAN, 1.5, 0}, WEIGHTS[] = {2, 1, 2, 1};
    assert_int_equal(table->column_count, 4);
    assert_int_equal(table->rows, 4);
    assert_int_equal(table->target, target);
    assert_true(table->total == 6);
    for (size_t i = 0; i < 4; i++) {
        assert_true(crd_text_equal(table->columns[i].name, crd_text_of(NAMES[i])));
        assert_int_equal(crd_i_case_table_find(table, crd_text_of(NAMES[i])), i);
        assert_int_equal(table->columns[i].has_missing, i == 1 || i == 2);
    }
    assert_int_equal(crd_i_case_table_find(table, crd_text_of("aa")), SIZE_MAX);
    assert_true(crd_text_equal(table->columns[0].states[0], crd_text_of("9")));
    for (size_t row = 0; row < 4; row++) {
        assert_int_equal(crd_i_case_code(&table->columns[0], row), A[row]);
        assert_int_equal(crd_i_case_code(&table->columns[1], row), B[row]);
        assert_int_equal(crd_i_case_code(&table->columns[3], row), Y[row]);
        assert_true(memcmp(&table->columns[2].numbers[row], &X[row], sizeof(double)) == 0 || isnan(X[row]));
        assert_int_equal(isnan(table->columns[2].numbers[row]), isnan(X[row]));
        assert_true(crd_i_case_weight(table, row) == WEIGHTS[row]);
    }
}

static void test_order(void **state) {
    (void)state;
    crd_error error;
    const char *const texts[] = {TABLE, MOVED};
    for (size_t i = 0; i < 2; i++) {
        crd_i_case_table *table;
        assert_done(read_table(texts[i], "y", &table, &error), error);
        check_table(table, 3);
        crd_i_case_table_destroy(table);
        assert_done(read_table(texts[i], NULL, &table, &error), error);
        check_table(table, SIZE_MAX);
        crd_i_case_table_destroy(table);
        table = table_of_model(texts[i]);
        check_table(table, 3);
        crd_i_case_table_destroy(table);
    }
    crd_i_case_table_destroy(NULL);
}

/* So many states that codes take two bytes, and then four; many rows, so that digits are wide. */
static void test_wide(void **state) {
    (void)state;
    static const size_t STATES[] = {300, 70000};
    for (size_t round = 0; round < 2; round++) {
        const size_t states = STATES[round], rows = 2 * states;
        int32_t *codes = calloc(rows, sizeof *codes);
        crd_text *texts = calloc(states, sizeof *texts);
        char(*bytes)[24] = calloc(states, sizeof *bytes);
        crd_frame *frame;
        crd_i_case_builder *builder;
        crd_i_case_table *table;
        crd_error error;
        const crd_text none = {0};
        for (size_t i = 0; i < states; i++) {
            snprintf(bytes[i], sizeof bytes[i], "%zu", states - 1 - i);
            texts[i] = crd_text_of(bytes[i]);
        }
        for (size_t row = 0; row < rows; row++) codes[row] = (int32_t)(row * 7919 % states);
        assert_done(crd_frame_create(context, rows, &frame, &error), error);
        assert_done(crd_frame_add_codes(frame, crd_text_of("id"), codes, NULL, texts, states, &error), error);
        assert_done(crd_i_case_builder_create(context, NULL, 0, none, none, &builder, &error), error);
        assert_done(crd_i_case_builder_add(builder, frame, &error), error);
        assert_done(crd_i_case_builder_finish(builder, NULL, &table, &error), error);
        assert_int_equal(table->rows, states);
        for (size_t row = 0; row < states; row++) {
            assert_int_equal(crd_i_case_code(&table->columns[0], row), row);
            assert_true(table->weights[row] == 2);
        }
        assert_true(crd_text_equal(table->columns[0].states[2], crd_text_of("2")));
        crd_i_case_table_destroy(table);
        crd_i_case_builder_destroy(builder);
        crd_frame_destroy(frame);
        free(bytes);
        free(texts);
        free(codes);
    }
}

/* The first frame of a part may be without rows, and still tells what its columns are. */
static void test_no_rows_first(void **state) {
    (void)state;
    crd_error error;
    crd_i_case_builder *builder;
    crd_i_case_table *table;
    const crd_text none = {NULL, 0};
    const double numbers[] = {2, 1};
    const int32_t codes[] = {1, 0};
    const crd_text values[] = {{"a", 1}, {"b", 1}};
    assert_done(crd_i_case_builder_create(context, NULL, 0, none, none, &builder, &error), error);
    for (size_t rows = 0; rows <= 2; rows += 2) {
        crd_frame *frame;
        assert_done(crd_frame_create(context, rows, &frame, &error), error);
        assert_done(crd_frame_add_numbers(frame, crd_text_of("x"), numbers, NULL, &error), error);
        assert_done(crd_frame_add_codes(frame, crd_text_of("c"), codes, NULL, values, 2, &error), error);
        assert_done(crd_i_case_builder_add(builder, frame, &error), error);
        crd_frame_destroy(frame);
    }
    assert_done(crd_i_case_builder_finish(builder, NULL, &table, &error), error);
    assert_int_equal(table->rows, 2);
    assert_int_equal(table->columns[1].type, CRD_TYPE_NUMERIC);
    assert_true(table->columns[1].numbers[0] == 1 && table->columns[1].numbers[1] == 2);
    crd_i_case_table_destroy(table);
    crd_i_case_builder_destroy(builder);
}

static void test_refusals(void **state) {
    (void)state;
    crd_error error;
    crd_i_case_table *table;
    crd_i_schema_view *order;
    crd_model *model = trained(context, TABLE, "y");
    assert_done(crd_i_schema_view_create(model, &order, &error), error);
    assert_int_equal(crd_i_case_table_of_model(model, order, &table, &error), CRD_ERROR_SETTING);
    assert_null(table);
    crd_i_schema_view_destroy(order);
    crd_model_destroy(model);
    crd_reader *reader;
    const crd_text absent = crd_text_of("absent");
    assert_done(open_text(context, TABLE, strlen(TABLE), NULL, &reader, &error), error);
    assert_int_equal(crd_i_case_table_of_reader(reader, &absent, 1, &table, &error), CRD_ERROR_COLUMN);
    crd_reader_close(reader);
}

static void test_memory(void **state) {
    (void)state;
    crd_error error;
    crd_i_case_table *table;
    const size_t before = counted.calls;
    assert_done(read_table(TABLE, "y", &table, &error), error);
    const size_t calls = counted.calls - before;
    crd_i_case_table_destroy(table);
    for (size_t i = 1; i <= calls; i++) {
        const long live = counted.live;
        counted.fail_at = counted.calls + i;
        const crd_status status = read_table(TABLE, "y", &table, &error);
        counted.fail_at = 0;
        if (status != CRD_OK) assert_null(table);
        crd_i_case_table_destroy(table);
        assert_int_equal(counted.live, live);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_wide),
                                       cmocka_unit_test(test_no_rows_first), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
