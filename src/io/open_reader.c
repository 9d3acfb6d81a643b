/* open_reader.c - crd_reader_open and crd_input_open: those of src/data with the decompressors of this layer plugged in. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/decoders.h"
#include "table/read/reader.h"

#include <string.h>

const crd_i_decoder crd_i_decoders[] = {
    {"gzip", "\x1f\x8b", 2, crd_i_gzip_wrap},
    {"zstd", "\x28\xb5\x2f\xfd", 4, crd_i_zstd_wrap},
    {NULL, NULL, 0, NULL},
};

crd_status crd_reader_open(crd_context *context, const char *const *paths, size_t path_count,
                           const crd_reader_options *options, crd_reader **out, crd_error *error) {
    return crd_i_reader_open(context, paths, path_count, options, crd_i_decoders, out, error);
}

/* ---- Inputs ---- */

enum { BEGINNING_BYTES = 64 * 1024 };

/* What can be read again is left where it was found. */
static crd_status look(crd_input *input, const char *path, crd_error *error) {
    crd_i_source *file, *decoded;
    crd_status status = crd_i_source_open(input->context, path, &file, error);
    if (status == CRD_OK) status = crd_i_source_decode(input->context, file, crd_i_decoders, &decoded, error);
    if (status == CRD_OK)
        status = crd_i_source_peek(input->context, decoded, BEGINNING_BYTES, &input->first, &input->source, error);
    if (status == CRD_OK) input->file = file;
    if (status == CRD_OK && input->source->rewind != NULL) status = input->source->rewind(input->source, error);
    return status;
}

crd_status crd_input_open(crd_context *context, const char *path, crd_input **out, crd_error *error) {
    *out = NULL;
    crd_input *input = crd_i_alloc_zeroed(context, 1, sizeof *input);
    if (input == NULL) return crd_i_fail_memory(error);
    input->context = context;
    const char *place = strcmp(path, "-") == 0 ? "standard input" : path;
    input->place = crd_i_text_copy(context, crd_text_of(place)).bytes;
    crd_status status = input->place == NULL ? crd_i_fail_memory(error) : look(input, path, error);
    if (status != CRD_OK) {
        crd_i_error_place(error, place, 0, 0);
        crd_input_close(input);
        return status;
    }
    *out = input;
    return CRD_OK;
}

crd_text crd_input_beginning(const crd_input *input) {
    const crd_text none = {"", 0};
    return input->source == NULL ? none : input->first;
}

void crd_input_close(crd_input *input) {
    if (input == NULL) return;
    crd_i_source_close(input->source);
    crd_free(input->context, (void *)input->place);
    crd_free(input->context, input);
}
