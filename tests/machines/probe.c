/* probe.c - one line about a table that must be the same on every machine: the bytes of the model that it gives, and
 * every posterior of its rows, each as a checksum. scripts/machines builds it for several and compares.
 *
 * Usage: probe TABLE TARGET. The decompressors are left out, so that no library is needed for the other machine. */
#include "base/buffer.h"
#include "data/reader.h"
#include "io/checksum.h"
#include "io/file.h"

#include <credence/credence.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct table {
    unsigned char *bytes;
    size_t length;
} table;

static crd_status open_table(crd_context *context, const table *of, crd_reader **out, crd_error *error) {
    crd_i_source *source;
    crd_status status = crd_i_source_memory(context, of->bytes, of->length, true, &source, error);
    if (status != CRD_OK) return status;
    return crd_i_reader_open_source(context, source, "table", NULL, out, error);
}

static crd_status train(crd_context *context, const table *of, const char *target, crd_model **out, crd_error *error) {
    crd_reader *reader = NULL;
    size_t *columns = NULL, count = 0;
    crd_status status = open_table(context, of, &reader, error);
    if (status == CRD_OK) {
        columns = malloc(crd_reader_column_count(reader) * sizeof *columns);
        status =
            columns == NULL ? CRD_ERROR_MEMORY : crd_reader_select(reader, crd_text_of(target), columns, &count, error);
    }
    if (status == CRD_OK) status = crd_reader_set_target(reader, columns[0], error);
    if (status == CRD_OK) status = crd_model_train(context, reader, NULL, out, NULL, error);
    free(columns);
    crd_reader_close(reader);
    return status;
}

/* Every log posterior of a frame, in digits that read back to the same bits. */
static crd_status write_posteriors(const crd_classifier *classifier, const crd_posteriors *posteriors,
                                   crd_i_buffer *digits) {
    for (size_t row = 0; row < crd_posteriors_rows(posteriors); row++)
        for (size_t k = 0; k < crd_classifier_class_count(classifier); k++) {
            char text[CRD_NUMBER_ROOM];
            size_t length = crd_number_format(crd_posteriors_log(posteriors, row)[k], text);
            if (!crd_i_buffer_append(digits, text, length)) return CRD_ERROR_MEMORY;
        }
    return CRD_OK;
}

static crd_status classify(crd_context *context, const table *of, const crd_model *model, crd_i_buffer *digits,
                           crd_error *error) {
    crd_reader *reader = NULL;
    crd_classifier *classifier = NULL;
    crd_posteriors *posteriors = NULL;
    const crd_frame *frame = NULL;
    crd_status status = open_table(context, of, &reader, error);
    if (status == CRD_OK) status = crd_model_bind(model, reader, error);
    if (status == CRD_OK) status = crd_classifier_create(model, NULL, &classifier, error);
    if (status == CRD_OK) status = crd_posteriors_create(context, &posteriors, error);
    while (status == CRD_OK) {
        status = crd_reader_next(reader, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = crd_classifier_classify(classifier, frame, posteriors, error);
        if (status == CRD_OK) status = write_posteriors(classifier, posteriors, digits);
    }
    crd_posteriors_destroy(posteriors);
    crd_classifier_destroy(classifier);
    crd_reader_close(reader);
    return status;
}

int main(int argc, char **argv) {
    crd_context *context = NULL;
    crd_error error = {.message = "out of memory"};
    crd_model *model = NULL;
    unsigned char *bytes = NULL;
    size_t length = 0;
    table of = {NULL, 0};
    if (argc != 3 || crd_context_create(NULL, &context) != CRD_OK) return 2;
    crd_i_buffer digits = {context, NULL, 0, 0};
    crd_status status = crd_i_file_read(context, argv[1], &of.bytes, &of.length, &error);
    if (status == CRD_OK) status = train(context, &of, argv[2], &model, &error);
    if (status == CRD_OK) status = crd_model_encode(model, &bytes, &length, &error);
    if (status == CRD_OK) status = classify(context, &of, model, &digits, &error);
    if (status == CRD_OK)
        printf("%s: model %zu bytes %08lx, posteriors %zu bytes %08lx\n", argv[1], length,
               (unsigned long)crd_i_checksum(bytes, length), digits.length,
               (unsigned long)crd_i_checksum(digits.bytes, digits.length));
    else fprintf(stderr, "probe: %s: %s\n", argv[1], error.message);
    crd_i_buffer_clear(&digits);
    crd_free(context, bytes);
    crd_free(context, of.bytes);
    crd_model_destroy(model);
    crd_context_destroy(context);
    return status == CRD_OK ? 0 : 1;
}
