/* SPDX-License-Identifier: MIT */
/* selection.h - how the settings of a model were chosen: candidates with their scores, and the recommendation. See
 * credence/compare.h. The record is discarded when the model learns, forgets or is merged, because its rows are then
 * not the compared rows. */
#ifndef CRD_MODEL_SELECTION_H
#define CRD_MODEL_SELECTION_H

#include "io/byte_codec.h"

#include <credence/compare.h>

enum { CRD_I_SELECTION_SETTINGS = 4 };

typedef struct crd_i_selection_candidate {
    crd_comparison_result result;
    struct {
        const char *name, *value;
    } settings[CRD_I_SELECTION_SETTINGS]; /* name NULL: end of the list */
} crd_i_selection_candidate;

struct crd_selection {
    crd_context *context;
    crd_recommendation recommendation;
    crd_i_selection_candidate *candidates;
    size_t count;
    char *texts; /* memory of names, values and messages; NULL: not owned */
};

/* Destroys a selection. NULL is allowed. */
void crd_i_selection_destroy(crd_selection *selection);
/* Sets *out to a copy, or to NULL if `selection` is NULL. */
CRD_MUST_USE crd_status crd_i_selection_clone(const crd_selection *selection, crd_selection **out, crd_error *error);

/* Write and read the content of the file section, without times. CRD_ERROR_DAMAGED: no comparison can have such
 * results. */
void crd_i_selection_write(const crd_selection *selection, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_selection_read(crd_context *context, crd_i_cursor *cursor, crd_selection **out,
                                             crd_error *error);

#endif
