/* open.c - crd_reader_open: the readers of src/data with the decompressors of this layer plugged in. */
#include "data/reader.h"
#include "io/decoders.h"

const crd_i_decoder crd_i_decoders[] = {
    {"gzip", "\x1f\x8b", 2, crd_i_gzip_wrap},
    {"zstd", "\x28\xb5\x2f\xfd", 4, crd_i_zstd_wrap},
    {NULL, NULL, 0, NULL},
};

crd_status crd_reader_open(crd_context *context, const char *const *paths, size_t path_count,
                           const crd_reader_options *options, crd_reader **out, crd_error *error) {
    return crd_i_reader_open(context, paths, path_count, options, crd_i_decoders, out, error);
}
