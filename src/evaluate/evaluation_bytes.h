/* SPDX-License-Identifier: MIT */
/* evaluation_bytes.h - evaluations of parts of the rows as bytes, which other processes merge.
 *
 * tag (4 bytes), u32 version, the content, u32 CRC-32C of everything before it. Numbers are little-endian, doubles their bits. */
#ifndef CRD_EVALUATE_EVALUATION_BYTES_H
#define CRD_EVALUATE_EVALUATION_BYTES_H

#include "base/dictionary.h"
#include "io/byte_codec.h"

#include <credence/evaluate.h>

void crd_i_evaluation_bytes_begin(crd_i_encoder *encoder, crd_context *context, const char tag[4]);
/* The bytes, freed with crd_free; the encoder is empty afterwards, also on failure. */
CRD_MUST_USE crd_status crd_i_evaluation_bytes_end(crd_i_encoder *encoder, unsigned char **bytes, size_t *length,
                                                   crd_error *error);
/* The content of bytes of that tag, whose checksum is right. CRD_ERROR_DAMAGED or CRD_ERROR_TOO_NEW. */
CRD_MUST_USE crd_status crd_i_evaluation_bytes_open(const unsigned char *bytes, size_t length, const char tag[4],
                                                    crd_i_cursor *out, crd_error *error);
/* The status of reading the content: CRD_ERROR_DAMAGED too where it ended early, or something follows it. */
CRD_MUST_USE crd_status crd_i_evaluation_bytes_close(const crd_i_cursor *cursor, crd_status status, crd_error *error);
crd_status crd_i_evaluation_bytes_damaged(crd_error *error);

void crd_i_encode_double(crd_i_encoder *encoder, double value);
double crd_i_decode_double(crd_i_cursor *cursor);
/* A byte that is 0 or 1: any other fails. */
bool crd_i_decode_flag(crd_i_cursor *cursor);
/* Texts in the order of their codes, all different. */
void crd_i_encode_names(crd_i_encoder *encoder, const crd_i_dictionary *names);
CRD_MUST_USE crd_status crd_i_decode_names(crd_context *context, crd_i_cursor *cursor, crd_i_dictionary **out,
                                           crd_error *error);

/* An evaluation within other content. */
void crd_i_evaluation_write(const crd_evaluation *evaluation, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_evaluation_read(crd_context *context, crd_i_cursor *cursor, crd_evaluation **out,
                                              crd_error *error);
/* The types of another's spans, without spans; merging that other needs no memory then. */
CRD_MUST_USE crd_status crd_i_spans_add_types(crd_spans *spans, const crd_spans *other, crd_error *error);
/* Spans of sequences that have ended. */
void crd_i_spans_write(const crd_spans *spans, crd_i_encoder *encoder);
/* *scheme: that they were created with. */
CRD_MUST_USE crd_status crd_i_spans_read(crd_context *context, crd_i_cursor *cursor, crd_spans **out,
                                         crd_span_scheme *scheme, crd_error *error);

#endif
