/* SPDX-License-Identifier: MIT */
/* buffer.h - a growing run of bytes. Zero-initialise, set context, use; crd_i_buffer_clear frees. */
#ifndef CRD_BASE_BUFFER_H
#define CRD_BASE_BUFFER_H

#include "base/context.h"

typedef struct crd_i_buffer {
    crd_context *context;
    unsigned char *bytes;
    size_t length, capacity;
} crd_i_buffer;

CRD_MUST_USE bool crd_i_buffer_append(crd_i_buffer *buffer, const void *bytes, size_t length);
/* Room for `length` more bytes behind the end, which stays where it is; NULL on failure. */
unsigned char *crd_i_buffer_room(crd_i_buffer *buffer, size_t length);
void crd_i_buffer_clear(crd_i_buffer *buffer);

#endif
