/* SPDX-License-Identifier: MIT */
/* evaluation_bytes.h - evaluations as bytes. A process evaluates a part of the rows and encodes the result; another
 * process decodes and merges it.
 *
 * Format: tag (4 bytes), u32 version, content, u32 CRC-32C of everything before it. Integers are little-endian. A
 * double is stored as its 64 bits. */
#ifndef CRD_EVALUATE_EVALUATION_BYTES_H
#define CRD_EVALUATE_EVALUATION_BYTES_H

#include "base/dictionary.h"
#include "io/byte_codec.h"

#include <credence/evaluate.h>

/* Begins encoding: writes the tag and the version. */
void crd_i_evaluation_bytes_begin(crd_i_encoder *encoder, crd_context *context, const char tag[4]);
/* Appends the checksum and returns the bytes, which the caller frees with crd_free. The encoder is empty afterwards,
 * also on failure. */
CRD_MUST_USE crd_status crd_i_evaluation_bytes_end(crd_i_encoder *encoder, unsigned char **bytes, size_t *length,
                                                   crd_error *error);
/* Checks tag, version and checksum, and sets *out to the content. Returns CRD_ERROR_DAMAGED or CRD_ERROR_TOO_NEW. */
CRD_MUST_USE crd_status crd_i_evaluation_bytes_open(const unsigned char *bytes, size_t length, const char tag[4],
                                                    crd_i_cursor *out, crd_error *error);
/* Finishes decoding: returns `status` if it is an error, else CRD_ERROR_DAMAGED if the content was too short or too
 * long. */
CRD_MUST_USE crd_status crd_i_evaluation_bytes_close(const crd_i_cursor *cursor, crd_status status, crd_error *error);
/* Returns CRD_ERROR_DAMAGED with its message. */
crd_status crd_i_evaluation_bytes_damaged(crd_error *error);

void crd_i_encode_double(crd_i_encoder *encoder, double value);
double crd_i_decode_double(crd_i_cursor *cursor);
/* Decodes a byte that must be 0 or 1. The cursor fails for any other byte. */
bool crd_i_decode_flag(crd_i_cursor *cursor);
/* Encodes and decodes a dictionary: its texts in the order of their codes. Decoding returns CRD_ERROR_DAMAGED if a
 * text occurs twice. */
void crd_i_encode_names(crd_i_encoder *encoder, const crd_i_dictionary *names);
CRD_MUST_USE crd_status crd_i_decode_names(crd_context *context, crd_i_cursor *cursor, crd_i_dictionary **out,
                                           crd_error *error);

/* Writes and reads an evaluation as a part of other content. */
void crd_i_evaluation_write(const crd_evaluation *evaluation, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_evaluation_read(crd_context *context, crd_i_cursor *cursor, crd_evaluation **out,
                                              crd_error *error);
/* Adds the types of `other`, without its spans. Merging `other` then needs no memory for types. */
CRD_MUST_USE crd_status crd_i_spans_add_types(crd_spans *spans, const crd_spans *other, crd_error *error);
/* Writes spans. All their sequences must have ended. */
void crd_i_spans_write(const crd_spans *spans, crd_i_encoder *encoder);
/* Reads spans. Sets *scheme to the scheme that they were created with. */
CRD_MUST_USE crd_status crd_i_spans_read(crd_context *context, crd_i_cursor *cursor, crd_spans **out,
                                         crd_span_scheme *scheme, crd_error *error);

#endif
