/* SPDX-License-Identifier: MIT */
/* Readers over memory and over callbacks: the rows of a file with the same bytes, whatever they come from. */
#include "table_support.h"

#include <credence/all.h>

#include <errno.h>
#include <zlib.h>

static const char TABLE[] = "a,b,class,w\n1,x,yes,2\n2,y,no,1\n?,x,yes,0.5\n";
/* `b` turns out to be a category in the last row. */
static const char TURNS[] = "a,b\n1,2\n2,3\n3,word\n";

static char *transcribe_reader(crd_reader *reader) {
    transcript target_transcript = {NULL, 0, 0};
    (void)say_rest(&target_transcript, reader, true);
    return target_transcript.text;
}

static void reads_memory(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader;
    crd_error error;
    assert_int_equal(crd_reader_open_memory(context, TABLE, strlen(TABLE), NULL, NULL, &reader, &error), CRD_OK);
    assert_string_equal(crd_reader_place(reader), "memory");
    assert_int_equal(crd_reader_column_count(reader), 4);
    char *output = transcribe_reader(reader);
    assert_string_equal(output, "#a @b @class #w\n2: 1 'x' 'yes' 2\n3: 2 'y' 'no' 1\n4: _ 'x' 'yes' 0.5\n");
    free(output);
    crd_reader_close(reader);

    /* A column that turns over makes the memory be read again. */
    assert_int_equal(crd_reader_open_memory(context, TURNS, strlen(TURNS), "rows", NULL, &reader, &error), CRD_OK);
    output = transcribe_reader(reader);
    assert_non_null(strstr(output, "'word'"));
    free(output);
    crd_reader_close(reader);

    assert_int_equal(crd_reader_open_memory(context, "\001\n", 2, "rows", NULL, &reader, &error), CRD_ERROR_SYNTAX);
    assert_string_equal(error.place, "rows");
    assert_int_equal(crd_reader_open_memory(context, NULL, 0, "rows", NULL, &reader, &error), CRD_ERROR_EMPTY);
    assert_int_equal(crd_reader_open_memory(context, NULL, 1, "rows", NULL, &reader, &error), CRD_ERROR_ARGUMENT);
    assert_null(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static void reads_compressed_memory(void **state) {
    (void)state;
    unsigned char packed[512];
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)TABLE,
                       .avail_in = (uInt)strlen(TABLE),
                       .next_out = packed,
                       .avail_out = sizeof packed};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t length = stream.total_out;
    deflateEnd(&stream);
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader;
    crd_error error;
    assert_int_equal(crd_reader_open_memory(context, packed, length, NULL, NULL, &reader, &error), CRD_OK);
    char *output = transcribe_reader(reader);
    assert_string_equal(output, "#a @b @class #w\n2: 1 'x' 'yes' 2\n3: 2 'y' 'no' 1\n4: _ 'x' 'yes' 0.5\n");
    free(output);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

/* ---- Callbacks ---- */

typedef struct inputs_script {
    const char *bytes;
    size_t length, index, step;
    size_t fails_at; /* the byte at which reading fails; 0: none */
    int64_t fault;
    int rewinds, closes;
} inputs_script;

static int64_t script_read(void *user, void *bytes, size_t capacity) {
    inputs_script *script = user;
    if (script->fails_at > 0 && script->index >= script->fails_at) return script->fault;
    size_t count = script->length - script->index;
    if (count > capacity) count = capacity;
    if (count > script->step) count = script->step;
    memcpy(bytes, script->bytes + script->index, count);
    script->index += count;
    return (int64_t)count;
}

static int script_rewind(void *user) {
    inputs_script *script = user;
    script->index = 0;
    script->rewinds++;
    return 0;
}

static void script_close(void *user) {
    ((inputs_script *)user)->closes++;
}

static crd_input_callbacks callbacks_of(inputs_script *script, bool can_rewind) {
    crd_input_callbacks callbacks = CRD_INPUT_CALLBACKS_INIT;
    callbacks.user = script;
    callbacks.name = "script";
    callbacks.read = script_read;
    callbacks.rewind = can_rewind ? script_rewind : NULL;
    callbacks.close = script_close;
    return callbacks;
}

static crd_status open_script(crd_context *context, inputs_script *script, bool can_rewind, crd_reader **out,
                              crd_error *error) {
    crd_input *input;
    crd_input_callbacks callbacks = callbacks_of(script, can_rewind);
    *out = NULL;
    crd_status status = crd_input_from_callbacks(context, &callbacks, &input, error);
    if (status == CRD_OK) status = crd_reader_open_inputs(context, &input, 1, NULL, out, error);
    crd_input_close(input);
    return status;
}

static void reads_callbacks(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader;
    crd_error error;
    for (size_t step = 1; step < 20; step += 6) {
        inputs_script script = {.bytes = TURNS, .length = strlen(TURNS), .step = step};
        assert_int_equal(open_script(context, &script, true, &reader, &error), CRD_OK);
        char *output = transcribe_reader(reader);
        assert_non_null(strstr(output, "4: 3 'word'"));
        free(output);
        crd_reader_close(reader);
        assert_int_equal(script.closes, 1);
    }
    /* What can be read once only, in two inputs, of which the second is entered when the first has ended. */
    inputs_script first = {.bytes = TABLE, .length = strlen(TABLE), .step = 7}, second = first;
    crd_input_callbacks callbacks[] = {callbacks_of(&first, false), callbacks_of(&second, false)};
    crd_input *inputs[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(crd_input_from_callbacks(context, &callbacks[i], &inputs[i], &error), CRD_OK);
    assert_memory_equal(crd_input_beginning(inputs[0]).bytes, TABLE, strlen(TABLE));
    assert_int_equal(crd_reader_open_inputs(context, inputs, 2, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_input_beginning(inputs[0]).length, 0);
    crd_reader *again;
    assert_int_equal(crd_reader_open_inputs(context, inputs, 1, NULL, &again, &error), CRD_ERROR_ARGUMENT);
    for (int i = 0; i < 2; i++) crd_input_close(inputs[i]);
    size_t rows = 0;
    for (const crd_frame *frame;;) {
        assert_int_equal(crd_reader_next(reader, &frame, &error), CRD_OK);
        if (frame == NULL) break;
        rows += crd_frame_rows(frame);
    }
    assert_int_equal(rows, 6);
    crd_reader_close(reader);
    assert_int_equal(first.closes + second.closes, 2);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

static int64_t read_too_much(void *user, void *bytes, size_t capacity) {
    (void)user;
    memset(bytes, 'a', capacity);
    return (int64_t)capacity + 1;
}

static void reports_failing_callbacks(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader;
    crd_error error;
    inputs_script script = {.bytes = TABLE, .length = strlen(TABLE), .step = 7, .fails_at = 14, .fault = -EPIPE};
    assert_int_equal(open_script(context, &script, true, &reader, &error), CRD_ERROR_SYSTEM);
    assert_int_equal(error.system_error, EPIPE);
    assert_string_equal(error.place, "script");
    assert_int_equal(script.closes, 1);
    script.fault = -1;
    script.index = 0;
    assert_int_equal(open_script(context, &script, true, &reader, &error), CRD_ERROR_SYSTEM);
    assert_int_equal(error.system_error, EIO);

    inputs_script once = {.bytes = TURNS, .length = strlen(TURNS), .step = 4};
    assert_int_equal(open_script(context, &once, false, &reader, &error), CRD_OK);
    crd_reader_options small = CRD_READER_OPTIONS_INIT;
    crd_reader_close(reader);
    once.index = 0;
    crd_input *input;
    crd_input_callbacks callbacks = callbacks_of(&once, false);
    small.block_bytes = 4;
    assert_int_equal(crd_input_from_callbacks(context, &callbacks, &input, &error), CRD_OK);
    assert_int_equal(crd_reader_open_inputs(context, &input, 1, &small, &reader, &error), CRD_OK);
    crd_input_close(input);
    char *output = transcribe_reader(reader);
    assert_non_null(strstr(output, "script:4"));
    free(output);
    crd_reader_close(reader);

    callbacks.read = read_too_much;
    assert_int_equal(crd_input_from_callbacks(context, &callbacks, &input, &error), CRD_ERROR_ARGUMENT);
    once.closes = 0;
    callbacks.read = NULL;
    assert_int_equal(crd_input_from_callbacks(context, &callbacks, &input, &error), CRD_ERROR_ARGUMENT);
    assert_null(input);
    assert_int_equal(once.closes, 1);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

/* ---- Roles in one call ---- */

static void selects_roles(void **state) {
    (void)state;
    allocations plan = {0};
    crd_context *context = logged_context(&plan);
    crd_reader *reader;
    crd_schema *schema;
    crd_error error;
    assert_int_equal(crd_reader_open_memory(context, TABLE, strlen(TABLE), NULL, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_select_target(reader, crd_text_of("c*"), &error), CRD_OK);
    assert_int_equal(crd_reader_select_weight(reader, crd_text_of("last"), &error), CRD_OK);
    assert_int_equal(crd_reader_select_ignored(reader, crd_text_of("b"), &error), CRD_OK);
    assert_int_equal(crd_schema_from_reader(reader, 0, &schema, &error), CRD_OK);
    assert_int_equal(crd_schema_target(schema), 2);
    assert_int_equal(crd_schema_weight(schema), 3);
    assert_true(crd_schema_is_ignored(schema, 1) && !crd_schema_is_ignored(schema, 0));
    crd_schema_destroy(schema);
    crd_reader_close(reader);

    assert_int_equal(crd_reader_open_memory(context, TABLE, strlen(TABLE), NULL, NULL, &reader, &error), CRD_OK);
    assert_int_equal(crd_reader_select_target(reader, crd_text_of("*"), &error), CRD_ERROR_COLUMN);
    assert_non_null(strstr(error.message, "selects 4 columns"));
    assert_int_equal(crd_reader_select_target(reader, crd_text_of("nothing"), &error), CRD_ERROR_COLUMN);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(plan.live, 0);
}

/* ---- Failing memory ---- */

static void fails_without_leaks(void **state) {
    (void)state;
    for (size_t index = 1;; index++) {
        allocations plan = {0};
        crd_context *context = logged_context(&plan);
        plan.calls = 0;
        plan.fail_at = index;
        inputs_script script = {.bytes = TABLE, .length = strlen(TABLE), .step = 9};
        crd_reader *reader;
        crd_error error;
        crd_status status = open_script(context, &script, true, &reader, &error);
        if (status == CRD_OK) status = crd_reader_select_target(reader, crd_text_of("class"), &error);
        crd_reader_close(reader);
        bool reached = plan.calls >= index;
        crd_context_destroy(context);
        assert_int_equal(plan.live, 0);
        assert_int_equal(script.closes, 1);
        assert_int_equal(status, reached ? CRD_ERROR_MEMORY : CRD_OK);
        if (!reached) break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_memory),    cmocka_unit_test(reads_compressed_memory),
        cmocka_unit_test(reads_callbacks), cmocka_unit_test(reports_failing_callbacks),
        cmocka_unit_test(selects_roles),   cmocka_unit_test(fails_without_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
