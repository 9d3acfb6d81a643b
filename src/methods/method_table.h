/* SPDX-License-Identifier: MIT */
/* method_table.h - the methods of the setting `method`, and the scorer that each gives a classifier. */
#ifndef CRD_METHODS_METHOD_TABLE_H
#define CRD_METHODS_METHOD_TABLE_H

#include "classify/classifier_internal.h"

typedef struct crd_i_method_entry {
    /* Gives its scorer to a classifier that has priors and densities. */
    crd_status (*derive)(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                         crd_error *error);
    const char *takes_all; /* why the settings joint and exponents do not go with it; NULL: they do */
    bool is_fitted;        /* it fits numbers to rows, which a model can keep */
} crd_i_method_entry;

/* By crd_i_method. */
extern const crd_i_method_entry crd_i_methods[CRD_I_METHOD_COUNT];

#endif
