/* format.c - see format.h; and files of networks, as they are or compressed. */
#include "network/format.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/decoders.h"
#include "network/bif.h"

#include <stdio.h>
#include <string.h>

static const crd_i_network_format formats[] = {
    {CRD_NETWORK_BIF, crd_i_bif_recognise, crd_i_bif_read, crd_i_bif_write},
};

static const crd_i_network_format *find(crd_network_format format) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format) return &formats[i];
    return NULL;
}

crd_network_format crd_network_recognise(crd_text bytes) {
    static const char mark[] = "\xEF\xBB\xBF"; /* a byte order mark says nothing */
    if (bytes.length >= 3 && memcmp(bytes.bytes, mark, 3) == 0) {
        bytes.bytes += 3;
        bytes.length -= 3;
    }
    if (bytes.length > CRD_I_NETWORK_PEEK) bytes.length = CRD_I_NETWORK_PEEK;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].recognise != NULL && formats[i].recognise(bytes)) return formats[i].format;
    return CRD_NETWORK_ANY;
}

crd_status crd_network_read(crd_context *context, crd_text bytes, const char *place, crd_network_format format,
                            crd_network **out, crd_error *error) {
    *out = NULL;
    if (format == CRD_NETWORK_ANY) format = crd_network_recognise(bytes);
    const crd_i_network_format *found = find(format);
    if (found == NULL || found->read == NULL)
        return crd_i_fail(error, CRD_ERROR_SYNTAX, "%s is no file of a network that can be read", place);
    return found->read(context, bytes, place, out, error);
}

crd_status crd_network_write(const crd_network *network, crd_network_format format, crd_text *out, crd_error *error) {
    const crd_i_network_format *found = find(format);
    if (found == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there is no such format of networks");
    crd_i_buffer buffer = {network->context, NULL, 0, 0};
    crd_status status = found->write(network, &buffer, error);
    if (status != CRD_OK) {
        crd_i_buffer_clear(&buffer);
        return status;
    }
    out->bytes = (const char *)buffer.bytes;
    out->length = buffer.length;
    return CRD_OK;
}

/* ---- Files ---- */

/* The bytes of a file, at most `most` of them. */
static crd_status read_file(crd_context *context, const char *path, size_t most, crd_i_buffer *to, crd_error *error) {
    enum { PIECE = 1 << 16 };
    crd_i_source *inner, *source = NULL;
    crd_status status = crd_i_source_open(context, path, &inner, error);
    if (status == CRD_OK) status = crd_i_source_decode(context, inner, crd_i_decoders, &source, error);
    unsigned char *piece = crd_i_alloc(context, PIECE, 1);
    if (status == CRD_OK && piece == NULL) status = crd_i_fail_memory(error);
    while (status == CRD_OK && to->length < most) {
        size_t room = most - to->length < PIECE ? most - to->length : PIECE, got = 0;
        status = source->read(source, piece, room, &got, error);
        if (status != CRD_OK || got == 0) break;
        if (!crd_i_buffer_append(to, piece, got)) status = crd_i_fail_memory(error);
    }
    crd_free(context, piece);
    crd_i_source_close(source);
    return status;
}

static crd_text text_of(const crd_i_buffer *buffer) {
    const crd_text text = {buffer->bytes == NULL ? "" : (const char *)buffer->bytes, buffer->length};
    return text;
}

crd_status crd_network_recognise_file(crd_context *context, const char *path, crd_network_format *format,
                                      crd_error *error) {
    crd_i_buffer bytes = {context, NULL, 0, 0};
    crd_status status = read_file(context, path, CRD_I_NETWORK_PEEK, &bytes, error);
    *format = status == CRD_OK ? crd_network_recognise(text_of(&bytes)) : CRD_NETWORK_ANY;
    crd_i_buffer_clear(&bytes);
    return status;
}

crd_status crd_network_load(crd_context *context, const char *path, crd_network_format format, crd_network **out,
                            crd_error *error) {
    crd_i_buffer bytes = {context, NULL, 0, 0};
    *out = NULL;
    crd_status status = read_file(context, path, SIZE_MAX, &bytes, error);
    if (status == CRD_OK) status = crd_network_read(context, text_of(&bytes), path, format, out, error);
    crd_i_buffer_clear(&bytes);
    return status;
}
