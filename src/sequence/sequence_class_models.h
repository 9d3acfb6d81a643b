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

#endif
