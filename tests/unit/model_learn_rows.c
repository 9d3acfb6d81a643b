/* SPDX-License-Identifier: MIT */
/* Learning from rows of numbers in memory: the bytes of learning from frames, whatever the threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sanitizer_support.h"
#include "stats/joint_tally.h"
#include "unit/math_random.h"

#include <credence/all.h>

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fails the allocation of this number; 0: none. */
static atomic_size_t calls, fail_at;

static void *resize(void *user, void *block, size_t bytes) {
    (void)user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return atomic_fetch_add(&calls, 1) + 1 == fail_at ? NULL : realloc(block, bytes);
}

static crd_context *context;

static int set_up(void **state) {
    (void)state;
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = resize;
    return crd_context_create(&options, &context) != CRD_OK;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return 0;
}

/* ---- Tables, and models of them ---- */

enum { MOST_NAMES = 1000 };

static crd_text name_of(char letter, size_t i) {
    static char names[2][MOST_NAMES][24];
    char *name = names[letter == 'x'][i];
    snprintf(name, sizeof names[0][0], "%c%zu", letter, i);
    return crd_text_of(name);
}

typedef struct table {
    double *values, *by_column;
    int32_t *classes;
    crd_text names[MOST_NAMES], attributes[MOST_NAMES];
    crd_rows rows;
} table;

static double draw(unsigned kind) {
    double x = (double)random_below(1 << 30) / (1 << 28) * 1.1 - 2.2;
    switch (kind) {
    case 0: return x * 1e300;
    case 1: return 1e12 + x;
    case 2: return from_bits(random_bits() & UINT64_C(0x800fffffffffffff));
    case 3: return random_below(3) == 0 ? NAN : floor(x);
    default: return random_below(40) == 0 ? NAN : x;
    }
}

static table *table_create(size_t rows, size_t columns, size_t classes, size_t stride) {
    table *new_table = calloc(1, sizeof *new_table);
    assert_non_null(new_table);
    new_table->values = malloc((rows * stride + 1) * sizeof(double));
    new_table->by_column = malloc((rows * columns + 1) * sizeof(double));
    new_table->classes = malloc((rows + 1) * sizeof(int32_t));
    assert_true(new_table->values != NULL && new_table->by_column != NULL && new_table->classes != NULL);
    /* What lies between rows is nobody's business. */
    for (size_t i = 0; i < rows * stride; i++) new_table->values[i] = INFINITY;
    for (size_t row = 0; row < rows; row++)
        new_table->classes[row] = (int32_t)random_below(classes + classes / 8 + 1) - 1;
    for (size_t row = 0; row < rows; row++)
        if (new_table->classes[row] >= (int32_t)classes) new_table->classes[row] = -7;
    for (size_t column = 0; column < columns; column++) {
        unsigned kind = (unsigned)random_below(8);
        for (size_t row = 0; row < rows; row++)
            new_table->values[row * stride + column] = new_table->by_column[column * rows + row] = draw(kind);
        new_table->attributes[column] = name_of('x', column);
    }
    for (size_t i = 0; i < classes; i++) new_table->names[i] = name_of('k', i);
    const crd_rows fresh = CRD_ROWS_INIT;
    new_table->rows = fresh;
    new_table->rows.values = new_table->values;
    new_table->rows.rows = rows;
    new_table->rows.columns = columns;
    new_table->rows.stride = stride;
    new_table->rows.classes = new_table->classes;
    new_table->rows.names = new_table->names;
    new_table->rows.class_count = classes;
    return new_table;
}

static void table_destroy(table *new_table) {
    free(new_table->values);
    free(new_table->by_column);
    free(new_table->classes);
    free(new_table);
}

static crd_frame *frame_of(const table *source_table) {
    crd_frame *frame;
    assert_int_equal(crd_frame_create(context, source_table->rows.rows, &frame, NULL), CRD_OK);
    for (size_t column = 0; column < source_table->rows.columns; column++)
        assert_int_equal(crd_frame_add_numbers(frame, source_table->attributes[column],
                                               source_table->by_column + column * source_table->rows.rows, NULL, NULL),
                         CRD_OK);
    assert_int_equal(crd_frame_add_codes(frame, crd_text_of("class"), source_table->classes, NULL, source_table->names,
                                         source_table->rows.class_count, NULL),
                     CRD_OK);
    return frame;
}

/* Everything that can be kept of attributes together, where that is not too much: some rows are more than a chunk. */
static void keep(const table *like, crd_model *model) {
    if (like->rows.columns > 13 || like->rows.rows > 5000) return;
    for (size_t i = 0; i < crd_i_joint_tally_type_count(); i++)
        assert_int_equal(crd_model_keep(model, crd_text_of(crd_i_joint_tally_type_at(i)->name), NULL), CRD_OK);
}

static crd_model *blank(const table *like) {
    crd_model *model;
    assert_int_equal(crd_model_create_for_rows(context, like->attributes, like->rows.columns, crd_text_of("class"),
                                               NULL, &model, NULL),
                     CRD_OK);
    keep(like, model);
    return model;
}

typedef struct rows_encoding {
    unsigned char *bytes;
    size_t length;
} rows_encoding;

static rows_encoding encode(const crd_model *model) {
    rows_encoding encoding;
    assert_int_equal(crd_model_encode(model, &encoding.bytes, &encoding.length, NULL), CRD_OK);
    return encoding;
}

static void assert_bytes(const crd_model *model, rows_encoding wanted) {
    rows_encoding encoding = encode(model);
    assert_int_equal(encoding.length, wanted.length);
    assert_memory_equal(encoding.bytes, wanted.bytes, encoding.length);
    crd_free(context, encoding.bytes);
}

/* ---- Tests ---- */

/* The model that rows make and the one that frames make begin, and end, with the same bytes. */
static void as_from_frames(void **state) {
    (void)state;
    static const size_t shapes[][4] = {{0, 3, 2, 3},       {1, 1, 1, 1},       {50, 20, 5, 20},
                                       {300, 7, 2, 9},     {5000, 13, 3, 13},  {9000, 20, 5, 24},
                                       {20000, 8, 200, 8}, {700, 300, 4, 300}, {40, 0, 3, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        table *new_table = table_create(shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]);
        crd_frame *frame = frame_of(new_table);
        crd_model *wanted;
        assert_int_equal(crd_model_create(context, frame, crd_text_of("class"), NULL, &wanted, NULL), CRD_OK);
        keep(new_table, wanted);
        crd_model *empty = blank(new_table);
        rows_encoding nothing = encode(wanted);
        assert_bytes(empty, nothing);
        assert_int_equal(crd_model_update(wanted, frame, NULL), CRD_OK);
        rows_encoding bytes = encode(wanted);
        for (unsigned threads = 0; threads <= 8; threads += IS_THREAD_SANITIZED ? 4 : 1) {
            crd_model *model = blank(new_table);
            new_table->rows.threads = threads;
            assert_int_equal(crd_model_update_rows(model, &new_table->rows, NULL), CRD_OK);
            assert_bytes(model, bytes);
            assert_int_equal(crd_model_forget_rows(model, &new_table->rows, NULL), CRD_OK);
            assert_bytes(model, nothing);
            crd_model_destroy(model);
        }
        crd_free(context, bytes.bytes);
        crd_free(context, nothing.bytes);
        crd_model_destroy(empty);
        crd_model_destroy(wanted);
        crd_frame_destroy(frame);
        table_destroy(new_table);
    }
}

/* Rows in parts of any size, mixed with a frame, give what all at once gives. */
static void in_parts(void **state) {
    (void)state;
    table *new_table = table_create(6000, 10, 6, 10);
    crd_model *whole = blank(new_table), *parts = blank(new_table);
    crd_frame *frame = frame_of(new_table);
    assert_int_equal(crd_model_update_rows(whole, &new_table->rows, NULL), CRD_OK);
    assert_int_equal(crd_model_update_rows(whole, &new_table->rows, NULL), CRD_OK);
    assert_int_equal(crd_model_update(parts, frame, NULL), CRD_OK);
    for (size_t begin = 0, end; begin < 6000; begin = end) {
        crd_rows part = new_table->rows;
        end = begin + 1 + random_below(begin % 2 == 0 ? 5 : 1500);
        if (end > 6000) end = 6000;
        part.values += begin * 10;
        part.classes += begin;
        part.rows = end - begin;
        part.stride = 0;
        assert_int_equal(crd_model_update_rows(parts, &part, NULL), CRD_OK);
    }
    rows_encoding bytes = encode(whole);
    assert_bytes(parts, bytes);
    crd_free(context, bytes.bytes);
    crd_frame_destroy(frame);
    crd_model_destroy(whole);
    crd_model_destroy(parts);
    table_destroy(new_table);
}

/* The first infinity in the order of rows is named, and nothing has changed. */
static void infinity_is_refused(void **state) {
    (void)state;
    table *new_table = table_create(20000, 20, 3, 21);
    crd_model *model = blank(new_table);
    assert_int_equal(crd_model_update_rows(model, &new_table->rows, NULL), CRD_OK);
    rows_encoding before = encode(model);
    for (unsigned threads = 1; threads < 5; threads++) {
        crd_error error;
        new_table->rows.threads = threads;
        new_table->values[7000 * 21 + 3] = INFINITY;
        new_table->values[6999 * 21 + 19] = -INFINITY;
        new_table->values[19999 * 21] = INFINITY;
        assert_int_equal(crd_model_update_rows(model, &new_table->rows, &error), CRD_ERROR_NUMBER);
        assert_string_equal(error.message, "the value of column 'x19' is infinite: numbers must be finite");
        assert_string_equal(error.subject, "x19");
        assert_int_equal(error.line, 7000);
        assert_int_equal(error.field, 20);
        assert_bytes(model, before);
    }
    crd_free(context, before.bytes);
    crd_model_destroy(model);
    table_destroy(new_table);
}

static void assert_refused(crd_model *model, const crd_rows *rows, crd_status status, const char *message) {
    rows_encoding before = encode(model);
    crd_error error;
    assert_int_equal(crd_model_update_rows(model, rows, &error), status);
    assert_string_equal(error.message, message);
    assert_bytes(model, before);
    crd_free(context, before.bytes);
}

static void what_is_wrong(void **state) {
    (void)state;
    table *new_table = table_create(5000, 3, 3, 3);
    crd_model *model = blank(new_table);
    assert_int_equal(crd_model_update_rows(model, &new_table->rows, NULL), CRD_OK);
    crd_rows rows = new_table->rows;
    rows.columns = 2;
    assert_refused(model, &rows, CRD_ERROR_ARGUMENT, "the rows have 2 columns, but the model has 3 attributes");
    rows = new_table->rows;
    rows.stride = 2;
    assert_refused(model, &rows, CRD_ERROR_ARGUMENT, "the stride of rows with 3 columns is only 2");
    rows = new_table->rows;
    rows.classes = NULL;
    assert_refused(model, &rows, CRD_ERROR_ARGUMENT, "the rows have no values, or no classes");
    rows = new_table->rows;
    rows.size = 0;
    assert_refused(model, &rows, CRD_ERROR_ARGUMENT, "the rows are not initialized");
    new_table->classes[4711] = 3;
    assert_refused(model, &new_table->rows, CRD_ERROR_ARGUMENT, "row 4712 has a class without a name");
    new_table->classes[4711] = 2;
    new_table->names[2] = new_table->names[0];
    assert_refused(model, &new_table->rows, CRD_ERROR_ARGUMENT, "class 'k0' occurs twice among the names");
    const crd_text nul = {"a\0b", 3};
    new_table->names[2] = nul;
    assert_refused(model, &new_table->rows, CRD_ERROR_ARGUMENT, "class 'a\\x00b' has a NUL byte");
    /* Rows that were never learned. */
    new_table->names[2] = name_of('k', 2);
    new_table->values[0] += 1;
    new_table->classes[0] = 0;
    assert_int_equal(crd_model_forget_rows(model, &new_table->rows, NULL), CRD_ERROR_NOT_LEARNED);
    crd_model_destroy(model);
    table_destroy(new_table);
}

/* Where the model has categories, or weighs its rows. */
static void other_models(void **state) {
    (void)state;
    table *new_table = table_create(10, 2, 2, 2);
    crd_frame *like;
    static const int32_t codes[10] = {0};
    assert_int_equal(crd_frame_create(context, 10, &like, NULL), CRD_OK);
    assert_int_equal(crd_frame_add_codes(like, crd_text_of("x0"), codes, NULL, new_table->names, 2, NULL), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(like, crd_text_of("x1"), new_table->values, NULL, NULL), CRD_OK);
    assert_int_equal(crd_frame_add_codes(like, crd_text_of("class"), codes, NULL, new_table->names, 2, NULL), CRD_OK);
    assert_int_equal(crd_frame_add_numbers(like, crd_text_of("w"), new_table->values, NULL, NULL), CRD_OK);
    crd_model *model;
    assert_int_equal(
        crd_model_create_weighted(context, like, crd_text_of("class"), crd_text_of("w"), NULL, &model, NULL), CRD_OK);
    assert_refused(model, &new_table->rows, CRD_ERROR_ARGUMENT, "the model needs row weights, but the rows have none");
    crd_model_destroy(model);
    assert_int_equal(crd_model_create(context, like, crd_text_of("class"), NULL, &model, NULL), CRD_OK);
    new_table->rows.columns = 3;
    new_table->rows.rows = 3;
    new_table->rows.stride = 0;
    assert_refused(model, &new_table->rows, CRD_ERROR_SCHEMA_DIFFERS,
                   "column 'x0' has numbers, but the model has categories");
    crd_model_destroy(model);
    crd_frame_destroy(like);
    table_destroy(new_table);
}

/* Each allocation fails in turn, on any of the threads: the model stays as it was, or all is learned. */
static void failing_allocations(table *new_table) {
    crd_model *model = blank(new_table);
    rows_encoding before = encode(model);
    for (unsigned threads = 1; threads < 3; threads++) {
        new_table->rows.threads = threads;
        crd_status status = CRD_ERROR_MEMORY;
        for (size_t i = 1; status != CRD_OK; i++) {
            calls = 0;
            fail_at = i;
            status = crd_model_update_rows(model, &new_table->rows, NULL);
            bool reached = calls >= i;
            fail_at = 0;
            /* Without memory for a thread pool there is a thread pool of one. */
            if (status == CRD_OK && reached) {
                assert_int_equal(crd_model_forget_rows(model, &new_table->rows, NULL), CRD_OK);
                status = CRD_ERROR_MEMORY;
            }
            if (status == CRD_OK) break;
            assert_int_equal(status, CRD_ERROR_MEMORY);
            assert_bytes(model, before);
        }
        assert_int_equal(crd_model_forget_rows(model, &new_table->rows, NULL), CRD_OK);
    }
    crd_free(context, before.bytes);
    crd_model_destroy(model);
    table_destroy(new_table);
}

static void out_of_memory(void **state) {
    (void)state;
    if (!IS_THREAD_SANITIZED) failing_allocations(table_create(9000, 9, 4, 9));
    failing_allocations(table_create(20, 3, 2, 3)); /* which keeps more */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_from_frames), cmocka_unit_test(in_parts),     cmocka_unit_test(infinity_is_refused),
        cmocka_unit_test(what_is_wrong),  cmocka_unit_test(other_models), cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
