/* SPDX-License-Identifier: MIT */
/* member_models.h - models that combine other models.
 *
 * Such a model declares the columns, classes and values of all its members. It has no rows of its own. */
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
    uint64_t seed; /* random seed of GIBBS; otherwise 0 */
    size_t count;
    crd_i_member *each;
} crd_i_members;

void crd_i_members_destroy(crd_context *context, crd_i_members *members);
/* Returns the members of a model; NULL if the model is of another kind. */
const crd_i_members *crd_i_members_of(const crd_model *model);

/* Creates a model with the columns and values of all models, without members. Returns CRD_ERROR_SCHEMA_DIFFERS if the
 * models are not compatible. */
CRD_MUST_USE crd_status crd_i_members_unite(crd_context *context, const crd_model *const *models, size_t count,
                                            crd_model **out, crd_error *error);
/* Creates the model that combines the members. Takes ownership of `members`, also on failure. */
CRD_MUST_USE crd_status crd_i_members_join(crd_context *context, crd_i_members *members, crd_model **out,
                                           crd_error *error);

#endif
