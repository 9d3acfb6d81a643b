/* SPDX-License-Identifier: MIT */
/* protobuf.h - writes Protocol Buffers messages field by field, as ONNX files need them. Initialize to zero, set the
 * buffer's context, and free with crd_i_buffer_clear. After a failed allocation, `is_failed` is set and nothing more is
 * written. */
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
/* Opens and closes a nested message. Its content is everything written in between. `opened` is the result of the
 * opening. */
size_t crd_i_protobuf_open(crd_i_protobuf *protobuf, unsigned field);
void crd_i_protobuf_close(crd_i_protobuf *protobuf, size_t opened);
/* Write doubles or integers as little-endian bytes in one field. */
void crd_i_protobuf_doubles(crd_i_protobuf *protobuf, unsigned field, const double *numbers, size_t count);
void crd_i_protobuf_longs(crd_i_protobuf *protobuf, unsigned field, const int64_t *numbers, size_t count);

#endif
