/* SPDX-License-Identifier: MIT */
/* member_models.h - models that are made of other models.
 *
 * Such a model has the columns, classes and values that any of its members has, declared, and no rows of its own. */
#ifndef CRD_ENSEMBLE_MEMBER_MODELS_H
#define CRD_ENSEMBLE_MEMBER_MODELS_H

#include "model/model_internal.h"

#include <credence/combine.h>

typedef struct crd_i_member {
    crd_text name;
    crd_model *model;
    double weight;
} crd_i_member;

typedef struct crd_i_members {
    crd_combine_rule rule;
    uint64_t seed; /* of GIBBS; else 0 */
    size_t count;
    crd_i_member *each;
} crd_i_members;

void crd_i_members_destroy(crd_context *context, crd_i_members *members);
/* What a model is made of; NULL: it is of another kind. */
const crd_i_members *crd_i_members_of(const crd_model *model);

/* A model of all columns and values of these, without members yet. */
CRD_MUST_USE crd_status crd_i_members_unite(crd_context *context, const crd_model *const *models, size_t count,
                                            crd_model **out, crd_error *error);
/* The model that these are members of. Takes them over, also when it fails. */
CRD_MUST_USE crd_status crd_i_members_join(crd_context *context, crd_i_members *members, crd_model **out,
                                           crd_error *error);

#endif
