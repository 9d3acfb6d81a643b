/* SPDX-License-Identifier: MIT */
/* protobuf.h - messages of Protocol Buffers, field after field, as ONNX files are. Zero-initialise, set the buffer's
 * context, use; crd_i_buffer_clear frees. After a failed allocation nothing more is written. */
#ifndef CRD_EXPORT_PROTOBUF_H
#define CRD_EXPORT_PROTOBUF_H

#include "base/buffer.h"

typedef struct crd_i_protobuf {
    crd_i_buffer buffer;
    bool is_failed;
} crd_i_protobuf;

void crd_i_protobuf_integer(crd_i_protobuf *protobuf, unsigned field, int64_t value);
void crd_i_protobuf_bytes(crd_i_protobuf *protobuf, unsigned field, const void *bytes, size_t length);
void crd_i_protobuf_text(crd_i_protobuf *protobuf, unsigned field, const char *text);
/* A message within: what is written up to its end is its content. */
size_t crd_i_protobuf_open(crd_i_protobuf *protobuf, unsigned field);
void crd_i_protobuf_close(crd_i_protobuf *protobuf, size_t opened);
/* Doubles, or integers, as little-endian bytes in one field. */
void crd_i_protobuf_doubles(crd_i_protobuf *protobuf, unsigned field, const double *numbers, size_t count);
void crd_i_protobuf_longs(crd_i_protobuf *protobuf, unsigned field, const int64_t *numbers, size_t count);

#endif
