/* SPDX-License-Identifier: MIT */
/* Real files, read as they are: kinds, rows, line ends, labels. Skipped where the open data sets are not there. */
#include "table_support.h"

typedef struct read_facts {
    size_t rows, columns, missing, categories;
    crd_separator separator;
    bool has_header;
    char kinds[64]; /* a letter a column */
} read_facts;

static read_facts read_file(const char *name, size_t block_bytes, size_t target) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", CREDENCE_DATA, name);
    if (access(path, R_OK) != 0) {
        print_message("%s is not there\n", path);
        skip();
    }
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.block_bytes = block_bytes;
    crd_reader *reader = NULL;
    crd_error error;
    const char *paths[] = {path};
    assert_int_equal(crd_reader_open(context, paths, 1, &options, &reader, &error), CRD_OK);
    if (target != SIZE_MAX) assert_int_equal(crd_reader_set_target(reader, target, &error), CRD_OK);
    read_facts facts = {.columns = crd_reader_column_count(reader),
                        .separator = crd_reader_separator(reader),
                        .has_header = crd_reader_has_header(reader)};
    for (;;) {
        const crd_frame *frame;
        crd_status status = crd_reader_next(reader, &frame, &error);
        if (status != CRD_OK) print_message("%s:%d: %s\n", error.place, (int)error.line, error.message);
        assert_int_equal(status, CRD_OK);
        if (frame == NULL) break;
        facts.rows += crd_frame_rows(frame);
        facts.categories = 0;
        for (size_t column = 0; column < facts.columns; column++) {
            facts.kinds[column] = "?#@"[crd_frame_column_type(frame, column)];
            for (size_t row = 0; row < crd_frame_rows(frame); row++) {
                facts.missing += crd_frame_value(frame, row, column).type == CRD_TYPE_NONE;
            }
            if (frame->columns[column].dictionary != NULL) {
                facts.categories += crd_i_dictionary_size(frame->columns[column].dictionary);
            }
        }
    }
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
    return facts;
}

static void expect_file(const char *name, size_t rows, const char *kinds, size_t missing, size_t categories) {
    static const size_t BLOCKS[] = {0, 1, 97};
    for (size_t i = 0; i < 3; i++) {
        read_facts facts = read_file(name, BLOCKS[i], SIZE_MAX);
        assert_int_equal(facts.rows, rows);
        assert_string_equal(facts.kinds, kinds);
        assert_int_equal(facts.missing, missing);
        assert_int_equal(facts.categories, categories);
        assert_true(facts.has_header);
    }
}

/* doors is 2, 3, 4 until row 82 says 5more; persons is 2, 4 until more. */
static void test_car(void **state) {
    (void)state;
    expect_file("tabular/car.csv", 1728, "@@@@@@@", 0, 4 + 4 + 4 + 3 + 3 + 3 + 4);
}

/* children is 1, 2, 3 until row 163 says more. */
static void test_nursery(void **state) {
    (void)state;
    expect_file("tabular/nursery.csv", 12960, "@@@@@@@@@", 0, 3 + 5 + 4 + 4 + 3 + 2 + 3 + 3 + 5);
}

static void test_titanic(void **state) {
    (void)state;
    expect_file("tabular/titanic.csv", 891, "##@@###@#@@", 866, 891 + 2 + 681 + 147 + 3);
}

static void test_house_votes(void **state) {
    (void)state;
    expect_file("tabular/house_votes_84.csv", 435, "@@@@@@@@@@@@@@@@@", 392, 17 * 2);
}

static void test_mushroom(void **state) {
    (void)state;
    read_facts facts = read_file("tabular/mushroom.csv", 0, 0);
    assert_int_equal(facts.rows, 8124);
    assert_int_equal(facts.missing, 2480);
    assert_string_equal(facts.kinds, "@@@@@@@@@@@@@@@@@@@@@@@");
}

static void expect_blank_separated(const char *name, size_t rows, size_t columns, size_t classes) {
    read_facts facts = read_file(name, 0, SIZE_MAX);
    assert_int_equal(facts.separator, CRD_SEPARATOR_BLANK);
    assert_false(facts.has_header);
    assert_int_equal(facts.rows, rows);
    assert_int_equal(facts.columns, columns);
    assert_int_equal(facts.missing, 0);
    for (size_t column = 0; column + 1 < columns; column++) assert_int_equal(facts.kinds[column], '#');
    facts = read_file(name, 1000, columns - 1);
    assert_int_equal(facts.rows, rows);
    assert_int_equal(facts.kinds[columns - 1], '@');
    assert_int_equal(facts.categories, classes);
}

static void test_uta(void **state) {
    (void)state;
    expect_blank_separated("uta/yeast_training.txt", 1000, 9, 10);
    expect_blank_separated("uta/yeast_test.txt", 484, 9, 10);
    expect_blank_separated("uta/pendigits_training.txt", 7494, 17, 10);
    expect_blank_separated("uta/pendigits_test.txt", 3498, 17, 10);
    expect_blank_separated("uta/satellite_training.txt", 4435, 37, 6);
    expect_blank_separated("uta/satellite_test.txt", 2000, 37, 6);
}

static void test_uta_string_labels(void **state) {
    (void)state;
    expect_blank_separated("uta/string_labels/yeast_string_training.txt", 1000, 9, 10);
    expect_blank_separated("uta/string_labels/yeast_string_test.txt", 484, 9, 10);
    expect_blank_separated("uta/string_labels/pendigits_string_training.txt", 7494, 17, 10);
    expect_blank_separated("uta/string_labels/satellite_string_test.txt", 2000, 37, 6);
}

static void test_uta_zero_based(void **state) {
    (void)state;
    expect_blank_separated("uta/zero_based/yeast_training.txt", 1000, 9, 10);
    expect_blank_separated("uta/zero_based/yeast_test.txt", 484, 9, 10);
    expect_blank_separated("uta/zero_based/satellite_training.txt", 4435, 37, 6);
    expect_blank_separated("uta/zero_based/satellite_test.txt", 2000, 37, 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_car),
        cmocka_unit_test(test_nursery),
        cmocka_unit_test(test_titanic),
        cmocka_unit_test(test_house_votes),
        cmocka_unit_test(test_mushroom),
        cmocka_unit_test(test_uta),
        cmocka_unit_test(test_uta_string_labels),
        cmocka_unit_test(test_uta_zero_based),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
