/* SPDX-License-Identifier: MIT */
/* emission_binding.h - how the columns of sequences meet the attributes of a model: by name, with codes translated. */
#ifndef CRD_SEQUENCE_EMISSION_BINDING_H
#define CRD_SEQUENCE_EMISSION_BINDING_H

#include "sequence/emission_model.h"

/* Translated codes from here downwards are words, by their number. */
enum { CRD_I_CODE_WORD = CRD_I_CODE_UNSEEN - 1 };

typedef struct crd_i_bound_attribute {
    size_t column;  /* of the sequences; SIZE_MAX: all cells are missing */
    bool is_number; /* so are the sequences' cells */
    int32_t *codes; /* of each of the sequences' values, or intervals: the model's, or a negative one */
    double *words;  /* of each word, class by class */
    size_t word_count, word_capacity;
} crd_i_bound_attribute;

struct crd_i_emission_binding {
    crd_context *context;
    const crd_i_emission_model *emission;
    const crd_sequences *sequences;
    crd_i_bound_attribute *attributes; /* of each attribute */
    int32_t *state_of_label;           /* negative: the label is no state */
};

#endif
