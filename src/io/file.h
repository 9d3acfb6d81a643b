/* file.h - whole files: read at once, written so that the path holds the old content or the new, locked. */
#ifndef CRD_IO_FILE_H
#define CRD_IO_FILE_H

#include "base/context.h"

CRD_MUST_USE crd_status crd_i_file_read(crd_context *context, const char *path, unsigned char **bytes, size_t *length,
                                        crd_error *error);
/* The first bytes, at most `room`. */
CRD_MUST_USE crd_status crd_i_file_peek(crd_context *context, const char *path, unsigned char *bytes, size_t room,
                                        size_t *length, crd_error *error);
CRD_MUST_USE crd_status crd_i_file_write(crd_context *context, const char *path, const unsigned char *bytes,
                                         size_t length, crd_error *error);

#endif
