/* SPDX-License-Identifier: MIT */
/* frame_binding.h - matches the columns of a frame with the columns of a model by name, and translates codes.
 *
 * A reader delivers thousands of frames with the same columns and growing dictionaries, so lookups are cached:
 * columns as long as the frame's layout is unchanged, codes as long as the dictionary is the same. */
#ifndef CRD_MODEL_FRAME_BINDING_H
#define CRD_MODEL_FRAME_BINDING_H

#include "table/frame.h"

/* Translated codes that are not values. */
enum { CRD_I_CODE_MISSING = -1, CRD_I_CODE_UNSEEN = -2 };

/* The owner of names that belong to another context than the binding. Serials are unique within one context only, so
 * lookups for this owner are not cached. */
#define CRD_I_FOREIGN_OWNER UINT64_MAX

typedef struct crd_i_bound_column {
    size_t column;   /* column of the frame; SIZE_MAX: the frame has no column of this name */
    uint64_t serial; /* serial of the dictionary that `map` is for */
    int32_t *map; /* model code at index frame code + 1, as far as it was looked up; at 0 the code for missing cells */
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

/* Clears a binding. To use one, zero-initialize it, set the context and call crd_i_binding_bind. */
void crd_i_binding_clear(crd_i_binding *binding);

/* Finds `count` names in the frame. `owner` is a serial of the binding's context that identifies the names; 0 if the
 * binding has only one owner. */
CRD_MUST_USE bool crd_i_binding_bind(crd_i_binding *binding, uint64_t owner, const crd_frame *frame, size_t count,
                                     crd_text (*name)(const void *names, size_t i), const void *names);

/* Returns the frame's column, or NULL if it has none. */
const crd_i_column *crd_i_binding_column(const crd_i_binding *binding, const crd_frame *frame, size_t i);

/* Returns the codes of a categorical column, translated to `values`; valid until the next call. Rows with a negative
 * condition, if conditions are given, are missing. New values are added to `growing` if it is not NULL, otherwise
 * they are unseen. NULL: out of memory. */
const int32_t *crd_i_binding_translate(crd_i_binding *binding, const crd_frame *frame, size_t i,
                                       crd_i_dictionary *growing, const crd_i_dictionary *values,
                                       const int32_t *conditions);
/* Returns the translated codes of `rows` rows starting at row `first`. `values` does not grow. NULL: out of memory. */
const int32_t *crd_i_binding_translate_rows(crd_i_binding *binding, const crd_frame *frame, size_t i, size_t first,
                                            size_t rows, const crd_i_dictionary *values);

#endif
