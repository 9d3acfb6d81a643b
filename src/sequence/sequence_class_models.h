/* SPDX-License-Identifier: MIT */
/* sequence_class_models.h - what a model of classes of whole sequences is made of: a model of sequences for each class, and how many
 * sequences each class has had. */
#ifndef CRD_SEQUENCE_SEQUENCE_CLASS_MODELS_H
#define CRD_SEQUENCE_SEQUENCE_CLASS_MODELS_H

#include "model/model_internal.h"

#include <credence/sequence_classes.h>

typedef struct crd_i_sequence_classes {
    crd_context *context;
    crd_text target; /* owned: the column of classes */
    size_t position; /* its field in files without names */
    size_t count;
    crd_text *names;   /* owned, in order */
    double *sequences; /* of each class, above 0 and whole */
    crd_model **models;
} crd_i_sequence_classes;

/* NULL: the model is none of classes of sequences. */
const crd_i_sequence_classes *crd_i_sequence_classes_of(const crd_model *model);

/* Room for so many classes, which have neither names nor models yet. NULL: out of memory. */
crd_i_sequence_classes *crd_i_sequence_classes_create(crd_context *context, crd_text target, size_t position,
                                                      size_t count);
void crd_i_sequence_classes_destroy(crd_i_sequence_classes *classes); /* NULL is fine, and so are missing parts */
/* The name of a class, which is copied. false: out of memory. */
CRD_MUST_USE bool crd_i_sequence_classes_set(crd_i_sequence_classes *classes, size_t class_index, crd_text name,
                                             double sequences);
/* A model of them, which are taken over also on failure, with these settings, whose method becomes `sequence`. */
CRD_MUST_USE crd_status crd_i_sequence_classes_model(crd_i_sequence_classes *classes, const crd_settings *settings,
                                                     crd_model **out, crd_error *error);

/* The class of each sequence, by the codes of its labels; -1: it has none. CRD_ERROR_SYNTAX where one has two. */
CRD_MUST_USE crd_status crd_i_sequence_classes_labels(const crd_sequences *sequences, int32_t *labels,
                                                      crd_error *error);

#endif
