/* SPDX-License-Identifier: MIT */
/* Columns learned and classified on any number of threads: the bytes and bits of one row after the other, whether rows
 * come from a text, frames or an Arrow stream. */
#include "model_support.h"

#include "table/formats/arrow_column.h"

enum { ROWS = 9000, NUMBERS = 3 };

static allocations counted;
static crd_context *context;
static crd_error error;

/* ---- A table in three forms ---- */

static double numbers[NUMBERS][ROWS];
static int32_t codes[ROWS], classes[ROWS];
static int64_t class_numbers[ROWS];
static uint8_t validity[ROWS / 8 + 1];
static const crd_text WORDS[] = {{"red", 3}, {"green", 5}, {"blue", 4}}, CLASSES[] = {{"0", 1}, {"1", 1}, {"20", 2}};
static const int64_t CLASS_NUMBERS[] = {0, 1, 20};
static char *text;
static size_t text_length;

static void make_table(void) {
    uint64_t state = 7;
    text = malloc(ROWS * 120);
    assert_non_null(text);
    text_length = (size_t)sprintf(text, "x,y,z,color,class\n");
    memset(validity, 0, sizeof validity);
    for (size_t row = 0; row < ROWS; row++) {
        for (int i = 0; i < NUMBERS; i++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            numbers[i][row] = (double)(state >> 40) / 4096 - 1000;
        }
        codes[row] = (int32_t)(state >> 33) % 4 - 1;
        classes[row] = (int32_t)(state >> 13) % 3;
        if (classes[row] < 0) classes[row] = 0;
        if (codes[row] < -1) codes[row] = -1;
        class_numbers[row] = CLASS_NUMBERS[classes[row]];
        bool is_present = state % 11 != 0;
        validity[row / 8] = (uint8_t)(validity[row / 8] | is_present << row % 8);
        char shown[NUMBERS][CRD_NUMBER_ROOM];
        for (int i = 0; i < NUMBERS; i++) crd_number_format(numbers[i][row], shown[i]);
        text_length +=
            (size_t)sprintf(text + text_length, "%s,%s,%s,%s,%s\n", is_present ? shown[0] : "", shown[1], shown[2],
                            codes[row] < 0 ? "" : WORDS[codes[row]].bytes, CLASSES[classes[row]].bytes);
    }
}

static crd_frame *make_frame(void) {
    crd_frame *frame;
    static const char *const NAMES[] = {"x", "y", "z"};
    assert_done(crd_frame_create(context, ROWS, &frame, &error), error);
    for (int i = 0; i < NUMBERS; i++)
        assert_done(crd_frame_add_numbers(frame, crd_text_of(NAMES[i]), numbers[i], i == 0 ? validity : NULL, &error),
                    error);
    assert_done(crd_frame_add_codes(frame, crd_text_of("color"), codes, NULL, WORDS, 3, &error), error);
    assert_done(crd_frame_add_codes(frame, crd_text_of("class"), classes, NULL, CLASSES, 3, &error), error);
    return frame;
}

/* A stream of two batches of the same table: the class is a number, the colors are views. */
typedef struct columns_view {
    int32_t length;
    char bytes[12];
} columns_view;

typedef struct two_batches {
    struct ArrowArrayStream stream;
    struct ArrowSchema schema, schemas[5], *schema_pointers[5];
    struct ArrowArray array, arrays[5], *array_pointers[5];
    const void *own_buffers[1], *buffers[5][3];
    uint8_t color_validity[ROWS / 8 + 1];
    columns_view views[ROWS];
    size_t given;
} two_batches;

static void release_nothing(struct ArrowArray *array) {
    array->release = NULL;
}
static void release_no_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}
static void release_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    *out = ((two_batches *)stream->private_data)->schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    enum { FIRST = 4321 };
    two_batches *batches = stream->private_data;
    *out = batches->array;
    out->offset = batches->given == 0 ? 0 : FIRST;
    out->length = batches->given == 0 ? FIRST : ROWS - FIRST;
    if (batches->given++ == 2) out->release = NULL;
    return 0;
}

static two_batches *make_stream(void) {
    static const char *const NAMES[] = {"x", "y", "z", "color", "class"}, *const FORMATS[] = {"g", "g", "g", "vu", "l"};
    static const int64_t NO_LENGTHS[1];
    two_batches *batches = calloc(1, sizeof *batches);
    assert_non_null(batches);
    for (size_t row = 0; row < ROWS; row++) {
        if (codes[row] < 0) continue;
        batches->views[row].length = (int32_t)WORDS[codes[row]].length;
        memcpy(batches->views[row].bytes, WORDS[codes[row]].bytes, WORDS[codes[row]].length);
        batches->color_validity[row / 8] = (uint8_t)(batches->color_validity[row / 8] | 1 << row % 8);
    }
    const void *const values[] = {numbers[0], numbers[1], numbers[2], batches->views, class_numbers};
    for (int i = 0; i < 5; i++) {
        batches->schemas[i] =
            (struct ArrowSchema){.format = FORMATS[i], .name = NAMES[i], .release = release_no_schema};
        batches->schema_pointers[i] = &batches->schemas[i];
        batches->buffers[i][1] = values[i];
        batches->arrays[i] = (struct ArrowArray){
            .length = ROWS, .n_buffers = i == 3 ? 3 : 2, .buffers = batches->buffers[i], .release = release_nothing};
        batches->array_pointers[i] = &batches->arrays[i];
    }
    batches->buffers[0][0] = validity;
    batches->buffers[3][0] = batches->color_validity;
    batches->buffers[3][2] = NO_LENGTHS;
    batches->arrays[0].null_count = batches->arrays[3].null_count = -1;
    batches->schema = (struct ArrowSchema){
        .format = "+s", .n_children = 5, .children = batches->schema_pointers, .release = release_no_schema};
    batches->array = (struct ArrowArray){.n_buffers = 1,
                                         .n_children = 5,
                                         .buffers = batches->own_buffers,
                                         .children = batches->array_pointers,
                                         .release = release_nothing};
    batches->stream = (struct ArrowArrayStream){get_schema, get_next, NULL, release_stream, batches};
    return batches;
}

static crd_frame *frame;
static const crd_frame *only;

/* Form 0: text, 1: a frame, 2: a stream, whose owner is freed with *owner. */
static crd_reader *open_form(int form, unsigned threads, void **owner) {
    crd_reader *reader = NULL;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.threads = threads;
    *owner = NULL;
    if (form == 0) {
        options.block_bytes = 20000;
        assert_done(crd_reader_open_memory(context, text, text_length, NULL, &options, &reader, &error), error);
    } else if (form == 1) {
        options.block_bytes = 20000;
        assert_done(crd_reader_open_frames(context, &only, 1, NULL, &options, &reader, &error), error);
    } else {
        two_batches *batches = make_stream();
        *owner = batches;
        assert_done(crd_reader_open_arrow(context, &batches->stream, NULL, &options, &reader, &error), error);
    }
    return reader;
}

static int set_up(void **state) {
    (void)state;
    memset(&counted, 0, sizeof counted);
    context = counted_context(&counted);
    make_table();
    frame = make_frame();
    only = frame;
    return context == NULL;
}

static int tear_down(void **state) {
    (void)state;
    crd_frame_destroy(frame);
    crd_context_destroy(context);
    free(text);
    return counted.live == 0 ? 0 : -1;
}

/* ---- Learning ---- */

static crd_model *train(int form, unsigned threads) {
    void *owner;
    crd_model *model;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_reader *reader = open_form(form, threads, &owner);
    /* Columns of a type are declared to be of its kind; a text's are what their cells show, unless that is declared. */
    for (size_t i = 0; form == 0 && i < NUMBERS + 1; i++)
        assert_done(
            crd_reader_set_column_type(reader, i, i < NUMBERS ? CRD_TYPE_NUMERIC : CRD_TYPE_CATEGORICAL, &error),
            error);
    assert_done(crd_reader_select_target(reader, crd_text_of("class"), &error), error);
    assert_done(crd_model_train(context, reader, NULL, &model, &facts, &error), error);
    assert_int_equal(facts.rows, ROWS);
    crd_reader_close(reader);
    free(owner);
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

static void learns_the_same_bytes(void **state) {
    (void)state;
    crd_model *expected = train(0, 1);
    for (int form = 0; form < 3; form++) {
        for (unsigned threads = 1; threads < 5; threads += 2) {
            crd_model *model = train(form, threads);
            expect_same_model(model, expected);
            /* And in and out again, from each of the forms. */
            for (int other = 0; other < 3; other++) {
                void *owner;
                crd_reader *reader = open_form(other, threads, &owner);
                assert_done(crd_model_update_all(model, reader, NULL, &error), error);
                crd_reader_close(reader);
                free(owner);
                reader = open_form(other, threads, &owner);
                assert_done(crd_model_forget_all(model, reader, NULL, &error), error);
                crd_reader_close(reader);
                free(owner);
            }
            expect_same_model(model, expected);
            crd_model_destroy(model);
        }
    }
    crd_model_destroy(expected);
}

/* ---- Classifying ---- */

typedef struct found {
    double *logs, *probabilities;
    crd_answer *answers;
    int32_t *decisions;
} found;

static found make_found(size_t class_count) {
    found new_found = {calloc(ROWS * class_count, sizeof(double)), calloc(ROWS * class_count, sizeof(double)),
                       calloc(ROWS, sizeof(crd_answer)), calloc(ROWS, sizeof(int32_t))};
    return new_found;
}

static void free_found(found *source_found) {
    free(source_found->logs);
    free(source_found->probabilities);
    free(source_found->answers);
    free(source_found->decisions);
}

static void expect_same_answers(const found *a, const found *b, size_t class_count) {
    assert_memory_equal(a->logs, b->logs, ROWS * class_count * sizeof(double));
    assert_memory_equal(a->probabilities, b->probabilities, ROWS * class_count * sizeof(double));
    assert_memory_equal(a->decisions, b->decisions, ROWS * sizeof(int32_t));
    for (size_t row = 0; row < ROWS; row++) {
        assert_int_equal(a->answers[row].decision, b->answers[row].decision);
        assert_int_equal(a->answers[row].unseen, b->answers[row].unseen);
        assert_memory_equal(&a->answers[row].log_evidence, &b->answers[row].log_evidence, sizeof(double));
    }
}

static found one_by_one(const crd_classifier *classifier) {
    size_t class_count = crd_classifier_class_count(classifier);
    found results = make_found(class_count);
    for (size_t row = 0; row < ROWS; row++) {
        crd_value values[4];
        for (size_t i = 0; i < 4; i++) values[i] = crd_frame_value(frame, row, i);
        assert_done(crd_classifier_posterior(classifier, values, results.logs + row * class_count,
                                             results.probabilities + row * class_count, &results.answers[row], &error),
                    error);
        results.decisions[row] = results.answers[row].decision;
    }
    return results;
}

static crd_results results_of(const found *into, unsigned threads) {
    crd_results results = CRD_RESULTS_INIT;
    results.rows = ROWS;
    results.log_posteriors = into->logs;
    results.probabilities = into->probabilities;
    results.answers = into->answers;
    results.decisions = into->decisions;
    results.threads = threads;
    return results;
}

static crd_classifier *make_classifier(crd_model *model, const char *method) {
    crd_settings *settings;
    crd_classifier *classifier;
    assert_done(crd_settings_create(context, &settings, &error), error);
    if (method != NULL) assert_done(crd_settings_set(settings, "method", crd_text_of(method), &error), error);
    assert_done(crd_classifier_create(model, settings, &classifier, &error), error);
    crd_settings_destroy(settings);
    return classifier;
}

static void answers_have_the_same_bits(void **state) {
    (void)state;
    crd_model *model = train(1, 0);
    crd_classifier *classifier = make_classifier(model, NULL);
    size_t class_count = crd_classifier_class_count(classifier);
    found expected = one_by_one(classifier);
    for (unsigned threads = 1; threads < 6; threads += 2) {
        found into = make_found(class_count);
        crd_results results = results_of(&into, threads);
        assert_done(crd_classifier_classify_frame(classifier, frame, &results, &error), error);
        expect_same_answers(&into, &expected, class_count);
        /* Decisions alone. */
        crd_results only_decisions = CRD_RESULTS_INIT;
        memset(into.decisions, -1, ROWS * sizeof(int32_t));
        only_decisions.rows = ROWS;
        only_decisions.decisions = into.decisions;
        only_decisions.threads = threads;
        assert_done(crd_classifier_classify_frame(classifier, frame, &only_decisions, &error), error);
        assert_memory_equal(into.decisions, expected.decisions, ROWS * sizeof(int32_t));
        for (int form = 0; form < 3; form++) {
            void *owner;
            size_t rows;
            found again = make_found(class_count);
            crd_reader *reader = open_form(form, threads, &owner);
            results = results_of(&again, threads);
            assert_done(crd_model_bind(model, reader, &error), error);
            assert_done(crd_classifier_classify_reader(classifier, reader, &results, &rows, &error), error);
            assert_int_equal(rows, ROWS);
            expect_same_answers(&again, &expected, class_count);
            crd_reader_close(reader);
            free(owner);
            free_found(&again);
        }
        free_found(&into);
    }
    crd_results small = CRD_RESULTS_INIT;
    small.rows = ROWS - 1;
    assert_int_equal(crd_classifier_classify_frame(classifier, frame, &small, &error), CRD_ERROR_ARGUMENT);
    size_t rows;
    void *owner;
    crd_reader *reader = open_form(1, 2, &owner);
    assert_int_equal(crd_classifier_classify_reader(classifier, reader, &small, &rows, &error), CRD_ERROR_LIMIT);
    crd_reader_close(reader);
    free_found(&expected);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

/* ---- Into Arrow ---- */

static void expect_arrow(const struct ArrowSchema *schema, const struct ArrowArray *array, const found *expected) {
    assert_string_equal(schema->format, "+s");
    assert_int_equal(array->n_children, 7);
    assert_int_equal(array->length, ROWS);
    assert_string_equal(schema->children[0]->name, "prediction");
    assert_string_equal(schema->children[4]->name, "P(20)");
    crd_frame *back;
    assert_done(crd_frame_borrow_arrow(context, schema, array, &back, &error), error);
    for (size_t row = 0; row < ROWS; row++) {
        assert_true(crd_text_equal(crd_frame_value(back, row, 0).text, CLASSES[expected->decisions[row]]));
        for (size_t k = 0; k < 3; k++)
            assert_true(crd_frame_value(back, row, 2 + k).number == expected->probabilities[3 * row + k]);
        assert_true(crd_frame_value(back, row, 1).number ==
                    expected->probabilities[3 * row + (size_t)expected->decisions[row]]);
        assert_true(crd_frame_value(back, row, 5).number == expected->answers[row].log_evidence);
    }
    crd_frame_destroy(back);
}

static void answers_become_arrow(void **state) {
    (void)state;
    crd_model *model = train(1, 0);
    crd_classifier *classifier = make_classifier(model, NULL);
    found expected = one_by_one(classifier);
    for (int form = 0; form < 3; form++) {
        struct ArrowSchema schema;
        struct ArrowArray array;
        void *owner;
        crd_reader *reader = open_form(form, 3, &owner);
        assert_done(crd_model_bind(model, reader, &error), error);
        assert_done(crd_classifier_classify_to_arrow(classifier, reader, 3, &schema, &array, &error), error);
        crd_reader_close(reader);
        free(owner);
        expect_arrow(&schema, &array, &expected);
        /* A child that is moved out outlives its parent. */
        struct ArrowArray moved = *array.children[1];
        array.children[1]->release = NULL;
        array.release(&array);
        assert_true(((const double *)moved.buffers[1])[0] > 0);
        moved.release(&moved);
        schema.release(&schema);
        assert_null(array.release);
    }
    free_found(&expected);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

/* ---- Failing memory, and cancelling ---- */

static void fails_without_leaks(void **state) {
    (void)state;
    crd_model *model = train(1, 1);
    crd_classifier *classifier = make_classifier(model, NULL);
    found into = make_found(3);
    for (size_t index = 1;; index++) {
        counted.calls = 0;
        counted.fail_at = index;
        struct ArrowSchema schema;
        struct ArrowArray array;
        crd_results results = results_of(&into, 1);
        crd_reader *reader = NULL;
        crd_status status = crd_classifier_classify_frame(classifier, frame, &results, &error);
        if (status == CRD_OK) status = crd_reader_open_frames(context, &only, 1, NULL, NULL, &reader, &error);
        if (status == CRD_OK) {
            status = crd_classifier_classify_to_arrow(classifier, reader, 1, &schema, &array, &error);
            assert_int_equal(schema.release == NULL, status != CRD_OK);
            assert_int_equal(array.release == NULL, status != CRD_OK);
        }
        bool reached = counted.calls >= index;
        if (status == CRD_OK) {
            schema.release(&schema);
            array.release(&array);
        }
        crd_reader_close(reader);
        assert_int_equal(status, reached ? CRD_ERROR_MEMORY : CRD_OK);
        if (!reached) break;
    }
    counted.fail_at = 0;
    crd_context_cancel(context);
    crd_results results = results_of(&into, 2);
    assert_int_equal(crd_classifier_classify_frame(classifier, frame, &results, &error), CRD_ERROR_CANCELLED);
    crd_context_resume(context);
    free_found(&into);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

int main(void) {
#define IN_CONTEXT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_CONTEXT(learns_the_same_bytes),
        IN_CONTEXT(answers_have_the_same_bits),
        IN_CONTEXT(answers_become_arrow),
        IN_CONTEXT(fails_without_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
