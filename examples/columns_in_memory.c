/* SPDX-License-Identifier: MIT */
/* columns_in_memory.c - Arrow columns in memory, without a file: learns from an Arrow stream, classifies a record batch
 * on all CPU cores, and returns the predictions as Arrow columns. Here the stream is a table of five rows. In a program
 * it comes from pyarrow, polars, DuckDB or another exporter of the Arrow C stream interface.
 *
 *   cc columns_in_memory.c -o columns_in_memory $(pkg-config --cflags --libs credence)
 *   ./columns_in_memory */
#include <credence/credence.h>
#include <stdio.h>

/* The structs of https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html. */
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

/* A table of three columns: a double with a null in the last row, a 32-bit integer, a string. */
enum { ROWS = 5, COLUMNS = 3 };
static const double LENGTH[ROWS] = {1.4, 1.3, 4.7, 4.5, 0};
static const uint8_t LENGTH_VALIDITY[] = {0x0F}; /* bit i is set where row i has a value */
static const int32_t COUNT[ROWS] = {3, 2, 7, 8, 7}, OFFSETS[ROWS + 1] = {0, 5, 10, 15, 20, 25};
static const void *BUFFERS[COLUMNS][3] = {
    {LENGTH_VALIDITY, LENGTH}, {NULL, COUNT}, {NULL, OFFSETS, "smallsmalllargelargelarge"}};

/* All memory is static here, so releasing only marks a struct as released. */
static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}
static void release_array(struct ArrowArray *array) {
    array->release = NULL;
}
static void release_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    static struct ArrowSchema children[COLUMNS], *pointers[COLUMNS];
    static const char *const names[] = {"length", "count", "size"}, *const formats[] = {"g", "i", "u"};
    (void)stream;
    for (int i = 0; i < COLUMNS; i++) {
        children[i] = (struct ArrowSchema){.format = formats[i], .name = names[i], .release = release_schema};
        pointers[i] = &children[i];
    }
    *out = (struct ArrowSchema){.format = "+s", .n_children = COLUMNS, .children = pointers, .release = release_schema};
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    static struct ArrowArray children[COLUMNS], *pointers[COLUMNS];
    static const void *none[1];
    *out = (struct ArrowArray){.release = NULL};
    if (stream->private_data == NULL) return 0; /* after the last batch: a released array */
    stream->private_data = NULL;                /* one batch */
    for (int i = 0; i < COLUMNS; i++) {
        children[i] = (struct ArrowArray){.length = ROWS, .n_buffers = i == 2 ? 3 : 2, .release = release_array};
        children[i].null_count = i == 0;
        children[i].buffers = BUFFERS[i], pointers[i] = &children[i];
    }
    *out = (struct ArrowArray){.length = ROWS, .n_buffers = 1, .n_children = COLUMNS, .release = release_array};
    out->buffers = none, out->children = pointers;
    return 0;
}

int main(void) {
    crd_error error = {0};
    crd_context *context = NULL;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray answers = {.release = NULL};
    struct ArrowArrayStream stream = {get_schema, get_next, NULL, release_stream, BUFFERS};
    int failed = 1;

    /* Learn from the stream. The reader takes the stream out of the struct, and releases it. */
    if (crd_context_create(NULL, &context)) goto done;
    if (crd_reader_open_arrow(context, &stream, "table", NULL, &reader, &error)) goto done;
    if (crd_reader_select_target(reader, crd_text_of("size"), &error)) goto done;
    if (crd_model_train(context, reader, NULL, &model, NULL, &error)) goto done;
    if (crd_classifier_create(model, NULL, &classifier, &error)) goto done;
    crd_reader_close(reader), reader = NULL;

    /* Classify the rows of another stream. Binding gives its columns the types of the model. */
    stream = (struct ArrowArrayStream){get_schema, get_next, NULL, release_stream, BUFFERS};
    if (crd_reader_open_arrow(context, &stream, "rows", NULL, &reader, &error)) goto done;
    if (crd_model_bind(model, reader, &error)) goto done;
    if (crd_classifier_classify_to_arrow(classifier, reader, 0, &schema, &answers, &error)) goto done;

    const int32_t *decisions = answers.children[0]->buffers[1];
    const double *probabilities = answers.children[1]->buffers[1];
    for (int64_t row = 0; row < answers.length; row++) {
        crd_text name = crd_classifier_class(classifier, (size_t)decisions[row]);
        printf("%.*s %.3f\n", (int)name.length, name.bytes, probabilities[row]);
    }
    failed = 0;
done:
    if (failed) fprintf(stderr, "columns_in_memory: %s\n", error.status ? error.message : "out of memory");
    if (answers.release) answers.release(&answers);
    if (schema.release) schema.release(&schema);
    crd_classifier_destroy(classifier), crd_model_destroy(model), crd_reader_close(reader);
    crd_context_destroy(context);
    return failed;
}
