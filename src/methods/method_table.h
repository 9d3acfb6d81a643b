/* SPDX-License-Identifier: MIT */
/* method_table.h - the values of the setting `method`, and the scorer that each method derives. */
#ifndef CRD_METHODS_METHOD_TABLE_H
#define CRD_METHODS_METHOD_TABLE_H

#include "classify/classifier_internal.h"

typedef struct crd_i_method_entry {
    /* Derives the scorer of a classifier that already has priors and densities. */
    crd_status (*derive)(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                         crd_error *error);
    /* completes the error "..., which ..." if joint or exponents is set; NULL: both are supported */
    const char *takes_all;
    bool is_fitted; /* it fits parameters to rows, which a model can store */
} crd_i_method_entry;

/* The methods, indexed by crd_i_method. */
extern const crd_i_method_entry crd_i_methods[CRD_I_METHOD_COUNT];

#endif
