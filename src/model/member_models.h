/* member_models.h - models that are made of other models.
 *
 * Such a model has the columns, classes and values that any of its members has, declared, and no rows of its own. */
#ifndef CRD_MODEL_MEMBER_MODELS_H
#define CRD_MODEL_MEMBER_MODELS_H

#include "classify/classifier_internal.h"
#include "io/byte_codec.h"
#include "model/model_internal.h"
#include "model/schema_view.h"

#include <credence/combine.h>

typedef struct crd_i_member {
    crd_text name;
    crd_model *model;
    double weight;
} crd_i_member;

struct crd_i_members {
    crd_combine_rule rule;
    uint64_t seed; /* of GIBBS; else 0 */
    size_t count;
    crd_i_member *each;
};

void crd_i_members_destroy(crd_context *context, crd_i_members *members); /* NULL is fine */

/* A model of all columns and values of these, without members yet. */
CRD_MUST_USE crd_status crd_i_members_unite(crd_context *context, const crd_model *const *models, size_t count,
                                            crd_model **out, crd_error *error);
/* The model that these are members of. Takes them over, also when it fails. */
CRD_MUST_USE crd_status crd_i_members_join(crd_context *context, crd_i_members *members, crd_model **out,
                                           crd_error *error);
/* The classes and attributes of a model that has declared values and no rows, in a classifier, with a compound in which
 * all attributes are taken. */
CRD_MUST_USE crd_status crd_i_members_name(crd_classifier *classifier, const crd_model *model,
                                           const crd_i_schema_view *order, crd_error *error);
/* All of a classifier but its settings, of a model that is made of others. */
CRD_MUST_USE crd_status crd_i_members_derive(crd_classifier *classifier, const crd_model *model,
                                             const crd_i_schema_view *order, crd_error *error);

/* The section of a model file; docs/model-file.md has every byte. */
void crd_i_members_write(const crd_model *model, crd_i_encoder *encoder);
/* `decode` reads a member, which is made of no others. */
typedef crd_status crd_i_member_decoder(crd_context *context, const unsigned char *bytes, size_t length,
                                        crd_model **out, crd_error *error);
CRD_MUST_USE crd_status crd_i_members_read(crd_context *context, crd_i_cursor *cursor, crd_i_member_decoder *decode,
                                           crd_model **out, crd_error *error);

#endif
