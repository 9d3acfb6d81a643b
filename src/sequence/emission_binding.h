/* SPDX-License-Identifier: MIT */
/* emission_binding.h - the mapping between the columns of sequences and the attributes of an emission model: columns
 * are matched by name, and codes are translated. */
#ifndef CRD_SEQUENCE_EMISSION_BINDING_H
#define CRD_SEQUENCE_EMISSION_BINDING_H

#include "sequence/emission_model.h"

/* Translated codes from this value downwards are words: word w has the code CRD_I_CODE_WORD - w. */
enum { CRD_I_CODE_WORD = CRD_I_CODE_UNSEEN - 1 };

typedef struct crd_i_bound_attribute {
    size_t column;  /* column of the sequences; SIZE_MAX: all values are missing */
    bool is_number; /* the sequences' column is numeric */
    int32_t *codes; /* for each of the sequences' values, or intervals: the model's code, or a negative code */
    double *words;  /* log probabilities of each word, one entry per class */
    size_t word_count, word_capacity;
} crd_i_bound_attribute;

struct crd_i_emission_binding {
    crd_context *context;
    const crd_i_emission_model *emission;
    const crd_sequences *sequences;
    crd_i_bound_attribute *attributes; /* for each attribute */
    int32_t *state_of_label;           /* for each label: its state; negative: the label is not a state */
};

#endif
