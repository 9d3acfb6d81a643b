/* SPDX-License-Identifier: MIT */
/* rows_as_they_arrive.c - a stream: rows come from a callback, which could read a socket or a message queue. The program
 * predicts each row before it learns it, so the model improves while the stream runs.
 *
 *   cc rows_as_they_arrive.c -o rows_as_they_arrive $(pkg-config --cflags --libs credence)
 *   ./rows_as_they_arrive sky <weather.csv */
#include <credence/data.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the next bytes of the stream; 0 is the end. Bytes may be split anywhere, also in the middle of a row. */
static int64_t read_bytes(void *user, void *bytes, size_t capacity) {
    return (int64_t)fread(bytes, 1, capacity < 1000 ? capacity : 1000, user);
}

/* Classifies the rows of a frame and returns how many predictions are correct. */
static crd_status count_correct(const crd_model *model, const crd_frame *frame, crd_text target, size_t *correct,
                                crd_error *error) {
    crd_classifier *classifier = NULL;
    crd_results results = CRD_RESULTS_INIT;
    size_t rows = crd_frame_rows(frame), column = 0;
    while (!crd_text_equal(crd_frame_column_name(frame, column), target)) column++;
    int32_t *decisions = malloc(rows * sizeof *decisions);
    crd_status status = decisions ? CRD_OK : CRD_ERROR_MEMORY;
    *correct = 0;
    if (!status) status = crd_classifier_create(model, NULL, &classifier, error);
    results.rows = rows;
    results.decisions = decisions;
    if (!status) status = crd_classifier_classify_frame(classifier, frame, &results, error);
    for (size_t row = 0; !status && row < rows; row++) { /* -1: every class has probability 0 */
        crd_value truth = crd_frame_value(frame, row, column);
        if (decisions[row] < 0) continue;
        *correct += crd_text_equal(truth.text, crd_classifier_class(classifier, (size_t)decisions[row])) != 0;
    }
    crd_classifier_destroy(classifier);
    free(decisions);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: rows_as_they_arrive TARGET <TABLE\n"), 2;
    crd_error error = {0};
    crd_context *context = NULL;
    crd_input *input = NULL;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    const crd_frame *frame = NULL; /* belongs to the reader, which reuses it */
    crd_text target = crd_text_of(argv[1]);
    size_t seen = 0;
    int failed = 1;

    /* An input without `rewind` is read once. The types of its columns come from the first rows. */
    crd_input_callbacks callbacks = CRD_INPUT_CALLBACKS_INIT;
    callbacks.read = read_bytes;
    callbacks.user = stdin;
    callbacks.name = "stream";
    if (crd_context_create(NULL, &context)) goto done;
    if (crd_input_from_callbacks(context, &callbacks, &input, &error)) goto done;
    if (crd_reader_open_inputs(context, &input, 1, NULL, &reader, &error)) goto done;
    if (crd_reader_select_target(reader, target, &error)) goto done;
    crd_reader_set_frame_rows(reader, 30); /* a small batch arrives sooner */

    for (;;) { /* one batch of rows at a time: predict it, then learn it */
        if (crd_reader_next(reader, &frame, &error)) goto done;
        if (!frame) break; /* the end of the stream */
        if (!model && crd_model_create(context, frame, target, NULL, &model, &error)) goto done;
        size_t rows = crd_frame_rows(frame), correct = 0;
        if (seen && count_correct(model, frame, target, &correct, &error)) goto done;
        if (seen) printf("rows %zu to %zu: %zu correct\n", seen + 1, seen + rows, correct);
        if (crd_model_update(model, frame, &error)) goto done;
        seen += rows;
    }
    printf("%zu rows learned\n", seen);
    failed = 0;
done:
    if (failed) fprintf(stderr, "rows_as_they_arrive: %s\n", error.status ? error.message : "out of memory");
    crd_model_destroy(model), crd_reader_close(reader), crd_input_close(input);
    crd_context_destroy(context);
    return failed;
}
