/* SPDX-License-Identifier: MIT */
/* shared_ids.h - ids of sequences that begin in the parts of several processes: one that begins in two parts comes back behind rows of others. */
#ifndef CRD_SEQUENCE_SHARED_IDS_H
#define CRD_SEQUENCE_SHARED_IDS_H

#include "base/buffer.h"
#include "base/context.h"

/* Adds an id of this process, and where it begins: a number that grows with the rows of all parts. */
CRD_MUST_USE bool crd_i_shared_ids_add(crd_i_buffer *ids, crd_text id, uint64_t where);

/* The id of which a row comes back, the first such row of all. */
typedef struct crd_i_returned_id {
    uint64_t begins, returns; /* begins is UINT64_MAX: none does */
    crd_i_buffer id;          /* with the context; the caller's to clear */
} crd_i_returned_id;

/* Compares the ids of all processes of the group, each of which makes the call. `ids` is empty afterwards. `ended`: from what place on a row of this
 * process could not be read, so that no row from there on counts; UINT64_MAX: all of them were. */
CRD_MUST_USE crd_status crd_i_shared_ids_compare(crd_context *context, crd_i_buffer *ids, uint64_t ended,
                                                 crd_i_returned_id *out, crd_error *error);

#endif
