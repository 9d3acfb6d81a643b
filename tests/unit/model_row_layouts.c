/* SPDX-License-Identifier: MIT */
/* Matrices in any layout, with weights or without, and weights that come later: the bytes of frames with the same
 * rows. */
#include "io/public_schema.h"
#include "model_support.h"

enum { ROWS = 3000, COLUMNS = 5, CLASSES = 3 };

static allocations counted;
static crd_context *context;
static crd_error error;
static double by_row[ROWS * COLUMNS], by_column[ROWS * COLUMNS], weights[ROWS], ones[ROWS];
static float floats[ROWS * COLUMNS];
static int32_t classes[ROWS];
static crd_text attributes[COLUMNS], names[CLASSES];

static int set_up(void **state) {
    (void)state;
    static const char *const NAMES[] = {"a", "b", "c", "d", "e"};
    uint64_t random = 3;
    memset(&counted, 0, sizeof counted);
    context = counted_context(&counted);
    for (size_t i = 0; i < COLUMNS; i++) attributes[i] = crd_text_of(NAMES[i]);
    for (size_t i = 0; i < CLASSES; i++) names[i] = crd_text_of(NAMES[i]);
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t i = 0; i < COLUMNS; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            float value = (float)(random >> 40) / 65536.0f - 100;
            if (random % 17 == 0) value = NAN;
            by_row[row * COLUMNS + i] = by_column[i * ROWS + row] = (double)value;
            floats[row * COLUMNS + i] = value;
        }
        classes[row] = (int32_t)(random >> 33) % (CLASSES + 1) - 1;
        if (classes[row] < 0) classes[row] = -1;
        weights[row] = (double)(random >> 50) / (random % 3 == 0 ? 1 : 7);
        ones[row] = 1;
    }
    return context == NULL;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return counted.live == 0 ? 0 : -1;
}

static crd_rows plain_rows(void) {
    crd_rows rows = CRD_ROWS_INIT;
    rows.values = by_row;
    rows.rows = ROWS;
    rows.columns = COLUMNS;
    rows.classes = classes;
    rows.names = names;
    rows.class_count = CLASSES;
    return rows;
}

static crd_model *blank(const char *weight) {
    crd_model *model;
    assert_done(crd_model_create_for_rows(context, attributes, COLUMNS, crd_text_of("class"), NULL, &model, &error),
                error);
    if (weight != NULL) assert_done(crd_model_set_weight(model, crd_text_of(weight), &error), error);
    return model;
}

static crd_frame *make_frame(const double *row_weights) {
    crd_frame *frame;
    assert_done(crd_frame_create(context, ROWS, &frame, &error), error);
    for (size_t i = 0; i < COLUMNS; i++)
        assert_done(crd_frame_add_numbers(frame, attributes[i], by_column + i * ROWS, NULL, &error), error);
    assert_done(crd_frame_add_codes(frame, crd_text_of("class"), classes, NULL, names, CLASSES, &error), error);
    if (row_weights != NULL)
        assert_done(crd_frame_add_numbers(frame, crd_text_of("w"), row_weights, NULL, &error), error);
    return frame;
}

static crd_model *model_of_frame(const double *factor) {
    crd_model *model;
    crd_frame *frame = make_frame(factor);
    crd_text target = crd_text_of("class"), weight = crd_text_of("w");
    if (factor == NULL) assert_done(crd_model_create(context, frame, target, NULL, &model, &error), error);
    else assert_done(crd_model_create_weighted(context, frame, target, weight, NULL, &model, &error), error);
    assert_done(crd_model_update(model, frame, &error), error);
    crd_frame_destroy(frame);
    return model;
}

static void expect_same_model(const crd_model *a, const crd_model *b) {
    unsigned char *bytes[2];
    size_t lengths[2];
    assert_done(crd_model_encode(a, &bytes[0], &lengths[0], &error), error);
    assert_done(crd_model_encode(b, &bytes[1], &lengths[1], &error), error);
    assert_int_equal(lengths[0], lengths[1]);
    assert_memory_equal(bytes[0], bytes[1], lengths[0]);
    crd_free(context, bytes[0]);
    crd_free(context, bytes[1]);
}

/* Layout 0: rows, 1: columns, 2: floats in rows. */
static crd_rows in_layout(int layout) {
    crd_rows rows = plain_rows();
    if (layout == 1) rows.values = by_column, rows.column_stride = ROWS;
    if (layout == 2) rows.values = NULL, rows.floats = floats;
    return rows;
}

static void learns_the_same_bytes(void **state) {
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        crd_model *expected = model_of_frame(weighted ? weights : NULL);
        for (int layout = 0; layout < 3; layout++) {
            for (unsigned threads = 1; threads < 5; threads += 3) {
                crd_model *model = blank(weighted ? "w" : NULL), *empty = blank(weighted ? "w" : NULL);
                crd_rows rows = in_layout(layout);
                rows.threads = threads;
                rows.weights = weighted ? weights : NULL;
                assert_done(crd_model_update_rows(model, &rows, &error), error);
                expect_same_model(model, expected);
                assert_done(crd_model_forget_rows(model, &rows, &error), error);
                expect_same_model(model, empty);
                crd_model_destroy(model);
                crd_model_destroy(empty);
            }
        }
        crd_model_destroy(expected);
    }
}

/* A weight that comes later is one that was always there, with ones so far. */
static void weights_come_later(void **state) {
    (void)state;
    crd_model *later = model_of_frame(NULL), *always = model_of_frame(ones);
    assert_done(crd_model_set_weight(later, crd_text_of("w"), &error), error);
    expect_same_model(later, always);
    assert_done(crd_model_set_weight(later, crd_text_of("w"), &error), error);
    crd_frame *frame = make_frame(weights);
    assert_done(crd_model_update(later, frame, &error), error);
    assert_done(crd_model_update(always, frame, &error), error);
    expect_same_model(later, always);
    assert_int_equal(crd_model_set_weight(later, crd_text_of("v"), &error), CRD_ERROR_COLUMN);
    crd_frame_destroy(frame);
    crd_model_destroy(later);
    crd_model_destroy(always);
    crd_model *model = blank(NULL);
    assert_int_equal(crd_model_set_weight(model, crd_text_of("a"), &error), CRD_ERROR_COLUMN);
    assert_int_equal(crd_model_set_weight(model, crd_text_of("class"), &error), CRD_ERROR_COLUMN);
    assert_int_equal(crd_model_set_weight(model, crd_text_of(""), &error), CRD_ERROR_COLUMN);
    crd_model_destroy(model);
}

/* Classes that were declared until they had rows leave no trace. */
static void drops_declared_classes(void **state) {
    (void)state;
    crd_model *declared, *plain;
    for (int declares = 0; declares < 2; declares++) {
        crd_frame *frame = make_frame(NULL);
        if (declares) assert_done(crd_frame_declare_dictionary(frame, COLUMNS, &error), error);
        crd_model **model = declares ? &declared : &plain;
        assert_done(crd_model_create(context, frame, crd_text_of("class"), NULL, model, &error), error);
        assert_done(crd_model_update(*model, frame, &error), error);
        crd_frame_destroy(frame);
    }
    size_t before, after;
    unsigned char *bytes;
    assert_done(crd_model_encode(declared, &bytes, &before, &error), error);
    crd_free(context, bytes);
    assert_done(crd_model_encode(plain, &bytes, &after, &error), error);
    crd_free(context, bytes);
    assert_true(before > after);
    crd_model_drop_declared_classes(declared);
    expect_same_model(declared, plain);
    crd_model_drop_declared_classes(declared); /* nothing is left to drop */
    expect_same_model(declared, plain);
    crd_model_destroy(declared);
    crd_model_destroy(plain);
}

/* Kinds that were declared leave no trace either, but those of columns whose values are declared. */
static void drops_declared_kinds(void **state) {
    (void)state;
    crd_model *declared, *plain;
    static const char rows[] = "x,z,class\n1,u,yes\n2,v,no\n";
    for (int declares = 0; declares < 2; declares++) {
        crd_reader *reader;
        assert_done(crd_reader_open_memory(context, rows, sizeof rows - 1, "rows", NULL, &reader, &error), error);
        assert_done(crd_reader_set_target(reader, 2, &error), error);
        for (size_t column = 0; declares && column < 2; column++)
            assert_done(crd_reader_set_column_type(reader, column,
                                                   column == 0 ? CRD_TYPE_NUMERIC : CRD_TYPE_CATEGORICAL, &error),
                        error);
        assert_done(crd_model_train(context, reader, NULL, declares ? &declared : &plain, NULL, &error), error);
        crd_reader_close(reader);
    }
    for (int again = 0; again < 2; again++) {
        assert_done(crd_model_drop_declared_type(declared, crd_text_of("x"), &error), error);
        assert_done(crd_model_drop_declared_type(declared, crd_text_of("z"), &error), error);
        expect_same_model(declared, plain);
    }
    assert_int_equal(crd_model_drop_declared_type(declared, crd_text_of("class"), &error), CRD_ERROR_COLUMN);
    assert_int_equal(crd_model_drop_declared_type(declared, crd_text_of("w"), &error), CRD_ERROR_COLUMN);
    crd_model_destroy(declared);
    crd_model_destroy(plain);
}

static void refuses_what_does_not_fit(void **state) {
    (void)state;
    crd_model *model = blank(NULL), *weighted = blank("w");
    crd_rows rows = plain_rows();
    assert_int_equal(crd_model_update_rows(weighted, &rows, &error), CRD_ERROR_ARGUMENT);
    rows.weights = weights;
    assert_int_equal(crd_model_update_rows(model, &rows, &error), CRD_ERROR_ARGUMENT);
    assert_string_equal(error.hint, "crd_model_set_weight");
    rows.floats = floats;
    assert_int_equal(crd_model_update_rows(weighted, &rows, &error), CRD_ERROR_ARGUMENT);
    rows.floats = NULL;
    double kept = weights[1234];
    static const double BAD[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        weights[1234] = BAD[i];
        assert_int_equal(crd_model_update_rows(weighted, &rows, &error), CRD_ERROR_WEIGHT);
        assert_int_equal(error.line, 1235);
    }
    weights[1234] = kept;
    rows.values = by_column;
    rows.column_stride = ROWS;
    kept = by_column[2 * ROWS + 77];
    by_column[2 * ROWS + 77] = -INFINITY;
    assert_int_equal(crd_model_update_rows(weighted, &rows, &error), CRD_ERROR_NUMBER);
    assert_int_equal(error.line, 78);
    assert_int_equal(error.field, 3);
    by_column[2 * ROWS + 77] = kept;
    crd_model_destroy(model);
    crd_model_destroy(weighted);
}

/* Many distinct weights and few, of which many rows have the same: neither shows in the sums. */
static void weights_of_any_number(void **state) {
    (void)state;
    static const size_t DISTINCT[] = {1, 2, 20, 64, 65, 200, ROWS};
    double kept[ROWS];
    memcpy(kept, weights, sizeof kept);
    for (size_t i = 0; i < sizeof DISTINCT / sizeof DISTINCT[0]; i++) {
        for (size_t row = 0; row < ROWS; row++) weights[row] = kept[row * 7919 % DISTINCT[i]];
        /* One row at a time goes the plain way. */
        crd_model *expected = blank("w"), *model = blank("w");
        crd_rows rows = plain_rows();
        rows.weights = weights;
        for (size_t row = 0; row < ROWS; row++) {
            crd_rows one = rows;
            one.rows = 1;
            one.values += row * COLUMNS;
            one.classes += row;
            one.weights += row;
            assert_done(crd_model_update_rows(expected, &one, &error), error);
        }
        assert_done(crd_model_update_rows(model, &rows, &error), error);
        expect_same_model(model, expected);
        crd_model_destroy(model);
        crd_model_destroy(expected);
    }
    memcpy(weights, kept, sizeof kept);
}

/* ---- Schemas ---- */

static void schemas_make_models(void **state) {
    (void)state;
    crd_schema *schema, *back;
    crd_model *model;
    const crd_text declared[] = {{"a", 1}, {"never", 5}};
    assert_done(crd_schema_create(context, &schema, &error), error);
    for (size_t i = 0; i < COLUMNS; i++) {
        crd_schema_column column = CRD_SCHEMA_COLUMN_INIT;
        column.name = attributes[i];
        column.type = CRD_TYPE_NUMERIC;
        assert_done(crd_schema_add_column(schema, &column, &error), error);
    }
    crd_schema_column target = CRD_SCHEMA_COLUMN_INIT;
    target.name = crd_text_of("class");
    target.role = CRD_ROLE_TARGET;
    target.values = declared;
    target.value_count = 2;
    assert_int_equal(crd_model_create_from_schema(context, schema, NULL, &model, &error), CRD_ERROR_ARGUMENT);
    assert_null(model);
    assert_done(crd_schema_add_column(schema, &target, &error), error);
    assert_done(crd_model_create_from_schema(context, schema, NULL, &model, &error), error);
    assert_done(crd_schema_from_model(model, 0, &back, &error), error);
    assert_true(crd_i_schema_equal(schema, back));
    crd_schema_destroy(back);
    crd_rows rows = plain_rows();
    assert_done(crd_model_update_rows(model, &rows, &error), error);
    crd_summary *summary;
    assert_done(crd_summary_create(model, &summary, &error), error);
    assert_int_equal(summary->class_count, 4);
    crd_summary_destroy(summary);
    assert_done(crd_schema_from_model(model, 1, &back, &error), error);
    assert_int_equal(crd_schema_value_count(back, COLUMNS), 4);
    crd_schema_destroy(back);
    crd_schema_destroy(schema);
    crd_model_destroy(model);
}

/* ---- Classifying ---- */

static void classifies_the_same_bits(void **state) {
    (void)state;
    crd_model *model = model_of_frame(NULL);
    crd_classifier *classifier;
    static double expected[ROWS * CLASSES], posteriors[ROWS * CLASSES];
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    crd_rows rows = CRD_ROWS_INIT;
    crd_results results = CRD_RESULTS_INIT;
    rows.values = by_row;
    rows.rows = results.rows = ROWS;
    rows.columns = crd_classifier_attribute_count(classifier);
    results.probabilities = expected;
    assert_done(crd_classifier_classify_rows(classifier, &rows, &results, &error), error);
    results.probabilities = posteriors;
    rows.values = by_column;
    rows.column_stride = ROWS;
    assert_done(crd_classifier_classify_rows(classifier, &rows, &results, &error), error);
    assert_memory_equal(posteriors, expected, sizeof posteriors);
    memset(posteriors, 0, sizeof posteriors);
    rows.values = NULL;
    rows.column_stride = 0;
    assert_int_equal(crd_classifier_classify_rows(classifier, &rows, &results, &error), CRD_ERROR_ARGUMENT);
    rows.floats = floats;
    assert_done(crd_classifier_classify_rows(classifier, &rows, &results, &error), error);
    assert_memory_equal(posteriors, expected, sizeof posteriors);
    float kept = floats[9];
    floats[9] = INFINITY;
    assert_int_equal(crd_classifier_classify_rows(classifier, &rows, &results, &error), CRD_ERROR_NUMBER);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.field, 5);
    floats[9] = kept;
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

/* ---- Failing memory ---- */

static void fails_without_leaks(void **state) {
    (void)state;
    crd_model *model = blank("w"), *same = blank("w");
    crd_rows rows = in_layout(1);
    rows.weights = weights;
    rows.rows = 40;
    rows.threads = 1;
    for (size_t index = 1;; index++) {
        counted.calls = 0;
        counted.fail_at = index;
        crd_status status = crd_model_update_rows(model, &rows, &error);
        bool reached = counted.calls >= index;
        counted.fail_at = 0;
        assert_int_equal(status, reached ? CRD_ERROR_MEMORY : CRD_OK);
        if (!reached) break;
        expect_same_model(model, same);
    }
    crd_model_destroy(model);
    crd_model_destroy(same);
}

int main(void) {
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(learns_the_same_bytes), IN_CONTEXT(weights_come_later),     IN_CONTEXT(refuses_what_does_not_fit),
        IN_CONTEXT(weights_of_any_number), IN_CONTEXT(schemas_make_models),    IN_CONTEXT(classifies_the_same_bits),
        IN_CONTEXT(fails_without_leaks),   IN_CONTEXT(drops_declared_classes), IN_CONTEXT(drops_declared_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
