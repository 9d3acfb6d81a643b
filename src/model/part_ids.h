/* SPDX-License-Identifier: MIT */
/* part_ids.h - the manifest of a model: the ids of the parts whose rows it holds.
 *
 * A set of texts in sorted runs, each with more than twice the room of the next, as in a log-structured merge tree: ids are looked up
 * in O(log^2 n), n sets of one id are united, or taken out, one after the other in O(n log^2 n) steps, and two large ones are united in
 * linear time. Changes are prepared beside the set, so that taking them over cannot fail. */
#ifndef CRD_MODEL_PART_IDS_H
#define CRD_MODEL_PART_IDS_H

#include "io/byte_codec.h"

/* Bytes of an id. */
enum { CRD_I_MOST_ID = 255 };

typedef struct crd_i_part_ids crd_i_part_ids;

/* Whether a text can be an id: UTF-8, not empty, without NUL, not too long. */
bool crd_i_part_id_is_valid(crd_text id);

/* In the calls below a set that is NULL has no ids. */
void crd_i_part_ids_destroy(crd_i_part_ids *ids);
CRD_MUST_USE crd_status crd_i_part_ids_create(crd_context *context, crd_text id, crd_i_part_ids **out,
                                              crd_error *error);
CRD_MUST_USE crd_status crd_i_part_ids_clone(const crd_i_part_ids *ids, crd_i_part_ids **out, crd_error *error);
size_t crd_i_part_ids_count(const crd_i_part_ids *ids);

/* How many of other's ids are in a set; the least of them, and the least that is not; bytes NULL: none. These live as long as
 * `other`. */
typedef struct crd_i_ids_overlap {
    size_t shared;
    crd_text first_shared, first_apart;
} crd_i_ids_overlap;
void crd_i_part_ids_overlap(const crd_i_part_ids *ids, const crd_i_part_ids *other, crd_i_ids_overlap *out);

/* What a set is to become: with other's ids, of which it has none (sign 1), or without them, of which it has all (-1). */
typedef struct crd_i_ids_change {
    crd_i_part_ids *next;
    size_t kept;                /* runs that it has from the set */
    const crd_i_part_ids *less; /* what is to be taken out, which lives until then; NULL: nothing */
} crd_i_ids_change;
CRD_MUST_USE crd_status crd_i_part_ids_prepare(crd_context *context, const crd_i_part_ids *ids,
                                               const crd_i_part_ids *other, int sign, crd_i_ids_change *out,
                                               crd_error *error);
void crd_i_part_ids_take(crd_i_part_ids **ids, crd_i_ids_change *change);
void crd_i_part_ids_drop(crd_i_ids_change *change);

/* The ids in the order of their bytes, which live as long as the set is unchanged; freed with crd_free. */
CRD_MUST_USE crd_status crd_i_part_ids_list(const crd_i_part_ids *ids, crd_context *context, crd_text **out,
                                            crd_error *error);

/* The content of their section in a file; writing is of a set that is not empty, and reading fails with CRD_ERROR_DAMAGED. */
void crd_i_part_ids_write(const crd_i_part_ids *ids, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_part_ids_read(crd_context *context, crd_i_cursor *cursor, crd_i_part_ids **out,
                                            crd_error *error);

#endif
