/* SPDX-License-Identifier: MIT */
/* arrow_support.h - record batches put together by hand. */
#ifndef ARROW_SUPPORT_H
#define ARROW_SUPPORT_H

#include "table_support.h"

#include "table/formats/arrow_column.h"

enum { MOST_COLUMNS = 12 };

static inline void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static inline void release_array(struct ArrowArray *array) {
    array->release = NULL;
}

/* A batch put together on the stack. */
typedef struct batch {
    struct ArrowSchema schema, child_schemas[MOST_COLUMNS], dictionary_schema;
    struct ArrowArray array, child_arrays[MOST_COLUMNS], dictionary_array;
    struct ArrowSchema *schema_pointers[MOST_COLUMNS];
    struct ArrowArray *array_pointers[MOST_COLUMNS];
    const void *buffers[MOST_COLUMNS][3];
    const void *own_buffers[1], *dictionary_buffers[3];
} batch;

static allocations plan;
static crd_context *context;
static crd_frame *frame;
static crd_error error;

static inline int begin_context(void **state) {
    (void)state;
    memset(&plan, 0, sizeof plan);
    context = logged_context(&plan);
    frame = NULL;
    return context == NULL;
}

static inline int end_context(void **state) {
    (void)state;
    crd_frame_destroy(frame);
    crd_context_destroy(context);
    return plan.live == 0 ? 0 : -1;
}

static inline void begin_batch(batch *source_batch, int64_t rows) {
    memset(source_batch, 0, sizeof *source_batch);
    source_batch->schema.format = "+s";
    source_batch->schema.children = source_batch->schema_pointers;
    source_batch->schema.release = release_schema;
    source_batch->array.length = rows;
    source_batch->array.n_buffers = 1;
    source_batch->array.buffers = source_batch->own_buffers;
    source_batch->array.children = source_batch->array_pointers;
    source_batch->array.release = release_array;
}

/* A child without nulls of as many elements as the batch has rows. */
static inline struct ArrowArray *add_child(batch *target_batch, const char *name, const char *format,
                                           const void *values, const void *bytes) {
    size_t index = (size_t)target_batch->schema.n_children++;
    target_batch->array.n_children++;
    target_batch->schema_pointers[index] = &target_batch->child_schemas[index];
    target_batch->array_pointers[index] = &target_batch->child_arrays[index];
    target_batch->child_schemas[index] =
        (struct ArrowSchema){.format = format, .name = name, .release = release_schema};
    target_batch->buffers[index][1] = values;
    target_batch->buffers[index][2] = bytes;
    struct ArrowArray *array = &target_batch->child_arrays[index];
    array->length = target_batch->array.offset + target_batch->array.length;
    array->n_buffers = bytes == NULL ? 2 : 3;
    array->buffers = target_batch->buffers[index];
    array->release = release_array;
    return array;
}

static inline void add_dictionary(batch *target_batch, const char *format, const void *offsets, const char *bytes,
                                  int64_t length) {
    size_t last = (size_t)target_batch->schema.n_children - 1;
    target_batch->dictionary_schema = (struct ArrowSchema){.format = format, .release = release_schema};
    target_batch->dictionary_buffers[1] = offsets;
    target_batch->dictionary_buffers[2] = bytes;
    target_batch->dictionary_array = (struct ArrowArray){
        .length = length, .n_buffers = 3, .buffers = target_batch->dictionary_buffers, .release = release_array};
    target_batch->child_schemas[last].dictionary = &target_batch->dictionary_schema;
    target_batch->child_arrays[last].dictionary = &target_batch->dictionary_array;
}

static inline void expect_frame(const batch *record_batch, const char *expected) {
    assert_int_equal(crd_frame_borrow_arrow(context, &record_batch->schema, &record_batch->array, &frame, &error),
                     CRD_OK);
    transcript output = {NULL, 0, 0};
    say_kinds(&output, frame);
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        for (size_t column = 0; column < crd_frame_column_count(frame); column++) {
            crd_value value = crd_frame_value(frame, row, column);
            char number[CRD_NUMBER_ROOM];
            const char *gap = column == 0 ? "" : " ";
            if (value.type == CRD_TYPE_NONE) say(&output, "%s_", gap);
            if (value.type == CRD_TYPE_CATEGORICAL)
                say(&output, "%s'%.*s'", gap, (int)value.text.length, value.text.bytes);
            if (value.type == CRD_TYPE_NUMERIC) {
                crd_number_format(value.number, number);
                say(&output, "%s%s", gap, number);
            }
        }
        say(&output, "\n");
    }
    assert_string_equal(output.text, expected);
    free(output.text);
}

static inline void expect_refusal(const batch *record_batch, crd_status status, const char *message) {
    crd_frame *none = NULL;
    assert_int_equal(crd_frame_borrow_arrow(context, &record_batch->schema, &record_batch->array, &none, &error),
                     status);
    assert_null(none);
    assert_string_equal(error.message, message);
}

#endif
