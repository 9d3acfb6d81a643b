/* SPDX-License-Identifier: MIT */
/* shared_ids.h - compares the ids of sequences that begin in the parts of several processes. An id that begins in two
 * parts is an error: its sequence continues after rows of other sequences. */
#ifndef CRD_SEQUENCE_SHARED_IDS_H
#define CRD_SEQUENCE_SHARED_IDS_H

#include "base/buffer.h"
#include "base/context.h"

/* Adds an id of this process and the position where it begins: a number that increases with the rows over all parts.
 * Returns false if out of memory. */
CRD_MUST_USE bool crd_i_shared_ids_add(crd_i_buffer *ids, crd_text id, uint64_t where);

/* The id whose sequence continues after other sequences. If there are several, the one with the first such row. */
typedef struct crd_i_returned_id {
    /* positions of its first row and of the row that continues it; begins is UINT64_MAX: no such id */
    uint64_t begins, returns;
    crd_i_buffer id; /* its context is set; the caller clears it */
} crd_i_returned_id;

/* Compares the ids of all processes of the group. Every process must make the call. `ids` is empty afterwards. `ended`
 * is the position from which on rows of this process could not be read and so do not count; UINT64_MAX: all rows were
 * read. */
CRD_MUST_USE crd_status crd_i_shared_ids_compare(crd_context *context, crd_i_buffer *ids, uint64_t ended,
                                                 crd_i_returned_id *out, crd_error *error);

#endif
