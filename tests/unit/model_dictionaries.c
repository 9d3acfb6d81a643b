/* SPDX-License-Identifier: MIT */
/* model_dictionaries.c - values that a dictionary has and no row: left out, unless they are declared; then known to
 * every model, whichever way the rows come in, in any order. */
#include "../model_support.h"

#include "table/formats/arrow_column.h"

#include "counted_fixture.h"

/* ---- Rows: a category k and the target y, both as codes of dictionaries ---- */

enum { ROWS = 4, MOST_VALUES = 4 };

typedef struct dictionaries_code {
    const char *values[MOST_VALUES];
    int32_t codes[ROWS]; /* negative: missing */
} dictionaries_code;

typedef struct part {
    dictionaries_code k, y;
} part;

/* The same values in other orders, and others that no row has. */
static const part FIRST = {{{"a", "b", "zz"}, {0, 1, 0, -1}}, {{"p", "q", "never"}, {0, 1, 1, 0}}};
static const part SECOND = {{{"yy", "b", "a"}, {2, 2, 1, 1}}, {{"q", "nowhere", "p"}, {0, 2, 0, 2}}};

static size_t count_values(const dictionaries_code *code) {
    size_t count = 0;
    while (count < MOST_VALUES && code->values[count] != NULL) count++;
    return count;
}

static crd_error error;

/* ---- As frames ---- */

static crd_status add_codes(crd_frame *frame, const char *name, const dictionaries_code *code) {
    crd_text values[MOST_VALUES];
    size_t count = count_values(code);
    for (size_t i = 0; i < count; i++) values[i] = crd_text_of(code->values[i]);
    return crd_frame_add_codes(frame, crd_text_of(name), code->codes, NULL, values, count, &error);
}

static crd_status make_frame(const part *source_part, bool declares, crd_frame **out) {
    crd_status status = crd_frame_create(context, ROWS, out, &error);
    if (status == CRD_OK) status = add_codes(*out, "k", &source_part->k);
    if (status == CRD_OK) status = add_codes(*out, "y", &source_part->y);
    for (size_t i = 0; declares && i < 2 && status == CRD_OK; i++)
        status = crd_frame_declare_dictionary(*out, i, &error);
    return status;
}

static void add_texts(crd_frame *frame, const char *name, const dictionaries_code *code) {
    crd_text texts[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        texts[i] = code->codes[i] < 0 ? (crd_text){NULL, 0} : crd_text_of(code->values[code->codes[i]]);
    assert_done(crd_frame_add_texts(frame, crd_text_of(name), texts, &error), error);
}

/* ---- As record batches of Arrow ---- */

typedef struct arrow_column {
    struct ArrowSchema schema, value_schema;
    struct ArrowArray array, value_array;
    const void *buffers[2], *value_buffers[3];
    uint8_t validity;
    int32_t offsets[MOST_VALUES + 1];
    char bytes[64];
} arrow_column;

typedef struct arrow_batch {
    arrow_column columns[2];
    struct ArrowSchema schema, *child_schemas[2];
    struct ArrowArray array, *child_arrays[2];
    const void *buffers[1];
} arrow_batch;

static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
    array->release = NULL;
}

static void fill_column(arrow_column *column, const char *name, const dictionaries_code *code) {
    size_t count = count_values(code);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(code->values[i]);
        memcpy(column->bytes + column->offsets[i], code->values[i], length);
        column->offsets[i + 1] = column->offsets[i] + (int32_t)length;
    }
    for (size_t i = 0; i < ROWS; i++) column->validity = (uint8_t)(column->validity | (code->codes[i] >= 0) << i);
    column->buffers[0] = &column->validity;
    column->buffers[1] = code->codes;
    column->value_buffers[1] = column->offsets;
    column->value_buffers[2] = column->bytes;
    column->value_schema = (struct ArrowSchema){.format = "u", .release = release_schema};
    column->value_array = (struct ArrowArray){
        .length = (int64_t)count, .n_buffers = 3, .buffers = column->value_buffers, .release = release_array};
    column->schema = (struct ArrowSchema){
        .format = "i", .name = name, .dictionary = &column->value_schema, .release = release_schema};
    column->array = (struct ArrowArray){.length = ROWS,
                                        .null_count = -1,
                                        .n_buffers = 2,
                                        .buffers = column->buffers,
                                        .dictionary = &column->value_array,
                                        .release = release_array};
}

static void fill_batch(arrow_batch *arrow, const part *source_part) {
    memset(arrow, 0, sizeof *arrow);
    fill_column(&arrow->columns[0], "k", &source_part->k);
    fill_column(&arrow->columns[1], "y", &source_part->y);
    for (size_t i = 0; i < 2; i++) {
        arrow->child_schemas[i] = &arrow->columns[i].schema;
        arrow->child_arrays[i] = &arrow->columns[i].array;
    }
    arrow->schema = (struct ArrowSchema){
        .format = "+s", .n_children = 2, .children = arrow->child_schemas, .release = release_schema};
    arrow->array = (struct ArrowArray){.length = ROWS,
                                       .n_buffers = 1,
                                       .buffers = arrow->buffers,
                                       .n_children = 2,
                                       .children = arrow->child_arrays,
                                       .release = release_array};
}

typedef struct batch_stream {
    struct ArrowArrayStream stream;
    arrow_batch batches[2];
    size_t count, given;
} batch_stream;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    *out = ((batch_stream *)stream->private_data)->batches[0].schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    batch_stream *source_stream = stream->private_data;
    out->release = NULL;
    if (source_stream->given < source_stream->count) *out = source_stream->batches[source_stream->given++].array;
    return 0;
}

static void release_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

static crd_status open_stream(batch_stream *target_stream, const part *const *parts, size_t count,
                              const crd_reader_options *options, crd_reader **out) {
    memset(target_stream, 0, sizeof *target_stream);
    target_stream->count = count;
    for (size_t i = 0; i < count; i++) fill_batch(&target_stream->batches[i], parts[i]);
    target_stream->stream = (struct ArrowArrayStream){get_schema, get_next, NULL, release_stream, target_stream};
    return crd_reader_open_arrow(context, &target_stream->stream, NULL, options, out, &error);
}

/* ---- Models ---- */

static crd_status learn_frame(const crd_frame *frame, crd_model **out) {
    crd_status status = crd_model_create(context, frame, crd_text_of("y"), NULL, out, &error);
    return status == CRD_OK ? crd_model_update(*out, frame, &error) : status;
}

static crd_status learn_reader(crd_reader *reader, crd_model **out) {
    crd_status status = crd_reader_set_target(reader, 1, &error);
    if (status == CRD_OK) status = crd_model_train(context, reader, NULL, out, NULL, &error);
    crd_reader_close(reader);
    return status;
}

static crd_model *model_of_part(const part *source_part, bool declares) {
    crd_frame *frame = NULL;
    crd_model *model = NULL;
    assert_done(make_frame(source_part, declares, &frame), error);
    assert_done(learn_frame(frame, &model), error);
    crd_frame_destroy(frame);
    return model;
}

static crd_model *model_of_frames(const part *const *parts, size_t count, bool declares) {
    crd_frame *frames[2] = {NULL, NULL};
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    for (size_t i = 0; i < count; i++) assert_done(make_frame(parts[i], declares, &frames[i]), error);
    const crd_frame *const all[2] = {frames[0], frames[1]};
    assert_done(crd_reader_open_frames(context, all, count, NULL, NULL, &reader, &error), error);
    assert_done(learn_reader(reader, &model), error);
    for (size_t i = 0; i < count; i++) crd_frame_destroy(frames[i]);
    return model;
}

static crd_model *model_of_stream(const part *const *parts, size_t count, bool declares) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    batch_stream stream;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    options.declare_dictionaries = declares;
    assert_done(open_stream(&stream, parts, count, &options, &reader), error);
    assert_done(learn_reader(reader, &model), error);
    return model;
}

static crd_model *model_of_arrow(const part *source_part, bool declares) {
    arrow_batch batch;
    crd_frame *frame = NULL;
    crd_model *model = NULL;
    fill_batch(&batch, source_part);
    assert_done(crd_frame_borrow_arrow(context, &batch.schema, &batch.array, &frame, &error), error);
    for (size_t i = 0; declares && i < 2; i++) assert_done(crd_frame_declare_dictionary(frame, i, &error), error);
    assert_done(learn_frame(frame, &model), error);
    crd_frame_destroy(frame);
    return model;
}

/* The names of the classes and of the values of k, in the order that a model gives them. */
static void expect_known(const crd_model *model, const char *classes, const char *values) {
    crd_summary *summary = NULL;
    char lists[2][64] = {"", ""};
    assert_done(crd_summary_create(model, &summary, &error), error);
    for (size_t i = 0; i < summary->class_count; i++) {
        crd_text text = summary->classes[i].name;
        size_t used = strlen(lists[0]);
        snprintf(lists[0] + used, sizeof lists[0] - used, "%.*s ", (int)text.length, text.bytes);
    }
    for (size_t i = 0; i < summary->attributes[0].value_count; i++) {
        crd_text text = crd_summary_value(summary, 0, i);
        size_t used = strlen(lists[1]);
        snprintf(lists[1] + used, sizeof lists[1] - used, "%.*s ", (int)text.length, text.bytes);
    }
    crd_summary_destroy(summary);
    assert_string_equal(lists[0], classes);
    assert_string_equal(lists[1], values);
}

/* Whether both have the same bytes; destroys the second. */
static void expect_same(const crd_model *model, crd_model *other) {
    unsigned char *a = NULL, *b = NULL;
    size_t a_length = 0, b_length = 0;
    assert_done(crd_model_encode(model, &a, &a_length, &error), error);
    assert_done(crd_model_encode(other, &b, &b_length, &error), error);
    assert_int_equal(a_length, b_length);
    assert_memory_equal(a, b, a_length);
    crd_free(context, a);
    crd_free(context, b);
    crd_model_destroy(other);
}

/* ---- Tests ---- */

static void nothing_is_declared_unasked(void **state) {
    (void)state;
    const part *const parts[] = {&FIRST};
    crd_frame *frame = NULL;
    crd_model *model = NULL;
    assert_done(crd_frame_create(context, ROWS, &frame, &error), error);
    add_texts(frame, "k", &FIRST.k);
    add_texts(frame, "y", &FIRST.y);
    assert_done(learn_frame(frame, &model), error);
    crd_frame_destroy(frame);
    expect_known(model, "p q ", "a b ");
    expect_same(model, model_of_part(&FIRST, false));
    expect_same(model, model_of_arrow(&FIRST, false));
    expect_same(model, model_of_frames(parts, 1, false));
    expect_same(model, model_of_stream(parts, 1, false));
    crd_model_destroy(model);
}

static void declared_values_are_known_whichever_way_rows_come(void **state) {
    (void)state;
    const part *const parts[] = {&FIRST};
    crd_model *model = model_of_part(&FIRST, true);
    expect_known(model, "never p q ", "a b zz ");
    expect_same(model, model_of_arrow(&FIRST, true));
    expect_same(model, model_of_frames(parts, 1, true));
    expect_same(model, model_of_stream(parts, 1, true));
    crd_model_destroy(model);
}

/* A class without rows has its place in every answer, and a value without rows is not unseen. */
static void classifiers_know_declared_classes(void **state) {
    (void)state;
    crd_model *model = model_of_part(&FIRST, true);
    crd_classifier *classifier = classifier_with(model, context, WITH("smoothing", "laplace:1", "prior", "laplace:1"));
    const crd_value row[] = {text_value("zz")};
    double posterior[3];
    crd_answer answer;
    assert_int_equal(crd_classifier_class_count(classifier), 3);
    assert_done(crd_classifier_posterior(classifier, row, posterior, NULL, &answer, &error), error);
    assert_int_equal(answer.unseen, 0);
    /* Priors 1/7, 3/7, 3/7; P(zz | class) 1/3, 1/4 (one row of p has a k), 1/5. */
    assert_near(exp(posterior[0]), (1 / 3.) / (1 / 3. + 3 / 4. + 3 / 5.), 1e-15);
    assert_near(exp(posterior[1]), (3 / 4.) / (1 / 3. + 3 / 4. + 3 / 5.), 1e-15);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

/* Frames, batches and models in any order, whose dictionaries have other orders and other unused values. */
static void declared_values_do_not_depend_on_order(void **state) {
    (void)state;
    const part *const forwards[] = {&FIRST, &SECOND}, *const backwards[] = {&SECOND, &FIRST};
    crd_model *model = model_of_frames(forwards, 2, true);
    expect_known(model, "never nowhere p q ", "a b yy zz ");
    expect_same(model, model_of_frames(backwards, 2, true));
    expect_same(model, model_of_stream(forwards, 2, true));
    expect_same(model, model_of_stream(backwards, 2, true));
    for (size_t i = 0; i < 2; i++) {
        crd_model *sum = model_of_part(i == 0 ? &FIRST : &SECOND, true);
        crd_model *other = model_of_arrow(i == 0 ? &SECOND : &FIRST, true);
        assert_done(crd_model_merge(sum, other, &error), error);
        crd_model_destroy(other);
        expect_same(model, sum);
    }
    crd_model_destroy(model);
}

static void declared_values_outlive_their_rows(void **state) {
    (void)state;
    crd_frame *frame = NULL;
    crd_model *model = model_of_part(&FIRST, true);
    assert_done(make_frame(&FIRST, false, &frame), error);
    assert_done(crd_model_forget(model, frame, &error), error);
    crd_frame_destroy(frame);
    expect_known(model, "never p q ", "a b zz ");
    crd_model_destroy(model);
}

/* What means missing is no value, and more values than are allowed are too many, though no row has them. */
static void options_hold_for_declared_values(void **state) {
    (void)state;
    const part *const parts[] = {&FIRST};
    const crd_text missing[] = {crd_text_of("zz"), crd_text_of("never")};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    batch_stream stream;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    options.declare_dictionaries = 1;
    options.missing = missing;
    options.missing_count = 2;
    assert_done(open_stream(&stream, parts, 1, &options, &reader), error);
    assert_done(learn_reader(reader, &model), error);
    expect_known(model, "p q ", "a b ");
    crd_model_destroy(model);

    options.missing = NULL;
    options.max_categories = 2;
    assert_int_equal(open_stream(&stream, parts, 1, &options, &reader), CRD_ERROR_LIMIT);
    assert_string_equal(error.subject, "k");
    crd_frame *frame = NULL;
    assert_done(make_frame(&FIRST, true, &frame), error);
    const crd_frame *const frames[] = {frame};
    assert_int_equal(crd_reader_open_frames(context, frames, 1, NULL, &options, &reader, &error), CRD_ERROR_LIMIT);
    assert_string_equal(error.subject, "k");
    crd_frame_destroy(frame);
}

static void what_has_no_dictionary_is_refused(void **state) {
    (void)state;
    static const double numbers[ROWS] = {1, 2, 3, 4};
    crd_frame *frame = NULL;
    assert_done(make_frame(&FIRST, false, &frame), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("n"), numbers, NULL, &error), error);
    assert_int_equal(crd_frame_declare_dictionary(frame, 2, &error), CRD_ERROR_ARGUMENT);
    assert_string_equal(error.subject, "n");
    assert_int_equal(crd_frame_declare_dictionary(frame, 3, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_frame_declare_dictionary(NULL, 0, &error), CRD_ERROR_ARGUMENT);
    crd_frame_destroy(frame);

    arrow_batch batch;
    fill_batch(&batch, &FIRST);
    batch.columns[0].bytes[2] = '\0'; /* zz */
    assert_done(crd_frame_borrow_arrow(context, &batch.schema, &batch.array, &frame, &error), error);
    assert_int_equal(crd_frame_declare_dictionary(frame, 0, &error), CRD_ERROR_ARGUMENT);
    assert_string_equal(error.message, "column 'k' has a NUL byte");
    crd_frame_destroy(frame);
}

/* Every allocation fails once. */
static void declaring_without_memory(void **state) {
    (void)state;
    const part *const parts[] = {&FIRST, &SECOND};
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.declare_dictionaries = 1;
    options.threads = 1;
    for (size_t fail = 1;; fail++) {
        crd_frame *frame = NULL;
        crd_reader *reader = NULL;
        crd_model *model = NULL;
        batch_stream stream;
        counted.fail_at = counted.calls + fail;
        crd_status status = make_frame(&FIRST, true, &frame);
        if (status == CRD_OK) {
            const crd_frame *const frames[] = {frame};
            status = crd_reader_open_frames(context, frames, 1, NULL, &options, &reader, &error);
            if (status == CRD_OK) status = learn_reader(reader, &model);
        }
        crd_model_destroy(model);
        crd_frame_destroy(frame);
        model = NULL;
        if (status == CRD_OK) status = open_stream(&stream, parts, 2, &options, &reader);
        if (status == CRD_OK) status = learn_reader(reader, &model);
        crd_model_destroy(model);
        bool has_failed = counted.calls >= counted.fail_at;
        counted.fail_at = 0;
        assert_int_equal(status, has_failed ? CRD_ERROR_MEMORY : CRD_OK);
        if (!has_failed) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_declared_unasked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(declared_values_are_known_whichever_way_rows_come, set_up, tear_down),
        cmocka_unit_test_setup_teardown(classifiers_know_declared_classes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(declared_values_do_not_depend_on_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(declared_values_outlive_their_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(options_hold_for_declared_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_has_no_dictionary_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(declaring_without_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("model_dictionaries", tests, NULL, NULL);
}
