/* SPDX-License-Identifier: MIT */
/* part_ids.h - the manifest of a model: the ids of the parts whose rows it contains.
 *
 * It is a set of texts in sorted runs, each with more than twice the capacity of the next, as in a log-structured
 * merge tree. Looking up an id takes O(log^2 n). Adding or removing n sets of one id, one after the other, takes O(n
 * log^2 n), and merging two large sets takes linear time. Changes are prepared separately, so committing them cannot
 * fail. */
#ifndef CRD_MODEL_PART_IDS_H
#define CRD_MODEL_PART_IDS_H

#include "io/byte_codec.h"

/* Maximum length of an id in bytes. */
enum { CRD_I_MOST_ID = 255 };

typedef struct crd_i_part_ids crd_i_part_ids;

/* Returns whether a text is a valid id: UTF-8, not empty, without NUL, not too long. */
bool crd_i_part_id_is_valid(crd_text id);

/* In the functions below, a NULL set is empty. */
void crd_i_part_ids_destroy(crd_i_part_ids *ids);
CRD_MUST_USE crd_status crd_i_part_ids_create(crd_context *context, crd_text id, crd_i_part_ids **out,
                                              crd_error *error);
CRD_MUST_USE crd_status crd_i_part_ids_clone(const crd_i_part_ids *ids, crd_i_part_ids **out, crd_error *error);
size_t crd_i_part_ids_count(const crd_i_part_ids *ids);

/* The number of ids of `other` that are in a set; the smallest of them, and the smallest that is not; bytes NULL:
 * none. The texts live as long as `other`. */
typedef struct crd_i_ids_overlap {
    size_t shared;
    crd_text first_shared, first_apart;
} crd_i_ids_overlap;
void crd_i_part_ids_overlap(const crd_i_part_ids *ids, const crd_i_part_ids *other, crd_i_ids_overlap *out);

/* A prepared change: adding the ids of another set, none of which it contains (sign 1), or removing them, all of
 * which it contains (-1). */
typedef struct crd_i_ids_change {
    crd_i_part_ids *next;
    size_t kept;                /* number of runs taken over from the set */
    const crd_i_part_ids *less; /* ids to remove, must live until the commit; NULL: none */
} crd_i_ids_change;
CRD_MUST_USE crd_status crd_i_part_ids_prepare(crd_context *context, const crd_i_part_ids *ids,
                                               const crd_i_part_ids *other, int sign, crd_i_ids_change *out,
                                               crd_error *error);
void crd_i_part_ids_take(crd_i_part_ids **ids, crd_i_ids_change *change);
void crd_i_part_ids_drop(crd_i_ids_change *change);

/* Lists the ids, sorted by bytes. They are valid as long as the set is unchanged; free the array with crd_free. */
CRD_MUST_USE crd_status crd_i_part_ids_list(const crd_i_part_ids *ids, crd_context *context, crd_text **out,
                                            crd_error *error);

/* Write and read the content of the file section. Writing requires a non-empty set; reading fails with
 * CRD_ERROR_DAMAGED. */
void crd_i_part_ids_write(const crd_i_part_ids *ids, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_part_ids_read(crd_context *context, crd_i_cursor *cursor, crd_i_part_ids **out,
                                            crd_error *error);

#endif
