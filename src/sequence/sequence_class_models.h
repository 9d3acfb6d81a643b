/* SPDX-License-Identifier: MIT */
/* sequence_class_models.h - the content of a sequence classification model: an HMM for each class of whole sequences,
 * and the number of training sequences of each class. */
#ifndef CRD_SEQUENCE_SEQUENCE_CLASS_MODELS_H
#define CRD_SEQUENCE_SEQUENCE_CLASS_MODELS_H

#include "model/model_internal.h"

#include <credence/sequence_classes.h>

typedef struct crd_i_sequence_classes {
    crd_context *context;
    crd_text target; /* name of the class column; owned */
    size_t position; /* its field in files without a header */
    size_t count;
    crd_text *names;   /* names of the classes, in order; owned */
    double *sequences; /* number of sequences of each class: a positive integer */
    crd_model **models;
} crd_i_sequence_classes;

/* Returns the content of a sequence classification model; NULL: the model is not one. */
const crd_i_sequence_classes *crd_i_sequence_classes_of(const crd_model *model);

/* Creates a content for `count` classes, without names and models yet. Returns NULL if out of memory. */
crd_i_sequence_classes *crd_i_sequence_classes_create(crd_context *context, crd_text target, size_t position,
                                                      size_t count);
void crd_i_sequence_classes_destroy(crd_i_sequence_classes *classes); /* NULL is allowed, and so are missing models */
/* Sets the name, which is copied, and the number of sequences of a class. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_sequence_classes_set(crd_i_sequence_classes *classes, size_t class_index, crd_text name,
                                             double sequences);
/* Creates a model with this content, and takes ownership of `classes`, even on failure. The method of the settings
 * becomes `sequence`. */
CRD_MUST_USE crd_status crd_i_sequence_classes_model(crd_i_sequence_classes *classes, const crd_settings *settings,
                                                     crd_model **out, crd_error *error);

/* Gets the class of each sequence as a label code; -1: it has no label. Returns CRD_ERROR_SYNTAX if a sequence has two
 * different labels. */
CRD_MUST_USE crd_status crd_i_sequence_classes_labels(const crd_sequences *sequences, int32_t *labels,
                                                      crd_error *error);

#endif
