/* SPDX-License-Identifier: MIT */
/* frame_binding.h - how the columns of a frame meet those of a model: by name, with codes translated.
 *
 * A reader hands over thousands of frames with the same columns and ever growing dictionaries, so what was looked up
 * once is kept: columns for as long as the frame's layout stays, codes for as long as the dictionary does. */
#ifndef CRD_MODEL_FRAME_BINDING_H
#define CRD_MODEL_FRAME_BINDING_H

#include "table/frame.h"

/* Translated codes that are no values. */
enum { CRD_I_CODE_MISSING = -1, CRD_I_CODE_UNSEEN = -2 };

/* The owner of names that belong to another context than the binding: serials tell owners apart within one context
 * only, so nothing that was looked up for it is kept. */
#define CRD_I_FOREIGN_OWNER UINT64_MAX

typedef struct crd_i_bound_column {
    size_t column;   /* of the frame; SIZE_MAX: it has none of this name */
    uint64_t serial; /* of the dictionary that `map` is for */
    int32_t *map;    /* at frame code + 1 the model code, as far as it was asked for; at 0 that of missing cells */
    size_t known, capacity;
} crd_i_bound_column;

typedef struct crd_i_binding {
    crd_context *context;
    uint64_t owner, layout;
    bool is_bound;
    size_t count;
    crd_i_bound_column *columns;
    int32_t *codes; /* the latest column, translated */
    size_t codes_capacity;
} crd_i_binding;

/* Zero-initialised with its context set, then bound. */
void crd_i_binding_clear(crd_i_binding *binding);

/* Finds `count` names in the frame. `owner` is a serial of the binding's context that stands for the names; 0 where
 * the binding only ever serves one owner. */
CRD_MUST_USE bool crd_i_binding_bind(crd_i_binding *binding, uint64_t owner, const crd_frame *frame, size_t count,
                                     crd_text (*name)(const void *names, size_t i), const void *names);

/* The frame's column, or NULL where it has none. */
const crd_i_column *crd_i_binding_column(const crd_i_binding *binding, const crd_frame *frame, size_t i);

/* The codes of a category column in terms of `values`, until the next call; rows with a negative condition (where
 * conditions are given) are missing. New values are added to `values` if it is to grow, else they are unseen. NULL:
 * out of memory. */
const int32_t *crd_i_binding_translate(crd_i_binding *binding, const crd_frame *frame, size_t i,
                                       crd_i_dictionary *growing, const crd_i_dictionary *values,
                                       const int32_t *conditions);
/* The same for `rows` rows from row `from` on, in terms of values that do not grow. */
const int32_t *crd_i_binding_translate_rows(crd_i_binding *binding, const crd_frame *frame, size_t i, size_t from,
                                            size_t rows, const crd_i_dictionary *values);

#endif
