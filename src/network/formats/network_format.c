/* SPDX-License-Identifier: MIT */
/* network_format.c - the table of network file formats (see network_format.h), and network files, plain or
 * compressed. */
#include "network/formats/network_format.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/page_source.h"
#include "table/read/reader.h"

#include <stdio.h>
#include <string.h>

static const crd_i_network_format formats[] = {
    {CRD_NETWORK_FORMAT_BIF, crd_i_bif_recognize, crd_i_bif_read, crd_i_bif_write, false},
    /* Before XMLBIF, which accepts any XML. */
    {CRD_NETWORK_FORMAT_XDSL, crd_i_xdsl_recognize, crd_i_xdsl_read, crd_i_xdsl_write, false},
    {CRD_NETWORK_FORMAT_XMLBIF, crd_i_xmlbif_recognize, crd_i_xmlbif_read, crd_i_xmlbif_write, false},
    {CRD_NETWORK_FORMAT_NET, crd_i_net_recognize, crd_i_net_read, crd_i_net_write, true},
    {CRD_NETWORK_FORMAT_UAI, crd_i_uai_recognize, crd_i_uai_read, crd_i_uai_write, false},
    {CRD_NETWORK_FORMAT_DNE, crd_i_dne_recognize, crd_i_dne_read, crd_i_dne_write, false},
    {CRD_NETWORK_FORMAT_DOT, NULL, NULL, crd_i_dot_write, true},
};

static const crd_i_network_format *network_format_find(crd_network_format format) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format) return &formats[i];
    return NULL;
}

/* Skips a byte order mark. */
static crd_text without_mark(crd_text bytes) {
    static const char mark[] = "\xEF\xBB\xBF";
    if (bytes.length < 3 || memcmp(bytes.bytes, mark, 3) != 0) return bytes;
    return (crd_text){bytes.bytes + 3, bytes.length - 3};
}

crd_network_format crd_network_recognize(crd_text bytes) {
    bytes = without_mark(bytes);
    if (bytes.length > CRD_I_NETWORK_PEEK) bytes.length = CRD_I_NETWORK_PEEK;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].recognize != NULL && formats[i].recognize(bytes)) return formats[i].format;
    return CRD_NETWORK_FORMAT_ANY;
}

/* Sets the error's place to the line and column of a byte. */
static void network_format_place(crd_text bytes, const char *cursor, const char *place, crd_error *error) {
    uint64_t line = 1;
    const char *start = bytes.bytes;
    for (const char *byte = bytes.bytes; byte < cursor; byte++)
        if (*byte == '\n') {
            line++;
            start = byte + 1;
        }
    crd_i_error_place(error, place, line, (uint64_t)(cursor - start) + 1);
}

crd_status crd_network_read(crd_context *context, crd_text bytes, const char *place, crd_network_format format,
                            crd_network **out, crd_error *error) {
    *out = NULL;
    bytes = without_mark(bytes);
    if (format == CRD_NETWORK_FORMAT_ANY) format = crd_network_recognize(bytes);
    const crd_i_network_format *network_format = network_format_find(format);
    const char *nul = bytes.length == 0 ? NULL : memchr(bytes.bytes, '\0', bytes.length);
    crd_status status = CRD_OK;
    if (nul != NULL) {
        status = crd_i_fail(error, CRD_ERROR_SYNTAX,
                            "unexpected NUL byte: network files have none; if the file is UTF-16, save it as UTF-8");
        network_format_place(bytes, nul, place, error);
        return status;
    }
    if (network_format == NULL || network_format->read == NULL) {
        status =
            crd_i_fail(error, CRD_ERROR_SYNTAX, "unknown network format: expected BIF, XMLBIF, NET, UAI, XDSL or DNE");
        crd_i_error_place(error, place, 0, 0);
        return status;
    }
    return network_format->read(context, bytes, place, out, error);
}

crd_status crd_network_write(const crd_network *network, crd_network_format format, crd_text *out, crd_error *error) {
    const crd_i_network_format *network_format = network_format_find(format);
    if (network_format == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown network format");
    if (!network_format->writes_gaussian) {
        crd_status status =
            crd_i_network_check_discrete(network, "only the format NET of Hugin supports continuous nodes", error);
        if (status != CRD_OK) return status;
    }
    crd_i_buffer buffer = {network->context, NULL, 0, 0};
    crd_status status = network_format->write(network, &buffer, error);
    if (status != CRD_OK) {
        crd_i_buffer_clear(&buffer);
        return status;
    }
    out->bytes = (const char *)buffer.bytes;
    out->length = buffer.length;
    return CRD_OK;
}

/* ---- Files ---- */

/* Most bytes that are read from a compressed network. A network is read into memory as a whole, so a file of a few
 * kilobytes could otherwise exhaust it. Published networks have at most about 20 MB of text. */
enum { MOST_DECOMPRESSED = 64 << 20 };

static crd_status fail_decompressed(crd_error *error) {
    return crd_i_fail(error, CRD_ERROR_LIMIT,
                      "the compressed network is larger than %d MiB after decompression: if you trust it, decompress "
                      "it to a file and pass that file",
                      MOST_DECOMPRESSED >> 20);
}

/* Reads at most `most` bytes of a source, and closes it. */
static crd_status network_format_read_source(crd_i_source *source, const char *place, size_t most, crd_i_buffer *buffer,
                                             crd_error *error) {
    enum { PIECE = 1 << 16 };
    unsigned char *piece = crd_i_alloc(buffer->context, PIECE, 1);
    crd_status status = piece == NULL ? crd_i_fail_memory(error) : CRD_OK;
    while (status == CRD_OK && buffer->length < most) {
        size_t capacity = most - buffer->length < PIECE ? most - buffer->length : PIECE, got = 0;
        status = source->read(source, piece, capacity, &got, error);
        if (status != CRD_OK || got == 0) break;
        if (source->is_decompressed && got > MOST_DECOMPRESSED - buffer->length) status = fail_decompressed(error);
        else if (!crd_i_buffer_append(buffer, piece, got)) status = crd_i_fail_memory(error);
    }
    crd_free(buffer->context, piece);
    crd_i_source_close(source);
    /* Decompressors do not have the name of the file. */
    if (status != CRD_OK && error != NULL && error->place[0] == '\0') crd_i_error_place(error, place, 0, 0);
    return status;
}

static crd_status network_format_read_file(crd_context *context, const char *path, crd_i_buffer *buffer,
                                           crd_error *error) {
    crd_i_source *inner, *source = NULL;
    crd_status status = crd_i_source_open(context, path, &inner, error);
    if (status == CRD_OK) status = crd_i_source_decode(context, inner, crd_i_decoders, &source, error);
    if (status == CRD_OK) return network_format_read_source(source, path, SIZE_MAX, buffer, error);
    if (error != NULL && error->place[0] == '\0') crd_i_error_place(error, path, 0, 0);
    return status;
}

static crd_text network_format_text(const crd_i_buffer *buffer) {
    const crd_text text = {buffer->bytes == NULL ? "" : (const char *)buffer->bytes, buffer->length};
    return text;
}

crd_status crd_i_network_detect(crd_i_source *inner, bool *is_network, crd_error *error) {
    crd_context *context = inner->context;
    crd_i_buffer bytes = {context, NULL, 0, 0};
    crd_i_source *source = NULL;
    crd_status status = crd_i_source_decode(context, inner, crd_i_decoders, &source, error);
    if (status == CRD_OK) status = network_format_read_source(source, "", CRD_I_NETWORK_PEEK, &bytes, error);
    const bool has_failed = status == CRD_ERROR_MEMORY || crd_i_is_cancelled(status);
    *is_network = !has_failed && crd_network_recognize(network_format_text(&bytes)) != CRD_NETWORK_FORMAT_ANY;
    crd_i_buffer_clear(&bytes);
    return has_failed ? status : CRD_OK;
}

crd_status crd_network_load(crd_context *context, const char *path, crd_network_format format, crd_network **out,
                            crd_error *error) {
    crd_i_buffer bytes = {context, NULL, 0, 0};
    *out = NULL;
    crd_status status = network_format_read_file(context, path, &bytes, error);
    if (status == CRD_OK) status = crd_network_read(context, network_format_text(&bytes), path, format, out, error);
    crd_i_buffer_clear(&bytes);
    return status;
}

crd_status crd_network_from_input(crd_input *input, crd_network_format format, crd_network **out, crd_error *error) {
    crd_i_buffer bytes = {input->context, NULL, 0, 0};
    *out = NULL;
    crd_i_source *source = input->source;
    if (source == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the input was used already");
    input->source = input->file = NULL;
    crd_status status = network_format_read_source(source, input->place, SIZE_MAX, &bytes, error);
    if (status == CRD_OK)
        status = crd_network_read(input->context, network_format_text(&bytes), input->place, format, out, error);
    crd_i_buffer_clear(&bytes);
    return status;
}
